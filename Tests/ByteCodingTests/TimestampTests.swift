import ByteCoding
import Testing

struct TimestampTests {
  private func parse(_ text: String) -> Double? { Timestamp.seconds(Array(text.utf8).bytes) }

  private func format(_ seconds: Double) -> String? {
    Timestamp.text(seconds).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bits come from exact rational arithmetic, elsewhere than in this project's code.
  @Test(
    "RFC 3339 text is the nearest Float64 of seconds since 2001",
    arguments: [
      ("2001-01-01T00:00:00Z", 0x0000_0000_0000_0000),
      ("2024-05-01T12:00:00Z", 0x41c5_f133_2000_0000),
      ("2024-05-02T08:30:00.123456789Z", 0x41c5_f1c3_440f_cd6f),
      ("2000-12-31T23:59:59.75Z", 0xbfd0_0000_0000_0000),
      ("2024-05-01t14:00:00.5+02:00", 0x41c5_f133_2040_0000),
      ("1999-12-31T19:30:00-05:30", 0xc17e_276f_0000_0000),
      ("0001-01-01T00:00:00Z", 0xc22d_63c3_7f00_0000),
      ("9999-12-31T23:59:59z", 0x424d_62d2_3c7f_8000),
      ("2000-02-29T00:00:00-00:00", 0xc179_4bc8_0000_0000),
      ("1970-01-01T00:00:00.1Z", 0xc1cd_27e4_3ff3_3333),
      ("2000-12-31T23:59:59.99999999999999999999Z", 0xbbc7_9ca1_0c92_4223),
      // Halfway between two Float64 values, to even; and just above.
      ("2024-05-01T12:00:00.000000059604644775390625Z", 0x41c5_f133_2000_0000),
      ("2024-05-01T12:00:00.000000059604644775390626Z", 0x41c5_f133_2000_0001),
      (
        "2024-05-01T12:00:00.00000000000000000000000000000000000000000000000Z",
        0x41c5_f133_2000_0000
      ),
      ("1582-10-15T00:00:00Z", 0xc208_951b_2800_0000),
      ("0001-01-01T00:00:00+23:59", 0xc22d_63c6_2188_0000),
      // Leap seconds: as the second that follows.
      ("2016-12-31T23:59:60Z", 0x41be_187e_0000_0000),
      ("2017-01-01T01:59:60+02:00", 0x41be_187e_0000_0000),
    ] as [(String, UInt64)])
  func reading(text: String, bits: UInt64) {
    #expect(parse(text)?.bitPattern == bits)
  }

  @Test(
    "seconds are written with the digits that they need",
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (736_257_600, "2024-05-01T12:00:00Z"),
      (736_257_600.5, "2024-05-01T12:00:00.5Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
      (-1, "2000-12-31T23:59:59Z"), (1e-9, "2001-01-01T00:00:00.000000001Z"),
      (1.5e-7, "2001-01-01T00:00:00.00000015Z"),
      (-1e-20, "2000-12-31T23:59:59.99999999999999999999Z"),
      (736_257_600.1, "2024-05-01T12:00:00.1Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"),
      (252_423_993_599, "9999-12-31T23:59:59Z"), (-26_524_800, "2000-02-29T00:00:00Z"),
      (68_169_600, "2003-03-01T00:00:00Z"),
    ] as [(Double, String)])
  func writing(seconds: Double, text: String) {
    #expect(format(seconds) == text)
  }

  @Test(
    "what has no such text is left to the caller",
    arguments: [
      -63_113_904_001, (-63_113_904_000.0).nextDown, 252_423_993_600, 1e300, -1e300, -0.0, .nan,
      .infinity, -.infinity,
    ] as [Double])
  func notWritten(seconds: Double) {
    #expect(format(seconds) == nil)
    var text: [UInt8] = [1]
    #expect(!Timestamp.append(seconds, to: &text))
    #expect(text == [1])
  }

  @Test("the last and first instants of the range are written and read back")
  func bounds() throws {
    for seconds in [Double(252_423_993_600).nextDown, Double(-63_113_904_000).nextUp] {
      #expect(try parse(#require(format(seconds)))?.bitPattern == seconds.bitPattern)
    }
  }

  @Test(
    "other text is no date",
    arguments: [
      "", "2024-05-01", "2024-05-01T12:00:00", "2024-05-01 12:00:00Z", "2024-05-01T12:00Z",
      "24-05-01T12:00:00Z", "2024-5-01T12:00:00Z", "2024-13-01T12:00:00Z", "2024-00-01T12:00:00Z",
      "2024-05-00T12:00:00Z", "2024-04-31T12:00:00Z", "2023-02-29T12:00:00Z",
      "1900-02-29T12:00:00Z", "0000-01-01T00:00:00Z", "2024-05-01T24:00:00Z",
      "2024-05-01T12:60:00Z", "2024-05-01T12:00:61Z", "2024-05-01T12:00:60Z",
      "2024-05-01T12:00:00.Z", "2024-05-01T12:00:00,5Z", "2024-05-01T12:00:00ZZ",
      "2024-05-01T12:00:00+0200", "2024-05-01T12:00:00+24:00", "2024-05-01T12:00:00+02:60",
      "2024-05-01T12:00:00+02:00Z", "2024-05-01T12:00:00.5", "+2024-05-01T12:00:00Z",
      "2024-05-01T12:00:00Z ", "10000-01-01T00:00:00Z", "２024-05-01T12:00:00Z",
    ])
  func refusals(text: String) {
    #expect(parse(text) == nil)
  }

  @Test("no prefix of a date is one, and none traps")
  func prefixes() {
    let text = Array("2024-05-01T12:00:00.125+02:00".utf8)
    for count in 0..<text.count {
      #expect(Timestamp.seconds(text.bytes.extracting(0..<count)) == nil)
    }
  }

  /// One whole cycle of the calendar day by day (from 1801), and all years in steps of 37 days.
  @Test(
    "days read back and follow one another",
    arguments: [
      (-6_311_433_600, 6_311_433_600, 86_400), (-63_113_904_000, 252_423_993_600, 37 * 86_400),
    ])
  func days(first: Int, end: Int, step: Int) {
    var text: [UInt8] = []
    var previous: [UInt8] = []
    var failures = 0
    for seconds in stride(from: first, to: end, by: step) {
      text.removeAll(keepingCapacity: true)
      let isWritten = Timestamp.append(Double(seconds), to: &text)
      // Text of this width sorts as its dates do.
      if !isWritten || Timestamp.seconds(text.bytes) != Double(seconds)
        || !previous.lexicographicallyPrecedes(text)
      {
        failures += 1
      }
      swap(&text, &previous)
    }
    #expect(failures == 0)
  }

  /// Present days with whole, millisecond, microsecond and arbitrary fractions; then every exponent,
  /// both signs.
  @Test("random values come back bit for bit")
  func roundTrips() {
    var generator = SystemRandomNumberGenerator()
    func check(_ seconds: Double) {
      guard let text = Timestamp.text(seconds) else {
        Issue.record("\(seconds) has no text")
        return
      }
      if Timestamp.seconds(text.bytes)?.bitPattern != seconds.bitPattern {
        Issue.record("\(seconds.bitPattern) became \(String(decoding: text, as: UTF8.self))")
      }
    }
    for _ in 0..<20_000 {
      let seconds = Double.random(in: -1e9...1e9, using: &generator)
      for value in [
        seconds, seconds.rounded(), (seconds * 1e3).rounded() / 1e3,
        (seconds * 1e6).rounded() / 1e6,
      ] where value != 0 {
        check(value)
      }
    }
    for exponent in -1074...36 {
      for _ in 0..<20 {
        let value = Double.random(in: 1..<2, using: &generator)
        let scaled = value * Double(sign: .plus, exponent: exponent, significand: 1)
        check(scaled)
        if scaled < 6e10 { check(-scaled) }
      }
    }
  }
}
