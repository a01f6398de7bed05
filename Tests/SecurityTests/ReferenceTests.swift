// Certificates, keys and identities as objects.

import Foundation
import Security
import Testing

@Suite("References")
struct ReferenceTests {
  private static func key(_ data: Data, _ type: String, _ keyClass: String) throws -> SecKey {
    let attributes = [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass]
    let key = SecKeyCreateWithData(data, attributes, nil)
    return try #require(key)
  }

  private static func rsaKey() throws -> SecKey {
    try key(Samples.rsaPrivate, kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate)
  }

  /// Data, type and class of a key, and what follows.
  static let keys: [(Data, String, String, bits: Int, label: String, signs: Bool)] = [
    (Samples.rsaPrivate, kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate, 1024, Samples.rsaLabel, true),
    (Samples.rsaPublic, kSecAttrKeyTypeRSA, kSecAttrKeyClassPublic, 1024, Samples.rsaLabel, false),
    (Samples.ecPrivate, kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate, 256, Samples.ecLabel, true),
    (
      Samples.ecPrivate.prefix(65), kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClassPublic, 256,
      Samples.ecLabel, false
    ),
  ]

  @Test("a key's size, label and uses follow from its bytes", arguments: keys)
  func keyAttributes(
    _ data: Data, _ type: String, _ keyClass: String, _ bits: Int, _ label: String, _ signs: Bool
  ) throws {
    let key = try Self.key(data, type, keyClass)
    #expect(SecKeyCopyExternalRepresentation(key, nil) == data)
    let attributes = try #require(SecKeyCopyAttributes(key))
    #expect(attributes[kSecAttrKeySizeInBits] as? Int == bits)
    #expect((attributes[kSecAttrApplicationLabel] as? Data)?.hexadecimal == label)
    #expect(attributes[kSecAttrCanSign] as? Bool == signs)
    #expect(attributes[kSecAttrCanVerify] as? Bool == !signs)
  }

  @Test("bytes that are no key of the type and class are refused, each prefix of one too")
  func noKeys() {
    var error: Unmanaged<CFError>?
    for (data, type, keyClass, _, _, _) in Self.keys {
      for count in 0..<data.count {
        let attributes = [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass]
        // The first bytes of a private key of a curve may be a public one, but that has another class.
        #expect(SecKeyCreateWithData(data.prefix(count), attributes, nil) == nil)
      }
    }
    for attributes: [String: Any] in [
      [:], [kSecAttrKeyType: "42"], [kSecAttrKeyType: "1", kSecAttrKeyClass: "1"],
      [kSecAttrKeyType: "42", kSecAttrKeyClass: "2"],
    ] {
      #expect(unsafe SecKeyCreateWithData(Samples.rsaPrivate, attributes, &error) == nil)
      let found = unsafe error?.takeRetainedValue()
      #expect(found.map(CFErrorGetCode) == Int(errSecParam))
      unsafe error = nil
    }
  }

  @Test("a certificate goes in and comes out as an object, and is found by it")
  func certificates() throws {
    #expect(SecCertificateCreateWithData(nil, Samples.certificate.dropLast()) == nil)
    #expect(SecCertificateCreateWithData(nil, Samples.certificate + [0]) == nil)
    let certificate = try #require(SecCertificateCreateWithData(nil, Samples.certificate))
    #expect(SecCertificateCopySubjectSummary(certificate) == "mail.example.org")
    #expect(SecCertificateCopySerialNumberData(certificate, nil) == Data([0x20, 0x02]))
    try withOwnKeychain {
      let byReference: [String: Any] = [kSecValueRef: certificate]
      #expect(copy(byReference).status == errSecItemNotFound)
      var added: AnyObject?
      let item = byReference.merging([kSecReturnPersistentRef: true]) { $1 }
      #expect(unsafe SecItemAdd(item as CFDictionary, &added) == errSecSuccess)
      #expect((added as? Data)?.prefix(4) == Data("cert".utf8))
      #expect(unsafe SecItemAdd(item as CFDictionary, &added) == errSecDuplicateItem)
      let found = copy([kSecClass: kSecClassCertificate, kSecReturnRef: true]).result
      #expect(found as? SecCertificate == certificate)
      #expect(
        copy(byReference.merging([kSecReturnData: true]) { $1 }).result as? Data
          == Samples.certificate)
      #expect(copy(byReference.merging([kSecClass: kSecClassKey]) { $1 }).status == errSecParam)
      #expect(SecItemDelete(byReference as CFDictionary) == errSecSuccess)
      #expect(SecItemDelete(byReference as CFDictionary) == errSecItemNotFound)
    }
  }

  @Test("an identity is added as its two halves, found, and deleted with both")
  func identities() throws {
    let certificate = try #require(SecCertificateCreateWithData(nil, Samples.certificate))
    let other = try Self.key(Samples.ecPrivate, kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate)
    #expect(SecIdentityCreate(nil, certificate, other) == nil)
    let key = try Self.rsaKey()
    let identity = try #require(SecIdentityCreate(nil, certificate, key))
    try withOwnKeychain {
      let query: [String: Any] = [kSecClass: kSecClassIdentity, kSecReturnRef: true]
      #expect(copy(query).status == errSecItemNotFound)
      // One half is there already: the other one is added.
      #expect(SecItemAdd([kSecValueRef: key] as CFDictionary, nil) == errSecSuccess)
      #expect(copy(query).status == errSecItemNotFound)
      var added: AnyObject?
      let item = [kSecValueRef: identity, kSecReturnRef: true] as CFDictionary
      #expect(unsafe SecItemAdd(item, &added) == errSecSuccess)
      #expect((added as? SecIdentity).map { certificateData($0) } == Samples.certificate)
      #expect(unsafe SecItemAdd(item, &added) == errSecDuplicateItem)
      let found = copy(query).result as? SecIdentity
      #expect(found.map { certificateData($0) } == Samples.certificate)
      #expect(found.flatMap { keyData($0) } == Samples.rsaPrivate)
      #expect(SecItemDelete([kSecValueRef: identity] as CFDictionary) == errSecSuccess)
      #expect(SecItemDelete([kSecValueRef: identity] as CFDictionary) == errSecItemNotFound)
      for itemClass in [kSecClassKey, kSecClassCertificate, kSecClassIdentity] {
        #expect(copy([kSecClass: itemClass]).status == errSecItemNotFound)
      }
    }
  }

  private func certificateData(_ identity: SecIdentity) -> Data? {
    var certificate: SecCertificate?
    unsafe SecIdentityCopyCertificate(identity, &certificate)
    return certificate.map(SecCertificateCopyData)
  }

  private func keyData(_ identity: SecIdentity) -> Data? {
    var key: SecKey?
    unsafe SecIdentityCopyPrivateKey(identity, &key)
    return key.flatMap { SecKeyCopyExternalRepresentation($0, nil) }
  }
}
