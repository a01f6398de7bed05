// The containers through which types read dictionaries and arrays. One method for all types takes the place of the
// many that the protocols ask for, and is made for each of them by the compiler.

/// A dictionary.
struct NodeEntries<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: NodeDecoder
  /// The links that are the keys; as many behind them are the values.
  let keys: Range<Int>

  private var source: NodeSource { decoder.source }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] {
    guard source.isIrregular else { return keys.compactMap { Key(stringValue: source.key($0)) } }
    var seen = Set<KeyText>()
    return keys.compactMap { link in
      let text = source.key(link)
      return seen.insert(KeyText(text)).inserted ? Key(stringValue: text) : nil
    }
  }

  func contains(_ key: Key) -> Bool { node(key) != nil }

  /// The value for a key.
  private func node(_ key: Key) -> Int? {
    guard let link = decoder.link(to: key.stringValue, in: keys) else { return nil }
    return Int(source.document.table.links[link + keys.count])
  }

  private func present(_ key: Key) throws -> Int {
    guard let node = node(key) else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(codingPath: codingPath, debugDescription: "no value for the key"))
    }
    return node
  }

  func decodeNil(forKey key: Key) throws -> Bool { source.isNull(try present(key)) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decode(type, present(key), key)
  }

  // For these two the protocol has methods of its own, which throw.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try decode(type, present(key), key)
  }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try decode(type, present(key), key)
  }

  @inline(__always)
  fileprivate func optional<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
    guard let node = node(key), !source.isNull(node) else { return nil }
    return try decode(type, node, key)
  }

  @inline(__always)
  private func decode<T: Decodable>(_ type: T.Type, _ node: Int, _ key: Key) throws -> T {
    do throws(NodeFault) {
      if let value = try source.scalar(type, node) { return value }
    } catch {
      throw decoder.error(error, type, node, key)
    }
    return try decoder.nested(node, key).whole(type, node)
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder.nested(present(key), key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.nested(present(key), key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = ListCodingKey.super
    let link = decoder.link(to: key.stringValue, in: keys)
    return try decoder.nested(
      link.map { Int(source.document.table.links[$0 + keys.count]) }, key)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try decoder.nested(node(key), key)
  }
}

/// The protocol's own methods for these types look a key up three times.
extension NodeEntries {
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try optional(type, key)
  }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try optional(type, key)
  }
}

/// An array or a set.
struct NodeElements: UnkeyedDecodingContainer {
  let decoder: NodeDecoder
  let links: Range<Int>
  private(set) var currentIndex = 0

  init(decoder: NodeDecoder, links: Range<Int>) {
    self.decoder = decoder
    self.links = links
  }

  private var source: NodeSource { decoder.source }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { links.count }
  var isAtEnd: Bool { currentIndex >= links.count }

  /// The next element, which is to be of `type`.
  private func next(_ type: Any.Type) throws -> Int {
    guard currentIndex < links.count else {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(
          codingPath: codingPath + [ListCodingKey.index(currentIndex)],
          debugDescription: "no more elements in the array"))
    }
    return Int(source.document.table.links[links.lowerBound + currentIndex])
  }

  /// A null is taken, another value is not.
  mutating func decodeNil() throws -> Bool {
    let isNull = source.isNull(try next(Never.self))
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try value(type) }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }

  @inline(__always)
  private mutating func value<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try decode(type, next(type))
    currentIndex += 1
    return value
  }

  @inline(__always)
  private func decode<T: Decodable>(_ type: T.Type, _ node: Int) throws -> T {
    do throws(NodeFault) {
      if let value = try source.scalar(type, node) { return value }
    } catch {
      throw decoder.error(error, type, node, ListCodingKey.index(currentIndex))
    }
    return try decoder.nested(node, ListCodingKey.index(currentIndex)).whole(type, node)
  }

  mutating func nestedContainer<Nested>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try nested(KeyedDecodingContainer<Nested>.self).container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try nested((any UnkeyedDecodingContainer).self).unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    // Foundation's names this type, too.
    let decoder = try nested((any UnkeyedDecodingContainer).self)
    currentIndex += 1
    return decoder
  }

  private func nested(_ type: Any.Type) throws -> NodeDecoder {
    try decoder.nested(next(type), ListCodingKey.index(currentIndex))
  }
}
