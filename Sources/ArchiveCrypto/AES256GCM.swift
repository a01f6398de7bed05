// AES-256-GCM (NIST SP 800-38D) with 96-bit nonces and 128-bit tags: the container's only AEAD.
//
// The key schedule is made once and kept in the context; a frame then costs a new nonce only.

internal import COpenSSL

/// Seals and opens under one key. Not for several threads at once: give each its own.
@safe package final class AES256GCM {
  package static let keyByteCount = 32
  package static let nonceByteCount = 12
  package static let tagByteCount = 16

  private let sealing: OpaquePointer
  private let opening: OpaquePointer

  /// - Parameter key: 32 bytes.
  package init(key: RawSpan) throws(CryptoError) {
    precondition(key.byteCount == Self.keyByteCount)
    _ = Library.isReady
    guard let sealing = unsafe EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
    guard let opening = unsafe EVP_CIPHER_CTX_new() else {
      unsafe EVP_CIPHER_CTX_free(sealing)
      throw .library("EVP_CIPHER_CTX_new")
    }
    unsafe self.sealing = sealing
    unsafe self.opening = opening
    let isKeyed = unsafe key.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      return unsafe EVP_EncryptInit_ex(sealing, EVP_aes_256_gcm(), nil, start, nil) == 1
        && EVP_DecryptInit_ex(opening, EVP_aes_256_gcm(), nil, start, nil) == 1
    }
    guard isKeyed else { throw .library("EVP_CipherInit") }
  }

  deinit {
    // Freeing a context also wipes its key schedule.
    unsafe EVP_CIPHER_CTX_free(sealing)
    unsafe EVP_CIPHER_CTX_free(opening)
  }

  /// Writes ciphertext and tag (`plaintext.byteCount` + 16 bytes) to `target` at `offset`.
  ///
  /// - Parameter nonce: 12 bytes that this key has not sealed under before.
  package func seal(
    _ plaintext: RawSpan, nonce: RawSpan, authenticating header: RawSpan,
    into target: inout MutableRawSpan, at offset: Int = 0
  ) throws(CryptoError) {
    precondition(nonce.byteCount == Self.nonceByteCount)
    precondition(offset >= 0)
    precondition(target.byteCount - offset >= plaintext.byteCount + Self.tagByteCount)
    // OpenSSL counts in Int32; the largest frame is 1 MiB.
    guard let count = Int32(exactly: plaintext.byteCount) else { throw .library("EVP_Encrypt") }

    let isSealed = unsafe target.withUnsafeMutableBytes { target in
      unsafe plaintext.withUnsafeBytes { plaintext in
        unsafe nonce.withUnsafeBytes { nonce in
          unsafe header.withUnsafeBytes { header in
            let output = unsafe target.baseAddress!.assumingMemoryBound(to: UInt8.self) + offset
            var done: Int32 = 0
            return unsafe EVP_EncryptInit_ex(sealing, nil, nil, nil, nonce.bytePointer) == 1
              && (header.isEmpty
                || EVP_EncryptUpdate(sealing, nil, &done, header.bytePointer, Int32(header.count))
                  == 1)
              && (count == 0
                || EVP_EncryptUpdate(sealing, output, &done, plaintext.bytePointer, count) == 1)
              && EVP_EncryptFinal_ex(sealing, output + Int(count), &done) == 1
              && EVP_CIPHER_CTX_ctrl(
                sealing, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagByteCount), output + Int(count)) == 1
          }
        }
      }
    }
    guard isSealed else { throw .library("EVP_Encrypt") }
  }

  /// Writes the plaintext (`sealed.byteCount` - 16 bytes) to the front of `target`.
  ///
  /// On an error the front of `target` holds bytes that nobody may look at.
  package func open(
    _ sealed: RawSpan, nonce: RawSpan, authenticating header: RawSpan,
    into target: inout MutableRawSpan
  ) throws(CryptoError) {
    precondition(nonce.byteCount == Self.nonceByteCount)
    guard sealed.byteCount >= Self.tagByteCount else {
      throw CryptoError(code: .authenticationFailed, reason: "shorter than a tag")
    }
    let length = sealed.byteCount - Self.tagByteCount
    precondition(target.byteCount >= length)
    guard let count = Int32(exactly: length) else { throw .library("EVP_Decrypt") }

    let isOpen = unsafe target.withUnsafeMutableBytes { target in
      unsafe sealed.withUnsafeBytes { sealed in
        unsafe nonce.withUnsafeBytes { nonce in
          unsafe header.withUnsafeBytes { header in
            // A span of no bytes may have no address; nothing is written there then.
            let input = unsafe sealed.bytePointer!
            let output = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let tag = unsafe UnsafeMutableRawPointer(mutating: input + length)
            var done: Int32 = 0
            var end: UInt8 = 0
            return unsafe EVP_DecryptInit_ex(opening, nil, nil, nil, nonce.bytePointer) == 1
              && (header.isEmpty
                || EVP_DecryptUpdate(opening, nil, &done, header.bytePointer, Int32(header.count))
                  == 1)
              && (count == 0 || EVP_DecryptUpdate(opening, output, &done, input, count) == 1)
              && EVP_CIPHER_CTX_ctrl(
                opening, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagByteCount), tag) == 1
              && EVP_DecryptFinal_ex(opening, &end, &done) == 1
          }
        }
      }
    }
    guard isOpen else {
      throw CryptoError(code: .authenticationFailed, reason: "the tag does not hold")
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var bytePointer: UnsafePointer<UInt8>? {
    unsafe baseAddress?.assumingMemoryBound(to: UInt8.self)
  }
}
