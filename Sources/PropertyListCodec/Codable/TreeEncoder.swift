// Encodes values into trees of plain values. An encoder is both what a type gets and what it builds: a value, or the
// entries or elements of a container. Containers that a type nests itself, and encoders for superclasses, are taken
// over when their owner is done, for until then they can grow.

/// What all encoders of one value share.
final class TreeEncoding {
  let userInfo: [CodingUserInfoKey: any Sendable]
  private var types = NativeTypes()
  /// What a type did that no list can show, where the protocols leave no way to throw it.
  var deferredError: EncodingError?
  /// How many entries the last dictionary had: the next one has as many, mostly.
  var lastEntryCount = 0

  init(userInfo: [CodingUserInfoKey: any Sendable]) { self.userInfo = userInfo }

  func nativeType(_ type: Any.Type) -> NativeType { types.kind(of: type) }
}

final class TreeEncoder: Encoder {
  private enum Kind { case nothing, single, keyed, unkeyed }

  let encoding: TreeEncoding
  private let parent: TreeEncoder?
  private let key: (any CodingKey)?
  private let depth: Int

  private var kind = Kind.nothing
  private var value = PropertyListValue.null
  private(set) var elements: [PropertyListValue] = []
  private var entries: [PropertyListValue.Entry] = []
  /// What Foundation's `Data` encodes, instead of elements; nil for other types.
  private var octets: [UInt8]?
  /// By key, where there are many.
  private var positions: [KeyText: Int] = [:]
  /// By position: what takes the place of the entry or element there.
  private var pending: [Int: TreeEncoder] = [:]

  /// Dictionaries with more keys get a table of them.
  private static let searchedEntryCount = 16
  /// Deeper ones no reader takes, and an object that contains itself has no end.
  private static let maximumDepth = PropertyListDocument.Options().maximumDepth

  init(_ encoding: TreeEncoding) {
    self.encoding = encoding
    parent = nil
    key = nil
    depth = 0
  }

  private init(_ parent: TreeEncoder, _ key: any CodingKey) {
    encoding = parent.encoding
    self.parent = parent
    self.key = key
    depth = parent.depth + 1
  }

  /// An encoder at the same place: a value in a single value container has one of its own, and none more of the path.
  private init(standingFor other: TreeEncoder) {
    encoding = other.encoding
    parent = other.parent
    key = other.key
    depth = other.depth
  }

