// What is written as an OpenStep list, and that it is read as what it was.

import PropertyListCodec
import Testing

struct OpenStepWritingTests {
  private static let list = PropertyListValue.dictionary([
    .init("b", .array([.string("x"), .string("a b"), .array([]), .dictionary([])])),
    .init("a key", .data([0x0f, 0xbd, 0x77, 0x1c, 0x27])),
    .init("c", .dictionary([.init("d", .string(""))])),
  ])

  private func text(
    _ value: PropertyListValue, _ change: (inout OpenStepWritingOptions) -> Void = { _ in }
  ) throws -> String {
    var options = OpenStepWritingOptions()
    change(&options)
    return String(decoding: try value.openStep(options), as: UTF8.self)
  }

  @Test("a list has four spaces a level, and quotation marks where they are needed")
  func layout() throws {
    #expect(
      try text(Self.list) == """
        {
            "a key" = <0fbd771c 27>;
            b = (
                x,
                "a b",
                (),
                {}
            );
            c = {
                d = "";
            };
        }

        """)
    #expect(try text(.dictionary([])) == "{}\n")
    #expect(try text(.string("a")) == "a\n")
    #expect(try text(Self.list) { $0.sortsKeys = false }.hasPrefix("{\n    b = (\n"))
  }

  @Test("a strings file has no braces, and all strings in quotation marks")
  func stringsFile() throws {
    let value = PropertyListValue.dictionary([
      .init("b", .string("1")), .init("a", .array([.string("2")])),
    ])
    let text = try text(value) { $0.isStringsFile = true }
    #expect(text == "\"a\" = (\n    \"2\"\n);\n\"b\" = \"1\";\n")
    let document = try PropertyListDocument(Array(text.utf8))
    #expect(document.isStringsFile)
    #expect(try document.value()["a"] == .array([.string("2")]))
    #expect(try self.text(.dictionary([])) { $0.isStringsFile = true } == "{}\n")
    let error = #expect(throws: PropertyListError.self) {
      try self.text(.array([])) { $0.isStringsFile = true }
    }
    #expect(error?.code == .notRepresentable)
  }

  @Test(
    "strings stand without quotation marks only where every reader takes them so",
    arguments: [
      ("abc_$.9", "abc_$.9"), ("a/b", "a/b"), ("a//b", "\"a//b\""), ("//", "\"//\""),
      ("-", "\"-\""),
      ("a:b", "\"a:b\""), ("", "\"\""), ("é", "\"é\""), ("a\"b\\c", #""a\"b\\c""#),
      ("\u{7}\u{8}\t\n\r", #""\a\b\t\n\r""#),
      ("\0\u{b}\u{c}\u{1f}\u{7f}", #""\U0000\U000b\U000c\U001f\U007f""#),
      ("😀\u{2028}", "\"😀\u{2028}\""),
    ])
  func strings(string: String, expected: String) throws {
    #expect(try text(.array([.string(string)])) == "(\n    \(expected)\n)\n")
    #expect(try openStep("(\(expected))", isStrict: true).value()[0] == .string(string))
  }

  @Test("where ASCII is wanted, other characters are escaped")
  func ascii() throws {
    #expect(try text(.string("é😀a")) { $0.isASCII = true } == "\"\\U00e9\\Ud83d\\Ude00a\"\n")
  }

  @Test(
    "half a surrogate pair is written as an escape and comes back",
    arguments: [[0xd83d], [0xdca9, 0x41], [0x41, 0xdca9, 0xd83d], [0xd83d, 0xd83d, 0xdca9]]
      as [[UInt16]])
  func halves(units: [UInt16]) throws {
    for isASCII in [false, true] {
      let written = try text(.unpairedString(units)) { $0.isASCII = isASCII }
      #expect(try openStep(written).value() == .unpairedString(units))
    }
  }

  @Test(
    "typed values are written where they are wanted",
    arguments: [
      (PropertyListValue.boolean(true), "<*BY>"), (.boolean(false), "<*BN>"),
      (.integer(-5), "<*I-5>"),
      (.integer(Int128(UInt64.max)), "<*I18446744073709551615>"), (.real(0.1), "<*R0.1>"),
      (.real(-.infinity), "<*R-infinity>"), (.date(0), "<*D2001-01-01 00:00:00 +0000>"),
      (.date(-63_114_076_800), "<*D0000-12-30 00:00:00 +0000>"),
    ])
  func typed(value: PropertyListValue, expected: String) throws {
    #expect(try text(value) { $0.usesTypedValues = true } == expected + "\n")
    #expect(try openStep(expected).value() == value)
    let error = #expect(throws: PropertyListError.self) { try text(value) }
    #expect(error?.code == .notRepresentable)
  }

  @Test(
    "what such lists cannot say is refused, with its place",
    arguments: [
      (PropertyListValue.null, "a null in an OpenStep list"),
      (.uid(1), "a UID in an OpenStep list"),
      (.array([.set([])]), "a set in an OpenStep list (element 1)"),
      (
        .dictionary([.init("secret", .string("")), .init("k", .array([.string(""), .url(["a"])]))]),
        "a URL or UUID in an OpenStep list (entry 2, element 2)"
      ),
      (
        .array([.uuid(Array(repeating: 0, count: 16))]),
        "a URL or UUID in an OpenStep list (element 1)"
      ),
      (
        .array([.dictionary([.init(.data([]), .null)])]),
        "a key that is not a string in an OpenStep list (element 1, entry 1)"
      ),
      (.integer(1 << 64), "an integer of over 64 bits in an OpenStep list"),
      (.date(.nan), "a date that no calendar has in an OpenStep list"),
      (.unknown([0x8a]), "an unknown object in an OpenStep list"),
    ])
  func refused(value: PropertyListValue, reason: String) {
    let error = #expect(throws: PropertyListError.self) {
      try text(value) { $0.usesTypedValues = true }
    }
    #expect(error?.code == .notRepresentable)
    #expect(error?.reason == reason)
  }

  @Test("nesting is limited in writing, too")
  func depth() throws {
    var value = PropertyListValue.array([])
    for _ in 1..<512 { value = .array([value]) }
    let written = try value.openStep()
    #expect(try openStep(String(decoding: written, as: UTF8.self)).value() == value)
    let error = #expect(throws: PropertyListError.self) {
      try PropertyListValue.array([value]).openStep()
    }
    #expect(error?.code == .nestingTooDeep)
  }
}
