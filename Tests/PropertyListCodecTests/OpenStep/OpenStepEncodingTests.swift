// The encodings of OpenStep lists, and which files are taken for one.

import PropertyListCodec
import Testing

struct OpenStepEncodingTests {
  private static let text = "/* é */ \"clé\" = \"valeur 😀\";\n"
  private static let value = PropertyListValue.dictionary([.init("clé", .string("valeur 😀"))])

  private static func utf16(_ text: String, isLittleEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      let bytes = [UInt8(unit & 0xff), UInt8(unit >> 8)]
      return isLittleEndian ? bytes : bytes.reversed()
    }
  }

  @Test("a list is the same in all Unicode encodings, with a byte-order mark or not")
  func unicode() throws {
    let marked = "\u{feff}" + Self.text
    let files: [([UInt8], PropertyListDocument.TextEncoding)] = [
      (Array(Self.text.utf8), .utf8), (Array(marked.utf8), .utf8),
      (Self.utf16(Self.text, isLittleEndian: true), .utf16LittleEndian),
      (Self.utf16(marked, isLittleEndian: true), .utf16LittleEndian),
      (Self.utf16(Self.text, isLittleEndian: false), .utf16BigEndian),
      (Self.utf16(marked, isLittleEndian: false), .utf16BigEndian),
    ]
    var options = PropertyListDocument.Options()
    options.isStrict = true
    for (bytes, encoding) in files {
      #expect(PropertyListDocument.format(of: bytes) == .openStep)
      let document = try PropertyListDocument(bytes, options: options)
      #expect(document.textEncoding == encoding)
      #expect(document.isStringsFile)
      #expect(document.bytes == bytes)
      #expect(try document.value() == Self.value)
    }
  }

  @Test("bytes that are not UTF-8 are Mac OS Roman, and said to be")
  func macRoman() throws {
    let bytes = Array("{ a = \"".utf8) + Array(0x80...0xff) + Array("\"; }".utf8)
    let document = try PropertyListDocument(bytes)
    #expect(document.textEncoding == .macRoman)
    guard case .string(let text) = try document.value()["a"] else {
      Issue.record("no string")
      return
    }
    #expect(text.unicodeScalars.count == 128)
    #expect(text.hasPrefix("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"))
    #expect(text.hasSuffix("‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"))
    #expect(document.irregularities.map(\.code) == [.invalidText])
    #expect(document.irregularities.first?.reason == "not UTF-8, read as Mac OS Roman")
    #expect(document.irregularities.first?.column == 8)
    var options = PropertyListDocument.Options()
    options.isStrict = true
    #expect(throws: PropertyListError.self) { try PropertyListDocument(bytes, options: options) }
  }

  @Test("text that breaks the encoding that its mark names is an error")
  func broken() {
    let files: [[UInt8]] = [
      [0xfe, 0xff, 0x01], [0xff, 0xfe, 0x28, 0x00, 0x29],
      [0xff, 0xfe, 0x22, 0, 0x3d, 0xd8, 0x22, 0],
      [0xef, 0xbb, 0xbf, 0x22, 0x80, 0x22],
    ]
    for bytes in files {
      let error = #expect(throws: PropertyListError.self) {
        try PropertyListDocument(bytes, as: .openStep)
      }
      #expect(error?.code == .invalidText)
    }
  }

  // MARK: Recognition

  @Test(
    "the beginnings of lists are taken for lists",
    arguments: [
      "// !$*UTF8*$!", "// !$*UTF8*$!\n{ <<<<<<<", "{}", " { } /* */", "{a=", "{ /**/ 'a b' = {",
      "{a;",
      "()", "(a)", "( a, b )", "((a, (b)), {}, <*I5>)", "({a=", "(a, b, c",
      "(\"a b\", \"c\", \"d",
      "<>", "<00 ff>\n", "<*I5>", "<*D2001-01-01 00:00:00 +0000>", "<[AAE=]>", "/* nothing */",
      "// a\n",
      "\"a\" =", "\"a\" = \"b\"\n\"c\" = \"d\";", "'a' = b", "a = \"b\";", "a = 'b'; c d",
      "a = {}; x",
      "a = { b = ", "a = (1, 2);", "a = <00>;", "a = b; c = d;", "a; b; \"c\";", "a; \"b\" = c;",
      "CFBundleName = \"x\";\n\"y\" \"z\";",
    ])
  func recognized(text: String) {
    #expect(PropertyListDocument.format(of: Array(text.utf8)) == .openStep)
  }

  @Test(
    "other text is not",
    arguments: [
      "", " \n", "\u{feff}", "hello", "42", "\"hello\"", "hello, world",
      "Hello there. This is text.",
      "However; this is prose.", "\"Quoted\" words begin it.", "'Tis so.", "(see below) and so on",
      "(c) 2026 Somebody", "(a, b, c) is a tuple", "((a b) c)", "(define (f x) x)", "(a", "(", "{",
      "{a", "{\"a\"",
      "{\"a\": 1}", "{\"a\":", "{ \"a\", \"b\" }", "{a: 1}", "[1]", "[", "[section]\na = b",
      "a = b\nc = d\n",
      "a=1 ; comment\nb=2", "a,b,c\n1,2,3\n", "PATH=/bin; export PATH", "use strict;\nmy $x = 1;",
      "BEGIN;\nCREATE TABLE t (a);", "module.exports = { a: 1 };", "#include <stdio.h>",
      "/* a */\n#include <b>",
      "/* a */ int main(void) { }", "/* open", "import A;\nimport B;", "body { color: red; }",
      "- a\n- b\n",
      "<p>text</p>", "<dd>text</dd>", "<a>", "<00> and more", "-----BEGIN CERTIFICATE-----\nMIIB\n",
      "{\"a\" => 1}", "$x = {'a' => 1};", "\"a\" == b", "a = b;", "a;b;c;", "a = b; c",
      "SQLite format 3\0\u{1}", "book\0\0\0\0mark",
      "0=\u{1}", "%PDF-1.7", "name: value; other", "Dear \"Bob\" = friend;",
    ])
  func unrecognized(text: String) {
    #expect(PropertyListDocument.format(of: Array(text.utf8)) == nil)
  }

  @Test("the beginning of a list is enough, wherever it is cut")
  func beginnings() {
    let text = Array("{ a = \"b\";\n  c = (d, e); }".utf8)
    for count in 5...text.count {
      #expect(PropertyListDocument.format(of: Array(text[..<count])) == .openStep)
    }
    let long =
      Array("(".utf8) + Array([[UInt8]](repeating: Array("a,".utf8), count: 40_000).joined())
    #expect(PropertyListDocument.format(of: Array(long[..<65_536])) == .openStep)
  }

  @Test("binary data and archives are not lists")
  func data() {
    var state: UInt64 = 1
    var random = [UInt8]()
    for _ in 0..<4096 {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      random.append(UInt8(state >> 56))
    }
    for start in 0..<4000 {
      let bytes = Array(random[start..<start + 64])
      // A digit or a letter and `;` can come about by chance, a list not.
      #expect(PropertyListDocument.format(of: bytes) == nil)
    }
    #expect(PropertyListDocument.format(of: Array("KCA1".utf8) + [0, 1, 2, 3]) == nil)
    #expect(PropertyListDocument.format(of: [0x30, 0x3d, 0x06, 0x09]) == nil)
  }

  @Test("a list within data is shown as one only where it is marked as one")
  func nested() throws {
    let value = PropertyListValue.array([.data(Array("{a=b;}".utf8))])
    var options = DescriptionOptions()
    options.nesting = 1
    let description = try PropertyListDescription(value.binary(), options: options)
    #expect(String(decoding: try description.text(), as: UTF8.self).contains("text \"{a=b;}\""))
  }

  @Test(
    "a description says what the list is and how it is encoded",
    arguments: [
      ("{ a = (b, <00>); }", "OpenStep property list, UTF-8, 5 objects"),
      ("\"a\" = \"b\";", "strings file, UTF-8, 3 objects"),
    ])
  func title(text: String, title: String) throws {
    let description = try PropertyListDescription(Array(text.utf8))
    #expect(description.title == title)
    #expect(try PropertyListValue(json: description.json()) == description.document.value())
    let utf16 = try PropertyListDescription([0xff, 0xfe] + Self.utf16(text, isLittleEndian: true))
    #expect(utf16.title == title.replacing("UTF-8", with: "UTF-16"))
    #expect(try utf16.text() == description.text())
  }
}
