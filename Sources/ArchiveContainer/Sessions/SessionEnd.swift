// How a session ends: its index, and the commit that makes it count; and how a writer goes on behind it.

internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc

extension SessionWriter {
  /// Writes the index and the commit.
  ///
  /// Behind an older commit, the frames are synced before the new one is written, and that after it. Of
  /// a new archive nothing counts yet: its caller syncs once, at the end.
  ///
  /// - Parameter time: of the commit, in milliseconds since 1970; nil for now.
  /// - Throws: `.duplicateItem` with the origins of both.
  package consuming func finish(time: UInt64? = nil) throws(ContainerError) -> SessionSummary {
    let commit = try endSession(isLast: true, time: time).commit
    return SessionSummary(commit: commit, frameCount: framesBefore + UInt64(sequence) + 2)
  }

  /// Commits, and begins another session behind it.
  ///
  /// - Throws: as `finish`.
  mutating func beginNextSession(time: UInt64? = nil) throws(ContainerError) {
    let (commit, end) = try endSession(isLast: false, time: time)
    let hash = SHA256.hash(end.bytes.extracting(0..<Format.commitFrameByteCount))
    start = try SessionStart(
      after: commit, hash: hash, headerSequence: start.headerSequence,
      firstSession: start.firstSession)
    cipher = try Self.freshCipher(keys)
    segments.append((start.place, cipher.segment))
    framesBefore += UInt64(sequence) + 2
    sessionsBefore += 1
    position = start.place
    sequence = 0
    addedBytes = 0
    removedBytes = rewritesIndex ? indexBytes : 0
    removals = []
  }

  private mutating func endSession(
    isLast: Bool, time: UInt64?
  ) throws(ContainerError) -> (commit: Commit, bytes: [UInt8]) {
    let (liveItems, isShort) = ((rewritesIndex ? 0 : start.liveItems) + index.count)
      .subtractingReportingOverflow(UInt64(removals.count))
    guard !isShort else {
      throw ContainerError(.tampered, "commit: fewer items than are replaced", at: start.previous)
    }
    // What a duplicate's message looks up has to be there.
    try flush()
    let indexStart = position
    let root = try writeIndex(isLast: isLast)
    indexBytes = position - indexStart
    let ownPlace = position
    // Informative: what an older commit says of its bytes is not trusted to add up.
    let total = ownPlace - start.firstSession
    let (grown, overflows) = start.liveBytes.addingReportingOverflow(addedBytes)
    let liveBytes = min(total, overflows || grown < removedBytes ? 0 : grown - removedBytes)
    let commit = Commit(
      number: start.number, place: ownPlace, firstFrame: start.place, previous: start.previous,
      previousHash: start.previousHash, headerSequence: start.headerSequence,
      time: time ?? Self.milliseconds(), liveItems: liveItems, liveBytes: liveBytes,
      deadBytes: total - liveBytes, root: root)
    let end = try commit.endOfSession(
      cipher: cipher, sequence: sequence, archiveID: keys.archiveID)
    try flush()
    if isAppending { try device.flushToDisk() }
    try device.put(end.bytes, at: ownPlace)
    if isAppending { try device.flushToDisk() }
    return (commit, end)
  }

  private mutating func writeIndex(isLast: Bool) throws(ContainerError) -> Commit.Root? {
    var builder = IndexBuilder()
    swap(&builder, &index)
    if !rewritesIndex, let root = start.root { return try changeIndex(root, &builder) }
    let keeps = rewritesIndex && !isLast
    var levels = IndexLevels()
    try builder.drain(keeping: keeps) { entry throws(ContainerError) in
      let leaf = IndexEntry(
        token: entry.token, place: entry.place, segment: segment(at: entry.place),
        sequence: entry.sequence)
      try levels.add(leaf) { level, entries throws(ContainerError) in
        try writeNode(level: level, entries)
      }
    }
    try levels.finish { level, entries throws(ContainerError) in
      try writeNode(level: level, entries)
    }
    if keeps { swap(&builder, &index) }
    guard let root = levels.root else { return nil }
    return Commit.Root(
      place: root.entry.place, segment: root.entry.segment, sequence: root.entry.sequence,
      level: root.level)
  }

  /// The segment of a session of this writer, by a place in it.
  private func segment(at place: UInt64) -> Segment {
    if place >= start.place { return cipher.segment }
    var (low, high) = (0, segments.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if segments[middle].place <= place { low = middle } else { high = middle - 1 }
    }
    return segments[low].segment
  }

  private mutating func changeIndex(
    _ root: Commit.Root, _ builder: inout IndexBuilder
  ) throws(ContainerError) -> Commit.Root? {
    var insertions: [IndexInsertion] = []
    insertions.reserveCapacity(Int(builder.count))
    try builder.drain { entry throws(ContainerError) in
      let leaf = IndexEntry(
        token: entry.token, place: entry.place, segment: cipher.segment,
        sequence: entry.sequence)
      insertions.append(IndexInsertion(entry: leaf, origin: entry.origin))
    }
    let reader = IndexReader(
      root: root, before: start.previous, device: device, keys: keys,
      firstSession: start.firstSession)
    var merge = IndexMerge(reader)
    let changed = try merge.apply(insertions, removals.sorted(), to: root) {
      level, entries throws(ContainerError) in
      try writeNode(level: level, entries)
    }
    removedBytes += merge.replacedByteCount
    return changed
  }

  private mutating func writeNode(
    level: UInt8, _ entries: [IndexEntry]
  ) throws(ContainerError) -> IndexEntry {
    let count = entries.count * Format.indexEntryByteCount
    plaintext.resize(to: Format.plaintextHeaderByteCount + count)
    var content = plaintext.mutableBytes
    for (index, entry) in entries.enumerated() {
      entry.store(
        in: &content,
        at: Format.plaintextHeaderByteCount + index * Format.indexEntryByteCount)
    }
    let node = IndexEntry(
      token: entries[0].token, place: position, segment: cipher.segment, sequence: sequence)
    try sealFrame(FrameType.index, code: level, contentByteCount: count)
    addedBytes += position - node.place
    return node
  }

  private static func milliseconds() -> UInt64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return UInt64(max(0, now.tv_sec)) * 1000 + UInt64(now.tv_nsec) / 1_000_000
  }
}
