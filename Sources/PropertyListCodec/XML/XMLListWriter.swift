// Writes XML property lists in Apple's formatting (Core Foundation, CFPropertyList.c, `_CFAppendXML0`): tabs,
// sorted keys, only `<`, `>` and `&` escaped, data in lines that get shorter with the indentation.

internal import ByteCoding

extension PropertyListValue {
  /// The value as an XML property list in UTF-8.
  ///
  /// `sortsKeys`: keys in the order of their UTF-16 code units, as Apple's writer has them, or in the order of
  /// the dictionaries. Dates lose fractions of a second, reals their size. Throws `notRepresentable` for
  /// what XML lists cannot say (null, sets, URLs, UUIDs, half surrogate pairs, integers outside of -2^63 to
  /// 2^64 - 1, dates without a year) and `nestingTooDeep` beyond 512 containers in each other.
  public func xml(sortsKeys: Bool = true) throws(PropertyListError) -> [UInt8] {
    var writer = XMLListWriter(sortsKeys: sortsKeys)
    try writer.append(self, depth: 0)
    return writer.file()
  }
}

extension PropertyListDocument {
  /// The list as an XML property list in UTF-8, written anew: see `PropertyListValue.xml`. Throws as
  /// `checkTree` does, too.
  public func xml(sortsKeys: Bool = true) throws(PropertyListError) -> [UInt8] {
    try value().xml(sortsKeys: sortsKeys)
  }
}

extension PropertyListValue {
  /// The element for the value as it stands behind `depth` tabs, without those and without the line's end.
  func xmlElement(depth: Int) throws(PropertyListError) -> [UInt8] {
    var writer = XMLListWriter(sortsKeys: false, head: "")
    try writer.append(self, depth: depth)
    return Array(writer.text.dropFirst(depth).dropLast())
  }
}

private struct XMLListWriter {
  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """
  private static let foot = "</plist>\n"

  let sortsKeys: Bool
  private(set) var text: [UInt8]

  init(sortsKeys: Bool, head: String = head) {
    self.sortsKeys = sortsKeys
    text = Array(head.utf8)
  }

  consuming func file() -> [UInt8] { text + Self.foot.utf8 }

  mutating func append(
    _ value: PropertyListValue, depth: Int
  ) throws(PropertyListError) {
    switch value {
    case .boolean(let value): element(value ? "<true/>" : "<false/>", depth)
    case .integer(let value):
      guard value >= Int128(Int64.min), value <= Int128(UInt64.max) else {
        throw PropertyListValue.integer(value).notRepresentable("an integer of over 64 bits")
      }
      element("<integer>\(value)</integer>", depth)
    case .real(let value): element("<real>\(XMLReal.text(value))</real>", depth)
    case .real32(let value): element("<real>\(XMLReal.text(Double(value)))</real>", depth)
    case .date(let seconds):
      guard let date = XMLDate.text(seconds) else {
        throw value.notRepresentable("a date that no calendar has")
      }
      element("<date>\(String(decoding: date, as: UTF8.self))</date>", depth)
    case .data(let bytes): append(data: bytes, depth)
    case .string(let string): append(string, "string", depth)
    case .uid(let uid):
      guard uid <= UInt128(UInt64.max) else {
        throw value.notRepresentable("a UID of more than 64 bits")
      }
      element("<dict>", depth)
      element("<key>CF$UID</key>", depth + 1)
      element("<integer>\(uid)</integer>", depth + 1)
      element("</dict>", depth)
    case .array(let elements):
      try PropertyListValue.checkDepth(depth)
      guard !elements.isEmpty else { return element("<array/>", depth) }
      element("<array>", depth)
      for element in elements { try append(element, depth: depth + 1) }
      element("</array>", depth)
    case .dictionary(let entries): try append(entries, depth: depth)
    case .null: throw value.notRepresentable("a null in an XML list")
    case .set, .orderedSet: throw value.notRepresentable("a set in an XML list")
    case .url, .uuid: throw value.notRepresentable("a URL or UUID in an XML list")
    case .unknown: throw value.notRepresentable("an unknown object in an XML list")
    case .unpairedString:
      throw value.notRepresentable("half a surrogate pair in an XML list")
    }
  }

  private mutating func append(
    _ entries: [PropertyListValue.Entry], depth: Int
  ) throws(PropertyListError) {
    try PropertyListValue.checkDepth(depth)
    guard !entries.isEmpty else { return element("<dict/>", depth) }
    element("<dict>", depth)
    for index in try order(entries) {
      guard case .string(let key) = entries[index].key else { continue }
      append(key, "key", depth + 1)
      try append(entries[index].value, depth: depth + 1)
    }
    element("</dict>", depth)
  }

  /// The indices of entries as they are written. All have strings as keys.
  private func order(
    _ entries: [PropertyListValue.Entry]
  ) throws(PropertyListError) -> [Int] {
    var keys: [[UInt16]] = []
    keys.reserveCapacity(entries.count)
    for entry in entries {
      guard case .string(let key) = entry.key else {
        throw entry.key.notRepresentable("a key that is not a string in an XML list")
      }
      if sortsKeys { keys.append(Array(key.utf16)) }
    }
    guard sortsKeys else { return Array(entries.indices) }
    return entries.indices.sorted { left, right in
      if keys[left] == keys[right] { return left < right }
      return keys[left].lexicographicallyPrecedes(keys[right])
    }
  }

  // MARK: Lines

  private mutating func indent(_ depth: Int) {
    for _ in 0..<depth { text.append(UInt8(ascii: "\t")) }
  }

  /// A line with an element or a tag.
  private mutating func element(_ line: String, _ depth: Int) {
    indent(depth)
    text.append(contentsOf: line.utf8)
    text.append(UInt8(ascii: "\n"))
  }

  private mutating func append(_ string: String, _ name: StaticString, _ depth: Int) {
    indent(depth)
    text.append(UInt8(ascii: "<"))
    append(name)
    text.append(UInt8(ascii: ">"))
    let bytes = Array(string.utf8)
    var start = 0
    for (index, byte) in bytes.enumerated() {
      let entity: StaticString
      switch byte {
      case UInt8(ascii: "<"): entity = "&lt;"
      case UInt8(ascii: ">"): entity = "&gt;"
      case UInt8(ascii: "&"): entity = "&amp;"
      default: continue
      }
      text.append(copying: bytes.bytes.extracting(start..<index))
      append(entity)
      start = index + 1
    }
    text.append(copying: bytes.bytes.extracting(start..<bytes.count))
    append("</")
    append(name)
    append(">\n")
  }

  private mutating func append(_ literal: StaticString) {
    unsafe text.append(
      contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Lines of 76 characters, the tabs in front counted as 8 each, of which there are at most 8.
  private mutating func append(data bytes: [UInt8], _ depth: Int) {
    element("<data>", depth)
    let lineBytes = (76 - 8 * min(depth, 8)) / 4 * 3
    var offset = 0
    while offset < bytes.count {
      let count = min(lineBytes, bytes.count - offset)
      indent(depth)
      Base64.encode(bytes.bytes.extracting(offset..<offset + count), appendingTo: &text)
      text.append(UInt8(ascii: "\n"))
      offset += count
    }
    element("</data>", depth)
  }
}

/// Reals as Apple writes them: the fewest digits that stand for the value, in C's `%.17g` shape.
enum XMLReal {
  static func text(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    if value == 0 { return value.sign == .minus ? "-0.0" : "0.0" }
    // "1234.5", "0.001", "1e-07", "1.5e+17".
    let shortest = value.magnitude.description
    let parts = shortest.split(separator: "e")
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
