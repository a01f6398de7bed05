// Key slots: the file key wrapped for one credential each (Spec/container.md, "Slots").

internal import ArchiveCrypto
internal import ByteCoding

/// One slot as it stands in a header copy. Its bytes never change once made.
package struct Slot: Equatable, Sendable {
  package enum Kind: Hashable, Sendable {
    case passphrase, recipient, recoveryCode, keyFile
    /// Of another writer: kept and shown, never tried.
    case unknown(UInt8)

    init(_ byte: UInt8) {
      self =
        switch byte {
        case 1: .passphrase
        case 2: .recipient
        case 3: .recoveryCode
        case 4: .keyFile
        default: .unknown(byte)
        }
    }
  }

  /// How a passphrase slot's KDF reads.
  package enum KDF: Hashable, Sendable {
    case known(KDFCost)
    case unknown(UInt8)
  }

  package let bytes: [UInt8]
  package let kind: Kind
  package let id: UInt32
  /// Of passphrase slots.
  package let kdf: KDF?

  package var isMixed: Bool { bytes[1] & 1 != 0 }
  package var isNormalized: Bool { bytes[1] & 2 != 0 }

  static let authenticatedByteCount = 88
  static let commitmentRange = 56..<88
  static let wrappedRange = 88..<136
  static let labelRange = 136..<184
  package static let labelByteCount = 32

  /// Reads the slot at the front of `area`.
  ///
  /// - Throws: `.tampered` for what breaks the structure: the area's checksum held.
  init(_ area: RawSpan, at offset: UInt64) throws(ContainerError) {
    func broken(_ reason: String) -> ContainerError {
      ContainerError(.tampered, "slot: \(reason)", at: offset)
    }
    guard area.byteCount >= 8 else { throw broken("cut short") }
    let length = Int(area.u16(at: 2))
    guard area.u8(at: 0) != 0 else { throw broken("kind 0") }
    kind = Kind(area.u8(at: 0))
    guard length >= 8, length.isMultiple(of: 8), length <= Format.largestSlot,
      length <= area.byteCount
    else { throw broken("length \(length)") }
    id = area.u32(at: 4)
    guard id >= 1 else { throw broken("id 0") }
    bytes = area.array(at: 0, count: length)

    if case .unknown = kind {
      kdf = nil
      return
    }
    guard length == Format.slotByteCount else { throw broken("length \(length)") }
    let flags = area.u8(at: 1)
    let knownFlags: UInt8 = kind == .passphrase ? 3 : 0
    guard flags & ~knownFlags == 0 else { throw broken("unknown flags") }
    guard area.isZero(9..<12) else { throw broken("reserved bytes") }
    let (identifier, a, b, c) = (
      area.u8(at: 8), area.u32(at: 12), area.u32(at: 16), area.u32(at: 20)
    )
    guard kind == .passphrase else {
      guard identifier == 0, a == 0, b == 0, c == 0 else { throw broken("a KDF where none goes") }
      kdf = nil
      return
    }
    switch identifier {
    case 1: kdf = .known(.argon2id(memory: a, passes: b, lanes: c))
    case 2: kdf = .known(.scrypt(logN: a, r: b, p: c))
    case 3:
      guard b == 0, c == 0 else { throw broken("reserved KDF parameters") }
      kdf = .known(.pbkdf2(iterations: a))
    default: kdf = .unknown(identifier)
    }
  }

  /// Whether `credential` could open this slot, as far as can be seen without computing.
  func fits(_ credential: Credential) -> Bool {
    switch (kind, credential.kind) {
    case (.passphrase, .passphrase):
      guard case .known = kdf else { return false }
      return (!isMixed || credential.isMixed) && (!isNormalized || credential.isText)
    case (.recipient, .recipient): return credential.canOpen
    case (.recoveryCode, .recoveryCode), (.keyFile, .keyFile): return true
    default: return false
    }
  }

  /// The file key, or nil where `credential` is not this slot's.
  ///
  /// - Throws: `.tampered` where the commitment holds and the wrapped key does not open.
  func open(
    with credential: Credential, archiveID: [UInt8], at offset: UInt64
  ) throws(ContainerError) -> SecretBytes? {
    do {
      guard let keys = try Self.slotKeys(of: bytes, credential, archiveID: archiveID) else {
        return nil
      }
      guard
        constantTimeEqual(
          keys.bytes.extracting(32..<64), bytes.bytes.extracting(Self.commitmentRange))
      else { return nil }

      var fileKey = SecretBytes(count: Format.fileKeyByteCount)
      let aead = try AES256GCM(key: keys.bytes.extracting(0..<32))
      let header = Self.wrapHeader(bytes, archiveID: archiveID)
      let nonce = [UInt8](repeating: 0, count: AES256GCM.nonceByteCount)
      var target = fileKey.mutableBytes
      try aead.open(
        bytes.bytes.extracting(Self.wrappedRange), nonce: nonce.bytes,
        authenticating: header.bytes, into: &target)
      return fileKey
    } catch let error where error.code == .authenticationFailed {
      throw ContainerError(.tampered, "slot \(id): the wrapped file key does not open", at: offset)
    } catch {
      throw ContainerError(error, at: offset)
    }
  }

  /// Whether it should have a label and has none that opens.
  func hasUnreadableLabel(keys: ArchiveKeys) -> Bool {
    if case .unknown = kind { return false }
    return label(keys: keys) == nil
  }

  /// The label that its maker gave it, or nil where it can't be read.
  package func label(keys: ArchiveKeys) -> String? {
    guard bytes.count == Format.slotByteCount, kind != .unknown(bytes[0]) else { return nil }
    do {
      let cipher = try LabelCipher(keys: keys, slot: bytes)
      var plain = SecretBytes(count: Self.labelByteCount)
      var target = plain.mutableBytes
      try cipher.aead.open(
        bytes.bytes.extracting(Self.labelRange), nonce: cipher.nonce.bytes,
        authenticating: bytes.bytes.extracting(0..<Self.authenticatedByteCount), into: &target)
      let text = plain.bytes.array(at: 0, count: plain.count)
      let end = text.firstIndex(of: 0) ?? text.count
      guard text[end...].allSatisfy({ $0 == 0 }) else { return nil }
      return String(validating: text[..<end], as: UTF8.self)
    } catch {
      return nil
    }
  }
}

