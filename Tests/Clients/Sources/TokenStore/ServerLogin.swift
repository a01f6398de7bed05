// Logins of servers as internet passwords, with options, attributes and Apple's error objects.

import Foundation
import Security

public struct ServerLogin {
  public enum Accessibility {
    case whenUnlocked
    case afterFirstUnlock
    case whenPasscodeSetThisDeviceOnly

    var constant: String {
      switch self {
      case .whenUnlocked: return String(kSecAttrAccessibleWhenUnlocked)
      case .afterFirstUnlock: return String(kSecAttrAccessibleAfterFirstUnlock)
      case .whenPasscodeSetThisDeviceOnly:
        return String(kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly)
      }
    }
  }

  public var url: URL
  public var accessibility = Accessibility.whenUnlocked
  public var flags: SecAccessControlCreateFlags?
  public var isSynchronizable = false

  public init(_ url: URL) { self.url = url }

  public func set(_ password: String, for account: String) throws {
    var attributes = query
    attributes[kSecAttrAccount as String] = account
    attributes[kSecValueData as String] = password.data(using: .utf8, allowLossyConversion: false)
    attributes[kSecAttrSynchronizable as String] =
      isSynchronizable ? kCFBooleanTrue : kCFBooleanFalse
    if let flags = flags {
      var error: Unmanaged<CFError>?
      guard
        let control = SecAccessControlCreateWithFlags(
          kCFAllocatorDefault, accessibility.constant as CFTypeRef, flags, &error)
      else {
        if let error = error?.takeUnretainedValue() { throw error.asNSError }
        throw StoreError.unhandled(errSecParam)
      }
      attributes[kSecAttrAccessControl as String] = control
    } else {
      attributes[kSecAttrAccessible as String] = accessibility.constant
    }
    let status = SecItemAdd(attributes as CFDictionary, nil)
    if status != errSecSuccess {
      throw NSError(
        domain: NSOSStatusErrorDomain, code: Int(status),
        userInfo: [NSLocalizedDescriptionKey: SecCopyErrorMessageString(status, nil) ?? ""])
    }
  }

  public func attributes(of account: String) -> [String: Any]? {
    var query = self.query
    query[kSecAttrAccount as String] = account
    query[kSecAttrSynchronizable as String] = kSecAttrSynchronizableAny
    query[kSecReturnAttributes as String] = kCFBooleanTrue as Any
    query[kSecReturnData as String] = kCFBooleanTrue!
    query[kSecReturnPersistentRef as String] = true
    var result: AnyObject?
    guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
    return (result as! [String: Any])
  }

  /// The password of a reference that was kept elsewhere.
  public static func password(of reference: Data) -> String? {
    let query =
      [
        kSecValuePersistentRef as String: reference,
        kSecReturnData as String: true,
      ] as [String: Any]
    var data: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &data) == errSecSuccess,
      let value = data as? Data
    else { return nil }
    return String(data: value, encoding: .utf8)
  }

  private var query: [String: Any] {
    var query: [String: Any] = [
      kSecClass as String: kSecClassInternetPassword,
      kSecAttrServer as String: url.host ?? "",
      kSecAttrProtocol as String: url.scheme == "http"
        ? kSecAttrProtocolHTTP : kSecAttrProtocolHTTPS,
      kSecAttrAuthenticationType as String: kSecAttrAuthenticationTypeDefault,
    ]
    if let port = url.port { query[kSecAttrPort as String] = port }
    return query
  }
}

extension CFError {
  var asNSError: NSError {
    let domain = CFErrorGetDomain(self) as String
    let code = CFErrorGetCode(self)
    let userInfo = CFErrorCopyUserInfo(self) as! [String: Any]
    return NSError(domain: domain, code: code, userInfo: userInfo)
  }
}
