// Locales, time zones, calendars, dates' components and intervals, units and measurements, names of persons.

extension DescriptionBuilder {
  mutating func locale() -> Result? {
    addString("identifier", field: "NS.identifier").map { ("locale", $0) }
  }

  /// `NSTimeZone`: its name, and the rules (RFC 8536) as they were then.
  mutating func timeZone() -> Result? {
    guard let name = addString("name", field: "NS.name") else { return nil }
    add("data", field: "NS.data")
    return ("time zone", name)
  }

  mutating func calendar() -> Result? {
    guard let identifier = addString("identifier", field: "NS.identifier") else { return nil }
    add("time zone", field: "NS.timezone")
    add("locale", field: "NS.locale")
    add("first weekday", field: "NS.firstwkdy")
    add("minimum days in first week", field: "NS.mindays")
    add("Gregorian start date", field: "NS.gstartdate")
    return ("calendar", identifier)
  }

  /// `NSDateComponents`. A component that is not set is there with the value of `NSDateComponentUndefined`.
  mutating func dateComponents() -> Result? {
    let names = [
      ("era", "NS.era"), ("year", "NS.year"), ("quarter", "NS.quarter"), ("month", "NS.month"),
      ("day", "NS.day"), ("hour", "NS.hour"), ("minute", "NS.minute"), ("second", "NS.second"),
      ("nanosecond", "NS.nanosec"), ("week of year", "NS.weekOfYear"),
      ("week of month", "NS.weekOfMonth"), ("year for week of year", "NS.yearForWOY"),
      ("weekday", "NS.weekday"), ("weekday ordinal", "NS.weekdayOrdinal"),
    ]
    let undefined: [Int128] = [Int128(Int64.max), Int128(Int32.max)]
    var set: [String] = []
    for (name, field) in names {
      if let value = addInteger(name, field: field), !undefined.contains(value) {
        set.append("\(name) \(value)")
      }
    }
    guard !parts.isEmpty else { return nil }
    add("leap month", field: "NS.isLeapMonth")
    add("calendar", field: "NS.calendar")
    add("time zone", field: "NS.timezone")
    return ("date components", set.isEmpty ? "none set" : set.joined(separator: ", "))
  }

  mutating func dateInterval() -> Result? {
    guard case .date(let start)? = add("start", field: "NS.startDate"),
      case .date(let end)? = add("end", field: "NS.endDate")
    else { return nil }
    add("duration", field: "NS.duration")
    return ("date interval", "\(Self.text(end - start)) s from \(Self.date(start))")
  }

  private static func date(_ seconds: Double) -> String {
    guard let text = XMLDate.text(seconds) else { return "\(seconds) s after 2001" }
    return String(decoding: text, as: UTF8.self)
  }

  mutating func measurement() -> Result? {
    guard let value = addNumber("value", field: "NS.value"),
      case .object(let unit)? = fields.reference("NS.unit")
    else { return nil }
    parts.append(ArchivedDescription.Part("unit", .reference(.object(unit))))
    var symbol = ""
    if let entry = fields.archive.classEntry(of: unit), entry.isAllowed {
      var unitFields = ArchivedFields(fields.archive, unit)
      symbol = unitFields.string("NS.symbol").map { " " + $0 } ?? ""
    }
    return ("measurement", Self.text(value) + symbol)
  }

  mutating func unit() -> Result? {
    guard let symbol = addString("symbol", field: "NS.symbol") else { return nil }
    add("converter", field: "NS.converter")
    add("specifier", field: "NS.specifier")
    return ("unit", symbol)
  }

  mutating func personNameComponents() -> Result? {
    let names = [
      ("prefix", "NS.namePrefix"), ("given name", "NS.givenName"),
      ("middle name", "NS.middleName"), ("family name", "NS.familyName"),
      ("suffix", "NS.nameSuffix"), ("nickname", "NS.nickname"),
    ]
    var words: [String] = []
    for (name, field) in names {
      if let word = addString(name, field: field) { words.append(word) }
    }
    guard !parts.isEmpty else { return nil }
    return ("person's name", words.joined(separator: " "))
  }
}
