// What is no OpenStep list, and where; limits; encodings.

import PropertyListCodec
import Testing

struct OpenStepErrorTests {
  typealias Code = PropertyListError.Code

  @Test(
    "whatever is not in the grammar is an error at its place",
    arguments: [
      ("{", Code.unexpectedEnd, 1, 1), ("{ a = b;", .unexpectedEnd, 1, 1),
      ("{a", .missingValue, 1, 3),
      ("{a=", .unexpectedEnd, 1, 4), ("{a=b}", .missingSemicolon, 1, 5),
      ("{a=b", .missingSemicolon, 1, 5), ("{ a = b\n  c = d; }", .missingSemicolon, 1, 8),
      ("{a b;}", .missingValue, 1, 3), ("{a :b;}", .missingValue, 1, 3),
      ("{=b;}", .unexpectedCharacter, 1, 2),
      ("{a=;}", .unexpectedCharacter, 1, 4), ("{a=b;;}", .unexpectedCharacter, 1, 6),
      ("{(a)=b;}", .unexpectedCharacter, 1, 2), ("{<00>=b;}", .unexpectedCharacter, 1, 2),
      ("{a=b,}", .unexpectedCharacter, 1, 5), ("{a=b;)", .unexpectedCharacter, 1, 6),
      ("{a=(b};}", .unexpectedCharacter, 1, 6), ("(", .unexpectedEnd, 1, 1),
      ("(a", .unexpectedEnd, 1, 1),
      ("(a,", .unexpectedEnd, 1, 1), ("(,)", .unexpectedCharacter, 1, 2),
      ("(a,,b)", .unexpectedCharacter, 1, 4),
      ("(a b)", .unexpectedCharacter, 1, 4), ("(a;b)", .unexpectedCharacter, 1, 3),
      ("(a}", .unexpectedCharacter, 1, 3),
      (")", .unexpectedCharacter, 1, 1), ("}", .unexpectedCharacter, 1, 1),
      ("=", .unexpectedCharacter, 1, 1),
      ("{} {}", .unexpectedCharacter, 1, 4), ("() a", .unexpectedCharacter, 1, 4),
      ("<> ;", .unexpectedCharacter, 1, 4),
      ("{a=b;} \u{3000}", .unexpectedCharacter, 1, 8), ("{é=b;}", .unexpectedCharacter, 1, 2),
      ("{a=é;}", .unexpectedCharacter, 1, 4), ("{a=b\0;}", .unexpectedCharacter, 1, 5),
      ("a = b; c", .missingValue, 1, 9), ("a = b", .missingSemicolon, 1, 6),
      ("a b", .missingValue, 1, 2),
      ("a = b;\n}", .unexpectedCharacter, 2, 1), ("a = b; \u{feff}c;", .unexpectedCharacter, 1, 8),
      ("\"a", .unexpectedEnd, 1, 1), ("{ a = 'b; }", .unexpectedEnd, 1, 7),
      ("\"a\\\"", .unexpectedEnd, 1, 1),
      ("\"a\\", .unexpectedEnd, 1, 1), ("{ /* }", .unexpectedEnd, 1, 3),
      ("/*/", .unexpectedEnd, 1, 1),
      ("\"\\U\"", .invalidEscape, 1, 2), ("{\n\t'éa\\Ug' = b;\n}", .invalidEscape, 2, 5),
      ("<0>", .invalidData, 1, 3), ("<0 0>", .invalidData, 1, 3), ("<0g>", .invalidData, 1, 3),
      ("<00 /**/>", .invalidData, 1, 5), ("<00", .unexpectedEnd, 1, 1), ("<", .unexpectedEnd, 1, 1),
      ("<*", .unexpectedEnd, 1, 1), ("<*I", .unexpectedEnd, 1, 1), ("<*>", .unexpectedEnd, 1, 1),
      ("<*I>", .invalidNumber, 1, 1), ("(a, <*Ix>)", .invalidNumber, 1, 5),
      ("<*I18446744073709551616>", .invalidNumber, 1, 1), ("<*Rx>", .invalidNumber, 1, 1),
      ("<*I\"5>", .unexpectedEnd, 1, 4), ("<*I\"5\"5>", .unexpectedCharacter, 1, 7),
      ("<*BX>", .unexpectedCharacter, 1, 1), ("<*B>", .unexpectedCharacter, 1, 1),
      ("<*Q1>", .unexpectedCharacter, 1, 1),
      ("<*D5>", .invalidDate, 1, 1), ("<*D2001-01-01T00:00:00 +0000>", .invalidDate, 1, 1),
      ("<*D2001-02-29 00:00:00 +0000>", .invalidDate, 1, 1),
      ("<*D2001-01-01 00:00:00 0000>", .invalidDate, 1, 1),
      ("<*D2001-01-01 00:00:00 +0060>", .invalidDate, 1, 1),
      ("<*D2001-01-01 00:00:00>", .invalidDate, 1, 1),
      ("<[AA", .unexpectedEnd, 1, 1), ("<[AA>", .unexpectedEnd, 1, 1),
      ("<[é]>", .invalidData, 1, 3),
    ])
  func errors(text: String, code: Code, line: Int, column: Int) {
    let error = openStepError(text)
    #expect(error?.code == code)
    #expect(error?.line == line)
    #expect(error?.column == column)
  }

