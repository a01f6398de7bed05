// From JSON to an item and its value, in one pass over the text. The value goes to memory that is wiped, without
// passing through a String.

internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainModel
internal import PropertyListCodec

/// Reads one item; `ItemJSON.read` is what others call. `ItemJSON.swift` says which form everything has.
struct ItemJSONCursor: ~Copyable, ~Escapable {
  /// An archive's item has at most 1024 attributes, its class among them.
  private static let maximumAttributeCount = 1023

  private let names = AttributeNames.shared
  var reader: JSONReader
  /// The key whose value is being read, for errors.
  private(set) var currentKey: JSONString?
  /// Attributes of the table as they came, their places in it, and a bit for each place that is taken.
  private var attributes: [Attribute] = []
  private var places = InlineArray<128, UInt8>(repeating: 0)
  private var present: UInt128 = 0
  /// All others, sorted too.
  private var others: [Attribute] = []
  private var itemClass: ItemClass?
  private var itemValue: ItemJSON.Value?
  private var hasColumns = false

  @_lifetime(copy reader)
  init(_ reader: consuming JSONReader) { self.reader = reader }

  mutating func item(
    value: inout SecretBytes
  ) throws(JSONError) -> (KeychainItem, ItemJSON.Value) {
    attributes.reserveCapacity(16)
    try reader.beginObject()
    while let key = try reader.nextKey() {
      currentKey = key
      let known = key.hasEscapes ? nil : names.member(reader.bytes(of: key))
      switch known ?? names.member(named: reader.string(key)) {
      case .known(let place): try add(place, key)
      case nil: try add(AttributeKey(column: reader.string(key)), key)
      case .itemClass: try readClass(key)
      case .value:
        guard itemValue == nil else {
          throw reader.error(.duplicateKey, at: key.offset, "a second \"value\"")
        }
        itemValue = try readValue(into: &value)
      case .columns: try readColumns(key)
      }
      currentKey = nil
    }
    try reader.finish()
    guard let itemClass else {
      throw reader.error(.missingKey, at: 0, "the item has no \"class\"")
    }
    Self.sort(&attributes, &places, present)
    if !others.isEmpty { attributes += others }
    return (KeychainItem(itemClass, attributes: attributes), itemValue ?? .absent)
  }

  // MARK: Attributes

  private mutating func readClass(_ key: JSONString) throws(JSONError) {
    guard itemClass == nil else {
      throw reader.error(.duplicateAttribute, at: key.offset, "a second class")
    }
    let text = try reader.readString()
    // Of the bytes as they stand there, or of what escapes in them mean.
    let known =
      text.hasEscapes
      ? ItemClass(known: reader.string(text)) : names.itemClass(reader.bytes(of: text))
    guard let known else {
      throw reader.error(
        .unknownClass, at: text.offset, "a class is one of genp, inet, cert, keys, idnt, file")
    }
    itemClass = known
  }

  /// Reads the object of attributes that are named by column only.
  private mutating func readColumns(_ key: JSONString) throws(JSONError) {
    guard !hasColumns else {
      throw reader.error(.duplicateKey, at: key.offset, "a second \"attributes\"")
    }
    hasColumns = true
    try reader.beginObject()
    while let key = try reader.nextKey() {
      currentKey = key
      let column = AttributeKey(column: reader.string(key))
      guard column != .itemClass else {
        throw reader.error(
          .invalidName, at: key.offset, "the class stands under \"class\", not among attributes")
      }
      if let place = names.place(of: column) {
        try add(place, key)
      } else {
        try add(column, key)
      }
    }
  }

  /// Reads the value of an attribute of the table.
  private mutating func add(_ place: UInt8, _ key: JSONString) throws(JSONError) {
    let bit = UInt128(1) << UInt128(place)
    guard present & bit == 0 else { throw duplicate(key) }
    try checkCount(key)
    // At most 128, because no place is taken twice.
    places[attributes.count] = place
    attributes.append(
      Attribute(names.keys[Int(place)], try readAttribute(names.dates & bit != 0)))
    present |= bit
  }

  /// Puts the attributes of the table in their order. How many lower places are taken says where each
  /// belongs, so that keys are not compared.
  private static func sort(
    _ attributes: inout [Attribute], _ places: inout InlineArray<128, UInt8>, _ present: UInt128
  ) {
    // A span moves what it swaps; an array would retain and release it.
    var span = attributes.mutableSpan
    for index in span.indices {
      while true {
        let place = places[index]
        let target = (present & ((1 << UInt128(place)) - 1)).nonzeroBitCount
        if target == index { break }
        // Each of these puts one more where it belongs, so they come to an end.
        span.swapAt(index, target)
        places.swapAt(index, target)
      }
    }
  }

  /// Reads the value of any other attribute.
  private mutating func add(_ column: AttributeKey, _ key: JSONString) throws(JSONError) {
    guard (1...255).contains(key.decodedCount) else {
      throw reader.error(.invalidName, at: key.offset, "a name has 1 to 255 bytes")
    }
    var low = 0
    var high = others.count
    while low < high {
      let middle = (low + high) / 2
      if others[middle].key < column { low = middle + 1 } else { high = middle }
    }
    if low < others.count, others[low].key == column { throw duplicate(key) }
    try checkCount(key)
    others.insert(Attribute(column, try readAttribute(false)), at: low)
  }