extension Slot {
  /// Makes the slot of `credential`: fresh salt, the file key wrapped, the label sealed.
  ///
  /// - Parameters:
  ///   - cost: for passphrases; within the writer's floors.
  ///   - label: at most 32 bytes of UTF-8.
  package static func make(
    for credential: Credential, id: UInt32, cost: KDFCost, label: String, keys: ArchiveKeys
  ) throws(ContainerError) -> Slot {
    let label = Array(label.utf8)
    guard label.count <= labelByteCount else {
      throw ContainerError(.refusedByLimit, "a label of \(label.count) bytes (at most 32)")
    }
    do {
      var bytes = [UInt8](repeating: 0, count: Format.slotByteCount)
      // A recipient's slot has the ephemeral public key in the salt's place.
      let ephemeral =
        credential.kind == .recipient
        ? try Randomness.secret(count: X25519.keyByteCount) : SecretBytes(count: 0)
      let salt =
        credential.kind == .recipient
        ? try X25519.publicKey(of: ephemeral.bytes) : try Randomness.bytes(count: 32)
      var span = bytes.mutableBytes
      span.store(credential.kind.rawValue, at: 0)
      span.store(UInt16(Format.slotByteCount), at: 2)
      span.store(id, at: 4)
      if credential.kind == .passphrase {
        let isMixed: UInt8 = credential.isMixed ? 1 : 0
        let isNormalized: UInt8 = credential.isNormalized ? 2 : 0
        span.store(isMixed | isNormalized, at: 1)
        let (a, b, c) = cost.parameters
        span.store(cost.identifier, at: 8)
        span.store(a, at: 12)
        span.store(b, at: 16)
        span.store(c, at: 20)
      }
      span.store(salt, at: 24)

      let slotKeys: SecretBytes
      if let recipient = credential.recipient {
        slotKeys = try agreedKeys(
          of: bytes, privateKey: ephemeral.bytes, publicKey: recipient.key, recipient,
          archiveID: keys.archiveID)
      } else {
        guard let made = try self.slotKeys(of: bytes, credential, archiveID: keys.archiveID) else {
          preconditionFailure("a slot made for a credential fits it")
        }
        slotKeys = made
      }
      var target = bytes.mutableBytes
      target.store(slotKeys.bytes.extracting(32..<64), at: commitmentRange.lowerBound)
      let aead = try AES256GCM(key: slotKeys.bytes.extracting(0..<32))
      let nonce = [UInt8](repeating: 0, count: AES256GCM.nonceByteCount)
      let header = wrapHeader(bytes, archiveID: keys.archiveID)
      var wrapped = [UInt8](repeating: 0, count: wrappedRange.count)
      var wrappedSpan = wrapped.mutableBytes
      try keys.fileKey.withBytes { key throws(CryptoError) in
        try aead.seal(
          key, nonce: nonce.bytes, authenticating: header.bytes, into: &wrappedSpan)
      }

      let plain = label + [UInt8](repeating: 0, count: labelByteCount - label.count)
      let cipher = try LabelCipher(keys: keys, slot: bytes)
      var sealed = [UInt8](repeating: 0, count: labelRange.count)
      var sealedSpan = sealed.mutableBytes
      try cipher.aead.seal(
        plain.bytes, nonce: cipher.nonce.bytes,
        authenticating: bytes.bytes.extracting(0..<authenticatedByteCount), into: &sealedSpan)
      target = bytes.mutableBytes
      target.store(wrapped, at: wrappedRange.lowerBound)
      target.store(sealed, at: labelRange.lowerBound)
      return try Slot(bytes.bytes, at: 0)
    } catch let error as CryptoError {
      throw ContainerError(error)
    } catch let error as ContainerError {
      throw error
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
  }

  /// KEK ‖ commitment, 64 bytes, or nil where the credential can't make them.
  private static func slotKeys(
    of slot: [UInt8], _ credential: Credential, archiveID: [UInt8]
  ) throws(CryptoError) -> SecretBytes? {
    let slot = slot.bytes
    let salt = slot.extracting(24..<56)
    let prk: SecretBytes
    switch credential.kind {
    case .recipient:
      guard let recipient = credential.recipient, credential.canOpen else { return nil }
      let ephemeral = salt.array(at: 0, count: X25519.keyByteCount)
      do {
        return try credential.secret.withBytes { key throws(CryptoError) in
          try agreedKeys(
            of: slot.array(at: 0, count: slot.byteCount), privateKey: key, publicKey: ephemeral,
            recipient, archiveID: archiveID)
        }
      } catch  where error.code == .refusedInput {
        // A public key of low order: the slot does not open.
        return nil
      }
    case .keyFile, .recoveryCode:
      prk = try credential.secret.withBytes { digest throws(CryptoError) in
        try HKDFSHA256.extract(salt: salt, inputKey: digest)
      }
    case .passphrase:
      let flags = slot.u8(at: 1)
      guard
        let password = try credential.passphraseKey(
          normalized: flags & 2 != 0, mixed: flags & 1 != 0)
      else { return nil }
      let (a, b, c) = (slot.u32(at: 12), slot.u32(at: 16), slot.u32(at: 20))
      let key: SecretBytes
      switch slot.u8(at: 8) {
      case 1:
        key = try PasswordKDF.argon2id(
          password: password.bytes, salt: salt, memory: a, passes: b, lanes: c, count: 32)
      case 2:
        key = try PasswordKDF.scrypt(
          password: password.bytes, salt: salt, logN: a, r: b, p: c, count: 32)
      case 3:
        key = try PasswordKDF.pbkdf2(
          password: password.bytes, salt: salt, iterations: a, count: 32)
      default: return nil
      }
      prk = try HKDFSHA256.extract(salt: salt, inputKey: key.bytes)
    }
    return try expand(prk.bytes, kind: slot.u8(at: 0), archiveID: archiveID)
  }

  /// KEK ‖ commitment of a recipient's slot.
  private static func agreedKeys(
    of slot: [UInt8], privateKey: RawSpan, publicKey: [UInt8], _ recipient: Recipient,
    archiveID: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    let shared = try X25519.sharedSecret(privateKey: privateKey, publicKey: publicKey.bytes)
    let salt = Array(slot[24..<56]) + recipient.key
    let prk = try HKDFSHA256.extract(salt: salt.bytes, inputKey: shared.bytes)
    return try expand(prk.bytes, kind: slot[0], archiveID: archiveID)
  }

  private static func expand(
    _ prk: RawSpan, kind: UInt8, archiveID: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    let info = Format.label("slot") + archiveID + [kind]
    return try HKDFSHA256.expand(key: prk, info: info.bytes, count: 64)
  }

  /// L("wrap") ‖ aid ‖ u16 major ‖ slot[0 ..< 88].
  private static func wrapHeader(_ slot: [UInt8], archiveID: [UInt8]) -> [UInt8] {
    var header = Format.label("wrap") + archiveID
    header.append(littleEndian: Format.major)
    return header + slot[..<authenticatedByteCount]
  }
}

/// The key and nonce of a slot's label.
private struct LabelCipher {
  let aead: AES256GCM
  let nonce: [UInt8]

  init(keys: ArchiveKeys, slot: [UInt8]) throws(CryptoError) {
    let info = Format.label("label") + keys.archiveID + slot[24..<56]
    let derived = try keys.fileKey.withBytes { key throws(CryptoError) in
      try HKDFSHA256.expand(key: key, info: info.bytes, count: 44)
    }
    aead = try AES256GCM(key: derived.bytes.extracting(0..<32))
    nonce = derived.bytes.array(at: 32, count: 12)
  }
}
