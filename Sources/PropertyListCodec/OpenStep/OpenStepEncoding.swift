// Which encoding an OpenStep list is in. Nothing in it says so: what is neither UTF-16 nor UTF-8 is Mac OS Roman, as
// lists of the time before Unicode are.

internal import ByteCoding

enum OpenStepEncoding {
  /// The file's text. `guessedAt` is the offset in it of the first character that is not UTF-8 in the file, where that
  /// was the reason to take it for Mac OS Roman.
  static func text(
    _ bytes: [UInt8]
  ) throws(PropertyListError) -> (text: DecodedListText, guessedAt: Int?) {
    let (encoding, start) = beginning(bytes.bytes)
    if encoding != .utf8 {
      return (try DecodedListText.utf16(bytes.bytes, from: start, encoding), nil)
    }
    guard let invalid = bytes.bytes.firstInvalidUTF8(in: 0..<bytes.count) else {
      return (DecodedListText(content: bytes, encoding: .utf8), nil)
    }
    // UTF-8 that is damaged stays what its mark says.
    guard start == 0 else {
      throw .located(.invalidText, invalid, "bytes that are not UTF-8", bytes.bytes)
    }
    let text = DecodedListText(content: MacRoman.utf8(bytes.bytes), encoding: .macRoman)
    let before = bytes.bytes.extracting(0..<invalid)
    return (text, MacRoman.utf8(before).count)
  }

  /// The order of bytes, and where the first character is.
  static func beginning(
    _ bytes: RawSpan
  ) -> (encoding: PropertyListDocument.TextEncoding, start: Int) {
    // Lists begin with ASCII, and have no zero bytes there.
    DecodedListText.beginning(bytes) { 0x09...0x0d ~= $0 || 0x20..<0x7f ~= $0 }
  }
}