  private func duplicate(_ key: JSONString) -> JSONError {
    reader.error(.duplicateAttribute, at: key.offset, "the item has this attribute already")
  }

  private func checkCount(_ key: JSONString) throws(JSONError) {
    guard attributes.count + others.count < Self.maximumAttributeCount else {
      throw reader.error(
        .tooManyAttributes, at: key.offset, "more than \(Self.maximumAttributeCount) attributes")
    }
  }

  private mutating func readAttribute(_ isDate: Bool) throws(JSONError) -> AttributeValue {
    switch try reader.peek() {
    case .string:
      let text = try reader.readString()
      return isDate ? .date(try date(text)) : .text(reader.string(text))
    case .number:
      let number = try reader.readNumber()
      if isDate { return .date(try float64(number)) }
      return number.isInteger ? .integer(try int64(number)) : .real(try float64(number))
    case .boolean: return .boolean(try reader.readBoolean())
    case .object: return try readTagged()
    case .array, .null:
      throw reader.error(
        .wrongType, at: reader.offset, "an attribute is not an array and not null")
    }
  }

  /// Reads `{"tag":…}`.
  private mutating func readTagged() throws(JSONError) -> AttributeValue {
    let tag = try beginForm()
    let value: AttributeValue
    if reader.equals(tag, "base64") {
      value = .bytes(try readBase64())
    } else if reader.equals(tag, "date") {
      if try reader.peek() == .number {
        value = .date(try float64(try reader.readNumber()))
      } else {
        value = .date(try date(try reader.readString()))
      }
    } else if reader.equals(tag, "text") {
      value = .text(reader.string(try reader.readString()))
    } else if reader.equals(tag, "integer") {
      value = .integer(try int64(try reader.readNumber()))
    } else if reader.equals(tag, "real") {
      value = .real(try float64(try reader.readNumber()))
    } else if reader.equals(tag, "realBits") {
      value = .real(Float64(bitPattern: try readBits()))
    } else if reader.equals(tag, "dateBits") {
      value = .date(Float64(bitPattern: try readBits()))
    } else if reader.equals(tag, "plist") {
      value = .propertyList(try readPropertyListAttribute())
    } else if reader.equals(tag, "unknown") {
      value = try readUnknown()
    } else {
      throw reader.error(
        .unknownForm, at: tag.offset,
        "expected base64, date, text, integer, real, plist or unknown")
    }
    try endForm()
    return value
  }

  /// Reads a property list as JSON; its bytes as a binary list.
  private mutating func readPropertyList() throws(JSONError) -> [UInt8] {
    _ = try reader.peek()
    let start = reader.offset
    let value = try reader.readPropertyList()
    do {
      return try value.binary()
    } catch {
      throw reader.error(.invalidForm, at: start, error.reason)
    }
  }

  /// Reads a property list's bytes, `{"base64":"…"}`, or a list as JSON. An object whose only key is `base64` is
  /// the former; as a list it is `{"$dictionary":[["base64",…]]}`.
  private mutating func readPropertyListAttribute() throws(JSONError) -> [UInt8] {
    guard try reader.peek() == .object else { return try readPropertyList() }
    var ahead = reader
    try ahead.beginObject()
    guard let key = try ahead.nextKey(), ahead.equals(key, "base64"),
      try ahead.peek() == .string
    else { return try readPropertyList() }
    _ = try ahead.readString()
    guard try ahead.nextKey() == nil else { return try readPropertyList() }
    _ = try beginForm()
    let bytes = try readBase64()
    try endForm()
    return bytes
  }

  /// Reads `{"type":9,"base64":"…"}`, in any order.
  private mutating func readUnknown() throws(JSONError) -> AttributeValue {
    let start = reader.offset
    var type: UInt8?
    var bytes: [UInt8]?
    try reader.beginObject()
    while let key = try reader.nextKey() {
      if type == nil, reader.equals(key, "type") {
        let number = try reader.readNumber()
        guard let value = reader.uint64(number), value <= 255, !(1...7).contains(value) else {
          throw reader.error(
            .numberOutOfRange, at: number.offset, "a type that is not known is 0 or 8 to 255")
        }
        type = UInt8(value)
      } else if bytes == nil, reader.equals(key, "base64") {
        bytes = try readBase64()
      } else {
        throw reader.error(
          .unknownForm, at: key.offset, "expected one \"type\" and one \"base64\"")
      }
    }
    guard let type, let bytes else {
      throw reader.error(.missingKey, at: start, "expected \"type\" and \"base64\"")
    }
    return .unknown(type: type, bytes: bytes)
  }

  // MARK: The value

