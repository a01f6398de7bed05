// The attribute list of ITEM frames: its bytes, what a reader refuses, what a writer refuses.

import ByteCoding
import KeychainModel
import Testing

/// Every type once, an unknown one included, with keys below and above `clas`.
private let sample = KeychainItem(
  .genericPassword,
  [
    .account: .text("al\u{E9}"),
    .creationDate: .date(-0.0),
    .generic: .bytes([0, 255]),
    .port: .integer(-2),
    .synchronizable: .boolean(true),
    AttributeKey(column: "plistType"): .propertyList([0x62, 0x70]),
    AttributeKey(column: "ratio"): .real(0.5),
    AttributeKey(column: "z\u{FC}"): .unknown(type: 200, bytes: [7]),
  ])

private let sampleBytes = hex(
  """
  04 61636374 01 04000000 616cc3a9
  04 63646174 04 08000000 0000000000000080
  04 636c6173 01 04000000 67656e70
  04 67656e61 02 02000000 00ff
  09 706c69737454797065 07 02000000 6270
  04 706f7274 03 08000000 feffffffffffffff
  05 726174696f 06 08000000 000000000000e03f
  04 73796e63 05 01000000 01
  03 7ac3bc c8 01000000 07
  """)

private func encoded(_ item: KeychainItem) throws -> [UInt8] {
  var bytes: [UInt8] = []
  try item.encodedAttributes(into: &bytes)
  return bytes
}

@Suite("Attribute lists")
struct AttributeCodingTests {
  @Test("an item is written as the bytes worked out by hand")
  func writes() throws {
    #expect(try encoded(sample) == sampleBytes)
  }

  @Test("these bytes are read as the same item")
  func reads() throws {
    let item = try KeychainItem(encodedAttributes: sampleBytes.bytes)
    #expect(item == sample)
    #expect(item.itemClass == .genericPassword)
    #expect(item.attributes.count == 8)
  }

  @Test("encoding appends to what the buffer holds")
  func appends() throws {
    var bytes: [UInt8] = [1, 2]
    try sample.encodedAttributes(into: &bytes)
    #expect(bytes == [1, 2] + sampleBytes)
  }

  static let roundTrips: [KeychainItem] = [
    KeychainItem(.file),
    KeychainItem(ItemClass(rawValue: ""), [.account: .text("")]),
    KeychainItem(ItemClass(rawValue: "a class of our own"), [.account: .bytes([])]),
    KeychainItem(.key, [.startDate: .date(Float64(bitPattern: 0x7FF4_0000_0000_0001))]),
    KeychainItem(.internetPassword, [.port: .integer(.min), .account: .integer(.max)]),
    KeychainItem(.file, [AttributeKey(column: "nul\0inside"): .text("\0\u{1F600}")]),
    KeychainItem(.file, [AttributeKey(column: String(repeating: "k", count: 255)): .text("x")]),
    KeychainItem(
      .genericPassword,
      attributes: (0..<1023).map { Attribute(.init(column: "n\($0)"), .boolean(false)) }),
  ]

  @Test(
    "items come back as they were",
    arguments: roundTrips)
  func roundTrip(item: KeychainItem) throws {
    let bytes = try encoded(item)
    let back = try KeychainItem(encodedAttributes: bytes.bytes)
    #expect(back == item)
    #expect(try encoded(back) == bytes)
  }

