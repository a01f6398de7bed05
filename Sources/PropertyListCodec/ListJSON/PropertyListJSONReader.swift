// From JSON to property lists. An object is read as a dictionary first; where its only key begins with `$`, its
// value is then taken for what the tag says.

internal import ByteCoding

extension JSONReader {
  /// Reads the next value, which is a property list in the tagged form.
  ///
  /// Containers are nested up to 512 deep; their tags do not count.
  package mutating func readPropertyList() throws(JSONError) -> PropertyListValue {
    let outer = depthLimit
    // A dictionary can take three arrays and objects, and a value in the innermost one more.
    depthLimit = depth + 3 * Self.maximumDepth + 1
    let measured = try readValue()
    depthLimit = outer
    guard measured.height <= Self.maximumDepth else { throw tooDeep() }
    return measured.value
  }

  /// A value, and how deep containers are nested in it.
  private typealias Measured = (value: PropertyListValue, height: Int)

  /// Recurs no deeper than the limit of the reader.
  private mutating func readValue() throws(JSONError) -> Measured {
    switch try peek() {
    case .null:
      try readNull()
      return (.null, 0)
    case .boolean: return (.boolean(try readBoolean()), 0)
    case .string: return (.string(string(try readString())), 0)
    case .number: return (try readPropertyListNumber(), 0)
    case .array:
      var elements: [PropertyListValue] = []
      var height = 0
      try beginArray()
      while try nextElement() {
        let element = try readValue()
        height = max(height, element.height)
        elements.append(element.value)
      }
      return (.array(elements), try raised(height))
    case .object: return try readDictionary()
    }
  }

  /// The height of a container around values of the height given.
  private func raised(_ height: Int) throws(JSONError) -> Int {
    // The arrays of `$dictionary` count twice until their tag is known, so the last word is not here.
    guard height < 2 * Self.maximumDepth else { throw tooDeep() }
    return height + 1
  }

  private func tooDeep() -> JSONError {
    error(
      .nestingTooDeep, at: offset, "containers are nested deeper than \(Self.maximumDepth)")
  }

  private mutating func readPropertyListNumber() throws(JSONError) -> PropertyListValue {
    let number = try readNumber()
    if number.isInteger {
      if let value = int64(number) { return .integer(Int128(value)) }
      let text = String(
        decoding: bytes(of: number).array(at: 0, count: number.count), as: UTF8.self)
      if let value = Int128(text) { return .integer(value) }
    } else if let value = float64(number) {
      return .real(value)
    }
    throw error(.numberOutOfRange, at: number.offset, "a number beyond the range of its kind")
  }

  private mutating func readDictionary() throws(JSONError) -> Measured {
    var entries: [PropertyListValue.Entry] = []
    var seen = Set<PropertyListValue>()
    var firstOffset = 0
    var height = 0
    try beginObject()
    while let key = try nextKey() {
      let name = PropertyListValue.string(string(key))
      if entries.isEmpty { firstOffset = key.offset }
      guard seen.insert(name).inserted else {
        throw error(
          .duplicateKey, at: key.offset,
          "a key twice, which only {\"$dictionary\":[[key,value]]} can say")
      }
      let value = try readValue()
      height = max(height, value.height)
      entries.append(PropertyListValue.Entry(name, value.value))
    }
    guard entries.count == 1, case .string(let only) = entries[0].key,
      only.utf8.first == UInt8(ascii: "$")
    else { return (.dictionary(entries), try raised(height)) }
    guard let tag = PropertyListTag(only) else {
      throw error(
        .unknownForm, at: firstOffset,
        "a single key that begins with '$' and is no tag; {\"$dictionary\":[[key,value]]} says it")
    }
    guard let value = entries[0].value.tagged(tag) else {
      throw error(.invalidForm, at: firstOffset, tag.expectation)
    }
    switch tag {
    case .set, .orderedSet: return (value, height)
    // Of the array and the pairs in it, one level stays.
    case .dictionary: return (value, max(1, height - 1))
    default: return (value, 0)
    }
  }
}

