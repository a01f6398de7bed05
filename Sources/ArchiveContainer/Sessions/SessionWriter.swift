// Writes sessions: items and their values, the index, and the commit that makes them count. One, as a rule; where
// numbers or bytes run out it commits and goes on in another (Spec/container.md, "Sessions").

internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc

/// What a session's commit says, for the caller's report.
package struct SessionSummary: Sendable {
  package let commit: Commit
  /// Frames of all types that the writer wrote, both copies of each commit included.
  package let frameCount: UInt64
}

/// Writes a session in one pass: the first of a new archive, to anything that takes bytes, or one
/// more behind the newest commit.
///
/// Nothing counts before `finish`: frames without a commit are an unfinished archive, or an unfinished
/// append. Only what is more than a session can hold is committed on the way.
package struct SessionWriter: ~Copyable {
  let device: any Device
  let keys: ArchiveKeys
  var cipher: SegmentCipher
  private let compresses: Bool
  var start: SessionStart
  /// Whether older commits count already, so that each new one has to be synced.
  let isAppending: Bool
  let limits: SessionLimits
  /// Of an archive that may be a pipe, each commit has all of the index anew: what was written can't be read
  /// there. Else a session changes the index of the one before.
  let rewritesIndex: Bool
  /// Where the sessions of this writer began, and their segments: entries of `index` name places only.
  var segments: [(place: UInt64, segment: Segment)]
  var framesBefore: UInt64 = 0
  var sessionsBefore = 0

  var position: UInt64
  var sequence: UInt32 = 0
  var index = IndexBuilder()
  var removals: [IndexRemoval] = []
  /// What the session adds to the live bytes, and what it takes from them.
  var addedBytes: UInt64 = 0
  var removedBytes: UInt64 = 0
  /// What the index of the last session takes.
  var indexBytes: UInt64 = 0
  var plaintext: SecretBytes
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
      to: device, keys: keys, slots: slots, compresses: compresses, limits: .standard)
  }

  /// - Parameter limits: below the format's own only in tests.
  package init(
    to device: any Device, keys: ArchiveKeys, slots: [Slot], compresses: Bool,
    limits: SessionLimits
  ) throws(ContainerError) {
    let copy = try HeaderCopy.make(keys: keys, slots: slots, sequence: 1)
    let header = copy + copy
    try device.put(header.bytes, at: 0)
    try self.init(
      device, keys: keys,
      start: SessionStart(headerSequence: 1, headerByteCount: UInt64(header.count)),
      isAppending: false, rewritesIndex: true, compresses: compresses, limits: limits)
  }

  /// Begins a session behind the newest commit of `archive`, which nobody else writes to.
  package init(
    appendingTo archive: OpenedArchive, compresses: Bool, limits: SessionLimits = .standard
  ) throws(ContainerError) {
    try self.init(
      archive.device, keys: archive.keys, start: try SessionStart(after: archive),
      isAppending: true, rewritesIndex: false, compresses: compresses, limits: limits)
  }

  /// Begins the first session behind a header that stands there.
  ///
  /// - Parameter rewritesIndex: false where later sessions replace or delete what earlier ones have; the device
  ///   is read then.
  init(
    to device: any Device, keys: ArchiveKeys, start: SessionStart, rewritesIndex: Bool = true,
    limits: SessionLimits = .standard
  ) throws(ContainerError) {
    try self.init(
      device, keys: keys, start: start, isAppending: false, rewritesIndex: rewritesIndex,
      compresses: false, limits: limits)
  }

  private init(
    _ device: any Device, keys: ArchiveKeys, start: SessionStart, isAppending: Bool,
    rewritesIndex: Bool, compresses: Bool, limits: SessionLimits
  ) throws(ContainerError) {
    let cipher = try Self.freshCipher(keys)
    self.device = device
    self.keys = keys
    self.cipher = cipher
    self.compresses = compresses
    self.start = start
    self.isAppending = isAppending
    self.rewritesIndex = rewritesIndex
    self.limits = limits
    segments = [(start.place, cipher.segment)]
    position = start.place
    plaintext = SecretBytes(count: 0, capacity: Format.largestPlaintext)
    output = [UInt8](repeating: 0, count: Self.outputByteCount)
  }

  /// The cipher of a segment that is drawn now.
  static func freshCipher(_ keys: ArchiveKeys) throws(ContainerError) -> SegmentCipher {
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

  /// Whether anything stands in the session yet.
  var hasItems: Bool { sequence > 0 }

  /// What the index takes once an item is added or removed, or both.
  func addIndex(to need: inout SessionNeed) {
    if !rewritesIndex, let root = start.root {
      need.addChanges(
        insertions: index.count + 1, removals: UInt64(removals.count) + 1, rootLevel: root.level)
    } else {
      need.addIndex(entries: index.count + 1)
    }
  }

  /// Whether the session can take so much more, with its end.
  func fits(_ need: SessionNeed) -> Bool {
    UInt64(sequence) + need.frames <= UInt64(limits.frames)
      && position - start.place + need.bytes + UInt64(Format.endOfSessionByteCount) <= limits.bytes
  }

  /// Items that were added, of a new archive in all of its sessions.
  package var itemCount: UInt64 { index.count }

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
      try makeRoom(attributes, valueByteCount: nil)
      try appendItem(attributes, token, hasValue: false, valueByteCount: 0, old, origin)
      return
    }
    try makeRoom(attributes, valueByteCount: UInt64(value.byteCount))
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
    try makeRoom(attributes, valueByteCount: source.byteCount ?? Format.mostValueBytes)
    try appendItem(
      attributes, token, hasValue: true, valueByteCount: source.byteCount ?? .max, old, origin)
    try flush()
    let sealer = ValueSealer(
      source, device: device, keys: keys, segment: cipher.segment, sequence: sequence,
      frameLimit: limits.frames, position: position, compresses: compresses)
    try sealer.run()
    addedBytes += sealer.position - position
    position = sealer.position
    sequence += sealer.chunkCount
  }

  /// Appends a new revision of `old` that keeps its value, whose chunks follow by `copyChunk`.
  mutating func append(
    attributes: [UInt8], token: Token, keepingValueOf old: LiveItem, origin: UInt32
  ) throws(ContainerError) {
    let record = old.record
    try makeRoom(
      attributes,
      valueByteCount: record.hasValue ? record.valueByteCount ?? Format.mostValueBytes : nil)
    try appendItem(
      attributes, token, hasValue: record.hasValue,
      valueByteCount: record.hasValue ? record.valueByteCount ?? .max : 0, old, origin)
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
  ///
  /// - Parameter old: the revision before, where it was copied in an earlier session.
  /// - Returns: its place.
  @discardableResult
  mutating func copy(
    _ item: ItemRecord, token: Token, replacing old: IndexedItem? = nil
  ) throws(ContainerError) -> UInt64 {
    try makeRoom(
      item.attributes,
      valueByteCount: item.hasValue ? item.valueByteCount ?? Format.mostValueBytes : nil)
    if let old { try remove(old) }
    let place = position
    let itemSequence = sequence
    try sealItem(
      code: 0, id: item.id, token: token, revision: item.revision, replaces: old?.place ?? 0,
      hasValue: item.hasValue,
      valueByteCount: item.hasValue ? item.valueByteCount ?? .max : 0, rest: item.attributes)
    addedBytes += position - place
    index.allowsEqualTokens = true
    index.add(IndexBuilder.Entry(token: token, place: place, sequence: itemSequence, origin: 0))
    return place
  }

  /// Appends a tombstone of another archive, without extents.
  mutating func copy(
    tombstone: ItemRecord, token: Token, of old: IndexedItem
  ) throws(ContainerError) {
    try makeRoom([], valueByteCount: nil)
    try remove(old)
    try sealItem(
      code: 1, id: tombstone.id, token: token, revision: tombstone.revision, replaces: old.place,
      hasValue: false, valueByteCount: 0, rest: [])
  }

  /// Appends a chunk of the last item's value as it is, deflated or not.
  ///
  /// - Parameter plaintext: of its frame, as a reader has it.
  mutating func copyChunk(_ plaintext: RawSpan) throws(ContainerError) {
    let place = position
    try makeRoomForFrame(plaintext.byteCount)
    let (cipher, sequence, offset) = (cipher, sequence, outputCount)
    var target = output.mutableBytes
    let count = try cipher.seal(
      plaintext, type: FrameType.value, sequence: sequence, into: &target, at: offset)
    didSeal(count)
    addedBytes += position - place
  }

  /// Appends a tombstone for a live item of an earlier session.
  ///
  /// - Parameter extents: the ranges of its frames that are to become VOID; none where the old bytes may
  ///   stay.
  package mutating func delete(
    _ old: LiveItem, shredding extents: [Range<UInt64>] = []
  ) throws(ContainerError) {
    var rest: [UInt8] = []
    for extent in extents {
      rest.append(littleEndian: extent.lowerBound)
      rest.append(littleEndian: extent.upperBound - extent.lowerBound)
    }
    try makeRoom(rest, valueByteCount: nil)
    try remove(old)
    try sealItem(
      code: 1, id: old.record.id, token: old.record.token, revision: old.record.revision + 1,
      replaces: old.record.place, hasValue: false, valueByteCount: 0, rest: rest)
  }

  /// Takes a live item out of the index.
  private mutating func remove(_ old: LiveItem) throws(ContainerError) {
    guard old.record.revision < .max else {
      throw ContainerError(.refusedByLimit, "no revision can follow", at: old.record.place)
    }
    try remove(IndexedItem(old))
  }

  private mutating func remove(_ old: IndexedItem) throws(ContainerError) {
    guard old.place < start.place else {
      throw ContainerError(.refusedByLimit, "a session changes an item once", at: old.place)
    }
    removals.append(IndexRemoval(token: old.token, place: old.place))
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
  mutating func sealFrame(
    _ type: UInt8, code: UInt8, contentByteCount: Int
  ) throws(ContainerError) {
    let padded = FramePlaintext.finish(
      &plaintext, code: code, contentByteCount: contentByteCount)
    try makeRoomForFrame(padded)
    let count = try Self.seal(
      cipher, plaintext, type: type, sequence: sequence, into: &output, at: outputCount)
    didSeal(count)
  }

  /// Sees to it that a frame of a plaintext of `byteCount` bytes may be sealed behind the output.
  private mutating func makeRoomForFrame(_ byteCount: Int) throws(ContainerError) {
    let needed = Format.frameHeaderByteCount + byteCount + Format.tagByteCount
    guard sequence < limits.frames,
      position - start.place + UInt64(needed + Format.endOfSessionByteCount) <= limits.bytes
    else {
      throw ContainerError(.refusedByLimit, "more frames or bytes than a session can have")
    }
    if outputCount + needed > output.count { try flush() }
  }

  /// Steps behind a frame of `byteCount` bytes, which stands behind the output.
  private mutating func didSeal(_ byteCount: Int) {
    outputCount += byteCount
    position += UInt64(byteCount)
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

  mutating func flush() throws(ContainerError) {
    guard outputCount > 0 else { return }
    let place = position - UInt64(outputCount)
    try device.put(output.bytes.extracting(0..<outputCount), at: place)
    outputCount = 0
    device.startSync(below: position)
  }
}
