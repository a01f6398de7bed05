// X25519 (RFC 7748), the key agreement of recipient slots.

internal import COpenSSL

package enum X25519 {
  package static let keyByteCount = 32

  /// The public key of a 32-byte private key.
  package static func publicKey(of privateKey: RawSpan) throws(CryptoError) -> [UInt8] {
    guard let key = unsafe loadPrivate(privateKey) else {
      throw .library("EVP_PKEY_new_raw_private_key")
    }
    defer { unsafe EVP_PKEY_free(key) }
    var result = [UInt8](repeating: 0, count: keyByteCount)
    var count = keyByteCount
    guard unsafe EVP_PKEY_get_raw_public_key(key, &result, &count) == 1, count == keyByteCount
    else { throw .library("EVP_PKEY_get_raw_public_key") }
    return result
  }

  /// The shared secret of two keys, 32 bytes. A result of all zeros (a public key of low order) is
  /// refused, as RFC 7748, section 6.1, allows and the container demands.
  package static func sharedSecret(
    privateKey: RawSpan, publicKey: RawSpan
  ) throws(CryptoError) -> SecretBytes {
    guard let own = unsafe loadPrivate(privateKey) else {
      throw .library("EVP_PKEY_new_raw_private_key")
    }
    defer { unsafe EVP_PKEY_free(own) }
    let other = unsafe publicKey.withUnsafeBytes { bytes in
      unsafe EVP_PKEY_new_raw_public_key(
        EVP_PKEY_X25519, nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
    guard let other = unsafe other else { throw .library("EVP_PKEY_new_raw_public_key") }
    defer { unsafe EVP_PKEY_free(other) }
    guard let context = unsafe EVP_PKEY_CTX_new(own, nil) else {
      throw .library("EVP_PKEY_CTX_new")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }

    var result = SecretBytes(count: keyByteCount)
    var target = result.mutableBytes
    let isDerived = unsafe target.withUnsafeMutableBytes { target in
      var count = target.count
      return unsafe EVP_PKEY_derive_init(context) == 1
        && EVP_PKEY_derive_set_peer(context, other) == 1
        && EVP_PKEY_derive(
          context, target.baseAddress!.assumingMemoryBound(to: UInt8.self), &count) == 1
        && count == keyByteCount
    }
    // OpenSSL itself fails on an all-zero result.
    guard isDerived else {
      throw CryptoError(code: .refusedInput, reason: "the public key gives no shared secret")
    }
    return result
  }

  private static func loadPrivate(_ bytes: RawSpan) -> OpaquePointer? {
    _ = Library.isReady
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe EVP_PKEY_new_raw_private_key(
        EVP_PKEY_X25519, nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
  }
}
