// Objects of a typed stream as objects of a keyed archive. Classes whose values are known get the fields that
// NSKeyedArchiver gives them; what is left over, and all values of other classes, are fields without a name.

internal import ByteCoding

/// How a class of Foundation or AppKit writes its objects into a typed stream.
enum StreamForm {
  case string, data, date, null, number, value
  case array, set, dictionary
  case url, attributedString, decimalNumber, color, font

  /// By the bytes of the class's name. Mutable classes are found by their superclasses.
  static let byName: [[UInt8]: StreamForm] = [
    Array("NSString".utf8): .string, Array("NSData".utf8): .data, Array("NSDate".utf8): .date,
    Array("NSNull".utf8): .null, Array("NSNumber".utf8): .number, Array("NSValue".utf8): .value,
    Array("NSArray".utf8): .array, Array("NSSet".utf8): .set,
    Array("NSDictionary".utf8): .dictionary, Array("NSURL".utf8): .url,
    Array("NSAttributedString".utf8): .attributedString,
    Array("NSDecimalNumber".utf8): .decimalNumber,
    Array("NSDecimalNumberPlaceholder".utf8): .decimalNumber,
    Array("NSColor".utf8): .color, Array("NSFont".utf8): .font,
  ]

  static let longestName = 26
}

/// What the values of an object of a known class are.
struct StreamObject {
  var fields: [(name: String, node: UInt32)] = []
  /// The value in place that `NSKeyedArchiver` writes for the object, if it has just that.
  var inline: UInt32?

  init(_ fields: [(name: String, node: UInt32)], inline: UInt32? = nil) {
    self.fields = fields
    self.inline = inline
  }
}

extension TypedStreamReader {
  /// Puts an object with these values into the archive.
  mutating func makeObject(
    _ number: UInt32, _ ofClass: StreamClass, _ values: [StreamItem], for place: Range<Int>
  ) throws(PropertyListError) {
    var items = StreamItems(values)
    var object = StreamObject([])
    if let form = ofClass.form {
      var taken = items
      if let known = try known(form, &taken, for: place) { (object, items) = (known, taken) }
    }
    if let inline = object.inline, ofClass.isFormsOwn, items.rest.isEmpty {
      return table.set(inline, ofObject: number)
    }
    var unkeyed: [UInt32] = []
    unkeyed.reserveCapacity(items.rest.count)
    for item in items.rest { unkeyed.append(try node(item)) }
    object.fields.append((ArchiveTable.classField, try table.uid(ofClass.number, for: place)))
    table.set(try table.dictionary(object.fields, unkeyed: unkeyed, for: place), ofObject: number)
  }

  /// The node that stands for a value in an array or a field.
  mutating func node(_ item: StreamItem) throws(PropertyListError) -> UInt32 {
    let place = item.place
    switch item.content {
    case .null: return try table.uid(0, for: place)
    case .boolean(let value): return try table.boolean(value, for: place)
    case .integer(let value): return try table.integer(value, for: place)
    case .real(let value): return try table.real(value, for: place)
    case .real32(let value): return try table.real32(value, for: place)
    case .bytes(let range): return try table.data(at: range, for: place)
    case .list(let node): return node
    case .object(let number): return try table.uid(number, for: place)
    case .classReference(let index):
      let reference = try table.uid(classes[index].number, for: place)
      return try table.object(ofOwnClass: ["Class"], nil, reference, for: place)
    case .string(let number):
      let name =
        switch item.letter {
        case UInt8(ascii: "*"): "char *"
        case UInt8(ascii: ":"): "SEL"
        default: "NXAtom"
        }
      let text =
        if let string = try text(ofString: number, for: place) { string } else {
          try table.data(at: strings[number], for: place)
        }
      return try table.object(ofOwnClass: [name], nil, text, for: place)
    }
  }

  // MARK: Classes

  /// Takes the values of a class. Nil when they are not as the class writes them; some have been taken then.
  private mutating func known(
    _ form: StreamForm, _ items: inout StreamItems, for place: Range<Int>
  ) throws(PropertyListError) -> StreamObject? {
    switch form {
    case .string: return try string(&items)
    case .data: return try data(&items, for: place)
    case .null: return StreamObject([])
    case .date:
      guard let item = items.take("d") else { return nil }
      return StreamObject([("NS.time", try node(item))])
    case .number: return try number(&items)
    case .value: return try value(&items)
    case .array: return try elements(items.integer("i"), &items, for: place)
    case .set: return try elements(items.integer("I"), &items, for: place)
    case .dictionary: return try dictionary(&items, for: place)
    case .url: return try url(&items, for: place)
    case .attributedString: return try attributedString(&items, for: place)
    case .decimalNumber: return try decimalNumber(&items, for: place)
    case .color: return try color(&items, for: place)
    case .font: return try font(&items)
    }
  }

  private mutating func string(
    _ items: inout StreamItems
  ) throws(PropertyListError) -> StreamObject? {
    guard let range = items.bytes("+") else { return nil }
    guard let text = try table.string(at: range, for: range) else {
      return StreamObject([("NS.bytes", try table.data(at: range, for: range))])
    }
    // In place it would be nil.
    let isNull = table.content[range].elementsEqual("$null".utf8)
    return StreamObject([("NS.string", text)], inline: isNull ? nil : text)
  }

  private mutating func data(
    _ items: inout StreamItems, for place: Range<Int>
  ) throws(PropertyListError) -> StreamObject? {
    guard let count = items.integer("i") else { return nil }
    let range = items.bytes("[") ?? (count == 0 ? place.lowerBound..<place.lowerBound : nil)
    guard let range, range.count == count else { return nil }
    let data = try table.data(at: range, for: place)
    return StreamObject([("NS.data", data)], inline: data)
  }

  private mutating func number(
    _ items: inout StreamItems
  ) throws(PropertyListError) -> StreamObject? {
    guard items.take("*") != nil, let item = items.takeNumber() else { return nil }
    let number = try node(item)
    return StreamObject([("NS.number", number)], inline: number)
  }

  private mutating func url(
    _ items: inout StreamItems, for place: Range<Int>
  ) throws(PropertyListError) -> StreamObject? {
    guard let isRelative = items.integer("c"), 0...1 ~= isRelative else { return nil }
    var base = try table.uid(0, for: place)
    if isRelative == 1 {
      guard let item = items.take("@") else { return nil }
      base = try node(item)
    }
    guard let relative = items.take("@") else { return nil }
    return StreamObject([("NS.base", base), ("NS.relative", try node(relative))])
  }

  // MARK: Collections

  private mutating func elements(
    _ count: Int?, _ items: inout StreamItems, for place: Range<Int>
  ) throws(PropertyListError) -> StreamObject? {
    guard let count, let objects = items.objects(count) else { return nil }
    var nodes: [UInt32] = []
    nodes.reserveCapacity(count)
    for item in objects { nodes.append(try node(item)) }
    return StreamObject([("NS.objects", try table.array(nodes, for: place))])
  }

  private mutating func dictionary(
    _ items: inout StreamItems, for place: Range<Int>
  ) throws(PropertyListError) -> StreamObject? {
    guard let count = items.integer("i"), 0...Int(Int32.max) ~= count,
      let objects = items.objects(2 * count)
    else { return nil }
    var keys: [UInt32] = []
    var values: [UInt32] = []
    for (index, item) in objects.enumerated() {
      let node = try node(item)
      if index % 2 == 0 { keys.append(node) } else { values.append(node) }
    }
    return StreamObject([
      ("NS.keys", try table.array(keys, for: place)),
      ("NS.objects", try table.array(values, for: place)),
    ])
  }
}
