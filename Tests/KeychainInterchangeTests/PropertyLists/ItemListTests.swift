// Property lists of items: everything comes back as it went.

import KeychainModel
import PropertyListCodec
import Testing

@testable import KeychainInterchange

@Suite("Property lists of items")
struct ItemListTests {
  private func elements(_ bytes: [UInt8]) throws -> [ItemListElement] {
    var reader = try #require(ItemListReader(try PropertyListDocument(bytes)))
    var elements: [ItemListElement] = []
    while let element = try reader.next() { elements.append(element) }
    return elements
  }

  private func written(_ item: KeychainItem, _ value: [UInt8]?) throws -> [UInt8] {
    var writer = ItemListWriter()
    writer.append(item, value: value)
    return try writer.file()
  }

  static let list = try! PropertyListValue.array([.integer(1), .null]).binary()

  static let values: [AttributeValue] = [
    .text(""), .text("é"), .text("e\u{301}"), .bytes([]), .bytes([0, 255]), .integer(0),
    .integer(.min), .integer(.max), .date(0.1), .date(-.infinity), .boolean(true), .boolean(false),
    .real(.nan), .real(-0.0), .propertyList(list),
    .propertyList(try! PropertyListValue.string("text").binary()),
    .propertyList(try! PropertyListValue.real32(0.5).binary()),
    .propertyList(try! PropertyListValue.integer(1 << 70).binary()),
    .propertyList(try! PropertyListValue.integer(1).binary()),
    .propertyList([]), .propertyList(Array("bplist00".utf8)),
    .propertyList(
      try! PropertyListValue.dictionary([
        .init("kcarchive.type", .integer(7)), .init("kcarchive.bytes", .data([1])),
      ]).binary()),
    .unknown(type: 9, bytes: [1, 2]), .unknown(type: 255, bytes: []),
  ]

  @Test("Every attribute value comes back", arguments: values.indices)
  func roundTrip(_ index: Int) throws {
    let item = KeychainItem(.genericPassword, [.account: Self.values[index]])
    let found = try elements(written(item, [1]))
    #expect(found.map(\.item) == [item])
    #expect(found.map(\.value) == [[1]])
  }

  @Test(
    "Every column comes back",
    arguments: [
      "acct", "account", "v_Data", "v_Ref", "attributes", "value", "kcarchive.type", "a.b", "größe",
      "creationDate", "svce", "keyType", String(repeating: "x", count: 255),
    ])
  func columns(_ column: String) throws {
    let item = KeychainItem(
      ItemClass(rawValue: "genp"), [AttributeKey(column: column): .text("x"), .label: .text("l")])
    let found = try elements(written(item, nil))
    #expect(found.map(\.item) == [item])
    #expect(found[0].value == nil)
  }

  @Test("All classes come back, unknown ones by name; the usual ones are there when empty")
  func classes() throws {
    var writer = ItemListWriter()
    #expect(writer.isEmpty)
    let classes = ["keys", "idnt", "genp", "odd", "inet", "cert"].map { ItemClass(rawValue: $0) }
    for itemClass in classes { writer.append(KeychainItem(itemClass), value: nil) }
    #expect(!writer.isEmpty)
    let document = try PropertyListDocument(writer.file())
    #expect(
      document.keys(of: document.root).map { document.string(of: $0) } == [
        "genp", "inet", "cert", "keys", "idnt", "odd",
      ])
    #expect(
      try elements(writer.file()).map(\.item.itemClass.rawValue) == [
        "genp", "inet", "cert", "keys", "idnt", "odd",
      ])
    #expect(try elements(ItemListWriter().file()).isEmpty)
  }

  @Test("SecItem's names are read")
  func names() throws {
    let bytes = try dictionary([
      "genp": .array([
        dictionary([
          "account": .string("a"), "service": .string("s"), "created": .date(1),
          "v_Data": .data([2]), "tags": .array([.string("t")]),
        ])
      ])
    ]).xml()
    let found = try elements(bytes)
    #expect(found.count == 1)
    #expect(found[0].item[.account] == .text("a"))
    #expect(found[0].item[.creationDate] == .date(1))
    #expect(
      found[0].item[AttributeKey(column: "tags")]
        == .propertyList(try PropertyListValue.array([.string("t")]).binary()))
  }

  @Test(
    "Other lists are none of items",
    arguments: [
      PropertyListValue.array([]), .string("genp"), dictionary([:]),
      dictionary(["genp": .string("x")]), dictionary(["genp": .array([.string("x")])]),
      dictionary(["genp": .array([]), "password": .string("x")]),
      dictionary(["odd": .array([])]), .dictionary([.init(.integer(1), .array([]))]),
    ])
  func others(_ value: PropertyListValue) throws {
    #expect(ItemListReader(try PropertyListDocument(value.binary())) == nil)
  }

  static let wrong: [(PropertyListValue, String)] = [
    (dictionary(["v_Data": .string("x")]), "the value is not data"),
    (dictionary(["acct": .string("a"), "account": .string("b")]), "the attribute is there twice"),
    (dictionary(["": .string("a")]), "a name has 1 to 255 bytes"),
    (dictionary(["class": .string("inet")]), "the array that an item is in says its class"),
    (.dictionary([.init(.integer(1), .null)]), "a key that is no text"),
    (
      dictionary([
        "x": dictionary(["kcarchive.type": .integer(3), "kcarchive.bytes": .data([])])
      ]), "a type and bytes that no attribute has"
    ),
    (
      .dictionary((0..<1024).map { .init("a\($0)", .integer(1)) }), "more than 1023 attributes"
    ),
  ]

  @Test("What is no item is refused with its place", arguments: wrong.indices)
  func malformed(_ index: Int) throws {
    let (value, reason) = Self.wrong[index]
    let bytes = try dictionary([
      "genp": .array([dictionary([:])]), "inet": .array([dictionary([:]), value]),
    ])
    .binary()
    let error = #expect(throws: ItemListError.self) { try elements(bytes) }
    #expect(error?.reason == reason)
    #expect(error?.itemClass == "inet")
    #expect(error?.position == 1)
    #expect((error?.offset ?? 0) > 8)
  }
}
