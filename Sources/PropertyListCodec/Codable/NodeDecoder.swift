// Decodes values from the nodes of a document. A decoder stands for one node and for the way to it; nested values have
// decoders of their own, so that one that a type keeps stays valid.

final class NodeDecoder: Decoder, SingleValueDecodingContainer {
  let source: NodeSource
  /// Nil for what is not there: a superclass's part that nobody encoded.
  let node: Int?
  private let parent: NodeDecoder?
  private let key: (any CodingKey)?
  /// How many containers the node is in.
  private let depth: Int

  /// Whether a date is read as the number of its seconds: what Foundation's `Date` asks for.
  private var readsSeconds = false
  /// Where to look for the next key: types ask for keys in the order in which they were written, mostly.
  private var nextLink = 0
  /// Of a dictionary of many keys: the links to them, once they were asked for in another order.
  private var links: [KeyText: Int] = [:]

  /// Dictionaries with more keys get a table of them.
  private static let searchedKeyCount = 24

  init(_ source: NodeSource, root node: Int) {
    self.source = source
    self.node = node
    parent = nil
    key = nil
    depth = 0
  }

  private init(_ parent: NodeDecoder, _ key: any CodingKey, node: Int?) {
    source = parent.source
    self.node = node
    self.parent = parent
    self.key = key
    depth = parent.depth + 1
  }

  /// The decoder for what is in this one's container.
  func nested(_ node: Int?, _ key: any CodingKey) throws -> NodeDecoder {
    let decoder = NodeDecoder(self, key, node: node)
    // A list can contain itself, and types read it as deep as it goes.
    guard decoder.depth <= source.document.options.maximumDepth else {
      throw decoder.error(.nestingTooDeep, Any.self)
    }
    return decoder
  }

  var userInfo: [CodingUserInfoKey: Any] { source.userInfo }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var decoder = self
    while let parent = decoder.parent, let key = decoder.key {
      path.append(key)
      decoder = parent
    }
    return path.reversed()
  }

  func error(_ fault: NodeFault, _ expected: Any.Type) -> DecodingError {
    fault.error(expected, found: node.map { source.kind($0) } ?? .null, at: codingPath)
  }

  /// The error for what is in this one's container.
  func error(
    _ fault: NodeFault, _ expected: Any.Type, _ node: Int, _ key: any CodingKey
  ) -> DecodingError {
    fault.error(expected, found: source.kind(node), at: codingPath + [key])
  }

  // MARK: Containers

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let links = try links(of: [.dictionary], [String: Any].self)
    let keys = links.prefix(links.count / 2)
    do throws(NodeFault) {
      try source.checkKeys(keys)
    } catch {
      throw self.error(error, String.self)
    }
    return KeyedDecodingContainer(NodeEntries(decoder: self, keys: keys))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    NodeElements(
      decoder: self, links: try links(of: [.array, .set, .orderedSet], [Any].self))
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private func links(
    of kinds: [PropertyListNode.Kind], _ expected: Any.Type
  ) throws -> Range<Int> {
    guard let node, !source.isNull(node) else { throw error(.null, expected) }
    let record = source.document.table.records[node]
    guard kinds.contains(record.kind) else { throw error(.mismatch, expected) }
    do throws(NodeFault) {
      try source.visit(record.links.count)
    } catch {
      throw self.error(error, expected)
    }
    return record.links
  }

  /// The link to the key with this text. Of one that is there twice, the last.
  func link(to text: String, in keys: Range<Int>) -> Int? {
    if source.isIrregular {
      return keys.last {
        source.document.text(
          of: PropertyListNode(index: Int(source.document.table.links[$0])), equals: text)
      }
    }
    if keys.count > Self.searchedKeyCount {
      if keys.contains(nextLink),
        source.document.link(to: text, in: nextLink..<nextLink + 1, first: nextLink) != nil
      {
        nextLink += 1
        return nextLink - 1
      }
      if links.isEmpty {
        links.reserveCapacity(keys.count)
        for link in keys { links[KeyText(source.key(link))] = link }
      }
      return links[KeyText(text)]
    }
    guard let link = source.document.link(to: text, in: keys, first: nextLink) else { return nil }
    nextLink = link + 1
    return link
  }

  // MARK: Single values

  func decodeNil() -> Bool { node.map { source.isNull($0) } ?? true }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try value(type) }
  // For these two the protocol has methods of its own, which throw.
  func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }

  private func value<T: Decodable>(_ type: T.Type) throws -> T {
    guard let node else { throw error(.null, type) }
    do throws(NodeFault) {
      if readsSeconds, let seconds = try source.date(node) as? T { return seconds }
      if let value = try source.scalar(type, node) { return value }
    } catch {
      throw self.error(error, type)
    }
    return try whole(type, node)
  }

  /// The value of this decoder's node, which is of a type that is no scalar.
  func whole<T: Decodable>(_ type: T.Type, _ node: Int) throws -> T {
    switch source.nativeType(type) {
    case .other, .dictionary: return try T(from: self)
    case .date:
      readsSeconds = true
      defer { readsSeconds = false }
      guard source.kind(node) == .date else { return try mismatch(type, node) }
      return try T(from: self)
    case .data(let collection):
      do throws(NodeFault) {
        if let value = Self.make(collection, of: try source.data(node)) as? T { return value }
      } catch {
        throw self.error(error, type)
      }
      return try mismatch(type, node)
    }
  }

  private func mismatch<T>(_ type: T.Type, _ node: Int) throws -> T {
    throw error(source.isNull(node) ? .null : .mismatch, type)
  }

  private static func make(
    _ type: (some RangeReplaceableCollection<UInt8>).Type, of bytes: [UInt8]
  ) -> any Collection<UInt8> { type.init(bytes) }
}
