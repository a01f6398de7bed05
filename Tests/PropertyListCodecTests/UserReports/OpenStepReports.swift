// Reports of OpenStep's lists: silent loss, and dialects.

import PropertyListCodec
import Testing

struct OpenStepReports {
  private func value(_ text: String) throws -> PropertyListValue {
    try PropertyListDocument(Array(text.utf8), as: .openStep).value()
  }

  /// swiftlang/swift-foundation#2020: it was U+0000.
  @Test("B9: \\U without a digit is an error", arguments: [#"{ a = "\U"; }"#, #"{ a = "x\Ug"; }"#])
  func noDigit(text: String) {
    let error = refusal(Array(text.utf8))
    #expect(error?.code == .invalidEscape)
    #expect(error?.line == 1)
  }

  /// swiftlang/swift-foundation#2222: all that followed was lost.
  @Test(
    "B10: a stray character between entries is an error, and nothing is lost",
    arguments: ["\u{3000}", "\u{a0}", "x", "\u{feff}", "\u{0}", "}"])
  func stray(character: String) {
    let text = "\"a\" = \"1\";\n\(character) \"b\" = \"2\";\n\"c\" = \"3\";\n"
    let error = refusal(Array(text.utf8))
    #expect(error?.line == 2)
    // Behind a word, something has to follow.
    #expect(error?.column == (character == "x" ? 2 : 1))
  }

  /// googlefonts/fontc#281: a path without quotation marks.
  @Test("B41: words have slashes and dots")
  func paths() throws {
    #expect(
      try value("{ file = ../../build/x.ufo; date = 2019-01-01; }")
        == .dictionary([
          .init("file", .string("../../build/x.ufo")), .init("date", .string("2019-01-01")),
        ]))
  }

  /// googlefonts/fontc#1292, 3breadt/dd-plist#25, #45, #48, DHowett/go-plist#56.
  @Test(
    "B41: escapes are those of Apple's reader, and text beyond ASCII is itself",
    arguments: [
      (#""\U2019""#, "\u{2019}"), (#""\UD83D\UDCA9""#, "\u{1f4a9}"), (#""\U00e9""#, "é"),
      (#""\d\q""#, "dq"), (#""\\""#, "\\"), (#""\\\"""#, "\\\""), (#""a\\" "#, "a\\"),
      ("\"é\u{1f4a9}\"", "é\u{1f4a9}"), ("'it\\'s'", "it's"), (#""\f\v""#, "\u{c}\u{b}"),
    ])
  func escapes(text: String, expected: String) throws {
    #expect(try value(text) == .string(expected))
    #expect(try value("{ a = \(text); }") == .dictionary([.init("a", .string(expected))]))
    #expect(try value(string(PropertyListValue.string(expected).openStep())) == .string(expected))
  }
}