  private mutating func readValue(
    into value: inout SecretBytes
  ) throws(JSONError) -> ItemJSON.Value {
    if try reader.peek() == .null {
      try reader.readNull()
      return .absent
    }
    let form = try beginForm()
    let result: ItemJSON.Value
    if reader.equals(form, "utf8") {
      let text = try reader.readString()
      value.makeRoom(text.decodedCount)
      var target = value.mutableBytes
      _ = reader.decode(text, into: &target)
      result = .inMemory
    } else if reader.equals(form, "base64") {
      try readSecretBase64(into: &value)
      result = .inMemory
    } else if reader.equals(form, "file") {
      result = .file(path: try readPath())
    } else if reader.equals(form, "plist") {
      // A list's strings are Strings on the way, which are not wiped: who has secrets as text of a list in JSON
      // has them so already.
      let bytes = try readPropertyList()
      value.makeRoom(bytes.count)
      var target = value.mutableBytes
      target.store(bytes, at: 0)
      result = .inMemory
    } else {
      throw reader.error(.unknownForm, at: form.offset, "expected utf8, base64, plist or file")
    }
    try endForm()
    return result
  }

  private mutating func readSecretBase64(into value: inout SecretBytes) throws(JSONError) {
    let text = try reader.readString()
    let count: Int
    do throws(TextCodingError) {
      if text.hasEscapes {
        // `\/` mostly. What is decoded in place is at most three quarters of the text.
        value.makeRoom(text.decodedCount)
        var target = value.mutableBytes
        _ = reader.decode(text, into: &target)
        count = try Base64.decodeInPlace(&target)
      } else {
        let source = reader.bytes(of: text)
        value.makeRoom(try Base64.decodedCount(source))
        var target = value.mutableBytes
        count = try Base64.decode(source, into: &target)
      }
    } catch {
      throw base64Error(error, text)
    }
    value.resize(to: count)
  }

  private mutating func readPath() throws(JSONError) -> String {
    let text = try reader.readString()
    let path = reader.string(text)
    let components = path.utf8.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let reason: String? =
      if path.utf8.isEmpty {
        "a path is not empty"
      } else if components[0].isEmpty {
        "a path is relative to the folder of the JSON"
      } else if components.contains(where: { $0.elementsEqual("..".utf8) }) {
        "a path does not lead out of the folder of the JSON"
      } else if path.utf8.contains(0) {
        "a path has no zero byte"
      } else {
        nil
      }
    if let reason { throw reader.error(.unsafePath, at: text.offset, reason) }
    return path
  }

  // MARK: Forms

  /// Reads `{` and the one key of a form.
  private mutating func beginForm() throws(JSONError) -> JSONString {
    try reader.beginObject()
    guard let key = try reader.nextKey() else {
      throw reader.error(.unknownForm, at: reader.offset - 1, "the object is empty")
    }
    return key
  }

  private mutating func endForm() throws(JSONError) {
    if let key = try reader.nextKey() {
      throw reader.error(.unknownForm, at: key.offset, "only one form at a time")
    }
  }

  private mutating func readBase64() throws(JSONError) -> [UInt8] {
    let text = try reader.readString()
    do throws(TextCodingError) {
      if text.hasEscapes {
        let resolved = Array(reader.string(text).utf8)
        return try Base64.decode(resolved.bytes)
      }
      return try Base64.decode(reader.bytes(of: text))
    } catch {
      throw base64Error(error, text)
    }
  }

  private func base64Error(_ error: TextCodingError, _ text: JSONString) -> JSONError {
    // With escapes the offset in the decoded text says nothing about the place.
    let offset = text.hasEscapes ? text.offset : text.offset + 1 + error.offset
    return reader.error(.invalidBase64, at: offset, error.reason)
  }

  private mutating func readBits() throws(JSONError) -> UInt64 {
    let text = try reader.readString()
    let bytes = try? Hex.decode(reader.bytes(of: text))
    guard let bytes, bytes.count == 8 else {
      throw reader.error(.invalidBits, at: text.offset, "expected 16 hexadecimal digits")
    }
    return bytes.bytes.u64(at: 0).byteSwapped
  }

  // MARK: Numbers and dates

  private func int64(_ number: JSONNumber) throws(JSONError) -> Int64 {
    if let value = reader.int64(number) { return value }
    throw reader.error(
      number.isInteger ? .numberOutOfRange : .wrongType, at: number.offset,
      number.isInteger ? "an integer has at most 64 bits" : "expected an integer")
  }

  private func float64(_ number: JSONNumber) throws(JSONError) -> Float64 {
    if let value = reader.float64(number) { return value }
    throw reader.error(
      .numberOutOfRange, at: number.offset, "a number beyond the range of Float64")
  }

  private func date(_ text: JSONString) throws(JSONError) -> Float64 {
    let seconds: Float64?
    if text.hasEscapes {
      let resolved = Array(reader.string(text).utf8)
      seconds = Timestamp.seconds(resolved.bytes)
    } else {
      seconds = Timestamp.seconds(reader.bytes(of: text))
    }
    if let seconds { return seconds }
    throw reader.error(
      .invalidDate, at: text.offset,
      "expected a date as 2024-05-01T12:00:00Z, or seconds since 2001")
  }
}
