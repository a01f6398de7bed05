// From property lists to JSON: of trees of values, and of documents without making a tree of them first.

internal import ByteCoding

struct PropertyListJSONWriter {
  /// The largest integer up to which all are Float64s, which is what many readers of JSON make of numbers.
  private static let safeInteger: Int128 = (1 << 53) - 1

  var json = JSONWriter()
  private let isTagged: Bool
  private let byteLimit: Int
  private var depth = 0

  init(_ form: PropertyListJSONForm, byteLimit: Int) {
    isTagged = form == .tagged
    self.byteLimit = byteLimit
  }

  // MARK: Values

  mutating func write(_ value: PropertyListValue) throws(PropertyListError) {
    switch value {
    case .array(let elements): try write(elements, nil)
    case .set(let elements): try write(elements, .set)
    case .orderedSet(let elements): try write(elements, .orderedSet)
    case .dictionary(let entries): try write(entries)
    default: try writeScalar(value)
    }
  }

  private mutating func write(
    _ elements: [PropertyListValue], _ tag: PropertyListTag?
  ) throws(PropertyListError) {
    try enter()
    begin(tag)
    json.beginArray()
    for element in elements { try write(element) }
    json.endArray()
    end(tag)
    depth -= 1
  }

  private mutating func write(
    _ entries: [PropertyListValue.Entry]
  ) throws(PropertyListError) {
    try enter()
    if isTagged, !Self.isObject(entries.map(\.key)) {
      begin(.dictionary)
      json.beginArray()
      for entry in entries {
        json.beginArray()
        try write(entry.key)
        try write(entry.value)
        json.endArray()
      }
      json.endArray()
      end(.dictionary)
    } else {
      json.beginObject()
      for (position, key) in Self.plainKeys(entries.map(\.key)) {
        json.key(key)
        try write(entries[position].value)
      }
      json.endObject()
    }
    depth -= 1
  }

  /// Whether a dictionary with these keys is an object that is read as this dictionary.
  private static func isObject(_ keys: [PropertyListValue]) -> Bool {
    var seen = Set<PropertyListValue>(minimumCapacity: keys.count)
    for key in keys {
      guard case .string = key, seen.insert(key).inserted else { return false }
    }
    guard keys.count == 1, case .string(let only) = keys[0] else { return true }
    return only.utf8.first != UInt8(ascii: "$")
  }

  /// The keys as strings, each once and in the place of its last value.
  private static func plainKeys(_ keys: [PropertyListValue]) -> [(position: Int, key: String)] {
    var seen = Set<PropertyListValue>(minimumCapacity: keys.count)
    var result: [(position: Int, key: String)] = []
    for (position, key) in keys.enumerated().reversed() {
      let text: String
      switch key {
      case .string(let string): text = string
      case .unpairedString(let units): text = String(decoding: units, as: UTF16.self)
      case .array, .set, .orderedSet, .dictionary: text = "[]"
      default:
        var writer = PropertyListJSONWriter(.plain, byteLimit: .max)
        // Without a limit, what is no container can always be written.
        text =
          (try? writer.writeScalar(key)) == nil
          ? "" : String(decoding: writer.json.bytes, as: UTF8.self)
      }
      if seen.insert(.string(text)).inserted { result.append((position, text)) }
    }
    return result.reversed()
  }

  // MARK: Documents

  /// Writes a node whose tree has been checked.
  mutating func write(
    _ node: PropertyListNode, of document: PropertyListDocument
  ) throws(PropertyListError) {
    let tag: PropertyListTag?
    switch document.kind(of: node) {
    case .array: tag = nil
    case .set: tag = .set
    case .orderedSet: tag = .orderedSet
    case .dictionary: return try writeDictionary(node, of: document)
    case .string:
      guard let text = document.string(of: node) else {
        return try writeScalar(document.scalar(node))
      }
      json.string(text)
      return try checkSize()
    default: return try writeScalar(document.scalar(node))
    }
    try enter()
    begin(tag)
    json.beginArray()
    for child in document.children(of: node) { try write(child, of: document) }
    json.endArray()
    end(tag)
    depth -= 1
  }

  private mutating func writeDictionary(
    _ node: PropertyListNode, of document: PropertyListDocument
  ) throws(PropertyListError) {
    let keys = document.keys(of: node)
    let values = document.values(of: node)
    // Reading lists keys that are there twice or are no strings; a single key may begin with `$`.
    guard document.irregularityCount == 0, keys.count != 1 else {
      return try writeDictionary(keys, values, of: document)
    }
    try enter()
    json.beginObject()
    for (key, value) in zip(keys, values) {
      // There is one: half a surrogate pair would be an irregularity.
      json.key(document.string(of: key) ?? "")
      try write(value, of: document)
    }
    json.endObject()
    depth -= 1
  }

  private mutating func writeDictionary(
    _ keys: PropertyListDocument.Children, _ values: PropertyListDocument.Children,
    of document: PropertyListDocument
  ) throws(PropertyListError) {
    try enter()
    // One long text can be all keys.
    let keyByteCount = keys.reduce(0) { $0 + document.range(of: $1).count }
    guard keyByteCount <= byteLimit - json.bytes.count else { throw tooLarge }
    // A key that is a container is enough of one when it is known to be no string.
    let keyValues: [PropertyListValue] = keys.map {
      document.kind(of: $0).isContainer ? .array([]) : document.scalar($0)
    }
    if isTagged, !Self.isObject(keyValues) {
      begin(.dictionary)
      json.beginArray()
      for (key, value) in zip(keys, values) {
        json.beginArray()
        try write(key, of: document)
        try write(value, of: document)
        json.endArray()
      }
      json.endArray()
      end(.dictionary)
    } else {
      json.beginObject()
      for (position, key) in Self.plainKeys(keyValues) {
        json.key(key)
        try write(values[position], of: document)
      }
      json.endObject()
    }
    depth -= 1
  }

