// Lookup and primary keys, written out byte for byte: index tokens are made of them.

import KeychainModel
import Testing

/// What a primary key ends with when access group, synchronizable, view hint, token, user and
/// sharing group are all missing.
private let noShared =
  "01 00000000  03 08000000 0000000000000000  01 00000000  01 00000000  02 00000000  01 00000000"

struct KeyVector: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let item: KeychainItem
  let lookup: [UInt8]
  let primary: [UInt8]

  init(_ testDescription: String, _ item: KeychainItem, lookup: String, primary: String) {
    self.testDescription = testDescription
    self.item = item
    self.lookup = hex(lookup)
    self.primary = hex(primary)
  }
}

let keyVectors = [
  KeyVector(
    "a generic password without any attribute", KeychainItem(.genericPassword),
    lookup: "01 04000000 67656e70  01 00000000  01 00000000",
    primary: "01 04000000 67656e70  01 00000000  01 00000000" + noShared),
  KeyVector(
    "a generic password with all of them, and some that don't count",
    KeychainItem(
      .genericPassword,
      [
        .account: .text("alice"), .service: .text("com.example.app"), .accessGroup: .text("G"),
        .synchronizable: .boolean(true), .syncViewHint: .text("v"), .tokenID: .text("t"),
        .multiUser: .bytes([0xF6, 0x23]), .sharingGroup: .text("s"), .label: .text("Example"),
        .generic: .bytes([1]), .accessible: .text("ck"), .creationDate: .date(1),
      ]),
    lookup: """
      01 04000000 67656e70  01 05000000 616c696365
      01 0f000000 636f6d2e6578616d706c652e617070
      """,
    primary: """
      01 04000000 67656e70  01 05000000 616c696365
      01 0f000000 636f6d2e6578616d706c652e617070
      01 01000000 47  03 08000000 0100000000000000  01 01000000 76  01 01000000 74
      02 02000000 f623  01 01000000 73
      """),
  KeyVector(
    "an internet password",
    KeychainItem(
      .internetPassword,
      [
        .account: .text("bob"), .server: .text("example.com"), .protocol: .text("htps"),
        .authenticationType: .text("dflt"), .port: .integer(443), .path: .text("/"),
      ]),
    lookup: "01 04000000 696e6574  01 03000000 626f62  01 0b000000 6578616d706c652e636f6d",
    primary: """
      01 04000000 696e6574  01 03000000 626f62  01 00000000  01 0b000000 6578616d706c652e636f6d
      01 04000000 68747073  01 04000000 64666c74  03 08000000 bb01000000000000  01 01000000 2f
      """ + noShared),
  KeyVector(
    "a certificate",
    KeychainItem(
      .certificate,
      [.certificateType: .integer(3), .issuer: .bytes([0x30, 0]), .serialNumber: .bytes([1, 2])]),
    lookup: "01 04000000 63657274  02 02000000 3000  02 02000000 0102",
    primary: """
      01 04000000 63657274  03 08000000 0300000000000000  02 02000000 3000  02 02000000 0102
      """ + noShared),
  KeyVector(
    "a key",
    KeychainItem(
      .key,
      [
        .keyClass: .integer(1), .applicationLabel: .bytes([0xAA, 0xBB]),
        .applicationTag: .text("t"), .keyType: .integer(42), .keySizeInBits: .integer(2048),
        .effectiveKeySize: .integer(2048), .endDate: .date(1),
      ]),
    lookup: "01 04000000 6b657973  02 02000000 aabb",
    primary: """
      01 04000000 6b657973  03 08000000 0100000000000000  02 02000000 aabb  02 01000000 74
      03 08000000 0000000000000000  03 08000000 2a00000000000000
      03 08000000 0008000000000000  03 08000000 0008000000000000
      04 08000000 0000000000000000  04 08000000 000000000000f03f
      """ + noShared),
  KeyVector(
    "an identity",
    KeychainItem(
      .identity,
      [
        .certificateType: .integer(1), .issuer: .bytes([0x30]), .serialNumber: .bytes([5]),
        .applicationLabel: .bytes([0xCC]),
      ]),
    lookup: "01 04000000 69646e74  02 01000000 30  02 01000000 05",
    primary: """
      01 04000000 69646e74  03 08000000 0100000000000000  02 01000000 30  02 01000000 05
      02 01000000 cc
      """ + noShared),
  KeyVector(
    "a file", KeychainItem(.file, [.path: .text("a/b.c"), .mode: .integer(0o644)]),
    lookup: "01 04000000 66696c65  01 05000000 612f622e63",
    primary: "01 04000000 66696c65  01 05000000 612f622e63"),
  KeyVector(
    "an item of a class not known",
    KeychainItem(
      ItemClass(rawValue: "apls"),
      [
        .account: .bytes([0x78]), .port: .integer(5), .protocol: .integer(0x6874_7073),
        AttributeKey(column: "zz"): .boolean(true),
      ]),
    lookup: "01 04000000 61706c73",
    primary: """
      01 04000000 61706c73  01 04000000 61636374 02 01000000 78
      01 04000000 706f7274 03 08000000 0500000000000000
      01 04000000 7074636c 03 08000000 7370746800000000
      01 02000000 7a7a 05 01000000 01
      """),
]

