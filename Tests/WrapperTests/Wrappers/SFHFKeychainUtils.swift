// SFHFKeychainUtils: passwords by user name and service, with errors as objects.

import Foundation
import Security

enum SFHFKeychainUtils {
  static let errorDomain = "SFHFKeychainUtilsErrorDomain"

  private static func query(_ username: String, _ service: String) throws -> [String: Any] {
    guard !username.isEmpty, !service.isEmpty else { throw error(-2000) }
    return [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: username,
      kSecAttrService as String: service,
    ]
  }

  private static func error(_ code: Int) -> NSError { NSError(domain: errorDomain, code: code) }

  private static func check(_ status: OSStatus) throws {
    guard status == errSecSuccess else { throw error(Int(status)) }
  }

  /// Nil where there is none.
  static func getPassword(username: String, service: String) throws -> String? {
    var query = try query(username, service)
    query[kSecReturnData as String] = true
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { return nil }
    try check(status)
    return (result as? Data).flatMap { String(data: $0, encoding: .utf8) }
  }

  /// - Parameter updateExisting: whether a password that is there already is changed.
  static func storeUsername(
    _ username: String, password: String, service: String, updateExisting: Bool
  ) throws {
    var query = try query(username, service)
    let value = Data(password.utf8)
    if let old = try getPassword(username: username, service: service) {
      guard updateExisting, old != password else { return }
      let changes: [String: Any] = [
        kSecAttrLabel as String: service, kSecValueData as String: value,
      ]
      try check(SecItemUpdate(query as CFDictionary, changes as CFDictionary))
    } else {
      query[kSecAttrLabel as String] = service
      query[kSecValueData as String] = value
      try check(SecItemAdd(query as CFDictionary, nil))
    }
  }

  static func deleteItem(username: String, service: String) throws {
    try check(SecItemDelete(try query(username, service) as CFDictionary))
  }
}
