// A certificate and its key, as references.

import Foundation
import Security

public enum DeviceIdentity {
  public static func store(certificate der: Data, key: Data, label: String) -> OSStatus {
    let attributes: [String: Any] = [
      kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
      kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
      kSecAttrKeySizeInBits as String: 256,
    ]
    var error: Unmanaged<CFError>?
    guard let certificate = SecCertificateCreateWithData(nil, der as CFData),
      let privateKey = SecKeyCreateWithData(key as CFData, attributes as CFDictionary, &error)
    else { return errSecParam }
    let addCertificate: [String: Any] = [
      kSecClass as String: kSecClassCertificate,
      kSecValueRef as String: certificate,
      kSecAttrLabel as String: label,
    ]
    let status = SecItemAdd(addCertificate as CFDictionary, nil)
    guard status == errSecSuccess else { return status }
    let addKey: [String: Any] = [
      kSecValueRef as String: privateKey,
      kSecAttrApplicationTag as String: label.data(using: .utf8)!,
    ]
    return SecItemAdd(addKey as CFDictionary, nil)
  }

  public static func identity(label: String) -> SecIdentity? {
    let query: [String: Any] = [
      kSecClass as String: kSecClassIdentity,
      kSecAttrLabel as String: label,
      kSecReturnRef as String: true,
    ]
    var item: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
    return (item as! SecIdentity)
  }

  public static func key(tag: String) -> SecKey? {
    let query: [String: Any] = [
      kSecClass as String: kSecClassKey,
      kSecAttrApplicationTag as String: Data(tag.utf8),
      kSecAttrKeyType as String: kSecAttrKeyTypeEC,
      kSecReturnRef as String: true,
    ]
    var item: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
    return (item as! SecKey)
  }

  public static func nonce(byteCount: Int) -> Data? {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    guard SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess else {
      return nil
    }
    return Data(bytes)
  }
}
