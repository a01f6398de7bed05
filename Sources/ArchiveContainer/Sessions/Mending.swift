// What a writer puts right before it writes: the header copies, the end of the newest session, an append or a
// shredding that was never finished (Spec/container.md, "Choosing and opening a copy", "Finding the state"). Whatever may be
// somebody's doing is refused, never healed over.

internal import ByteCoding

/// Makes an archive's own copies equal again.
struct Mending {
  private let archive: OpenedArchive
  private let device: any Device
  /// What was done, for messages.
  private(set) var repairs: [String] = []

  init(_ archive: OpenedArchive) {
    self.archive = archive
    device = archive.device
  }

  /// Mends what can be mended.
  ///
  /// - Returns: the archive as it is now.
  /// - Throws: `.unsupported` for read-only features, `.rollback` for an old header, `.tampered` and
  ///   `.damaged` for what must not be written over.
  mutating func run() throws(ContainerError) -> OpenedArchive {
    let copy = archive.header.copy
    guard archive.commit.headerSequence <= copy.sequence else {
      throw ContainerError(
        .rollback, "the header is older than the newest commit", at: copy.place)
    }
    guard copy.readOnlyFeatures & ~Format.knownReadOnlyFeatures == 0 else {
      throw ContainerError(
        .unsupported, "features that only a newer kcarchive can write", at: copy.place)
    }
    if let loss = archive.findings.first(where: \.isLoss) { throw loss.error }
    // All is judged before the first byte is written.
    let header = try judgeHeader()
    let end = try judgeEnd()
    if let header { try write(header.bytes, at: header.place, header.repair) }
    if let end { try write(end, at: archive.commit.place, "the end of the newest session") }
    if archive.byteCount > archive.commit.end {
      try cut()
      repairs.append("an unfinished append was cut off")
    }
    let mended = try archive.mended(header: header?.used ?? copy)
    try finishShredding(mended)
    return mended
  }

  private mutating func finishShredding(_ archive: OpenedArchive) throws(ContainerError) {
    var shredder = Shredder(archive)
    do {
      try shredder.run(try shredder.newestExtents())
    } catch  where error.code != .ioFailed {
      // Damage within a deleted item keeps nobody from writing; `verify` tells of it.
    }
    if shredder.frameCount > 0 { repairs.append("an unfinished shredding was finished") }
  }

  private typealias HeaderRepair = (
    bytes: [UInt8], place: UInt64, repair: String, used: HeaderCopy
  )

  /// The copy to write, and the one that counts from then on; nil where both are equal.
  private func judgeHeader() throws(ContainerError) -> HeaderRepair? {
    let copies = try HeaderReader.read(from: device)
    let used = archive.header.copy
    guard let spare = copies.sound.first(where: { $0.place != used.place }) else {
      let place = used.place == 0 ? UInt64(used.size) : 0
      return (used.bytes, place, "a damaged header copy", used)
    }
    if spare.bytes == used.bytes { return nil }
    guard spare.archiveID == used.archiveID, spare.commitment == used.commitment,
      try spare.isAuthentic(archive.keys), spare.sequence != used.sequence
    else {
      throw ContainerError(
        .tampered, "header: its copies contradict each other", at: spare.place)
    }
    let (newer, older) = spare.sequence > used.sequence ? (spare, used) : (used, spare)
    // A header that this version can't read must not take the place of the one that it can.
    _ = try newer.slots()
    guard newer.readOnlyFeatures & ~Format.knownReadOnlyFeatures == 0 else {
      throw ContainerError(
        .unsupported, "features that only a newer kcarchive can write", at: newer.place)
    }
    return (newer.bytes, older.place, "an unfinished change of credentials", newer)
  }

  /// The 512 bytes of the newest session's end, where they are not as they should be.
  private func judgeEnd() throws(ContainerError) -> [UInt8]? {
    let commit = archive.commit
    let cipher = try SegmentCipher(keys: archive.keys, segment: archive.segment)
    let expected = try commit.endOfSession(
      cipher: cipher, sequence: archive.commitSequence, archiveID: archive.keys.archiveID)
    var found = [UInt8](repeating: 0, count: expected.count)
    let count = try device.fetch(into: &found, 0..<found.count, at: commit.place)
    if count == found.count, found == expected { return nil }
    for finding in archive.findings where finding.error.code == .tampered {
      if let offset = finding.error.offset, offset >= commit.place { throw finding.error }
    }
    return expected
  }

  private mutating func write(
    _ bytes: [UInt8], at place: UInt64, _ repair: String
  ) throws(ContainerError) {
    try device.put(bytes.bytes, at: place)
    try device.flushToDisk()
    repairs.append("\(repair) was mended")
  }

  private func cut() throws(ContainerError) {
    do {
      try device.truncate(to: archive.commit.end)
    } catch {
      throw ContainerError(error)
    }
    try device.flushToDisk()
  }
}