  var userInfo: [CodingUserInfoKey: Any] { encoding.userInfo }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var encoder = self
    while let parent = encoder.parent, let key = encoder.key {
      path.append(key)
      encoder = parent
    }
    return path.reversed()
  }

  // MARK: What types ask for

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    begin(.keyed)
    return KeyedEncodingContainer(TreeEntries(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    begin(.unkeyed)
    return TreeElements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    TreeSingleValue(encoder: self)
  }

  private func begin(_ kind: Kind) {
    if self.kind == .nothing {
      self.kind = kind
      if kind == .keyed { entries.reserveCapacity(encoding.lastEntryCount) }
    } else if self.kind != kind {
      fail("a value is encoded in two ways")
    }
  }

  /// Has the error thrown when all is encoded.
  private func fail(_ reason: String) {
    guard encoding.deferredError == nil else { return }
    encoding.deferredError = Self.invalid(self, codingPath, reason)
  }

  private static func invalid(
    _ value: Any, _ path: [any CodingKey], _ reason: String
  ) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: reason))
  }

  // MARK: Building

  func set(_ value: PropertyListValue) {
    guard kind == .nothing else { return fail("a value is encoded in two ways") }
    kind = .single
    self.value = value
  }

  func append(_ value: PropertyListValue) {
    guard kind == .unkeyed else { return fail("a value is encoded in two ways") }
    elements.append(value)
  }

  /// Appends bytes, where they are not elements but Foundation's `Data`. False where they are elements.
  func append(octets bytes: some Sequence<UInt8>) -> Bool {
    guard kind == .unkeyed, octets != nil else { return false }
    octets?.append(contentsOf: bytes)
    return true
  }

  /// Sets the value for a key: in place, where the key is there.
  func set(_ value: PropertyListValue, for key: String) {
    guard kind == .keyed else { return fail("a value is encoded in two ways") }
    guard let position = position(of: key) else {
      add(value, for: key)
      return
    }
    entries[position].value = value
    pending[position] = nil
  }

  private func add(_ value: PropertyListValue, for key: String) {
    entries.append(PropertyListValue.Entry(key, value))
    if entries.count > Self.searchedEntryCount { note(entries.count - 1) }
  }

  private func position(of key: String) -> Int? {
    if entries.count > Self.searchedEntryCount { return positions[KeyText(key)] }
    return entries.firstIndex { $0.keyText?.hasSameUTF8(as: key) ?? false }
  }

  /// Notes the positions of keys up to one.
  private func note(_ last: Int) {
    for position in positions.count...last {
      positions[KeyText(entries[position].keyText ?? "")] = position
    }
  }

  /// The encoder for what takes the place of a key's value. Where one is there, it goes on.
  func nested(_ key: any CodingKey, continues: Bool) -> TreeEncoder {
    guard let encoder = nested(key) else { return lost() }
    let text = key.stringValue
    if let position = position(of: text) {
      if continues, let pending = pending[position] { return pending }
      pending[position] = encoder
    } else {
      pending[entries.count] = encoder
      add(.null, for: text)
    }
    return encoder
  }

  /// The encoder for the next element.
  func nestedElement() -> TreeEncoder {
    guard let encoder = nested(ListCodingKey.index(elements.count)) else { return lost() }
    pending[elements.count] = encoder
    elements.append(.null)
    return encoder
  }

  /// Nil where it would be too deep.
  private func nested(_ key: any CodingKey) -> TreeEncoder? {
    depth < Self.maximumDepth ? TreeEncoder(self, key) : nil
  }

  /// An encoder whose value is lost, for the error comes anyway. It holds on to none of its own.
  private func lost() -> TreeEncoder {
    fail("containers are nested deeper than the limit")
    return TreeEncoder(standingFor: self)
  }

  /// What has been encoded. Nil when nothing was. The encoder is empty then.
  func finish() -> PropertyListValue? {
    switch kind {
    case .nothing: return nil
    case .single: return value
    case .keyed:
      for (position, encoder) in pending {
        entries[position].value = encoder.finish() ?? .dictionary([])
      }
      encoding.lastEntryCount = min(entries.count, Self.searchedEntryCount)
      defer { entries = [] }
      return .dictionary(entries)
    case .unkeyed:
      if let octets, elements.isEmpty { return .data(octets) }
      for (position, encoder) in pending {
        elements[position] = encoder.finish() ?? .dictionary([])
      }
      defer { elements = [] }
      return .array(elements)
    }
  }

  // MARK: Values

  /// A value of any type that is in this encoder's container. `key` is made only where it is needed.
  @inline(__always)
  func item<T: Encodable>(
    _ value: T, _ key: @autoclosure () -> any CodingKey
  ) throws -> PropertyListValue {
    if let scalar = PropertyListValue(scalar: value) { return scalar }
    guard depth < Self.maximumDepth else {
      throw Self.invalid(value, codingPath, "containers are nested deeper than the limit")
    }
    return try TreeEncoder(self, key()).whole(value) ?? .dictionary([])
  }

  /// A value that stands for the one that this encoder is for.
  @inline(__always)
  func single<T: Encodable>(_ value: T) throws -> PropertyListValue {
    if let scalar = PropertyListValue(scalar: value) { return scalar }
    return try TreeEncoder(standingFor: self).whole(value) ?? .dictionary([])
  }

  /// What a value encodes into this encoder. Nil when it is nothing.
  func whole<T: Encodable>(_ value: T) throws -> PropertyListValue? {
    if let scalar = PropertyListValue(scalar: value) { return scalar }
    let native = encoding.nativeType(T.self)
    if case .data = native { octets = [] }
    if T.self == UInt128.self, let value = value as? UInt128 {
      guard let integer = Int128(exactly: value) else {
        throw Self.invalid(value, codingPath, "an integer that lists do not have")
      }
      return .integer(integer)
    }
    try value.encode(to: self)
    let encoded = finish()
    switch (native, encoded) {
    case (.other, _): return encoded
    case (.date, .real(let seconds)): return .date(seconds)
    case (.data, .data): return encoded
    case (.dictionary, .dictionary(let entries)): return .dictionary(Self.sorted(entries))
    case (.dictionary, _): return encoded
    default:
      throw Self.invalid(
        value, codingPath, "\(T.self) does not encode what Foundation's type of that name does")
    }
  }

  private static func sorted(_ entries: [PropertyListValue.Entry]) -> [PropertyListValue.Entry] {
    let keys = entries.map { Array(($0.keyText ?? "").utf8) }
    return KeyOrder.sorted(utf8: keys).map { entries[$0] }
  }
}

extension PropertyListValue {
  /// The value of a type that the standard library has and lists have. Nil for other types.
  @inline(__always)
  init?<T>(scalar value: T) {
    if T.self == String.self, let value = value as? String {
      self = .string(value)
    } else if T.self == Int.self, let value = value as? Int {
      self = .integer(Int128(value))
    } else if T.self == Double.self, let value = value as? Double {
      self = .real(value)
    } else if T.self == Bool.self, let value = value as? Bool {
      self = .boolean(value)
    } else if T.self == Float.self, let value = value as? Float {
      self = .real32(value)
    } else if T.self == UInt8.self, let value = value as? UInt8 {
      self = .integer(Int128(value))
    } else if T.self == UInt.self, let value = value as? UInt {
      self = .integer(Int128(value))
    } else if T.self == Int8.self, let value = value as? Int8 {
      self = .integer(Int128(value))
    } else if T.self == Int16.self, let value = value as? Int16 {
      self = .integer(Int128(value))
    } else if T.self == Int32.self, let value = value as? Int32 {
      self = .integer(Int128(value))
    } else if T.self == Int64.self, let value = value as? Int64 {
      self = .integer(Int128(value))
    } else if T.self == UInt16.self, let value = value as? UInt16 {
      self = .integer(Int128(value))
    } else if T.self == UInt32.self, let value = value as? UInt32 {
      self = .integer(Int128(value))
    } else if T.self == UInt64.self, let value = value as? UInt64 {
      self = .integer(Int128(value))
    } else if T.self == Int128.self, let value = value as? Int128 {
      self = .integer(value)
    } else if T.self == PropertyListDate.self, let value = value as? PropertyListDate {
      self = .date(value.secondsSince2001)
    } else if T.self == PropertyListData.self, let value = value as? PropertyListData {
      self = .data(value.bytes)
    } else {
      return nil
    }
  }
}
