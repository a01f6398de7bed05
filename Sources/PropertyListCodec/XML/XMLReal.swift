// Reals of XML lists as Apple writes them: the fewest digits that stand for the value, in the shape of C's `%.17g`.

internal import ByteCoding

enum XMLReal {
  static func text(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    if value == 0 { return value.sign == .minus ? "-0.0" : "0.0" }
    // "1234.5", "0.001", "1e-07", "1.5e+17".
    if let plain = withoutExponent(value.description) { return plain }
    let parts = value.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let whole = mantissa[0]
    let fraction = mantissa.count > 1 ? mantissa[1] : ""
    var digits = Array((whole + fraction).utf8)
    // The exponent of the first digit.
    var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + whole.utf8.count - 1
    while digits.count > 1, digits.first == UInt8(ascii: "0") {
      digits.removeFirst()
      exponent -= 1
    }
    while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let sign = value < 0 ? "-" : ""
    return sign + layOut(digits, exponent)
  }

  /// The text where it has no exponent: Swift and C write that in the same way, but for a fraction of zero.
  private static func withoutExponent(_ text: String) -> String? {
    let bytes = unsafe text.utf8Span.span.bytes
    for offset in 0..<bytes.byteCount where bytes.u8(at: offset) == UInt8(ascii: "e") {
      return nil
    }
    guard bytes.byteCount > 2, bytes.starts(with: ".0", at: bytes.byteCount - 2) else {
      return text
    }
    return String(decoding: text.utf8.dropLast(2), as: UTF8.self)
  }

  /// The digits, the first of which stands for a multiple of ten to `exponent`.
  private static func layOut(_ digits: [UInt8], _ exponent: Int) -> String {
    func text(_ digits: some Sequence<UInt8>) -> String {
      String(decoding: Array(digits), as: UTF8.self)
    }
    func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
    switch exponent {
    case -4..<0: return "0." + zeros(-exponent - 1) + text(digits)
    case 0..<17:
      let point = exponent + 1
      guard digits.count > point else { return text(digits) + zeros(point - digits.count) }
      return text(digits[..<point]) + "." + text(digits[point...])
    default:
      let fraction = digits.count > 1 ? "." + text(digits[1...]) : ""
      let magnitude = exponent.magnitude
      return text(digits[..<1]) + fraction + "e" + (exponent < 0 ? "-" : "+")
        + (magnitude < 10 ? "0" : "") + "\(magnitude)"
    }
  }
}
