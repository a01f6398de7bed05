import ByteCoding
import PropertyListCodec
import Testing

struct JSONReaderTests {
  @Test("a text with everything is read as it says")
  func everything() throws {
    let escapes = "\"\\/\u{8}\u{c}\n\r\t\u{0}é€😀😀"
    let nested = JSONTree.object([
      .init(
        key: "a",
        value: .array([
          .array([]), .array([.null]),
          .object([.init(key: "b", value: .array([.boolean(true), .boolean(false)]))]),
        ]))
    ])
    let numbers = ["1", "-2.5e+10", "0", "-0", "1E-7", "12345678901234567890"]
    let expected = JSONTree.object([
      .init(key: "class", value: .string("genp")),
      .init(key: "é€😀", value: .array(numbers.map { .number($0) })),
      .init(key: "escapes", value: .string(escapes)), .init(key: "", value: .object([])),
      .init(key: "nested", value: nested),
      .init(key: "long", value: .string("abcdefghijklmnopqrstuvwxyz é€😀")),
    ])
    #expect(try JSONTree(sampleJSON) == expected)
  }

  @Test(
    "any value can be the whole text, white space around it",
    arguments: [
      (" {} ", JSONTree.object([])), ("\t[]\r\n", .array([])), ("\"\"", .string("")),
      ("0", .number("0")), (" true", .boolean(true)), ("false ", .boolean(false)),
      ("null", .null), ("\u{feff}null", .null),
      ("[ 1 , 2 ]", .array([.number("1"), .number("2")])),
    ])
  func wholeTexts(text: String, tree: JSONTree) throws {
    #expect(try JSONTree(Array(text.utf8)) == tree)
  }

  /// The third member is the column; every text has one line.
  @Test(
    "what RFC 8259 does not allow is refused, with its place",
    arguments: [
      ("", JSONError.Code.unexpectedEnd, 1), ("  ", .unexpectedEnd, 3),
      ("{", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 4), ("{\"a\"", .unexpectedEnd, 5),
      ("{\"a\":", .unexpectedEnd, 6), ("\"abc", .unexpectedEnd, 5), ("\"\\", .unexpectedEnd, 3),
      ("\"\\u12", .unexpectedEnd, 6), ("\"\\ud800", .unexpectedEnd, 8), ("tru", .unexpectedEnd, 4),
      ("nul", .unexpectedEnd, 4), ("-", .unexpectedEnd, 2), ("1.", .unexpectedEnd, 3),
      ("1e", .unexpectedEnd, 3), ("1e+", .unexpectedEnd, 4),
      ("[1,]", .unexpectedCharacter, 4), ("{\"a\":1,}", .unexpectedCharacter, 8),
      ("[,1]", .unexpectedCharacter, 2), ("[1 2]", .unexpectedCharacter, 4),
      ("{\"a\" 1}", .unexpectedCharacter, 6), ("{a:1}", .unexpectedCharacter, 2),
      ("{'a':1}", .unexpectedCharacter, 2), ("{1:1}", .unexpectedCharacter, 2),
      ("[1}", .unexpectedCharacter, 3), ("{\"a\":1]", .unexpectedCharacter, 7),
      ("]", .unexpectedCharacter, 1), ("}", .unexpectedCharacter, 1),
      ("nan", .unexpectedCharacter, 1), ("NaN", .unexpectedCharacter, 1),
      ("Infinity", .unexpectedCharacter, 1), ("True", .unexpectedCharacter, 1),
      ("// c\n1", .unexpectedCharacter, 1), ("/* */1", .unexpectedCharacter, 1),
      ("+1", .unexpectedCharacter, 1), (".5", .unexpectedCharacter, 1),
      ("\u{0}", .unexpectedCharacter, 1), ("\u{a0}1", .unexpectedCharacter, 1),
      ("01", .invalidNumber, 1), ("-01", .invalidNumber, 1), ("00", .invalidNumber, 1),
      ("-a", .invalidNumber, 1), ("1.e5", .invalidNumber, 1), ("1.a", .invalidNumber, 1),
      ("1ea", .invalidNumber, 1), ("1 1", .trailingContent, 3), ("{}x", .trailingContent, 3),
      ("0x10", .trailingContent, 2), ("nulll", .trailingContent, 5), ("1,", .trailingContent, 2),
      ("\"a\u{1f}\"", .controlCharacter, 3), ("\"a\n\"", .controlCharacter, 3),
      ("\"é\t\"", .controlCharacter, 3), ("\"\u{0}\"", .controlCharacter, 2),
      ("\"\\x41\"", .invalidEscape, 2), ("\"\\'\"", .invalidEscape, 2),
      ("\"\\U0041\"", .invalidEscape, 2), ("\"\\u00g0\"", .invalidEscape, 2),
      ("\"a\\u 123\"", .invalidEscape, 3), ("\"\\\u{0}\"", .invalidEscape, 2),
      ("\"\\ud800\"", .loneSurrogate, 2), ("\"\\ud800x\"", .loneSurrogate, 2),
      ("\"\\ud800\\n12345\"", .loneSurrogate, 2), ("\"\\ud800\\ud800\"", .loneSurrogate, 2),
      ("\"é\\udc00\"", .loneSurrogate, 3), ("\"\\ud800\\u0041\"", .loneSurrogate, 2),
      ("\u{feff}\u{feff}1", .unexpectedCharacter, 1),
    ])
  func refusals(text: String, code: JSONError.Code, column: Int) {
    let error = #expect(throws: JSONError.self) { try JSONTree(Array(text.utf8)) }
    #expect(error?.code == code)
    #expect(error?.line == 1)
    #expect(error?.column == column)
    // Skipping validates as much as reading.
    let skipError = #expect(throws: JSONError.self) { try skip(Array(text.utf8)) }
    #expect(skipError == error)
  }

