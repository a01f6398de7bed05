// Writes OpenStep lists (Spec/keyed-archive.md, "Writing OpenStep lists") in the form that Apple's descriptions of
// collections have: four spaces for each level, strings without quotation marks where they need none.

internal import ByteCoding

/// How an OpenStep list is written.
public struct OpenStepWritingOptions: Hashable, Sendable {
  /// Keys in the order of their UTF-16 code units, or in that of the dictionaries.
  public var sortsKeys = true
  /// Whether a dictionary is written without braces, as `.strings` files are.
  public var isStringsFile = false
  /// Whether booleans, integers, reals and dates are written, in GNUstep's form, which Apple's readers do not know.
  public var usesTypedValues = false
  /// Whether all characters are ASCII, others being escaped.
  public var isASCII = false

  public init() {}
}

extension PropertyListValue {
  /// The value as an OpenStep property list in UTF-8.
  ///
  /// Dates lose fractions of a second, reals their size. Throws `notRepresentable`, with the value's place by
  /// positions, for what such lists cannot say (null, UIDs, sets, URLs, UUIDs; integers outside of -2^63 to 2^64 - 1
  /// and dates without a year; booleans, numbers and dates unless the options allow them; as a strings file, all but
  /// dictionaries) and `nestingTooDeep` beyond 512 containers in each other.
  public func openStep(
    _ options: OpenStepWritingOptions = OpenStepWritingOptions()
  ) throws(PropertyListError) -> [UInt8] {
    try openStep(options, byteLimit: .max)
  }

  /// Throws `tooManyVisits` where the text would have more bytes than `byteLimit` by far.
  fileprivate func openStep(
    _ options: OpenStepWritingOptions, byteLimit: Int
  ) throws(PropertyListError) -> [UInt8] {
    var writer = OpenStepListWriter(options, byteLimit: byteLimit)
    if options.isStringsFile {
      try writer.appendEntries(of: self)
    } else {
      try writer.append(self, depth: 0)
      writer.text.append(UInt8(ascii: "\n"))
    }
    return writer.text
  }
}

extension PropertyListDocument {
  /// The list as an OpenStep property list in UTF-8, written anew: see `PropertyListValue.openStep`. Throws as
  /// `checkTree` does, too, and `tooManyVisits` where shared objects would take far more bytes than the file.
  public func openStep(
    _ options: OpenStepWritingOptions = OpenStepWritingOptions()
  ) throws(PropertyListError) -> [UInt8] {
    try value().openStep(options, byteLimit: expansionLimit)
  }
}

struct OpenStepListWriter {
  private let options: OpenStepWritingOptions
  /// What each line begins with, before the spaces of its level.
  private let linePrefix: [UInt8]
  /// What each level has in front.
  private let indentation: [UInt8]
  /// With more text, the next value is refused: shared ones are written at each place.
  private let byteLimit: Int
  var text: [UInt8] = []
  /// The way to the value that is being written: positions from 0, and whether they are entries'.
  private var path: [(position: Int, isEntry: Bool)] = []

  init(
    _ options: OpenStepWritingOptions, linePrefix: [UInt8] = [],
    indentation: [UInt8] = Array("    ".utf8), byteLimit: Int = .max
  ) {
    self.options = options
    self.byteLimit = byteLimit
    self.linePrefix = linePrefix
    self.indentation = indentation
  }

  // MARK: Containers

  /// Appends a value that stands behind `depth` levels, of which the first line has been begun.
  mutating func append(_ value: PropertyListValue, depth: Int) throws(PropertyListError) {
    guard text.count <= byteLimit else {
      throw PropertyListError(
        .tooManyVisits, offset: 0,
        reason: "shared objects stand for more text than the limit")
    }
    switch value {
    case .array(let elements):
      try PropertyListValue.checkDepth(depth)
      guard !elements.isEmpty else { return append("()") }
      append("(\n")
      for (position, element) in elements.enumerated() {
        path.append((position, false))
        indent(depth + 1)
        try append(element, depth: depth + 1)
        append(position + 1 < elements.count ? ",\n" : "\n")
        path.removeLast()
      }
      indent(depth)
      append(")")
    case .dictionary(let entries):
      try PropertyListValue.checkDepth(depth)
      guard !entries.isEmpty else { return append("{}") }
      append("{\n")
      try append(entries, depth: depth + 1)
      indent(depth)
      append("}")
    default: try appendScalar(value)
    }
  }

  /// Appends a strings file.
  mutating func appendEntries(of value: PropertyListValue) throws(PropertyListError) {
    guard case .dictionary(let entries) = value else {
      throw notRepresentable("a strings file that is no dictionary")
    }
    // Nothing at all would be no list.
    if entries.isEmpty { return append("{}\n") }
    try append(entries, depth: 0)
  }

  private mutating func append(
    _ entries: [PropertyListValue.Entry], depth: Int
  ) throws(PropertyListError) {
    for position in try order(entries) {
      path.append((position, true))
      indent(depth)
      try appendString(entries[position].key)
      append(" = ")
      try append(entries[position].value, depth: depth)
      append(";\n")
      path.removeLast()
    }
  }

  /// The positions of entries as they are written.
  private mutating func order(
    _ entries: [PropertyListValue.Entry]
  ) throws(PropertyListError) -> [Int] {
    var keys: [[UInt16]] = []
    keys.reserveCapacity(entries.count)
    for (position, entry) in entries.enumerated() {
      switch entry.key {
      case .string(let key): if options.sortsKeys { keys.append(Array(key.utf16)) }
      case .unpairedString(let units): if options.sortsKeys { keys.append(units) }
      default:
        path.append((position, true))
        throw notRepresentable("a key that is not a string")
      }
    }
    return options.sortsKeys ? KeyOrder.sorted(utf16: keys) : Array(entries.indices)
  }

