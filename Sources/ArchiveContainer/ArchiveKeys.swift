// All keys of an archive, derived from its file key (Spec/container.md, "Derived keys").

package import ArchiveCrypto
internal import ByteCoding

/// The file key and what is derived from it; immutable, so threads may share it.
package final class ArchiveKeys: Sendable {
  package let archiveID: [UInt8]
  /// C_fk, the file key's commitment: in the header, no secret.
  package let commitment: [UInt8]
  package let fileKey: SecretBytes
  let headerKey: SecretBytes
  let metaKey: SecretBytes
  let valueKey: SecretBytes
  let tokenKey: SecretBytes

  /// - Parameters:
  ///   - fileKey: 32 bytes.
  ///   - archiveID: 16 bytes.
  package init(fileKey: consuming SecretBytes, archiveID: [UInt8]) throws(CryptoError) {
    func derive(_ key: borrowing SecretBytes, _ name: String) throws(CryptoError) -> SecretBytes {
      let info = Format.label(name) + archiveID
      return try HKDFSHA256.expand(key: key.bytes, info: info.bytes, count: 32)
    }
    headerKey = try derive(fileKey, "header")
    metaKey = try derive(fileKey, "meta")
    valueKey = try derive(fileKey, "value")
    tokenKey = try derive(fileKey, "token")
    let commitment = try derive(fileKey, "commit")
    self.commitment = commitment.bytes.array(at: 0, count: 32)
    self.archiveID = archiveID
    self.fileKey = fileKey
  }

  /// Keys of a new archive: fresh file key, fresh id.
  package static func fresh() throws(CryptoError) -> ArchiveKeys {
    try ArchiveKeys(
      fileKey: Randomness.secret(count: Format.fileKeyByteCount),
      archiveID: Randomness.bytes(count: Format.archiveIDByteCount))
  }

  /// H(K_header, `bytes`): the MAC of a header copy.
  func headerCode(_ bytes: RawSpan) throws(CryptoError) -> [UInt8] {
    let mac = try headerKey.withBytes { key throws(CryptoError) in try HMACSHA256(key: key) }
    return mac.code(bytes)
  }
}

extension ContainerError {
  /// A primitive's failure that is nobody's tampering: no memory, no randomness.
  init(_ error: CryptoError, at offset: UInt64? = nil) {
    self.init(.ioFailed, error.reason, at: offset)
  }
}
