// The containers through which types write dictionaries, arrays and single values. One method for all types takes the
// place of the many that the protocols ask for, and is made for each of them by the compiler.

/// A dictionary.
struct TreeEntries<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: TreeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.set(.string(NodeSource.null), for: key.stringValue) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try set(value, key) }

  // For these two the protocol has methods of its own, which throw.
  func encode(_ value: Int128, forKey key: Key) throws { try set(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try set(value, key) }

  private func set<T: Encodable>(_ value: T, _ key: Key) throws {
    encoder.set(try encoder.item(value, key), for: key.stringValue)
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder.nested(key, continues: true).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.nested(key, continues: true).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    encoder.nested(ListCodingKey.super, continues: false)
  }

  func superEncoder(forKey key: Key) -> any Encoder { encoder.nested(key, continues: false) }
}

/// An array.
struct TreeElements: UnkeyedEncodingContainer {
  let encoder: TreeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.elements.count }

  func encodeNil() { encoder.append(.string(NodeSource.null)) }

  func encode<T: Encodable>(_ value: T) throws { try append(value) }
  func encode(_ value: Int128) throws { try append(value) }
  func encode(_ value: UInt128) throws { try append(value) }

  private func append<T: Encodable>(_ value: T) throws {
    encoder.append(try encoder.item(value, ListCodingKey.index(count)))
  }

  func encode<S: Sequence>(contentsOf bytes: S) throws where S.Element == UInt8 {
    if encoder.append(octets: bytes) { return }
    for byte in bytes { encoder.append(.integer(Int128(byte))) }
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { encoder.nestedElement().container(keyedBy: type) }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.nestedElement().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.nestedElement() }
}

/// A value that stands for another one.
struct TreeSingleValue: SingleValueEncodingContainer {
  let encoder: TreeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.set(.string(NodeSource.null)) }

  func encode<T: Encodable>(_ value: T) throws { try set(value) }
  func encode(_ value: Int128) throws { try set(value) }
  func encode(_ value: UInt128) throws { try set(value) }

  private func set<T: Encodable>(_ value: T) throws { encoder.set(try encoder.single(value)) }
}