  // MARK: Scalars

  private mutating func appendScalar(_ value: PropertyListValue) throws(PropertyListError) {
    switch value {
    case .string, .unpairedString: try appendString(value)
    case .data(let bytes): append(data: bytes)
    case .boolean(let value): try appendTyped(value ? "BY" : "BN", "a boolean")
    case .integer(let value):
      guard value >= Int128(Int64.min), value <= Int128(UInt64.max) else {
        throw notRepresentable("an integer of over 64 bits")
      }
      // The digits of 128 bits take far longer.
      let digits = Int64(exactly: value)?.description ?? value.description
      try appendTyped("I\(digits)", "an integer")
    case .real(let value): try appendTyped("R" + XMLReal.text(value), "a real")
    case .real32(let value): try appendTyped("R" + XMLReal.text(Double(value)), "a real")
    case .date(let seconds):
      guard let date = GNUstepDate.text(seconds) else {
        throw notRepresentable("a date that no calendar has")
      }
      try appendTyped("D" + String(decoding: date, as: UTF8.self), "a date")
    case .null: throw notRepresentable("a null")
    case .uid: throw notRepresentable("a UID")
    case .set, .orderedSet: throw notRepresentable("a set")
    case .url, .uuid: throw notRepresentable("a URL or UUID")
    case .unknown: throw notRepresentable("an unknown object")
    case .array, .dictionary: preconditionFailure("a container")
    }
  }

  private mutating func appendTyped(
    _ content: String, _ name: String
  ) throws(PropertyListError) {
    guard options.usesTypedValues else { throw notRepresentable(name) }
    append("<*")
    text.append(contentsOf: content.utf8)
    append(">")
  }

  private mutating func append(data bytes: [UInt8]) {
    append("<")
    for start in stride(from: 0, to: bytes.count, by: 4) {
      if start > 0 { text.append(UInt8(ascii: " ")) }
      Hex.encode(
        bytes.bytes.extracting(start..<min(start + 4, bytes.count)), appendingTo: &text)
    }
    append(">")
  }

  private mutating func appendString(_ value: PropertyListValue) throws(PropertyListError) {
    switch value {
    case .string(let string):
      let bytes = Array(string.utf8)
      if !options.isStringsFile, Self.isPlain(bytes) {
        text.append(contentsOf: bytes)
        return
      }
      text.append(UInt8(ascii: "\""))
      for scalar in string.unicodeScalars { append(character: scalar) }
      text.append(UInt8(ascii: "\""))
    case .unpairedString(let units):
      text.append(UInt8(ascii: "\""))
      append(units: units)
      text.append(UInt8(ascii: "\""))
    default: throw notRepresentable("a key that is not a string")
    }
  }

  /// Whether a string needs no quotation marks with any reader.
  private static func isPlain(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty else { return false }
    var last: UInt8 = 0
    for byte in bytes {
      guard OpenStepSyntax.isWord(byte), byte != UInt8(ascii: "-"), byte != UInt8(ascii: ":"),
        byte != UInt8(ascii: "/") || last != UInt8(ascii: "/")
      else { return false }
      last = byte
    }
    return true
  }

  /// Appends a string of code units, of which surrogates without a pair are escaped.
  private mutating func append(units: [UInt16]) {
    var index = 0
    while index < units.count {
      let unit = units[index]
      index += 1
      if let scalar = Unicode.Scalar(unit) {
        append(character: scalar)
      } else if UTF16.isLeadSurrogate(unit), index < units.count,
        UTF16.isTrailSurrogate(units[index]),
        let scalar = Unicode.Scalar(
          0x1_0000 + (UInt32(unit & 0x3ff) << 10 | UInt32(units[index] & 0x3ff)))
      {
        append(character: scalar)
        index += 1
      } else {
        appendEscape(unit)
      }
    }
  }

  /// Appends a character of a quoted string.
  private mutating func append(character scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append("\\\"")
    case "\\": append("\\\\")
    case "\u{7}": append("\\a")
    case "\u{8}": append("\\b")
    case "\t": append("\\t")
    case "\n": append("\\n")
    case "\r": append("\\r")
    case "\u{0}"..."\u{1f}", "\u{7f}": appendEscape(UInt16(scalar.value))
    case _ where scalar.isASCII: text.append(UInt8(scalar.value))
    case _ where options.isASCII: for unit in scalar.utf16 { appendEscape(unit) }
    default: text.append(contentsOf: scalar.utf8)
    }
  }

  private mutating func appendEscape(_ unit: UInt16) {
    append("\\U")
    Hex.encode([UInt8(unit >> 8), UInt8(unit & 0xff)].bytes, appendingTo: &text)
  }

  // MARK: Lines

  private mutating func indent(_ depth: Int) {
    text.append(contentsOf: linePrefix)
    for _ in 0..<depth { text.append(contentsOf: indentation) }
  }

  private mutating func append(_ literal: StaticString) {
    unsafe text.append(
      contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// An error for the value that is being written: positions, not keys, which can be secret.
  private func notRepresentable(_ what: String) -> PropertyListError {
    let place = path.map { "\($0.isEntry ? "entry" : "element") \($0.position + 1)" }
    return PropertyListError(
      .notRepresentable, offset: 0,
      reason: "\(what) in an OpenStep list"
        + (place.isEmpty ? "" : " (\(place.joined(separator: ", ")))"))
  }
}
