// Whether text is an OpenStep list, which nothing marks (Spec/keyed-archive.md, "Recognising OpenStep lists"). Looks
// at no more than the first parts, so that damage further on does not hide what the file is.

internal import ByteCoding

struct OpenStepRecognition: ~Escapable {
  /// So many parts of an array are enough.
  private static let arrayPartCount = 64
  /// So many are, where the text ends before the array does.
  private static let cutArrayPartCount = 4
  /// As much of UTF-16 is made UTF-8 to be looked at.
  private static let utf16ByteCount = 1 << 16

  private enum Part {
    case word, quoted
    /// Data or a typed value.
    case angles
    /// Of a list's own characters, one.
    case mark(UInt8)
    /// The end of the text, or of what is there of it.
    case end
    /// The text ends within this part.
    case cut
    /// What no list can have.
    case stray
  }

  private let text: RawSpan
  private var offset: Int

  /// Whether `bytes`, a file or its beginning that has no other format, is a list.
  static func isList(_ bytes: RawSpan) -> Bool {
    let (encoding, start) = OpenStepEncoding.beginning(bytes)
    guard encoding != .utf8 else { return isList(bytes, from: start) }
    let head = bytes.extracting(0..<min(bytes.byteCount, utf16ByteCount))
    let units = DecodedListText.units(head, from: start, encoding)
    let text = Array(String(decoding: units, as: UTF16.self).utf8)
    return isList(text.bytes, from: 0)
  }

  private static func isList(_ text: RawSpan, from start: Int) -> Bool {
    if text.starts(with: OpenStepSyntax.xcodeMark, at: start) { return true }
    var recognition = OpenStepRecognition(text, from: start)
    return recognition.isList()
  }

  @_lifetime(copy text)
  private init(_ text: RawSpan, from start: Int) {
    self.text = text
    offset = start
  }

  private mutating func isList() -> Bool {
    switch next() {
    case .end: return hasComment
    case .mark(UInt8(ascii: "{")): return isDictionary(isWhole: true)
    case .mark(UInt8(ascii: "(")): return isArray(isWhole: true)
    case .angles: return isEnd
    case .quoted: return hasEntries(firstKeyIsQuoted: true)
    case .word: return hasEntries(firstKeyIsQuoted: false)
    case .mark, .cut, .stray: return false
    }
  }

  /// Whether the text, all of it white space and comments, has a comment.
  private var hasComment: Bool {
    for offset in 0..<text.byteCount where text.u8(at: offset) == UInt8(ascii: "/") { return true }
    return false
  }

  private var isEnd: Bool {
    mutating get { if case .end = next() { true } else { false } }
  }

  /// Whether a dictionary goes on behind its brace.
  private mutating func isDictionary(isWhole: Bool) -> Bool {
    switch next() {
    case .mark(UInt8(ascii: "}")): return !isWhole || isEnd
    case .word, .quoted:
      switch next() {
      case .mark(UInt8(ascii: "=")), .mark(UInt8(ascii: ";")): return true
      default: return false
      }
    default: return false
    }
  }

  /// Whether an array goes on behind its bracket; to its end, and that of the list, unless that is far away.
  private mutating func isArray(isWhole: Bool) -> Bool {
    var depth = 1
    var needsValue = true
    for count in 1..<Self.arrayPartCount {
      switch next() {
      case .word where needsValue, .quoted where needsValue, .angles where needsValue:
        needsValue = false
      case .mark(UInt8(ascii: "(")) where needsValue: depth += 1
      case .mark(UInt8(ascii: "{")) where needsValue:
        let start = offset
        if case .mark(UInt8(ascii: "}")) = next() {
          needsValue = false
        } else {
          offset = start
          return isDictionary(isWhole: false)
        }
      case .mark(UInt8(ascii: ",")) where !needsValue: needsValue = true
      case .mark(UInt8(ascii: ")")):
        depth -= 1
        needsValue = false
        if depth == 0 { return !isWhole || isEnd }
      case .end, .cut: return isWhole && count >= Self.cutArrayPartCount
      default: return false
      }
    }
    return true
  }

  /// Whether entries without braces go on behind their first key.
  private mutating func hasEntries(firstKeyIsQuoted: Bool) -> Bool {
    var isQuoted = firstKeyIsQuoted
    var hasQuotedKey = firstKeyIsQuoted
    var assignmentCount = 0
    while true {
      switch next() {
      case .mark(UInt8(ascii: "=")):
        guard !isQuoted else { return true }
        switch next() {
        case .quoted, .angles: return isSemicolon
        case .mark(UInt8(ascii: "{")): return isDictionary(isWhole: false)
        case .mark(UInt8(ascii: "(")): return isArray(isWhole: false) && isSemicolon
        case .word:
          guard isSemicolon else { return false }
          assignmentCount += 1
          if assignmentCount == 2 { return true }
        default: return false
        }
      case .mark(UInt8(ascii: ";")): break
      default: return false
      }
      switch next() {
      case .quoted: isQuoted = true
      case .word: isQuoted = false
      case .end: return hasQuotedKey && assignmentCount == 0
      default: return false
      }
      hasQuotedKey = hasQuotedKey || isQuoted
    }
  }

  private var isSemicolon: Bool {
    mutating get { if case .mark(UInt8(ascii: ";")) = next() { true } else { false } }
  }

  // MARK: Parts

  /// The next part, which is passed over.
  private mutating func next() -> Part {
    guard let start = try? OpenStepSyntax.skipSpace(text, from: offset) else { return .cut }
    guard start < text.byteCount else { return .end }
    let byte = text.u8(at: start)
    offset = start + 1
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: ";"), UInt8(ascii: ","):
      return .mark(byte)
    case UInt8(ascii: "="):
      // Other languages have these, and no value begins so.
      let isOperator = text.starts(with: ">", at: offset) || text.starts(with: "=", at: offset)
      return isOperator ? .stray : .mark(byte)
    case UInt8(ascii: "<"): return angles()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return quoted(byte)
    default:
      offset = OpenStepSyntax.wordEnd(text, from: start)
      return offset > start ? .word : .stray
    }
  }

  private mutating func quoted(_ quote: UInt8) -> Part {
    while true {
      offset = OpenStepSyntax.quotedStop(text, from: offset, quote: quote)
      guard offset < text.byteCount else { return .cut }
      if text.u8(at: offset) == quote { break }
      offset += 2
    }
    offset += 1
    return .quoted
  }

  private mutating func angles() -> Part {
    let start = offset
    guard let end = text.find(">", from: start) else { return .cut }
    offset = end + 1
    let content = text.extracting(start..<end)
    if content.starts(with: "*", at: 0) || content.starts(with: "[", at: 0) { return .angles }
    return OpenStepData.invalidOffset(content) == nil ? .angles : .stray
  }
}