  // MARK: Scalars

  /// Writes a value that is no container.
  private mutating func writeScalar(_ value: PropertyListValue) throws(PropertyListError) {
    switch value {
    case .null: json.null()
    case .boolean(let boolean): json.boolean(boolean)
    case .integer(let integer): write(integer, .integer)
    case .uid(let uid):
      begin(.uid)
      if uid <= UInt128(Self.safeInteger) {
        json.integer(UInt64(truncatingIfNeeded: uid))
      } else {
        json.string(uid.description)
      }
      end(.uid)
    case .real(let real):
      if !json.real(real) { writeBits(.realBits, real.bitPattern, width: 16) }
    case .real32(let real): write(real)
    case .date(let seconds): write(date: seconds)
    case .data(let bytes): write(.data, base64: bytes)
    case .unknown(let bytes): write(.unknown, base64: bytes)
    case .string(let text): json.string(text)
    case .unpairedString(let units):
      guard isTagged else {
        json.string(String(decoding: units, as: UTF16.self))
        break
      }
      var bytes: [UInt8] = []
      for unit in units { bytes.append(littleEndian: unit.byteSwapped) }
      write(.utf16, string: Hex.string(bytes.bytes))
    case .url(let texts):
      guard isTagged else {
        json.string(texts.last ?? "")
        break
      }
      begin(.url)
      json.beginArray()
      for text in texts { json.string(text) }
      json.endArray()
      end(.url)
    case .uuid(let bytes): write(.uuid, string: UUIDText.text(bytes))
    case .array, .set, .orderedSet, .dictionary: preconditionFailure("a container")
    }
    try checkSize()
  }

  private mutating func write(_ integer: Int128, _ tag: PropertyListTag) {
    guard isTagged, integer.magnitude > UInt128(Self.safeInteger) else {
      // The digits of 128 bits take far longer, and few integers have so many.
      if let small = Int64(exactly: integer) {
        json.integer(small)
      } else {
        json.literal(integer.description)
      }
      return
    }
    write(tag, string: integer.description)
  }

  private mutating func write(_ real: Float) {
    guard real.isFinite else {
      return writeBits(.real32Bits, UInt64(real.bitPattern), width: 8)
    }
    begin(.real32)
    // The shortest digits for a Float32, unless they come back as another one by way of a Float64.
    let text = real.description
    let isExact =
      unsafe DecimalNumber.float64(text.utf8Span.span.bytes).map { Float($0) == real } ?? false
    json.literal(isExact ? text : Double(real).description)
    end(.real32)
  }

  private mutating func write(date seconds: Double) {
    if let text = Timestamp.text(seconds) {
      return write(.date, string: String(decoding: text, as: UTF8.self))
    }
    guard seconds.isFinite else { return writeBits(.dateBits, seconds.bitPattern, width: 16) }
    begin(.date)
    _ = json.real(seconds)
    end(.date)
  }

  private mutating func write(_ tag: PropertyListTag, base64 bytes: [UInt8]) {
    write(tag, string: String(decoding: Base64.encode(bytes.bytes), as: UTF8.self))
  }

  private mutating func write(_ tag: PropertyListTag, string: String) {
    begin(tag)
    json.string(string)
    end(tag)
  }

  private mutating func writeBits(_ tag: PropertyListTag, _ bits: UInt64, width: Int) {
    guard isTagged else { return json.null() }
    let digits = String(bits, radix: 16)
    write(tag, string: String(repeating: "0", count: width - digits.utf8.count) + digits)
  }

  // MARK: Frames

  private mutating func begin(_ tag: PropertyListTag?) {
    guard isTagged, let tag else { return }
    json.beginObject()
    json.key(tag.rawValue)
  }

  private mutating func end(_ tag: PropertyListTag?) {
    if isTagged, tag != nil { json.endObject() }
  }

  private mutating func enter() throws(PropertyListError) {
    try PropertyListValue.checkDepth(depth)
    depth += 1
    try checkSize()
  }

  private func checkSize() throws(PropertyListError) {
    guard json.bytes.count <= byteLimit else { throw tooLarge }
  }

  private var tooLarge: PropertyListError {
    PropertyListError(
      .tooManyVisits, offset: 0, reason: "shared objects stand for more JSON than the limit")
  }
}

/// UUIDs as RFC 9562 writes them, in upper case as Foundation does.
enum UUIDText {
  /// Bytes that are not sixteen are just their digits.
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Hex.string(bytes.bytes).uppercased()
    guard bytes.count == 16 else { return digits }
    var text = ""
    for (index, digit) in digits.unicodeScalars.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.unicodeScalars.append(digit)
    }
    return text
  }

  /// Nil when it is no text that the above makes.
  static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard let bytes = try? Hex.decode(Array(digits).bytes),
      self.text(bytes).utf8.elementsEqual(text.uppercased().utf8)
    else { return nil }
    return bytes
  }
}
