// Who wrote an item: one hand-made item for each row of the Spec's table, and neighbours that must not be taken for it.

import KeychainModel
import PropertyListCodec
import Testing

@testable import KeychainInterchange

/// An item, and what its marks tell.
struct MarkedItem: Sendable, CustomTestStringConvertible {
  let item: KeychainItem
  let text: String?
  let form: ItemValueForm?

  init(
    _ itemClass: ItemClass, _ attributes: KeyValuePairs<AttributeKey, AttributeValue>,
    _ text: String?, _ form: ItemValueForm?
  ) {
    item = KeychainItem(itemClass, attributes)
    self.text = text
    self.form = form
  }

  var testDescription: String { text ?? "nobody: \(item.displayName)" }
}

private let valet = "VAL_VALValet_initWithIdentifier:accessibility:_app_AccessibleWhenUnlocked"
private let bundle = AttributeValue.text("org.example.app")

private let rows: [MarkedItem] = [
  MarkedItem(
    .genericPassword, [.service: bundle, .account: .text("k"), .listType: .text("string")],
    "kcarchive migrate", .text),
  MarkedItem(
    .internetPassword, [.server: bundle, .listType: .text("array")], "kcarchive migrate",
    .propertyList),
  MarkedItem(.genericPassword, [.service: .text(valet), .account: .text("k")], "Valet", .data),
  MarkedItem(
    .genericPassword, [.service: .bytes(Array(valet.utf8)), .account: .text("k")], "Valet", .data),
  MarkedItem(
    .genericPassword, [.service: .text("VAL_old"), .account: .text("k")], "Valet (likely)", .data),
  MarkedItem(
    .genericPassword,
    [
      .service: .text("me.mattrubin.onetimepassword.token"), .account: .text("8E2A…"),
      .generic: .bytes(Array("otpauth://totp/a".utf8)),
    ], "OneTimePassword", .oneTimePasswordSeed),
  MarkedItem(
    .genericPassword,
    [.service: .text("GRDBKeyChainService"), .account: .text("GRDBDatabaseCipherKeySpec")],
    "Signal", .databaseKey),
  MarkedItem(
    .genericPassword,
    [.service: .text("TSKeyChainService"), .account: .text("GRDBDatabaseCipherKeySpec")],
    "Session", .databaseKey),
  MarkedItem(
    .genericPassword, [.account: .text("GRDBDatabaseCipherKeySpec")],
    "Signal or Session (likely)", .databaseKey),
  MarkedItem(
    .genericPassword,
    [.service: .text("AirPort"), .account: .text("Home"), .accessGroup: .text("apple")], "Wi-Fi",
    .text),
  MarkedItem(
    .genericPassword,
    [
      .service: .text("AirPort"), .account: .text("Home"),
      .description: .text("AirPort network password"),
    ], "Wi-Fi", .text),
  MarkedItem(
    .genericPassword, [.service: .text("AirPort"), .account: .text("Home")], "Wi-Fi (likely)",
    .text),
  MarkedItem(
    .key, [.accessGroup: .text("com.apple.webkit.webauthn")], "Apple Passwords", .passkey),
  MarkedItem(
    .key, [.accessGroup: .text("com.apple.webkit.webauthn-recently-deleted")], "Apple Passwords",
    .passkey),
  MarkedItem(
    .internetPassword,
    [.server: .text("example.org"), .accessGroup: .text("com.apple.password-manager")],
    "Apple Passwords", .sidecarList),
  MarkedItem(
    .internetPassword,
    [
      .server: .text("example.org"),
      .accessGroup: .text("com.apple.password-manager.website-metadata"),
    ], "Apple Passwords", .sidecarList),
  MarkedItem(
    .internetPassword,
    [.server: .text("example.org"), .accessGroup: .text("com.apple.cfnetwork")],
    "Apple Passwords", .text),
  MarkedItem(
    .genericPassword,
    [
      .service: .text("app:no-auth"), .account: .bytes(Array("k".utf8)),
      .generic: .bytes(Array("k".utf8)),
    ], "expo-secure-store", .text),
  MarkedItem(
    .genericPassword,
    [.service: .text("vault:auth"), .account: .text("k"), .generic: .bytes(Array("k".utf8))],
    "expo-secure-store", .text),
  MarkedItem(
    .genericPassword,
    [
      .service: .text("app"), .account: .bytes(Array("k".utf8)),
      .generic: .bytes(Array("k".utf8)),
    ], "expo-secure-store (likely)", .text),
  MarkedItem(
    .genericPassword, [.service: bundle, .account: .text("k"), .generic: .text("k")],
    "UICKeyChainStore or expo-secure-store (likely)", .textOrData),
  MarkedItem(
    .genericPassword, [.generic: .text("Password"), .account: .text("alice"), .label: .text("")],
    "KeychainItemWrapper (likely)", .text),
  MarkedItem(
    .genericPassword, [.generic: .text("Password"), .service: bundle, .account: .text("")],
    "KeychainItemWrapper (likely)", .text),
  MarkedItem(
    .genericPassword, [.service: bundle, .account: .text("alice"), .label: bundle],
    "SFHFKeychainUtils or macOS login keychain (likely)", .text),
  MarkedItem(
    .genericPassword, [.service: bundle, .account: bundle, .accessible: .text("ck")],
    "CHKeychain (likely)", .keyedArchive),
  MarkedItem(
    .genericPassword, [.account: .text("app_token"), .accessible: .text("ak")],
    "KeychainSwift (likely)", .textOrData),
  MarkedItem(
    .genericPassword, [.account: .text("app_token"), .service: .text("")],
    "KeychainSwift (likely)", .textOrData),
  MarkedItem(
    .genericPassword, [.service: .text("org.example.app.Token"), .accessible: .text("ak")],
    "Lockbox or Strongbox (likely)", .textOrKeyedArchive),
  MarkedItem(
    .internetPassword,
    [
      .server: .text("example.org"), .authenticationType: .text("dflt"), .protocol: .text("htps"),
      .accessible: .text("ck"),
    ], "KeychainAccess or UICKeyChainStore (likely)", .textOrData),
  MarkedItem(
    .genericPassword, [.service: bundle, .account: .text("k"), .accessible: .text("ck")],
    "KeychainAccess, UICKeyChainStore or SimpleKeychain (possible)", .textOrData),
  MarkedItem(
    .genericPassword, [.service: bundle, .account: .text("k"), .accessible: .bytes([0x61, 0x6b])],
    "SAMKeychain or Locksmith (possible)", .textOrKeyedArchive),
]

