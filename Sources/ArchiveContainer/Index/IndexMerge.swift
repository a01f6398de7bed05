// Changes an index copy-on-write: only the nodes on the way to what changed are written anew, so that one
// item more costs a node a level however many there are.

internal import ByteCoding

/// An item that a session adds to the index.
struct IndexInsertion {
  let entry: IndexEntry
  /// What the caller knows the item by, for messages about duplicates.
  let origin: UInt32
}

/// An item that a session takes out of the index: deleted, or replaced by a newer revision.
struct IndexRemoval: Comparable {
  let token: Token
  let place: UInt64

  static func < (left: IndexRemoval, right: IndexRemoval) -> Bool {
    left.token != right.token ? left.token < right.token : left.place < right.place
  }
}

struct IndexMerge: ~Copyable {
  typealias Write = (UInt8, [IndexEntry]) throws(ContainerError) -> IndexEntry

  private var reader: IndexReader
  /// Bytes of the frames of nodes that the new index has no more.
  private(set) var replacedByteCount: UInt64 = 0
  private var removedCount = 0

  /// - Parameter reader: of the index as it is.
  init(_ reader: consuming IndexReader) {
    self.reader = reader
  }

  /// Makes the changes, both in rising order, and writes each node that they touch, children first.
  ///
  /// - Returns: the new root; nil where no item is left.
  /// - Throws: `.duplicateItem` where an item of the same token stays, `.damaged` or `.tampered` where a
  ///   node on the way does not open, or does not list what is to be removed.
  mutating func apply(
    _ insertions: [IndexInsertion], _ removals: [IndexRemoval], to root: Commit.Root,
    write: Write
  ) throws(ContainerError) -> Commit.Root? {
    var level = root.level
    var nodes = try merge(root.entry, level: level, insertions[...], removals[...], write)
    guard removedCount == removals.count else {
      throw ContainerError(
        .tampered, "an item that is replaced is not in the index", at: root.place)
    }
    while nodes.count > 1 {
      level += 1
      nodes = try Self.write(nodes, level: level, write)
    }
    return nodes.first.map {
      Commit.Root(place: $0.place, segment: $0.segment, sequence: $0.sequence, level: level)
    }
  }

  /// The nodes that come in the place of `entry`: itself where nothing below it changes.
  private mutating func merge(
    _ entry: IndexEntry, level: UInt8, _ insertions: ArraySlice<IndexInsertion>,
    _ removals: ArraySlice<IndexRemoval>, _ write: Write
  ) throws(ContainerError) -> [IndexEntry] {
    if insertions.isEmpty, removals.isEmpty { return [entry] }
    let node = try reader.node(entry, level: level)
    let entries =
      level == 0
      ? try merge(leaf: node, at: entry, insertions, removals)
      : try merge(inner: node, insertions, removals, write)
    if entries == node.entries { return [entry] }
    replacedByteCount += Self.frameByteCount(entryCount: node.entries.count)
    return try Self.write(entries, level: level, write)
  }

  private mutating func merge(
    leaf: IndexNode, at entry: IndexEntry, _ insertions: ArraySlice<IndexInsertion>,
    _ removals: ArraySlice<IndexRemoval>
  ) throws(ContainerError) -> [IndexEntry] {
    var removals = removals
    var kept: [IndexEntry] = []
    kept.reserveCapacity(leaf.entries.count + insertions.count)
    var insertions = insertions
    for old in leaf.entries {
      let key = IndexRemoval(token: old.token, place: old.place)
      while let next = removals.first, next < key { removals.removeFirst() }
      if removals.first == key {
        removals.removeFirst()
        removedCount += 1
        continue
      }
      while let next = insertions.first, next.entry.token < old.token {
        kept.append(next.entry)
        insertions.removeFirst()
      }
      if let next = insertions.first, next.entry.token == old.token {
        throw ContainerError(
          .duplicateItem, "an item with the same primary key is there already",
          at: next.entry.place, origins: [next.origin])
      }
      kept.append(old)
    }
    return kept + insertions.map(\.entry)
  }

  private mutating func merge(
    inner: IndexNode, _ insertions: ArraySlice<IndexInsertion>,
    _ removals: ArraySlice<IndexRemoval>, _ write: Write
  ) throws(ContainerError) -> [IndexEntry] {
    var insertions = insertions
    var removals = removals
    var entries: [IndexEntry] = []
    for (index, child) in inner.entries.enumerated() {
      let next = index + 1 < inner.entries.count ? inner.entries[index + 1].token : nil
      // What is added goes to the last child that starts at or below it; what is removed can also stand at
      // the end of the child before, where equal tokens reach over an edge.
      let ownInsertions = insertions.prefix { next == nil || $0.entry.token < next! }
      insertions = insertions.dropFirst(ownInsertions.count)
      while let first = removals.first, index > 0, first.token < child.token {
        removals.removeFirst()
      }
      let ownRemovals = removals.prefix { next == nil || $0.token <= next! }
      entries += try merge(
        child, level: inner.level - 1, ownInsertions, ownRemovals, write)
    }
    return entries
  }

  /// Writes `entries` as nodes of about equal size, as few as hold them.
  private static func write(
    _ entries: [IndexEntry], level: UInt8, _ write: Write
  ) throws(ContainerError) -> [IndexEntry] {
    guard level <= Format.highestIndexLevel else {
      throw ContainerError(.refusedByLimit, "more items than an index can have")
    }
    let count = (entries.count + Format.mostIndexEntries - 1) / Format.mostIndexEntries
    var nodes: [IndexEntry] = []
    for part in 0..<count {
      let start = entries.count * part / count
      let end = entries.count * (part + 1) / count
      nodes.append(try write(level, Array(entries[start..<end])))
    }
    return nodes
  }

  private static func frameByteCount(entryCount: Int) -> UInt64 {
    let plaintext = Padding.paddedByteCount(
      Format.plaintextHeaderByteCount + entryCount * Format.indexEntryByteCount)
    return UInt64(Format.frameHeaderByteCount + plaintext + Format.tagByteCount)
  }
}
