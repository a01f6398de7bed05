// Reads an archive from its first frame to its last and checks everything that can be checked: frames,
// items, values, index, commits and how they hang together. One pass; what comes through a pipe is copied first.

internal import ArchiveCrypto
internal import ByteCoding

struct Verifier: ~Copyable {
  /// An item whose value is being read.
  private struct OpenItem {
    let item: ItemRecord
    var rules: ChunkRules
  }

  private let device: any Device
  let firstSession: UInt64
  let headerSequence: UInt64
  let archiveID: [UInt8]
  let keys: ArchiveKeys
  var reader: FrameReader
  /// For looking back at what a frame replaces.
  private var lookBack: FrameReader
  private var inflater: Inflater?
  private var raw = SecretBytes(count: 0)
  private let progress: ((UInt64) -> Void)?
  /// Of values longer than this, only the first and the last chunk are opened.
  private let openedValueLimit: UInt64

  var report = VerifyReport()
  private var position: UInt64
  var segments: Set<Segment> = []
  private var isAtEnd = false

  // The session that is being read.
  var sessionStart: UInt64
  var segment: Segment?
  var nextSequence: UInt32 = 0
  /// Something before did not open: loose ends are part of that damage.
  var hasDamage = false
  /// The header before was damaged: frames are missing here.
  private var allowsGap = false
  private var current: OpenItem?

  // What all sessions add up to.
  var liveItems: UInt64 = 0
  private var liveFingerprint: UInt64 = 0
  var previous: (commit: Commit, hash: [UInt8])?
  /// SHA-256 of copy 1 of the commit that is being read.
  var hashOfFirst: [UInt8]?
  /// Void frames, and what tombstones say should be void.
  var voids: Set<UInt64> = []
  private var extents: [(range: Range<UInt64>, id: ItemID)] = []
  /// Items that were deleted: none of them comes back.
  private var deletedIDs: Set<ItemID> = []
  /// Of the session's items.
  private var ids: [ItemID] = []
  private var isBehindVoid = false
  /// The last place of a frame that may have been an item's and did not open.
  private var lastLostItem: UInt64?
  /// Of the frame that is being read; nil where its header can't be.
  private var type: UInt8?
  var wrongCount: ContainerError?
  /// What the item model has to say of an item's attributes, which the container does not look into.
  private let itemCheck: ItemCheck?
  /// Where the commits stand that can be reached from the newest, the oldest last.
  private var commitPlaces: [UInt64]

  /// - Parameters:
  ///   - end: where the archive ends.
  ///   - endIsKnown: whether the newest commit ends there.
  ///   - openedValueLimit: of longer values only the first and the last chunk are opened.
  ///   - commitPlaces: of the commits that are known to be there, the oldest last.
  init(
    device: any Device, keys: ArchiveKeys, firstSession: UInt64, headerSequence: UInt64,
    end: UInt64, endIsKnown: Bool = false, openedValueLimit: UInt64 = .max,
    commitPlaces: [UInt64] = [], itemCheck: ItemCheck? = nil,
    progress: ((UInt64) -> Void)? = nil
  ) {
    self.commitPlaces = commitPlaces
    self.itemCheck = itemCheck
    self.openedValueLimit = openedValueLimit
    self.device = device
    self.keys = keys
    self.firstSession = firstSession
    self.headerSequence = headerSequence
    self.progress = progress
    archiveID = keys.archiveID
    reader = FrameReader(device: device, keys: keys, end: end, readAhead: 256 << 10)
    reader.endIsKnown = endIsKnown
    lookBack = FrameReader(device: device, keys: keys, end: end, readAhead: 4096)
    position = firstSession
    sessionStart = firstSession
  }

