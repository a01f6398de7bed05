// Rules about keyed archives in lists: fields of objects as attributes, other names for classes. And what else of a
// list is named in the plan.

import ByteCoding
import KeychainModel
import PropertyListCodec
import Testing

@testable import KeychainInterchange

@Suite("Archives and references in lists")
struct ArchiveRuleTests {
  /// The archive of an object of a class that nobody here knows.
  static func account(_ className: String, extra: PropertyListValue = .null) throws -> [UInt8] {
    try dictionary([
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
      "$top": dictionary(["root": .uid(1)]),
      "$objects": .array([
        .string("$null"),
        dictionary(["user": .uid(2), "number": .integer(7), "$class": .uid(3), "extra": extra]),
        .string("alice"),
        dictionary([
          "$classname": .string(className),
          "$classes": .array([.string(className), .string("NSObject")]),
        ]),
      ]),
    ]).binary()
  }

  private func item(
    _ value: PropertyListValue, _ rule: PropertyListValue
  ) throws -> ListItem {
    let plan = try plan(value, rules: try rules(rule, automatic: false))
    let taken = plan.keys.first(where: \.isTaken)
    let key = try #require(taken)
    return try plan.item(for: key, group: nil)
  }

  private func restored(_ item: ListItem) throws -> PropertyListValue {
    var list = RestoredList(path: Array("a.plist".utf8))
    list.add(item.item, value: item.value)
    let (bytes, losses) = try list.bytes()
    #expect(losses.isEmpty)
    return try PropertyListDocument(bytes).value()
  }

  // MARK: Fields

  @Test(
    "Fields of archived objects and of lists in data and Base64 are attributes where a rule says so",
    arguments: ["data", "base64", "nested"])
  func fields(_ form: String) throws {
    let archive = try Self.account("Old.Account")
    let value: PropertyListValue =
      switch form {
      case "base64": .string(String(decoding: Base64.encode(archive.bytes), as: UTF8.self))
      case "nested": .data(try dictionary(["inner": .data(archive)]).binary())
      default: .data(archive)
      }
    let path = form == "nested" ? "inner.root" : "root"
    let list = dictionary(["saved": dictionary(["state": value, "host": .string("h")])])
    let item = try item(
      list,
      dictionary([
        "key": .string("saved.state"),
        "attributes": dictionary([
          "account": .string("{field:\(path).user}"), "comment": .string("n{field:\(path).number}"),
          "label": .string("{value-of:.state.\(path).user}@{value-of:saved.host}"),
          "description": .string("{value-of:saved.state.\(path).number}"),
        ]),
      ]))
    #expect(item.loss == nil)
    #expect(item.item[.account] == .text("alice"))
    #expect(item.item[.comment] == .text("n7"))
    #expect(item.item[.label] == .text("alice@h"))
    #expect(item.item[.description] == .text("7"))
    #expect(try restored(item)["saved"]?["state"] == value)
  }

  @Test(
    "A field that is not there, an object, and a value without any are losses",
    arguments: [
      "{field:root.none}", "{field:root}", "{field:user}", "{value-of:state.root}",
      "{value-of:plain.x}", "{value-of:none.x}",
    ])
  func missingFields(_ text: String) throws {
    let item = try item(
      dictionary(["state": .data(try Self.account("Old.Account")), "plain": .string("x")]),
      dictionary(["key": .string("state"), "attributes": dictionary(["label": .string(text)])]))
    #expect(item.loss == "'label' of rule 1 asks for a value that is not there")
    #expect(item.item[.label] == nil)
  }

