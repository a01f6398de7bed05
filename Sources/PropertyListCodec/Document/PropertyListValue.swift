// A property list as plain values: for building lists, for comparing them, and for small ones. It keeps what
// lists say (kinds, order, sizes of reals) and not how they are written; that is the document's part.

/// A value of a property list.
///
/// Values are equal when they are the same: strings by their UTF-8 (not by canonical equivalence, as
/// `String` compares), reals and dates by their bits, dictionaries in the same order.
public enum PropertyListValue: Sendable {
  /// Foundation's `NSNull`; only in binary lists.
  case null
  case boolean(Bool)
  /// From -2^63 to 2^64 - 1 in lists that Apple's libraries read; binary lists have room for 128 bits.
  case integer(Int128)
  /// A 64-bit real.
  case real(Double)
  /// A 32-bit real; only in binary lists.
  case real32(Float)
  /// Seconds since 2001-01-01T00:00:00Z, as Core Foundation counts.
  case date(Double)
  case data([UInt8])
  case string(String)
  /// UTF-16 code units that are no Unicode text, having half a surrogate pair somewhere: an `NSString` can
  /// be so. Only in binary lists.
  case unpairedString([UInt16])
  /// A reference within a keyed archive.
  case uid(UInt128)
  case array([PropertyListValue])
  /// Only in binary lists.
  case set([PropertyListValue])
  /// Only in binary lists.
  case orderedSet([PropertyListValue])
  case dictionary([Entry])
  /// A URL by its own marker: the texts of its bases, outermost first, then its own. Only in binary lists.
  case url([String])
  /// Sixteen bytes. Only in binary lists.
  case uuid([UInt8])
  /// An object with a marker that the format does not define: all its bytes. Only in binary lists.
  case unknown([UInt8])

  /// A key with its value.
  public struct Entry: Hashable, Sendable {
    /// In 16 bytes: dictionaries have many keys.
    private var storedKey: Key
    public var value: PropertyListValue

    private enum Key: Sendable {
      case string(String)
      indirect case other(PropertyListValue)
    }

    public init(_ key: PropertyListValue, _ value: PropertyListValue) {
      storedKey = Self.stored(key)
      self.value = value
    }

    public init(_ key: String, _ value: PropertyListValue) {
      storedKey = .string(key)
      self.value = value
    }

    /// A string, but in malformed lists.
    public var key: PropertyListValue {
      get {
        switch storedKey {
        case .string(let text): .string(text)
        case .other(let value): value
        }
      }
      set { storedKey = Self.stored(newValue) }
    }

    /// The key's text. Nil when it is no string.
    var keyText: String? {
      if case .string(let text) = storedKey { text } else { nil }
    }

    private static func stored(_ key: PropertyListValue) -> Key {
      if case .string(let text) = key { .string(text) } else { .other(key) }
    }

    public static func == (left: Entry, right: Entry) -> Bool {
      left.key == right.key && left.value == right.value
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      hasher.combine(value)
    }
  }

  /// The value for `key` of a dictionary; of a key that is there twice, the last. Nil when there is none, or
  /// when this is no dictionary.
  public subscript(key: String) -> PropertyListValue? {
    guard case .dictionary(let entries) = self else { return nil }
    return entries.last { $0.key == .string(key) }?.value
  }

  /// The element at `index` of an array or set. Nil when there is none.
  public subscript(index: Int) -> PropertyListValue? {
    switch self {
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      elements.indices.contains(index) ? elements[index] : nil
    default: nil
    }
  }
}

extension PropertyListValue: Hashable {
  public static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.real32(let left), .real32(let right)): left.bitPattern == right.bitPattern
    case (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
    case (.data(let left), .data(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.unpairedString(let left), .unpairedString(let right)): left == right
    case (.uid(let left), .uid(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.set(let left), .set(let right)): left == right
    case (.orderedSet(let left), .orderedSet(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    case (.url(let left), .url(let right)):
      left.elementsEqual(right) { $0.utf8.elementsEqual($1.utf8) }
    case (.uuid(let left), .uuid(let right)): left == right
    case (.unknown(let left), .unknown(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .real32(let value): hasher.combine(value.bitPattern)
    case .date(let value): hasher.combine(value.bitPattern)
    case .data(let bytes), .uuid(let bytes), .unknown(let bytes):
      unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    case .string(let text): Self.hash(text, into: &hasher)
    case .unpairedString(let units): hasher.combine(units)
    case .uid(let value): hasher.combine(value)
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      hasher.combine(elements)
    case .dictionary(let entries): hasher.combine(entries)
    case .url(let texts): for text in texts { Self.hash(text, into: &hasher) }
    }
  }

  private static func hash(_ text: String, into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xff))
  }
}
