// Lists and archives as people read them.

import PropertyListCodec
import Testing

private typealias Value = PropertyListValue

private func describe(
  _ value: PropertyListValue, nesting: Int = 0
) throws -> PropertyListDescription {
  var options = DescriptionOptions()
  options.nesting = nesting
  return try PropertyListDescription(try value.binary(), options: options)
}

private func lines(
  _ value: PropertyListValue, nesting: Int = 0, at path: String? = nil
) throws -> [String] {
  let text = try describe(value, nesting: nesting).text(
    at: path.map { try #require(PropertyListPath(parsing: $0)) })
  return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
}

/// An archive of one object `Person`, which is its own owner, and refers to a text twice.
private func archive() -> PropertyListValue {
  func object(_ entries: [(String, Value)]) -> Value {
    .dictionary(entries.map { Value.Entry($0.0, $0.1) })
  }
  return object([
    ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
    ("$top", object([("root", .uid(1))])),
    (
      "$objects",
      .array([
        .string("$null"),
        object([
          ("name", .uid(2)), ("owner", .uid(1)), ("friends", .uid(4)), ("age", .integer(7)),
          ("none", .uid(0)), ("$class", .uid(3)),
        ]),
        .string("alice"),
        object([
          ("$classname", .string("App.Person")),
          ("$classes", .array([.string("App.Person"), .string("NSObject")])),
        ]),
        object([
          ("NS.objects", .array([.uid(1), .uid(2), .uid(6)])), ("$class", .uid(5)),
        ]),
        object([
          ("$classname", .string("NSArray")),
          ("$classes", .array([.string("NSArray"), .string("NSObject")])),
        ]),
        object([("$class", .uid(3)), ("name", .uid(0)), ("friends", .uid(4))]),
      ])
    ),
  ])
}

@Suite struct DescriptionTests {
  @Test("Values stand in a line each, aligned")
  func values() throws {
    let list = Value.dictionary([
      .init("text", .string("say \"hi\"\n\u{202e}\\")), .init("n", .integer(-5)),
      .init("real", .real(1.5)), .init("when", .date(736_257_600.25)),
      .init("old", .date(-1e11)), .init("data", .data([0, 1, 2, 3, 255])),
      .init("words", .data(Array("some words".utf8))), .init("none", .null),
      .init("uid", .uid(3)), .init("url", .url(["http://a/", "b"])),
      .init("uuid", .uuid(Array(0..<16))), .init("empty", .array([])),
      .init("", .boolean(true)), .init("[x", .set([.integer(1)])),
      .init(.integer(5), .dictionary([])),
    ])
    #expect(
      try lines(list) == [
        "dictionary, 15 keys",
        #"├─ text    "say \"hi\"\n\u{202e}\\""#,
        "├─ n       -5",
        "├─ real    1.5",
        "├─ when    2024-05-01 12:00:00.25 UTC",
        "├─ old     date, -100000000000.0 seconds from 2001-01-01 UTC",
        "├─ data    data, 5 bytes   00010203 ff",
        #"├─ words   data, 10 bytes   text "some words""#,
        "├─ none    null",
        "├─ uid     UID 3",
        "├─ url     b, relative to http://a/",
        "├─ uuid    00010203-0405-0607-0809-0A0B0C0D0E0F",
        "├─ empty   array, empty",
        #"├─ ""      true"#,
        #"├─ "[x"    set, 1 element"#,
        "│  └─ [0]   1",
        "└─ (5)     dictionary, empty",
      ])
  }

  @Test("What is shared is written once, and a cycle is shown as one")
  func sharing() throws {
    let shared = Value.array([.integer(1)])
    // The writer writes equal containers apart, so the second is made the first in the bytes.
    var bytes = try Value.array([shared, shared]).binary()
    #expect(bytes[8..<11].elementsEqual([0xa2, 1, 3]))
    bytes[10] = 1
    let text = String(decoding: try PropertyListDescription(bytes).text(), as: UTF8.self)
    #expect(
      text == """
        array, 2 elements
        ├─ [0]   array, 1 element #1
        │  └─ [0]   1
        └─ [1]   <shared #1>

        """)
    bytes[10] = 0
    let cycle = try PropertyListDescription(bytes)
    #expect(
      String(decoding: try cycle.text(), as: UTF8.self).hasSuffix("└─ [1]   <cycle to #0>\n"))
    #expect(try cycle.counts().hasCycle)
    #expect(throws: DescriptionError.self) { try cycle.json() }
  }

  @Test("Objects are shown with their fields, sharing and cycles")
  func objects() throws {
    #expect(try describe(archive()).title.hasSuffix(", 4 objects of 2 classes"))
    #expect(
      try lines(archive()) == [
        "root  App.Person #1   class not known, shown as stored",
        #"├─ name      "alice""#,
        "├─ owner     <cycle to #1>",
        "├─ friends   NSArray, 3 elements #4",
        "│  ├─ [0]   <cycle to #1>",
        #"│  ├─ [1]   "alice""#,
        "│  └─ [2]   App.Person",
        "│     ├─ name      nil",
        "│     └─ friends   <cycle to #4>",
        "├─ age       7",
        "└─ none      nil",
      ])
    #expect(
      String(decoding: try describe(archive()).json(), as: UTF8.self)
        == #"{"root":{"$class":"App.Person","$id":1,"fields":{"name":"alice","owner":{"$ref":1},"#
        + #""friends":{"$class":"NSArray","$id":4,"elements":[{"$ref":1},"alice","#
        + #"{"$class":"App.Person","fields":{"name":null,"friends":{"$ref":4}}}]},"#
        + #""age":7,"none":null}}}"#)
  }

  @Test("Lists and archives within data are opened to the depth asked for")
  func nested() throws {
    let inner = Value.dictionary([
      .init("k", .string("v")), .init("deep", .data(try archive().binary())),
    ])
    let list = Value.dictionary([
      .init("d", .data(try inner.binary())),
      .init("broken", .data(Array("bplist00 and no more".utf8))),
      .init("html", .data(Array("<!doctype html>".utf8))),
    ])
    let closed = try lines(list)
    #expect(closed[1].hasSuffix("   binary property list inside (depth 2)"))
    #expect(closed[2].hasSuffix("   binary property list inside, damaged"))
    #expect(closed[3].hasSuffix(#"   text "<!doctype html>""#))
    let half = try lines(list, nesting: 1)
    #expect(half[1].contains("   binary property list, "))
    #expect(half[2] == #"│  ├─ k      "v""#)
    #expect(half[3].hasSuffix("   keyed archive inside (depth 3)"))
    let open = try lines(list, nesting: 2)
    #expect(
      open.contains("│     └─ root   App.Person #1   class not known, shown as stored"), "\(open)")
  }

  @Test(
    "A path leads to a value, through fields and data",
    arguments: [
      ("d.k", [#""v""#]), ("d.deep.root.name", [#""alice""#]),
      ("d.deep.root.friends[1]", [#""alice""#]),
      ("d.deep.root.friends[2].name", ["nil"]), (#"a\.b.\e"#, ["5"]), ("l[1]", ["2"]),
    ])
  func paths(_ path: String, _ expected: [String]) throws {
    #expect(try lines(pathList(), at: path) == expected)
  }

  @Test(
    "A path that leads nowhere says how far it leads",
    arguments: [
      ("x", ""), ("d.x", "d"), ("d.deep.root.x", "d.deep.root"), ("l[2]", "l"), ("l.x", "l"),
      ("l[0][0]", "l[0]"), (#"a\.b.x"#, #"a\.b"#),
    ])
  func lostPaths(_ path: String, _ reached: String) throws {
    let error = #expect(throws: DescriptionError.self) { try lines(pathList(), at: path) }
    #expect(error?.family == .notThere)
    #expect(error?.path == reached)
  }

  private func pathList() throws -> PropertyListValue {
    let inner = Value.dictionary([
      .init("k", .string("v")), .init("deep", .data(try archive().binary())),
    ])
    return .dictionary([
      .init("d", .data(try inner.binary())), .init("l", .array([.integer(1), .integer(2)])),
      .init("a.b", .dictionary([.init("", .integer(5))])),
    ])
  }

  @Test(
    "Paths are written as they are parsed",
    arguments: ["", "a", "a.b", "a[0]", "[3][4].b", #"a\.b\[c\\"#, #"\e"#, #"a.\e[1]"#])
  func pathText(_ text: String) throws {
    #expect(try #require(PropertyListPath(parsing: text)).description == text)
  }

  @Test(
    "What is no path is refused",
    arguments: [
      ".", "a.", ".a", "a..b", "a[", "a[x]", "a[01]", "a[]", #"a\"#, #"a\x"#, #"a\e"#, "a[0]b",
    ])
  func noPath(_ text: String) {
    #expect(PropertyListPath(parsing: text) == nil)
  }

  @Test("Nesting over the limit is refused, by its name")
  func depth() throws {
    var options = DescriptionOptions()
    options.maximumDepth = 3
    let deep = Value.array([.array([.array([.array([])])])])
    let description = try PropertyListDescription(try deep.binary(), options: options)
    let error = #expect(throws: DescriptionError.self) { try description.text() }
    #expect(error?.family == .limit)
    #expect(error?.reason.contains("deeper than 3") == true)
  }

  @Test("A long text as each of a dictionary's keys does not become more text than the limit")
  func sharedKeys() throws {
    var bytes = Array("bplist00".utf8) + [0xdf, 0x10, 255]
    bytes += Array(repeating: 1, count: 255) + Array(repeating: 2, count: 255)
    let text = bytes.count
    bytes += [0x5f, 0x12, 0x00, 0x10, 0x00, 0x00] + Array(repeating: 0x78, count: 1 << 20)
    let boolean = bytes.count
    bytes.append(0x09)
    let table = bytes.count
    func bigEndian(_ number: Int, _ width: Int) -> [UInt8] {
      (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    for offset in [8, text, boolean] { bytes += bigEndian(offset, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 1] + bigEndian(3, 8) + bigEndian(0, 8) + bigEndian(table, 8)
    let description = try PropertyListDescription(bytes)
    let inText = #expect(throws: DescriptionError.self) { try description.text() }
    #expect(inText?.family == .limit)
    let inJSON = #expect(throws: DescriptionError.self) { try description.json() }
    #expect(inJSON?.family == .limit)
    #expect(try description.table().count < 2 << 20)
  }

  @Test("The table has a line for each object")
  func table() throws {
    let text = String(
      decoding: try describe(.array([.uid(2), .string("x")])).table(), as: UTF8.self)
    #expect(
      text == """
        #0   8+3   array       [#1, #2]   the root
        #1  11+2   uid         2
        #2  13+2   string      "x"

        """)
  }
}

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct DescriptionCorpusTests {
  @Test("All of a real list is in its text", arguments: Corpus.binary + Corpus.xml)
  func whole(_ file: Corpus.File) throws {
    var options = DescriptionOptions()
    options.nesting = 3
    let description = try PropertyListDescription(try file.bytes, options: options)
    let text = try description.text()
    #expect(text.last == 0x0a)
    #expect(String(validating: text, as: UTF8.self) != nil)
    guard description.archive == nil else { return }
    // A line for each value that is no list in data, and for each container.
    let closed = try PropertyListDescription(try file.bytes).text()
    let lineCount = closed.count { $0 == 0x0a }
    let shape = try description.document.checkTree(description.document.root)
    let counts = try description.counts()
    let keyCount = Self.keyCount(try description.document.value())
    if !closed.contains(Array("<shared".utf8)) {
      #expect(lineCount == shape.visitCount - keyCount)
    }
    #expect(counts.depth == shape.depth)
  }

  private static func keyCount(_ value: PropertyListValue) -> Int {
    switch value {
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      elements.reduce(0) { $0 + keyCount($1) }
    case .dictionary(let entries):
      entries.reduce(entries.count) { $0 + keyCount($1.value) }
    default: 0
    }
  }
}
