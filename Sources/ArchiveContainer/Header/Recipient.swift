// Recipients and identities: X25519 keys in age's text form (Spec/container.md, "Recipients").

package import ArchiveCrypto
internal import ByteCoding

/// A public key that archives are made for.
package struct Recipient: Equatable, Sendable {
  /// 32 bytes.
  package let key: [UInt8]

  init(key: [UInt8]) { self.key = key }

  /// Reads `age1…`.
  package init(_ text: [UInt8]) throws(RecipientError) {
    if let reason = RecipientError.unsupported(text.bytes) { throw reason }
    guard text.allSatisfy({ !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
      let decoded = Bech32.decode(text.bytes, prefix: "age"),
      decoded.count == X25519.keyByteCount
    else { throw .malformed("is no recipient: 'age1' and 58 more letters and digits") }
    key = decoded.bytes.array(at: 0, count: X25519.keyByteCount)
  }

  /// `age1…`
  package var text: String {
    let text = Bech32.encode(key.bytes, prefix: "age")
    return String(decoding: text.bytes.array(at: 0, count: text.count), as: UTF8.self)
  }
}

/// A private key that opens what was made for its recipient.
package final class Identity: Sendable {
  /// 32 bytes.
  package let key: SecretBytes
  package let recipient: Recipient

  package init(key: consuming SecretBytes) throws(CryptoError) {
    recipient = Recipient(key: try X25519.publicKey(of: key.bytes))
    self.key = key
  }

  /// Draws a new one.
  package static func fresh() throws(CryptoError) -> Identity {
    try Identity(key: try Randomness.secret(count: X25519.keyByteCount))
  }

  /// Reads `AGE-SECRET-KEY-1…`.
  package static func read(_ text: RawSpan) throws(RecipientError) -> Identity {
    if let reason = RecipientError.unsupported(text) { throw reason }
    var isUpper = true
    for offset in 0..<text.byteCount {
      if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(text.u8(at: offset)) { isUpper = false }
    }
    guard isUpper, let key = Bech32.decode(text, prefix: "age-secret-key-"),
      key.count == X25519.keyByteCount
    else { throw .malformed("is no identity: 'AGE-SECRET-KEY-1' and 58 more letters and digits") }
    do {
      return try Identity(key: key)
    } catch {
      throw .malformed(error.reason)
    }
  }

  /// `AGE-SECRET-KEY-1…`
  package var text: SecretBytes {
    var text = key.withBytes { Bech32.encode($0, prefix: "age-secret-key-") }
    var span = text.mutableBytes
    for offset in 0..<span.byteCount {
      let byte = span.bytes.u8(at: offset)
      if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) {
        span.store(byte - 32, at: offset)
      }
    }
    return text
  }
}

/// Why a text is no recipient or identity that opens archives.
package enum RecipientError: Error, Sendable {
  case malformed(String)
  /// Of a kind that age has and this format does not.
  case unsupported(String)

  package var reason: String {
    switch self {
    case .malformed(let reason), .unsupported(let reason): reason
    }
  }

  /// The kinds that are refused by name.
  static func unsupported(_ text: RawSpan) -> RecipientError? {
    func begins(_ start: String) -> Bool {
      text.byteCount >= start.utf8.count && text.equals(Array(start.utf8), at: 0)
    }
    if begins("age1pq1") || begins("AGE-SECRET-KEY-PQ-1") {
      return .unsupported("is a post-quantum key, which archives can't have yet")
    }
    if begins("ssh-") { return .unsupported("is an SSH key, which archives can't have") }
    if begins("AGE-PLUGIN-") { return .unsupported("is a plugin's, which archives can't have") }
    if begins("age-encryption.org/") || begins("-----BEGIN AGE ENCRYPTED FILE-----") {
      return .unsupported("is encrypted itself; decrypt it first")
    }
    // A plugin's recipient has a second 1: age1NAME1…
    if begins("age1"), (4..<max(4, text.byteCount)).contains(where: { text.u8(at: $0) == 0x31 }) {
      return .unsupported("is a plugin's recipient, which archives can't have")
    }
    return nil
  }
}
