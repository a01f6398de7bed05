// URLs by their own marker: `0c string` without a base, `0d url string` with one. The strings are objects
// inside the URL's, which the reader has checked.

internal import ByteCoding

enum BinaryURL {
  /// The texts of the URL that fills `range`, those of its bases first.
  static func texts(_ content: RawSpan, _ range: Range<Int>) -> [String] {
    var offset = range.lowerBound
    while content.u8(at: offset) == BinaryFormat.Marker.urlWithBase { offset += 1 }
    offset += 1
    var texts: [String] = []
    while offset < range.upperBound {
      let marker = content.u8(at: offset)
      offset += 1
      var count = Int(marker & 15)
      if count == 15 {
        let width = 1 << Int(content.u8(at: offset) & 15)
        // The reader has compared the length with the file's: the upper half of 16 bytes is zero.
        count = Int(
          content.bigEndian(at: offset + 1 + max(0, width - 8), width: min(width, 8)))
        offset += 1 + width
      }
      let isUTF16 = marker >> 4 == BinaryFormat.Family.utf16
      let end = offset + count * (isUTF16 ? 2 : 1)
      let bytes =
        isUTF16
        ? UTF16Text.utf8(content, offset..<end)
        : content.array(at: offset, count: count)
      texts.append(String(decoding: bytes, as: UTF8.self))
      offset = end
    }
    return texts
  }

  /// The object for a URL with these texts, of which there is at least one.
  static func object(_ texts: [String]) -> [UInt8] {
    var bytes = Array(repeating: BinaryFormat.Marker.urlWithBase, count: texts.count - 1)
    bytes.append(BinaryFormat.Marker.url)
    for text in texts { BinaryObject.append(string: text, to: &bytes) }
    return bytes
  }
}
