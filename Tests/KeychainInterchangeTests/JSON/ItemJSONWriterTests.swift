import ArchiveCrypto
import ByteCoding
import KeychainInterchange
import KeychainModel
import PropertyListCodec
import Testing

struct ItemJSONWriterTests {
  @Test("the Spec's example is written as it stands there")
  func example() {
    #expect(writeItem(exampleItem, value: Array("s3cret".utf8)) == exampleJSON)
  }

  @Test("what tells items apart comes first, then the rest by column, dates and value last")
  func order() {
    let item = KeychainItem(
      .internetPassword,
      [
        .modificationDate: .date(1), .creationDate: .date(0.5), .label: .text("l"),
        .account: .text("a"), .server: .text("s"), .path: .text("/p"), .port: .integer(443),
        .protocol: .text("htps"), .comment: .text("c"), AttributeKey(column: "value"): .integer(1),
        AttributeKey(column: "zzzz"): .integer(2), AttributeKey(column: "acct2"): .integer(3),
      ])
    #expect(
      writeItem(item, value: [])
        == #"{"class":"inet","server":"s","path":"/p","account":"a","label":"l","acct2":3,"#
        + #""comment":"c","port":443,"protocol":"htps","zzzz":2,"attributes":{"value":1},"#
        + #""created":"2001-01-01T00:00:00.5Z","modified":"2001-01-01T00:00:01Z","#
        + #""value":{"utf8":""}}"#)
  }

  @Test("keys and identities have SecItem's names for keys, files their own")
  func names() {
    let type: KeyValuePairs<AttributeKey, AttributeValue> = [.keyType: .integer(42)]
    #expect(writeItem(KeychainItem(.key, type), value: nil) == #"{"class":"keys","keyType":42}"#)
    #expect(
      writeItem(KeychainItem(.identity, type), value: nil) == #"{"class":"idnt","keyType":42}"#)
    #expect(
      writeItem(KeychainItem(.genericPassword, type), value: nil) == #"{"class":"genp","type":42}"#)
    let file = KeychainItem(
      .file,
      [
        .path: .text("a/b"), .mode: .integer(0o644), .modificationTime: .date(0),
        .kind: .text("link"), .link: .text("c"),
      ])
    #expect(
      writeItem(file, value: nil)
        == #"{"class":"file","path":"a/b","kind":"link","link":"c","mode":420,"#
        + #""modificationTime":"2001-01-01T00:00:00Z"}"#)
  }

  @Test(
    "a value is text where it is text, else Base64",
    arguments: [
      ("", #"{"utf8":""}"#), ("é\t\n\r\"\\", #"{"utf8":"é\t\n\r\"\\"}"#),
      ("\u{0}", #"{"base64":"AA=="}"#),
      ("\u{1b}[31m", #"{"base64":"G1szMW0="}"#), ("a\u{7f}", #"{"base64":"YX8="}"#),
      ("\u{85}", #"{"base64":"woU="}"#), ("\u{a0}", "{\"utf8\":\"\u{a0}\"}"),
      ("\u{2028}", #"{"utf8":"\u2028"}"#), ("\u{feff}", "{\"utf8\":\"\u{feff}\"}"),
    ])
  func valueForms(value: String, json: String) throws {
    let written = writeItem(KeychainItem(.genericPassword), value: Array(value.utf8))
    #expect(written.utf8.elementsEqual("{\"class\":\"genp\",\"value\":\(json)}".utf8))
    #expect(try readItem(written).value == Array(value.utf8))
  }

  @Test(
    "bytes that are not UTF-8 are Base64",
    arguments: [[0xff], [0x61, 0xc3], [0xc2], [0xed, 0xa0, 0x80], [0xc0, 0x80]] as [[UInt8]])
  func notText(value: [UInt8]) throws {
    let written = writeItem(KeychainItem(.genericPassword), value: value)
    #expect(written.contains("base64"))
    #expect(try readItem(written).value == value)
  }

  @Test("items are appended to what is there, in larger memory where it takes that")
  func appending() throws {
    var output = SecretBytes(count: 0, capacity: 1)
    output.append([0x5b].bytes)
    var writer = ItemJSONWriter()
    var expected = "["
    for count in 0..<40 {
      let value = [UInt8](repeating: 0x61, count: count * 7)
      writer.append(exampleItem, value: value.bytes, to: &output)
      expected += writeItem(exampleItem, value: value)
    }
    #expect(output.bytes.array(at: 0, count: output.count) == Array(expected.utf8))
  }

  @Test("a large value written in pieces is the same JSON")
  func pieces() throws {
    let value = [UInt8](repeating: 0xfe, count: 1000)
    var writer = ItemJSONWriter()
    var json = writer.base64Opening(exampleItem)
    for start in stride(from: 0, to: value.count, by: 300) {
      let end = min(start + 300, value.count)
      Base64.encode(value.bytes.extracting(start..<end), appendingTo: &json)
    }
    json += ItemJSONWriter.base64Closing
    #expect(String(decoding: json, as: UTF8.self) == writeItem(exampleItem, value: value))
  }

  @Test("members can be written into an object of the caller's")
  func members() {
    var writer = JSONWriter()
    writer.beginObject()
    ItemJSONWriter.writeMembers(of: KeychainItem(.file, [.path: .text("p")]), to: &writer)
    writer.key("revision")
    writer.integer(3 as Int64)
    writer.endObject()
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"class":"file","path":"p","revision":3}"#)
  }
}
