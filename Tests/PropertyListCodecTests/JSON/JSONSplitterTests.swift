import ByteCoding
import PropertyListCodec
import Testing

struct JSONSplitterTests {
  struct Found: Equatable {
    var elements: [String] = []
    var places: [JSONPlace] = []
    var error: JSONError?
  }

  /// Splits `text`, fed in chunks of `chunk` bytes, discarding what is done with after each of them.
  private func split(
    _ text: [UInt8], _ layout: JSONSplitter.Layout, chunk: Int, limit: Int = .max
  ) -> Found {
    var found = Found()
    var splitter = JSONSplitter(layout, maximumElementByteCount: limit)
    var buffer: [UInt8] = []
    var fed = 0
    do {
      while true {
        switch try splitter.next(in: buffer.bytes, isComplete: fed == text.count) {
        case .element(let element):
          found.elements.append(String(decoding: buffer[element.range], as: UTF8.self))
          found.places.append(element.place)
        case .needsInput:
          buffer.removeFirst(splitter.discard())
          let count = min(chunk, text.count - fed)
          buffer += text[fed..<fed + count]
          fed += count
        case .end: return found
        }
      }
    } catch {
      found.error = error
      return found
    }
  }

  /// The same text in every chunk size gives the same.
  private func splitAll(_ text: String, _ layout: JSONSplitter.Layout) -> Found {
    let bytes = Array(text.utf8)
    let whole = split(bytes, layout, chunk: max(1, bytes.count))
    for chunk in 1..<max(2, bytes.count) {
      let found = split(bytes, layout, chunk: chunk)
      if found != whole { Issue.record("chunks of \(chunk): \(found), whole: \(whole)") }
    }
    return whole
  }

  @Test(
    "lines are elements, blank ones are not",
    arguments: [
      ("", [], []), ("\n\n \t\r\n", [], []), ("{}", ["{}"], [(1, 1)]),
      ("{\"a\":1}\n{\"b\":\"\u{e9}\"}\n", ["{\"a\":1}", "{\"b\":\"\u{e9}\"}"], [(1, 1), (2, 1)]),
      ("\u{feff}1\r\n\r\n  2 \r\n\t3", ["1", "2", "3"], [(1, 1), (3, 3), (4, 2)]),
      ("[\n]\n", ["[", "]"], [(1, 1), (2, 1)]),
      ("\"{\" x\n}", ["\"{\" x", "}"], [(1, 1), (2, 1)]), ("\u{b}\n", ["\u{b}"], [(1, 1)]),
    ] as [(String, [String], [(Int, Int)])])
  func lines(text: String, elements: [String], places: [(Int, Int)]) {
    let found = splitAll(text, .lines)
    #expect(found.error == nil)
    #expect(found.elements == elements)
    #expect(found.places == places.map { JSONPlace(line: $0.0, column: $0.1) })
  }

  @Test(
    "an array's elements, or those of the items of an object",
    arguments: [
      ("[]", [], []), (" [ ] \n", [], []), ("[1]", ["1"], [(1, 2)]),
      (
        "\u{feff}[1, \"é]\\\"\",\n {\"a\":[1,{\"b\":\"}\"}]},[ ],null]",
        ["1", "\"é]\\\"\"", "{\"a\":[1,{\"b\":\"}\"}]}", "[ ]", "null"],
        [(1, 2), (1, 5), (2, 2), (2, 22), (2, 26)]
      ),
      ("{\"version\":1,\"items\":[{},{}]}", ["{}", "{}"], [(1, 23), (1, 26)]),
      ("{\"items\":[true],\"version\":1}", ["true"], [(1, 11)]),
      (
        "{ \"x\" : {\"items\":[9]} , \"v\\u0065rsion\":1,\n\"items\" : [ 1 , 2 ] , \"y\":[],\"z\":0}",
        ["1", "2"], [(2, 13), (2, 17)]
      ),
    ] as [(String, [String], [(Int, Int)])])
  func documents(text: String, elements: [String], places: [(Int, Int)]) {
    let found = splitAll(text, .document)
    #expect(found.error == nil)
    #expect(found.elements == elements)
    #expect(found.places == places.map { JSONPlace(line: $0.0, column: $0.1) })
  }

