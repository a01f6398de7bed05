import ByteCoding
import KeychainInterchange
import KeychainModel
import PropertyListCodec
import Testing

struct ItemJSONReaderTests {
  @Test("the Spec's example is read as it says")
  func example() throws {
    let read = try readItem(exampleJSON)
    #expect(read.item == exampleItem)
    #expect(read.source == .inMemory)
    #expect(read.value == Array("s3cret".utf8))
  }

  @Test("every attribute of the table is known by its name and by its column")
  func names() throws {
    for row in KnownAttribute.all {
      for name in [row.name, row.nameInKeys ?? row.name, row.key.column] {
        let read = try readItem("{\"class\":\"genp\",\"\(name)\":{\"integer\":7}}")
        #expect(read.item.attributes == [Attribute(row.key, .integer(7))])
      }
    }
  }

  @Test(
    "other names are columns, kept as they came",
    arguments: [
      "x", "zz", "Account", "ACCT", "accounts", "été", "a b", "kSecAttrAccount", "\u{301}",
    ])
  func unknownNames(name: String) throws {
    let read = try readItem("{\"class\":\"genp\",\"\(name)\":\"v\"}")
    #expect(read.item.attributes == [Attribute(AttributeKey(column: name), .text("v"))])
  }

  @Test("names may be escaped, and SecItem's longer names for dates are known")
  func escapedNames() throws {
    let read = try readItem(
      #"{"\u0063lass":"genp","a\u0063ct":"a","creationDate":1,"v\u0061lue":{"utf\u0038":"s"}}"#)
    #expect(
      read.item == KeychainItem(.genericPassword, [.account: .text("a"), .creationDate: .date(1)]))
    #expect(read.value == Array("s".utf8))
  }

