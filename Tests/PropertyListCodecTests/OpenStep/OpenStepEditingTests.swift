// Changes of OpenStep lists: nothing but what is changed may be other than before.

import PropertyListCodec
import Testing

struct OpenStepEditingTests {
  typealias Place = PropertyListDocument.Place

  private static let project = """
    // !$*UTF8*$!
    {
    \tarchiveVersion = 1;
    \tobjects = {

    /* Begin PBXFileReference section */
    \t\tAA /* a.c */ = {isa = PBXFileReference; path = a.c; };
    \t\tBB /* b.c */ = {isa = PBXFileReference; path = "b b.c"; };
    /* End PBXFileReference section */
    \t};
    \tfiles = (
    \t\tAA /* a.c */,
    \t\tBB /* b.c */,
    \t);
    \tlast = x; // kept
    }

    """

  private func text(
    _ document: PropertyListDocument, _ replacements: [PropertyListNode: PropertyListValue] = [:],
    _ removals: Set<Place> = []
  ) throws -> String {
    String(
      decoding: try document.bytes(replacing: replacements, removing: removals), as: UTF8.self)
  }

  /// The node at a way of keys and positions.
  private func node(_ document: PropertyListDocument, _ path: String...) throws -> PropertyListNode
  {
    var node = document.root
    for step in path {
      if let position = Int(step) {
        node = document.children(of: node)[position]
      } else {
        node = try #require(document.value(for: step, in: node))
      }
    }
    return node
  }

