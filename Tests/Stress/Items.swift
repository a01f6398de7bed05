// The calls of the stress test, as an application makes them.

import Foundation
import Security

/// What ends a run: a status or a value that the model does not allow.
struct Violation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

enum Items {
  private static func query(_ name: String) -> [String: Any] {
    [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "stress",
      kSecAttrAccount as String: name,
    ]
  }

  static func add(_ name: String, _ data: Data) -> OSStatus {
    var query = query(name)
    query[kSecValueData as String] = data
    return SecItemAdd(query as CFDictionary, nil)
  }

  static func update(_ name: String, _ data: Data) -> OSStatus {
    SecItemUpdate(
      query(name) as CFDictionary, [kSecValueData as String: data] as CFDictionary)
  }

  static func delete(_ name: String) -> OSStatus { SecItemDelete(query(name) as CFDictionary) }

  static func read(_ name: String) -> (status: OSStatus, data: Data?) {
    var query = query(name)
    query[kSecReturnData as String] = true
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
    return (status, result as? Data)
  }

  /// All accounts that there are.
  static func names() throws -> Set<String> {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "stress",
      kSecReturnAttributes as String: true,
      kSecMatchLimit as String: kSecMatchLimitAll,
    ]
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { return [] }
    guard status == errSecSuccess, let items = result as? [[String: Any]] else {
      throw Violation("listing: status \(status)")
    }
    let names = items.compactMap { $0[kSecAttrAccount as String] as? String }
    guard names.count == Set(names).count else { throw Violation("an item is listed twice") }
    return Set(names)
  }
}
