// Changes by paths, in every format that is written.

import PropertyListCodec
import Testing

@Suite("Changes by paths")
struct PathEditingTests {
  enum Form: CaseIterable { case binary, xml, openStep }

  private static func list(_ value: PropertyListValue, _ form: Form) throws -> PropertyListDocument
  {
    let bytes =
      switch form {
      case .binary: try value.binary()
      case .xml: try value.xml(sortsKeys: false)
      case .openStep:
        try value.openStep(
          {
            var options = OpenStepWritingOptions()
            options.sortsKeys = false
            return options
          }())
      }
    return try PropertyListDocument(bytes)
  }

  private static func path(_ text: String) throws -> PropertyListPath {
    try #require(PropertyListPath(parsing: text))
  }

  private static let value = PropertyListValue.dictionary([
    .init("name", .string("a")),
    .init("list", .array([.string("x"), .array([]), .string("z")])),
    .init("inner", .dictionary([.init("k.1", .string("v"))])),
    .init("empty", .dictionary([])),
  ])

  @Test(
    "Values are replaced, added and removed where the path leads",
    arguments: Form.allCases,
    [
      (
        "name", "b",
        "{\"name\":\"b\",\"list\":[\"x\",[],\"z\"],\"inner\":{\"k.1\":\"v\"},\"empty\":{}}"
      ),
      (
        "list[1]", "b",
        "{\"name\":\"a\",\"list\":[\"x\",\"b\",\"z\"],\"inner\":{\"k.1\":\"v\"},\"empty\":{}}"
      ),
      (
        "list[3]", "b",
        "{\"name\":\"a\",\"list\":[\"x\",[],\"z\",\"b\"],\"inner\":{\"k.1\":\"v\"},\"empty\":{}}"
      ),
      (
        "list[1][0]", "b",
        "{\"name\":\"a\",\"list\":[\"x\",[\"b\"],\"z\"],\"inner\":{\"k.1\":\"v\"},\"empty\":{}}"
      ),
      (
        "inner.k\\.1", "b",
        "{\"name\":\"a\",\"list\":[\"x\",[],\"z\"],\"inner\":{\"k.1\":\"b\"},\"empty\":{}}"
      ),
      (
        "inner.<new>", "b",
        "{\"name\":\"a\",\"list\":[\"x\",[],\"z\"],\"inner\":{\"k.1\":\"v\",\"<new>\":\"b\"},\"empty\":{}}"
      ),
      (
        "empty.\\e", "b",
        "{\"name\":\"a\",\"list\":[\"x\",[],\"z\"],\"inner\":{\"k.1\":\"v\"},\"empty\":{\"\":\"b\"}}"
      ),
      ("", "b", "\"b\""),
      ("name", nil, "{\"list\":[\"x\",[],\"z\"],\"inner\":{\"k.1\":\"v\"},\"empty\":{}}"),
      (
        "list[0]", nil,
        "{\"name\":\"a\",\"list\":[[],\"z\"],\"inner\":{\"k.1\":\"v\"},\"empty\":{}}"
      ),
      (
        "list[2]", nil,
        "{\"name\":\"a\",\"list\":[\"x\",[]],\"inner\":{\"k.1\":\"v\"},\"empty\":{}}"
      ),
      ("inner.k\\.1", nil, "{\"name\":\"a\",\"list\":[\"x\",[],\"z\"],\"inner\":{},\"empty\":{}}"),
      ("empty", nil, "{\"name\":\"a\",\"list\":[\"x\",[],\"z\"],\"inner\":{\"k.1\":\"v\"}}"),
    ] as [(String, String?, String)])
  func changes(form: Form, change: (path: String, new: String?, json: String)) throws {
    let path = try Self.path(change.path)
    let list = try Self.list(Self.value, form)
    let bytes = try list.bytes(
      applying: change.new.map { .set(path, .string($0)) } ?? .delete(path))
    // A bare string is an OpenStep list only where that is known.
    let changed = try PropertyListDocument(bytes, as: list.format)
    #expect(String(decoding: try changed.json(), as: UTF8.self) == change.json)
  }

  @Test(
    "Where nothing is, the error says how far the path leads",
    arguments: [
      ("nope.k", ""), ("name.k", "name"), ("list.k", "list"), ("list[4]", "list"),
      ("list[1][1]", "list[1]"), ("inner[0]", "inner"), ("name[0]", "name"),
    ])
  func notThere(text: String, reached: String) throws {
    for form in Form.allCases {
      let list = try Self.list(Self.value, form)
      let path = try Self.path(text)
      for edit in [PropertyListEdit.set(path, .string("b")), .delete(path)] {
        let error = #expect(throws: DescriptionError.self) { try list.bytes(applying: edit) }
        #expect(error?.family == .notThere)
        #expect(error?.path == reached)
      }
    }
  }

