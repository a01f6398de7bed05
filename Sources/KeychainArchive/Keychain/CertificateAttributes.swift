// The attributes of a certificate item: they follow from the certificate itself.

internal import ArchiveCrypto
internal import ByteCoding
public import KeychainModel

extension ItemQuery {
  /// Fills in the attributes that a certificate's DER says, where the query does not say them: type, encoding,
  /// issuer and subject (normalized), serial number, key identifiers and label. So the same certificate is a
  /// duplicate, however it was added, and its private key is found.
  mutating func completeCertificate() throws(KeychainError) {
    guard itemClass == .certificate, let value else { return }
    guard let derived = KeychainItem(certificate: value) else {
      throw KeychainError(.parameter, "the value is no certificate in DER")
    }
    for attribute in derived.attributes where self[attribute.key] == nil {
      self[attribute.key] = attribute.value
    }
  }
}

extension KeychainItem {
  /// The class and attributes of the certificate in DER, as `SecItemAdd` stores them; nil where it is none.
  public init?(certificate der: [UInt8]) {
    guard let certificate = X509Certificate(der.bytes),
      let issuer = CertificateName.normalized(certificate.issuer),
      let subject = CertificateName.normalized(certificate.subject)
    else { return nil }
    var attributes = [
      Attribute(.certificateType, .integer(Int64(certificate.version))),
      // CSSM_CERT_ENCODING_DER
      Attribute(.certificateEncoding, .integer(3)),
      Attribute(.issuer, .bytes(issuer)),
      Attribute(.subject, .bytes(subject)),
      Attribute(.serialNumber, .bytes(certificate.serialNumber)),
      Attribute(.publicKeyHash, .bytes(certificate.publicKeyHash)),
    ]
    if let id = certificate.subjectKeyID { attributes.append(Attribute(.subjectKeyID, .bytes(id))) }
    if let name = certificate.commonName { attributes.append(Attribute(.label, .text(name))) }
    self.init(.certificate, attributes: attributes)
  }
}

extension MatchConditions {
  /// Whether a certificate item meets the conditions that are about certificates.
  ///
  /// - Parameter der: the certificate; nil where it is not there.
  func accept(_ certificate: KeychainItem, _ der: () throws(KeychainError) -> [UInt8]?)
    throws(KeychainError) -> Bool
  {
    if let issuers {
      guard case .bytes(let issuer) = certificate[.issuer],
        issuers.contains(where: { CertificateName.normalized($0) == issuer })
      else { return false }
    }
    guard let date = validOnDate else { return true }
    guard let der = try der(), let certificate = X509Certificate(der.bytes) else { return false }
    return certificate.validity.contains(date)
  }
}