private let neighbours: [MarkedItem] = [
  // No class of the row.
  MarkedItem(.key, [.service: .text(valet)], nil, nil),
  MarkedItem(
    .genericPassword,
    [
      .accessGroup: .text("com.apple.cfnetwork"), .service: bundle,
      .account: .text("k"),
    ], nil, nil),
  MarkedItem(.certificate, [.label: .text("AirPort")], nil, nil),
  MarkedItem(.file, [.path: .text("VAL_x")], nil, nil),
  // Other groups that begin as Apple's do.
  MarkedItem(
    .internetPassword,
    [.server: .text("example.org"), .accessGroup: .text("com.apple.cfnetworks")], nil, nil),
  MarkedItem(.key, [.accessGroup: .text("com.apple.webkit.webauthnx")], nil, nil),
  // Names that only look alike.
  MarkedItem(
    .genericPassword, [.service: .text("val_VALValet"), .account: .text("k")], nil, nil),
  MarkedItem(
    .genericPassword, [.service: .text("airport"), .account: .text("Home")], nil, nil),
  MarkedItem(
    .genericPassword,
    [.service: .text("app:no-auth"), .account: .text("k"), .generic: .text("other")], nil, nil),
  // A service and an account, and nothing that a library would set.
  MarkedItem(.genericPassword, [.service: .text("web"), .account: .text("alice")], nil, nil),
  MarkedItem(
    .genericPassword, [.service: bundle, .account: .text("k"), .accessible: .text("aku")], nil,
    nil),
  MarkedItem(
    .genericPassword, [.service: bundle, .account: bundle, .accessible: .text("dk")], nil, nil),
  MarkedItem(
    .internetPassword, [.server: .text("example.org"), .accessible: .text("ck")], nil, nil),
  MarkedItem(.genericPassword, [.label: .text("nothing else")], nil, nil),
  // An attribute of a type that is no text says nothing.
  MarkedItem(
    .genericPassword, [.service: .integer(1), .account: .integer(2), .accessible: .text("ck")],
    nil, nil),
]

@Suite("Who wrote an item")
struct ItemOriginTests {
  @Test("Each row of the table is told by its marks", arguments: rows)
  func row(_ marked: MarkedItem) {
    let origin = ItemOrigin(marked.item)
    #expect(origin?.text == marked.text)
    #expect(origin?.form == marked.form)
  }

  @Test(
    "What leaves other marks, or those of any program, has no known writer", arguments: neighbours)
  func neighbour(_ marked: MarkedItem) {
    #expect(ItemOrigin(marked.item)?.text == nil)
  }

  @Test("Every writer is in a row")
  func everyWriter() {
    let told = Set(rows.flatMap { ItemOrigin($0.item)?.writers ?? [] })
    #expect(told == Set(ItemWriter.allCases))
  }

