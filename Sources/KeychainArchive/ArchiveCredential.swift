// Passphrases and key files, as users of the library give them.

package import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding

/// A secret that opens an archive, or for which a new archive gets a key slot.
public struct ArchiveCredential: Sendable {
  package let credential: Credential

  package init(_ credential: Credential) {
    self.credential = credential
  }

  /// A passphrase. Text is brought to NFC, so that it may be typed on another system.
  ///
  /// - Parameter passphrase: not empty; UTF-8 by custom, any bytes by right.
  public static func passphrase(_ passphrase: [UInt8]) throws(ArchiveError) -> ArchiveCredential {
    guard !passphrase.isEmpty else {
      throw ArchiveError(.invalidItem, "an empty passphrase")
    }
    return ArchiveCredential(
      .passphrase(SecretBytes(copying: passphrase.bytes), origin: "a passphrase"))
  }

  /// A key file by its content: 32 bytes or more, all of which count.
  public static func keyFile(_ content: [UInt8]) throws(ArchiveError) -> ArchiveCredential {
    guard content.count >= 32 else {
      throw ArchiveError(.invalidItem, "a key file of less than 32 bytes")
    }
    do {
      let digest = try Credential.keyFileDigest(of: content.bytes)
      return ArchiveCredential(.keyFile(digest: digest, origin: "a key file"))
    } catch {
      throw ArchiveError(.ioFailed, error.reason)
    }
  }
}
