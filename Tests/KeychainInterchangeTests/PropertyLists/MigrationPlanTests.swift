// What is taken of a list, what is left, and as which items.

import KeychainModel
import PropertyListCodec
import Testing

@testable import KeychainInterchange

/// A list from a value, as if it had been read from a file.
func sourceList(
  _ value: PropertyListValue, path: String = "org.example.app.plist", isXML: Bool = false
) throws -> SourceList {
  let bytes = isXML ? try value.xml(sortsKeys: false) : try value.binary()
  return SourceList(
    file: Array(("/" + path).utf8), path: Array(path.utf8),
    document: try PropertyListDocument(bytes), fileItem: KeychainItem(.file))
}

func plan(
  _ value: PropertyListValue, rules: MigrationRules = MigrationRules(), all: Bool = false
) throws -> MigrationPlan {
  try MigrationPlan(sourceList(value), rules: rules, takingEverything: all)
}

func rules(_ entries: PropertyListValue..., automatic: Bool = true) throws -> MigrationRules {
  try MigrationRules(
    .dictionary([
      .init("version", .integer(1)), .init("automatic", .boolean(automatic)),
      .init("rules", .array(entries)),
    ]))
}

func dictionary(_ entries: KeyValuePairs<String, PropertyListValue>) -> PropertyListValue {
  .dictionary(entries.map { .init($0.key, $0.value) })
}

extension MigrationPlan {
  /// The paths of what is taken.
  var taken: [String] { keys.filter(\.isTaken).map(\.path.text) }
  var left: [String] { keys.filter(\.isLeft).map(\.path.text) }
}

@Suite("Plans for lists")
struct MigrationPlanTests {
  static let preferences = dictionary([
    "password": .string("x"), "mapping": dictionary(["pinned": .array([.string("a")])]),
    "showPassword": .boolean(true), "tokenExpiry": .date(0), "secret": .null,
    "account": dictionary(["name": .string("a"), "refreshToken": .string("r"), "age": .integer(3)]),
    "list": .array([dictionary(["pin": .integer(1), "b": .integer(2)]), .string("x")]),
    "credentials": dictionary(["a": .integer(1), "flag": .boolean(true)]),
    "a.b": .string("plain"), "": .string("plain"),
  ])

