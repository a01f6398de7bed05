// Reals of XML lists as Apple writes them: the fewest digits that stand for the value, in the shape of C's `%.17g`.

internal import ByteCoding

enum XMLReal {
  static func text(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    if value == 0 { return value.sign == .minus ? "-0.0" : "0.0" }
    // "1234.5", "0.001", "1e-07", "1.5e+17".
    let description = value.description
    if let count = plainCount(value, unsafe description.utf8Span.span.bytes) {
      return String(decoding: description.utf8.prefix(count), as: UTF8.self)
    }
    let parts = value.magnitude.description.split(separator: "e")
    let digits = parts[0].utf8.filter { $0 != UInt8(ascii: ".") }
    // A number without an exponent has been written.
    let exponent = Int(parts[parts.count - 1]) ?? 0
    return (value < 0 ? "-" : "") + layOut(digits, exponent)
  }

  /// How many bytes of Swift's description of a number are the text: where it has no exponent, C writes the same, but
  /// for a fraction of zero. Nil for others, for zero and for what is no number.
  static func plainCount(_ value: Double, _ description: RawSpan) -> Int? {
    guard value.isFinite, value != 0 else { return nil }
    let count = description.byteCount
    for offset in 0..<count where description.u8(at: offset) == UInt8(ascii: "e") { return nil }
    return description.starts(with: ".0", at: count - 2) ? count - 2 : count
  }

  /// The digits, the first of which stands for a multiple of ten to `exponent`: from 16 on, or below -4.
  private static func layOut(_ digits: [UInt8], _ exponent: Int) -> String {
    func text(_ digits: some Sequence<UInt8>) -> String {
      String(decoding: Array(digits), as: UTF8.self)
    }
    // Numbers of up to 17 digits have no exponent in C; the fewest digits of a Float64 are never more than 17.
    if exponent == 16 { return text(digits) + String(repeating: "0", count: 17 - digits.count) }
    let fraction = digits.count > 1 ? "." + text(digits[1...]) : ""
    let magnitude = exponent.magnitude
    return text(digits[..<1]) + fraction + "e" + (exponent < 0 ? "-" : "+")
      + (magnitude < 10 ? "0" : "") + "\(magnitude)"
  }
}
