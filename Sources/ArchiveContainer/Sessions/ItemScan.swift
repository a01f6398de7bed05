// Visits every live item in the order of the file, newest session first, without opening values.
//
// A scan goes on behind damage. From there on it gives only items that the newest commit's index
// lists: the frame that was lost may have been the tombstone or the newer revision of one of them.

package import ArchiveCrypto
internal import ByteCoding

package struct ItemScan: ~Copyable {
  private let archive: OpenedArchive
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
  /// Chunks that have to follow the last item; nil where nobody knows.
  private var expectedChunks: UInt64? = 0
  private var isAtEnd = false
  private var hasDamage = false
  private var hasUncountedValue = false
  private var isBehindUncountedValue = false
  private var indexIsReadable = true

  /// What was found wrong on the way. All of it is a loss of something, if only of certainty.
  package private(set) var findings: [ContainerError] = []

  /// Whether the item that `next` gave last may be an old revision: the index can't tell any more.
  package private(set) var mayBeOutdated = false

  package init(_ archive: OpenedArchive) {
    self.archive = archive
    reader = FrameReader(
      device: archive.device, keys: archive.keys, end: 0, readAhead: 256 << 10)
    index = IndexReader(archive)
    chain = CommitChain(archive)
  }

  /// How far the scan has come, for a progress display: bytes of the newest session.
  package var scannedByteCount: UInt64 { position - min(position, sessionStart) }

  /// The next live item, or nil behind the last.
  package mutating func next() throws(ContainerError) -> ItemRecord? {
    while true {
      guard position < sessionEnd else {
        guard try enterOlderSession() else { return nil }
        continue
      }
      do throws(ContainerError) {
        if let item = try step() { return item }
      } catch  where error.code != .ioFailed {
        // Within a session whose commit is there, nothing ends early by itself.
        let finding =
          error.code == .truncated
          ? ContainerError(
            .tampered, "a frame reaches over the end of its session", at: error.offset) : error
        findings.append(finding)
        hasDamage = true
        expectedChunks = nil
        try recover(from: error)
      }
    }
  }

  /// One frame: an item, or nil for everything else.
  private mutating func step() throws(ContainerError) -> ItemRecord? {
    let place = position
    let header = try reader.header(at: place)
    if let segment, header.segment != segment {
      throw ContainerError(.tampered, "a frame of another session", at: place)
    }
    if let expected = nextSequence, segment != nil, header.sequence != expected {
      throw ContainerError(.tampered, "frames are missing or out of order", at: place)
    }
    nextSequence = header.sequence &+ 1
    position = place + UInt64(header.frameByteCount)
    switch header.type {
    case FrameType.value:
      try countChunk(at: place)
      return nil
    case FrameType.item:
      try endValue(at: place)
      return try item(header, at: place)
    case FrameType.index, FrameType.void:
      try endValue(at: place)
      return nil
    case FrameType.commit:
      guard segment == nil else {
        throw ContainerError(.tampered, "a commit within a session", at: place)
      }
      return nil
    case FrameType.firstIgnorable...:
      return nil
    default:
      throw ContainerError(.tampered, "a frame of unknown type \(header.type)", at: place)
    }
  }

  /// Values are not opened, so a frame that was made to look like one would be passed over unseen: a
  /// tombstone, say. Their number is checked where it is known.
  private mutating func countChunk(at place: UInt64) throws(ContainerError) {
    guard let expected = expectedChunks else { return }
    guard expected > 0 else {
      throw ContainerError(.tampered, "a value chunk that no item has", at: place)
    }
    expectedChunks = expected - 1
  }

  private mutating func endValue(at place: UInt64) throws(ContainerError) {
    let missing = expectedChunks ?? 0
    expectedChunks = 0
    guard missing == 0 else {
      throw ContainerError(.tampered, "the value before it is not whole", at: place)
    }
  }

  private mutating func item(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> ItemRecord? {
    let frame = try reader.open(header, at: place)
    let item = try ItemRecord(reader.content, code: frame.code, header: header, place: place)
    expectedChunks = item.chunkCount
    // Where that number is not known, older sessions' items are asked for in the index.
    if item.chunkCount == nil { hasUncountedValue = true }
    if item.replaces != 0 { replacedHere.append(item.replaces) }
    if item.isTombstone || replaced.contains(place) { return nil }
    mayBeOutdated = false
    guard hasDamage || segment == nil || isBehindUncountedValue else { return item }
    do throws(ContainerError) {
      guard indexIsReadable else { return outdated(item) }
      return try index.lists(item.token, at: place) ? item : nil
    } catch  where error.code != .ioFailed {
      findings.append(error)
      indexIsReadable = false
      return outdated(item)
    }
  }

  private mutating func outdated(_ item: ItemRecord) -> ItemRecord {
    mayBeOutdated = true
    return item
  }

  /// Finds the next frame of the session behind one that could not be read.
  private mutating func recover(from error: ContainerError) throws(ContainerError) {
    // A frame whose header held has been stepped over; its body is lost, nothing else.
    if error.offset != position { return }
    var place = position + Format.alignment
    while let candidate = try reader.nextMagic(from: place) {
      if let header = try? reader.header(at: candidate),
        segment == nil || header.segment == segment,
        nextSequence.map({ header.sequence >= $0 }) ?? true || segment == nil
      {
        position = candidate
        nextSequence = header.sequence
        return
      }
      place = candidate + Format.alignment
    }
    position = sessionEnd
  }

  /// Goes on with the session before the one that has been read.
  private mutating func enterOlderSession() throws(ContainerError) -> Bool {
    guard !isAtEnd else { return false }
    replaced.formUnion(replacedHere)
    replacedHere = []
    let segment = chain.nextSegment
    do throws(ContainerError) {
      guard let (commit, _) = try chain.next() else {
        isAtEnd = true
        return false
      }
      enter(commit.firstFrame, commit.place, segment)
    } catch  where error.code != .ioFailed {
      // The commits before are lost; their items are still there, as far as the index lists them.
      findings.append(error)
      hasDamage = true
      isAtEnd = true
      enter(archive.firstSession, sessionStart, nil)
    }
    return true
  }

  private mutating func enter(_ start: UInt64, _ end: UInt64, _ segment: Segment?) {
    self.segment = segment
    sessionStart = start
    position = start
    sessionEnd = end
    reader.end = end
    nextSequence = segment == nil ? nil : 0
    expectedChunks = 0
    isBehindUncountedValue = hasUncountedValue
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
    // Frames are compared with what remains before this is believed.
    guard byteCount <= archive.byteCount * 1032 else {
      throw ContainerError(.tampered, "value: its length", at: item.place)
    }
    value.prepare(count: Int(byteCount))
    value.resize(to: 0)
    var rules = ChunkRules(item)
    // Whatever happens to the value, what is left of it is passed over.
    expectedChunks = nil
    defer { if rules.isComplete { expectedChunks = 0 } }
    while !rules.isComplete {
      let place = position
      let header = try reader.header(at: place)
      try rules.check(header, at: place)
      position = place + UInt64(header.frameByteCount)
      nextSequence = header.sequence &+ 1
      let frame = try reader.open(header, at: place)
      if frame.code & 2 != 0 {
        if inflater == nil { inflater = try Inflater() }
        guard let inflater else { break }
        var raw = SecretBytes(count: 0)
        let count = try inflater.inflate(reader, into: &raw, at: place)
        try rules.take(code: frame.code, rawByteCount: count, at: place)
        try Self.append(raw.bytes.extracting(0..<count), to: &value, at: place)
      } else {
        try rules.take(code: frame.code, rawByteCount: reader.content.byteCount, at: place)
        try Self.append(reader.content, to: &value, at: place)
      }
    }
    return true
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
