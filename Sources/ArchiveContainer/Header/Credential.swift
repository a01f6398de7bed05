// What a person brings to open an archive, or to make a slot of a new one.

package import ArchiveCrypto
internal import ByteCoding

/// A secret that opens slots of one kind. A class, because credentials are kept in lists and their
/// secrets can't be copied.
package final class Credential: Sendable {
  package enum Kind: UInt8, Sendable {
    case passphrase = 1
    case recipient = 2
    case recoveryCode = 3
    case keyFile = 4
  }

  package let kind: Kind
  /// Where it came from, for messages; never the secret.
  package let origin: String
  /// The passphrase as it was given, D of a key file, the bytes of a recovery code; of a recipient, the
  /// identity's private key, empty where only the recipient is known.
  let secret: SecretBytes
  /// Of a recipient: its public key.
  let recipient: Recipient?
  /// The passphrase in NFC, where it is UTF-8; else empty.
  let normalized: SecretBytes
  /// Whether it is UTF-8: no other passphrase fits a slot that asks for NFC.
  let isText: Bool
  /// Whether new slots take it in NFC.
  let isNormalized: Bool
  /// D of the key file that is mixed into the passphrase; empty where none is.
  let mixedKeyFile: SecretBytes
  let isMixed: Bool

  private init(
    kind: Kind, origin: String, secret: consuming SecretBytes, normalized: consuming SecretBytes?,
    mixedKeyFile: consuming SecretBytes?, recipient: Recipient? = nil
  ) {
    self.kind = kind
    self.recipient = recipient
    self.origin = origin
    isText = normalized != nil
    isNormalized = normalized != nil && secret.withBytes(PassphraseForm.isSettled)
    self.secret = secret
    self.normalized = normalized ?? SecretBytes(count: 0)
    isMixed = mixedKeyFile != nil
    self.mixedKeyFile = mixedKeyFile ?? SecretBytes(count: 0)
  }

  /// A passphrase, optionally with a key file mixed in (both are needed then).
  ///
  /// - Parameters:
  ///   - passphrase: not empty; UTF-8 is brought to NFC, anything else is taken as it is.
  ///   - keyFileDigest: `keyFileDigest(of:)` of the mixed file.
  package static func passphrase(
    _ passphrase: consuming SecretBytes, mixedWith keyFileDigest: consuming SecretBytes? = nil,
    origin: String
  ) -> Credential {
    let normalized = PassphraseForm.normalized(passphrase.bytes)
    return Credential(
      kind: .passphrase, origin: origin, secret: passphrase, normalized: normalized,
      mixedKeyFile: keyFileDigest)
  }

  /// A recipient: slots can be made for it, and not opened.
  package static func recipient(_ recipient: Recipient, origin: String) -> Credential {
    Credential(
      kind: .recipient, origin: origin, secret: SecretBytes(count: 0), normalized: nil,
      mixedKeyFile: nil, recipient: recipient)
  }

  /// An identity: opens what was made for its recipient.
  package static func identity(_ identity: Identity, origin: String) -> Credential {
    Credential(
      kind: .recipient, origin: origin,
      secret: identity.key.withBytes { SecretBytes(copying: $0) }, normalized: nil,
      mixedKeyFile: nil, recipient: identity.recipient)
  }

  package static func recoveryCode(_ code: RecoveryCode, origin: String) -> Credential {
    Credential(
      kind: .recoveryCode, origin: origin,
      secret: code.code.withBytes { SecretBytes(copying: $0) }, normalized: nil,
      mixedKeyFile: nil)
  }

  /// Whether it opens slots: a recipient alone does not.
  package var canOpen: Bool { kind != .recipient || secret.count > 0 }

  /// A key file by its digest D.
  package static func keyFile(digest: consuming SecretBytes, origin: String) -> Credential {
    Credential(
      kind: .keyFile, origin: origin, secret: digest, normalized: nil, mixedKeyFile: nil)
  }

  /// D = H(L("key file"), content): what stands for a key file in every derivation.
  package static func keyFileDigest(of content: RawSpan) throws(CryptoError) -> SecretBytes {
    try HMACSHA256.secret(key: Format.label("key file").bytes, message: content)
  }

  /// A digest of a key file that comes in parts.
  package static func keyFileDigester() throws(CryptoError) -> HMACSHA256 {
    let mac = try HMACSHA256(key: Format.label("key file").bytes)
    mac.begin()
    return mac
  }

  /// P' = H(L("passphrase"), u32 length ‖ passphrase ‖ (D if mixed)), or nil where this credential
  /// can't make what the slot asks for.
  func passphraseKey(
    normalized wantsNormalized: Bool, mixed wantsMixed: Bool
  ) throws(CryptoError) -> SecretBytes? {
    guard kind == .passphrase else { return nil }
    guard !wantsMixed || isMixed, !wantsNormalized || isText else { return nil }
    let mac = try HMACSHA256(key: Format.label("passphrase").bytes)
    mac.begin()
    func update(_ text: RawSpan) {
      var length: [UInt8] = []
      length.append(littleEndian: UInt32(truncatingIfNeeded: text.byteCount))
      mac.update(length.bytes)
      mac.update(text)
    }
    if wantsNormalized {
      normalized.withBytes(update)
    } else {
      secret.withBytes(update)
    }
    if wantsMixed { mixedKeyFile.withBytes(mac.update) }
    var result = SecretBytes(count: HMACSHA256.byteCount)
    var span = result.mutableBytes
    mac.finish(into: &span)
    return result
  }
}