  @Test(
    "a document that is none of these is refused, with its place",
    arguments: [
      ("", JSONError.Code.unexpectedEnd, 1), ("  ", .unexpectedEnd, 3), ("1", .wrongType, 1),
      ("\"items\"", .wrongType, 1), ("[", .unexpectedEnd, 2), ("[1", .unexpectedEnd, 3),
      ("[1,", .unexpectedEnd, 4), ("[\"a", .unexpectedEnd, 4), ("[{\"a\":1", .unexpectedEnd, 8),
      ("[{\"a\" 1", .unexpectedCharacter, 7), ("[1 2]", .unexpectedCharacter, 4),
      ("[1:2]", .unexpectedCharacter, 3), ("[1}", .unexpectedCharacter, 3),
      ("[\"a\"\"b\"]", .unexpectedCharacter, 5), ("[1\"b\"]", .unexpectedCharacter, 3),
      ("[1[]]", .unexpectedCharacter, 3), ("[]]", .trailingContent, 3),
      ("[] x", .trailingContent, 4), ("{}", .missingKey, 2), ("{\"version\":1}", .missingKey, 13),
      ("{\"items\":[]}", .missingKey, 12),
      ("{\"version\":2,\"items\":[]}", .unsupportedVersion, 12),
      ("{\"version\":1.0}", .unsupportedVersion, 12),
      ("{\"version\":\"1\"}", .unsupportedVersion, 12),
      ("{\"items\":{}}", .wrongType, 10), ("{\"items\":[],\"items\":[]}", .duplicateKey, 13),
      ("{\"version\":1,\"version\":1}", .duplicateKey, 14),
      ("{\"version\":1,}", .unexpectedCharacter, 14), ("{,", .unexpectedCharacter, 2),
      ("{\"a\"", .unexpectedEnd, 5), ("{\"a\":", .unexpectedEnd, 6),
      ("{\"a\" 1}", .unexpectedCharacter, 6), ("{\"a\":1 \"b\"}", .unexpectedCharacter, 8),
      ("{\"a\":tru}", .unexpectedCharacter, 6), ("{\"a\\x\":1}", .invalidEscape, 4),
      ("{\"a\":[1,]}", .unexpectedCharacter, 9), ("{1:1}", .wrongType, 2),
    ])
  func refusals(text: String, code: JSONError.Code, column: Int) {
    let found = splitAll(text, .document)
    #expect(found.error?.code == code)
    #expect(found.error?.line == 1)
    #expect(found.error?.column == column)
  }

  /// What is between the separators goes to the reader, so that its error has the right place.
  @Test("what is no value is handed out for the reader to refuse", arguments: ["[,1]", "[1,]"])
  func notValues(text: String) throws {
    let found = split(Array(text.utf8), .document, chunk: text.utf8.count)
    let element = Array(try #require(found.elements.last).utf8)
    let place = try #require(found.places.last)
    let error = #expect(throws: JSONError.self) { try skip(element, place) }
    #expect(error?.code == .unexpectedCharacter)
    #expect(error?.column == (text == "[,1]" ? 2 : 4))
  }

  private func skip(_ element: [UInt8], _ place: JSONPlace) throws(JSONError) {
    var reader = JSONReader(element.bytes, at: place)
    try reader.skipValue()
  }

  @Test("an element longer than the limit is refused without waiting for its end")
  func limit() {
    let items = String(repeating: "{\"a\":1},", count: 20) + "\"0123456789\""
    for (text, layout) in [
      ("[\(items)]", .document), ("{\"a\":1}\n\n\"0123456789\"\n", .lines),
    ] as [(String, JSONSplitter.Layout)] {
      for chunk in [1, 5, 1000] {
        #expect(split(Array(text.utf8), layout, chunk: chunk, limit: 12).error == nil)
        let found = split(Array(text.utf8), layout, chunk: chunk, limit: 11)
        #expect(found.error?.code == .elementTooLong)
        #expect(found.elements.first == "{\"a\":1}")
      }
    }
    let open = Array("[\"".utf8) + [UInt8](repeating: 0x61, count: 1000)
    #expect(split(open, .document, chunk: 10, limit: 100).error?.code == .elementTooLong)
  }

  @Test("nesting beyond the reader's limit is refused where it happens")
  func depth() {
    let text = Array(String(repeating: "[", count: JSONReader.maximumDepth + 2).utf8)
    for chunk in [1, 7, text.count] {
      let found = split(text, .document, chunk: chunk)
      #expect(found.error?.code == .nestingTooDeep)
      #expect(found.error?.column == JSONReader.maximumDepth + 2)
    }
  }

  private let sample =
    "{\"a\":[{\"é\":\"\\\"]\"}],\"version\":1,\n \"items\":[{\"b\":\"}\"}, [2]\n]}\n"

  @Test("every prefix of a document ends too early, and nothing traps")
  func prefixes() {
    let text = Array(sample.utf8)
    for count in 0..<text.count - 1 {
      let found = split(Array(text[..<count]), .document, chunk: 7)
      #expect(found.error?.code == .unexpectedEnd)
    }
  }

  @Test("any flipped bit gives the same for every chunk size, and nothing traps")
  func flips() {
    let text = Array(sample.utf8)
    for index in text.indices {
      for bit in 0..<8 {
        var flipped = text
        flipped[index] ^= 1 << UInt8(bit)
        for layout in [JSONSplitter.Layout.document, .lines] {
          let whole = split(flipped, layout, chunk: text.count)
          for chunk in [1, 3, 8] where split(flipped, layout, chunk: chunk) != whole {
            Issue.record("byte \(index), bit \(bit), chunks of \(chunk)")
          }
        }
      }
    }
  }
}
