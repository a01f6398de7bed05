// Bytes as hexadecimal digits (RFC 4648 section 8): lower case is written, both cases are read.

package enum Hex {
  /// The digits of `bytes`, two a byte, in lower case.
  package static func encode(_ bytes: RawSpan) -> [UInt8] {
    var text: [UInt8] = []
    encode(bytes, appendingTo: &text)
    return text
  }

  /// Appends the digits of `bytes` to `text`.
  package static func encode(_ bytes: RawSpan, appendingTo text: inout [UInt8]) {
    text.reserveCapacity(text.count + 2 * bytes.byteCount)
    for offset in 0..<bytes.byteCount {
      let byte = bytes.u8(at: offset)
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
  }

  /// The digits of `bytes` as a String: for identifiers and digests, not for secrets.
  package static func string(_ bytes: RawSpan) -> String {
    String(decoding: encode(bytes), as: UTF8.self)
  }

  /// The bytes that the digits of `text` stand for.
  package static func decode(_ text: RawSpan) throws(TextCodingError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: text.byteCount / 2)
    var span = bytes.mutableSpan
    var target = unsafe span.mutableBytes
    _ = try decode(text, into: &target)
    return bytes
  }

  /// Decodes `text` into the start of `target`; returns how many bytes it wrote.
  package static func decode(
    _ text: RawSpan, into target: inout MutableRawSpan
  ) throws(TextCodingError) -> Int {
    guard text.byteCount % 2 == 0 else {
      throw TextCodingError(
        .invalidLength, offset: text.byteCount, reason: "a byte has two hexadecimal digits")
    }
    let count = text.byteCount / 2
    guard count <= target.byteCount else {
      throw TextCodingError(
        .insufficientRoom, offset: 0, reason: "the decoded bytes do not fit in the room given")
    }
    for index in 0..<count {
      let high = value(text.u8(at: 2 * index))
      let low = value(text.u8(at: 2 * index + 1))
      guard (high | low) >= 0 else {
        throw TextCodingError(
          .invalidCharacter, offset: 2 * index + (high < 0 ? 0 : 1),
          reason: "not a hexadecimal digit")
      }
      target.store(UInt8(truncatingIfNeeded: high << 4 | low), at: index)
    }
    return count
  }

  /// The digit for four bits, without a table: the bytes may be a secret's.
  @inline(__always) private static func digit(_ value: UInt8) -> UInt8 {
    let value = Int32(value)
    return UInt8(truncatingIfNeeded: value &+ 48 &+ ((9 &- value) >> 8 & 39))
  }

  /// The four bits of a digit, or -1.
  @inline(__always) private static func value(_ character: UInt8) -> Int32 {
    let code = Int32(character)
    let letter = code | 32
    var value: Int32 = -1
    value &+= ((47 &- code) & (code &- 58)) >> 8 & (code &- 47)
    value &+= ((96 &- letter) & (letter &- 103)) >> 8 & (letter &- 86)
    return value
  }
}
