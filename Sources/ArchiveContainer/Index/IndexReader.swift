// Finds items by token in the index: a page a level.

internal import ArchiveCrypto
internal import ByteCoding

/// Lookups in one archive. For one thread.
package struct IndexReader: ~Copyable {
  private let root: Commit.Root?
  private let firstSession: UInt64
  private var reader: FrameReader
  /// Nodes read before: the upper levels serve every lookup, leaves many of them.
  private var nodes: [UInt64: IndexNode] = [:]
  private var inflater: Inflater?

  /// About 8 MiB: the leaves of 200,000 items.
  private static let mostKeptNodes = 512

  package init(_ archive: OpenedArchive) {
    self.init(
      root: archive.commit.root, before: archive.commit.place, device: archive.device,
      keys: archive.keys, firstSession: archive.firstSession)
  }

  /// - Parameter end: the place of the commit that names `root`: all it lists stands before.
  init(
    root: Commit.Root?, before end: UInt64, device: any Device, keys: ArchiveKeys,
    firstSession: UInt64
  ) {
    self.root = root
    self.firstSession = firstSession
    reader = FrameReader(device: device, keys: keys, end: end, readAhead: 4096)
    reader.endIsKnown = true
  }

  /// The items whose token lies in `range`, in the order of the index.
  ///
  /// - Throws: `.damaged` or `.tampered` where a node on the way does not open.
  package mutating func items(
    in range: ClosedRange<Token>
  ) throws(ContainerError) -> [ItemRecord] {
    var found: [ItemRecord] = []
    for entry in try entries(in: range) { found.append(try item(entry)) }
    return found
  }

  /// The items with this lookup half.
  package mutating func items(lookup: UInt64) throws(ContainerError) -> [ItemRecord] {
    try items(
      in: Token(lookup: lookup, primary: 0)...Token(lookup: lookup, primary: .max))
  }

  /// Whether the index lists the item with `token` at `place`.
  mutating func lists(_ token: Token, at place: UInt64) throws(ContainerError) -> Bool {
    try entries(in: token...token).contains { $0.place == place }
  }

  /// Visits every leaf entry, in the order of tokens.
  mutating func forEachEntry(
    _ body: (IndexEntry) -> Void
  ) throws(ContainerError) {
    guard let root else { return }
    var order = LeafOrder()
    try visit(root.entry, level: root.level, &order, body)
  }

  private mutating func visit(
    _ entry: IndexEntry, level: UInt8, _ order: inout LeafOrder, _ body: (IndexEntry) -> Void
  ) throws(ContainerError) {
    // At most five levels deep: the level is checked against its parent's.
    let node = try node(entry, level: level)
    if level == 0 { try order.take(node, at: entry.place) }
    for child in node.entries {
      if level == 0 {
        body(child)
      } else {
        try visit(child, level: level - 1, &order, body)
      }
    }
  }

  /// Sees to it that entries rise from leaf to leaf too. So no leaf is visited twice, however often
  /// the nodes above name it.
  private struct LeafOrder {
    private var last: IndexEntry?

    mutating func take(_ leaf: IndexNode, at place: UInt64) throws(ContainerError) {
      if let last, let first = leaf.entries.first {
        guard last.token < first.token || last.token == first.token && last.place < first.place
        else { throw ContainerError(.tampered, "index nodes out of order", at: place) }
      }
      last = leaf.entries.last
    }
  }

  private mutating func entries(
    in range: ClosedRange<Token>
  ) throws(ContainerError) -> [IndexEntry] {
    guard let root else { return [] }
    var found: [IndexEntry] = []
    var order = LeafOrder()
    var open = [(entry: root.entry, level: root.level)]
    while let (entry, level) = open.popLast() {
      let node = try node(entry, level: level)
      if level == 0 {
        try order.take(node, at: entry.place)
        let first = node.entries.firstIndex(notBelow: range.lowerBound)
        found += node.entries[first...].prefix { $0.token <= range.upperBound }
        continue
      }
      // The last child that starts below the range may reach into it.
      let first = max(0, node.entries.firstIndex(notBelow: range.lowerBound) - 1)
      let wanted = node.entries[first...].prefix { $0.token <= range.upperBound }
      for child in wanted.reversed() { open.append((child, level - 1)) }
    }
    return found
  }

  /// The node that `entry` names, checked against it.
  mutating func node(
    _ entry: IndexEntry, level: UInt8
  ) throws(ContainerError) -> IndexNode {
    let known = nodes[entry.place]
    let node = if let known { known } else { try read(entry) }
    guard node.segment == entry.segment, node.sequence == entry.sequence else {
      throw ContainerError(.tampered, "no index node where one should be", at: entry.place)
    }
    guard node.level == level else {
      throw ContainerError(.tampered, "index node of another level", at: entry.place)
    }
    // The root's entry is made from the commit, which does not name a token.
    guard entry.place == root?.place || node.entries[0].token == entry.token else {
      throw ContainerError(
        .tampered, "index node that starts with another token", at: entry.place)
    }
    if known == nil {
      if nodes.count == Self.mostKeptNodes { nodes.removeAll(keepingCapacity: true) }
      nodes[entry.place] = node
    }
    return node
  }

  private mutating func read(_ entry: IndexEntry) throws(ContainerError) -> IndexNode {
    let header = try reader.header(at: entry.place)
    guard header.type == FrameType.index, header.segment == entry.segment,
      header.sequence == entry.sequence
    else {
      throw ContainerError(.tampered, "no index node where one should be", at: entry.place)
    }
    let frame = try reader.open(header, at: entry.place)
    return try IndexNode(
      reader.content, level: frame.code, header: header, at: entry.place,
      firstSession: firstSession)
  }

  private mutating func item(_ entry: IndexEntry) throws(ContainerError) -> ItemRecord {
    let header = try reader.header(at: entry.place)
    guard header.type == FrameType.item, header.segment == entry.segment,
      header.sequence == entry.sequence
    else {
      throw ContainerError(.tampered, "no item where the index has one", at: entry.place)
    }
    let frame = try reader.open(header, at: entry.place)
    let item = try ItemRecord(
      reader.content, code: frame.code, header: header, place: entry.place)
    guard item.token == entry.token, !item.isTombstone else {
      throw ContainerError(.tampered, "another item than the index has", at: entry.place)
    }
    guard item.replaces == 0 || item.replaces >= firstSession else {
      throw ContainerError(.tampered, "item: the place that it replaces", at: entry.place)
    }
    return item
  }
}

