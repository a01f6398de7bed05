// Opens a header with credentials, in the Spec's order of checks: features, slot bounds, cost, then slot
// by slot KDF, commitment, unwrap; file key commitment; MAC.

internal import ArchiveCrypto
internal import ByteCoding

/// A header copy that opened, with the keys it gave.
package struct OpenedHeader: Sendable {
  package let copy: HeaderCopy
  package let slots: [Slot]
  /// The id of the slot that opened.
  package let slotID: UInt32
  package let keys: ArchiveKeys
  /// What is wrong with the other copy. None of it loses anything.
  package let findings: [ContainerError]
}

/// Tries the copies in turn. A further call of `next` goes on behind the copy that opened last: two
/// copies of different archives are told apart by whether a commit opens.
struct HeaderOpener {
  private let copies: HeaderCopies
  private let credentials: [Credential]
  private let limits: KDFLimits
  private var nextIndex = 0
  private var failures: [ContainerError] = []
  /// What earlier copies' slots gave: equal slots cost one KDF run.
  private var tried: [(slot: [UInt8], archiveID: [UInt8], credential: Int, keys: ArchiveKeys?)] = []

  init(_ copies: HeaderCopies, credentials: [Credential], limits: KDFLimits) {
    self.copies = copies
    self.credentials = credentials
    self.limits = limits
  }

  /// The next copy that opens, or nil behind the last.
  mutating func next() throws(ContainerError) -> OpenedHeader? {
    while nextIndex < copies.sound.count {
      let copy = copies.sound[nextIndex]
      nextIndex += 1
      // A healthy archive has two equal copies; the second can't tell more than the first.
      if copies.sound[..<(nextIndex - 1)].contains(where: { $0.bytes == copy.bytes }) { continue }
      do throws(ContainerError) {
        return try open(copy)
      } catch  where error.code == .ioFailed {
        throw error
      } catch {
        failures.append(error)
      }
    }
    return nil
  }

  /// The finding to give when no copy opened.
  var failure: ContainerError {
    let order: [ContainerError.Code] = [.tampered, .unsupported, .refusedByLimit]
    for code in order {
      if let found = failures.first(where: { $0.code == code }) { return found }
    }
    return failures.first
      ?? ContainerError(.wrongCredential, "no credential opens it", at: nil)
  }

  private mutating func open(_ copy: HeaderCopy) throws(ContainerError) -> OpenedHeader {
    let slots = try copy.slots()
    let pairs = slots.flatMap { slot in
      credentials.indices.filter { slot.fits(credentials[$0]) }.map { (slot, $0) }
    }.sorted { Self.units($0.0) < Self.units($1.0) }
    try checkCost(pairs.map(\.0), at: copy.place)

    for (slot, index) in pairs {
      // A slot whose commitment holds decides: where what it wraps is wrong, so is this copy's MAC, and
      // its other slots are not tried.
      guard let keys = try keys(from: slot, index, copy) else { continue }
      let (own, stored) = (keys.commitment, copy.commitment)
      guard constantTimeEqual(own.bytes, stored.bytes) else {
        throw ContainerError(
          .tampered, "header: slot \(slot.id) holds another archive's file key", at: copy.place)
      }
      guard try copy.isAuthentic(keys) else {
        throw ContainerError(.tampered, "header: the MAC does not hold", at: copy.place)
      }
      let findings = try spareFindings(of: copy, keys: keys)
      return OpenedHeader(
        copy: copy, slots: slots, slotID: slot.id, keys: keys, findings: findings)
    }
    throw Self.nothingOpens(slots, credentials)
  }

  private mutating func keys(
    from slot: Slot, _ index: Int, _ copy: HeaderCopy
  ) throws(ContainerError) -> ArchiveKeys? {
    let known = tried.first {
      $0.slot == slot.bytes && $0.credential == index && $0.archiveID == copy.archiveID
    }
    if let known { return known.keys }
    let fileKey = try slot.open(
      with: credentials[index], archiveID: copy.archiveID, at: copy.place)
    var keys: ArchiveKeys?
    if let fileKey {
      do {
        keys = try ArchiveKeys(fileKey: fileKey, archiveID: copy.archiveID)
      } catch {
        throw ContainerError(error)
      }
    }
    tried.append((slot.bytes, copy.archiveID, index, keys))
    return keys
  }

