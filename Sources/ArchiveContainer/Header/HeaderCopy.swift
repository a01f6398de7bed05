// One of the two copies of the header: its fields, its checks, and how it is made.

internal import ArchiveCrypto
internal import ByteCoding

/// A header copy whose SHA-256 holds.
package struct HeaderCopy: Equatable, Sendable {
  /// The whole copy, S bytes.
  package let bytes: [UInt8]
  /// Where it stands in the file: 0 or S.
  package let place: UInt64

  package var size: Int { bytes.count }
  package var major: UInt16 { bytes.bytes.u16(at: 8) }
  package var minor: UInt16 { bytes.bytes.u16(at: 10) }
  package var incompatibleFeatures: UInt32 { bytes.bytes.u32(at: 12) }
  package var readOnlyFeatures: UInt32 { bytes.bytes.u32(at: 16) }
  package var archiveID: [UInt8] { Array(bytes[32..<48]) }
  package var sequence: UInt64 { bytes.bytes.u64(at: 48) }
  package var commitment: [UInt8] { Array(bytes[64..<96]) }
  /// Where sessions start: behind both copies.
  package var firstSession: UInt64 { 2 * UInt64(size) }

  static let slotStart = 96
  /// How much of a copy the MAC covers: all but MAC and SHA-256.
  var codedByteCount: Int { size - 64 }

  /// The copy in `bytes`, S bytes long, or nil where its unkeyed checks do not hold.
  init?(_ bytes: [UInt8], at place: UInt64) {
    guard bytes.count >= Format.headerSizes[0], bytes.bytes.equals(Format.magic, at: 0),
      Int(bytes.bytes.u32(at: 24)) == bytes.count
    else { return nil }
    let digest = SHA256.hash(bytes.bytes.extracting(0..<(bytes.count - 32)))
    guard bytes.bytes.equals(digest, at: bytes.count - 32) else { return nil }
    self.bytes = bytes
    self.place = place
  }

  /// The slots, with every rule on structure, versions and bounds: what is judged before any KDF.
  package func slots() throws(ContainerError) -> [Slot] {
    let span = bytes.bytes
    guard major == Format.major else {
      throw ContainerError(
        .unsupported, "format version \(major)", at: place,
        hint: "a newer kcarchive may read it")
    }
    guard incompatibleFeatures & ~Format.knownIncompatibleFeatures == 0 else {
      throw ContainerError(
        .unsupported, "features that this version does not know", at: place,
        hint: "a newer kcarchive may read it")
    }
    guard span.isZero(56..<64) else {
      throw ContainerError(.tampered, "header: reserved bytes", at: place)
    }
    guard sequence >= 1 else { throw ContainerError(.tampered, "header: sequence 0", at: place) }
    let area = Int(span.u32(at: 28))
    let room = codedByteCount - Self.slotStart
    guard area <= room, span.isZero((Self.slotStart + area)..<codedByteCount) else {
      throw ContainerError(.tampered, "header: slot area", at: place)
    }

    var slots: [Slot] = []
    var ids: Set<UInt32> = []
    var offset = Self.slotStart
    let end = Self.slotStart + area
    while offset < end {
      let slot = try Slot(span.extracting(offset..<end), at: place + UInt64(offset))
      guard ids.insert(slot.id).inserted else {
        throw ContainerError(.tampered, "two slots \(slot.id)", at: place + UInt64(offset))
      }
      slots.append(slot)
      offset += slot.bytes.count
    }
    guard !slots.isEmpty else { throw ContainerError(.tampered, "header: no slot", at: place) }
    guard slots.count <= Format.mostSlots else {
      throw ContainerError(.refusedByLimit, "\(slots.count) slots (at most 64)", at: place)
    }
    // One slot of a newer KDF sets the copy aside, whatever the others are.
    for slot in slots {
      if case .unknown(let identifier) = slot.kdf {
        throw ContainerError(
          .unsupported, "slot \(slot.id) has a KDF that this version does not know (\(identifier))",
          at: place, hint: "a newer kcarchive may read it")
      }
    }
    for slot in slots {
      if case .known(let cost) = slot.kdf, let violation = cost.boundViolation {
        throw ContainerError(.refusedByLimit, "slot \(slot.id): \(violation)", at: place)
      }
    }
    return slots
  }

  /// Whether the MAC holds under `keys`.
  func isAuthentic(_ keys: ArchiveKeys) throws(ContainerError) -> Bool {
    do {
      let code = try keys.headerCode(bytes.bytes.extracting(0..<codedByteCount))
      return constantTimeEqual(
        code.bytes, bytes.bytes.extracting(codedByteCount..<(size - 32)))
    } catch {
      throw ContainerError(error)
    }
  }

  /// The smallest size S that holds `slots`.
  static func size(for slots: [Slot]) -> Int? {
    let needed = slots.reduce(slotStart + 64) { $0 + $1.bytes.count }
    if needed <= Format.headerSizes[0] { return Format.headerSizes[0] }
    // With room for two more, as the Spec advises: the size never changes in place.
    return Format.headerSizes.first { $0 >= needed + 2 * Format.slotByteCount }
  }

  /// The bytes of a copy: both copies are equal.
  static func make(
    keys: ArchiveKeys, slots: [Slot], sequence: UInt64
  ) throws(ContainerError) -> [UInt8] {
    guard slots.count <= Format.mostSlots, let size = size(for: slots) else {
      throw ContainerError(.refusedByLimit, "\(slots.count) slots (at most 64)")
    }
    var bytes = [UInt8](repeating: 0, count: size)
    var span = bytes.mutableBytes
    span.store(Format.magic, at: 0)
    span.store(Format.major, at: 8)
    span.store(Format.minor, at: 10)
    span.store(UInt32(size), at: 24)
    span.store(keys.archiveID, at: 32)
    span.store(sequence, at: 48)
    span.store(keys.commitment, at: 64)
    var offset = slotStart
    for slot in slots {
      span.store(slot.bytes, at: offset)
      offset += slot.bytes.count
    }
    span.store(UInt32(offset - slotStart), at: 28)
    try seal(&bytes, keys: keys)
    return bytes
  }

  /// Writes MAC and checksum of a copy that is otherwise complete.
  static func seal(_ bytes: inout [UInt8], keys: ArchiveKeys) throws(ContainerError) {
    let size = bytes.count
    do {
      let code = try keys.headerCode(bytes.bytes.extracting(0..<(size - 64)))
      var span = bytes.mutableBytes
      span.store(code, at: size - 64)
    } catch {
      throw ContainerError(error)
    }
    let digest = SHA256.hash(bytes.bytes.extracting(0..<(size - 32)))
    var span = bytes.mutableBytes
    span.store(digest, at: size - 32)
  }
}