extension IndexReader {
  /// The value of `item`, where it is of one chunk: read with the item, of which it stands behind.
  ///
  /// - Returns: nil where the value is longer, or of a length that its writer did not know.
  package mutating func shortValue(of item: ItemRecord) throws(ContainerError) -> [UInt8]? {
    guard item.hasValue, let count = item.valueByteCount, count <= UInt64(Format.chunkByteCount)
    else { return nil }
    let place = item.valuePlace
    var rules = ChunkRules(item)
    let header = try reader.header(at: place)
    try rules.check(header, at: place)
    let code = try reader.open(header, at: place).code
    guard code & 2 != 0 else {
      let content = reader.content
      try rules.take(code: code, rawByteCount: content.byteCount, at: place)
      return try rules.whole(content, at: place)
    }
    let inflater: Inflater
    if let used = self.inflater { inflater = used } else { inflater = try Inflater() }
    self.inflater = inflater
    var raw = SecretBytes(count: 0)
    let rawByteCount = try inflater.inflate(reader.content, into: &raw, at: place)
    try rules.take(code: code, rawByteCount: rawByteCount, at: place)
    return try rules.whole(raw.bytes.extracting(0..<rawByteCount), at: place)
  }
}

extension ChunkRules {
  /// A copy of the first chunk, which has to be the last.
  fileprivate func whole(_ chunk: RawSpan, at place: UInt64) throws(ContainerError) -> [UInt8] {
    guard isComplete else { throw ContainerError(.tampered, "value: it ends early", at: place) }
    return chunk.array(at: 0, count: chunk.byteCount)
  }
}

extension [IndexEntry] {
  /// The position of the first entry whose token is not below `token`; `count` where all are.
  fileprivate func firstIndex(notBelow token: Token) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].token < token { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Commit.Root {
  /// The root as a parent would name it, but for its first token, which a commit does not tell.
  var entry: IndexEntry {
    IndexEntry(
      token: Token(lookup: 0, primary: 0), place: place, segment: segment, sequence: sequence)
  }
}
