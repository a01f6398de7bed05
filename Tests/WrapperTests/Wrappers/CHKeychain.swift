// CHKeychain and its many copies: any property-list object under one key, in a keyed archive.

import Foundation
import PropertyListCodec
import Security

/// Service and account are both the key; the value is readable after the first unlock.
struct CHKeychain {
  /// Is told about values that can't be read.
  var report: (String) -> Void = { print($0) }

  private func query(_ service: String) -> [String: Any] {
    [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: service,
      kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
    ]
  }

  /// Replaces what was there.
  @discardableResult
  func save(service: String, data: PropertyListValue) throws -> OSStatus {
    var query = query(service)
    SecItemDelete(query as CFDictionary)
    query[kSecValueData as String] = Data(try data.keyedArchive())
    return SecItemAdd(query as CFDictionary, nil)
  }

  /// Nil where there is nothing, or what is there is no archive: then that is reported.
  func load(service: String) -> PropertyListValue? {
    var query = query(service)
    query[kSecReturnData as String] = kCFBooleanTrue
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    var result: CFTypeRef?
    guard unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
      let data = result as? Data
    else { return nil }
    do {
      return try KeyedArchive(PropertyListDocument([UInt8](data))).plainValue()
    } catch {
      report("Unarchive of \(service) failed: \(error)")
      return nil
    }
  }

  @discardableResult
  func delete(service: String) -> OSStatus { SecItemDelete(query(service) as CFDictionary) }
}

/// The same under other names.
typealias HPKeychain = CHKeychain
typealias CMKeyChain = CHKeychain
