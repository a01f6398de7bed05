// Decimal digits to Float64, correctly rounded and independent of the locale. Dates and JSON need it.
//
// Short numbers are exact: a mantissa up to 2^53 and a power of ten up to 10^22 are Float64 values
// themselves, so one multiplication or division rounds once (Clinger, 1990). Up to 19 digits with up to 19 behind
// the point are a quotient of two 64-bit integers, which is rounded once, too; what 17 digits say is among those.
// The rest goes to the standard library's conversion, which rounds correctly for any number of digits.

package enum DecimalNumber {
  /// The Float64 nearest to `text`: an optional minus sign, digits, optionally `.` and digits,
  /// optionally `e` or `E`, a sign and digits. Infinite where the number is too large. Nil when the
  /// text has another shape.
  package static func float64(_ text: RawSpan) -> Double? {
    let end = text.byteCount
    let isNegative = end > 0 && text.u8(at: 0) == UInt8(ascii: "-")
    var mantissa = Mantissa()
    var offset = isNegative ? 1 : 0
    guard mantissa.read(text, from: &offset) else { return nil }
    var exponent = 0
    if offset < end, text.u8(at: offset) == UInt8(ascii: ".") {
      offset += 1
      let fractionStart = offset
      guard mantissa.read(text, from: &offset) else { return nil }
      exponent = fractionStart - offset
    }
    var hasExponent = false
    if offset < end, text.u8(at: offset) | 32 == UInt8(ascii: "e") {
      hasExponent = true
      offset += 1
      if offset < end, text.u8(at: offset) == 0x2b || text.u8(at: offset) == 0x2d {
        offset += 1
      }
      var digits = Mantissa()
      guard digits.read(text, from: &offset) else { return nil }
    }
    guard offset == end else { return nil }
    if mantissa.isExact, !hasExponent, exponent >= -22 {
      let value = Double(mantissa.value) / powersOfTen[-exponent]
      return isNegative ? -value : value
    }
    if mantissa.isWhole, !hasExponent, exponent >= -19 {
      let value = quotient(mantissa.value, integerPowersOfTen[-exponent])
      return isNegative ? -value : value
    }
    return unsafe text.withUnsafeBytes { unsafe Double(String(decoding: $0, as: UTF8.self)) }
  }

  /// The Float64 nearest to a quotient of numbers that are not 0.
  private static func quotient(_ dividend: UInt64, _ divisor: UInt64) -> Double {
    // Both with their highest bit set. The quotient is then over 2^62, below 2^64, and its lowest bit stands for all
    // that is below it: rounded from there to 53 bits it is as if it were rounded from the exact one.
    let shifts = dividend.leadingZeroBitCount - divisor.leadingZeroBitCount
    let scaled = dividend << UInt64(dividend.leadingZeroBitCount)
    let (whole, rest) = (divisor << UInt64(divisor.leadingZeroBitCount))
      .dividingFullWidth((scaled >> 1, scaled << 63))
    return Double(
      sign: .plus, exponent: -63 - shifts, significand: Double(whole | (rest > 0 ? 1 : 0)))
  }

  /// Digits as an integer.
  private struct Mantissa {
    var value: UInt64 = 0
    /// Whether a Float64 holds the value exactly.
    var isExact = true
    /// Whether the value is all digits, which 64 bits hold.
    var isWhole = true

    /// Reads all digits from `offset` on. False when there is none.
    mutating func read(_ text: RawSpan, from offset: inout Int) -> Bool {
      let start = offset
      while offset < text.byteCount {
        let digit = text.u8(at: offset) &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        if value < 1_000_000_000_000_000_000 {
          value = value &* 10 &+ UInt64(digit)
        } else {
          isWhole = false
        }
        offset += 1
      }
      isExact = isWhole && value <= 1 << 53
      return offset > start
    }
  }

  /// All exact: 10^22 is 5^22 times a power of two, and 5^22 is below 2^53.
  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Up to 10^19, which is below 2^64.
  private static let integerPowersOfTen: [UInt64] = (0...19).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }
}
