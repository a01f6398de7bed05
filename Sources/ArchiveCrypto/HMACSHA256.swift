// HMAC-SHA-256 (RFC 2104), with a key that serves many messages: an archive takes two tokens an item.

internal import ByteCoding
internal import COpenSSL

/// A keyed HMAC-SHA-256. Not for several threads at once.
@safe package final class HMACSHA256 {
  private let context: OpaquePointer

  package static let byteCount = 32

  package init(key: RawSpan) throws(CryptoError) {
    _ = Library.isReady
    guard let mac = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else {
      throw .library("EVP_MAC_fetch")
    }
    defer { unsafe EVP_MAC_free(mac) }
    guard let new = unsafe EVP_MAC_CTX_new(mac) else { throw .library("EVP_MAC_CTX_new") }
    unsafe context = new

    var name = Array("SHA256\0".utf8CString)
    let isKeyed = unsafe name.withUnsafeMutableBufferPointer { digest in
      let parameters = unsafe [
        OSSL_PARAM_construct_utf8_string("digest", digest.baseAddress, 0),
        OSSL_PARAM_construct_end(),
      ]
      return unsafe key.withUnsafeBytes { bytes in
        // An empty key is a key too; a null pointer would mean "as before".
        let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        return unsafe EVP_MAC_init(
          new, start.assumingMemoryBound(to: UInt8.self), bytes.count, parameters) == 1
      }
    }
    guard isKeyed else { throw .library("EVP_MAC_init") }
  }

  deinit {
    unsafe EVP_MAC_CTX_free(context)
  }

  /// Begins a message. Each message is `begin`, any number of `update`, `finish`.
  package func begin() {
    // Without a key the context starts again under the one that it has; it can't fail then.
    _ = unsafe EVP_MAC_init(context, nil, 0, nil)
  }

  package func update(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { source in
      _ = unsafe EVP_MAC_update(
        context, source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count)
    }
  }

  /// Writes the 32 bytes of the message's code to the front of `target`.
  package func finish(into target: inout MutableRawSpan) {
    precondition(target.byteCount >= Self.byteCount)
    unsafe target.withUnsafeMutableBytes { bytes in
      _ = unsafe EVP_MAC_final(
        context, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), nil, Self.byteCount)
    }
  }

  /// The code of the message that `parts` make up, 32 bytes that are no secret.
  package func code(_ parts: RawSpan) -> [UInt8] {
    begin()
    update(parts)
    var result = [UInt8](repeating: 0, count: Self.byteCount)
    var span = result.mutableBytes
    finish(into: &span)
    return result
  }
}

extension HMACSHA256 {
  /// HMAC(key, message) as a secret: for derived keys.
  package static func secret(key: RawSpan, message: RawSpan) throws(CryptoError) -> SecretBytes {
    let mac = try HMACSHA256(key: key)
    mac.begin()
    mac.update(message)
    var result = SecretBytes(count: byteCount)
    var span = result.mutableBytes
    mac.finish(into: &span)
    return result
  }
}