  private func skip(_ text: [UInt8], at place: JSONPlace? = nil) throws(JSONError) {
    if let place {
      var reader = JSONReader(text.bytes, at: place)
      try reader.skipValue()
      try reader.finish()
    } else {
      var reader = JSONReader(text.bytes)
      try reader.skipValue()
      try reader.finish()
    }
  }

  @Test("lines and columns count characters from the place where the text starts")
  func places() {
    let text = Array("{\"é€😀\":1,\r\n \"é\" x}".utf8)
    let error = #expect(throws: JSONError.self) { try JSONTree(text) }
    #expect(error?.line == 2 && error?.column == 6)
    let place = JSONPlace(line: 7, column: 10)
    let inner = #expect(throws: JSONError.self) { try skip(text, at: place) }
    #expect(inner?.line == 8 && inner?.column == 6)
    let first = #expect(throws: JSONError.self) { try skip(Array("\"é\\x\"".utf8), at: place) }
    #expect(first?.line == 7 && first?.column == 12)
  }

  @Test("a byte order mark is for whole texts only")
  func byteOrderMark() {
    let text = Array("\u{feff}x".utf8)
    let whole = #expect(throws: JSONError.self) { try JSONTree(text) }
    #expect(whole?.column == 1)
    #expect(throws: JSONError.self) { try skip(Array("\u{feff}1".utf8), at: JSONPlace()) }
  }

  @Test(
    "a value of another kind than asked for is named as such",
    arguments: ["{}", "[]", "\"\"", "1", "true", "null"])
  func wrongTypes(text: String) throws {
    let bytes = Array(text.utf8)
    for kind in JSONReader.Kind.allCases {
      var reader = JSONReader(bytes.bytes)
      if try reader.peek() == kind {
        try read(&reader, kind)
        #expect(reader.offset > 0)
      } else {
        do {
          try read(&reader, kind)
          Issue.record("\(text) was read as \(kind)")
        } catch {
          #expect(error.code == .wrongType)
          #expect(error.column == 1)
        }
      }
    }
  }

  private func read(_ reader: inout JSONReader, _ kind: JSONReader.Kind) throws(JSONError) {
    switch kind {
    case .object: try reader.beginObject()
    case .array: try reader.beginArray()
    case .string: _ = try reader.readString()
    case .number: _ = try reader.readNumber()
    case .boolean: _ = try reader.readBoolean()
    case .null: try reader.readNull()
    }
  }

  @Test("nesting is followed to the limit and refused beyond it")
  func depth() throws {
    let limit = JSONReader.maximumDepth
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      let inner = open == "[" ? "" : "1"
      let deepest = String(repeating: open, count: limit) + inner
      let text = Array((deepest + String(repeating: close, count: limit)).utf8)
      try skip(text)
      let tooDeep = Array((String(repeating: open, count: limit) + "[" + deepest).utf8)
      let error = #expect(throws: JSONError.self) { try skip(tooDeep) }
      #expect(error?.code == .nestingTooDeep)
      #expect(error?.column == limit * open.utf8.count + 1)
    }
    // Sideways is no depth.
    try skip(Array(("[" + String(repeating: "[],{},", count: 2000) + "[]]").utf8))
  }

  @Test("calls that do not follow the structure are errors, not traps")
  func wrongCalls() {
    let text = Array("}]".utf8)
    var reader = JSONReader(text.bytes)
    #expect((try? reader.nextKey()) == nil)
    #expect((try? reader.nextElement()) != false)
    let array = Array("[1,2]".utf8)
    var second = JSONReader(array.bytes)
    #expect((try? second.beginArray()) != nil)
    #expect((try? second.nextElement()) == true)
    #expect((try? second.nextElement()) == nil)
    var third = JSONReader(array.bytes)
    #expect((try? third.beginArray()) != nil)
    #expect((try? third.finish()) == nil)
    let cut = Array("[".utf8)
    var fourth = JSONReader(cut.bytes)
    #expect((try? fourth.beginArray()) != nil)
    #expect((try? fourth.finish()) == nil)
  }

  @Test("every prefix of a text ends too early, and nothing traps")
  func prefixes() {
    for count in 0..<sampleJSON.count {
      let error = #expect(throws: JSONError.self) { try JSONTree(Array(sampleJSON[..<count])) }
      #expect(error?.code == .unexpectedEnd)
    }
  }

  @Test("any flipped bit gives another tree or an error inside the text, and nothing traps")
  func flips() throws {
    let original = try JSONTree(sampleJSON)
    var changed = 0
    for index in sampleJSON.indices {
      for bit in 0..<8 {
        var text = sampleJSON
        text[index] ^= 1 << UInt8(bit)
        do {
          if try JSONTree(text) != original { changed += 1 }
        } catch {
          #expect((1...4).contains(error.line))
          #expect((1...120).contains(error.column))
          changed += 1
        }
      }
    }
    // The others are in white space and in the case of hexadecimal digits and exponents.
    #expect(changed > sampleJSON.count * 8 * 9 / 10)
  }
}
