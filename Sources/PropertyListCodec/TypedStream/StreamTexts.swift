// Attributed strings, colours and fonts of typed streams: values that keyed archives hold in another way.

internal import ByteCoding

extension TypedStreamReader {
  // MARK: Attributed strings

  /// A text, then for each run the number of its attributes and its length; attributes follow the first run that has
  /// them.
  mutating func attributedString(
    _ items: inout StreamItems, for place: Range<Int>
  ) throws(PropertyListError) -> StreamObject? {
    guard let text = items.take("@"), case .object(let textNumber) = text.content else {
      return nil
    }
    var runs: [UInt8] = []
    var lengths: [Int] = []
    var attributes: [UInt32] = []
    while true {
      var next = items
      guard let number = next.integer("i"), let length = next.integer("I"), number >= 1,
        number <= attributes.count + 1
      else { break }
      if number > attributes.count {
        guard let item = next.take("@") else { break }
        attributes.append(try node(item))
      }
      VariableLengthNumbers.append(UInt64(length), to: &runs)
      VariableLengthNumbers.append(UInt64(number - 1), to: &runs)
      lengths.append(length)
      items = next
    }
    var fields = [(name: "NSString", node: try node(text))]
    if attributes.count == 1, lengths.count == 1, lengths[0] == textLength(ofObject: textNumber) {
      fields.append(("NSAttributes", attributes[0]))
    } else if !lengths.isEmpty {
      let list = try table.object(
        ofOwnClass: ["NSMutableArray", "NSArray", "NSObject"], "NS.objects",
        try table.array(attributes, for: place), for: place)
      fields.append(("NSAttributes", list))
      fields.append(("NSAttributeInfo", try table.data(runs, for: place)))
    }
    return StreamObject(fields)
  }

  /// The length of a string in UTF-16 code units. Nil for other objects, and for one that has not ended.
  private mutating func textLength(ofObject number: UInt32) -> Int? {
    if let known = textLengths[number] { return known }
    guard let record = table.text(ofObject: number) else { return nil }
    let text = NodeText.utf8(of: record, in: table.content.bytes)
    // Characters of four bytes are two units.
    let length = text.count { $0 & 0xc0 != 0x80 } + text.count { $0 >= 0xf0 }
    textLengths[number] = length
    return length
  }

  // MARK: Colours

  /// The number of the space, then its components, or for 6 three objects.
  mutating func color(
    _ items: inout StreamItems, for place: Range<Int>
  ) throws(PropertyListError) -> StreamObject? {
    guard let spaceItem = items.take("c"), case .integer(let space) = spaceItem.content else {
      return nil
    }
    let spaceField = (name: "NSColorSpace", node: try node(spaceItem))
    let field: String
    let count: Int
    switch space {
    case 1, 2: (field, count) = ("NSRGB", 4)
    case 3, 4: (field, count) = ("NSWhite", 2)
    case 5: (field, count) = ("NSCMYK", 5)
    case 6:
      guard let objects = items.objects(3) else { return nil }
      var fields = [spaceField]
      for (name, item) in zip(["NSCatalogName", "NSColorName", "NSColor"], objects) {
        fields.append((name, try node(item)))
      }
      return StreamObject(fields)
    default: return nil
    }
    var components: [String] = []
    for _ in 0..<count {
      guard let component = items.real() else { return nil }
      components.append(DescriptionBuilder.text(component))
    }
    // Numbers as text, with a zero byte at the end.
    let data = try table.data(
      Array(components.joined(separator: " ").utf8) + [0], for: place)
    return StreamObject([spaceField, (field, data)])
  }

  // MARK: Fonts

  /// The name as a serialized string, and the size.
  mutating func font(_ items: inout StreamItems) throws(PropertyListError) -> StreamObject? {
    guard let count = items.integer("i"), let range = items.bytes("["), range.count == count,
      let size = items.take("f"), let name = try serializedString(range)
    else { return nil }
    return StreamObject([("NSName", name), ("NSSize", try node(size))])
  }

  /// A string in the form of `NSSerializer`: 5 for bytes or 6 for UTF-16 with a byte-order mark, and the number of
  /// bytes, both in 32 bits, little-endian; the bytes, and zeros up to a multiple of four. Nil for anything else.
  private mutating func serializedString(
    _ range: Range<Int>
  ) throws(PropertyListError) -> UInt32? {
    guard range.count >= 8 else { return nil }
    let bytes = Array(table.content[range])
    let kind = UInt32(littleEndian: bytes.bytes.u32(at: 0))
    let byteCount = Int(UInt32(littleEndian: bytes.bytes.u32(at: 4)))
    guard byteCount <= bytes.count - 8, bytes.count - 8 - byteCount < 4,
      bytes[(8 + byteCount)...].allSatisfy({ $0 == 0 })
    else { return nil }
    switch kind {
    case 5:
      let start = range.lowerBound + 8
      return try table.string(at: start..<start + byteCount, for: range)
    case 6:
      guard byteCount >= 2, byteCount % 2 == 0 else { return nil }
      var units = Array(bytes[10..<8 + byteCount])
      switch (bytes[8], bytes[9]) {
      case (0xfe, 0xff): break
      case (0xff, 0xfe):
        for index in stride(from: 0, to: units.count, by: 2) { units.swapAt(index, index + 1) }
      default: return nil
      }
      return try table.utf16(units, for: range)
    default: return nil
    }
  }
}
