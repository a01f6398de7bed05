// A certificate with its private key.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import KeychainModel

public final class SecIdentity: Hashable, Sendable {
  let certificate: SecCertificate
  let key: SecKey

  init(_ certificate: SecCertificate, _ key: SecKey) {
    self.certificate = certificate
    self.key = key
  }

  public static func == (left: SecIdentity, right: SecIdentity) -> Bool {
    left.certificate == right.certificate && left.key == right.key
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(certificate)
  }
}

/// The identity of a certificate and a private key; nil where the key is not the certificate's.
public func SecIdentityCreate(
  _ allocator: CFAllocator?, _ certificate: SecCertificate, _ privateKey: SecKey
) -> SecIdentity? {
  guard let hash = certificate.item[.publicKeyHash], hash == privateKey.item[.applicationLabel]
  else { return nil }
  return SecIdentity(certificate, privateKey)
}

@discardableResult
public func SecIdentityCopyCertificate(
  _ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  unsafe certificate.pointee = identity.certificate
  return errSecSuccess
}

@discardableResult
public func SecIdentityCopyPrivateKey(
  _ identity: SecIdentity, _ privateKey: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
  unsafe privateKey.pointee = identity.key
  return errSecSuccess
}