extension PropertyListTag {
  /// What a tag's content has to be.
  fileprivate var expectation: String {
    switch self {
    case .data, .unknown: "expected Base64 in a string"
    case .date: "expected a date as 2024-05-01T12:00:00Z, or seconds since 2001"
    case .dateBits, .realBits: "expected 16 hexadecimal digits"
    case .real32Bits: "expected 8 hexadecimal digits"
    case .uid: "expected a number from 0 on, or its digits in a string"
    case .real32: "expected a number"
    case .integer: "expected an integer of at most 128 bits, its digits in a string"
    case .set, .orderedSet: "expected an array"
    case .url: "expected an array of strings"
    case .uuid: "expected a UUID in a string"
    case .utf16: "expected the hexadecimal digits of UTF-16 code units"
    case .dictionary: "expected an array of pairs of key and value"
    }
  }
}

extension PropertyListValue {
  /// What a tag makes of its content. Nil when it cannot have such a content.
  fileprivate func tagged(_ tag: PropertyListTag) -> PropertyListValue? {
    switch (tag, self) {
    case (.set, .array(let elements)): return .set(elements)
    case (.orderedSet, .array(let elements)): return .orderedSet(elements)
    case (.dictionary, .array(let pairs)):
      var entries: [Entry] = []
      for pair in pairs {
        guard case .array(let parts) = pair, parts.count == 2 else { return nil }
        entries.append(Entry(parts[0], parts[1]))
      }
      return .dictionary(entries)
    case (.url, .array(let elements)):
      var texts: [String] = []
      for element in elements {
        guard case .string(let text) = element else { return nil }
        texts.append(text)
      }
      return .url(texts)
    case (.date, .real(let seconds)): return .date(seconds)
    case (.date, .integer(let seconds)): return .date(Double(seconds))
    case (.real32, .real(let value)): return Self.real32(value)
    case (.real32, .integer(let value)): return Self.real32(Double(value))
    case (.uid, .integer(let value)): return UInt128(exactly: value).map { .uid($0) }
    case (_, .string(let text)): return Self.tagged(tag, text)
    default: return nil
    }
  }

  private static func tagged(_ tag: PropertyListTag, _ text: String) -> PropertyListValue? {
    let bytes = Array(text.utf8)
    switch tag {
    case .data: return (try? Base64.decode(bytes.bytes)).map { .data($0) }
    case .unknown: return (try? Base64.decode(bytes.bytes)).map { .unknown($0) }
    case .date: return Timestamp.seconds(bytes.bytes).map { .date($0) }
    case .dateBits: return bits(bytes, width: 16).map { .date(Double(bitPattern: $0)) }
    case .realBits: return bits(bytes, width: 16).map { .real(Double(bitPattern: $0)) }
    case .real32Bits:
      return bits(bytes, width: 8).map {
        .real32(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))
      }
    case .uid: return isDecimal(bytes) ? UInt128(text).map { .uid($0) } : nil
    case .integer:
      return isDecimal(bytes[(bytes.first == UInt8(ascii: "-") ? 1 : 0)...])
        ? Int128(text).map { .integer($0) } : nil
    case .uuid: return UUIDText.bytes(text).map { .uuid($0) }
    case .utf16:
      guard let content = try? Hex.decode(bytes.bytes), content.count % 2 == 0 else { return nil }
      let units = UTF16Text.units(content.bytes, 0..<content.count)
      return UTF16Text.isPaired(content.bytes, 0..<content.count)
        ? .string(String(decoding: units, as: UTF16.self)) : .unpairedString(units)
    case .real32, .set, .orderedSet, .url, .dictionary: return nil
    }
  }

  /// Nil where no Float32 is near.
  private static func real32(_ value: Double) -> PropertyListValue? {
    let value = Float(value)
    return value.isFinite ? .real32(value) : nil
  }

  private static func isDecimal(_ digits: some Collection<UInt8>) -> Bool {
    !digits.isEmpty && digits.allSatisfy { 0x30...0x39 ~= $0 }
  }

  private static func bits(_ digits: [UInt8], width: Int) -> UInt64? {
    guard digits.count == width, let bytes = try? Hex.decode(digits.bytes) else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