  private static func units(_ slot: Slot) -> UInt64 {
    if case .known(let cost) = slot.kdf { return cost.fractionalUnits }
    return 0
  }

  private func checkCost(_ slots: [Slot], at place: UInt64) throws(ContainerError) {
    var fractional: UInt64 = 0
    for slot in slots {
      guard case .known(let cost) = slot.kdf else { continue }
      fractional += cost.fractionalUnits
      guard cost.memoryByteCount <= limits.memoryByteCount else {
        throw ContainerError(
          .refusedByLimit,
          "slot \(slot.id) asks for \(cost.memoryByteCount >> 20) MiB of memory "
            + "(limit \(limits.memoryByteCount >> 20) MiB)",
          at: place, hint: "--kdf-max-memory lifts the limit, for a file that you trust")
      }
    }
    let units = KDFCost.wholeUnits(fractional)
    guard units <= limits.units else {
      throw ContainerError(
        .refusedByLimit, "its slots ask for \(units) units of work (limit \(limits.units))",
        at: place, hint: "--kdf-max-time lifts the limit, for a file that you trust")
    }
  }

  private static func nothingOpens(_ slots: [Slot], _ credentials: [Credential]) -> ContainerError {
    let kinds = Set(credentials.map(\.kind))
    let what =
      kinds == [.passphrase]
      ? "the passphrase does not open"
      : kinds == [.keyFile]
        ? "the key file does not open"
        : kinds == [.recipient]
          ? "the identity does not open"
          : kinds == [.recoveryCode]
            ? "the recovery code does not open" : "none of the credentials opens"
    let count = slots.count == 1 ? "its credential" : "any of its \(slots.count) credentials"
    let others = Set(
      slots.compactMap { slot -> String? in
        switch slot.kind {
        case .passphrase where slot.isMixed && !credentials.contains(where: \.isMixed):
          "slot \(slot.id) takes a passphrase together with a key file (--with-key-file FILE)"
        case .passphrase where !kinds.contains(.passphrase): "slot \(slot.id) takes a passphrase"
        case .keyFile where !kinds.contains(.keyFile):
          "slot \(slot.id) takes a key file (--key-file FILE)"
        case .recipient where !kinds.contains(.recipient):
          "slot \(slot.id) takes an age identity (-i FILE)"
        case .recoveryCode where !kinds.contains(.recoveryCode):
          "slot \(slot.id) takes a recovery code (--recovery-code)"
        default: nil
        }
      }
    ).sorted()
    let hint = (["the file itself is sound"] + others).joined(separator: "; ")
    return ContainerError(.wrongCredential, "\(what) \(count)", hint: hint)
  }

  /// What the spare copy says, now that the keys are known.
  private func spareFindings(
    of copy: HeaderCopy, keys: ArchiveKeys
  ) throws(ContainerError) -> [ContainerError] {
    var findings = copies.findings
    for spare in copies.sound where spare.place != copy.place {
      if spare.bytes == copy.bytes { continue }
      let name = spare.place == 0 ? "A" : "B"
      guard spare.archiveID == copy.archiveID, spare.commitment == copy.commitment,
        try spare.isAuthentic(keys)
      else {
        findings.append(
          ContainerError(
            .tampered, "header copy \(name) is not this archive's: its MAC does not hold",
            at: spare.place))
        continue
      }
      guard spare.sequence != copy.sequence else {
        throw ContainerError(
          .tampered, "two different headers of one sequence", at: spare.place)
      }
      findings.append(
        ContainerError(
          .truncated, "header copy \(name) differs: a change of credentials was not finished",
          at: spare.place))
    }
    return findings
  }
}