  @Test("a replaced value takes the place of the old one's text, and nothing else changes")
  func replacing() throws {
    let document = try PropertyListDocument(Array(Self.project.utf8))
    let path = try node(document, "objects", "BB", "path")
    #expect(
      try text(document, [path: .string("c")])
        == Self.project.replacing("\"b b.c\"", with: "c"))
    let version = try node(document, "archiveVersion")
    #expect(
      try text(
        document, [version: .dictionary([.init("a b", .array([.string("1")]))]), path: .data([1])])
        == Self.project.replacing("\"b b.c\"", with: "<01>").replacing(
          "= 1;", with: "= {\n\t\t\"a b\" = (\n\t\t\t1\n\t\t);\n\t};"))
    #expect(try text(document) == Self.project)
  }

  @Test("removed entries and elements go with their mark and their line; comments stay")
  func removing() throws {
    let document = try PropertyListDocument(Array(Self.project.utf8))
    let objects = try node(document, "objects")
    let files = try node(document, "files")
    let removed = try text(
      document, [:],
      [
        Place(container: objects, position: 0), Place(container: files, position: 0),
        Place(container: document.root, position: 0),
      ])
    #expect(
      removed
        == Self.project.replacing("\tarchiveVersion = 1;\n", with: "")
        .replacing("\t\tAA /* a.c */ = {isa = PBXFileReference; path = a.c; };\n", with: "")
        .replacing("\t\tAA /* a.c */,\n", with: ""))
    #expect(
      try text(document, [:], [Place(container: document.root, position: 3)])
        == Self.project.replacing("\tlast = x; // kept", with: "\t// kept"))
    let a = try node(document, "objects", "AA")
    #expect(
      try text(document, [:], [Place(container: a, position: 0)])
        == Self.project.replacing("{isa = PBXFileReference; path = a.c; }", with: "{path = a.c; }"))
    #expect(
      try text(document, [:], [Place(container: a, position: 1)])
        == Self.project.replacing(
          "{isa = PBXFileReference; path = a.c; }", with: "{isa = PBXFileReference; }"))
  }

  @Test(
    "elements of an array in one line, or without a last comma, are removed cleanly",
    arguments: [
      ("(a, b, c)", [0], "(b, c)"), ("(a, b, c)", [1], "(a, c)"), ("(a, b, c)", [2], "(a, b)"),
      ("(a, b, c)", [1, 2], "(a)"), ("(a, b, c)", [0, 2], "(b)"), ("(a, b, c)", [0, 1, 2], "()"),
      ("(a,b,)", [1], "(a,)"), ("(a /*1*/ , /*2*/ b /*3*/)", [1], "(a /*1*/  /*2*/ /*3*/)"),
      ("(\n    a,\n    b\n)", [1], "(\n    a\n)"), ("(\n    a,\n    b\n)", [0], "(\n    b\n)"),
      ("(a,/*c*/b)", [1], "(a /*c*/)"), ("(a/,b //c\n)", [1], "(a/ //c\n)"), ("(a,/x)", [1], "(a)"),
      ("{ a = b; c; }", [0], "{ c; }"), ("{ a = b; c; }", [1], "{ a = b; }"),
      ("{ a = b; c; d; }", [1, 2], "{ a = b; }"),
      ("{a=b;c;}", [0, 1], "{}"),
      ("{\r\n  a = b;\r\n  c;\r\n}", [0], "{\r\n  c;\r\n}"),
    ])
  func elements(text: String, positions: [Int], expected: String) throws {
    let document = try openStep(text)
    let removals = Set(positions.map { Place(container: document.root, position: $0) })
    let changed = try self.text(document, [:], removals)
    #expect(changed == expected)
    #expect(throws: Never.self) { try openStep(changed) }
  }

  @Test("a value for a key that has none of its own is put behind it")
  func shorthand() throws {
    let document = try openStep("{ a; \"b\" /**/; }")
    let values = document.values(of: document.root)
    #expect(
      try text(document, [values[0]: .string("x"), values[1]: .string("y z")])
        == "{ a = x; \"b\" = \"y z\" /**/; }")
  }

  @Test("a new string does not run into a comment")
  func comments() throws {
    let document = try openStep("{ a = \"b\"/*c*/; \"d\"/**/; }")
    let values = document.values(of: document.root)
    let changed = try text(document, [values[0]: .string("x"), values[1]: .string("y")])
    #expect(changed == "{ a = x /*c*/; \"d\" = y /**/; }")
    #expect(try openStep(changed).value()["a"] == .string("x"))
  }

  @Test("a strings file stays one, with its comments")
  func stringsFile() throws {
    let text = "/* one */\n\"a\" = \"1\";\n\n/* two */\n\"b\" = \"2\";\n"
    let document = try PropertyListDocument(Array(text.utf8))
    let a = try node(document, "a")
    #expect(
      try self.text(document, [a: .string("x\ny")]) == text.replacing("\"1\"", with: "\"x\\ny\""))
    let first = Place(container: document.root, position: 0)
    let second = Place(container: document.root, position: 1)
    #expect(try self.text(document, [:], [first]) == "/* one */\n\n/* two */\n\"b\" = \"2\";\n")
    #expect(try self.text(document, [:], [first, second]) == "/* one */\n\n/* two */\n")
    #expect(
      try self.text(document, [document.root: .dictionary([.init("c", .string("3"))])])
        == "/* one */\n\"c\" = \"3\";\n")
    #expect(try self.text(document, [document.root: .dictionary([])]) == "/* one */\n{}\n")
    #expect(try self.text(document, [document.root: .string("s")]) == "/* one */\n\"s\"\n")
    // Without a comment nothing would be left.
    let bare = try PropertyListDocument(Array("\"a\" = \"1\";\n".utf8))
    let emptied = try self.text(bare, [:], [Place(container: bare.root, position: 0)])
    #expect(emptied == "{}\n")
    #expect(try PropertyListDocument(Array(emptied.utf8)).value() == .dictionary([]))
  }

  @Test("what is inside of something replaced or removed goes with it")
  func nested() throws {
    let document = try openStep("{ a = { b = c; }; d = (e, f); }")
    let inner = Place(container: try node(document, "a"), position: 0)
    #expect(
      try text(document, [try node(document, "a"): .string("x")], [inner])
        == "{ a = x; d = (e, f); }")
    let outer = Place(container: document.root, position: 0)
    #expect(
      try text(document, [try node(document, "a", "b"): .string("x")], [outer, inner])
        == "{ d = (e, f); }")
  }

  @Test("a changed list keeps its encoding")
  func encodings() throws {
    let text = "\u{feff}\"é\" = \"1\";\n"
    for isLittleEndian in [true, false] {
      func utf16(_ text: String) -> [UInt8] {
        text.utf16.flatMap { unit in
          isLittleEndian
            ? [UInt8(unit & 0xff), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 0xff)]
        }
      }
      let document = try PropertyListDocument(utf16(text))
      let value = document.values(of: document.root)[0]
      #expect(
        try document.bytes(replacing: [value: .string("ü😀")])
          == utf16(text.replacing("1", with: "ü😀")))
    }
    let roman: [UInt8] = [0x22, 0x8e, 0x22] + Array(" = \"1\"; // ".utf8) + Array(0x80...0xff)
    let document = try PropertyListDocument(roman)
    let value = document.values(of: document.root)[0]
    let changed = try document.bytes(replacing: [value: .string("é😀")])
    #expect(
      changed == [0x22, 0x8e, 0x22] + Array(#" = "\U00e9\Ud83d\Ude00"; // "#.utf8)
        + Array(0x80...0xff))
    #expect(try PropertyListDocument(changed).value() == .dictionary([.init("é", .string("é😀"))]))
  }

  @Test("a change is refused where the rest would be taken for another encoding")
  func changedEncoding() throws {
    // Mac OS Roman, of which the first value is no UTF-8 and the second, `√©`, could be.
    let roman =
      Array("{ a = \"".utf8) + [0xff] + Array("\"; b = \"".utf8) + [0xc3, 0xa9]
      + Array("\"; }".utf8)
    // A zero byte beside the first character would make it UTF-16.
    let zero = Array("'a';'\0b';".utf8)
    for bytes in [roman, zero] {
      let document = try PropertyListDocument(bytes, as: .openStep)
      let first = Place(container: document.root, position: 0)
      let error = #expect(throws: PropertyListError.self) {
        try document.bytes(replacing: [:], removing: [first])
      }
      #expect(error?.code == .unsupportedEncoding)
      let second = Place(container: document.root, position: 1)
      let changed = try document.bytes(replacing: [:], removing: [second])
      #expect(
        try PropertyListDocument(changed, as: .openStep).value()
          == .dictionary([
            .init(
              document.keys(of: document.root).first.flatMap { document.string(of: $0) } ?? "",
              try document.value(of: try #require(document.node(at: first))))
          ]))
    }
  }

  @Test("typed values are put in only where the list has some")
  func typedValues() throws {
    let plain = try openStep("(a)")
    let error = #expect(throws: PropertyListError.self) {
      try text(plain, [plain.children(of: plain.root)[0]: .integer(1)])
    }
    #expect(error?.code == .notRepresentable)
    let typed = try openStep("(a, <*BY>)")
    #expect(try text(typed, [typed.children(of: typed.root)[0]: .integer(1)]) == "(<*I1>, <*BY>)")
  }
}
