// CHKeychain, HPKeychain, CMKeyChain, and CMUUIDManager on top of them.

import Foundation
import PropertyListCodec
import Security
import Testing

@Suite("CHKeychain, HPKeychain, CMKeyChain")
struct ArchivedValueTests {
  static let values: [PropertyListValue] = [
    .string("s3cret"), .string(""), .integer(-7), .boolean(true), .real(0.5),
    .date(700_000_000.25), .data([0, 255, 1]),
    .array([.string("a"), .integer(1), .array([])]),
    .dictionary([
      .init("username", .string("rosa")), .init("password", .string("größe")),
      .init("tries", .array([.integer(1), .integer(2)])),
    ]),
  ]

  @Test("what is saved is loaded after reopening", arguments: values)
  func roundTrip(_ value: PropertyListValue) throws {
    let device = try Device()
    let keychain = CHKeychain()
    try device.run { #expect(keychain.load(service: "org.example.login") == nil) }
    try device.run {
      let status = try keychain.save(service: "org.example.login", data: value)
      #expect(status == errSecSuccess)
    }
    try device.run { #expect(keychain.load(service: "org.example.login") == value) }
    try device.run { #expect(keychain.delete(service: "org.example.login") == errSecSuccess) }
    try device.run {
      #expect(keychain.load(service: "org.example.login") == nil)
      #expect(keychain.delete(service: "org.example.login") == errSecItemNotFound)
    }
  }

  @Test("saving replaces; service and account are the key, readable after the first unlock")
  func replacing() throws {
    let device = try Device()
    let keychain = HPKeychain()
    for number in 1...3 {
      try device.run { try keychain.save(service: "key", data: .integer(Int128(number))) }
    }
    try device.run {
      #expect(keychain.load(service: "key") == .integer(3))
      let found = try #require(attributes(service: "key", account: "key"))
      #expect(found[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlock)
      #expect((found[kSecValueData] as? Data)?.starts(with: Data("bplist00".utf8)) == true)
    }
  }

  @Test("a damaged value is reported, and nil; another one is not harmed")
  func damaged() throws {
    let device = try Device()
    var reports: [String] = []
    try device.run {
      let keychain = CMKeyChain()
      try keychain.save(service: "sound", data: .string("x"))
      try keychain.save(service: "cut", data: .string("x"))
      let found = try #require(attributes(service: "cut", account: "cut"))
      let value = try #require(found[kSecValueData] as? Data)
      let query = [kSecClass: kSecClassGenericPassword, kSecAttrService: "cut"]
      #expect(
        SecItemUpdate(query as CFDictionary, [kSecValueData: value.dropLast(40)] as CFDictionary)
          == errSecSuccess)
    }
    try device.run {
      let keychain = CMKeyChain { reports.append($0) }
      #expect(keychain.load(service: "cut") == nil)
      #expect(keychain.load(service: "sound") == .string("x"))
    }
    #expect(reports.count == 1)
    #expect(reports.first?.hasPrefix("Unarchive of cut failed") == true)
  }
}

@Suite("CMUUIDManager")
struct DeviceIdentifierTests {
  @Test("the identifier is made once and stays when the application runs again")
  func madeOnce() throws {
    let device = try Device()
    let manager = CMUUIDManager()
    try device.run { #expect(manager.readUUID() == nil) }
    let first = try device.run { try manager.identifier() }
    #expect(UUID(uuidString: first) != nil)
    for _ in 0..<3 {
      try device.run {
        #expect(manager.readUUID() == first)
        let again = try manager.identifier()
        #expect(again == first)
      }
    }
  }

  @Test("a saved identifier replaces the old one; after deleting, a new one is made")
  func changing() throws {
    let device = try Device()
    let manager = CMUUIDManager()
    let first = try device.run { try manager.identifier() }
    let other = "0F0E0D0C-0B0A-0908-0706-050403020100"
    try device.run { try manager.saveUUID(other) }
    try device.run { #expect(manager.readUUID() == other) }
    try device.run { manager.deleteUUID() }
    try device.run {
      #expect(manager.readUUID() == nil)
      let second = try manager.identifier()
      #expect(second != first && second != other)
    }
  }
}
