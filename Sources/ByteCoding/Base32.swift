// Bytes as Base32 (RFC 4648 section 6), as secrets of one-time passwords are written: without padding.

package enum Base32 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The digits of `bytes`, eight for five bytes; no `=` behind the last.
  package static func encode(_ bytes: RawSpan) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.byteCount / 5 * 8 + 8)
    // At most twelve bits wait for their digit.
    var bits: UInt16 = 0
    var bitCount = 0
    for offset in 0..<bytes.byteCount {
      bits = bits << 8 | UInt16(bytes.u8(at: offset))
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        text.append(digits[Int(bits >> UInt16(bitCount)) & 31])
      }
      bits &= 1 << UInt16(bitCount) - 1
    }
    if bitCount > 0 { text.append(digits[Int(bits << UInt16(5 - bitCount)) & 31]) }
    return text
  }
}
