import ByteCoding
import KeychainInterchange
import KeychainModel
import PropertyListCodec
import Testing

struct ItemJSONRoundTripTests {
  static let values: [AttributeValue] = [
    .text(""), .text("2024-05-01T12:00:00Z"), .text("e\u{301}\u{e9}\u{0}\u{2028}\u{feff}😀\"\\/"),
    .bytes([]), .bytes([0, 255, 254]), .integer(0), .integer(.min), .integer(.max), .boolean(true),
    .boolean(false), .real(0), .real(-0.0), .real(0.1), .real(1e16), .real(.infinity),
    .real(-.infinity), .real(.nan), .real(Double(bitPattern: 0xfff0_0000_0000_0001)),
    .real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude), .date(0), .date(-0.0),
    .date(0.1), .date(-1e-9), .date(736_257_600), .date(736_257_600.123456), .date(1e12),
    .date(-1e12), .date(1e300), .date(.infinity), .date(.nan),
    .date(Double(bitPattern: 0x7ff0_0000_0000_0001)), .propertyList([]),
    .propertyList(Array("bplist00".utf8)), .unknown(type: 0, bytes: []),
    .unknown(type: 8, bytes: [1]), .unknown(type: 255, bytes: [1, 2]),
  ]

  /// Columns of the table, columns that are names of other columns, names that mean something else in
  /// JSON, canonically equivalent ones, and the longest.
  static let columns: [String] =
    KnownAttribute.all.map(\.key.column) + KnownAttribute.all.map(\.name) + [
      "class", "value", "attributes", "version", "items", "keyType", "creationDate", "a", "\u{0}",
      "\u{e9}", "e\u{301}", "\"\\\n", "toString", "__proto__", String(repeating: "x", count: 255),
      "accountsaccounts", "accountsaccountsaccounts",
    ]

  @Test("every type of value under every key comes back", arguments: values)
  func attributes(value: AttributeValue) throws {
    for column in Self.columns {
      for itemClass in [ItemClass.genericPassword, .key] {
        let item = KeychainItem(
          itemClass, attributes: [Attribute(AttributeKey(column: column), value)])
        let json = writeItem(item, value: nil)
        let read = try readItem(json)
        if read != ReadItem(item: item, source: .absent, value: nil) {
          Issue.record("\(column): \(value) became \(json)")
        }
      }
    }
  }

  @Test("items of many attributes at once come back, whatever their keys")
  func manyAttributes() throws {
    for _ in 0..<500 {
      let attributes = (0..<Int.random(in: 0...30)).map { _ in
        Attribute(
          AttributeKey(column: Self.columns.randomElement()!), Self.values.randomElement()!)
      }
      let item = KeychainItem(ItemClass.allKnown.randomElement()!, attributes: attributes)
      let value = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255) }
      let json = writeItem(item, value: value)
      let read = try readItem(json)
      #expect(read == ReadItem(item: item, source: .inMemory, value: value))
      #expect(writeItem(read.item, value: value) == json)
    }
  }

  @Test("a whole document is split, read and written again")
  func documents() throws {
    let text = Array("{\"version\":1,\"items\":[\n\(exampleJSON),\n\(exampleJSON)\n]}".utf8)
    var splitter = JSONSplitter(.document)
    var count = 0
    while case .element(let element) = try splitter.next(in: text.bytes, isComplete: true) {
      let json = Array(text[element.range])
      let read = try readItem(json, at: element.place)
      #expect(read.item == exampleItem)
      count += 1
      #expect(element.place == JSONPlace(line: count + 1, column: 1))
    }
    #expect(count == 2)
  }
}
