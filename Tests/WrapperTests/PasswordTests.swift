// KeyChainManager, KeychainItemWrapper and SFHFKeychainUtils.

import Foundation
import Security
import Testing

@Suite("KeyChainManager")
struct KeyChainManagerTests {
  private let manager = KeyChainManager()

  @Test("values are added, read, changed and deleted, each time the application runs")
  func operations() throws {
    let device = try Device()
    try device.run { #expect(manager.add("größe 😀", account: "rosa", service: "garden")) }
    try device.run { #expect(manager.get(account: "rosa", service: "garden") == "größe 😀") }
    try device.run { #expect(manager.change("", account: "rosa", service: "garden")) }
    try device.run { #expect(manager.get(account: "rosa", service: "garden") == "") }
    try device.run { #expect(manager.delete(account: "rosa", service: "garden")) }
    try device.run { #expect(manager.get(account: "rosa", service: "garden") == nil) }
  }

  @Test("adding what is there fails, and so does changing or deleting what is not")
  func failures() throws {
    let device = try Device()
    try device.run {
      #expect(!manager.change("x", account: "rosa", service: "garden"))
      #expect(!manager.delete(account: "rosa", service: "garden"))
      #expect(manager.add("one", account: "rosa", service: "garden"))
      #expect(!manager.add("two", account: "rosa", service: "garden"))
      #expect(manager.add("other", account: "rosa", service: "kitchen"))
    }
    try device.run {
      #expect(manager.get(account: "rosa", service: "garden") == "one")
      #expect(manager.get(account: "rosa", service: "kitchen") == "other")
      let found = try #require(attributes(service: "garden", account: "rosa"))
      #expect(found[kSecAttrAccessible] as? String == kSecAttrAccessibleWhenUnlocked)
    }
  }

  @Test(
    "an empty account or service is refused",
    arguments: [("", "garden"), ("rosa", ""), ("", "")])
  func empty(_ account: String, _ service: String) throws {
    let device = try Device()
    try device.run {
      #expect(!manager.add("x", account: account, service: service))
      #expect(!manager.change("x", account: account, service: service))
      #expect(manager.get(account: account, service: service) == nil)
      #expect(!manager.delete(account: account, service: service))
      var result: CFTypeRef?
      let all =
        [
          kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll,
          kSecReturnAttributes: true,
        ] as CFDictionary
      #expect(unsafe SecItemCopyMatching(all, &result) == errSecItemNotFound)
    }
  }
}

@Suite("KeychainItemWrapper")
struct KeychainItemWrapperTests {
  @Test("an item is found by its identifier when the application runs again")
  func operations() throws {
    let device = try Device()
    try device.run {
      var item = KeychainItemWrapper(identifier: "Password")
      #expect(item.object(forKey: kSecAttrAccount) as? String == "")
      #expect(item.setObject("rosa", forKey: kSecAttrAccount) == errSecSuccess)
      #expect(item.setObject("s3cret", forKey: kSecValueData) == errSecSuccess)
    }
    try device.run {
      var item = KeychainItemWrapper(identifier: "Password")
      #expect(item.object(forKey: kSecAttrAccount) as? String == "rosa")
      #expect(item.object(forKey: kSecValueData) as? String == "s3cret")
      #expect(item.setObject("new", forKey: kSecValueData) == errSecSuccess)
      #expect(item.setObject("new", forKey: kSecValueData) == errSecSuccess)
    }
    try device.run {
      var item = KeychainItemWrapper(identifier: "Password")
      #expect(item.object(forKey: kSecValueData) as? String == "new")
      #expect(item.resetKeychainItem() == errSecSuccess)
      #expect(item.object(forKey: kSecValueData) as? String == "")
    }
    try device.run {
      var item = KeychainItemWrapper(identifier: "Password")
      #expect(item.object(forKey: kSecAttrAccount) as? String == "")
      #expect(item.resetKeychainItem() == errSecItemNotFound)
    }
  }

  @Test("the identifier makes no item distinct: a second one without an account is a duplicate")
  func duplicate() throws {
    let device = try Device()
    try device.run {
      var first = KeychainItemWrapper(identifier: "first")
      #expect(first.setObject("one", forKey: kSecValueData) == errSecSuccess)
      var second = KeychainItemWrapper(identifier: "second")
      #expect(second.setObject("two", forKey: kSecValueData) == errSecDuplicateItem)
    }
    try device.run {
      let first = KeychainItemWrapper(identifier: "first")
      #expect(first.object(forKey: kSecValueData) as? String == "one")
      var second = KeychainItemWrapper(identifier: "second")
      #expect(second.setObject("iris", forKey: kSecAttrAccount) == errSecSuccess)
    }
    try device.run {
      let second = KeychainItemWrapper(identifier: "second")
      #expect(second.object(forKey: kSecAttrAccount) as? String == "iris")
    }
  }
}

@Suite("SFHFKeychainUtils")
struct SFHFKeychainUtilsTests {
  @Test("passwords are stored, changed only where that is allowed, and deleted")
  func operations() throws {
    let device = try Device()
    func store(_ password: String, updating: Bool) throws {
      try device.run {
        try SFHFKeychainUtils.storeUsername(
          "rosa", password: password, service: "garden", updateExisting: updating)
      }
    }
    func password() throws -> String? {
      try device.run { try SFHFKeychainUtils.getPassword(username: "rosa", service: "garden") }
    }
    #expect(try password() == nil)
    try store("one", updating: false)
    #expect(try password() == "one")
    try store("two", updating: false)
    #expect(try password() == "one")
    try store("two", updating: true)
    #expect(try password() == "two")
    try store("", updating: true)
    #expect(try password() == "")
    try device.run {
      let found = try #require(attributes(service: "garden", account: "rosa"))
      #expect(found[kSecAttrLabel] as? String == "garden")
      try SFHFKeychainUtils.deleteItem(username: "rosa", service: "garden")
    }
    #expect(try password() == nil)
  }

  @Test("errors have the wrapper's domain and the status as their code")
  func errors() throws {
    let device = try Device()
    try device.run {
      let missing = #expect(throws: NSError.self) {
        try SFHFKeychainUtils.deleteItem(username: "rosa", service: "garden")
      }
      #expect(missing?.domain == SFHFKeychainUtils.errorDomain)
      #expect(missing?.code == Int(errSecItemNotFound))
      for (username, service) in [("", "garden"), ("rosa", "")] {
        let empty = #expect(throws: NSError.self) {
          try SFHFKeychainUtils.storeUsername(
            username, password: "x", service: service, updateExisting: true)
        }
        #expect(empty?.code == -2000)
      }
    }
  }
}
