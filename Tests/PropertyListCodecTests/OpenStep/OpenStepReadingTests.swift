// What the grammar of OpenStep lists says.

import PropertyListCodec
import Testing

/// A text as the list that it is known to be.
func openStep(_ text: String, isStrict: Bool = false) throws -> PropertyListDocument {
  var options = PropertyListDocument.Options()
  options.isStrict = isStrict
  return try PropertyListDocument(Array(text.utf8), as: .openStep, options: options)
}

/// The error that reading a text as a list ends in.
func openStepError(_ text: String, isStrict: Bool = false) -> PropertyListError? {
  #expect(throws: PropertyListError.self) { try openStep(text, isStrict: isStrict) }
}

struct OpenStepReadingTests {
  @Test(
    "each value is read as it says",
    arguments: [
      ("hello", PropertyListValue.string("hello")), ("42", .string("42")),
      (" \"a b\" ", .string("a b")), ("\"\"", .string("")), ("'\"'", .string("\"")),
      ("\"'\"", .string("'")), ("\"a\nb\"", .string("a\nb")),
      ("_$/:.-aZ09", .string("_$/:.-aZ09")), ("a//b", .string("a//b")), ("/", .string("/")),
      ("\"é😀 // /* \"", .string("é😀 // /* ")),
      ("<>", .data([])), ("<0aFF 00>", .data([0x0a, 0xff, 0])),
      ("<\t0a\r\n0b\u{2028}0c >", .data([0x0a, 0x0b, 0x0c])),
      ("()", .array([])), ("( )", .array([])), ("(a)", .array([.string("a")])),
      ("(a,)", .array([.string("a")])),
      ("(a , 'b',<00>,)", .array([.string("a"), .string("b"), .data([0])])),
      ("((),({}))", .array([.array([]), .array([.dictionary([])])])),
      ("{}", .dictionary([])), ("{a=b;}", .dictionary([.init("a", .string("b"))])),
      (
        "{ \"a b\" = (1); c; 'd' = { e = <00>; }; }",
        .dictionary([
          .init("a b", .array([.string("1")])), .init("c", .string("c")),
          .init("d", .dictionary([.init("e", .data([0]))])),
        ])
      ),
      ("{\"\"=\"\";}", .dictionary([.init("", .string(""))])),
      (
        "// one\n/* two * / ** */{a /***/=/**/b // ;\n;}//",
        .dictionary([.init("a", .string("b"))])
      ),
      (
        "//\r{a /*=*/ = /*;*/ b /**/ ; // c\u{2029}}\u{0b}\u{0c}",
        .dictionary([.init("a", .string("b"))])
      ),
      ("\u{feff}{}", .dictionary([])),
    ])
  func values(text: String, value: PropertyListValue) throws {
    let document = try openStep(text, isStrict: true)
    #expect(document.format == .openStep)
    #expect(document.textEncoding == .utf8)
    #expect(!document.isStringsFile)
    #expect(try document.value() == value)
  }

