// Items as a property list (Spec/item-model.md, "Property lists of items"): a dictionary of arrays by class, as dumps of
// keychains have it.
//
//   {genp: [{acct: "alice", svce: "web", cdat: <date>, v_Data: <data>}], inet: […], …}
//
// Everything comes back as it went. Texts, data, integers, dates, booleans and reals are what they are; a value of
// type property list is written out, where its bytes are those that writing gives again; what else there is has a form
// that says its type. Columns whose names mean something else here stand under `attributes`.

package import KeychainModel
package import PropertyListCodec

/// The names in a list of items that are no attributes.
enum ItemListNames {
  /// The item's value: `kSecValueData`.
  static let value = "v_Data"
  /// Attributes by column and nothing else.
  static let columns = "attributes"
  /// The two keys of a value in a form of its own: the number of its type, and its bytes.
  static let type = "kcarchive.type"
  static let bytes = "kcarchive.bytes"
}

/// Why an item can't be read from a list.
package struct ItemListError: Error, Hashable, Sendable {
  /// The class, and the item's position in its array, from 0.
  package let itemClass: String
  package let position: Int
  /// The key that it is about, as it stands in the list.
  package let attribute: String?
  /// Of the object, in bytes from the list's start; the line and column in text.
  package let offset: Int
  package let reason: String
}

/// An item of a list, and its value.
package struct ItemListElement: Sendable {
  package let item: KeychainItem
  package let value: [UInt8]?
}

/// Reads a list of items, one at a time.
package struct ItemListReader: Sendable {
  private let document: PropertyListDocument
  private var arrayIndex = 0
  private var position = 0

  /// - Returns: nil for a list that holds no items: its root is a dictionary of arrays of dictionaries, and
  ///   one of the keys at least is a class that is known.
  package init?(_ document: PropertyListDocument) {
    let root = document.root
    guard document.kind(of: root) == .dictionary else { return nil }
    var hasClass = false
    for (key, value) in zip(document.keys(of: root), document.values(of: root)) {
      guard let name = document.string(of: key), (1...255).contains(name.utf8.count),
        document.kind(of: value) == .array,
        document.children(of: value).allSatisfy({ document.kind(of: $0) == .dictionary })
      else { return nil }
      hasClass = hasClass || ItemClass(known: name) != nil
    }
    guard hasClass else { return nil }
    self.document = document
  }

  /// The next item, or nil behind the last.
  package mutating func next() throws(ItemListError) -> ItemListElement? {
    let keys = document.keys(of: document.root)
    while arrayIndex < keys.count {
      let elements = document.children(of: document.values(of: document.root)[arrayIndex])
      guard position < elements.count else {
        arrayIndex += 1
        position = 0
        continue
      }
      defer { position += 1 }
      let name = document.string(of: keys[arrayIndex]) ?? ""
      return try element(elements[position], ItemClass(rawValue: name))
    }
    return nil
  }

  private func element(
    _ node: PropertyListNode, _ itemClass: ItemClass
  ) throws(ItemListError) -> ItemListElement {
    var attributes: [Attribute] = []
    var seen: Set<AttributeKey> = []
    var value: [UInt8]?
    func add(
      _ key: AttributeKey, _ name: String, _ node: PropertyListNode
    ) throws(ItemListError) {
      guard (1...255).contains(key.column.utf8.count) else {
        throw error(itemClass, name, node, "a name has 1 to 255 bytes")
      }
      guard key != .itemClass else {
        throw error(itemClass, name, node, "the array that an item is in says its class")
      }
      guard seen.insert(key).inserted else {
        throw error(itemClass, name, node, "the attribute is there twice")
      }
      attributes.append(Attribute(key, try attribute(node, itemClass, name)))
    }
    for (key, child) in zip(document.keys(of: node), document.values(of: node)) {
      guard let name = document.string(of: key) else {
        throw error(itemClass, nil, node, "a key that is no text")
      }
      switch name {
      case ItemListNames.value:
        guard value == nil else { throw error(itemClass, name, child, "a second value") }
        guard let bytes = document.data(of: child), document.kind(of: child) == .data else {
          throw error(itemClass, name, child, "the value is not data")
        }
        value = bytes
      case ItemListNames.columns where document.kind(of: child) == .dictionary:
        for (key, column) in zip(document.keys(of: child), document.values(of: child)) {
          guard let name = document.string(of: key) else {
            throw error(itemClass, nil, child, "a key that is no text")
          }
          try add(AttributeKey(column: name), name, column)
        }
      default: try add(AttributeKey(named: name), name, child)
      }
    }
    // With its class, an item has at most 1024.
    guard attributes.count < 1024 else {
      throw error(itemClass, nil, node, "more than 1023 attributes")
    }
    return ItemListElement(item: KeychainItem(itemClass, attributes: attributes), value: value)
  }

  private func attribute(
    _ node: PropertyListNode, _ itemClass: ItemClass, _ name: String
  ) throws(ItemListError) -> AttributeValue {
    switch document.kind(of: node) {
    case .string: if let text = document.string(of: node) { return .text(text) }
    case .data: return .bytes(document.data(of: node) ?? [])
    case .boolean: return .boolean(document.boolean(of: node) ?? false)
    case .date: return .date(document.date(of: node) ?? 0)
    case .integer:
      if let number = document.integer(of: node).flatMap({ Int64(exactly: $0) }) {
        return .integer(number)
      }
    case .real:
      if document.real32(of: node) == nil, let number = document.real(of: node) {
        return .real(number)
      }
    case .dictionary: if let value = try typed(node, itemClass, name) { return value }
    default: break
    }
    do throws(PropertyListError) {
      return .propertyList(try document.binary(of: node))
    } catch {
      throw self.error(itemClass, name, node, error.reason)
    }
  }

  /// A value in the form that says its type. Nil for other dictionaries.
  private func typed(
    _ node: PropertyListNode, _ itemClass: ItemClass, _ name: String
  ) throws(ItemListError) -> AttributeValue? {
    guard document.keys(of: node).count == 2,
      let type = document.value(for: ItemListNames.type, in: node),
      let bytes = document.value(for: ItemListNames.bytes, in: node)
    else { return nil }
    guard let number = document.integer(of: type), let number = UInt8(exactly: number),
      number > 6, document.kind(of: bytes) == .data, let content = document.data(of: bytes)
    else { throw error(itemClass, name, node, "a type and bytes that no attribute has") }
    return number == 7 ? .propertyList(content) : .unknown(type: number, bytes: content)
  }

  private func error(
    _ itemClass: ItemClass, _ attribute: String?, _ node: PropertyListNode, _ reason: String
  ) -> ItemListError {
    ItemListError(
      itemClass: itemClass.rawValue, position: position, attribute: attribute,
      offset: document.range(of: node).lowerBound, reason: reason)
  }
}