  @Test("Lists within data are changed, whatever they are in")
  func nested() throws {
    let inner = try Self.list(Self.value, .xml).bytes
    for form in Form.allCases {
      let list = try Self.list(.dictionary([.init("d", .data(inner))]), form)
      let bytes = try list.bytes(applying: .set(try Self.path("d.inner.new"), .array([])))
      let data = try #require(try PropertyListDocument(bytes).value()["d"])
      guard case .data(let content) = data else {
        Issue.record("no data")
        continue
      }
      let changed = try PropertyListDocument(content)
      #expect(changed.format == .xml)
      #expect(try changed.value()["inner"]?["new"] == .array([]))
      let error = #expect(throws: DescriptionError.self) {
        try list.bytes(applying: .set(try Self.path("d.name"), .null))
      }
      #expect(error?.path == "d")
      #expect(error?.family == .damaged)
    }
  }

  @Test("Of a key that a dictionary has twice, the last is set and both are removed")
  func twice() throws {
    let list = try PropertyListDocument(
      Array("<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>".utf8))
    let path = try Self.path("a")
    #expect(
      try list.bytes(applying: .set(path, .integer(1)))
        == Array(
          "<plist><dict><key>a</key><true/><key>a</key><integer>1</integer></dict></plist>".utf8))
    #expect(
      try list.bytes(applying: .delete(path)) == Array("<plist><dict></dict></plist>".utf8))
  }

  @Test("An object that several places share is changed at one of them")
  func shared() throws {
    let shared = PropertyListValue.string("same")
    let list = try PropertyListDocument(PropertyListValue.array([shared, shared]).binary())
    let bytes = try list.bytes(applying: .set(try Self.path("[1]"), .string("other")))
    #expect(try PropertyListDocument(bytes).value() == .array([shared, .string("other")]))
  }
}

@Suite("What a format has no word for")
struct ConversionLossTests {
  @Test("Each value is found by its path, and told whether a part of it goes over")
  func found() throws {
    let value = PropertyListValue.dictionary([
      .init("n", .null), .init("when", .array([.date(0.5), .date(1), .date(.nan)])),
      .init("big", .integer(Int128(UInt64.max) + 1)), .init("u", .uid(1)),
      .init("half", .unpairedString([0xd800])), .init("set", .set([.real(1)])),
      .init(.integer(1), .string("x")),
    ])
    let list = try PropertyListDocument(value.binary())
    func texts(_ target: ListTarget) throws -> [String] {
      try list.losses(writing: target).found.map {
        "\($0.path) \($0.isPartial ? "part" : "all")"
      }
    }
    #expect(
      try texts(.xml) == [
        "n all", "when[0] part", "when[2] all", "big all", "half all", "set all", " all",
      ])
    #expect(
      try texts(.openStep(usesTypedValues: true, isStringsFile: false)) == [
        "n all", "when[0] part", "when[2] all", "big all", "u all", "set all", " all",
      ])
    #expect(
      try texts(.openStep(usesTypedValues: false, isStringsFile: true)) == [
        "n all", "when[0] all", "when[1] all", "when[2] all", "big all", "u all", "set all",
        "set[0] all", " all",
      ])
    #expect(try texts(.binary).isEmpty)
    #expect(try texts(.json(.tagged)).isEmpty)
  }

  @Test("Where nothing is lost or refused, the format is written, and reads back as the same")
  func agreement() throws {
    // One value of each kind: what the losses say and what the writers do is the same.
    let values: [PropertyListValue] = [
      .null, .boolean(true), .integer(-1), .integer(Int128(UInt64.max)), .integer(1 << 64),
      .real(0.1),
      .real32(0.5), .date(10), .date(-0.5), .date(1e300), .data([1]), .string("a"),
      .unpairedString([0xdc00]), .uid(7), .uid(1 << 64), .array([]), .set([]), .orderedSet([]),
      .dictionary([]), .url(["x:"]), .uuid(Array(repeating: 1, count: 16)), .unknown([0xf5]),
    ]
    for value in values {
      let wrapped = PropertyListValue.dictionary([.init("v", value)])
      let list = try PropertyListDocument(wrapped.binary())
      var typed = OpenStepWritingOptions()
      typed.usesTypedValues = true
      func isFree(_ target: ListTarget) throws -> Bool {
        try list.losses(writing: target).refusedCount == 0
      }
      let isXML = try isFree(.xml)
      #expect(((try? list.xml()) != nil) == isXML, "\(value)")
      let isOpenStep = try isFree(.openStep(usesTypedValues: false, isStringsFile: false))
      #expect(((try? list.openStep()) != nil) == isOpenStep, "\(value)")
      let isTyped = try isFree(.openStep(usesTypedValues: true, isStringsFile: false))
      #expect(((try? list.openStep(typed)) != nil) == isTyped, "\(value)")
    }
  }
}