  /// - Throws: `.ioFailed` only; all else is in the report.
  mutating func run() throws(ContainerError) -> VerifyReport {
    while !isAtEnd {
      let place = position
      do throws(ContainerError) {
        try step()
      } catch  where error.code == .ioFailed {
        throw error
      } catch  where error.code == .truncated {
        try endOfData(error)
      } catch {
        note(error)
        hasDamage = true
        if type == nil || type == FrameType.item { lastLostItem = place }
        if position == place, try isForeignHeader(at: place) { break }
        // A frame whose header held has been stepped over; else the next header is looked for.
        if position == place { try recover() }
      }
      progress?(position)
    }
    report.byteCount = position
    noteWrongCount()
    sortExtents()
    checkVoids()
    try checkExtents()
    return report
  }

  mutating func noteWrongCount() {
    if let wrongCount { note(wrongCount) }
    wrongCount = nil
  }

  /// Whether another archive begins at `place`, where a session should: two files were joined.
  private mutating func isForeignHeader(at place: UInt64) throws(ContainerError) -> Bool {
    guard place == sessionStart,
      let bytes = try reader.bytes(at: place, count: Format.magic.count)
    else { return false }
    return bytes == Format.magic
  }

  /// A void has to lie in the extent of a tombstone: else a later session was cut off.
  private mutating func checkVoids() {
    for place in voids.sorted() where extent(around: place) == nil {
      // The tombstone may be among what did not open behind it.
      note(
        ContainerError(
          lastLostItem.map { $0 > place } ?? false ? .damaged : .tampered,
          "a void frame that nothing explains", at: place))
    }
  }

  /// Sorts the extents. No two of them overlap, for a frame belongs to one item, which is deleted once.
  private mutating func sortExtents() {
    extents.sort { $0.range.lowerBound < $1.range.lowerBound }
    var apart: [(range: Range<UInt64>, id: ItemID)] = []
    for extent in extents {
      if let last = apart.last, last.range.upperBound > extent.range.lowerBound {
        note(
          ContainerError(
            .tampered, "tombstones: extents that overlap", at: extent.range.lowerBound))
      } else {
        apart.append(extent)
      }
    }
    extents = apart
  }

  /// The number of the extent that `place` lies in.
  private func extent(around place: UInt64) -> Int? {
    var (low, high) = (0, extents.count)
    while low < high {
      let middle = (low + high) / 2
      if extents[middle].range.upperBound <= place { low = middle + 1 } else { high = middle }
    }
    return low < extents.count && extents[low].range.contains(place) ? low : nil
  }

  /// All frames in the extents of tombstones have to be void: else a writer stopped before it was done. What
  /// was found wrong there is no finding of its own.
  private mutating func checkExtents() throws(ContainerError) {
    var unfinished: Set<Int> = []
    var outside: [VerifyFinding] = []
    for finding in report.findings {
      if let number = finding.error.offset.flatMap({ extent(around: $0) }) {
        unfinished.insert(number)
      } else {
        outside.append(finding)
      }
    }
    report.findings = outside
    for (number, extent) in extents.enumerated() {
      var place = extent.range.lowerBound
      while place < extent.range.upperBound {
        guard let header = try lookBackHeader(at: place) else {
          unfinished.insert(number)
          break
        }
        let end = place + UInt64(header.frameByteCount)
        guard end <= extent.range.upperBound else {
          note(ContainerError(.tampered, "tombstone: an extent that ends in a frame", at: place))
          break
        }
        if !voids.contains(place) {
          unfinished.insert(number)
          if let item = try lookBackItem(header, at: place), item.id != extent.id {
            note(ContainerError(.tampered, "tombstone: an extent of another item", at: place))
          }
        }
        place = end
      }
    }
    for number in unfinished.sorted() {
      note(
        ContainerError(
          .truncated, "an unfinished shredding", at: extents[number].range.lowerBound))
    }
  }

  private mutating func lookBackHeader(at place: UInt64) throws(ContainerError) -> FrameHeader? {
    do throws(ContainerError) {
      return try lookBack.header(at: place)
    } catch  where error.code != .ioFailed {
      return nil
    }
  }

