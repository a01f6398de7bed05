// Code that came from Objective-C: mutable dictionaries of Foundation, objects as values.

import Foundation
import Security

public enum OldSettings {
  private static func query(_ key: String) -> NSMutableDictionary {
    let query = NSMutableDictionary()
    query[kSecClass as String] = kSecClassGenericPassword
    query[kSecAttrAccount as String] = key
    query[kSecAttrService] = "old settings"
    return query
  }

  public static func set(_ value: NSData, for key: String) -> Bool {
    let query = self.query(key)
    SecItemDelete(query)
    query[kSecValueData as String] = value
    return SecItemAdd(query, nil) == errSecSuccess
  }

  public static func value(for key: String) -> NSData? {
    let query = self.query(key)
    query[kSecReturnData as String] = NSNumber(value: true)
    var result: AnyObject?
    guard SecItemCopyMatching(query, &result) == errSecSuccess else { return nil }
    return result as? NSData
  }

  public static func update(_ value: NSData, for key: String) -> OSStatus {
    return SecItemUpdate(query(key), [kSecValueData as String: value] as NSDictionary)
  }

  public static func addObjects(_ key: String, _ value: Data) -> OSStatus {
    let query: [String: AnyObject] = [
      kSecClass as String: kSecClassGenericPassword as AnyObject,
      kSecAttrAccount as String: key as AnyObject,
      kSecAttrService as String: "old objects" as AnyObject,
      kSecAttrIsInvisible as String: true as AnyObject,
      kSecAttrCreator as String: NSNumber(value: 0x6B63_6172),
      kSecValueData as String: value as AnyObject,
    ]
    return SecItemAdd(query as CFDictionary, nil)
  }
}