/// Two values of one column, and whether they make two items the same.
struct Pair: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let itemClass: ItemClass
  let key: AttributeKey
  let left: AttributeValue?
  let right: AttributeValue?
  let isSame: Bool

  init(
    _ testDescription: String, _ itemClass: ItemClass, _ key: AttributeKey,
    _ left: AttributeValue?, _ right: AttributeValue?, same isSame: Bool
  ) {
    self.testDescription = testDescription
    self.itemClass = itemClass
    self.key = key
    self.left = left
    self.right = right
    self.isSame = isSame
  }

  func item(_ value: AttributeValue?) -> KeychainItem {
    var item = KeychainItem(itemClass)
    item[key] = value
    return item
  }
}

let pairs = [
  Pair(
    "an account as text and as bytes", .genericPassword, .account, .text("alice"),
    .bytes(Array("alice".utf8)), same: true),
  Pair(
    "an account that is no UTF-8 and another", .genericPassword, .account, .bytes([0xFF]),
    .bytes([0xFE]), same: false),
  Pair(
    "canonically equivalent accounts", .genericPassword, .account, .text("\u{E9}"),
    .text("e\u{301}"), same: false),
  Pair("no account and an empty one", .genericPassword, .account, nil, .text(""), same: true),
  Pair("no account and empty bytes", .genericPassword, .account, nil, .bytes([]), same: true),
  Pair(
    "an account as text and as a property list", .genericPassword, .account, .text("x"),
    .propertyList([0x78]), same: false),
  Pair(
    "an account that is a number and its text", .genericPassword, .account, .integer(5),
    .text("5"), same: false),
  Pair(
    "synchronizable as a boolean and as a number", .genericPassword, .synchronizable,
    .boolean(true), .integer(1), same: true),
  Pair(
    "no synchronizable and false", .genericPassword, .synchronizable, nil, .boolean(false),
    same: true),
  Pair(
    "synchronizable false and true", .genericPassword, .synchronizable, .integer(0),
    .integer(1), same: false),
  Pair(
    "synchronizable and a number beyond", .genericPassword, .synchronizable, .boolean(true),
    .integer(2), same: false),
  Pair("no user and empty bytes", .genericPassword, .multiUser, nil, .bytes([]), same: true),
  Pair("a user as text and as bytes", .key, .multiUser, .text("u"), .bytes([0x75]), same: true),
  Pair(
    "a protocol as text and as a number", .internetPassword, .protocol, .text("htps"),
    .integer(0x6874_7073), same: true),
  Pair(
    "a protocol as bytes and as a number", .internetPassword, .protocol,
    .bytes([0x66, 0x74, 0x70, 0x20]),
    .integer(0x6674_7020), same: true),
  Pair(
    "a protocol's number that is no text, and its bytes", .internetPassword, .protocol,
    .integer(0x0174_7073), .bytes([1, 0x74, 0x70, 0x73]), same: false),
  Pair(
    "a protocol's number with the first and last printable character", .internetPassword,
    .protocol, .integer(0x7E20_207E), .text("~  ~"), same: true),
  Pair(
    "a protocol's number with a character behind the last printable one", .internetPassword,
    .protocol, .integer(0x6874_707F), .text("htp\u{7F}"), same: false),
  Pair(
    "a protocol's number with a character before the first printable one", .internetPassword,
    .protocol, .integer(0x6874_1F73), .text("ht\u{1F}s"), same: false),
  Pair(
    "a protocol's number over 32 bits, and its low half", .internetPassword, .protocol,
    .integer(0x1_6874_7073), .integer(0x6874_7073), same: false),
  Pair(
    "no protocol and Apple's default 0", .internetPassword, .protocol, nil, .integer(0),
    same: true),
  Pair(
    "an authentication type as text and as a number", .internetPassword, .authenticationType,
    .text("form"), .integer(0x666F_726D), same: true),
  Pair("no port and 0", .internetPassword, .port, nil, .integer(0), same: true),
  Pair(
    "a port as a number and as a real", .internetPassword, .port, .integer(80), .real(80),
    same: false),
  Pair(
    "a key class as SecItem's constant and as the column has it", .key, .keyClass, .text("1"),
    .integer(1), same: true),
  Pair(
    "a key type with a zero in front", .key, .keyType, .text("042"), .integer(42), same: false),
  Pair("a key type with a plus", .key, .keyType, .text("+42"), .integer(42), same: false),
  Pair("minus zero as text", .key, .keyType, .text("-0"), .integer(0), same: false),
  Pair("zero as text", .key, .keyType, .text("0"), nil, same: true),
  Pair("a negative type as text", .key, .keyType, .text("-7"), .integer(-7), same: true),
  Pair(
    "the lowest number as text", .key, .keyType, .text("-9223372036854775808"), .integer(.min),
    same: true),
  Pair(
    "a number beyond 64 bits as text", .key, .keyType, .text("9223372036854775808"),
    .integer(.min), same: false),
  Pair("empty text for a number", .key, .keyType, .text(""), .integer(0), same: false),
  Pair("a start date as date and number", .key, .startDate, .date(2), .integer(2), same: true),
  Pair("a start date as date and real", .key, .startDate, .date(0.5), .real(0.5), same: true),
  Pair("no start date and -0.0", .key, .startDate, nil, .date(-0.0), same: true),
  Pair("no start date and a real of -0.0", .key, .startDate, nil, .real(-0.0), same: true),
  Pair("a start date and text", .key, .startDate, .date(0), .text(""), same: false),
  Pair(
    "two start dates a bit apart", .key, .startDate, .date(1), .date(1.0.nextUp), same: false),
  Pair(
    "an application label as text and bytes", .key, .applicationLabel, .text("ab"),
    .bytes([0x61, 0x62]), same: true),
]

