import ByteCoding
import PropertyListCodec
import Testing

struct JSONNumberTests {
  private struct Reading: Equatable {
    var int64: Int64?
    var uint64: UInt64?
    var bits: UInt64?
  }

  private func read(_ text: String) throws(JSONError) -> Reading {
    let bytes = Array(text.utf8)
    var reader = JSONReader(bytes.bytes)
    let number = try reader.readNumber()
    try reader.finish()
    return Reading(
      int64: reader.int64(number), uint64: reader.uint64(number),
      bits: reader.float64(number)?.bitPattern)
  }

  @Test(
    "numbers convert exactly or not at all",
    arguments: [
      ("0", 0, 0, 0.0), ("-0", 0, nil, -0.0), ("7", 7, 7, 7.0), ("-7", -7, nil, -7.0),
      ("9223372036854775807", .max, 9_223_372_036_854_775_807, 0x1p63),
      ("9223372036854775808", nil, 9_223_372_036_854_775_808, 0x1p63),
      ("-9223372036854775808", .min, nil, -0x1p63), ("-9223372036854775809", nil, nil, -0x1p63),
      ("18446744073709551615", nil, .max, 0x1p64), ("18446744073709551616", nil, nil, 0x1p64),
      ("99999999999999999999", nil, nil, 1e20), ("1.0", nil, nil, 1.0), ("1e2", nil, nil, 100.0),
      ("1E+2", nil, nil, 100.0), ("-0.0", nil, nil, -0.0), ("0.1", nil, nil, 0.1),
      ("0e0", nil, nil, 0.0), ("5e-324", nil, nil, Double(bitPattern: 1)), ("1e400", nil, nil, nil),
      ("-1e400", nil, nil, nil), ("1e-400", nil, nil, 0.0),
      ("9007199254740993.0", nil, nil, 9007199254740992.0),
    ] as [(String, Int64?, UInt64?, Double?)])
  func conversions(text: String, int64: Int64?, uint64: UInt64?, float64: Double?) throws {
    let expected = Reading(int64: int64, uint64: uint64, bits: float64?.bitPattern)
    #expect(try read(text) == expected)
  }

  @Test("random integers and reals come back from what the writer makes of them")
  func roundTrips() throws {
    for _ in 0..<20_000 {
      let integer = Int64.random(in: .min ... .max) >> Int64.random(in: 0...63)
      let unsigned = UInt64.random(in: 0...UInt64.max)
      let real = Double(bitPattern: .random(in: 0...UInt64.max))
      var writer = JSONWriter()
      writer.integer(integer)
      #expect(try read(String(decoding: writer.bytes, as: UTF8.self)).int64 == integer)
      writer = JSONWriter()
      writer.integer(unsigned)
      #expect(try read(String(decoding: writer.bytes, as: UTF8.self)).uint64 == unsigned)
      writer = JSONWriter()
      guard writer.real(real) else {
        #expect(!real.isFinite)
        continue
      }
      let reading = try read(String(decoding: writer.bytes, as: UTF8.self))
      #expect(reading == Reading(int64: nil, uint64: nil, bits: real.bitPattern))
    }
  }
}
