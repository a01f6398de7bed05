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

  /// HKDF-Expand of the 32-byte `key` under `info`: `count` bytes, at most 8,160 (255 blocks).
  package static func expand(
    key: RawSpan, info: RawSpan, count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard count >= 1, count <= 255 * 32 else {
      throw CryptoError(code: .refusedInput, reason: "HKDF has no output of \(count) bytes")
    }
    return try derive(
      mode: EVP_KDF_HKDF_MODE_EXPAND_ONLY, key: key, other: info, otherName: "info", count: count)
  }

  private static func derive(
    mode: Int32, key: RawSpan, other: RawSpan, otherName: StaticString, count: Int
  ) throws(CryptoError) -> SecretBytes {
    _ = Library.isReady
    guard let kdf = unsafe EVP_KDF_fetch(nil, "HKDF", nil) else { throw .library("EVP_KDF_fetch") }
    defer { unsafe EVP_KDF_free(kdf) }
    guard let context = unsafe EVP_KDF_CTX_new(kdf) else { throw .library("EVP_KDF_CTX_new") }
    defer { unsafe EVP_KDF_CTX_free(context) }

    var result = SecretBytes(count: count)
    var target = result.mutableBytes
    var mode = mode
    let isDerived = unsafe key.withUnsafeBytes { key in
      unsafe other.withUnsafeBytes { other in
        unsafe withUnsafeMutablePointer(to: &mode) { mode in
          let parameters = unsafe [
            OSSL_PARAM.number("mode", mode), .text("digest", "SHA256"), .bytes("key", key),
            .bytes(otherName, other), .end,
          ]
          return unsafe target.withUnsafeMutableBytes { output in
            unsafe EVP_KDF_derive(
              context, output.baseAddress!.assumingMemoryBound(to: UInt8.self), count,
              parameters) == 1
          }
        }
      }
    }
    guard isDerived else { throw .library("HKDF") }
    return result
  }
}
