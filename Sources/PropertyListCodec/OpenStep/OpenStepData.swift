// What stands between `<` and `>`: data in hexadecimal digits, and GNUstep's dates, which are not as XML has them.

internal import ByteCoding

enum OpenStepData {
  /// The offset of the first byte that hexadecimal data cannot have there: white space is between bytes only. Nil
  /// when `text` is data.
  static func invalidOffset(_ text: RawSpan) -> Int? {
    var offset = 0
    while offset < text.byteCount {
      guard isDigit(text, offset) else {
        let width = OpenStepSyntax.spaceWidth(text, at: offset)
        guard width > 0 else { return offset }
        offset += width
        continue
      }
      guard isDigit(text, offset + 1) else { return offset + 1 }
      offset += 2
    }
    return nil
  }

  private static func isDigit(_ text: RawSpan, _ offset: Int) -> Bool {
    offset < text.byteCount && XMLNumber.digit(text.u8(at: offset), isHexadecimal: true) != nil
  }

  /// The bytes of data that has been read before.
  static func decode(_ text: RawSpan) -> [UInt8] {
    // Most data is one piece.
    if let bytes = try? Hex.decode(text) { return bytes }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.byteCount / 2)
    var high: UInt8?
    for offset in 0..<text.byteCount {
      // What is no digit is white space.
      guard let digit = XMLNumber.digit(text.u8(at: offset), isHexadecimal: true) else { continue }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }
}

/// Dates of GNUstep's lists: `YYYY-MM-DD hh:mm:ss ±hhmm`.
enum GNUstepDate {
  /// ` +0000`.
  private static let zoneCount = 6

  /// Seconds since 2001-01-01T00:00:00Z. Nil when the text is no date.
  static func seconds(_ text: RawSpan) -> Double? {
    let range = XMLNumber.trimmed(text)
    guard range.count > zoneCount else { return nil }
    let zoneStart = range.upperBound - zoneCount
    guard let zone = zone(text.extracting(zoneStart..<range.upperBound)) else { return nil }
    // The rest is XML's date, but for the letters.
    var date = text.array(at: range.lowerBound, count: range.count - zoneCount)
    guard let space = date.firstIndex(of: UInt8(ascii: " ")), !date.contains(UInt8(ascii: "T"))
    else { return nil }
    date[space] = UInt8(ascii: "T")
    date.append(UInt8(ascii: "Z"))
    return XMLDate.seconds(date.bytes).map { $0 - Double(zone) }
  }

  /// The seconds that ` +0130` is before UTC.
  private static func zone(_ text: RawSpan) -> Int? {
    var digits: [Int] = []
    for offset in 2..<zoneCount {
      let digit = text.u8(at: offset) &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      digits.append(Int(digit))
    }
    let minutes = 10 * digits[2] + digits[3]
    let seconds = 3600 * (10 * digits[0] + digits[1]) + 60 * minutes
    guard text.u8(at: 0) == UInt8(ascii: " "), minutes < 60, seconds <= 86_400 else { return nil }
    switch text.u8(at: 1) {
    case UInt8(ascii: "+"): return seconds
    case UInt8(ascii: "-"): return -seconds
    default: return nil
    }
  }

  /// The text of a date in UTC, seconds rounded down. Nil for what has no such text.
  static func text(_ seconds: Double) -> [UInt8]? {
    guard var date = XMLDate.text(seconds), let letter = date.firstIndex(of: UInt8(ascii: "T"))
    else { return nil }
    date[letter] = UInt8(ascii: " ")
    date.removeLast()
    return date + Array(" +0000".utf8)
  }
}
