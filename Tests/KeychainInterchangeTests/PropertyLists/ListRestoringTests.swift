// Items of lists, what rules make of them, and the way back.

import KeychainModel
import PropertyListCodec
import Testing

@testable import KeychainInterchange

@Suite("Items of lists and back")
struct ListRestoringTests {
  /// One of each kind that a binary list can have.
  static let everything = dictionary([
    "string": .string("é"), "unpaired": .unpairedString([0xdc00, 0x61]), "data": .data([0, 1]),
    "integer": .integer(-1), "large": .integer(1 << 100), "real": .real(0.1),
    "real32": .real32(0.5),
    "true": .boolean(true), "date": .date(0.25), "null": .null, "uid": .uid(300),
    "url": .url(["a:", "b"]), "uuid": .uuid(Array(0..<16)), "set": .set([.integer(1)]),
    "ordered": .orderedSet([.string("x")]), "array": .array([.null, .string("é")]),
    "dictionary": dictionary(["x": .integer(1)]), "empty": dictionary([:]), "a.b[0]": .string("k"),
    "": .string("no name"),
  ])

  private func items(_ plan: MigrationPlan) throws -> [ListItem] {
    try plan.keys.filter(\.isTaken).map { try plan.item(for: $0, group: nil) }
  }

  private func restored(
    _ items: [ListItem], file: [UInt8]? = nil, edit: (Int, inout [UInt8]) -> Void = { _, _ in }
  ) throws -> (bytes: [UInt8], losses: [RestoredList.Loss]) {
    var list = RestoredList(path: Array("a.plist".utf8))
    if let file { list.add(file: KeychainItem(.file), file) }
    for (index, item) in items.enumerated() {
      var value = item.value
      edit(index, &value)
      list.add(item.item, value: value)
    }
    return try list.bytes()
  }

  @Test("Values of every kind come back, with the list and without it", arguments: [false, true])
  func kinds(withFile: Bool) throws {
    let plan = try plan(Self.everything, all: true)
    let found = try items(plan)
    #expect(found.count == 20)
    #expect(found.map(\.loss).allSatisfy { $0 == nil })
    let file = plan.list.document.bytes
    let (bytes, losses) = try restored(found, file: withFile ? file : nil)
    #expect(losses.isEmpty)
    #expect(try PropertyListDocument(bytes).value() == Self.everything)
    if withFile { #expect(bytes == file) }
  }

  @Test("Items have the list's domain, path and kind")
  func attributes() throws {
    let plan = try plan(Self.everything, all: true)
    let first = try #require(try items(plan).first)
    #expect(
      first.item
        == KeychainItem(
          .genericPassword,
          [
            .service: .text("org.example.app"), .account: .text("string"),
            .listType: .text("string"), .listFile: .text("org.example.app.plist"),
            .listFormat: .text("binary"),
          ]))
    #expect(first.value == Array("é".utf8))
    let unpaired = try items(plan)[1]
    #expect(unpaired.item[.listEncoding] == .text("list"))
  }

  @Test("Integers wider than they have to be are not changed by coming back")
  func widths() throws {
    // {a: 0x0001 in two bytes}
    let file =
      Array("bplist00".utf8) + [0xd1, 1, 2, 0x51, 0x61, 0x11, 0, 1]
      + [8, 11, 13, 0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 0, 0]
      + [0, 0, 0, 0, 0, 0, 0, 16]
    let document = try PropertyListDocument(file)
    let list = SourceList(
      file: [], path: Array("a.plist".utf8), document: document, fileItem: KeychainItem(.file))
    let plan = try MigrationPlan(list, rules: MigrationRules(), takingEverything: true)
    #expect(try restored(items(plan), file: file).bytes == file)
  }

  @Test(
    "A changed item changes its own place only, though its string was shared",
    arguments: [false, true])
  func changed(isXML: Bool) throws {
    let value = dictionary(["a": .string("same"), "b": .string("same"), "n": .integer(1)])
    let list = try sourceList(value, isXML: isXML)
    let plan = try MigrationPlan(list, rules: MigrationRules(), takingEverything: true)
    let (bytes, losses) = try restored(items(plan), file: list.document.bytes) { index, value in
      if index == 1 { value = Array("new".utf8) }
    }
    #expect(losses.isEmpty)
    let tree = try PropertyListDocument(bytes).value()
    #expect(tree == dictionary(["a": .string("same"), "b": .string("new"), "n": .integer(1)]))
    #expect(PropertyListDocument.format(of: bytes) == (isXML ? .xml : .binary))
  }

