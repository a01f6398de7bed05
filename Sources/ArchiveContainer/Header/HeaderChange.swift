// Adding and removing slots: the header's two copies are rewritten one after the other, and an empty session seals
// the new header's number, so that an old header put back later is noticed (Spec/container.md, "Changing
// credentials"). 8 KiB and 512 bytes, whatever the archive's size.

internal import ArchiveCrypto
internal import ByteCoding

/// A change of an archive's slots. Under the write lock, like every change.
package struct HeaderChange {
  private let archive: OpenedArchive
  /// The slots as they are to be.
  package private(set) var slots: [Slot]
  /// What was mended before, for messages.
  package let repairs: [String]

  /// - Parameter archive: opened on a device that can be written.
  /// - Throws: what keeps writers off, as `ArchiveUpdate`.
  package init(_ archive: OpenedArchive) throws(ContainerError) {
    var mending = Mending(archive)
    self.archive = try mending.run()
    repairs = mending.repairs
    slots = self.archive.header.slots
  }

  /// Adds a slot for `credential`.
  ///
  /// - Returns: the slot, which was opened once to see that it does open; a recipient's can't be.
  package mutating func add(
    _ credential: Credential, cost: KDFCost, label: String
  ) throws(ContainerError) -> Slot {
    guard let highest = slots.map(\.id).max(), highest < .max else {
      throw ContainerError(.refusedByLimit, "no number is left for another slot")
    }
    let keys = archive.keys
    let slot = try Slot.make(
      for: credential, id: highest + 1, cost: cost, label: label, keys: keys)
    if credential.canOpen {
      guard let opened = try slot.open(with: credential, archiveID: keys.archiveID, at: 0),
        keys.fileKey.withBytes({ constantTimeEqual(opened.bytes, $0) })
      else {
        throw ContainerError(.ioFailed, "the new slot does not open: memory may be failing")
      }
    }
    slots.append(slot)
    return slot
  }

  /// Removes the slot `id`.
  ///
  /// - Throws: `.refusedByLimit` for the last one that can open the archive, and where there is none.
  package mutating func remove(_ id: UInt32) throws(ContainerError) {
    guard slots.contains(where: { $0.id == id }) else {
      throw ContainerError(.refusedByLimit, "there is no slot \(id)")
    }
    let others = slots.filter { $0.id != id }
    guard others.contains(where: \.isKnown) else {
      throw ContainerError(
        .refusedByLimit, "slot \(id) is the last one that opens the archive",
        hint: "add another credential first")
    }
    slots = others
  }

  /// Writes both copies, one after the other, and the empty session.
  ///
  /// - Returns: the commit that seals the change.
  package func commit() throws(ContainerError) -> Commit {
    let old = archive.header.copy
    let bytes = try old.changed(slots: slots, keys: archive.keys)
    let size = UInt64(old.size)
    guard let copy = HeaderCopy(bytes, at: old.place) else {
      preconditionFailure("a copy that was just made is sound")
    }
    for place in [size, 0] {
      try archive.device.put(bytes.bytes, at: place)
      try archive.device.flushToDisk()
    }
    let session = try SessionWriter(
      appendingTo: try archive.mended(header: copy), compresses: false)
    return try session.finish().commit
  }
}

extension Slot {
  /// Whether this version could open it.
  fileprivate var isKnown: Bool {
    if case .unknown = kind { return false }
    return true
  }
}

extension HeaderCopy {
  /// The bytes of the next header: other slots, the sequence one higher, everything else as it is.
  ///
  /// - Throws: `.refusedByLimit` where the slots do not fit: the size of a header never changes.
  fileprivate func changed(slots: [Slot], keys: ArchiveKeys) throws(ContainerError) -> [UInt8] {
    let area = slots.reduce(0) { $0 + $1.bytes.count }
    guard slots.count <= Format.mostSlots, Self.slotStart + area <= codedByteCount else {
      throw ContainerError(
        .refusedByLimit, "the header has no room for \(slots.count) slots",
        hint: "remove a credential first")
    }
    guard sequence < .max else {
      throw ContainerError(.refusedByLimit, "the header's number can't be followed", at: place)
    }
    var bytes = bytes
    var span = bytes.mutableBytes
    span.store(UInt32(area), at: 28)
    span.store(sequence + 1, at: 48)
    span.zero(Self.slotStart..<size)
    var offset = Self.slotStart
    for slot in slots {
      span.store(slot.bytes, at: offset)
      offset += slot.bytes.count
    }
    try Self.seal(&bytes, keys: keys)
    return bytes
  }
}
