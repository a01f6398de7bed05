// The form of a passphrase that is hashed: NFC, so that the same letters typed on another system open
// the same archive (Spec/container.md, "Passphrases").

internal import ArchiveCrypto
internal import ByteCoding
@_spi(_Unicode) internal import Swift

enum PassphraseForm {
  /// Whether `passphrase`, which is UTF-8, has only code points that this Unicode knows: the normal form
  /// of others may change, so writers take such a passphrase as it is.
  static func isSettled(_ passphrase: RawSpan) -> Bool {
    if isASCII(passphrase) { return true }
    let text = unsafe passphrase.withUnsafeBytes { bytes in
      unsafe String(validating: bytes, as: UTF8.self)
    }
    return text?.unicodeScalars.allSatisfy { $0.properties.generalCategory != .unassigned } ?? false
  }

  /// `passphrase` in NFC, or nil where it is not UTF-8.
  static func normalized(_ passphrase: RawSpan) -> SecretBytes? {
    if isASCII(passphrase) { return SecretBytes(copying: passphrase) }

    // Beyond ASCII there is no way around a String; it lives for this call only.
    let text = unsafe passphrase.withUnsafeBytes { bytes in
      unsafe String(validating: bytes, as: UTF8.self)
    }
    guard let text else { return nil }
    var result = SecretBytes(count: 0, capacity: text.utf8.count * 3)
    for scalar in text._nfc {
      for byte in UTF8.encode(scalar)! {
        // NFC of UTF-8 text is at most three times as long (Unicode FAQ, normalization).
        let end = result.count
        result.resize(to: end + 1)
        var span = result.mutableBytes
        span.store(byte, at: end)
      }
    }
    return result
  }

  private static func isASCII(_ bytes: RawSpan) -> Bool {
    for offset in 0..<bytes.byteCount where bytes.u8(at: offset) >= 0x80 { return false }
    return true
  }
}