  private static let archive = try? PropertyListValue.dictionary([
    .init("user", .string("alice")), .init("token", .string("t")),
  ]).keyedArchive()

  @Test("A keyed archive leaves the writers that write some")
  func archives() throws {
    let archive = try #require(Self.archive)
    func origin(_ accessible: String, _ account: String) -> ItemOrigin? {
      ItemOrigin(
        KeychainItem(
          .genericPassword,
          [.service: bundle, .account: .text(account), .accessible: .text(accessible)]),
        value: archive)
    }
    #expect(origin("ck", "k")?.text == "SimpleKeychain (possible)")
    #expect(origin("ck", "k")?.form == .keyedArchive)
    #expect(origin("ak", "k")?.text == "SAMKeychain or Locksmith (possible)")
    #expect(origin("ak", "k")?.form == .keyedArchive)
    #expect(origin("ck", "org.example.app")?.text == "CHKeychain (likely)")
    // What is no archive is not CHKeychain's.
    let item = KeychainItem(
      .genericPassword, [.service: bundle, .account: bundle, .accessible: .text("ck")])
    #expect(
      ItemOrigin(item, value: [1])?.text
        == "KeychainAccess, UICKeyChainStore or SimpleKeychain (possible)")
  }

  @Test(
    "One byte, 0 or 1, without a service is KeychainSwift's boolean, and any other value is not",
    arguments: [([0], false), ([1], true), ([2], nil), ([], nil), ([0, 1], nil), ([0x31], nil)]
      as [([UInt8], Bool?)])
  func boolean(_ value: [UInt8], _ expected: Bool?) throws {
    let item = KeychainItem(.genericPassword, [.account: .text("k"), .accessible: .text("ak")])
    let origin = try #require(ItemOrigin(item, value: value))
    #expect(origin.form == (expected == nil ? .textOrData : .boolean))
    #expect(WriterValue(item, value: value, from: origin) == expected.map { .boolean($0) })
    // The same byte in an item of others is data.
    let other = KeychainItem(.genericPassword, [.service: bundle, .accessible: .text("ak")])
    let others = try #require(ItemOrigin(other, value: value))
    #expect(WriterValue(other, value: value, from: others) == nil)
  }

  @Test("A database key has 32 bytes and 16 of salt; any other length is data")
  func databaseKey() throws {
    let item = KeychainItem(
      .genericPassword,
      [.service: .text("TSKeyChainService"), .account: .text("GRDBDatabaseCipherKeySpec")])
    let origin = try #require(ItemOrigin(item))
    let value = (0..<48).map { UInt8($0) }
    #expect(
      WriterValue(item, value: value, from: origin)
        == .databaseKey(key: Array(0..<32), salt: Array(32..<48)))
    #expect(WriterValue(item, value: Array(value.dropLast()), from: origin) == nil)
    #expect(WriterValue(item, value: value + [0], from: origin) == nil)
  }

  @Test(
    "A one-time password's URL gets the seed in Base32",
    arguments: [
      (
        "otpauth://totp/Example:alice?issuer=Example&period=30",
        "otpauth://totp/Example:alice?issuer=Example&period=30&secret=GEZDGNBV"
      ),
      ("otpauth://hotp/a", "otpauth://hotp/a?secret=GEZDGNBV"),
      ("otpauth://hotp/a?", "otpauth://hotp/a?secret=GEZDGNBV"),
      ("OTPAUTH://totp/a?secret=OLD&x=1#end", "OTPAUTH://totp/a?x=1&secret=GEZDGNBV#end"),
      ("otpauth://totp/a#b?c", "otpauth://totp/a?secret=GEZDGNBV#b?c"),
      ("https://example.org/?otpauth:", nil), ("", nil), ("otpauth", nil),
    ] as [(String, String?)])
  func oneTimePassword(_ url: String, _ expected: String?) throws {
    for generic in [AttributeValue.text(url), .bytes(Array(url.utf8))] {
      let item = KeychainItem(
        .genericPassword,
        [.service: .text("me.mattrubin.onetimepassword.token"), .generic: generic])
      let origin = try #require(ItemOrigin(item))
      #expect(
        WriterValue(item, value: Array("12345".utf8), from: origin)
          == expected.map { .oneTimePassword(url: $0) })
    }
  }

  @Test("A URL that is no UTF-8 is none")
  func brokenURL() throws {
    let item = KeychainItem(
      .genericPassword,
      [
        .service: .text("me.mattrubin.onetimepassword.token"),
        .generic: .bytes(Array("otpauth://".utf8) + [0xff]),
      ])
    let origin = try #require(ItemOrigin(item))
    #expect(WriterValue(item, value: [1], from: origin) == nil)
  }
}
