// KeychainItemWrapper of Apple's old sample code: one item as an object, found by an identifier in `kSecAttrGeneric`.

import Foundation
import Security

struct KeychainItemWrapper {
  private let identifier: String
  private let accessGroup: String?
  /// The item's attributes and its password, that under `kSecValueData` as a text.
  private var item: [String: Any]

  init(identifier: String, accessGroup: String? = nil) {
    self.identifier = identifier
    self.accessGroup = accessGroup
    item = [:]
    item = find() ?? empty
  }

  func object(forKey key: String) -> Any? { item[key] }

  /// Sets an attribute or the password, and writes the item.
  ///
  /// - Returns: the status of the write; `errSecSuccess` where nothing changes.
  @discardableResult
  mutating func setObject(_ object: String, forKey key: String) -> OSStatus {
    if item[key] as? String == object { return errSecSuccess }
    item[key] = object
    return write()
  }

  /// Deletes the item and goes back to an empty one.
  @discardableResult
  mutating func resetKeychainItem() -> OSStatus {
    let status = SecItemDelete(query as CFDictionary)
    item = empty
    return status
  }

  private var empty: [String: Any] {
    [
      kSecAttrAccount as String: "", kSecAttrLabel as String: "",
      kSecAttrDescription as String: "", kSecValueData as String: "",
    ]
  }

  private var query: [String: Any] {
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrGeneric as String: identifier,
    ]
    if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
    return query
  }

  private func find() -> [String: Any]? {
    var query = query
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    query[kSecReturnAttributes as String] = kCFBooleanTrue
    query[kSecReturnData as String] = kCFBooleanTrue
    var result: CFTypeRef?
    guard unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
      var found = result as? [String: Any]
    else { return nil }
    let password = found[kSecValueData as String] as? Data ?? Data()
    found[kSecValueData as String] = String(decoding: password, as: UTF8.self)
    return found
  }

  private func write() -> OSStatus {
    var attributes = empty
    for key in attributes.keys { attributes[key] = item[key] }
    attributes[kSecValueData as String] =
      Data((item[kSecValueData as String] as? String ?? "").utf8)
    if find() != nil { return SecItemUpdate(query as CFDictionary, attributes as CFDictionary) }
    attributes.merge(query) { $1 }
    return SecItemAdd(attributes as CFDictionary, nil)
  }
}
