// Dates of XML lists: `YYYY-MM-DDThh:mm:ssZ`, always UTC and whole seconds. Unlike RFC 3339 the year can be
// 0 (`NSDate.distantPast` is 0000-12-30), negative, or longer than four digits.

internal import ByteCoding

enum XMLDate {
  private static let secondsPerDay = 86_400
  /// Days from 0000-03-01 to 2001-01-01.
  private static let epochDay = 730_791
  /// 400 years.
  private static let daysPerEra = 146_097
  /// Years are below it, so that no arithmetic overflows.
  private static let maximumYear = 1_000_000_000

  /// Seconds since 2001-01-01T00:00:00Z. Nil when the text is no date, or no such day.
  static func seconds(_ text: RawSpan) -> Double? {
    let range = XMLNumber.trimmed(text)
    var offset = range.lowerBound
    func skip(_ byte: UInt8) -> Bool {
      guard offset < range.upperBound, text.u8(at: offset) == byte else { return false }
      offset += 1
      return true
    }
    func number(_ width: ClosedRange<Int>) -> Int? {
      let start = offset
      var value = 0
      while offset < range.upperBound, offset - start < width.upperBound {
        let digit = text.u8(at: offset) &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        value = value * 10 + Int(digit)
        offset += 1
      }
      return width.contains(offset - start) ? value : nil
    }
    let hyphen = UInt8(ascii: "-")
    let colon = UInt8(ascii: ":")
    let isNegative = skip(hyphen)
    guard let year = number(4...9), skip(hyphen), let month = number(2...2), skip(hyphen),
      let day = number(2...2), skip(UInt8(ascii: "T")), let hour = number(2...2), skip(colon),
      let minute = number(2...2), skip(colon), let second = number(2...2),
      skip(UInt8(ascii: "Z")), offset == range.upperBound
    else { return nil }
    let signedYear = isNegative ? -year : year
    guard 1...12 ~= month, 1...days(in: month, of: signedYear) ~= day, hour < 24, minute < 60,
      second <= 60
    else { return nil }
    let days = dayNumber(signedYear, month, day) - epochDay
    return Double(days * secondsPerDay + hour * 3600 + minute * 60 + second)
  }

  /// What the text of a date says.
  struct Fields {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
  }

  /// The fields of a date, seconds rounded down, as Core Foundation writes it. Nil for what has no text: NaN,
  /// infinities, years beyond a thousand million.
  static func fields(_ seconds: Double) -> Fields? {
    // Well inside the range of years, and of exact integers.
    guard seconds.magnitude < 1e16 else { return nil }
    let truncated = Int(seconds)
    let whole = Double(truncated) > seconds ? truncated - 1 : truncated
    let day = floorDivide(whole, secondsPerDay)
    let second = whole - day * secondsPerDay
    let (year, month, dayOfMonth) = date(dayNumber: day + epochDay)
    guard year.magnitude < maximumYear else { return nil }
    return Fields(
      year: year, month: month, day: dayOfMonth, hour: second / 3600, minute: second / 60 % 60,
      second: second % 60)
  }

  /// The text of a date, seconds rounded down, as Core Foundation writes it. Nil for what has none.
  static func text(_ seconds: Double) -> [UInt8]? { fields(seconds).map(text) }

  static func text(_ fields: Fields) -> [UInt8] {
    var text: [UInt8] = []
    func append(_ number: Int, width: Int, _ end: UInt8) {
      let digits = Array(String(number).utf8)
      text.append(
        contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, width - digits.count)))
      text.append(contentsOf: digits)
      text.append(end)
    }
    if fields.year < 0 { text.append(UInt8(ascii: "-")) }
    append(Int(fields.year.magnitude), width: 4, UInt8(ascii: "-"))
    append(fields.month, width: 2, UInt8(ascii: "-"))
    append(fields.day, width: 2, UInt8(ascii: "T"))
    append(fields.hour, width: 2, UInt8(ascii: ":"))
    append(fields.minute, width: 2, UInt8(ascii: ":"))
    append(fields.second, width: 2, UInt8(ascii: "Z"))
    return text
  }

  // MARK: Calendar

  private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 0000-03-01 in the Gregorian calendar. Years are counted from March, so that a leap day is
  /// the last of its year; 153 days are the five months from March to July, and the pattern repeats.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = month > 2 ? month - 3 : month + 9
    let era = floorDivide(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    return era * daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  }

  /// The inverse of `dayNumber`.
  private static func date(dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    let era = floorDivide(dayNumber, daysPerEra)
    let dayOfEra = dayNumber - era * daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }
}
