// SHA-1 (FIPS 180-4): for the digests that Apple's keychain makes with it, never for security.

internal import COpenSSL

package enum SHA1 {
  /// The digest of `bytes`, 20 bytes.
  package static func hash(_ bytes: RawSpan) -> [UInt8] {
    _ = Library.isReady
    var result = [UInt8](repeating: 0, count: 20)
    let isDone = unsafe bytes.withUnsafeBytes { source in
      unsafe result.withUnsafeMutableBufferPointer { target in
        unsafe EVP_Digest(
          source.baseAddress, source.count, target.baseAddress, nil, EVP_sha1(), nil)
      }
    }
    // It fails only without memory, where Swift's own allocation would have ended us too.
    precondition(isDone == 1, "no memory for SHA-1")
    return result
  }
}
