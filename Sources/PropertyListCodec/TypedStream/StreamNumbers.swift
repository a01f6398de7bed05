// Values and decimal numbers of typed streams: structures there, texts and fields in keyed archives.

internal import ByteCoding

extension StreamItems {
  /// The next value, if it is a number.
  mutating func takeNumber() -> StreamItem? {
    for letter in "cCsSiIlLqQfdB" {
      if let item = take(letter) { return item }
    }
    return nil
  }
}

extension TypedStreamReader {
  // MARK: Values

  /// A structure whose values keyed archives have in a field of its own.
  private enum Geometry {
    case point, size, rectangle, range

    static let longestEncoding = 64

    /// `NS.special`.
    var number: Int128 {
      switch self {
      case .point: 1
      case .size: 2
      case .rectangle: 3
      case .range: 4
      }
    }

    /// By the name in a type encoding, `{CGSize=`.
    init?(encoding: [UInt8]) {
      guard encoding.first == UInt8(ascii: "{"),
        let end = encoding.firstIndex(of: UInt8(ascii: "=")),
        let found = Self.byName[Array(encoding[1..<end])]
      else { return nil }
      self = found
    }

    private static let byName: [[UInt8]: Geometry] = {
      var table = [Array("NSRange".utf8): Geometry.range, Array("_NSRange".utf8): .range]
      for prefix in ["CG", "NS", "_NS"] {
        table[Array("\(prefix)Point".utf8)] = .point
        table[Array("\(prefix)Size".utf8)] = .size
        table[Array("\(prefix)Rect".utf8)] = .rectangle
      }
      return table
    }()
  }

  /// The type encoding, and a value of that type.
  mutating func value(_ items: inout StreamItems) throws(PropertyListError) -> StreamObject? {
    guard let type = items.take("*"), case .string(let number) = type.content else { return nil }
    var next = items
    // Long ones, which many values can have, are none of these.
    let encoding = Array(table.content[strings[number].prefix(Geometry.longestEncoding)])
    guard let geometry = Geometry(encoding: encoding), let item = next.take("{"),
      case .list(let list) = item.content,
      let fields = try fields(of: geometry, list, for: item.place)
    else {
      // As keyed archives have values of other types: `$0` and `$1`.
      guard let value = next.takeAny() else { return nil }
      let typeNode =
        if let text = try text(ofString: number, for: type.place) { text } else {
          try table.data(at: strings[number], for: type.place)
        }
      items = next
      return StreamObject([("$0", typeNode), ("$1", try node(value))])
    }
    items = next
    return StreamObject(
      [("NS.special", try table.integer(geometry.number, for: item.place))] + fields)
  }

  private mutating func fields(
    of geometry: Geometry, _ list: UInt32, for place: Range<Int>
  ) throws(PropertyListError) -> [(name: String, node: UInt32)]? {
    let elements = Array(table.elements(of: list))
    switch geometry {
    case .range:
      guard elements.count == 2, elements.allSatisfy({ table.isInteger($0) }) else { return nil }
      return [("NS.rangeval.location", elements[0]), ("NS.rangeval.length", elements[1])]
    case .point, .size:
      guard let text = pair(elements) else { return nil }
      let field = geometry.number == 1 ? "NS.pointval" : "NS.sizeval"
      return [(field, try table.string(text, for: place))]
    case .rectangle:
      guard elements.count == 2, let origin = pair(Array(table.elements(of: elements[0]))),
        let size = pair(Array(table.elements(of: elements[1])))
      else { return nil }
      return [("NS.rectval", try table.string("{\(origin), \(size)}", for: place))]
    }
  }

  /// `{1, 2.5}`.
  private func pair(_ elements: [UInt32]) -> String? {
    let numbers = elements.compactMap { table.real(at: $0) }
    guard elements.count == 2, numbers.count == 2 else { return nil }
    return "{\(numbers[0]), \(numbers[1])}"
  }

  // MARK: Decimal numbers

  mutating func decimalNumber(
    _ items: inout StreamItems, for place: Range<Int>
  ) throws(PropertyListError) -> StreamObject? {
    guard let exponent = items.take("i"), let length = items.take("S"),
      let isNegative = items.integer("C"), let isCompact = items.integer("C"),
      0...1 ~= isNegative, 0...1 ~= isCompact,
      items.integer("I") == 8, case .list(let list)? = items.take("{")?.content
    else { return nil }
    let units = table.elements(of: list).compactMap { table.unit(at: $0) }
    guard units.count == 8 else { return nil }
    let mantissa = units.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    return StreamObject([
      ("NS.exponent", try node(exponent)), ("NS.length", try node(length)),
      ("NS.negative", try table.boolean(isNegative == 1, for: place)),
      ("NS.compact", try table.boolean(isCompact == 1, for: place)),
      ("NS.mantissa", try table.data(mantissa, for: place)),
      // Little-endian.
      ("NS.mantissa.bo", try table.integer(1, for: place)),
    ])
  }
}

extension ArchiveTable {
  func isInteger(_ node: UInt32) -> Bool { table.records[Int(node)].kind == .integer }

  /// A real as text: integral ones without a fraction. Nil for other nodes.
  func real(at node: UInt32) -> String? {
    switch ScalarReader.value(table.records[Int(node)], content.bytes) {
    case .real(let value): DescriptionBuilder.text(value)
    case .real32(let value): DescriptionBuilder.text(value)
    default: nil
    }
  }

  /// An integer of 16 bits. Nil for other nodes.
  func unit(at node: UInt32) -> UInt16? {
    guard case .integer(let value) = ScalarReader.value(table.records[Int(node)], content.bytes)
    else { return nil }
    return UInt16(exactly: value)
  }

  /// The text of a string object, in place or of a class. Nil for other objects, and for one that is not made yet.
  func text(ofObject number: UInt32) -> NodeRecord? {
    let record = table.records[Int(objects[Int(number)])]
    guard record.kind == .dictionary else {
      return record.kind == .string && objects[Int(number)] != objects[0] ? record : nil
    }
    let links = table.links[record.links]
    guard let position = links.firstIndex(where: { $0 == constantNode("NS.string") }) else {
      return nil
    }
    return table.records[Int(links[position + links.count / 2])]
  }
}