  /// The ITEM at `place`; nil where there is none that opens.
  private mutating func lookBackItem(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> ItemRecord? {
    guard header.type == FrameType.item else { return nil }
    do throws(ContainerError) {
      let frame = try lookBack.open(header, at: place)
      return try ItemRecord(lookBack.content, code: frame.code, header: header, place: place)
    } catch  where error.code != .ioFailed {
      return nil
    }
  }

  mutating func note(_ error: ContainerError, item: ItemRecord? = nil) {
    report.findings.append(VerifyFinding(error: error, item: item))
  }

  private mutating func step() throws(ContainerError) {
    let place = position
    type = nil
    let header = try reader.header(at: place)
    type = header.type
    try checkReach(header, at: place)
    if let segment, header.segment != segment {
      guard hasDamage, header.sequence == 0 else {
        position += UInt64(header.frameByteCount)
        throw ContainerError(.tampered, "a frame of another session", at: place)
      }
      // The end of the session before was lost with what was damaged.
      beginSession(at: place)
    }
    let isExpected =
      allowsGap ? header.sequence >= nextSequence : header.sequence == nextSequence
    allowsGap = false
    if header.type == FrameType.commit, isExpected {
      try endOfSession(header, at: place)
      return
    }
    position += UInt64(header.frameByteCount)
    report.frameCount += 1
    nextSequence = header.sequence &+ 1
    guard isExpected else {
      throw ContainerError(.tampered, "frames are missing or out of order", at: place)
    }
    if header.type == FrameType.void {
      voids.insert(place)
      isBehindVoid = true
      current = nil
      if let finding = try reader.voidFinding(header, at: place) { throw finding }
      return
    }
    if try skipsMiddleChunk(header, at: place) { return }
    let frame: OpenedFrame
    do throws(ContainerError) {
      frame = try reader.open(header, at: place)
    } catch  where error.code == .ioFailed || error.code == .truncated {
      throw error
    } catch {
      lose(header, error)
      return
    }
    if segment == nil {
      segment = header.segment
      guard segments.insert(header.segment).inserted else {
        throw ContainerError(.tampered, "the segment of an earlier session", at: place)
      }
    }
    if try !reader.bodyCheckHolds(header, at: place) {
      note(ContainerError(.damaged, "a frame's body check is damaged", at: place))
    }
    try take(frame)
  }

  /// Whether the frame ends before its session's commit, where that is known.
  private mutating func checkReach(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) {
    while let commit = commitPlaces.last, commit <= place { commitPlaces.removeLast() }
    guard let commit = commitPlaces.last, place + UInt64(header.frameByteCount) > commit else {
      return
    }
    position = commit
    allowsGap = true
    throw ContainerError(.tampered, "a frame that reaches over its session's end", at: place)
  }

  /// Whether the frame is a chunk of a long value that only has to be there.
  private mutating func skipsMiddleChunk(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> Bool {
    guard header.type == FrameType.value, var rules = current?.rules,
      let byteCount = current?.item.valueByteCount, byteCount > openedValueLimit,
      rules.byteCount > 0, rules.byteCount + UInt64(Format.chunkByteCount) < byteCount
    else { return false }
    try rules.check(header, at: place)
    try rules.take(code: 0, rawByteCount: Format.chunkByteCount, at: place)
    current?.rules = rules
    reader.readAhead = 4096
    return true
  }

  /// Notes a frame that does not open, by the item it costs where that is known.
  private mutating func lose(_ header: FrameHeader, _ error: ContainerError) {
    hasDamage = true
    if header.type == FrameType.value, let item = current?.item {
      note(error, item: item)
      current = nil
    } else {
      note(error)
      if header.type == FrameType.item {
        current = nil
        lastLostItem = error.offset
      }
    }
  }

  /// Checks an opened frame and what it means for the items.
  private mutating func take(_ frame: OpenedFrame) throws(ContainerError) {
    let place = frame.place
    switch frame.header.type {
    case FrameType.item:
      try finishValue()
      let item = try ItemRecord(
        reader.content, code: frame.code, header: frame.header, place: place)
      try count(item)
      current = OpenItem(item: item, rules: ChunkRules(item))
      try completeIfWhole()
    case FrameType.value:
      if hasDamage, let expected = current?.rules.nextSequence, frame.header.sequence != expected {
        // Chunks before it are lost with what was damaged.
        try finishValue()
      }
      guard let item = current?.item else {
        if hasDamage || isBehindVoid { return }
        throw ContainerError(.tampered, "a value without an item", at: place)
      }
      do throws(ContainerError) {
        try takeChunk(frame)
      } catch {
        current = nil
        hasDamage = true
        note(error, item: item)
        return
      }
      try completeIfWhole()
    case FrameType.index:
      try finishValue()
      _ = try IndexNode(
        reader.content, level: frame.code, header: frame.header, at: place,
        firstSession: firstSession)
    case FrameType.firstIgnorable...:
      guard current == nil else {
        throw ContainerError(.tampered, "an unknown frame within a value", at: place)
      }
    default:
      throw ContainerError(
        .tampered, "a frame of unknown type \(frame.header.type)", at: place)
    }
  }

  private mutating func takeChunk(_ frame: OpenedFrame) throws(ContainerError) {
    guard var rules = current?.rules else { return }
    try rules.check(frame.header, at: frame.place)
    var count = reader.content.byteCount
    if frame.code & 2 != 0 {
      if inflater == nil { inflater = try Inflater() }
      if let inflater { count = try inflater.inflate(reader, into: &raw, at: frame.place) }
    }
    try rules.take(code: frame.code, rawByteCount: count, at: frame.place)
    current?.rules = rules
  }

  private mutating func completeIfWhole() throws(ContainerError) {
    guard let current, current.rules.isComplete else { return }
    report.valueByteCount += current.rules.byteCount
    if !current.item.isTombstone { report.wholeItems += 1 }
    self.current = nil
  }

  /// Another frame follows: the value before it has to be whole.
  mutating func finishValue() throws(ContainerError) {
    guard let item = current?.item else { return }
    current = nil
    note(
      hasDamage
        ? ContainerError(.damaged, "a part of the value is missing", at: item.place)
        : ContainerError(.tampered, "value: it ends early", at: item.place),
      item: item)
    hasDamage = true
  }

  /// Adds an item to the live ones, and takes away what it replaces.
  private mutating func count(_ item: ItemRecord) throws(ContainerError) {
    isBehindVoid = false
    ids.append(item.id)
    guard !deletedIDs.contains(item.id) else {
      throw ContainerError(.tampered, "item: it was deleted before", at: item.place)
    }
    if item.isTombstone { deletedIDs.insert(item.id) } else { try itemCheck?(item) }
    let ranges = try item.extents(from: firstSession, before: sessionStart)
    extents += ranges.map { ($0, item.id) }
    if item.replaces != 0 {
      guard (firstSession..<sessionStart).contains(item.replaces) else {
        throw ContainerError(.tampered, "item: the place that it replaces", at: item.place)
      }
      // A shredded revision was never counted.
      if !voids.contains(item.replaces) {
        liveItems &-= 1
        try forget(item)
      }
    }
    if !item.isTombstone {
      liveItems &+= 1
      liveFingerprint &+= Self.fingerprint(item)
    }
  }

  /// Takes away the revision that `item` replaces.
  private mutating func forget(_ item: ItemRecord) throws(ContainerError) {
    guard let header = try lookBackHeader(at: item.replaces),
      let older = try lookBackItem(header, at: item.replaces)
    else {
      // Where that frame is damaged it has been told already.
      if hasDamage { return }
      throw ContainerError(.tampered, "item: it replaces what is no item", at: item.place)
    }
    guard older.id == item.id, older.revision < item.revision, !older.isTombstone else {
      throw ContainerError(
        .tampered, "item: it replaces what is no earlier revision of it", at: item.place)
    }
    liveFingerprint &-= Self.fingerprint(older)
  }

  mutating func beginSession(at place: UInt64) {
    position = place
    sessionStart = place
    segment = nil
    nextSequence = 0
    current = nil
    checkIDs()
  }

  /// A session has one frame for an item at most.
  private mutating func checkIDs() {
    ids.sort()
    for (id, next) in zip(ids, ids.dropFirst()) where id == next {
      note(ContainerError(.tampered, "an item that a session has twice", at: sessionStart))
      break
    }
    ids.removeAll(keepingCapacity: true)
  }

  /// The data ends: cleanly behind a commit, or within what was never committed.
  private mutating func endOfData(_ error: ContainerError) throws(ContainerError) {
    isAtEnd = true
    if position == sessionStart, report.commit != nil,
      try reader.bytes(at: position, count: 1) == nil
    {
      return
    }
    if let newest = report.commit {
      // Nothing behind the newest commit was ever part of the archive.
      report.findings.removeAll { $0.error.offset ?? 0 >= newest.end }
      note(
        position < newest.end || error.offset.map { $0 < newest.end } ?? false
          ? ContainerError(.truncated, "the end of the last session is cut", at: error.offset)
          : ContainerError(.truncated, "an unfinished append", at: newest.end))
    } else {
      note(
        ContainerError(
          .truncated, "the archive is cut or was never finished", at: error.offset))
    }
  }

  /// Looks for the next frame behind one whose header is damaged.
  private mutating func recover() throws(ContainerError) {
    allowsGap = true
    var place = position + Format.alignment
    while let candidate = try reader.nextMagic(from: place) {
      if (try? reader.header(at: candidate)) != nil {
        position = candidate
        return
      }
      place = candidate + Format.alignment
    }
    position = place
    try endOfData(ContainerError(.truncated, "", at: position))
  }

  /// Sums of these tell whether two sets of items are the same; no defence against who has the file
  /// key, who could write any index anyway.
  private static func fingerprint(_ entry: IndexEntry) -> UInt64 {
    var hash = entry.place &* 0x9E37_79B9_7F4A_7C15 ^ entry.token.lookup &* 0xBF58_476D_1CE4_E5B9
    hash ^= entry.token.primary &* 0x94D0_49BB_1331_11EB
    hash ^= entry.segment.fingerprint &+ UInt64(entry.sequence) &* 0xD6E8_FEB8_6659_FD93
    hash ^= hash >> 31
    hash &*= 0xD6E8_FEB8_6659_FD93
    return hash ^ hash >> 32
  }

  private static func fingerprint(_ item: ItemRecord) -> UInt64 {
    fingerprint(
      IndexEntry(
        token: item.token, place: item.place, segment: item.segment, sequence: item.sequence))
  }
}

extension Verifier {
  /// Whether the index lists exactly the live items that `run` saw.
  ///
  /// - Throws: `.tampered` where it does not, and what keeps a node from being read.
  mutating func checkIndex(
    root: Commit.Root?, before end: UInt64, device: any Device, keys: ArchiveKeys,
    firstSession: UInt64
  ) throws(ContainerError) {
    var index = IndexReader(
      root: root, before: end, device: device, keys: keys, firstSession: firstSession)
    var fingerprint: UInt64 = 0
    var count: UInt64 = 0
    try index.forEachEntry { entry in
      fingerprint &+= Self.fingerprint(entry)
      count += 1
    }
    guard hasDamage || (fingerprint == liveFingerprint && count == liveItems) else {
      throw ContainerError(
        .tampered, "the index lists other items than there are", at: root?.place ?? end)
    }
  }
}