  @Test("text that only looks like Base64 is irregular, as in XML")
  func base64() throws {
    let document = try openStep("<[AAE]>")
    #expect(try document.value() == .data([0, 1]))
    #expect(document.irregularities.map(\.code) == [.invalidData])
    #expect(document.irregularities.first?.column == 5)
  }

  // MARK: What others got wrong

  @Test("an escape without a digit is an error, not U+0000 (swift-foundation, pull request 2020)")
  func escapeWithoutDigit() {
    for text in [#""\U""#, #""\Ux""#, #""\U 1""#, #"{"\U"=a;}"#, #""\U\U0041""#] {
      #expect(openStepError(text)?.code == .invalidEscape)
    }
  }

  @Test(
    "a stray character never ends a strings file silently (swift-foundation, pull request 2222)")
  func strayCharacters() {
    for stray in ["\u{3000}", "\u{a0}", "\u{200b}", "\u{feff}", "#", "=", "}", "\\", "\0", "é"] {
      let error = openStepError("\"a\" = \"1\";\n \(stray)\"b\" = \"2\";\n")
      #expect(error?.code == .unexpectedCharacter)
      #expect(error?.line == 2)
      #expect(error?.column == 2)
    }
  }

  @Test(
    "texts that other readers refused or changed are read (fontc 281 and 1292, dd-plist 25, go-plist 56)",
    arguments: [
      ("{ path = ../../build/x.ufo; }", "../../build/x.ufo"),
      (#"{ path = "a\U2019b"; }"#, "a\u{2019}b"),
      (#"{ path = "\UD83D\UDCA9"; }"#, "\u{1f4a9}"), ("{ path = \"größe 絵\"; }", "größe 絵"),
      (#"{ path = "\d"; }"#, "d"), (#"{ path = "\\"; }"#, "\\"), (#"{ path = "a\\\""; }"#, "a\\\""),
    ])
  func accepted(text: String, expected: String) throws {
    #expect(try openStep(text, isStrict: true).value()["path"] == .string(expected))
    #expect(PropertyListDocument.format(of: Array(text.utf8)) == .openStep)
  }

  // MARK: Limits

  @Test("nesting is limited, whichever the container", arguments: [("(", ")"), ("{a=", ";}")])
  func depth(open: String, close: String) throws {
    func nested(_ depth: Int) -> String {
      String(repeating: open, count: depth - 1) + "()" + String(repeating: close, count: depth - 1)
    }
    #expect(try openStep(nested(512)).checkTree(openStep(nested(512)).root).depth == 512)
    let error = openStepError(nested(513))
    #expect(error?.code == .nestingTooDeep)
    #expect(error?.column == 512 * open.utf8.count + 1)
  }

  @Test("the number of objects is limited")
  func objects() throws {
    var options = PropertyListDocument.Options()
    options.maximumObjectCount = 4
    #expect(throws: Never.self) {
      try PropertyListDocument(Array("(a,b,c)".utf8), as: .openStep, options: options)
    }
    for text in ["(a,b,c,d)", "{a;b;}", "{a=b;c=();}"] {
      let error = #expect(throws: PropertyListError.self) {
        try PropertyListDocument(Array(text.utf8), as: .openStep, options: options)
      }
      #expect(error?.code == .tooManyObjects)
    }
  }

  @Test("every prefix and every changed byte ends in a list or an error with its place")
  func damage() throws {
    let text =
      Array(
        #"// c"#.utf8)
      + Array("\n{ a = \"b\\U00e9\\101\"; /* d */ 'e' = (<0a0b>, <*I5>, <[AA==]>); f; }\n".utf8)
    #expect(throws: Never.self) { try PropertyListDocument(text) }
    for count in 1..<text.count - 3 {
      let error = #expect(throws: PropertyListError.self) {
        // Of a comment alone, a list without entries.
        guard count > 5 else { throw PropertyListError(.missingValue, offset: 0, reason: "") }
        _ = try PropertyListDocument(Array(text[..<count]), as: .openStep)
      }
      #expect(count <= 5 || error?.line != nil)
    }
    for index in text.indices {
      for byte in [0x00, 0x22, 0x28, 0x29, 0x2f, 0x3b, 0x3c, 0x3d, 0x5c, 0x7b, 0x7d, 0xff]
        as [UInt8]
      {
        var changed = text
        changed[index] = byte
        do {
          let document = try PropertyListDocument(changed, as: .openStep)
          #expect(throws: Never.self) { try document.value() }
        } catch {
          #expect(error.line != nil)
        }
      }
    }
  }
}