  @Test(
    "each escape is the character that it stands for",
    arguments: [
      (#"\a\b\t\n\v\f\r"#, "\u{7}\u{8}\t\n\u{b}\u{c}\r"), (#"\"\'\\\d\x\?"#, "\"'\\dx?"),
      ("\\\n", "\n"), (#"\é\😀"#, "é😀"), (#"\0\00\000\0000"#, "\0\0\0\u{0}0"),
      (#"\101\1018\18"#, "AA8\u{1}8"), (#"\200\201\245"#, "\u{a0}À¥"),
      (#"\341\350\361\365\373"#, "ÆŁæıß"), (#"\U41\U041\U0041\U00410"#, "AAAA0"),
      (#"\U2019\Ue9\UE9g"#, "\u{2019}éég"), (#"\UD83D\UDCA9"#, "\u{1f4a9}"), (#"\u0041"#, "u0041"),
    ])
  func escapes(text: String, expected: String) throws {
    let document = try openStep("\"\(text)\"", isStrict: true)
    #expect(try document.value() == .string(expected))
    let root = document.root
    #expect(document.string(of: root)?.utf8.elementsEqual(expected.utf8) == true)
    #expect(document.utf16(of: root) == Array(expected.utf16))
    #expect(document.text(of: root, equals: expected))
    #expect(document.rawBytes(of: root) == Array("\"\(text)\"".utf8))
  }

  @Test(
    "half a surrogate pair is kept, and irregular",
    arguments: [
      (#"\UD83D"#, [0xd83d] as [UInt16], [2]), (#"\UDCA9a"#, [0xdca9, 0x61], [2]),
      (#"\UDCA9\UD83D"#, [0xdca9, 0xd83d], [2, 8]), (#"\UD83D💩"#, [0xd83d, 0xd83d, 0xdca9], [2]),
      (#"\UD83D\UD83D\UDCA9"#, [0xd83d, 0xd83d, 0xdca9], [2]),
    ])
  func halves(text: String, units: [UInt16], columns: [Int]) throws {
    let document = try openStep("\"\(text)\"")
    #expect(try document.value() == .unpairedString(units))
    #expect(document.string(of: document.root) == nil)
    #expect(document.utf16(of: document.root) == units)
    #expect(document.irregularities.map(\.code) == columns.map { _ in .invalidText })
    #expect(document.irregularities.map(\.column) == columns)
    #expect(openStepError("\"\(text)\"", isStrict: true)?.code == .invalidText)
    #expect(try PropertyListValue(json: document.json()) == .unpairedString(units))
  }

  @Test(
    "octal numbers that are no character are irregular",
    arguments: [
      (#"\376"#, "\u{fffd}"), (#"\377"#, "\u{fffd}"), (#"\501"#, "A"), (#"\777"#, "\u{fffd}"),
    ])
  func octal(text: String, expected: String) throws {
    let document = try openStep("('\(text)')")
    #expect(try document.value()[0] == .string(expected))
    #expect(document.irregularities.map(\.code) == [.invalidEscape])
    #expect(document.irregularities.first?.column == 3)
  }

  @Test(
    "GNUstep's typed values are read",
    arguments: [
      ("<*I5>", PropertyListValue.integer(5)), ("<*I-5>", .integer(-5)), ("<*I\"5\">", .integer(5)),
      ("<*I18446744073709551615>", .integer(Int128(UInt64.max))), ("<*R1.5>", .real(1.5)),
      ("<*R\"-1e3\">", .real(-1000)), ("<*BY>", .boolean(true)), ("<*BN>", .boolean(false)),
      ("<*B\"Y\">", .boolean(true)), ("<*D2001-01-01 00:00:00 +0000>", .date(0)),
      ("<*D2001-01-01 01:30:00 +0130>", .date(0)), ("<*D\"2000-12-31 23:00:00 -0100\">", .date(0)),
      ("<*D2011-11-28 09:21:30 +0000>", .date(344_164_890)),
      ("<[]>", .data([])), ("<[AAEC]>", .data([0, 1, 2])), ("<[\nAAE=\n]>", .data([0, 1])),
    ])
  func typed(text: String, value: PropertyListValue) throws {
    let document = try openStep("( \(text) )", isStrict: true)
    #expect(try document.value() == .array([value]))
    let node = document.children(of: document.root)[0]
    #expect(document.rawBytes(of: node).elementsEqual(text.utf8))
    #expect(document.byteWidth(of: node) == nil)
    switch value {
    case .integer(let integer): #expect(document.integer(of: node) == integer)
    case .real(let real): #expect(document.real(of: node) == real)
    case .boolean(let boolean): #expect(document.boolean(of: node) == boolean)
    case .date(let seconds): #expect(document.date(of: node) == seconds)
    case .data(let bytes): #expect(document.data(of: node) == bytes)
    default: Issue.record("no typed value")
    }
  }

  @Test(
    "entries without braces are a strings file",
    arguments: [
      ("a=b;", [("a", "b")]), ("\"a\" = \"b\";\n/* c */ 'd';", [("a", "b"), ("d", "d")]),
      ("a;b;", [("a", "a"), ("b", "b")]), ("/* a */\n", []), (" \r\n", []), ("\u{feff}", []),
    ])
  func entries(text: String, entries: [(String, String)]) throws {
    let document = try openStep(text, isStrict: true)
    #expect(document.isStringsFile)
    #expect(
      try document.value() == .dictionary(entries.map { .init($0.0, .string($0.1)) }))
  }

  @Test("the range of a strings file is from the first key to the last semicolon")
  func rangeOfEntries() throws {
    let document = try openStep("/* a */ b; c = d ; // e\n")
    #expect(document.rawBytes(of: document.root).elementsEqual("b; c = d ;".utf8))
    // The value of `b` is a node of its own.
    #expect(document.nodeCount == 5)
    #expect(document.keys(of: document.root)[0] != document.values(of: document.root)[0])
  }

  @Test("a file of no bytes is no list", arguments: [nil, PropertyListDocument.Format.openStep])
  func empty(format: PropertyListDocument.Format?) {
    let error = #expect(throws: PropertyListError.self) {
      if let format {
        try PropertyListDocument([], as: format)
      } else {
        try PropertyListDocument([])
      }
    }
    #expect(error?.code == .unrecognizedFormat)
    #expect(error?.reason == "the file is empty")
  }

  @Test("a key that is there twice is irregular, however it is written; the last one counts")
  func duplicates() throws {
    let document = try openStep("{ ab = 1; \"a\\142\" = 2; 'ab' = 3; b = { ab = 4; }; }")
    #expect(document.irregularities.map(\.code) == [.duplicateKey, .duplicateKey])
    #expect(document.irregularities.map(\.column) == [11, 24])
    let value = try #require(document.value(for: "ab", in: document.root))
    #expect(document.string(of: value) == "3")
  }
}
