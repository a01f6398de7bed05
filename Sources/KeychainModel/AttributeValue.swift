// The value of one attribute, in the types that an archive holds.

/// A value of one of the archive's types. Two values are equal when their types and their bytes are:
/// texts are not normalised, a NaN equals the same NaN, and 0.0 is not -0.0.
public enum AttributeValue: Sendable, Equatable {
  case text(String)
  case bytes([UInt8])
  case integer(Int64)
  /// Seconds since 2001-01-01 00:00:00 UTC, kept bit for bit.
  case date(Float64)
  case boolean(Bool)
  case real(Float64)
  /// A binary property list (`bplist00`), not looked into.
  case propertyList([UInt8])
  /// A type that this version does not know (not 1 … 7), with its bytes as they came.
  case unknown(type: UInt8, bytes: [UInt8])

  public static func == (left: AttributeValue, right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
    case (.bytes(let a), .bytes(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.date(let a), .date(let b)): a.bitPattern == b.bitPattern
    case (.boolean(let a), .boolean(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.propertyList(let a), .propertyList(let b)): a == b
    case (.unknown(let typeA, let a), .unknown(let typeB, let b)): typeA == typeB && a == b
    default: false
    }
  }

  /// The type's number in an ITEM frame.
  public var type: UInt8 {
    switch self {
    case .text: 1
    case .bytes: 2
    case .integer: 3
    case .date: 4
    case .boolean: 5
    case .real: 6
    case .propertyList: 7
    case .unknown(let type, _): type
    }
  }

  /// How many bytes the value has in its own type.
  var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .bytes(let bytes), .propertyList(let bytes), .unknown(_, let bytes): bytes.count
    case .integer, .date, .real: 8
    case .boolean: 1
    }
  }
}