/// Gathers items for a list of them.
package struct ItemListWriter: Sendable {
  private var classes: [(itemClass: ItemClass, items: [PropertyListValue])] = []

  package init() {
    // Those that lists of items have everywhere, also where they are empty.
    for itemClass in [ItemClass.genericPassword, .internetPassword, .certificate, .key] {
      classes.append((itemClass, []))
    }
  }

  /// Whether no item has been added.
  package var isEmpty: Bool { classes.allSatisfy(\.items.isEmpty) }

  package mutating func append(_ item: KeychainItem, value: [UInt8]?) {
    var entries: [PropertyListValue.Entry] = []
    var columns: [PropertyListValue.Entry] = []
    for attribute in item.attributes {
      let column = attribute.key.column
      let isPlain =
        AttributeKey(named: column) == attribute.key
        && ![ItemListNames.value, ItemListNames.columns].contains {
          $0.utf8.elementsEqual(column.utf8)
        }
      let entry = PropertyListValue.Entry(column, Self.value(attribute.value))
      if isPlain { entries.append(entry) } else { columns.append(entry) }
    }
    if !columns.isEmpty { entries.append(.init(ItemListNames.columns, .dictionary(columns))) }
    if let value { entries.append(.init(ItemListNames.value, .data(value))) }
    if let index = classes.firstIndex(where: { $0.itemClass == item.itemClass }) {
      classes[index].items.append(.dictionary(entries))
    } else {
      classes.append((item.itemClass, [.dictionary(entries)]))
    }
  }

  /// The list: binary, for XML has neither fractions of a second nor all that attributes can hold.
  package func file() throws(PropertyListError) -> [UInt8] {
    try PropertyListValue.dictionary(
      classes.map { .init($0.itemClass.rawValue, .array($0.items)) }
    ).binary()
  }

  private static func value(_ value: AttributeValue) -> PropertyListValue {
    switch value {
    case .text(let text): .string(text)
    case .bytes(let bytes): .data(bytes)
    case .integer(let number): .integer(Int128(number))
    case .date(let seconds): .date(seconds)
    case .boolean(let flag): .boolean(flag)
    case .real(let number): .real(number)
    case .propertyList(let bytes): written(bytes) ?? typed(7, bytes)
    case .unknown(let type, let bytes): typed(type, bytes)
    }
  }

  private static func typed(_ type: UInt8, _ bytes: [UInt8]) -> PropertyListValue {
    .dictionary([
      .init(ItemListNames.type, .integer(Int128(type))), .init(ItemListNames.bytes, .data(bytes)),
    ])
  }

  /// A property list written out. Nil where it would be read as another type, or not with the same bytes.
  private static func written(_ bytes: [UInt8]) -> PropertyListValue? {
    guard let document = SecretContent.list(bytes), let value = try? document.value(),
      (try? value.binary()) == bytes
    else { return nil }
    switch value {
    case .string, .data, .boolean, .date, .real: return nil
    case .integer(let number): return Int64(exactly: number) == nil ? value : nil
    case .dictionary(let entries):
      let isTyped =
        entries.count == 2 && value[ItemListNames.type] != nil
        && value[ItemListNames.bytes] != nil
      return isTyped ? nil : value
    default: return value
    }
  }
}