@Suite("Canonical keys")
struct CanonicalKeyTests {
  @Test("lookup and primary keys are the bytes worked out by hand", arguments: keyVectors)
  func vectors(vector: KeyVector) {
    #expect(vector.item.lookupKey == vector.lookup)
    #expect(vector.item.primaryKey == vector.primary)
  }

  @Test("keys are appended to what the buffer holds", arguments: keyVectors)
  func appending(vector: KeyVector) {
    var bytes: [UInt8] = [7]
    vector.item.appendLookupKey(to: &bytes)
    vector.item.appendPrimaryKey(to: &bytes)
    #expect(bytes == [7] + vector.lookup + vector.primary)
  }

  @Test(
    "a value converted to its column's type makes the same item, any other does not",
    arguments: pairs)
  func conversions(pair: Pair) {
    let left = pair.item(pair.left)
    let right = pair.item(pair.right)
    #expect((left.primaryKey == right.primaryKey) == pair.isSame)
  }

  @Test(
    "a query matches exactly the items that the primary key says are the same", arguments: pairs)
  func queriesAgree(pair: Pair) {
    if let left = pair.left {
      let query = AttributeQuery(pair.itemClass, [pair.key: left])
      #expect(query.matches(pair.item(pair.right)) == pair.isSame)
    }
    if let right = pair.right {
      let query = AttributeQuery(pair.itemClass, [pair.key: right])
      #expect(query.matches(pair.item(pair.left)) == pair.isSame)
    }
  }

  @Test("label, dates, accessible and generic are in no key")
  func outside() {
    let item = KeychainItem(.genericPassword, [.account: .text("a"), .service: .text("s")])
    for key in [
      AttributeKey.label, .creationDate, .modificationDate, .accessible, .generic, .comment,
    ] {
      var other = item
      other[key] = .text("other")
      #expect(other.primaryKey == item.primaryKey)
    }
  }

  @Test("items of different classes never share a key")
  func classes() {
    let keys = ItemClass.allKnown.map { KeychainItem($0).primaryKey }
    #expect(Set(keys).count == ItemClass.allKnown.count)
  }
}