  @Test("A list that is made anew has dictionaries for keys and arrays for positions")
  func built() throws {
    let value = dictionary([
      "list": .array([
        dictionary(["pin": .integer(1), "x": .integer(2)]), dictionary(["pin": .integer(3)]),
      ]),
      "a": dictionary(["token": .string("t")]),
    ])
    let list = try sourceList(value, isXML: true)
    let plan = try MigrationPlan(list, rules: MigrationRules(), takingEverything: false)
    let (bytes, losses) = try restored(items(plan))
    #expect(losses.isEmpty)
    #expect(PropertyListDocument.format(of: bytes) == .xml)
    #expect(
      try PropertyListDocument(bytes).value()
        == dictionary([
          "list": .array([dictionary(["pin": .integer(1)]), dictionary(["pin": .integer(3)])]),
          "a": dictionary(["token": .string("t")]),
        ]))
  }

  @Test("Items that do not fit are losses, and the others are restored")
  func losses() throws {
    func item(_ account: String, _ type: String, _ attributes: [Attribute] = []) -> KeychainItem {
      KeychainItem(
        .genericPassword,
        attributes: attributes + [
          Attribute(.account, .text(account)), Attribute(.listType, .text(type)),
        ])
    }
    var list = RestoredList(path: Array("a.plist".utf8))
    list.add(item("a", "string"), value: Array("x".utf8))
    list.add(item("a", "string"), value: Array("y".utf8))
    list.add(item("a.b", "string"), value: Array("y".utf8))
    list.add(item("b..c", "string"), value: [])
    list.add(item("d", "string"), value: [0xff])
    list.add(item("e", "integer"), value: [0xff])
    list.add(item("f", "data", [Attribute(.listEncoding, .text("rot13"))]), value: [])
    let (bytes, losses) = try list.bytes()
    #expect(try PropertyListDocument(bytes).value() == dictionary(["a": .string("x")]))
    #expect(losses.count == 6)
    #expect(losses.map(\.reason)[0] == "another item has a value at its place in the list")
    #expect(losses.map(\.reason)[2] == "its account is no key path")
  }

  @Test("What XML can't hold makes a binary list, and is told")
  func notInXML() throws {
    var list = RestoredList(path: [])
    list.add(
      KeychainItem(
        .genericPassword,
        [.account: .text("a"), .listType: .text("null"), .listFormat: .text("xml")]),
      value: try PropertyListValue.null.binary())
    let (bytes, losses) = try list.bytes()
    #expect(PropertyListDocument.format(of: bytes) == .binary)
    #expect(losses.count == 1)
  }

  // MARK: Rules

  @Test("Rules give class and attributes, filled in from the list")
  func ruled() throws {
    let rules = try rules(
      dictionary([
        "key": .string("accounts[*].token"), "class": .string("inet"),
        "attributes": dictionary([
          "server": .string("{{{value-of:host}}}"), "account": .string("{value-of:.name}"),
          "label": .string("{domain} {key} {path} {value-of:accounts[0].n}"), "port": .integer(443),
        ]),
      ]))
    let plan = try plan(
      dictionary([
        "host": .string("h"),
        "accounts": .array([
          dictionary(["name": .string("rosa"), "token": .string("t"), "n": .integer(7)])
        ]),
      ]), rules: rules)
    let item = try #require(try items(plan).first)
    #expect(item.loss == nil)
    #expect(item.item.itemClass == .internetPassword)
    #expect(item.item[.server] == .text("{h}"))
    #expect(item.item[.account] == .text("rosa"))
    #expect(item.item[.listKey] == .text("accounts[0].token"))
    #expect(item.item[.label] == .text("org.example.app token accounts[0].token 7"))
    #expect(item.item[.port] == .integer(443))
    let (bytes, losses) = try restored([item], file: plan.list.document.bytes)
    #expect(bytes == plan.list.document.bytes && losses.isEmpty)
  }

  @Test("A value that a rule asks for and is not there is a loss, and the default stays")
  func missingValue() throws {
    let rules = try rules(
      dictionary([
        "key": .string("a"), "attributes": dictionary(["account": .string("{value-of:b}")]),
      ]))
    let item = try #require(try items(plan(dictionary(["a": .string("x")]), rules: rules)).first)
    #expect(item.item[.account] == .text("a"))
    #expect(item.loss == "'account' of rule 1 asks for a value that is not there")
  }

  static let decodings: [(decode: String, value: PropertyListValue, result: [UInt8]?)] = [
    ("utf8", .data([0x61]), [0x61]), ("utf8", .data([0xff]), nil),
    ("base64", .string("AAE="), [0, 1]), ("base64", .data(Array("AAE=".utf8)), [0, 1]),
    ("base64", .string("AAE"), nil),
    // Bits that are left over would be lost.
    ("base64", .string("AAF="), nil),
    ("base64", .string("AA\nE="), nil), ("base64", .integer(1), nil),
    ("hex", .string("00ff"), [0, 255]), ("hex", .string("00FF"), [0, 255]),
    ("hex", .string("fF"), nil), ("hex", .string("f"), nil),
    ("archive", .string("x"), nil), ("archive", .data([1]), nil),
  ]

  @Test(
    "A value is decoded where that can be undone, else kept and told", arguments: decodings.indices)
  func decoding(_ index: Int) throws {
    let (name, value, result) = Self.decodings[index]
    let rules = try rules(dictionary(["key": .string("a"), "decode": .string(name)]))
    let plan = try plan(dictionary(["a": value]), rules: rules)
    let item = try #require(try items(plan).first)
    #expect((item.loss == nil) == (result != nil))
    #expect((item.item[.listEncoding] != nil) == (result != nil))
    if let result { #expect(item.value == result) }
    let back = try restored([item])
    #expect(try PropertyListDocument(back.bytes).value() == dictionary(["a": value]))
  }

  @Test("An archive is decoded to its plain value where archiving that gives its bytes again")
  func decodedArchive() throws {
    let plain = dictionary(["com.example.password": .string("beans"), "n": .integer(7)])
    let archive = try plain.keyedArchive()
    // As the same objects in another order of keys: sound, but not what would be written.
    guard case .dictionary(let entries) = try PropertyListDocument(archive).value() else {
      Issue.record("an archive is a dictionary")
      return
    }
    let other = try PropertyListValue.dictionary(entries.reversed()).binary()
    let rules = try rules(dictionary(["key": .string("*"), "decode": .string("archive")]))
    let plan = try plan(dictionary(["a": .data(archive), "b": .data(other)]), rules: rules)
    let items = try items(plan)
    #expect(items.map { $0.loss == nil } == [true, false])
    #expect(items[0].value == (try plain.binary()))
    #expect(items[0].item[.listEncoding] == .text("archive"))
    #expect(items[1].value == other)
    let (bytes, losses) = try restored(items)
    #expect(losses.isEmpty)
    #expect(
      try PropertyListDocument(bytes).value()
        == dictionary(["a": .data(archive), "b": .data(other)]))
  }

  static let wrongRules: [(PropertyListValue, String)] = [
    (.array([]), "the file"), (dictionary(["rules": .array([])]), "version"),
    (dictionary(["version": .integer(2), "rules": .array([])]), "version"),
    (dictionary(["version": .integer(1)]), "rules"),
    (dictionary(["version": .integer(1), "rules": .array([]), "x": .null]), "x"),
    (dictionary(["version": .integer(1), "rules": .array([.string("x")])]), "rules[0]"),
  ]

  @Test("A file of rules with anything unknown is refused", arguments: wrongRules.indices)
  func wrongFiles(_ index: Int) {
    let error = #expect(throws: MigrationRuleError.self) {
      try MigrationRules(Self.wrongRules[index].0)
    }
    #expect(error?.place == Self.wrongRules[index].1)
  }

  static let wrongMembers: [(KeyValuePairs<String, PropertyListValue>, String)] = [
    ([:], "rules[0].key"), (["key": .string("a*")], "rules[0].key"),
    (["key": .integer(1)], "rules[0].key"), (["key": .string("a"), "kei": .null], "rules[0].kei"),
    (["key": .string("a"), "class": .string("cert")], "rules[0].class"),
    (["key": .string("a"), "decode": .string("rot13")], "rules[0].decode"),
    (["key": .string("a"), "drop": .string("yes")], "rules[0].drop"),
    (["key": .string("a"), "drop": .boolean(true), "class": .string("genp")], "rules[0].drop"),
    (["key": .string("a"), "attributes": .array([])], "rules[0].attributes"),
    (
      ["key": .string("a"), "attributes": dictionary(["label": .string("{x}")])],
      "rules[0].attributes.label"
    ),
    (
      ["key": .string("a"), "attributes": dictionary(["label": .string("{key")])],
      "rules[0].attributes.label"
    ),
    (
      ["key": .string("a"), "attributes": dictionary(["plistType": .string("x")])],
      "rules[0].attributes.plistType"
    ),
    (
      [
        "key": .string("a"),
        "attributes": dictionary(["acct": .string("x"), "account": .string("y")]),
      ], "rules[0].attributes.account"
    ),
  ]

  @Test("A rule that means nothing is refused with its place", arguments: wrongMembers.indices)
  func wrongRule(_ index: Int) {
    let (members, place) = Self.wrongMembers[index]
    let error = #expect(throws: MigrationRuleError.self) { try rules(dictionary(members)) }
    #expect(error?.place == place)
  }

  @Test(
    "A pattern of domains is matched as a whole",
    arguments: [
      ("*", "", true), ("a*c", "abc", true), ("a*c", "abcd", false), ("a?c", "abc", true),
      ("a?c", "ac", false), ("*.b.*", "a.b.c", true), ("**", "x", true), ("", "a", false),
      ("a*b*c", "axbxbxc", true),
    ])
  func domains(_ pattern: String, _ domain: String, _ matches: Bool) {
    #expect(DomainPattern(pattern).matches(domain) == matches)
  }

  // MARK: Redaction and places

  @Test("A redacted copy has everything but the secrets", arguments: [false, true])
  func redaction(isXML: Bool) throws {
    let value = dictionary([
      "password": .string("hidden"), "same": .string("hidden too"), "token": .string("hidden too"),
      "list": .array([dictionary(["pin": .integer(12345), "x": .real(0.5)]), .string("y")]),
    ])
    let list = try sourceList(value, isXML: isXML)
    for all in [false, true] {
      let plan = try MigrationPlan(list, rules: MigrationRules(), takingEverything: all)
      let copy = try plan.redacted()
      #expect(
        try PropertyListDocument(copy).value()
          == dictionary([
            "same": .string("hidden too"),
            "list": .array([dictionary(["x": .real(0.5)]), .string("y")]),
          ]))
    }
  }

  @Test(
    "A list that is a secret as a whole is empty in the copy, and one without secrets is as it is")
  func redactedRoots() throws {
    let twice = PropertyListValue.dictionary([
      .init("pin", .string("a")), .init("pin", .string("b")),
    ])
    #expect(try PropertyListDocument(plan(twice).redacted()).value() == .dictionary([]))
    let none = try plan(dictionary(["a": .integer(1)]))
    #expect(try none.redacted() == none.list.document.bytes)
  }

  @Test(
    "The domain is the file's name without what the system adds",
    arguments: [
      ("org.example.app.plist", "org.example.app"), ("a/b/org.example.PLIST", "org.example"),
      ("ByHost/org.example.0F0E0D0C-0B0A-0908-0706-050403020100.plist", "org.example"),
      ("ByHost/org.example.001122aabbcc.plist", "org.example"),
      ("org.example.001122aabbcc.plist", "org.example.001122aabbcc"), (".plist", ".plist"),
      ("plist", "plist"),
      ("com.example.0F0E0D0C-0B0A-0908-0706.plist", "com.example.0F0E0D0C-0B0A-0908-0706"),
    ])
  func domain(_ path: String, _ domain: String) throws {
    #expect(try sourceList(.string(""), path: path).domain == domain)
  }

  @Test("Items of lists of one domain are kept apart by access groups")
  func groups() throws {
    let paths = [
      "C/org.a.plist", "P/ByHost/org.a.0F0E0D0C-0B0A-0908-0706-050403020100.plist", "P/org.a.plist",
      "P/org.a.1F0E0D0C-0B0A-0908-0706-050403020100.plist", "org.a.plist", "org.b.plist",
    ]
    let lists = try paths.map { try sourceList(.string(""), path: $0) }
    #expect(
      ListGroups.groups(of: lists) == [
        "C", "P/ByHost", "P/org.a.plist", "P", nil, nil,
      ])
  }
}
