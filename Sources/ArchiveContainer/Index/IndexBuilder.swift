// Collects a session's items and writes its index, level by level.
//
// Ten million items must fit: 32 bytes each, in 256 buckets by the token's first byte, so that neither
// growth nor sorting ever copies more than a 256th of them.

internal import ByteCoding

struct IndexBuilder {
  struct Entry {
    let token: Token
    let place: UInt64
    let sequence: UInt32
    /// What the caller knows the item by, for messages about duplicates.
    let origin: UInt32
  }

  private var buckets = [[Entry]](repeating: [], count: 256)
  private(set) var count: UInt64 = 0
  /// Equal tokens are legal: items that are copied from another archive may have them.
  var allowsEqualTokens = false

  mutating func add(_ entry: Entry) {
    buckets[Int(entry.token.lookup >> 56)].append(entry)
    count += 1
  }

  /// Hands out all entries in the order of the leaves, and forgets them.
  ///
  /// - Parameter keeps: true to forget none.
  /// - Throws: `.duplicateItem` where two items have the same token: equal primary keys have equal
  ///   lookup keys, so they lie side by side.
  mutating func drain(
    keeping keeps: Bool = false, _ body: (Entry) throws(ContainerError) -> Void
  ) throws(ContainerError) {
    for index in buckets.indices {
      var bucket: [Entry] = []
      swap(&bucket, &buckets[index])
      bucket.sort { left, right in
        left.token != right.token ? left.token < right.token : left.place < right.place
      }
      var last: Entry?
      for entry in bucket {
        if !allowsEqualTokens, let last, last.token == entry.token {
          throw ContainerError(
            .duplicateItem, "two items have the same primary key", at: entry.place,
            origins: [last.origin, entry.origin])
        }
        try body(entry)
        last = entry
      }
      if keeps { swap(&bucket, &buckets[index]) }
    }
  }
}

/// The nodes of a level that are being filled; the levels above follow from it.
struct IndexLevels {
  /// Entries of the node being filled, by level.
  private var open: [[IndexEntry]] = [[]]

  /// The root, after `finish`.
  private(set) var root: (entry: IndexEntry, level: UInt8)?

  /// Adds an entry to the leaves; writes each node that fills up.
  mutating func add(
    _ entry: IndexEntry, write: (UInt8, [IndexEntry]) throws(ContainerError) -> IndexEntry
  ) throws(ContainerError) {
    try add(entry, level: 0, write: write)
  }

  private mutating func add(
    _ entry: IndexEntry, level: Int,
    write: (UInt8, [IndexEntry]) throws(ContainerError) -> IndexEntry
  ) throws(ContainerError) {
    if level == open.count { open.append([]) }
    if open[level].count == Format.mostIndexEntries {
      let node = try write(UInt8(level), open[level])
      open[level].removeAll(keepingCapacity: true)
      try add(node, level: level + 1, write: write)
    }
    open[level].append(entry)
  }

  /// Writes what is open, from the leaves to the root.
  mutating func finish(
    write: (UInt8, [IndexEntry]) throws(ContainerError) -> IndexEntry
  ) throws(ContainerError) {
    var level = 0
    while level < open.count, !open[level].isEmpty {
      let node = try write(UInt8(level), open[level])
      if level == open.count - 1 {
        root = (node, UInt8(level))
        return
      }
      try add(node, level: level + 1, write: write)
      level += 1
    }
  }
}
