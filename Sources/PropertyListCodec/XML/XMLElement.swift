// The elements of Apple's document type for property lists (PropertyList-1.0.dtd).

internal import ByteCoding

enum XMLElement: CaseIterable {
  case plist, dict, array, key, string, integer, real, date, data, `true`, `false`

  var name: StaticString {
    switch self {
    case .plist: "plist"
    case .dict: "dict"
    case .array: "array"
    case .key: "key"
    case .string: "string"
    case .integer: "integer"
    case .real: "real"
    case .date: "date"
    case .data: "data"
    case .true: "true"
    case .false: "false"
    }
  }

  /// The element with the name that fills `range`. Nil when lists have none of that name.
  init?(_ text: RawSpan, _ range: Range<Int>) {
    guard let candidate = Self.candidate(text, range),
      candidate.name.utf8CodeUnitCount == range.count,
      text.starts(with: candidate.name, at: range.lowerBound)
    else { return nil }
    self = candidate
  }

  /// The one element whose name can be there, by its length and one letter that tells it from others.
  private static func candidate(_ text: RawSpan, _ range: Range<Int>) -> XMLElement? {
    guard range.count >= 3 else { return nil }
    switch (range.count, text.u8(at: range.lowerBound)) {
    case (3, _): return .key
    case (4, UInt8(ascii: "t")): return .true
    case (4, UInt8(ascii: "r")): return .real
    case (4, _):
      switch text.u8(at: range.lowerBound + 2) {
      case UInt8(ascii: "c"): return .dict
      default: return text.u8(at: range.lowerBound + 3) == UInt8(ascii: "a") ? .data : .date
      }
    case (5, UInt8(ascii: "a")): return .array
    case (5, UInt8(ascii: "p")): return .plist
    case (5, _): return .false
    case (6, _): return .string
    case (7, _): return .integer
    default: return nil
    }
  }
}
