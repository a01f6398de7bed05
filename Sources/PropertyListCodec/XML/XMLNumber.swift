// Numbers of XML lists, as Core Foundation reads them.

internal import ByteCoding

enum XMLNumber {
  /// An integer: a sign or none, digits or `0x` and hexadecimal digits, white space around it, from -2^63 to
  /// 2^64 - 1. Nil for everything else.
  static func integer(_ text: RawSpan) -> Int128? {
    let range = trimmed(text)
    var offset = range.lowerBound
    var isNegative = false
    if offset < range.upperBound {
      let byte = text.u8(at: offset)
      isNegative = byte == UInt8(ascii: "-")
      if isNegative || byte == UInt8(ascii: "+") { offset += 1 }
    }
    let isHexadecimal =
      range.upperBound - offset > 2 && text.u8(at: offset) == UInt8(ascii: "0")
      && text.u8(at: offset + 1) | 0x20 == UInt8(ascii: "x")
    if isHexadecimal { offset += 2 }
    guard offset < range.upperBound else { return nil }
    var value: UInt64 = 0
    // Ten times this and a digit is below 2^64: nearly all integers are read here.
    while !isHexadecimal, offset < range.upperBound, value < 1_000_000_000_000_000_000 {
      let digit = text.u8(at: offset) &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ UInt64(digit)
      offset += 1
    }
    while offset < range.upperBound {
      guard let digit = digit(text.u8(at: offset), isHexadecimal: isHexadecimal) else {
        return nil
      }
      let (product, overflows) = value.multipliedReportingOverflow(by: isHexadecimal ? 16 : 10)
      let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
      guard !overflows, !carries else { return nil }
      value = sum
      offset += 1
    }
    guard !isNegative || value <= Int64.min.magnitude else { return nil }
    return isNegative ? -Int128(value) : Int128(value)
  }

  /// A real: a decimal number as C has it, `nan`, or `inf` or `infinity` with a sign or none, white space
  /// around it. Nil for everything else.
  static func real(_ text: RawSpan) -> Double? {
    let range = trimmed(text)
    guard !range.isEmpty else { return nil }
    let start = range.lowerBound + (text.u8(at: range.lowerBound) == UInt8(ascii: "+") ? 1 : 0)
    let number = text.extracting(start..<range.upperBound)
    // One sign at most.
    if start > range.lowerBound, number.starts(with: "-", at: 0) { return nil }
    if let value = DecimalNumber.float64(number) { return value }
    let characters = number.array(at: 0, count: number.byteCount)
    let isNegative = characters.first == UInt8(ascii: "-")
    let lowercase = characters.dropFirst(isNegative ? 1 : 0).map { $0 | 0x20 }
    switch String(decoding: lowercase, as: UTF8.self) {
    case "nan": return .nan
    case "inf", "infinity": return isNegative ? -.infinity : .infinity
    default:
      // `.5` and `5.`, which C allows; not C's hexadecimal reals.
      let allowed = Array("0123456789.eE+-".utf8)
      guard characters.allSatisfy({ allowed.contains($0) }) else { return nil }
      return Double(String(decoding: characters, as: UTF8.self))
    }
  }

  /// The value of a digit. Nil when it is none.
  static func digit(_ byte: UInt8, isHexadecimal: Bool) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f") where isHexadecimal: byte - 87
    case UInt8(ascii: "A")...UInt8(ascii: "F") where isHexadecimal: byte - 55
    default: nil
    }
  }

  /// The range of `text` without white space around it.
  static func trimmed(_ text: RawSpan) -> Range<Int> {
    var start = 0
    var end = text.byteCount
    while start < end, isWhiteSpace(text.u8(at: start)) { start += 1 }
    while end > start, isWhiteSpace(text.u8(at: end - 1)) { end -= 1 }
    return start..<end
  }

  /// A bit for each character of it: space, line feed, tab, carriage return.
  private static let whiteSpace: UInt64 = 1 << 0x20 | 1 << 0x0a | 1 << 0x09 | 1 << 0x0d

  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte <= 0x20 && whiteSpace >> UInt64(byte) & 1 != 0
  }
}
