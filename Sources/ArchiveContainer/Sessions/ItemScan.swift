// Visits every live item in the order of the file, newest session first, without opening values.
//
// What a header says of a frame that is not opened proves nothing: an item or a tombstone could pass for
// a value. So values have to stand behind an item, in the number that its length gives; where it gives
// none, the index decides about older items, and the commit's count has to be reached.
//
// A scan goes on behind damage. From there on it gives only items that the newest commit's index
// lists: the frame that was lost may have been the tombstone or the newer revision of one of them. The
// index is looked at first: where a part of it is lost, what the rest does not list is given and marked.

package import ArchiveCrypto
internal import ByteCoding

package struct ItemScan: ~Copyable {
  /// What a scan gives.
  package enum Scope: Sendable {
    case live
    /// The newest frame of each item: live items and tombstones.
    case newest
    /// Every ITEM frame that is in no extent of a tombstone.
    case all
  }

  private let archive: OpenedArchive
  private let scope: Scope
  private var reader: FrameReader
  private var index: IndexReader
  private var inflater: Inflater?

  /// Places that a newer session replaced.
  private var replaced: Set<UInt64> = []
  private var replacedHere: [UInt64] = []

  private var chain: CommitChain
  /// The session that is being read; nil for a part of the file whose commits are lost.
  private var segment: Segment?
  private var sessionStart: UInt64 = 0
  private var position: UInt64 = 0
  private var sessionEnd: UInt64 = 0
  private var nextSequence: UInt32? = 0
  private var isAtEnd = false
  private var sessionSequence: UInt32?
  private var hasDamage = false
  /// A frame that may have been an item's did not open: a tombstone may be lost.
  private var mayLackTombstone = false
  /// Of the frame that is being read; nil where its header can't be.
  private var type: UInt8?
  /// A part of the index can't be read: what the rest does not list may still be live.
  private var lacksIndex = false

  /// Chunks of the last item that are still to come: nil where any number may.
  private var chunksLeft: UInt64? = 0
  /// Values may stand without their item: it was lost, or is void.
  private var allowsOrphans = false
  /// Frames may be missing here: they are void.
  private var allowsGap = false
  /// A value of unknown length has begun and none of its chunks was there yet.
  private var awaitsChunk = false
  /// Whether values are opened that the caller does not read: of dead items, and of unknown length.
  private let opensValues: Bool
  /// Of the value that is being opened.
  private var rules: ChunkRules?
  /// A value of unknown length was passed in a newer session: what stood there may have been more.
  private var isUncertain = false
  private var isUncertainHere = false
  /// What the tombstones of newer sessions made void, by place.
  private var extents: [Range<UInt64>] = []
  private var extentsHere: [Range<UInt64>] = []
  private var nextExtent = 0
  private var liveItems: UInt64 = 0
  private var segments: Set<Segment> = []
  private var hasBegun = false
  /// Places of which something is known already, `findings` has it or `readValue` has told; and how grave
  /// that is.
  private var told: [UInt64: Int] = [:]

  /// What was found wrong on the way. All of it is a loss of something, if only of certainty.
  package private(set) var findings: [ContainerError] = []

  /// Whether the item that `next` gave last may be an old revision: the index can't tell any more.
  package private(set) var mayBeOutdated = false

  /// - Parameter opensValues: for who has to see everything: what comes from a pipe can't be read again.
  package init(_ archive: OpenedArchive, _ scope: Scope = .live, opensValues: Bool = false) {
    self.archive = archive
    self.scope = scope
    self.opensValues = opensValues
    reader = FrameReader(
      device: archive.device, keys: archive.keys, end: 0, readAhead: 256 << 10)
    reader.endIsKnown = true
    index = IndexReader(archive)
    chain = CommitChain(archive)
  }

  /// How far the scan has come, for a progress display: bytes of the newest session.
  package var scannedByteCount: UInt64 { position - min(position, sessionStart) }

  /// The next item of the scope, or nil behind the last.
  package mutating func next() throws(ContainerError) -> ItemRecord? {
    if !hasBegun {
      hasBegun = true
      try checkIndex()
    }
    while true {
      guard position < sessionEnd else {
        leaveSession()
        guard try enterOlderSession() else { return nil }
        continue
      }
      do throws(ContainerError) {
        if let item = try step() { return item }
      } catch  where error.code != .ioFailed {
        note(error)
        lose()
        try recover(from: error)
      }
    }
  }

  /// Whether all of the index can be read. Nodes that open and do not fit together are no finding of a
  /// scan, which gives what it sees; but they are not asked either.
  private mutating func checkIndex() throws(ContainerError) {
    do throws(ContainerError) {
      try index.forEachEntry { _ in }
    } catch  where error.code != .ioFailed {
      lacksIndex = true
      guard let place = error.offset, try opens(at: place) else {
        note(error)
        hasDamage = true
        return
      }
    }
  }

  /// Whether the frame at `place` opens, whatever it is.
  private mutating func opens(at place: UInt64) throws(ContainerError) -> Bool {
    reader.end = archive.commit.place
    do throws(ContainerError) {
      let header = try reader.header(at: place)
      if header.type == FrameType.void { return true }
      let frame = try reader.open(header, at: place)
      if header.type == FrameType.index {
        _ = try IndexNode(
          reader.content, level: frame.code, header: header, at: place,
          firstSession: archive.firstSession)
      }
      return true
    } catch  where error.code != .ioFailed {
      return false
    }
  }

  private mutating func note(_ error: ContainerError) {
    if tell(error) { findings.append(error) }
  }

  /// - Returns: whether nothing as grave is known of the place.
  private mutating func tell(_ error: ContainerError) -> Bool {
    guard let offset = error.offset else { return true }
    if let severity = told[offset], severity >= error.severity { return false }
    told[offset] = error.severity
    return true
  }

  /// Something did not open: what follows may belong to it.
  private mutating func lose() {
    hasDamage = true
    mayLackTombstone = mayLackTombstone || type == nil || type == FrameType.item
    forgetValue()
    allowsOrphans = true
  }

  private mutating func forgetValue() {
    chunksLeft = 0
    awaitsChunk = false
    rules = nil
  }

  /// One frame: an item, or nil for everything else.
  private mutating func step() throws(ContainerError) -> ItemRecord? {
    if passExtent() { return nil }
    let place = position
    type = nil
    let header = try reader.header(at: place)
    type = header.type
    if let segment, header.segment != segment {
      throw ContainerError(.tampered, "a frame of another session", at: place)
    }
    if let expected = nextSequence, segment != nil, header.sequence != expected,
      !allowsGap || header.sequence < expected
    {
      // Of what follows, the index knows what is in its place.
      note(ContainerError(.tampered, "frames are missing or out of order", at: place))
      lose()
    }
    allowsGap = false
    nextSequence = header.sequence &+ 1
    position = place + UInt64(header.frameByteCount)
    switch header.type {
    case FrameType.item:
      endValue(at: place)
      return try item(header, at: place)
    case FrameType.value:
      try passChunk(header, at: place)
    case FrameType.index:
      endValue(at: place)
      let frame = try reader.open(header, at: place)
      _ = try IndexNode(
        reader.content, level: frame.code, header: header, at: place,
        firstSession: archive.firstSession)
    case FrameType.void:
      // The tombstones that explain a void stand in newer sessions, which have been read.
      throw ContainerError(
        mayLackTombstone ? .damaged : .tampered, "a void frame that nothing explains", at: place)
    case FrameType.commit:
      guard segment == nil else {
        throw ContainerError(.tampered, "a commit within a session", at: place)
      }
      // Among sessions whose commits are lost, end marks stand between the frames.
      let mark = try reader.bytes(at: position, count: Format.endMarkByteCount)
      if let mark, mark.bytes.equals(Format.endMarkMagic, at: 0) {
        position += UInt64(Format.endMarkByteCount)
      }
    case FrameType.firstIgnorable...:
      endValue(at: place)
      _ = try reader.open(header, at: place)
    default:
      throw ContainerError(.tampered, "a frame of unknown type \(header.type)", at: place)
    }
    return nil
  }

  /// Goes behind the extent of a tombstone: what stands in it is dead, void or not.
  private mutating func passExtent() -> Bool {
    while nextExtent < extents.count, extents[nextExtent].upperBound <= position {
      nextExtent += 1
    }
    guard nextExtent < extents.count, extents[nextExtent].contains(position) else { return false }
    position = min(extents[nextExtent].upperBound, sessionEnd)
    forgetValue()
    allowsOrphans = true
    allowsGap = true
    return true
  }

  private mutating func passChunk(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) {
    awaitsChunk = false
    if let left = chunksLeft {
      guard left > 0 || allowsOrphans else {
        throw ContainerError(.tampered, "a value without an item", at: place)
      }
      chunksLeft = left - min(left, 1)
    }
    guard opensValues, rules != nil || allowsOrphans else { return }
    let frame = try reader.open(header, at: place)
    guard var rules else { return }
    do throws(ContainerError) {
      try rules.check(header, at: place)
      let count =
        frame.code & 2 == 0
        ? reader.content.byteCount : try rawByteCount(at: place)
      try rules.take(code: frame.code, rawByteCount: count, at: place)
      self.rules = rules
      if rules.isComplete { forgetValue() }
    } catch  where error.code != .ioFailed {
      // It opened, so it is no item and no tombstone: only its own value is malformed.
      note(error)
      forgetValue()
      allowsOrphans = true
    }
  }

  /// The length of the deflated chunk that was opened.
  private mutating func rawByteCount(at place: UInt64) throws(ContainerError) -> Int {
    var raw = SecretBytes(count: 0)
    return try inflate(into: &raw, at: place)
  }

  private mutating func inflate(
    into raw: inout SecretBytes, at place: UInt64
  ) throws(ContainerError) -> Int {
    let inflater = if let inflater { inflater } else { try Inflater() }
    self.inflater = inflater
    return try inflater.inflate(reader, into: &raw, at: place)
  }

  /// No chunk comes any more.
  private mutating func endValue(at place: UInt64) {
    if awaitsChunk || chunksLeft ?? 0 > 0 {
      note(ContainerError(.tampered, "value: it ends early", at: place))
      hasDamage = true
    }
    forgetValue()
    allowsOrphans = false
  }

  private mutating func item(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> ItemRecord? {
    let frame = try reader.open(header, at: place)
    let item = try ItemRecord(reader.content, code: frame.code, header: header, place: place)
    if segment != nil {
      guard item.replaces == 0 || (archive.firstSession..<sessionStart).contains(item.replaces)
      else {
        throw ContainerError(.tampered, "item: the place that it replaces", at: place)
      }
      extentsHere += try item.extents(from: archive.firstSession, before: sessionStart)
    }
    chunksLeft = item.chunkCount
    awaitsChunk = chunksLeft == nil
    if awaitsChunk, !opensValues { isUncertainHere = true }
    if item.replaces != 0 { replacedHere.append(item.replaces) }
    let isGiven = try isGiven(item)
    if opensValues, item.hasValue, !isGiven || awaitsChunk { rules = ChunkRules(item) }
    return isGiven ? item : nil
  }

  /// Whether the item is one of the scope.
  private mutating func isGiven(_ item: ItemRecord) throws(ContainerError) -> Bool {
    mayBeOutdated = false
    if item.isTombstone { return scope != .live }
    if replaced.contains(item.place) { return scope == .all }
    guard try mayBeLive(item) else { return false }
    liveItems &+= 1
    return true
  }

  /// Whether an item that nothing newer replaced is live, as far as that can be told.
  private mutating func mayBeLive(_ item: ItemRecord) throws(ContainerError) -> Bool {
    guard hasDamage || segment == nil || isUncertain else { return true }
    do throws(ContainerError) {
      if try index.lists(item.token, at: item.place) { return true }
    } catch  where error.code != .ioFailed {
      note(error)
    }
    mayBeOutdated = lacksIndex
    return lacksIndex
  }

  /// Finds the next frame of the session behind one that could not be read.
  private mutating func recover(from error: ContainerError) throws(ContainerError) {
    // A frame whose header held has been stepped over; its body is lost, nothing else.
    if error.offset != position { return }
    var place = position + Format.alignment
    while let candidate = try reader.nextMagic(from: place) {
      if let header = try? reader.header(at: candidate),
        segment == nil || header.segment == segment,
        nextSequence.map({ header.sequence >= $0 }) ?? true
      {
        position = candidate
        if segment != nil { nextSequence = header.sequence }
        return
      }
      place = candidate + Format.alignment
    }
    position = sessionEnd
    allowsGap = true
  }

  /// At the end of a session, whether all of it was there.
  private mutating func leaveSession() {
    guard segment != nil else { return }
    endValue(at: sessionEnd)
    if let sessionSequence, nextSequence != sessionSequence, !allowsGap {
      note(ContainerError(.tampered, "frames are missing before the commit", at: sessionEnd))
      hasDamage = true
    }
    segment = nil
  }

  /// Goes on with the session before the one that has been read.
  private mutating func enterOlderSession() throws(ContainerError) -> Bool {
    guard !isAtEnd else { return false }
    replaced.formUnion(replacedHere)
    replacedHere = []
    isUncertain = isUncertain || isUncertainHere
    if !extentsHere.isEmpty {
      extents = (extents + extentsHere).sorted { $0.lowerBound < $1.lowerBound }
      extentsHere = []
    }
    do throws(ContainerError) {
      guard let (commit, segment, sequence) = try chain.next() else {
        isAtEnd = true
        checkCount()
        return false
      }
      if !segments.insert(segment).inserted {
        note(ContainerError(.tampered, "the segment of an earlier session", at: commit.place))
      }
      enter(commit.firstFrame, commit.place, segment, sequence)
    } catch  where error.code != .ioFailed {
      // The commits before are lost; their items are still there, as far as the index lists them.
      note(error)
      hasDamage = true
      mayLackTombstone = true
      isAtEnd = true
      enter(archive.firstSession, sessionStart, nil, nil)
    }
    return true
  }

  /// Where values were passed that may have been something else, the commit's count has to be reached.
  private mutating func checkCount() {
    let count = archive.commit.liveItems
    guard isUncertain, !hasDamage, liveItems < count else { return }
    note(
      ContainerError(
        .tampered, "there are \(liveItems) items, the commit counts \(count)",
        at: archive.commit.place))
  }

  private mutating func enter(
    _ start: UInt64, _ end: UInt64, _ segment: Segment?, _ sequence: UInt32?
  ) {
    self.segment = segment
    sessionSequence = sequence
    nextExtent = 0
    forgetValue()
    allowsOrphans = segment == nil
    allowsGap = false
    sessionStart = start
    position = start
    sessionEnd = end
    reader.end = end
    nextSequence = segment == nil ? nil : 0
  }
}

extension ItemScan {
  /// Reads the value of the item that `next` gave last into `value`, which grows as needed.
  ///
  /// - Parameter limit: longer values are left where they are: `ValueOpener` streams them.
  /// - Returns: whether the value was read.
  package mutating func readValue(
    of item: ItemRecord, into value: inout SecretBytes, limit: Int
  ) throws(ContainerError) -> Bool {
    value.resize(to: 0)
    guard item.hasValue else { return true }
    guard let byteCount = item.valueByteCount, byteCount <= UInt64(limit) else { return false }
    // Frames are compared with what remains before this is believed: deflate makes 1032 bytes of one
    // at most.
    guard byteCount / 1032 <= archive.byteCount else {
      throw ContainerError(.tampered, "value: its length", at: item.place)
    }
    value.prepare(count: Int(byteCount))
    value.resize(to: 0)
    var rules = ChunkRules(item)
    do throws(ContainerError) {
      while !rules.isComplete { try readChunk(&rules, into: &value) }
    } catch {
      _ = tell(error)
      lose()
      throw error
    }
    forgetValue()
    return true
  }

  private mutating func readChunk(
    _ rules: inout ChunkRules, into value: inout SecretBytes
  ) throws(ContainerError) {
    let place = position
    type = nil
    let header = try reader.header(at: place)
    type = header.type
    try rules.check(header, at: place)
    position = place + UInt64(header.frameByteCount)
    nextSequence = header.sequence &+ 1
    let frame = try reader.open(header, at: place)
    guard frame.code & 2 != 0 else {
      try rules.take(code: frame.code, rawByteCount: reader.content.byteCount, at: place)
      try Self.append(reader.content, to: &value, at: place)
      return
    }
    var raw = SecretBytes(count: 0)
    let count = try inflate(into: &raw, at: place)
    try rules.take(code: frame.code, rawByteCount: count, at: place)
    try Self.append(raw.bytes.extracting(0..<count), to: &value, at: place)
  }

  private static func append(
    _ chunk: RawSpan, to value: inout SecretBytes, at place: UInt64
  ) throws(ContainerError) {
    guard chunk.byteCount <= value.capacity - value.count else {
      throw ContainerError(.tampered, "value: its length", at: place)
    }
    value.append(chunk)
  }
}
