// What can go wrong below the container: a tag that does not hold, or the library refusing work.

/// An error of the primitives. Which of the archive's error families a failed tag belongs to is the
/// container's business: only it knows whether the unkeyed checks held.
package struct CryptoError: Error, Equatable {
  /// The kinds of failure; grows with the primitives.
  package struct Code: Hashable, Sendable {
    private let name: String

    /// An AEAD tag does not hold: wrong key, or changed bytes.
    package static let authenticationFailed = Code(name: "authentication failed")
    /// A KDF could not get its memory.
    package static let outOfMemory = Code(name: "out of memory")
    /// An input that the primitive does not take (an all-zero X25519 result, a cost out of range).
    package static let refusedInput = Code(name: "refused input")
    /// The library failed for a reason of its own.
    package static let library = Code(name: "library failure")
  }

  package let code: Code
  /// For people; holds no secret.
  package let reason: String

  package static func == (left: CryptoError, right: CryptoError) -> Bool {
    left.code == right.code
  }

  static func library(_ call: String) -> CryptoError {
    CryptoError(code: .library, reason: "OpenSSL's \(call) failed")
  }
}
