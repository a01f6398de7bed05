// Certificates as references (`kSecReturnRef`, `kSecValueRef`). Trust is not evaluated.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
internal import KeychainArchive
internal import KeychainModel

/// An X.509 certificate. Equal to another one of the same bytes.
public final class SecCertificate: Hashable, Sendable {
  let der: [UInt8]
  /// What an item of the certificate has.
  let item: KeychainItem

  /// The certificate in DER; nil where it is none.
  init?(_ der: [UInt8]) {
    guard let item = KeychainItem(certificate: der) else { return nil }
    self.der = der
    self.item = item
  }

  public static func == (left: SecCertificate, right: SecCertificate) -> Bool {
    left.der == right.der
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(der)
  }

  fileprivate func bytes(_ key: AttributeKey) -> CFData? {
    guard case .bytes(let bytes) = item[key] else { return nil }
    return Data(bytes)
  }
}

/// The certificate in DER that `data` is; nil where it is none.
public func SecCertificateCreateWithData(
  _ allocator: CFAllocator?, _ data: CFData
) -> SecCertificate? {
  SecCertificate([UInt8](data))
}

/// The certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
  Data(certificate.der)
}

/// The subject's common name, or else its organization.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  guard case .text(let name) = certificate.item[.label] else { return nil }
  return name
}

/// The content of the issuer's name, normalized: the attribute `kSecAttrIssuer`.
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
  certificate.bytes(.issuer)
}

/// The content of the subject's name, normalized: the attribute `kSecAttrSubject`.
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
  certificate.bytes(.subject)
}

/// The serial number, two's complement.
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  certificate.bytes(.serialNumber)
}