  @Test(
    "a property list as JSON becomes a binary list, in attributes and as the value",
    arguments: [
      (
        #"{"a":[1,{"$data":"AAE="}]}"#,
        PropertyListValue.dictionary([
          .init("a", .array([.integer(1), .data([0, 1])]))
        ])
      ),
      ("[]", .array([])), (#""text""#, .string("text")), ("{}", .dictionary([])),
      (
        #"{"base64":"","b":true}"#,
        .dictionary([.init("base64", .string("")), .init("b", .boolean(true))])
      ),
      (#"{"$dictionary":[["base64","AA=="]]}"#, .dictionary([.init("base64", .string("AA=="))])),
      (#"{"base64":1}"#, .dictionary([.init("base64", .integer(1))])),
    ] as [(String, PropertyListValue)])
  func propertyLists(json: String, list: PropertyListValue) throws {
    let item = "{\"class\":\"genp\",\"custom\":{\"plist\":\(json)},\"value\":{\"plist\": \(json) }}"
    let read = try readItem(item)
    #expect(read.source == .inMemory)
    #expect(read.item.attributes.map(\.value) == [.propertyList(try list.binary())])
    #expect(read.value == (try list.binary()))
  }

  @Test("all six classes are known, by `class` or `clas`")
  func classes() throws {
    for itemClass in ItemClass.allKnown {
      #expect(try readItem("{\"class\":\"\(itemClass.rawValue)\"}").item == KeychainItem(itemClass))
      #expect(try readItem("{\"clas\":\"\(itemClass.rawValue)\"}").item.itemClass == itemClass)
    }
  }

  @Test(
    "each form of a value has its type",
    arguments: [
      (#""""#, .text("")), (#""a\n\u00e9😀""#, .text("a\né😀")), ("443", .integer(443)),
      ("-9223372036854775808", .integer(.min)), ("-0", .integer(0)), ("1.0", .real(1)),
      ("-0.0", .real(-0.0)), ("1e3", .real(1000)), ("true", .boolean(true)),
      ("false", .boolean(false)), (#"{"base64":"AAEC/w=="}"#, .bytes([0, 1, 2, 255])),
      (#"{"base64":"\/\/8="}"#, .bytes([255, 255])), (#"{"base64":""}"#, .bytes([])),
      (#"{"date":"2024-05-01T14:00:00+02:00"}"#, .date(736_257_600)),
      (#"{"date":"2024-05-01T12:00:00\u005a"}"#, .date(736_257_600)),
      (#"{"date":5}"#, .date(5)), (#"{"date":-1e300}"#, .date(-1e300)),
      (#"{"dateBits":"7ff8000000000001"}"#, .date(Double(bitPattern: 0x7ff8_0000_0000_0001))),
      (#"{"text":"t"}"#, .text("t")), (#"{"integer":5}"#, .integer(5)), (#"{"real":5}"#, .real(5)),
      (#"{"realBits":"FFF0000000000000"}"#, .real(-.infinity)),
      (#"{"plist":{"base64":"YnBsaXN0MDA="}}"#, .propertyList(Array("bplist00".utf8))),
      (#"{"unknown":{"type":9,"base64":"AA=="}}"#, .unknown(type: 9, bytes: [0])),
      (#"{"unknown":{"base64":"AA==","type":0}}"#, .unknown(type: 0, bytes: [0])),
    ] as [(String, AttributeValue)])
  func forms(json: String, value: AttributeValue) throws {
    for name in ["custom", "account"] {
      let read = try readItem("{\"class\":\"genp\",\"\(name)\": \(json) }")
      #expect(read.item.attributes.map(\.value) == [value])
    }
    let escaped = try readItem("{\"class\":\"genp\",\"attributes\":{\"class\":\(json)}}")
    #expect(escaped.item.attributes == [Attribute(AttributeKey(column: "class"), value)])
  }

  @Test(
    "where a date is expected, a string or number is one",
    arguments: [
      (#""2024-05-01T12:00:00Z""#, .date(736_257_600)), ("5", .date(5)), ("-0.0", .date(-0.0)),
      ("1e12", .date(1e12)), (#"{"text":"2024-05-01T12:00:00Z"}"#, .text("2024-05-01T12:00:00Z")),
      (#"{"integer":5}"#, .integer(5)), (#"{"real":5.5}"#, .real(5.5)), ("true", .boolean(true)),
    ] as [(String, AttributeValue)])
  func dates(json: String, value: AttributeValue) throws {
    for name in ["created", "mdat", "startDate", "endDate", "modificationTime"] {
      let read = try readItem("{\"class\":\"keys\",\"\(name)\":\(json)}")
      #expect(read.item.attributes.map(\.value) == [value])
    }
  }

  @Test(
    "an item's value is in memory, in a file, or absent",
    arguments: [
      (#"{"utf8":"s\u0000é\n"}"#, .inMemory, Array("s\u{0}é\n".utf8)),
      (#"{"utf8":""}"#, .inMemory, []), (#"{"base64":"AAEC/w=="}"#, .inMemory, [0, 1, 2, 255]),
      (#"{"base64":"\/\/8="}"#, .inMemory, [255, 255]), (#"{"base64":""}"#, .inMemory, []),
      ("null", .absent, nil), (#"{"file":"a/b..c/.d"}"#, .file(path: "a/b..c/.d"), nil),
      (#"{"file":"..."}"#, .file(path: "..."), nil),
    ] as [(String, ItemJSON.Value, [UInt8]?)])
  func values(json: String, source: ItemJSON.Value, value: [UInt8]?) throws {
    let read = try readItem("{\"value\":\(json),\"class\":\"genp\"}")
    #expect(read == ReadItem(item: KeychainItem(.genericPassword), source: source, value: value))
  }

  @Test(
    "a value larger than the memory given gets larger memory", arguments: [0, 1, 999, 1000, 5000])
  func growth(capacity: Int) throws {
    let secret = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    let text = String(decoding: Base64.encode(secret.bytes), as: UTF8.self)
    for text in [
      text, text.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/"),
    ] {
      let json = Array("{\"class\":\"genp\",\"value\":{\"base64\":\"\(text)\"}}".utf8)
      #expect(try readItem(json, capacity: capacity).value == secret)
    }
    let letters = [UInt8](repeating: 0x61, count: 1000)
    let json =
      Array("{\"class\":\"genp\",\"value\":{\"utf8\":\"".utf8) + letters + Array("\"}}".utf8)
    #expect(try readItem(json, capacity: capacity).value == letters)
  }

  /// Each text is put behind `{"class":"genp",`; columns count from there.
  @Test(
    "what is not an item is refused, with its place and attribute",
    arguments: [
      (#""account":null}"#, JSONError.Code.wrongType, 11, "account"),
      (#""account":[]}"#, .wrongType, 11, "account"),
      (#""account":{}}"#, .unknownForm, 12, "account"),
      (#""account":{"utf8":"a"}}"#, .unknownForm, 12, "account"),
      (#""account":{"text":"a","text":"a"}}"#, .unknownForm, 23, "account"),
      (#""account":{"text":1}}"#, .wrongType, 19, "account"),
      (#""account":{"base64":"AAE"}}"#, .invalidBase64, 25, "account"),
      (#""account":{"base64":"A-EC"}}"#, .invalidBase64, 23, "account"),
      (#""account":{"base64":"A\/E"}}"#, .invalidBase64, 21, "account"),
      (#""account":{"integer":1.5}}"#, .wrongType, 22, "account"),
      (#""account":9223372036854775808}"#, .numberOutOfRange, 11, "account"),
      (#""account":1e999}"#, .numberOutOfRange, 11, "account"),
      (#""account":{"date":"yesterday"}}"#, .invalidDate, 19, "account"),
      (#""account":{"date":true}}"#, .wrongType, 19, "account"),
      (#""account":{"dateBits":"7ff"}}"#, .invalidBits, 23, "account"),
      (#""account":{"realBits":"7ff800000000000x"}}"#, .invalidBits, 23, "account"),
      (#""account":{"realBits":"7ff80000000000000000"}}"#, .invalidBits, 23, "account"),
      (#""account":{"plist":{"$data":5}}}"#, .invalidForm, 21, "account"),
      (#""account":{"unknown":{"type":3,"base64":""}}}"#, .numberOutOfRange, 30, "account"),
      (#""account":{"unknown":{"type":256,"base64":""}}}"#, .numberOutOfRange, 30, "account"),
      (#""account":{"unknown":{"type":9}}}"#, .missingKey, 22, "account"),
      (#""account":{"unknown":{"type":9,"type":9}}}"#, .unknownForm, 32, "account"),
      (#""created":"2024-05-01"}"#, .invalidDate, 11, "created"),
      (#""created":"2024-02-30T00:00:00Z"}"#, .invalidDate, 11, "created"),
      (#""account":"a","account":"b"}"#, .duplicateAttribute, 15, "account"),
      (#""account":"a","acct":"a"}"#, .duplicateAttribute, 15, "acct"),
      (#""x":1,"attributes":{"x":1}}"#, .duplicateAttribute, 21, "x"),
      (#""attributes":{"a":1},"attributes":{"b":1}}"#, .duplicateKey, 22, "attributes"),
      (#""attributes":{"clas":"genp"}}"#, .invalidName, 15, "clas"),
      (#""attributes":[]}"#, .wrongType, 14, "attributes"),
      (#""":1}"#, .invalidName, 1, ""),
      (#""class":"genp"}"#, .duplicateAttribute, 1, "class"),
      (#""clas":"genp"}"#, .duplicateAttribute, 1, "clas"),
      (#""value":"s"}"#, .wrongType, 9, "value"), (#""value":1}"#, .wrongType, 9, "value"),
      (#""value":{}}"#, .unknownForm, 10, "value"),
      (#""value":{"text":"s"}}"#, .unknownForm, 10, "value"),
      (#""value":{"utf8":"s","utf8":"s"}}"#, .unknownForm, 21, "value"),
      (#""value":{"utf8":null}}"#, .wrongType, 17, "value"),
      (#""value":{"utf8":"\ud800"}}"#, .loneSurrogate, 18, "value"),
      (#""value":{"base64":"Zh=="}}"#, .invalidBase64, 21, "value"),
      (#""value":{"plist":{"$x":1}}}"#, .unknownForm, 19, "value"),
      (#""value":{"plist":{"$uuid":"00"}}}"#, .invalidForm, 18, "value"),
      (#""value":{"plist":{}},"x":{}}"#, .unknownForm, 27, "x"),
      (#""value":null,"value":null}"#, .duplicateKey, 14, "value"),
      (#""value":{"file":""}}"#, .unsafePath, 17, "value"),
      (#""value":{"file":"/etc/passwd"}}"#, .unsafePath, 17, "value"),
      (#""value":{"file":"../a"}}"#, .unsafePath, 17, "value"),
      (#""value":{"file":"a/../b"}}"#, .unsafePath, 17, "value"),
      (#""value":{"file":"a/.."}}"#, .unsafePath, 17, "value"),
      (#""value":{"file":"a\u0000b"}}"#, .unsafePath, 17, "value"),
      (#""account":"a"} x"#, .trailingContent, 16, nil),
      (#""account" "a"}"#, .unexpectedCharacter, 11, nil),
    ] as [(String, JSONError.Code, Int, String?)])
  func refusals(json: String, code: JSONError.Code, column: Int, attribute: String?) {
    let text = Array(("{\"class\":\"genp\"," + json).utf8)
    let place = JSONPlace(line: 7, column: 100)
    let error = #expect(throws: ItemJSONError.self) { try readItem(text, at: place) }
    #expect(error?.code == code)
    #expect(error?.line == 7)
    #expect(error?.column == column + 100 + 15)
    #expect(error?.attribute == attribute)
  }

  @Test(
    "an item is an object with a known class",
    arguments: [
      ("[]", JSONError.Code.wrongType, 1), ("1", .wrongType, 1), ("", .unexpectedEnd, 1),
      ("{}", .missingKey, 1), (#"{"account":"a"}"#, .missingKey, 1),
      (#"{"class":"genericPassword"}"#, .unknownClass, 10),
      (#"{"class":"GENP"}"#, .unknownClass, 10),
      (#"{"class":""}"#, .unknownClass, 10), (#"{"class":1}"#, .wrongType, 10),
    ])
  func classRefusals(json: String, code: JSONError.Code, column: Int) {
    let error = #expect(throws: ItemJSONError.self) { try readItem(json) }
    #expect(error?.code == code)
    #expect(error?.column == column)
  }

  @Test("names have at most 255 bytes, items at most 1023 attributes")
  func limits() throws {
    let name = String(repeating: "é", count: 127) + "x"
    _ = try readItem("{\"class\":\"genp\",\"\(name)\":1}")
    let long = #expect(throws: ItemJSONError.self) {
      try readItem("{\"class\":\"genp\",\"\(name)y\":1}")
    }
    #expect(long?.code == .invalidName)
    let attributes = (0..<1023).map { "\"a\($0)\":\($0)," }.joined()
    #expect(try readItem("{\(attributes)\"class\":\"genp\"}").item.attributes.count == 1023)
    let many = #expect(throws: ItemJSONError.self) {
      try readItem("{\(attributes)\"more\":1,\"class\":\"genp\"}")
    }
    #expect(many?.code == .tooManyAttributes)
    #expect(many?.attribute == "more")
  }

  private let sample = Array(
    #"""
    {"class":"genp","account":"é\u00e9","created":-1.5,"x":{"base64":"AA=="},"port":443,
     "attributes":{"value":true},"p":{"plist":{"base64":""}},"value":{"base64":"c2VjcmV0"}}
    """#.utf8)

  @Test("every prefix ends too early, and nothing traps")
  func prefixes() throws {
    _ = try readItem(sample)
    for count in 0..<sample.count {
      let error = #expect(throws: ItemJSONError.self) { try readItem(Array(sample[..<count])) }
      #expect(error?.code == .unexpectedEnd)
    }
  }

  @Test("any flipped bit gives another item or an error inside the text, and nothing traps")
  func flips() throws {
    for index in sample.indices {
      for bit in 0..<8 {
        var text = sample
        text[index] ^= 1 << UInt8(bit)
        do {
          _ = try readItem(text)
        } catch {
          #expect((1...3).contains(error.line))
          #expect((1...100).contains(error.column))
        }
      }
    }
  }

  @Test("errors say nothing of the value")
  func noSecrets() {
    for json in [
      #"{"class":"genp","value":{"utf8":"hunter2\x"}}"#, #"{"class":"genp","value":"hunter2"}"#,
      #"{"class":"genp","value":{"base64":"hunter2!"}}"#,
      #"{"class":"genp","value":{"file":"/hunter2"}}"#,
    ] {
      let error = #expect(throws: ItemJSONError.self) { try readItem(json) }
      #expect(error.map { "\($0)".contains("hunter2") } == false)
    }
  }
}
