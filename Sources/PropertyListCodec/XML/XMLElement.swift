// The elements of Apple's document type for property lists (PropertyList-1.0.dtd), and IOKit's.

internal import ByteCoding

enum XMLElement {
  case plist, dict, array, key, string, integer, real, date, data, `true`, `false`
  /// IOKit's: the value of another element.
  case ref, reference

  /// Those that a list without a `plist` element can begin with, and that.
  static let first: [XMLElement] = [
    .plist, .dict, .array, .key, .string, .integer, .real, .date, .data, .true, .false,
  ]

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
    case .ref: "ref"
    case .reference: "reference"
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
    case (3, UInt8(ascii: "r")): return .ref
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
    case (9, _): return .reference
    default: return nil
    }
  }
}

extension XMLElement {
  /// Whether an element of this name can stand for a value that was read.
  func canStand(for record: NodeRecord) -> Bool {
    switch self {
    case .dict: record.kind == .dictionary || record.kind == .uid
    case .array: record.kind == .array
    case .key, .string: record.kind == .string
    case .integer: record.kind == .integer
    case .real: record.kind == .real
    case .date: record.kind == .date
    case .data: record.kind == .data
    case .true: record.kind == .boolean && record.count == 1
    case .false: record.kind == .boolean && record.count == 0
    case .ref, .reference: true
    case .plist: false
    }
  }
}

/// The tags as nearly all lists have them: without attributes and white space.
struct XMLTagText {
  let element: XMLElement
  let isEnd: Bool
  /// `<name/>`.
  let isEmpty: Bool
  let count: Int

  private init(_ element: XMLElement, isEnd: Bool = false, isEmpty: Bool = false, _ count: Int) {
    self.element = element
    self.isEnd = isEnd
    self.isEmpty = isEmpty
    self.count = count
  }

  /// The bytes that `known` is told.
  static let roomCount = 10

  /// The tag in eight bytes and two more. Nil where it is written in another way, or is none.
  @inline(__always) static func known(_ word: UInt64, next: UInt16) -> XMLTagText? {
    // In ascending order of length; the first characters are in the lowest bytes.
    switch word & 0xff_ffff_ffff {
    case 0x3e_7965_6b3c: return XMLTagText(.key, 5)  // <key>
    default: break
    }
    switch word & 0xffff_ffff_ffff {
    case 0x3e79_656b_2f3c: return XMLTagText(.key, isEnd: true, 6)  // </key>
    case 0x3e74_6369_643c: return XMLTagText(.dict, 6)  // <dict>
    case 0x3e6c_6165_723c: return XMLTagText(.real, 6)  // <real>
    case 0x3e65_7461_643c: return XMLTagText(.date, 6)  // <date>
    case 0x3e61_7461_643c: return XMLTagText(.data, 6)  // <data>
    default: break
    }
    switch word & 0xff_ffff_ffff_ffff {
    case 0x3e_7463_6964_2f3c: return XMLTagText(.dict, isEnd: true, 7)  // </dict>
    case 0x3e_6c61_6572_2f3c: return XMLTagText(.real, isEnd: true, 7)  // </real>
    case 0x3e_6574_6164_2f3c: return XMLTagText(.date, isEnd: true, 7)  // </date>
    case 0x3e_6174_6164_2f3c: return XMLTagText(.data, isEnd: true, 7)  // </data>
    case 0x3e_7961_7272_613c: return XMLTagText(.array, 7)  // <array>
    case 0x3e_2f65_7572_743c: return XMLTagText(.true, isEmpty: true, 7)  // <true/>
    default: break
    }
    switch word {
    case 0x3e67_6e69_7274_733c: return XMLTagText(.string, 8)  // <string>
    case 0x3e79_6172_7261_2f3c: return XMLTagText(.array, isEnd: true, 8)  // </array>
    case 0x3e2f_6573_6c61_663c: return XMLTagText(.false, isEmpty: true, 8)  // <false/>
    // </string and >
    case 0x676e_6972_7473_2f3c where next & 0xff == 0x3e:
      return XMLTagText(.string, isEnd: true, 9)
    // <integer and >
    case 0x7265_6765_746e_693c where next & 0xff == 0x3e: return XMLTagText(.integer, 9)
    // </intege and r>
    case 0x6567_6574_6e69_2f3c where next == 0x3e72: return XMLTagText(.integer, isEnd: true, 10)
    default: return nil
    }
  }
}
