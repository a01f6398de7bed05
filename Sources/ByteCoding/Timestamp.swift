// Dates as people write them: RFC 3339 text for a Float64 of seconds since 2001-01-01T00:00:00Z (Core
// Foundation's absolute time), the same bits both ways.
//
// All arithmetic on fractions is decimal, on digits: the shortest decimal that stands for the Float64
// is split at the second, and reading puts the same decimal together again. Binary arithmetic would
// round twice. Leap seconds do not exist on this time line; one is read as the second that follows.

package enum Timestamp {
  /// Days from 0001-01-01 to 2001-01-01 in the Gregorian calendar.
  private static let epochDay = 730_485
  private static let secondsPerDay = 86_400

  /// The RFC 3339 text in UTC, with as many fraction digits as the value needs (none for whole
  /// seconds). Nil for what has no such text: years outside 1 to 9999, negative zero, NaN, infinities.
  package static func text(_ seconds: Double) -> [UInt8]? {
    var text: [UInt8] = []
    return append(seconds, to: &text) ? text : nil
  }

  /// Appends what `text` returns; false, and nothing appended, where that is nil.
  package static func append(_ seconds: Double, to text: inout [UInt8]) -> Bool {
    // Bounds of the years 1 and 9999, in which whole seconds are far below 2^53.
    guard seconds >= -63_113_904_000, seconds < 252_423_993_600 else { return false }
    guard seconds != 0 || seconds.sign == .plus else { return false }
    // Towards zero, then down: `rounded` would need the C library's mathematics.
    let truncated = Int(seconds)
    let isWhole = Double(truncated) == seconds
    appendSecond(isWhole || seconds > 0 ? truncated : truncated - 1, to: &text)
    if !isWhole { appendFraction(seconds, to: &text) }
    text.append(UInt8(ascii: "Z"))
    return true
  }

  /// The seconds that an RFC 3339 text stands for, rounded correctly to Float64. Any offset from UTC
  /// and any number of fraction digits; `t` and `z` may be lower case. Nil when it is no such text or
  /// no such day.
  package static func seconds(_ text: RawSpan) -> Double? {
    var reader = FieldReader(text)
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2),
      reader.skip("-"), let day = reader.number(2), reader.skip("T", or: "t"),
      let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2),
      reader.skip(":"), let second = reader.number(2)
    else { return nil }
    guard year >= 1, month >= 1, month <= 12, day >= 1, day <= days(in: month, of: year),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    var fraction = 0..<0
    if reader.skip(".") {
      guard let digits = reader.digits() else { return nil }
      fraction = digits
    }
    guard let offset = reader.zone() else { return nil }
    let minutes = hour * 60 + minute - offset
    // A leap second is the last of a UTC day.
    if second == 60, (minutes + 1) % 1440 != 0 { return nil }
    let whole =
      (dayNumber(year, month, day) - epochDay) * secondsPerDay + minutes * 60 + second
    return combine(whole, text.extracting(fraction))
  }

  // MARK: Fractions

  /// Appends `.` and the fraction digits of a value that is not whole, counted up from the whole
  /// second at or before it.
  private static func appendFraction(_ seconds: Double, to text: inout [UInt8]) {
    // "-123.456" or "1.5e-07": the shortest digits that stand for this value and no other.
    let shortest = Array(seconds.magnitude.description.utf8)
    let mantissaEnd = shortest.firstIndex(of: UInt8(ascii: "e")) ?? shortest.count
    let point = shortest.firstIndex(of: UInt8(ascii: ".")) ?? mantissaEnd
    var digits: [UInt8] = []
    if mantissaEnd < shortest.count {
      // Only small values have an exponent here, and it is negative: d.ddd times ten to the -e.
      let exponent = shortest[(mantissaEnd + 2)...].reduce(0) { $0 * 10 + Int($1 - 48) }
      digits.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: exponent - 1))
      digits.append(contentsOf: shortest[..<point])
    }
    digits.append(contentsOf: shortest[min(point + 1, mantissaEnd)..<mantissaEnd])
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if seconds < 0 { complement(&digits) }
    text.append(UInt8(ascii: "."))
    text.append(contentsOf: digits)
  }

  /// `whole` plus the fraction with these digits, rounded once.
  private static func combine(_ whole: Int, _ fraction: RawSpan) -> Double? {
    if fraction.byteCount == 0 { return Double(whole) }
    if let value = combineExact(whole, fraction) { return value }
    var digits = fraction.array(at: 0, count: fraction.byteCount)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    guard !digits.isEmpty else { return Double(whole) }
    var decimal: [UInt8]
    if whole >= 0 {
      decimal = Array(whole.description.utf8)
    } else {
      // -5 and .25 are -(4 and .75).
      decimal = [UInt8(ascii: "-")] + (-1 - whole).description.utf8
      complement(&digits)
    }
    decimal.append(UInt8(ascii: "."))
    decimal.append(contentsOf: digits)
    return DecimalNumber.float64(decimal.bytes)
  }

  /// As `combine`, for few digits: all of them as one integer that a Float64 holds exactly, divided by a
  /// power of ten that it holds exactly too, so that only the division rounds.
  private static func combineExact(_ whole: Int, _ fraction: RawSpan) -> Double? {
    // |whole| is below 2^38 and 10^7 below 2^24, so the integer is below 2^62.
    guard fraction.byteCount <= 7 else { return nil }
    var scaled = whole
    var power = 1
    for offset in 0..<fraction.byteCount {
      scaled *= 10
      power *= 10
      scaled += Int(fraction.u8(at: offset) - UInt8(ascii: "0"))
    }
    return scaled.magnitude <= 1 << 53 ? Double(scaled) / Double(power) : nil
  }

  /// Turns the digits of a fraction f, the last of which is not zero, into those of 1 - f.
  private static func complement(_ digits: inout [UInt8]) {
    for index in digits.indices { digits[index] = 57 - digits[index] + 48 }
    // The last digit was not zero, so it is now at most 8: no carry.
    digits[digits.count - 1] += 1
  }

  // MARK: Calendar

  private static func appendSecond(_ whole: Int, to text: inout [UInt8]) {
    // Counted from the year 1, so that nothing is negative.
    let total = whole + epochDay * secondsPerDay
    let (year, month, day) = date(dayNumber: total / secondsPerDay)
    let second = total % secondsPerDay
    append(year / 100, to: &text)
    append(year % 100, to: &text)
    text.append(UInt8(ascii: "-"))
    append(month, to: &text)
    text.append(UInt8(ascii: "-"))
    append(day, to: &text)
    text.append(UInt8(ascii: "T"))
    append(second / 3600, to: &text)
    text.append(UInt8(ascii: ":"))
    append(second / 60 % 60, to: &text)
    text.append(UInt8(ascii: ":"))
    append(second % 60, to: &text)
  }

  /// Appends a number below 100 as two digits.
  private static func append(_ number: Int, to text: inout [UInt8]) {
    text.append(UInt8(truncatingIfNeeded: 48 + number / 10))
    text.append(UInt8(truncatingIfNeeded: 48 + number % 10))
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 0001-01-01. Years are counted from March, so that a leap day is the last of its year;
  /// 153 days are the five months from March to July, and the pattern repeats.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = month > 2 ? month - 3 : month + 9
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + day - 1 - 306
  }

  /// The inverse of `dayNumber`, for days from 0001-01-01 on.
  private static func date(dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    // From 0000-03-01.
    let fromMarch = dayNumber + 306
    let era = fromMarch / 146_097
    let dayOfEra = fromMarch % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, day)
  }

  // MARK: Fields

  /// Takes the fixed fields of a date off the front of a text.
  private struct FieldReader: ~Escapable {
    let text: RawSpan
    var offset = 0

    @_lifetime(copy text) init(_ text: RawSpan) { self.text = text }

    /// A number of exactly `width` digits.
    mutating func number(_ width: Int) -> Int? {
      guard text.byteCount - offset >= width else { return nil }
      var value = 0
      for _ in 0..<width {
        let digit = text.u8(at: offset) &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value * 10 + Int(digit)
        offset += 1
      }
      return value
    }

    /// The range of one or more digits.
    mutating func digits() -> Range<Int>? {
      let start = offset
      while offset < text.byteCount, text.u8(at: offset) &- UInt8(ascii: "0") < 10 { offset += 1 }
      return offset > start ? start..<offset : nil
    }

    mutating func skip(_ first: Unicode.Scalar, or second: Unicode.Scalar? = nil) -> Bool {
      guard offset < text.byteCount else { return false }
      let byte = text.u8(at: offset)
      guard byte == UInt8(ascii: first) || second.map({ byte == UInt8(ascii: $0) }) == true else {
        return false
      }
      offset += 1
      return true
    }

    /// The offset from UTC in minutes, up to the end of the text.
    mutating func zone() -> Int? {
      var minutes = 0
      if !skip("Z", or: "z") {
        let isNegative = skip("-")
        guard isNegative || skip("+"), let hour = number(2), skip(":"), let minute = number(2),
          hour < 24, minute < 60
        else { return nil }
        minutes = (hour * 60 + minute) * (isNegative ? -1 : 1)
      }
      return offset == text.byteCount ? minutes : nil
    }
  }
}
