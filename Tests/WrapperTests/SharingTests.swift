// What several applications of one team share: a private group each, and groups that some of them are in.

import Foundation
import Security
import Testing

@Suite("Sharing by access groups")
struct SharingTests {
  private static let mail = ["TEAM.org.example.mail", "TEAM.org.example.suite"]
  private static let notes = ["TEAM.org.example.notes", "TEAM.org.example.suite"]
  private static let stranger = ["OTHER.com.example.stranger"]

  private func item(_ account: String, group: String? = nil) -> [String: Any] {
    var item: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "suite",
      kSecAttrAccount as String: account,
    ]
    if let group { item[kSecAttrAccessGroup as String] = group }
    return item
  }

  private func add(_ account: String, group: String? = nil, _ value: String) -> OSStatus {
    var item = item(account, group: group)
    item[kSecValueData as String] = Data(value.utf8)
    return SecItemAdd(item as CFDictionary, nil)
  }

  private func read(_ account: String, group: String? = nil) -> (OSStatus, String?) {
    var query = item(account, group: group)
    query[kSecReturnData as String] = true
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
    return (status, (result as? Data).map { String(decoding: $0, as: UTF8.self) })
  }

  @Test("an item without a group is its application's own")
  func privateItems() throws {
    let device = try Device()
    try device.run(as: Self.mail) { #expect(add("rosa", "of mail") == errSecSuccess) }
    try device.run(as: Self.notes) {
      #expect(read("rosa").0 == errSecItemNotFound)
      #expect(read("rosa", group: "TEAM.org.example.mail").0 == errSecMissingEntitlement)
      #expect(SecItemDelete(item("rosa") as CFDictionary) == errSecItemNotFound)
      // The same primary key but for the group: another item.
      #expect(add("rosa", "of notes") == errSecSuccess)
    }
    try device.run(as: Self.mail) { #expect(read("rosa") == (errSecSuccess, "of mail")) }
    try device.run(as: Self.notes) { #expect(read("rosa") == (errSecSuccess, "of notes")) }
  }

  @Test("a shared item is seen and changed by all that are in its group, and by no one else")
  func sharedItems() throws {
    let device = try Device()
    let group = "TEAM.org.example.suite"
    try device.run(as: Self.mail) {
      #expect(add("token", group: group, "one") == errSecSuccess)
      #expect(add("token", group: group, "two") == errSecDuplicateItem)
    }
    try device.run(as: Self.notes) {
      #expect(read("token") == (errSecSuccess, "one"))
      #expect(read("token", group: group) == (errSecSuccess, "one"))
      let changes = [kSecValueData as String: Data("three".utf8)]
      #expect(
        SecItemUpdate(item("token") as CFDictionary, changes as CFDictionary) == errSecSuccess)
    }
    try device.run(as: Self.stranger) {
      #expect(read("token").0 == errSecItemNotFound)
      #expect(add("token", group: group, "four") == errSecMissingEntitlement)
    }
    try device.run(as: Self.mail) { #expect(read("token") == (errSecSuccess, "three")) }
    try device.run(as: ["*"]) { #expect(read("token") == (errSecSuccess, "three")) }
    try device.run(as: []) { #expect(read("token").0 == errSecMissingEntitlement) }
  }

  @Test("an application moves an item of its own into a shared group")
  func moving() throws {
    let device = try Device()
    try device.run(as: Self.mail) {
      #expect(add("rosa", "moved") == errSecSuccess)
      let stranger = [kSecAttrAccessGroup as String: "OTHER.com.example.stranger"]
      #expect(
        SecItemUpdate(item("rosa") as CFDictionary, stranger as CFDictionary)
          == errSecMissingEntitlement)
      let group = [kSecAttrAccessGroup as String: "TEAM.org.example.suite"]
      #expect(SecItemUpdate(item("rosa") as CFDictionary, group as CFDictionary) == errSecSuccess)
    }
    try device.run(as: Self.notes) { #expect(read("rosa") == (errSecSuccess, "moved")) }
  }
}
