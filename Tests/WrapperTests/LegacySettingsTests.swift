// NSUserDefaults, where secrets were before: `kcarchive migrate` moves them, and the application finds them.

import Foundation
import Security
import Testing

@Suite("NSUserDefaults as the legacy side")
struct LegacySettingsTests {
  @Test("secrets of preferences are items after migrating, and the preferences are cleaned")
  func migrating() throws {
    let device = try Device()
    let preferences: [String: Any] = [
      "password": "s3cret", "theme": "dark", "launches": 12,
      "account": ["refreshToken": Data([1, 2, 3]), "name": "rosa"],
    ]
    let plist = device.folder.appendingPathComponent("org.example.app.plist")
    try PropertyListSerialization.data(
      fromPropertyList: preferences, format: .binary, options: 0
    ).write(to: plist)
    let keyFile = device.folder.appendingPathComponent("key")
    try Data(Device.keyFile).write(to: keyFile)
    let cleaned = device.folder.appendingPathComponent("cleaned.plist")

    let migrate = Process()
    migrate.executableURL = Self.program
    migrate.arguments = [
      "migrate", plist.path, "-o", device.path, "--key-file", keyFile.path, "--redact",
      cleaned.path,
    ]
    migrate.standardError = FileHandle.nullDevice
    try migrate.run()
    migrate.waitUntilExit()
    #expect(migrate.terminationStatus == 0)

    try device.run(as: ["*"]) {
      let password = attributes(service: "org.example.app", account: "password")
      #expect(password?[kSecValueData] as? Data == Data("s3cret".utf8))
      let token = attributes(service: "org.example.app", account: "account.refreshToken")
      #expect(token?[kSecValueData] as? Data == Data([1, 2, 3]))
      #expect(attributes(service: "org.example.app", account: "theme") == nil)
      // From here on it is an item like any other.
      let query = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "password"]
      #expect(
        SecItemUpdate(query as CFDictionary, [kSecValueData: Data("new".utf8)] as CFDictionary)
          == errSecSuccess)
    }
    try device.run(as: ["*"]) {
      let password = attributes(service: "org.example.app", account: "password")
      #expect(password?[kSecValueData] as? Data == Data("new".utf8))
    }
    let list = unsafe try PropertyListSerialization.propertyList(
      from: Data(contentsOf: cleaned), format: nil)
    let left = try #require(list as? [String: Any])
    #expect(left["password"] == nil)
    #expect(left["theme"] as? String == "dark")
  }

  /// The program that was built along with these tests.
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("kcarchive")
}
