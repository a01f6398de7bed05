// Property lists as JSON, both ways: every value has a form, every form is read as that value and no other.

import ByteCoding
import PropertyListCodec
import Testing

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

private func bigEndian(_ number: Int) -> [UInt8] {
  (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

private typealias Value = PropertyListValue

@Suite struct PropertyListJSONTests {
  private static let forms: [(value: Value, json: String)] = [
    (.null, "null"), (.boolean(true), "true"), (.boolean(false), "false"),
    (.integer(42), "42"), (.integer(-1), "-1"), (.integer(0), "0"),
    (.integer(9_007_199_254_740_991), "9007199254740991"),
    (.integer(9_007_199_254_740_992), #"{"$integer":"9007199254740992"}"#),
    (.integer(-9_007_199_254_740_992), #"{"$integer":"-9007199254740992"}"#),
    (.integer(Int128.min), #"{"$integer":"-170141183460469231731687303715884105728"}"#),
    (.real(1.5), "1.5"), (.real(2), "2.0"), (.real(-0.0), "-0.0"), (.real(1e300), "1e+300"),
    (.real(.infinity), #"{"$realBits":"7ff0000000000000"}"#),
    (.real(Double(bitPattern: 0x7ff8_0000_0000_0001)), #"{"$realBits":"7ff8000000000001"}"#),
    (.real32(1.5), #"{"$real32":1.5}"#), (.real32(0.1), #"{"$real32":0.1}"#),
    (.real32(-.infinity), #"{"$real32Bits":"ff800000"}"#),
    (.date(736_257_600), #"{"$date":"2024-05-01T12:00:00Z"}"#),
    (.date(0.5), #"{"$date":"2001-01-01T00:00:00.5Z"}"#),
    (.date(-63_114_076_800), #"{"$date":-63114076800.0}"#),
    (.date(-0.0), #"{"$date":-0.0}"#),
    (.date(.nan), #"{"$dateBits":"7ff8000000000000"}"#),
    (.data([]), #"{"$data":""}"#), (.data([0, 1]), #"{"$data":"AAE="}"#),
    (.string("a\"\n\u{e9}"), #""a\"\n\#u{e9}""#), (.string(""), #""""#),
    (.unpairedString([0xd83d, 0x41]), #"{"$utf16":"d83d0041"}"#),
    (.uid(3), #"{"$uid":3}"#), (.uid(UInt128(1) << 64), #"{"$uid":"18446744073709551616"}"#),
    (.uid(.max), #"{"$uid":"340282366920938463463374607431768211455"}"#),
    (.url(["http://a/", "b"]), #"{"$url":["http://a/","b"]}"#),
    (
      .uuid(Array(0..<16)), #"{"$uuid":"00010203-0405-0607-0809-0A0B0C0D0E0F"}"#
    ),
    (.unknown([0xf0, 1]), #"{"$unknown":"8AE="}"#),
    (.array([]), "[]"), (.array([.integer(1), .array([])]), "[1,[]]"),
    (.set([.integer(1)]), #"{"$set":[1]}"#), (.orderedSet([]), #"{"$orderedSet":[]}"#),
    (.dictionary([]), "{}"),
    (.dictionary([.init("b", .integer(1)), .init("a", .null)]), #"{"b":1,"a":null}"#),
    (.dictionary([.init("$data", .string("x"))]), #"{"$dictionary":[["$data","x"]]}"#),
    (
      .dictionary([.init("$a", .string("x")), .init("$data", .string("y"))]),
      #"{"$a":"x","$data":"y"}"#
    ),
    (
      .dictionary([.init(.integer(1), .null), .init("k", .null)]),
      #"{"$dictionary":[[1,null],["k",null]]}"#
    ),
    (
      .dictionary([.init("k", .integer(1)), .init("k", .integer(2))]),
      #"{"$dictionary":[["k",1],["k",2]]}"#
    ),
    // One character written in two ways: two keys, though Swift's strings are equal.
    (
      .dictionary([.init("\u{e9}", .null), .init("e\u{301}", .null)]),
      "{\"\u{e9}\":null,\"e\u{301}\":null}"
    ),
  ]

  @Test("Each value has its form and comes back from it", arguments: forms)
  fileprivate func form(_ value: PropertyListValue, _ json: String) throws {
    #expect(text(try value.json()) == json)
    #expect(try PropertyListValue(json: Array(json.utf8)) == value)
    #expect(try PropertyListValue(json: Array(" [ \(json) ] ".utf8)) == .array([value]))
  }

  @Test("A document is written as the value of it is", arguments: forms)
  fileprivate func document(_ value: PropertyListValue, _ json: String) throws {
    let list: PropertyListValue = .array([
      value, .dictionary([.init("k", value), .init("l", value)]),
    ])
    let document = try PropertyListDocument(try list.binary())
    #expect(text(try document.json()) == text(try list.json()))
    #expect(text(try document.json(of: document.children(of: document.root)[0])) == json)
  }

  @Test(
    "Other spellings of a value are read",
    arguments: [
      ("18446744073709551615", Value.integer(18_446_744_073_709_551_615)),
      (#"{"$integer":"5"}"#, .integer(5)), (#"{"$uid":"5"}"#, .uid(5)),
      (#"{"$real32":2}"#, .real32(2)), (#"{"$date":5}"#, .date(5)),
      (#"{"$date":"2024-05-01T14:00:00+02:00"}"#, .date(736_257_600)),
      (#"{"$uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"}"#, .uuid(Array(0..<16))),
      (#"{"$utf16":"00410042"}"#, .string("AB")), (#"{"\u0024uid":1}"#, .uid(1)),
      (#"{"$dictionary":[]}"#, .dictionary([])),
      ("{\"a\" : 1e2 }", .dictionary([.init("a", .real(100))])),
    ] as [(String, Value)])
  fileprivate func spelling(_ json: String, _ value: PropertyListValue) throws {
    #expect(try PropertyListValue(json: Array(json.utf8)) == value)
  }

  @Test(
    "What is no form is refused where it stands",
    arguments: [
      (#"{"$dat":"x"}"#, JSONError.Code.unknownForm, 2), (#"{"$data":5}"#, .invalidForm, 2),
      (#"{"$data":"A"}"#, .invalidForm, 2), (#"[{"$uid":-1}]"#, .invalidForm, 3),
      (#"{"$uid":1.5}"#, .invalidForm, 2), (#"{"$uid":"+1"}"#, .invalidForm, 2),
      (#"{"$integer":"+1"}"#, .invalidForm, 2), (#"{"$integer":""}"#, .invalidForm, 2),
      (#"{"$date":"yesterday"}"#, .invalidForm, 2), (#"{"$realBits":"7ff"}"#, .invalidForm, 2),
      (#"{"$real32":1e300}"#, .invalidForm, 2), (#"{"$set":{}}"#, .invalidForm, 2),
      (#"{"$dictionary":[["a"]]}"#, .invalidForm, 2), (#"{"$url":[1]}"#, .invalidForm, 2),
      (#"{"$uuid":"0001-02"}"#, .invalidForm, 2), (#"{"$utf16":"d83"}"#, .invalidForm, 2),
      (#"{"a":1,"a":2}"#, .duplicateKey, 8),
      ("170141183460469231731687303715884105728", .numberOutOfRange, 1),
      ("1e999", .numberOutOfRange, 1), ("[1,]", .unexpectedCharacter, 4),
      ("[1", .unexpectedEnd, 3), ("1 2", .trailingContent, 3),
    ] as [(String, JSONError.Code, Int)])
  func refusal(_ json: String, _ code: JSONError.Code, _ column: Int) {
    let error = #expect(throws: JSONError.self) {
      try PropertyListValue(json: Array("\n\(json)".utf8))
    }
    #expect(error?.code == code)
    #expect(error?.line == 2)
    #expect(error?.column == column)
  }

  @Test("Containers of each kind go 512 deep, and not deeper")
  func depth() throws {
    let wrappers: [(Value) -> Value] = [
      { .array([$0]) }, { .set([$0]) }, { .dictionary([.init("k", $0)]) },
      { .dictionary([.init("$", $0)]) }, { .dictionary([.init(.integer(1), $0)]) },
    ]
    for wrap in wrappers {
      var value = Value.uid(1)
      for _ in 0..<512 { value = wrap(value) }
      let json = try value.json()
      #expect(try Value(json: json) == value)
      let deeper = wrap(value)
      let error = #expect(throws: PropertyListError.self) { try deeper.json() }
      #expect(error?.code == .nestingTooDeep)
      // The same in JSON, made by hand: the form of the value within one more of its kind.
      let shell = text(try wrap(.boolean(true)).json()).split(separator: "true")
      let deepJSON = Array(shell[0].utf8) + json + Array(shell[1].utf8)
      let readError = #expect(throws: JSONError.self) { try Value(json: deepJSON) }
      #expect(readError?.code == .nestingTooDeep)
    }
    let brackets = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(throws: JSONError.self) { try Value(json: brackets) }
  }

  @Test("The plain form is for other programs")
  func plain() throws {
    let list = Value.dictionary([
      .init("data", .data([0, 1])), .init("date", .date(0)), .init("uid", .uid(7)),
      .init("set", .set([.integer(1)])), .init("nan", .real(.nan)), .init("big", .integer(1 << 60)),
      .init("url", .url(["http://a/", "b"])), .init("float", .real32(0.5)),
      .init(.integer(5), .boolean(true)), .init("date", .null),
    ])
    let json =
      #"{"data":"AAE=","uid":7,"set":[1],"nan":null,"big":1152921504606846976,"url":"b","#
      + #""float":0.5,"5":true,"date":null}"#
    #expect(text(try list.json(.plain)) == json)
  }

  @Test("Shared objects do not become more JSON than the limit")
  func bomb() throws {
    // A string of a megabyte in an array of 255, which is in an array of 255 again.
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for child in [1, 2] as [UInt8] {
      offsets.append(bytes.count)
      bytes += [0xaf, 0x10, 255] + Array(repeating: child, count: 255)
    }
    offsets.append(bytes.count)
    bytes += [0x5f, 0x12, 0x00, 0x10, 0x00, 0x00] + Array(repeating: 0x78, count: 1 << 20)
    let table = bytes.count
    for offset in offsets { bytes += bigEndian(offset).suffix(4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 1] + bigEndian(3) + bigEndian(0) + bigEndian(table)
    let document = try PropertyListDocument(bytes)
    let error = #expect(throws: PropertyListError.self) { try document.json() }
    #expect(error?.code == .tooManyVisits)
  }
}

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct PropertyListJSONCorpusTests {
  @Test("Real lists come back from JSON", arguments: Corpus.binary + Corpus.xml)
  func roundTrip(_ file: Corpus.File) throws {
    let document = try PropertyListDocument(try file.bytes)
    let value = try document.value()
    let json = try document.json()
    #expect(json == (try value.json()))
    #expect(try PropertyListValue(json: json) == value)
  }
}
