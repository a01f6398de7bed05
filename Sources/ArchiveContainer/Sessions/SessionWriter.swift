// Writes one session: items and their values, the index, and the commit that makes them count.

internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc

/// What a session's commit says, for the caller's report.
package struct SessionSummary: Sendable {
  package let commit: Commit
  /// Frames of all types, both copies of the commit included.
  package let frameCount: UInt64
}

/// Writes one session in one pass: the first of a new archive, to anything that takes bytes, or one
/// more behind the newest commit.
///
/// Nothing counts before `finish`: frames without a commit are an unfinished archive, or an unfinished
/// append.
package struct SessionWriter: ~Copyable {
  private let device: any Device
  private let keys: ArchiveKeys
  private let cipher: SegmentCipher
  private let compresses: Bool
  private let start: SessionStart
  /// The index that the session goes on from.
  private let archive: OpenedArchive?
  private let sequenceLimit: UInt32

  private var position: UInt64
  private var sequence: UInt32 = 0
  private var index = IndexBuilder()
  private var removals: [IndexRemoval] = []
  /// What the session adds to the live bytes, and what it takes from them.
  private var addedBytes: UInt64 = 0
  private var removedBytes: UInt64 = 0
  private var plaintext: SecretBytes
  /// Sealed frames on their way to the device.
  private var output: [UInt8]
  private var outputCount = 0
  /// Random bytes for item ids, drawn by the page: a system call for each would show.
  private var ids: [UInt8] = []
  private var idOffset = 0
  private var deflater: Deflater?

  private static let outputByteCount = 1 << 20 + 64 << 10

  /// Writes both copies of the header and begins the session.
  ///
  /// - Parameters:
  ///   - slots: made with `Slot.make` under `keys`.
  ///   - compresses: whether value chunks that shrink are deflated.
  package init(
    to device: any Device, keys: ArchiveKeys, slots: [Slot], compresses: Bool
  ) throws(ContainerError) {
    try self.init(
      to: device, keys: keys, slots: slots, compresses: compresses,
      sequenceLimit: Format.mostFramesInSession)
  }

  /// - Parameter sequenceLimit: below the format's own only in tests.
  init(
    to device: any Device, keys: ArchiveKeys, slots: [Slot], compresses: Bool,
    sequenceLimit: UInt32
  ) throws(ContainerError) {
    let copy = try HeaderCopy.make(keys: keys, slots: slots, sequence: 1)
    let header = copy + copy
    try device.put(header.bytes, at: 0)
    try self.init(
      device, keys: keys,
      start: SessionStart(headerSequence: 1, headerByteCount: UInt64(header.count)), archive: nil,
      compresses: compresses, sequenceLimit: sequenceLimit)
  }

  /// Begins a session behind the newest commit of `archive`, which nobody else writes to.
  package init(
    appendingTo archive: OpenedArchive, compresses: Bool
  ) throws(ContainerError) {
    try self.init(
      archive.device, keys: archive.keys, start: try SessionStart(after: archive),
      archive: archive, compresses: compresses, sequenceLimit: Format.mostFramesInSession)
  }

  /// Begins the first session behind a header that stands there.
  init(to device: any Device, keys: ArchiveKeys, start: SessionStart) throws(ContainerError) {
    try self.init(
      device, keys: keys, start: start, archive: nil, compresses: false,
      sequenceLimit: Format.mostFramesInSession)
  }

  private init(
    _ device: any Device, keys: ArchiveKeys, start: SessionStart, archive: OpenedArchive?,
    compresses: Bool, sequenceLimit: UInt32
  ) throws(ContainerError) {
    let cipher = try Self.freshCipher(keys)
    self.device = device
    self.keys = keys
    self.cipher = cipher
    self.compresses = compresses
    self.start = start
    self.archive = archive
    self.sequenceLimit = sequenceLimit
    position = start.place
    plaintext = SecretBytes(count: 0, capacity: Format.largestPlaintext)
    output = [UInt8](repeating: 0, count: Self.outputByteCount)
  }

  /// The cipher of a segment that is drawn now.
  private static func freshCipher(_ keys: ArchiveKeys) throws(ContainerError) -> SegmentCipher {
    do {
      let segment = try Randomness.bytes(count: Segment.byteCount)
      return try SegmentCipher(keys: keys, segment: Segment(segment.bytes, at: 0))
    } catch let error as CryptoError {
      throw ContainerError(error)
    } catch let error as ContainerError {
      throw error
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
  }

  /// How far the archive has grown, in bytes.
  package var byteCount: UInt64 { position }

  /// Items so far.
  package var itemCount: UInt64 { index.count }

  /// Whether the session has changed nothing yet.
  package var isEmpty: Bool { sequence == 0 }

  /// Appends an item with a value that is at hand.
  ///
  /// - Parameters:
  ///   - attributes: as the item model encodes them.
  ///   - value: nil for none.
  ///   - old: the live item of an earlier session that this one is a new revision of.
  ///   - origin: what the caller knows the item by: a duplicate's message gives it back.
  package mutating func append(
    attributes: [UInt8], token: Token, value: RawSpan?, replacing old: LiveItem? = nil,
    origin: UInt32
  ) throws(ContainerError) {
    guard let value else {
      try appendItem(attributes, token, hasValue: false, valueByteCount: 0, old, origin)
      return
    }
    try appendItem(
      attributes, token, hasValue: true, valueByteCount: UInt64(value.byteCount), old, origin)
    try appendChunks(of: value)
  }

  /// Appends an item whose value is read from `source`, on all cores where it is long.
  package mutating func append(
    attributes: [UInt8], token: Token, source: any ValueSource, replacing old: LiveItem? = nil,
    origin: UInt32
  ) throws(ContainerError) {
    if let byteCount = source.byteCount, byteCount > Format.mostValueBytes {
      throw ContainerError(.refusedByLimit, "a value of more than 8 TiB")
    }
    try appendItem(
      attributes, token, hasValue: true, valueByteCount: source.byteCount ?? .max, old, origin)
    try flush()
    let sealer = ValueSealer(
      source, device: device, keys: keys, segment: cipher.segment, sequence: sequence,
      frameLimit: sequenceLimit, position: position, compresses: compresses)
    try sealer.run()
    addedBytes += sealer.position - position
    position = sealer.position
    sequence += sealer.chunkCount
  }

  private mutating func appendItem(
    _ attributes: [UInt8], _ token: Token, hasValue: Bool, valueByteCount: UInt64,
    _ old: LiveItem?, _ origin: UInt32
  ) throws(ContainerError) {
    if let old { try remove(old) }
    let place = position
    let itemSequence = sequence
    let id = if let old { old.record.id } else { try freshID() }
    try sealItem(
      code: 0, id: id, token: token,
      revision: (old?.record.revision ?? 0) + 1, replaces: old?.record.place ?? 0,
      hasValue: hasValue, valueByteCount: valueByteCount, rest: attributes)
    addedBytes += position - place
    index.add(
      IndexBuilder.Entry(token: token, place: place, sequence: itemSequence, origin: origin))
  }

  /// Appends an item of another archive as the revision that it is; its chunks follow by `copyChunk`.
  mutating func copy(_ item: ItemRecord, token: Token) throws(ContainerError) {
    let place = position
    let itemSequence = sequence
    try sealItem(
      code: 0, id: item.id, token: token, revision: item.revision, replaces: 0,
      hasValue: item.hasValue,
      valueByteCount: item.hasValue ? item.valueByteCount ?? .max : 0, rest: item.attributes)
    addedBytes += position - place
    index.allowsEqualTokens = true
    index.add(IndexBuilder.Entry(token: token, place: place, sequence: itemSequence, origin: 0))
  }

  /// Appends a chunk of the last item's value as it is, deflated or not.
  mutating func copyChunk(_ content: RawSpan, code: UInt8) throws(ContainerError) {
    let place = position
    plaintext.resize(to: Format.plaintextHeaderByteCount + content.byteCount)
    var target = plaintext.mutableBytes
    target.store(content, at: Format.plaintextHeaderByteCount)
    try sealFrame(FrameType.value, code: code, contentByteCount: content.byteCount)
    addedBytes += position - place
  }

  /// Appends a tombstone for a live item of an earlier session.
  ///
  /// - Parameter extents: the ranges of its frames that are to become VOID; none where the old bytes may
  ///   stay.
  package mutating func delete(
    _ old: LiveItem, shredding extents: [Range<UInt64>] = []
  ) throws(ContainerError) {
    try remove(old)
    var rest: [UInt8] = []
    for extent in extents {
      rest.append(littleEndian: extent.lowerBound)
      rest.append(littleEndian: extent.upperBound - extent.lowerBound)
    }
    try sealItem(
      code: 1, id: old.record.id, token: old.record.token, revision: old.record.revision + 1,
      replaces: old.record.place, hasValue: false, valueByteCount: 0, rest: rest)
  }

  /// Takes a live item out of the index.
  private mutating func remove(_ old: LiveItem) throws(ContainerError) {
    guard old.record.place < start.place, old.record.revision < .max else {
      throw ContainerError(
        .refusedByLimit, "a session changes an item once", at: old.record.place)
    }
    removals.append(IndexRemoval(token: old.record.token, place: old.record.place))
    removedBytes += old.byteCount
  }

  private mutating func sealItem(
    code: UInt8, id: ItemID, token: Token, revision: UInt64, replaces: UInt64, hasValue: Bool,
    valueByteCount: UInt64, rest attributes: [UInt8]
  ) throws(ContainerError) {
    let count = Format.itemHeaderByteCount + attributes.count
    guard count <= Format.chunkByteCount else {
      throw ContainerError(
        .refusedByLimit, "\(attributes.count) bytes of attributes (at most 1 MiB)")
    }
    plaintext.resize(to: Format.plaintextHeaderByteCount + count)
    var content = plaintext.mutableBytes
    let start = Format.plaintextHeaderByteCount
    id.store(in: &content, at: start)
    token.store(in: &content, at: start + 16)
    content.store(revision, at: start + 32)
    content.store(replaces, at: start + 40)
    content.store(valueByteCount, at: start + 48)
    content.store(UInt64(hasValue ? 1 : 0), at: start + 56)
    content.store(attributes, at: start + Format.itemHeaderByteCount)
    try sealFrame(FrameType.item, code: code, contentByteCount: count)
  }

  /// Seals a value that is in memory, chunk by chunk.
  private mutating func appendChunks(of value: RawSpan) throws(ContainerError) {
    let place = position
    var offset = 0
    repeat {
      let count = min(Format.chunkByteCount, value.byteCount - offset)
      let chunk = value.extracting(offset..<(offset + count))
      offset += count
      let isLast: UInt8 = offset == value.byteCount ? 1 : 0
      plaintext.resize(to: Format.largestPlaintext)
      if let deflated = try deflate(chunk) {
        try sealFrame(FrameType.value, code: isLast | 2, contentByteCount: deflated)
      } else {
        var target = plaintext.mutableBytes
        target.store(chunk, at: Format.plaintextHeaderByteCount)
        try sealFrame(FrameType.value, code: isLast, contentByteCount: count)
      }
    } while offset < value.byteCount
    addedBytes += position - place
  }

  /// Deflates a chunk to where content goes; nil where it is small or does not shrink enough.
  private mutating func deflate(_ chunk: RawSpan) throws(ContainerError) -> Int? {
    guard compresses, chunk.byteCount >= Format.smallestDeflated else { return nil }
    if deflater == nil { deflater = try Deflater() }
    guard let stream = deflater else { return nil }
    var target = plaintext.mutableBytes
    return stream.deflate(
      chunk, into: &target, at: Format.plaintextHeaderByteCount,
      limit: DeflateProbe.limit(for: chunk.byteCount))
  }

  private mutating func freshID() throws(ContainerError) -> ItemID {
    if idOffset == ids.count {
      do {
        ids = try Randomness.bytes(count: 4096)
      } catch {
        throw ContainerError(error)
      }
      idOffset = 0
    }
    defer { idOffset += 16 }
    return ItemID(ids.bytes, at: idOffset)
  }

  /// Seals the content that stands in `plaintext` at 8.
  private mutating func sealFrame(
    _ type: UInt8, code: UInt8, contentByteCount: Int
  ) throws(ContainerError) {
    guard sequence < sequenceLimit, position - start.place < Format.mostBytesInSession else {
      throw ContainerError(.refusedByLimit, "more frames or bytes than a session can have")
    }
    let padded = FramePlaintext.finish(
      &plaintext, code: code, contentByteCount: contentByteCount)
    let needed = Format.frameHeaderByteCount + padded + Format.tagByteCount
    if outputCount + needed > output.count { try flush() }
    let count = try Self.seal(
      cipher, plaintext, type: type, sequence: sequence, into: &output, at: outputCount)
    outputCount += count
    position += UInt64(count)
    sequence += 1
  }

  /// Apart from `self`, whose buffers can't both be looked into at once.
  private static func seal(
    _ cipher: SegmentCipher, _ plaintext: borrowing SecretBytes, type: UInt8, sequence: UInt32,
    into output: inout [UInt8], at offset: Int
  ) throws(ContainerError) -> Int {
    var target = output.mutableBytes
    return try cipher.seal(
      plaintext.bytes, type: type, sequence: sequence, into: &target, at: offset)
  }

  private mutating func flush() throws(ContainerError) {
    guard outputCount > 0 else { return }
    let place = position - UInt64(outputCount)
    try device.put(output.bytes.extracting(0..<outputCount), at: place)
    outputCount = 0
    device.startSync(below: position)
  }

  /// Writes the index and the commit.
  ///
  /// Behind an older commit, the frames are synced before the new one is written, and that after it. Of
  /// a new archive nothing counts yet: its caller syncs once, at the end.
  ///
  /// - Throws: `.duplicateItem` with the origins of both.
  package consuming func finish() throws(ContainerError) -> SessionSummary {
    let newItems = index.count
    let (liveItems, isShort) = (start.liveItems + newItems).subtractingReportingOverflow(
      UInt64(removals.count))
    guard !isShort else {
      throw ContainerError(.tampered, "commit: fewer items than are replaced", at: start.previous)
    }
    // What a duplicate's message looks up has to be there.
    try flush()
    let root = try writeIndex()
    let ownPlace = position
    // Informative: what an older commit says of its bytes is not trusted to add up.
    let total = ownPlace - start.firstSession
    let (grown, overflows) = start.liveBytes.addingReportingOverflow(addedBytes)
    let liveBytes = min(total, overflows || grown < removedBytes ? 0 : grown - removedBytes)
    let commit = Commit(
      number: start.number, place: ownPlace, firstFrame: start.place, previous: start.previous,
      previousHash: start.previousHash, headerSequence: start.headerSequence,
      time: Self.milliseconds(), liveItems: liveItems, liveBytes: liveBytes,
      deadBytes: total - liveBytes, root: root)
    let end = try commit.endOfSession(
      cipher: cipher, sequence: sequence, archiveID: keys.archiveID)
    try flush()
    if archive != nil { try device.flushToDisk() }
    try device.put(end.bytes, at: ownPlace)
    if archive != nil { try device.flushToDisk() }
    return SessionSummary(commit: commit, frameCount: UInt64(sequence) + 2)
  }

  private mutating func writeIndex() throws(ContainerError) -> Commit.Root? {
    var builder = IndexBuilder()
    swap(&builder, &index)
    if let archive, let root = start.root {
      return try changeIndex(of: archive, root, &builder)
    }
    var levels = IndexLevels()
    try builder.drain { entry throws(ContainerError) in
      let leaf = IndexEntry(
        token: entry.token, place: entry.place, segment: cipher.segment,
        sequence: entry.sequence)
      try levels.add(leaf) { level, entries throws(ContainerError) in
        try writeNode(level: level, entries)
      }
    }
    try levels.finish { level, entries throws(ContainerError) in
      try writeNode(level: level, entries)
    }
    guard let root = levels.root else { return nil }
    return Commit.Root(
      place: root.entry.place, segment: root.entry.segment, sequence: root.entry.sequence,
      level: root.level)
  }

  private mutating func changeIndex(
    of archive: OpenedArchive, _ root: Commit.Root, _ builder: inout IndexBuilder
  ) throws(ContainerError) -> Commit.Root? {
    var insertions: [IndexInsertion] = []
    insertions.reserveCapacity(Int(builder.count))
    try builder.drain { entry throws(ContainerError) in
      let leaf = IndexEntry(
        token: entry.token, place: entry.place, segment: cipher.segment,
        sequence: entry.sequence)
      insertions.append(IndexInsertion(entry: leaf, origin: entry.origin))
    }
    var merge = IndexMerge(IndexReader(archive))
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
