// Reports of numbers and dates that became others.

import PropertyListCodec
import Testing

struct NumberReports {
  private func integer(_ text: String) throws -> Int128? {
    let list = try PropertyListDocument(xmlList("<integer>\(text)</integer>"))
    return list.integer(of: list.root)
  }

  private func date(_ text: String) throws -> Double? {
    let list = try PropertyListDocument(xmlList("<date>\(text)</date>"))
    return list.date(of: list.root)
  }

  /// briandfoy/mac-propertylist#10: in `.GlobalPreferences` and others.
  @Test("B18: integers of 16 bytes whose upper half is zero are what they say")
  func wide() throws {
    let file = binaryList([
      bytes(hex: "a2 0102"), bytes(hex: "14 00000000000000000000000000000005"),
      bytes(hex: "14 0000000000000000 8000000000000000"),
    ])
    let list = try PropertyListDocument(file)
    #expect(try list.value() == .array([.integer(5), .integer(1 << 63)]))
    #expect(try list.binary() == file)
  }

  /// libimobiledevice/libplist#52: in 8 bytes, Apple's readers take it for -1.
  @Test("B19: integers from 2^63 on take 16 bytes, negative ones 8")
  func unsigned() throws {
    let all = PropertyListValue.integer(Int128(UInt64.max))
    #expect(try Array(all.binary()[8..<25]) == bytes(hex: "14 0000000000000000 ffffffffffffffff"))
    #expect(
      try Array(PropertyListValue.integer(-1).binary()[8..<17]) == bytes(hex: "13 ffffffffffffffff")
    )
    #expect(try integer("18446744073709551615") == Int128(UInt64.max))
    #expect(try string(all.xml()).contains("<integer>18446744073709551615</integer>"))
  }

  /// joeferner/node-bplist-parser#12: 2^53 and more lost digits.
  @Test(
    "B20: integers of 64 bits keep all digits in JSON",
    arguments: [9_007_199_254_740_993, Int128(Int64.max), Int128(Int64.min), Int128(UInt64.max)])
  func json(integer: Int128) throws {
    let value = PropertyListValue.integer(integer)
    #expect(try string(value.json()) == #"{"$integer":"\#(integer)"}"#)
    #expect(try PropertyListValue(json: value.json()) == value)
    #expect(try string(value.json(.plain)) == "\(integer)")
  }

  /// python/cpython#85255, claunia/plist-cil#72: `NSDate.distantPast`.
  @Test("B21: the distant past is the date that Apple writes")
  func distantPast() throws {
    let seconds = -63_114_076_800.0
    #expect(try date("0000-12-30T00:00:00Z") == seconds)
    let binary = try PropertyListDocument(PropertyListValue.date(seconds).binary())
    #expect(binary.date(of: binary.root) == seconds)
    #expect(try string(binary.xml()).contains("<date>0000-12-30T00:00:00Z</date>"))
    #expect(try PropertyListValue(json: binary.json()) == .date(seconds))
  }

  /// libimobiledevice/libplist#56, abrignoni/iLEAPP#802.
  @Test(
    "B22: dates before 1970 are dates",
    arguments: [
      ("1969-12-31T23:59:59Z", -978_307_201.0), ("1601-01-01T00:00:00Z", -12_622_780_800),
      ("1900-03-01T00:00:00Z", -3_182_198_400),
    ])
  func beforeEpoch(text: String, seconds: Double) throws {
    #expect(try date(text) == seconds)
    #expect(try string(PropertyListValue.date(seconds).xml()).contains(text))
  }

  /// libimobiledevice/libplist#14, #195, #189: time zones, a crash at an odd date, 32 bits.
  @Test("B23: dates are those of UTC, whichever they are")
  func odd() throws {
    // In summer as in winter, and after 2038-01-19.
    #expect(try date("2001-07-01T00:00:00Z") == 181 * 86_400)
    #expect(try date("2002-01-01T00:00:00Z") == 365 * 86_400)
    #expect(try date("2038-01-19T03:14:08Z") == 1_169_176_448)
    for seconds in [
      Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e18, .leastNonzeroMagnitude, -0.0,
    ] {
      let list = try PropertyListDocument(PropertyListValue.date(seconds).binary())
      #expect(list.date(of: list.root)?.bitPattern == seconds.bitPattern)
      #expect(try PropertyListValue(json: list.json()) == .date(seconds))
      #expect(try !shownText(list.bytes).isEmpty)
      let xml = code { _ = try list.xml() }
      #expect(xml == (abs(seconds) < 1 ? nil : "notRepresentable"), "\(seconds)")
    }
  }

  /// mgcrea/node-plist-native#2: Apple's readers refuse fractions.
  @Test("B24: a fraction of a second is not in XML")
  func fraction() throws {
    #expect(refusal(xmlList("<date>2014-05-01T12:00:00.500Z</date>"))?.code == .invalidDate)
    let date = PropertyListValue.date(420_638_400.75)
    #expect(try string(date.xml()).contains("<date>2014-05-01T12:00:00Z</date>"))
    #expect(try PropertyListDocument(date.binary()).value() == date)
    let before = PropertyListValue.date(-0.5)
    #expect(try string(before.xml()).contains("<date>2000-12-31T23:59:59Z</date>"))
  }

  /// python/cpython#152957: an exception of another type.
  @Test(
    "B25: a date in parts is an error with its place", arguments: ["2004Z", "2004-01Z", "", "Z"])
  func partialDate(text: String) {
    let error = refusal(xmlList("\n<date>\(text)</date>"))
    #expect(error?.code == .invalidDate)
    #expect(error?.line == 2)
    #expect(error?.column == 7)
  }

  /// python/cpython#85663: in Apple's own LaunchAgents.
  @Test("B26: integers can be hexadecimal")
  func hexadecimal() throws {
    #expect(try integer("0x1F4") == 500)
    #expect(try integer("-0x80") == -128)
    #expect(try integer("0XffffffffFFFFFFFF") == Int128(UInt64.max))
    #expect(refusal(xmlList("<integer>0x</integer>"))?.code == .invalidNumber)
    #expect(refusal(xmlList("<integer>1F4</integer>"))?.code == .invalidNumber)
    // Written anew, they are decimal; untouched, as they were.
    let file = xmlList("<integer>0x1F4</integer>")
    #expect(try string(PropertyListDocument(file).xml()).contains("<integer>500</integer>"))
    #expect(try PropertyListDocument(file).bytes(replacing: [:]) == file)
  }
}
