// SHA-256 (FIPS 180-4) of one span, or of a stream fed in parts.

internal import COpenSSL

@safe package struct SHA256: ~Copyable {
  private let context: OpaquePointer

  package static let byteCount = 32

  package init() {
    _ = Library.isReady
    // Both calls fail only without memory, where Swift's own allocation would have ended us too.
    guard let new = unsafe EVP_MD_CTX_new(),
      unsafe EVP_DigestInit_ex(new, EVP_sha256(), nil) == 1
    else { preconditionFailure("no memory for SHA-256") }
    unsafe context = new
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  package mutating func update(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { source in
      _ = unsafe EVP_DigestUpdate(context, source.baseAddress, source.count)
    }
  }

  /// The digest of all that came, 32 bytes.
  package consuming func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Self.byteCount)
    unsafe result.withUnsafeMutableBufferPointer { target in
      _ = unsafe EVP_DigestFinal_ex(context, target.baseAddress, nil)
    }
    return result
  }

  /// The digest of `bytes`, 32 bytes.
  package static func hash(_ bytes: RawSpan) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }
}
