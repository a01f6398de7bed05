// Text from lists for lines that people read. A terminal obeys control characters, and bidirectional controls
// make a line read as something that it does not say.

internal import ByteCoding

enum TerminalText {
  /// Appends UTF-8 `text` with controls written out: `\n`, `\t`, `\r`, `\u{202e}`. Between quotation marks, a
  /// quotation mark and a backslash get a backslash, so that the text can be told from what is around it.
  static func append(_ text: RawSpan, isQuoted: Bool, to bytes: inout [UInt8]) {
    var start = 0
    var offset = 0
    while offset < text.byteCount {
      if text.byteCount - offset >= 8 {
        let word = text.u64(at: offset)
        let special =
          ByteWord.below(word, 0x20) | ByteWord.nonASCII(word) | ByteWord.matches(word, 0x7f)
          | ByteWord.matches(word, UInt8(ascii: "\"")) | ByteWord.matches(word, UInt8(ascii: "\\"))
        if special == 0 {
          offset += 8
          continue
        }
        offset += ByteWord.index(special)
      }
      let (count, escape) = character(text, at: offset, isQuoted: isQuoted)
      if let escape {
        bytes.append(copying: text.extracting(start..<offset))
        bytes.append(contentsOf: escape.utf8)
        start = offset + count
      }
      offset += count
    }
    bytes.append(copying: text.extracting(start..<text.byteCount))
  }

  /// Appends `text` as `append` does.
  static func append(_ text: String, isQuoted: Bool, to bytes: inout [UInt8]) {
    if isQuoted { bytes.append(UInt8(ascii: "\"")) }
    append(unsafe text.utf8Span.span.bytes, isQuoted: isQuoted, to: &bytes)
    if isQuoted { bytes.append(UInt8(ascii: "\"")) }
  }

  /// How many columns UTF-8 text takes, at a column for each character.
  static func width(_ text: [UInt8], from start: Int) -> Int {
    var width = 0
    for index in start..<text.count where text[index] & 0xc0 != 0x80 { width += 1 }
    return width
  }

  /// The length of the character at `offset` of valid UTF-8, and what to write for it where that is something
  /// else.
  private static func character(
    _ text: RawSpan, at offset: Int, isQuoted: Bool
  ) -> (count: Int, escape: String?) {
    let first = text.u8(at: offset)
    switch first {
    case 0x0a: return (1, "\\n")
    case 0x09: return (1, "\\t")
    case 0x0d: return (1, "\\r")
    case 0..<0x20, 0x7f: return (1, escape(UInt32(first)))
    case UInt8(ascii: "\""): return (1, isQuoted ? "\\\"" : nil)
    case UInt8(ascii: "\\"): return (1, isQuoted ? "\\\\" : nil)
    case 0..<0x80: return (1, nil)
    default: break
    }
    let count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    guard offset + count <= text.byteCount else { return (text.byteCount - offset, "\u{fffd}") }
    var value = UInt32(first & (0x7f >> UInt8(count)))
    for index in 1..<count { value = value << 6 | UInt32(text.u8(at: offset + index) & 0x3f) }
    return (count, steersTerminal(value) ? escape(value) : nil)
  }

  private static func escape(_ value: UInt32) -> String {
    "\\u{" + String(value, radix: 16) + "}"
  }

  /// C1, bidirectional controls, and line and paragraph separators.
  private static func steersTerminal(_ value: UInt32) -> Bool {
    switch value {
    case 0x80...0x9f, 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    case 0x2028, 0x2029: true
    default: false
    }
  }
}

extension Int {
  /// `1,204`.
  var grouped: String {
    let digits = Array(magnitude.description.utf8)
    var text: [UInt8] = self < 0 ? [UInt8(ascii: "-")] : []
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(UInt8(ascii: ",")) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// `1,204 keys`, `1 key`.
  func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(grouped) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}
