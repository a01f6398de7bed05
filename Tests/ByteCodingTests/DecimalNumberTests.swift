import ByteCoding
import Testing

struct DecimalNumberTests {
  /// The hard cases are the usual ones: halfway points, the smallest subnormal, the largest number.
  @Test(
    "decimals round to the nearest Float64",
    arguments: [
      ("0", 0x0), ("-0", 0x8000_0000_0000_0000), ("1", 0x3ff0_0000_0000_0000),
      ("0.1", 0x3fb9_9999_9999_999a), ("-0.25", 0xbfd0_0000_0000_0000),
      ("9007199254740993", 0x4340_0000_0000_0000), ("9007199254740992", 0x4340_0000_0000_0000),
      ("9007199254740993.0000000000000000001", 0x4340_0000_0000_0001),
      ("2.4703282292062327e-324", 0x0), ("2.4703282292062328e-324", 0x1), ("5e-324", 0x1),
      ("2.2250738585072011e-308", 0x000f_ffff_ffff_ffff),
      ("1.7976931348623157e308", 0x7fef_ffff_ffff_ffff),
      ("1.7976931348623159e308", 0x7ff0_0000_0000_0000), ("1e400", 0x7ff0_0000_0000_0000),
      ("-1E+400", 0xfff0_0000_0000_0000), ("1e-400", 0x0), ("0e999999999999999999999", 0x0),
      ("1e999999999999999999999", 0x7ff0_0000_0000_0000),
      ("1e-999999999999999999999", 0x0), ("0.0000000000000000000000001", 0x3abe_f2d0_f5da_7dd9),
    ] as [(String, UInt64)])
  func vectors(text: String, bits: UInt64) {
    #expect(DecimalNumber.float64(Array(text.utf8).bytes)?.bitPattern == bits)
  }

  @Test(
    "other shapes are no decimals",
    arguments: [
      "", "-", ".", ".5", "5.", "-.5", "1e", "1e+", "1e5.", "+1", "nan", "inf", "0x10", " 1", "1 ",
      "1_0", "--1", "1-", "1.2.3",
    ])
  func refusals(text: String) {
    #expect(DecimalNumber.float64(Array(text.utf8).bytes) == nil)
  }

  @Test("up to nineteen digits with a point anywhere round as the standard library has it")
  func quotients() {
    var texts = [
      "18446744073709551615.5", "0.4503599627370497", "4503599627370497.5", "9007199254740993.0",
    ]
    for _ in 0..<50_000 {
      let digits = String(UInt64.random(in: 0...(.max)) >> UInt64.random(in: 0...60))
      let position = digits.index(digits.startIndex, offsetBy: .random(in: 1...digits.count))
      let zeros = String(repeating: "0", count: .random(in: 0...4))
      texts.append("\(digits[..<position]).\(zeros)\(digits[position...])0")
    }
    for text in texts {
      #expect(DecimalNumber.float64(Array(text.utf8).bytes) == Double(text), "\(text)")
    }
  }

  @Test("what the standard library prints reads back to the same bits")
  func shortest() {
    for _ in 0..<50_000 {
      let value = Double(bitPattern: .random(in: 0...UInt64.max))
      guard value.isFinite else { continue }
      #expect(
        DecimalNumber.float64(Array(value.description.utf8).bytes)?.bitPattern
          == value.bitPattern)
    }
  }
}
