// What the reader, the recognition and the edits of OpenStep's lists have in common: which characters stand without
// quotation marks, and what is between a list's parts.

internal import ByteCoding

enum OpenStepSyntax {
  /// The first line that Xcode writes.
  static let xcodeMark: StaticString = "// !$*UTF8*$!"

  /// Letters, digits and `_ $ / : . -`, by their numbers: those below 64, and those from 64 on.
  private static let words: (low: UInt64, high: UInt64) = (
    0x07ff_e010_0000_0000, 0x07ff_fffe_87ff_fffe
  )

  /// Whether a string of just such characters needs no quotation marks, as Core Foundation reads it.
  @inline(__always) static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<64: words.low &>> UInt64(byte) & 1 == 1
    case 64..<128: words.high &>> UInt64(byte & 63) & 1 == 1
    default: false
    }
  }

  static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  /// The end of the unquoted string at `start`, which is `start` where there is none.
  static func wordEnd(_ input: RawSpan, from start: Int) -> Int {
    var offset = start
    while offset < input.byteCount, isWord(input.u8(at: offset)) { offset += 1 }
    return offset
  }

  /// The first backslash or `quote` from `start` on; the end of the text where there is none.
  static func quotedStop(_ input: RawSpan, from start: Int, quote: UInt8) -> Int {
    var offset = start
    while input.byteCount - offset >= 8 {
      let word = input.u64(at: offset)
      let found = ByteWord.matches(word, quote) | ByteWord.matches(word, UInt8(ascii: "\\"))
      if found != 0 { return offset + ByteWord.index(found) }
      offset += 8
    }
    while offset < input.byteCount {
      let byte = input.u8(at: offset)
      if byte == quote || byte == UInt8(ascii: "\\") { return offset }
      offset += 1
    }
    return offset
  }

  /// The end of the white space and comments at `start`. Throws `unexpectedEnd` for a comment that does not end.
  static func skipSpace(_ input: RawSpan, from start: Int) throws(PropertyListError) -> Int {
    var offset = start
    while offset < input.byteCount {
      let width = spaceWidth(input, at: offset)
      if width > 0 {
        offset += width
      } else if input.u8(at: offset) == UInt8(ascii: "/"),
        let end = try commentEnd(input, at: offset)
      {
        offset = end
      } else {
        return offset
      }
    }
    return offset
  }

  /// How many bytes the white space at `offset` has, zero where there is none.
  @inline(__always) static func spaceWidth(_ input: RawSpan, at offset: Int) -> Int {
    let byte = input.u8(at: offset)
    if byte == 0x20 || 0x09...0x0d ~= byte { return 1 }
    return byte == 0xe2 && isLineSeparator(input, at: offset) ? 3 : 0
  }

  /// Whether U+2028 or U+2029 is there.
  private static func isLineSeparator(_ input: RawSpan, at offset: Int) -> Bool {
    input.starts(with: "\u{2028}", at: offset) || input.starts(with: "\u{2029}", at: offset)
  }

  /// The end of the comment at `offset`. Nil where none begins.
  private static func commentEnd(
    _ input: RawSpan, at offset: Int
  ) throws(PropertyListError) -> Int? {
    if input.starts(with: "/*", at: offset) {
      guard let end = input.find("*/", from: offset + 2) else {
        throw PropertyListError(
          .unexpectedEnd, offset: offset, reason: "a comment without its end")
      }
      return end + 2
    }
    guard input.starts(with: "//", at: offset) else { return nil }
    var end = offset + 2
    while end < input.byteCount {
      let byte = input.u8(at: end)
      if byte == 0x0a || byte == 0x0d { break }
      if byte == 0xe2, isLineSeparator(input, at: end) { break }
      end += 1
    }
    return end
  }
}
