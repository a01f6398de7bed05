// KeyChainManager: texts by account and service.

import Foundation
import Security

/// Values are UTF-8 and readable when the device is unlocked. An empty account or service is refused.
struct KeyChainManager {
  private func query(_ account: String, _ service: String) -> [String: Any]? {
    guard !account.isEmpty, !service.isEmpty else { return nil }
    return [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: account,
      kSecAttrService as String: service,
      kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked,
    ]
  }

  func add(_ value: String, account: String, service: String) -> Bool {
    guard var query = query(account, service) else { return false }
    query[kSecValueData as String] = value.data(using: .utf8)
    return SecItemAdd(query as CFDictionary, nil) == errSecSuccess
  }

  func change(_ value: String, account: String, service: String) -> Bool {
    guard let query = query(account, service) else { return false }
    let changes = [kSecValueData as String: Data(value.utf8)]
    return SecItemUpdate(query as CFDictionary, changes as CFDictionary) == errSecSuccess
  }

  func get(account: String, service: String) -> String? {
    guard var query = query(account, service) else { return nil }
    query[kSecReturnData as String] = true
    var result: CFTypeRef?
    guard unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else {
      return nil
    }
    return (result as? Data).flatMap { String(data: $0, encoding: .utf8) }
  }

  func delete(account: String, service: String) -> Bool {
    guard let query = query(account, service) else { return false }
    return SecItemDelete(query as CFDictionary) == errSecSuccess
  }
}
