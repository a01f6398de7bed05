// Data of XML lists: Base64 in lines. Core Foundation skips every ASCII character that is not of the alphabet,
// and ends a group of four wherever it stands; what it takes is taken here, and said to be irregular.

internal import ByteCoding

enum XMLData {
  struct Decoded {
    var bytes: [UInt8] = []
    /// The offset of the first character that Base64 does not have there.
    var irregularOffset: Int?
    /// The offset of a byte over 0x7f, which no parser takes.
    var invalidOffset: Int?
  }

  /// Whether the text is groups of four characters with white space around them, and padding at the end only: what
  /// `decode` takes without a word.
  static func isRegular(_ text: RawSpan) -> Bool {
    var count = 0
    var padding = 0
    var offset = 0
    while offset < text.byteCount {
      if padding == 0, text.byteCount - offset >= 8, Base64.areCharacters(text.u64(at: offset)) {
        count += 8
        offset += 8
        continue
      }
      let byte = text.u8(at: offset)
      offset += 1
      if XMLNumber.isWhiteSpace(byte) { continue }
      guard sextet(byte) != nil else { return false }
      if byte == UInt8(ascii: "=") { padding += 1 } else if padding > 0 { return false }
      count += 1
    }
    return count % 4 == 0 && padding <= 2
  }

  static func decode(_ text: RawSpan) -> Decoded {
    // Most data is one line.
    if let bytes = try? Base64.decode(text.extracting(XMLNumber.trimmed(text))) {
      return Decoded(bytes: bytes)
    }
    var decoded = Decoded()
    decoded.bytes.reserveCapacity(text.byteCount / 4 * 3)
    var group: UInt32 = 0
    var count = 0
    var padding = 0
    var hasEnded = false
    func note(_ offset: Int) {
      if decoded.irregularOffset == nil { decoded.irregularOffset = offset }
    }
    for offset in 0..<text.byteCount {
      let byte = text.u8(at: offset)
      guard let sextet = sextet(byte) else {
        if byte >= 0x80 {
          decoded.invalidOffset = offset
          return decoded
        }
        if !XMLNumber.isWhiteSpace(byte) { note(offset) }
        continue
      }
      if byte == UInt8(ascii: "=") {
        padding += 1
        if count < 2 { note(offset) }
      } else {
        if hasEnded || padding > 0 { note(offset) }
        padding = 0
      }
      group = group << 6 | sextet
      count += 1
      guard count == 4 else { continue }
      append(group, count: 3 - min(padding, 2), to: &decoded.bytes)
      hasEnded = hasEnded || padding > 0
      group = 0
      count = 0
      padding = 0
    }
    if count > 0 {
      // Without its padding the group says what it says; Core Foundation drops it.
      note(max(0, text.byteCount - 1))
      let kept = count - padding
      if kept >= 2 {
        append(group << (6 * UInt32(4 - count)), count: kept - 1, to: &decoded.bytes)
      }
    }
    return decoded
  }

  private static func append(_ group: UInt32, count: Int, to bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: group >> 16))
    if count > 1 { bytes.append(UInt8(truncatingIfNeeded: group >> 8)) }
    if count > 2 { bytes.append(UInt8(truncatingIfNeeded: group)) }
  }

  /// Six bits; none for the padding. Nil for what is not of the alphabet.
  @inline(__always) private static func sextet(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    case UInt8(ascii: "="): 0
    default: nil
    }
  }
}
