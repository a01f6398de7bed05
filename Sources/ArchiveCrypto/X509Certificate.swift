// What a keychain wants to know of a certificate (RFC 5280), read by OpenSSL.

internal import COpenSSL

/// The fields of an X.509 certificate by which keychains find it.
package struct X509Certificate: Sendable {
  /// 1 or 3, as certificates are called.
  package let version: Int
  /// Names in DER.
  package let issuer: [UInt8]
  package let subject: [UInt8]
  /// The content of the serial number's INTEGER.
  package let serialNumber: [UInt8]
  /// Of the extension; nil without it.
  package let subjectKeyID: [UInt8]?
  /// SHA-1 over the bits of the public key.
  package let publicKeyHash: [UInt8]
  /// The subject's common name, or else its organization; nil without both.
  package let commonName: String?
  /// From and until when it is valid, in seconds since 2001.
  package let validity: ClosedRange<Float64>

  /// Reads exactly one certificate in DER; nil where it is none.
  package init?(_ der: RawSpan) {
    _ = Library.isReady
    guard let certificate = unsafe Self.decode(der) else {
      ERR_clear_error()
      return nil
    }
    defer { unsafe X509_free(certificate) }
    guard let issuer = unsafe Self.der(of: X509_get_issuer_name(certificate)),
      let subject = unsafe Self.der(of: X509_get_subject_name(certificate)),
      let start = unsafe Self.seconds(X509_get0_notBefore(certificate)),
      let end = unsafe Self.seconds(X509_get0_notAfter(certificate))
    else {
      ERR_clear_error()
      return nil
    }
    version = unsafe X509_get_version(certificate) + 1
    self.issuer = issuer
    self.subject = subject
    serialNumber = unsafe Self.serialNumber(X509_get0_serialNumber(certificate))
    subjectKeyID = unsafe X509_get0_subject_key_id(certificate).map { unsafe Self.bytes($0) }
    var hash = [UInt8](repeating: 0, count: 20)
    let isHashed = unsafe hash.withUnsafeMutableBufferPointer { target in
      unsafe X509_pubkey_digest(certificate, EVP_sha1(), target.baseAddress, nil)
    }
    guard isHashed == 1 else { return nil }
    publicKeyHash = hash
    commonName =
      unsafe Self.text(X509_get_subject_name(certificate), NID_commonName)
      ?? Self.text(X509_get_subject_name(certificate), NID_organizationName)
    validity = start...max(start, end)
  }

  private static func decode(_ der: RawSpan) -> OpaquePointer? {
    unsafe der.withUnsafeBytes { bytes in
      var cursor = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      let end = unsafe cursor.map { unsafe $0 + bytes.count }
      guard let certificate = unsafe d2i_X509(nil, &cursor, bytes.count) else { return nil }
      guard unsafe cursor == end else {
        unsafe X509_free(certificate)
        return nil
      }
      return unsafe certificate
    }
  }

  private static func der(of name: OpaquePointer?) -> [UInt8]? {
    let count = unsafe i2d_X509_NAME(name, nil)
    guard count > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    let written = unsafe bytes.withUnsafeMutableBufferPointer { target in
      var cursor = target.baseAddress
      return unsafe i2d_X509_NAME(name, &cursor)
    }
    return written == count ? bytes : nil
  }

  private static func bytes(_ string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
    let count = unsafe Int(ASN1_STRING_length(string))
    return unsafe Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: count))
  }

  /// An INTEGER's content: OpenSSL keeps magnitude and sign apart.
  private static func serialNumber(_ number: UnsafePointer<ASN1_INTEGER>?) -> [UInt8] {
    let count = unsafe i2d_ASN1_INTEGER(number, nil)
    guard count > 2 else { return [] }
    var element = [UInt8](repeating: 0, count: Int(count))
    _ = unsafe element.withUnsafeMutableBufferPointer { target in
      var cursor = target.baseAddress
      return unsafe i2d_ASN1_INTEGER(number, &cursor)
    }
    // Tag, then a length of one byte, or of 1 + n bytes.
    let header = element[1] < 0x80 ? 2 : 2 + Int(element[1] & 0x7F)
    return Array(element[header...])
  }

  private static func text(_ name: OpaquePointer?, _ nid: Int32) -> String? {
    let position = unsafe X509_NAME_get_index_by_NID(name, nid, -1)
    guard position >= 0, let entry = unsafe X509_NAME_get_entry(name, position) else { return nil }
    var text: UnsafeMutablePointer<UInt8>?
    let count = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
    guard count >= 0, let text = unsafe text else { return nil }
    defer { unsafe CRYPTO_free(text, nil, 0) }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Float64? {
    guard let epoch = unsafe ASN1_TIME_set(nil, 978_307_200) else { return nil }
    defer { unsafe ASN1_STRING_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
    return Float64(days) * 86_400 + Float64(seconds)
  }
}
