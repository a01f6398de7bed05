// HKDF-SHA-256 (RFC 5869), its two steps apart: the container extracts only for slots.

internal import COpenSSL

package enum HKDFSHA256 {
  /// HKDF-Extract: 32 bytes.
  package static func extract(
    salt: RawSpan, inputKey: RawSpan
  ) throws(CryptoError) -> SecretBytes {
    try derive(
      mode: EVP_KDF_HKDF_MODE_EXTRACT_ONLY, key: inputKey, other: salt, otherName: "salt",
      count: 32)
  }

  /// HKDF-Expand of the 32-byte `key` under `info`: `count` bytes, at most 8,160.
  package static func expand(
    key: RawSpan, info: RawSpan, count: Int
  ) throws(CryptoError) -> SecretBytes {
    try derive(
      mode: EVP_KDF_HKDF_MODE_EXPAND_ONLY, key: key, other: info, otherName: "info", count: count)
  }

  private static func derive(
    mode: Int32, key: RawSpan, other: RawSpan, otherName: String, count: Int
  ) throws(CryptoError) -> SecretBytes {
    _ = Library.isReady
    guard let kdf = unsafe EVP_KDF_fetch(nil, "HKDF", nil) else { throw .library("EVP_KDF_fetch") }
    defer { unsafe EVP_KDF_free(kdf) }
    guard let context = unsafe EVP_KDF_CTX_new(kdf) else { throw .library("EVP_KDF_CTX_new") }
    defer { unsafe EVP_KDF_CTX_free(context) }

    var result = SecretBytes(count: count)
    var target = result.mutableBytes
    var digest = Array("SHA256".utf8CString)
    var mode = mode
    let isDerived = unsafe key.withUnsafeBytes { key in
      unsafe other.withUnsafeBytes { other in
        unsafe digest.withUnsafeMutableBufferPointer { digest in
          unsafe withUnsafeMutablePointer(to: &mode) { mode in
            // OpenSSL's parameters are not const, but it only reads these.
            let parameters = unsafe [
              OSSL_PARAM_construct_int("mode", mode),
              OSSL_PARAM_construct_utf8_string("digest", digest.baseAddress, 0),
              OSSL_PARAM_construct_octet_string(
                "key", UnsafeMutableRawPointer(mutating: key.baseAddress), key.count),
              OSSL_PARAM_construct_octet_string(
                otherName, UnsafeMutableRawPointer(mutating: other.baseAddress), other.count),
              OSSL_PARAM_construct_end(),
            ]
            return unsafe target.withUnsafeMutableBytes { output in
              unsafe EVP_KDF_derive(
                context, output.baseAddress!.assumingMemoryBound(to: UInt8.self), count,
                parameters) == 1
            }
          }
        }
      }
    }
    guard isDerived else { throw .library("HKDF") }
    return result
  }
}