  @Test("a cut list is refused, or is the list of the attributes before the cut")
  func prefixes() {
    // Where a list may end: behind an attribute, once the class is among those before.
    let ends = [46: 2, 58: 3, 75: 4, 93: 5, 112: 6, 123: 7]
    for length in 0..<sampleBytes.count {
      let part = Array(sampleBytes[..<length])
      guard let count = ends[length] else {
        #expect(throws: ModelError.self, "of \(length) bytes") {
          try KeychainItem(encodedAttributes: part.bytes)
        }
        continue
      }
      let expected = KeychainItem(
        .genericPassword, attributes: Array(sample.attributes[..<count]))
      #expect((try? KeychainItem(encodedAttributes: part.bytes)) == expected, "\(length) bytes")
    }
  }

  @Test("no flipped bit gives the same item, and none stops the program")
  func flippedBits() {
    for index in sampleBytes.indices {
      for bit in 0..<8 {
        var bytes = sampleBytes
        bytes[index] ^= 1 << UInt8(bit)
        #expect((try? KeychainItem(encodedAttributes: bytes.bytes)) != sample)
      }
    }
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    let code: ModelError.Code
    let offset: Int
    var attribute: String?
  }

  static let classBytes = "04 636c6173 01 04000000 67656e70"

  static let refusals: [Refusal] = [
    Refusal(
      testDescription: "an empty list", bytes: [], code: .missingClass, offset: 0,
      attribute: "clas"),
    Refusal(
      testDescription: "a list without a class", bytes: hex("04 61636374 01 00000000"),
      code: .missingClass, offset: 10, attribute: "clas"),
    Refusal(
      testDescription: "a class that is no text", bytes: hex("04 636c6173 02 04000000 67656e70"),
      code: .missingClass, offset: 0, attribute: "clas"),
    Refusal(
      testDescription: "a class that is no UTF-8", bytes: hex("04 636c6173 01 01000000 80"),
      code: .invalidUTF8, offset: 0, attribute: "clas"),
    Refusal(
      testDescription: "a key of no byte", bytes: hex(classBytes + "00 01 00000000"),
      code: .keyLength, offset: 14),
    Refusal(
      testDescription: "zeros behind the list", bytes: hex(classBytes + "0000"),
      code: .keyLength, offset: 14),
    Refusal(
      testDescription: "one byte behind the list", bytes: hex(classBytes + "04"),
      code: .truncated, offset: 14),
    Refusal(
      testDescription: "a key that ends beyond the list",
      bytes: hex(classBytes + "ff 6162 01 00000000"), code: .truncated, offset: 14),
    Refusal(
      testDescription: "a value that ends beyond the list",
      bytes: hex(classBytes + "04 64657363 01 02000000 61"), code: .truncated, offset: 14,
      attribute: "desc"),
    Refusal(
      testDescription: "the longest length there is",
      bytes: hex(classBytes + "04 64657363 01 ffffffff 61"), code: .truncated, offset: 14,
      attribute: "desc"),
    Refusal(
      testDescription: "the same key twice",
      bytes: hex(classBytes + "04 64657363 01 00000000 04 64657363 01 00000000"),
      code: .keyOrder, offset: 24, attribute: "desc"),
    Refusal(
      testDescription: "the class twice", bytes: hex(classBytes + classBytes),
      code: .keyOrder, offset: 14, attribute: "clas"),
    Refusal(
      testDescription: "keys that fall", bytes: hex(classBytes + "04 61636374 01 00000000"),
      code: .keyOrder, offset: 14, attribute: "acct"),
    Refusal(
      testDescription: "a longer key before the shorter that begins it",
      bytes: hex(classBytes + "05 6465736364 01 00000000 04 64657363 01 00000000"),
      code: .keyOrder, offset: 25, attribute: "desc"),
    Refusal(
      testDescription: "a key that is no UTF-8",
      bytes: hex(classBytes + "04 64e573ff 01 00000000"), code: .invalidUTF8, offset: 14),
    Refusal(
      testDescription: "a text that is no UTF-8",
      bytes: hex(classBytes + "04 64657363 01 02000000 c080"), code: .invalidUTF8, offset: 14,
      attribute: "desc"),
    Refusal(
      testDescription: "an integer of four bytes",
      bytes: hex(classBytes + "04 706f7274 03 04000000 01000000"), code: .payload, offset: 14,
      attribute: "port"),
    Refusal(
      testDescription: "a date of nine bytes",
      bytes: hex(classBytes + "04 6d646174 04 09000000 000000000000000000"), code: .payload,
      offset: 14, attribute: "mdat"),
    Refusal(
      testDescription: "a real of no byte", bytes: hex(classBytes + "04 6d646174 06 00000000"),
      code: .payload, offset: 14, attribute: "mdat"),
    Refusal(
      testDescription: "a boolean of two bytes",
      bytes: hex(classBytes + "04 73796e63 05 02000000 0100"), code: .payload, offset: 14,
      attribute: "sync"),
    Refusal(
      testDescription: "a boolean of 2", bytes: hex(classBytes + "04 73796e63 05 01000000 02"),
      code: .payload, offset: 14, attribute: "sync"),
  ]

  @Test(
    "a reader refuses",
    arguments: refusals)
  func refuses(refusal: Refusal) throws {
    let error = try #require(throws: ModelError.self) {
      try KeychainItem(encodedAttributes: refusal.bytes.bytes)
    }
    #expect(error.code == refusal.code)
    #expect(error.offset == refusal.offset)
    #expect(error.attribute == refusal.attribute)
  }

  @Test("a reader takes 1024 attributes and refuses the next")
  func tooMany() throws {
    var bytes = hex("04 636c6173 01 01000000 78")
    for index in 0..<1023 {
      bytes += [6] + Array("k\(10000 + index)".utf8) + [2, 0, 0, 0, 0]
    }
    #expect(try KeychainItem(encodedAttributes: bytes.bytes).attributes.count == 1023)
    let end = bytes.count
    bytes += [1] + Array("z".utf8) + [2, 0, 0, 0, 0]
    let error = try #require(throws: ModelError.self) {
      try KeychainItem(encodedAttributes: bytes.bytes)
    }
    #expect(error.code == .tooManyAttributes)
    #expect(error.offset == end)
  }

  static let unencodable: [(KeychainItem, ModelError.Code)] = [
    (
      KeychainItem(
        .file, attributes: (0..<1024).map { Attribute(.init(column: "\($0)"), .boolean(true)) }),
      ModelError.Code.tooManyAttributes
    ),
    (KeychainItem(.file, [AttributeKey(column: ""): .text("x")]), .keyLength),
    (
      KeychainItem(.file, [AttributeKey(column: String(repeating: "k", count: 256)): .text("")]),
      .keyLength
    ),
    (KeychainItem(.file, [.label: .unknown(type: 1, bytes: [0xFF])]), .reservedType),
    (KeychainItem(.file, [.label: .unknown(type: 7, bytes: [])]), .reservedType),
  ]

  @Test(
    "a writer refuses what the format can't hold, and leaves the buffer as it was",
    arguments: unencodable)
  func writerRefuses(item: KeychainItem, code: ModelError.Code) throws {
    var bytes: [UInt8] = [9]
    let error = try #require(throws: ModelError.self) { try item.encodedAttributes(into: &bytes) }
    #expect(error.code == code)
    #expect(error.offset == nil)
    #expect(bytes == [9])
  }

  @Test("an error names the attribute and its place, never a value")
  func errorText() throws {
    let bytes = hex(Self.classBytes + "04 73796e63 05 01000000 53")
    let error = try #require(throws: ModelError.self) {
      try KeychainItem(encodedAttributes: bytes.bytes)
    }
    #expect(String(describing: error) == "attribute sync at 14: a boolean is one byte, 0 or 1")
  }
}
