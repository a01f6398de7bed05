// Tokens of an account as generic passwords: add or update, as most applications do it.

import Foundation
import Security

public struct Token: Codable, Equatable {
  public var access: String
  public var refresh: String
  public var expires: Date

  public init(access: String, refresh: String, expires: Date) {
    self.access = access
    self.refresh = refresh
    self.expires = expires
  }
}

public enum StoreError: Error, Equatable, LocalizedError {
  case unexpectedData
  case unhandled(OSStatus)

  public var errorDescription: String? {
    switch self {
    case .unexpectedData: return "The item holds no token."
    case .unhandled(let status):
      return SecCopyErrorMessageString(status, nil) as String? ?? "Error \(status)"
    }
  }
}

public final class TokenStore {
  private let service: String
  private let accessGroup: String?
  private let lock = NSLock()

  public init(service: String, accessGroup: String? = nil) {
    self.service = service
    self.accessGroup = accessGroup
  }

  public func save(_ token: Token, for account: String) throws {
    lock.lock()
    defer { lock.unlock() }
    let data = try JSONEncoder().encode(token)
    var query = baseQuery(account)
    let changes = [kSecValueData as String: data]
    let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    switch status {
    case errSecSuccess:
      return
    case errSecItemNotFound:
      query[kSecValueData as String] = data
      query[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlock
      query[kSecAttrLabel as String] = "Tokens of \(account)"
      let added = SecItemAdd(query as CFDictionary, nil)
      guard added == errSecSuccess else { throw StoreError.unhandled(added) }
    default:
      throw StoreError.unhandled(status)
    }
  }

  public func token(for account: String) throws -> Token? {
    var query = baseQuery(account)
    query[kSecReturnData as String] = kCFBooleanTrue
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    guard status != errSecItemNotFound else { return nil }
    guard status == errSecSuccess else { throw StoreError.unhandled(status) }
    guard let data = item as? Data, let token = try? JSONDecoder().decode(Token.self, from: data)
    else { throw StoreError.unexpectedData }
    return token
  }

  public func accounts() throws -> [String] {
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: service,
      kSecReturnAttributes: true,
      kSecMatchLimit: kSecMatchLimitAll,
    ]
    var result: AnyObject?
    let status = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    if status == errSecItemNotFound { return [] }
    guard status == noErr, let items = result as? [[String: Any]] else {
      throw StoreError.unhandled(status)
    }
    return items.compactMap { $0[kSecAttrAccount as String] as? String }.sorted()
  }

  public func remove(_ account: String) throws {
    let status = SecItemDelete(baseQuery(account) as CFDictionary)
    guard status == errSecSuccess || status == errSecItemNotFound else {
      throw StoreError.unhandled(status)
    }
  }

  public func removeAll() {
    SecItemDelete(
      [kSecClass: kSecClassGenericPassword, kSecAttrService: service] as CFDictionary)
  }

  private func baseQuery(_ account: String) -> [String: Any] {
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: account,
    ]
    if let accessGroup = accessGroup {
      query[kSecAttrAccessGroup as String] = accessGroup
    }
    return query
  }
}