  @Test("A path that is none is refused", arguments: ["{field:}", "{field:a..b}", "{field:[x]}"])
  func wrongFields(_ text: String) {
    #expect(throws: MigrationRuleError.self) {
      try rules(
        dictionary(["key": .string("a"), "attributes": dictionary(["label": .string(text)])]))
    }
  }

  // MARK: Classes

  @Test("Classes get other names in the item's value, and their own in the list again")
  func renamed() throws {
    let archive = try Self.account("Old.Account")
    let item = try item(
      dictionary(["state": .data(archive)]),
      dictionary([
        "key": .string("state"),
        "classes": dictionary(["Old.Account": .string("New.Account"), "Old.Pet": .string("Pet")]),
      ]))
    #expect(item.loss == nil)
    #expect(item.value == (try Self.account("New.Account")))
    #expect(item.item[.listEncoding] == .text("classes"))
    guard case .propertyList(let names) = item.item[.listClasses] else {
      Issue.record("the names are kept")
      return
    }
    #expect(try PropertyListDocument(names).value()["Old.Account"] == .string("New.Account"))
    #expect(try restored(item) == dictionary(["state": .data(archive)]))
  }

  @Test("A text that happens to be a class's name keeps its place and its name")
  func sharedName() throws {
    // Archives share equal texts: the name as a value of the object is the same object of the list.
    let archive = try Self.account("Old.Account", extra: .string("Old.Account"))
    let names = try #require(
      ArchivedClassNames(dictionary(["Old.Account": .string("New.Account")])))
    let renamed = try #require(names.renamed(archive))
    let objects = try PropertyListDocument(renamed).value()["$objects"]
    #expect(objects?[1]?["extra"] == .string("Old.Account"))
    #expect(objects?[3]?["$classname"] == .string("New.Account"))
    #expect(objects?[3]?["$classes"]?[0] == .string("New.Account"))
  }

  @Test(
    "Where none of the classes is there, or names would become one, the value is kept and told",
    arguments: [0, 1, 2])
  func keptClasses(_ index: Int) throws {
    let values: [PropertyListValue] = [
      .data(try Self.account("Other")), .string("no archive"),
      // Undone, both would be called so.
      .data(try Self.account("Old.Account", extra: dictionary(["$classname": .string("Gone")]))),
    ]
    let names = index == 2 ? ["Old.Account": "NSObject"] : ["Old.Account": "New.Account"]
    let item = try item(
      dictionary(["state": values[index]]),
      dictionary([
        "key": .string("state"),
        "classes": .dictionary(names.map { .init($0.key, .string($0.value)) }),
      ]))
    #expect(item.loss == "kept as it is: 'classes' of rule 1 could not be undone")
    #expect(item.item[.listEncoding] == nil && item.item[.listClasses] == nil)
    #expect(try restored(item) == dictionary(["state": values[index]]))
  }

  @Test("Names that are none, and names beside 'decode' or 'drop', are refused")
  func wrongClasses() {
    let wrong: [PropertyListValue] = [
      .array([]), dictionary([:]), dictionary(["a": .integer(1)]), dictionary(["": .string("a")]),
      dictionary(["a": .string("")]), dictionary(["a": .string("c"), "b": .string("c")]),
    ]
    for classes in wrong {
      #expect(throws: MigrationRuleError.self) {
        try rules(dictionary(["key": .string("a"), "classes": classes]))
      }
    }
    let names = dictionary(["a": .string("b")])
    for (member, value) in [
      ("decode", PropertyListValue.string("archive")), ("drop", .boolean(true)),
    ] {
      #expect(throws: MigrationRuleError.self) {
        try rules(dictionary(["key": .string("a"), "classes": names, member: value]))
      }
    }
  }

  @Test("An item whose names are lost is a loss when its list is restored")
  func lostNames() throws {
    var item = try item(
      dictionary(["state": .data(try Self.account("Old.Account"))]),
      dictionary([
        "key": .string("state"), "classes": dictionary(["Old.Account": .string("New.Account")]),
      ]))
    item.item[.listClasses] = nil
    var list = RestoredList(path: Array("a.plist".utf8))
    list.add(item.item, value: item.value)
    #expect(
      try list.bytes().losses.map(\.reason) == ["its 'plistClasses' is no dictionary of names"])
  }

  // MARK: References

  static let uuid: [UInt8] = [
    0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x49, 0x08, 0x87, 0x06, 5, 4, 3, 2, 1, 0,
  ]

  static let references: [(bytes: [UInt8], isOne: Bool)] = [
    (Array("genp".utf8) + [0, 0, 0, 0, 0, 0, 1, 2], true),
    (Array("genp".utf8) + [0, 0, 0, 0, 0, 0, 0, 0], false),
    (Array("inet".utf8) + [0, 0, 0, 0, 0xff, 0, 1, 2], true),
    (Array("cert".utf8) + uuid, true), (Array("keys".utf8) + uuid, true),
    (Array("idnt".utf8) + uuid, true), (Array("tkpr".utf8) + [0x30, 0], true),
    (Array("genpassword1".utf8), false), (Array("genpassword1 and more".utf8.prefix(20)), false),
    (Array("file".utf8) + uuid, false), (Array("genp".utf8) + uuid.dropLast(), false),
    (Array("genp".utf8), false), ([], false), (Array("tkpr x".utf8), false),
    (Array("GENP".utf8) + uuid, false),
  ]

  @Test("Persistent references are told by their form", arguments: references.indices)
  func reference(_ index: Int) throws {
    let (bytes, isOne) = Self.references[index]
    let text = String(decoding: Base64.encode(bytes.bytes), as: UTF8.self)
    for value in [
      PropertyListValue.data(bytes), .string(text), .array([.data(bytes), .string(text)]),
    ] {
      for isXML in [false, true] {
        let list = try sourceList(dictionary(["entries": value]), isXML: isXML)
        let plan = try MigrationPlan(list, rules: MigrationRules(), takingEverything: false)
        let key = try #require(plan.keys.first)
        #expect(key.choice == (isOne ? .leaveReference : .leave))
        #expect(plan.kindName(of: key).hasPrefix("persistent reference") == isOne)
        #expect(!key.isRedacted)
      }
    }
  }

  @Test("A reference is taken by its key, by a rule and with everything, as other values are")
  func takenReferences() throws {
    let reference = PropertyListValue.data(Self.references[0].bytes)
    #expect(try plan(dictionary(["token": reference])).taken == ["token"])
    #expect(try plan(dictionary(["x": reference]), all: true).taken == ["x"])
    let rules = try rules(dictionary(["key": .string("x")]))
    #expect(try plan(dictionary(["x": reference]), rules: rules).taken == ["x"])
    let mixed = dictionary(["x": .array([reference, .string("plain")])])
    #expect(try plan(mixed).keys.map(\.choice) == [.leave])
  }

  // MARK: Typed streams

  /// What NSArchiver makes of the string `abc`.
  static let typedStream: [UInt8] =
    [4, 11] + Array("streamtyped".utf8) + [0x81, 0xe8, 3, 0x84, 1, 0x40, 0x84, 0x84, 0x84, 8]
    + Array("NSString".utf8) + [1, 0x84, 0x84, 8] + Array("NSObject".utf8)
    + [0, 0x85, 0x84, 1, 0x2b, 3] + Array("abc".utf8) + [0x86]

  @Test("A typed stream in data is named, kept as it is and not decoded as an archive")
  func streams() throws {
    let list = dictionary(["secret": .data(Self.typedStream)])
    let plan = try plan(list)
    #expect(plan.kindName(of: try #require(plan.keys.first)) == "typed stream")
    for member in ["decode", "classes"] {
      let value =
        member == "decode"
        ? PropertyListValue.string("archive") : dictionary(["NSString": .string("Other")])
      let item = try item(list, dictionary(["key": .string("secret"), member: value]))
      #expect(item.loss != nil)
      #expect(item.value == Self.typedStream)
    }
  }
}
