// Items, keys, values and classes as plain values.

import KeychainModel
import Testing

@Suite("Items")
struct KeychainItemTests {
  @Test("attributes are in the order of their keys' bytes, whatever order they came in")
  func order() {
    let names = ["b", "a", "\u{FC}", "ab", "a\0", "abcdefgh", "abcdefghi", "abcdefg", "Z", ""]
    let item = KeychainItem(
      .file, attributes: names.map { Attribute(AttributeKey(column: $0), .text($0)) })
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    #expect(item.attributes.map(\.key.column) == sorted)
    for name in names { #expect(item[AttributeKey(column: name)] == .text(name)) }
    #expect(item[AttributeKey(column: "abcdefghj")] == nil)
  }

  @Test("the last value of a key counts")
  func duplicates() {
    let item = KeychainItem(
      .genericPassword,
      [.label: .text("1"), .account: .text("2"), .label: .text("3"), .label: .text("4")])
    #expect(item.attributes == [Attribute(.account, .text("2")), Attribute(.label, .text("4"))])
  }

  @Test("attributes are set, changed and removed in place")
  func changing() {
    var item = KeychainItem(.genericPassword)
    item[.service] = .text("s")
    item[.account] = .text("a")
    item[.label] = .text("l")
    #expect(item.attributes.map(\.key) == [.account, .label, .service])
    item[.label] = .integer(1)
    #expect(item[.label] == .integer(1))
    item[.label] = nil
    item[.comment] = nil
    #expect(item == KeychainItem(.genericPassword, [.account: .text("a"), .service: .text("s")]))
  }

  @Test("the class is never among the attributes")
  func classIsNoAttribute() {
    var item = KeychainItem(.file, [.itemClass: .text("genp"), .path: .text("p")])
    item[.itemClass] = .text("inet")
    #expect(item.itemClass == .file)
    #expect(item.attributes.map(\.key) == [.path])
  }

  @Test("keys and texts that only look alike are different")
  func bytewise() {
    #expect(AttributeKey(column: "\u{E9}") != AttributeKey(column: "e\u{301}"))
    #expect(
      AttributeKey(column: "a long name \u{E9}") != AttributeKey(column: "a long name e\u{301}"))
    #expect(AttributeValue.text("\u{E9}") != .text("e\u{301}"))
    #expect(AttributeValue.text("a") != .bytes([0x61]))
  }

  @Test("dates and reals are compared bit for bit")
  func bits() {
    #expect(AttributeValue.date(.nan) == .date(.nan))
    #expect(AttributeValue.date(0.0) != .date(-0.0))
    #expect(AttributeValue.real(0.0) != .real(-0.0))
    #expect(AttributeValue.date(1) != .real(1))
  }

  @Test(
    "texts that differ in one byte are different, wherever it is", arguments: [1, 7, 8, 9, 16, 23])
  func oneByte(length: Int) {
    let text = String(repeating: "x", count: length)
    #expect(AttributeValue.text(text) == .text(text))
    for index in 0..<length {
      var bytes = Array(text.utf8)
      bytes[index] = UInt8(ascii: "y")
      #expect(AttributeValue.text(text) != .text(String(decoding: bytes, as: UTF8.self)))
    }
  }

  @Test("known classes are taken from people, all others only from archives")
  func classes() {
    for itemClass in ItemClass.allKnown {
      #expect(ItemClass(known: itemClass.rawValue) == itemClass)
    }
    for code in ["", "GENP", "gen", "genp ", "apls"] { #expect(ItemClass(known: code) == nil) }
    #expect(ItemClass(rawValue: "a class of our own").rawValue == "a class of our own")
    #expect(!ItemClass(rawValue: "apls").isKnown)
  }

  @Test(
    "items of this device only are told by their accessible value",
    arguments: [
      ("ak", false), ("ck", false), ("dk", false), ("aku", true), ("cku", true), ("dku", true),
      ("akpu", true), ("xu", false),
    ])
  func thisDeviceOnly(code: String, expected: Bool) {
    #expect(Accessible(rawValue: code).isThisDeviceOnly == expected)
    let item = KeychainItem(.genericPassword, [.accessible: .text(code)])
    #expect(item.accessible?.rawValue == code)
    #expect(item.isThisDeviceOnly == expected)
    let bytes = KeychainItem(.genericPassword, [.accessible: .bytes(Array(code.utf8))])
    #expect(bytes.isThisDeviceOnly == expected)
  }

  @Test("an item without accessible may leave its device")
  func noAccessible() {
    #expect(KeychainItem(.genericPassword).accessible == nil)
    #expect(!KeychainItem(.genericPassword).isThisDeviceOnly)
    #expect(!KeychainItem(.genericPassword, [.accessible: .integer(1)]).isThisDeviceOnly)
  }

  static let namedItems: [(KeychainItem, String)] = [
    (
      KeychainItem(
        .genericPassword, [.service: .text("com.example.app"), .account: .text("alice")]),
      "genp com.example.app / alice"
    ),
    (KeychainItem(.genericPassword, [.service: .text("s"), .account: .text("")]), "genp s"),
    (KeychainItem(.genericPassword, [.account: .bytes([0x61])]), "genp / a"),
    (KeychainItem(.genericPassword, [.account: .bytes([0xFF, 0x01])]), "genp / ff01"),
    (KeychainItem(.genericPassword, [.label: .text("L")]), "genp L"),
    (KeychainItem(.genericPassword), "genp"),
    (
      KeychainItem(.internetPassword, [.server: .text("example.com"), .account: .text("alice")]),
      "inet example.com / alice"
    ),
    (
      KeychainItem(.certificate, [.label: .text("Root"), .serialNumber: .bytes([1])]),
      "cert Root"
    ),
    (KeychainItem(.certificate, [.serialNumber: .bytes([1, 0xAB])]), "cert serial number 01ab"),
    (KeychainItem(.key, [.applicationTag: .bytes(Array("tag".utf8))]), "keys tag"),
    (
      KeychainItem(.key, [.applicationLabel: .bytes([UInt8](repeating: 7, count: 21))]),
      "keys " + String(repeating: "07", count: 20) + "…"
    ),
    (KeychainItem(.file, [.path: .text("a/b")]), "file a/b"),
    (
      KeychainItem(.file, [.path: .text(String(repeating: "p", count: 81))]),
      "file " + String(repeating: "p", count: 80) + "…"
    ),
    (
      KeychainItem(.file, [.path: .text(String(repeating: "é", count: 80))]),
      "file " + String(repeating: "é", count: 80)
    ),
    (KeychainItem(.file, [.path: .bytes([0x64, 0x2F, 0xFF, 0xC3, 0xA9])]), "file d/\\xffé"),
    (KeychainItem(ItemClass(rawValue: "apls"), [.account: .text("a")]), "apls a"),
  ]

  @Test(
    "messages call an item by its class and what tells it from others",
    arguments: namedItems)
  func namesInMessages(item: KeychainItem, name: String) {
    #expect(item.displayName == name)
  }
}