  @Test("Exactly the keys that look secret are taken, containers of that name as a whole")
  func automatic() throws {
    let plan = try plan(Self.preferences)
    #expect(plan.taken == ["password", "account.refreshToken", "list[0].pin", "credentials"])
    #expect(
      plan.left == [
        "mapping", "showPassword", "tokenExpiry", "secret", "account.name", "account.age",
        "list[0].b", "list[1]", #"a\.b"#, #"\e"#,
      ])
    #expect(
      plan.keys.filter { $0.choice == .leaveFlag }.map(\.path.text) == [
        "showPassword", "tokenExpiry", "secret",
      ])
    #expect(plan.secretCount == 4)
  }

  @Test("With everything, each key is an item, and so is the list")
  func everything() throws {
    let plan = try plan(Self.preferences, all: true)
    #expect(plan.left == [])
    #expect(plan.takenCount == 14)
    #expect(plan.secretCount == 4)
    #expect(plan.takesFile)
  }

  @Test("The root's keys are told also where none is chosen")
  func nothing() throws {
    let plan = try plan(dictionary(["a": .integer(1), "loginAtStart": .boolean(true)]))
    #expect(plan.taken == [])
    #expect(plan.keys.map(\.choice) == [.leave, .leaveFlag])
  }

  static let archive = dictionary([
    "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
    "$top": dictionary(["root": .uid(1)]),
    "$objects": .array([
      .string("$null"), dictionary(["passcode": .uid(2), "$class": .uid(3)]), .string("m"),
      dictionary(["$classname": .string("Old.Account"), "$classes": .array([])]),
    ]),
  ])

  static let archivedDictionary = dictionary([
    "$version": .integer(100_000), "$top": dictionary(["root": .uid(1)]),
    "$objects": .array([
      .string("$null"),
      dictionary(["NS.keys": .array([.uid(2)]), "NS.objects": .array([.uid(3)])]),
      .string("com.example.password"), .string("m"),
    ]),
  ])

  static let flagArchive = dictionary([
    "$top": dictionary(["root": .uid(1)]),
    "$objects": .array([
      .string("$null"),
      dictionary(["showPassword": .boolean(true), "tokenExpiry": .uid(2), "secret": .uid(0)]),
      dictionary(["NS.time": .real(1)]),
    ]),
  ])

  @Test("What has secret-looking keys inside is taken whatever it is called")
  func content() throws {
    let archive = try Self.archive.binary()
    let base64 = Array("eyJwYXNzd29yZCI6ICJ4In0=".utf8)
    let plan = try plan(
      dictionary([
        "a": .data(archive), "b": .data(try Self.archivedDictionary.binary()),
        "c": .data(try dictionary(["password": .string("x")]).xml()),
        "d": .string(#" {"a":[{"apiKey":"x"}]}"#),
        "e": .string(String(decoding: base64, as: UTF8.self)),
        "f": .data(try dictionary(["inner": .data(archive)]).binary()),
        "no1": .data(try dictionary(["mapping": .string("x")]).binary()),
        "no2": .string(#"{"apiKey":true,"token":null,"mapping":1}"#),
        "no3": .string(#"{"apiKey":"#),
        "no4": .data(Array("bplist00 nothing".utf8)), "no5": .data(try Self.flagArchive.binary()),
        "no6": .string("eyJwYXNzd29yZC"),
      ]))
    #expect(plan.taken == ["a", "b", "c", "d", "e", "f"])
    #expect(plan.keys.prefix(6).allSatisfy { $0.choice == .take(.content) })
    #expect(
      plan.keys.prefix(6).map(plan.kindName) == [
        "keyed archive", "keyed archive", "property list", "JSON text", "JSON text",
        "property list",
      ])
  }

  @Test("An array that an element is taken of is taken as a whole, and so is a set")
  func elements() throws {
    let archive = PropertyListValue.data(try Self.archive.binary())
    let plan = try plan(
      dictionary([
        "array": .array([.integer(1), archive]),
        "nested": .array([.array([archive]), .integer(2)]),
        "set": .set([dictionary(["pin": .integer(1)])]), "other": .array([.integer(1)]),
      ]))
    #expect(plan.taken == ["array", "nested", "set"])
  }

  @Test("A dictionary with a key that is there twice, or is no text, is taken as a whole")
  func irregular() throws {
    let twice = PropertyListValue.dictionary([
      .init("password", .string("a")), .init("password", .string("b")),
    ])
    #expect(try plan(dictionary(["inner": twice, "a": .integer(1)])).taken == ["inner"])
    let odd = PropertyListValue.dictionary([
      .init(.integer(1), .string("a")), .init("pin", .integer(2)),
    ])
    #expect(try plan(dictionary(["inner": odd, "a": .integer(1)])).taken == ["inner"])
    #expect(try plan(twice).taken == [""])
    #expect(try plan(twice).keys.count == 1)
  }

  @Test("A root that is no dictionary is one key, or keys of its elements")
  func otherRoots() throws {
    #expect(try plan(.string("x")).keys.map(\.choice) == [.leave])
    #expect(try plan(.string("x"), all: true).taken == [""])
    #expect(try plan(.array([dictionary(["pin": .integer(1)])])).taken == ["[0].pin"])
    #expect(try plan(.dictionary([])).keys.isEmpty)
  }

  @Test("Rules come first: the first that matches decides")
  func ruled() throws {
    let rules = try rules(
      dictionary(["key": .string("password"), "drop": .boolean(true)]),
      dictionary(["key": .string("**.name")]),
      dictionary(["key": .string("account.**")]),
      dictionary(["key": .string("mapping"), "domain": .string("org.other.*")]))
    let plan = try plan(Self.preferences, rules: rules)
    #expect(
      plan.taken == ["account", "list[0].pin", "credentials"])
    #expect(plan.keys[0].choice == .drop(rule: 1))
    #expect(plan.keys.first { $0.path.text == "account" }?.choice == .take(.rule(3)))
  }

  @Test("Without the automatic choice only rules take; in a secret container a rule finds its key")
  func rulesOnly() throws {
    let rule = dictionary(["key": .string("credentials.a")])
    #expect(
      try plan(Self.preferences, rules: rules(rule, automatic: false)).taken == ["credentials.a"])
    let both = try plan(Self.preferences, rules: rules(rule))
    #expect(
      both.taken == [
        "password", "account.refreshToken", "list[0].pin", "credentials.a", "credentials.flag",
      ])
  }

  @Test("A list that contains itself is refused")
  func cycle() throws {
    var bytes = try dictionary(["a": dictionary([:])]).binary()
    // The value of the only key is the dictionary itself.
    bytes[10] = 0
    let list = SourceList(
      file: [], path: [], document: try PropertyListDocument(bytes), fileItem: KeychainItem(.file))
    let error = #expect(throws: PropertyListError.self) {
      try MigrationPlan(list, rules: MigrationRules(), takingEverything: false)
    }
    #expect(error?.code == .cycle)
  }
}
