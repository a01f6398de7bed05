// Types whose values are not encoded in the way that their own `Codable` conformance says. Foundation's are known by
// name, for this module does without Foundation, and made by what their conformance reads and writes.

/// What a type's values are in a list.
enum NativeType {
  /// Foundation's `Date`.
  case date
  /// Foundation's `Data`.
  case data
  /// A Swift dictionary, whose order changes from run to run.
  case dictionary
  /// What its conformance says.
  case other
}

/// The native types among those that a coder has met.
struct NativeTypes {
  private var known: [ObjectIdentifier: NativeType] = [:]

  mutating func kind(of type: Any.Type) -> NativeType {
    let identifier = ObjectIdentifier(type)
    if let kind = known[identifier] { return kind }
    let kind = Self.find(type)
    known[identifier] = kind
    return kind
  }

  private static func find(_ type: Any.Type) -> NativeType {
    if type is any UnorderedEntries.Type { return .dictionary }
    // On Linux the types are FoundationEssentials' own.
    switch String(reflecting: type) {
    case "Foundation.Date", "FoundationEssentials.Date": return .date
    case "Foundation.Data", "FoundationEssentials.Data": return .data
    default: return .other
    }
  }
}

/// Marks the type `Dictionary`, whatever its keys and values are.
private protocol UnorderedEntries {}
extension Dictionary: UnorderedEntries {}

/// Gives Foundation's `Date` the seconds that it reads.
final class SecondsDecoder: Decoder, SingleValueDecodingContainer {
  private let seconds: Double
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ seconds: Double, codingPath: [any CodingKey]) {
    self.seconds = seconds
    self.codingPath = codingPath
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
  func container<Key>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw mismatch([String: Any].self)
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }

  func decodeNil() -> Bool { false }
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard let value = seconds as? T else { throw mismatch(type) }
    return value
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    NodeFault.mismatch.error(type, found: .date, at: codingPath)
  }
}

/// Gives Foundation's `Data` the bytes that it reads.
final class OctetsDecoder: Decoder {
  private let bytes: [UInt8]
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ bytes: [UInt8], codingPath: [any CodingKey]) {
    self.bytes = bytes
    self.codingPath = codingPath
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    OctetsContainer(bytes: bytes, codingPath: codingPath)
  }
  func container<Key>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw NodeFault.mismatch.error([String: Any].self, found: .data, at: codingPath)
  }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw NodeFault.mismatch.error(Any.self, found: .data, at: codingPath)
  }
}

private struct OctetsContainer: UnkeyedDecodingContainer {
  let bytes: [UInt8]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(bytes: [UInt8], codingPath: [any CodingKey]) {
    self.bytes = bytes
    self.codingPath = codingPath
  }

  var count: Int? { bytes.count }
  var isAtEnd: Bool { currentIndex >= bytes.count }

  mutating func decodeNil() -> Bool { false }

  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    guard currentIndex < bytes.count else { throw mismatch(type) }
    defer { currentIndex += 1 }
    return bytes[currentIndex]
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard T.self == UInt8.self, let byte = try decode(UInt8.self) as? T else {
      throw mismatch(type)
    }
    return byte
  }

  mutating func nestedContainer<Key>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> { throw mismatch([String: Any].self) }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw mismatch([Any].self)
  }
  mutating func superDecoder() throws -> any Decoder { throw mismatch(Any.self) }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    NodeFault.mismatch.error(
      type, found: .integer, at: codingPath + [ListCodingKey.index(currentIndex)])
  }
}
