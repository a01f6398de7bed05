// Reads an archive from its first frame to its last and checks everything that can be checked: frames,
// items, values, index, commits and how they hang together. One pass, also over a pipe.

internal import ArchiveCrypto
internal import ByteCoding

/// Something that verification found.
package struct VerifyFinding: Sendable {
  package let error: ContainerError
  /// The item that it costs, where that is known.
  package let item: ItemRecord?
}

/// What verification saw.
package struct VerifyReport: Sendable {
  package internal(set) var findings: [VerifyFinding] = []
  package internal(set) var frameCount: UInt64 = 0
  package internal(set) var sessionCount: UInt64 = 0
  /// Items that are there with their whole value, dead ones among them.
  package internal(set) var wholeItems: UInt64 = 0
  /// Bytes of all values, as they were packed.
  package internal(set) var valueByteCount: UInt64 = 0
  /// The newest commit that was passed.
  package internal(set) var commit: Commit?
  /// The bytes that were read.
  package internal(set) var byteCount: UInt64 = 0
}

struct Verifier: ~Copyable {
  /// An item whose value is being read.
  private struct OpenItem {
    let item: ItemRecord
    var rules: ChunkRules
  }

  private let device: any Device
  private let firstSession: UInt64
  private let headerSequence: UInt64
  private let archiveID: [UInt8]
  private let keys: ArchiveKeys
  private var reader: FrameReader
  /// For looking back at what a frame replaces; only where the device seeks.
  private var lookBack: FrameReader
  private var inflater: Inflater?
  private var raw = SecretBytes(count: 0)
  private let progress: ((UInt64) -> Void)?
  /// Of values longer than this, only the first and the last chunk are opened.
  private let openedValueLimit: UInt64

  private var report = VerifyReport()
  private var position: UInt64
  private var segments: Set<Segment> = []
  private var isAtEnd = false

  // The session that is being read.
  private var sessionStart: UInt64
  private var segment: Segment?
  private var nextSequence: UInt32 = 0
  /// Something before did not open: gaps and loose ends are part of that damage.
  private var hasDamage = false
  private var current: OpenItem?

  // What all sessions add up to.
  private var liveItems: UInt64 = 0
  private var liveFingerprint: UInt64 = 0
  private var previous: (commit: Commit, hash: [UInt8])?

  /// - Parameters:
  ///   - end: where the archive ends, `UInt64.max` for a pipe.
  ///   - openedValueLimit: of longer values only the first and the last chunk are opened.
  init(
    device: any Device, keys: ArchiveKeys, firstSession: UInt64, headerSequence: UInt64,
    end: UInt64, openedValueLimit: UInt64 = .max, progress: ((UInt64) -> Void)? = nil
  ) {
    self.openedValueLimit = openedValueLimit
    self.device = device
    self.keys = keys
    self.firstSession = firstSession
    self.headerSequence = headerSequence
    self.progress = progress
    archiveID = keys.archiveID
    reader = FrameReader(device: device, keys: keys, end: end, readAhead: 256 << 10)
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
        // A frame whose header held has been stepped over; else the next header is looked for.
        if position == place { try recover() }
      }
      progress?(position)
    }
    report.byteCount = position
    return report
  }

  private mutating func note(_ error: ContainerError, item: ItemRecord? = nil) {
    report.findings.append(VerifyFinding(error: error, item: item))
  }

  private mutating func step() throws(ContainerError) {
    let place = position
    let header = try reader.header(at: place)
    if let segment, header.segment != segment {
      guard hasDamage, header.sequence == 0 else {
        position += UInt64(header.frameByteCount)
        throw ContainerError(.tampered, "a frame of another session", at: place)
      }
      // The end of the session before was lost with what was damaged.
      beginSession(at: place)
    }
    let isExpected =
      hasDamage ? header.sequence >= nextSequence : header.sequence == nextSequence
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
      try checkVoid(header, at: place)
      return
    }
    if try skipsMiddleChunk(header, at: place) { return }
    let frame: OpenedFrame
    do {
      frame = try reader.open(header, at: place)
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
      if header.type == FrameType.item { current = nil }
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
      guard let item = current?.item else {
        if hasDamage { return }
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
      guard frame.code <= Format.highestIndexLevel else {
        throw ContainerError(.tampered, "index node: level \(frame.code)", at: place)
      }
      _ = try IndexNode(
        reader.content, level: frame.code, at: place, firstSession: firstSession)
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
  private mutating func finishValue() throws(ContainerError) {
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
    if item.replaces != 0, device.isSeekable {
      let header = try lookBack.header(at: item.replaces)
      // A shredded revision can't be looked at any more; its tombstone speaks for it.
      if header.type == FrameType.item {
        let frame = try lookBack.open(header, at: item.replaces)
        let older = try ItemRecord(
          lookBack.content, code: frame.code, header: header, place: item.replaces)
        guard older.id == item.id, older.revision < item.revision, !older.isTombstone,
          item.replaces < sessionStart
        else {
          throw ContainerError(
            .tampered, "item: it replaces what is no earlier revision of it", at: item.place)
        }
        liveFingerprint &-= Self.fingerprint(older.token, older.place)
      }
    }
    if item.replaces != 0 { liveItems &-= 1 }
    if !item.isTombstone {
      liveItems &+= 1
      liveFingerprint &+= Self.fingerprint(item.token, item.place)
    }
  }

  private mutating func checkVoid(_ header: FrameHeader, at place: UInt64) throws(ContainerError) {
    let count = header.frameByteCount
    guard let bytes = try reader.bytes(at: place, count: count) else { return }
    guard bytes.bytes.isZero(Format.frameHeaderByteCount..<count), header.check == 0 else {
      let sum = Checksum.body(bytes.bytes.extracting(Format.frameHeaderByteCount..<count))
      throw ContainerError(
        header.check == 0 && sum != 0 ? .damaged : .tampered, "a void frame that is not void",
        at: place)
    }
    // Shredding comes with later versions of the program; no tombstone of this archive covers it.
    hasDamage = true
  }

  /// Reads both copies of a commit and the end mark; `place` is that of the copy with `header`.
  private mutating func endOfSession(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) {
    try finishValue()
    // Behind damage the first header that is sound may be copy 2's.
    var first = place
    let copyLength = UInt64(Format.commitFrameByteCount)
    if hasDamage, let frame = try? reader.open(header, at: place), frame.code == 1 {
      first = place - copyLength
    }
    var commit: Commit?
    var lost: ContainerError?
    for copy in 0..<2 {
      let copyPlace = first + UInt64(copy) * copyLength
      // Of a pipe, copy 1 is gone when copy 2 is met behind damage.
      if copyPlace < place { continue }
      do throws(ContainerError) {
        let found = try readCommit(copy, at: copyPlace, first: first)
        if let commit, commit != found {
          throw ContainerError(.tampered, "the copies of a commit differ", at: copyPlace)
        }
        commit = commit ?? found
      } catch  where error.code == .ioFailed || error.code == .truncated && commit == nil {
        throw error
      } catch {
        note(error)
        lost = lost ?? error
      }
    }
    report.frameCount += 2
    let markPlace = first + 2 * copyLength
    guard let mark = try reader.bytes(at: markPlace, count: Format.endMarkByteCount) else {
      if let commit { try accept(commit) }
      throw ContainerError(
        .truncated, "the end of the last session is cut", at: markPlace)
    }
    if let commit {
      if let finding = EndMark.finding(
        mark.bytes, place: first, number: commit.number, archiveID: archiveID, at: markPlace)
      {
        note(finding)
      }
      try accept(commit)
    } else {
      hasDamage = true
    }
    beginSession(at: markPlace + UInt64(Format.endMarkByteCount))
  }

  private mutating func readCommit(
    _ copy: Int, at place: UInt64, first: UInt64
  ) throws(ContainerError) -> Commit {
    let header = try reader.header(at: place)
    guard header.type == FrameType.commit, header.segment == segment ?? header.segment else {
      throw ContainerError(.tampered, "no commit where one should be", at: place)
    }
    guard hasDamage || header.sequence == nextSequence &+ UInt32(copy) else {
      throw ContainerError(.tampered, "frames are missing or out of order", at: place)
    }
    let frame = try reader.open(header, at: place)
    let commit = try Commit(reader.content, framePlace: place, firstSession: firstSession)
    guard frame.code == UInt8(copy), commit.place == first else {
      throw ContainerError(.tampered, "a commit that stands at another place", at: place)
    }
    if segment == nil {
      segment = header.segment
      guard segments.insert(header.segment).inserted else {
        throw ContainerError(.tampered, "the segment of an earlier session", at: place)
      }
    }
    if copy == 0 {
      let cipher = try SegmentCipher(keys: keys, segment: header.segment)
      let bytes = try commit.frame(cipher: cipher, sequence: header.sequence, copy: 0)
      hashOfFirst = SHA256.hash(bytes.bytes)
    } else if hashOfFirst == nil {
      let cipher = try SegmentCipher(keys: keys, segment: header.segment)
      let bytes = try commit.frame(cipher: cipher, sequence: header.sequence &- 1, copy: 0)
      hashOfFirst = SHA256.hash(bytes.bytes)
    }
    return commit
  }

  private var hashOfFirst: [UInt8]?

  /// Checks what a commit says of its session and of the archive so far.
  private mutating func accept(_ commit: Commit) throws(ContainerError) {
    func broken(_ reason: String) -> ContainerError {
      ContainerError(.tampered, "commit \(commit.number): \(reason)", at: commit.place)
    }
    if !hasDamage || commit.firstFrame < sessionStart {
      if commit.firstFrame != sessionStart { note(broken("the place of its session")) }
    }
    if let previous {
      if commit.number != previous.commit.number + 1 || commit.previous != previous.commit.place
        || commit.previousHash != previous.hash
      {
        if !hasDamage { note(broken("the chain of commits is broken")) }
      }
    } else if commit.previous != 0, !hasDamage {
      note(broken("it follows a commit that is not there"))
    }
    if commit.headerSequence > headerSequence {
      note(
        ContainerError(
          .rollback, "commit \(commit.number) knows a newer header than this", at: commit.place))
    }
    if !hasDamage, commit.liveItems != liveItems {
      note(broken("it counts \(commit.liveItems) items, there are \(liveItems)"))
    }
    previous = (commit, hashOfFirst ?? [])
    hashOfFirst = nil
    report.commit = commit
    report.sessionCount += 1
  }

  private mutating func beginSession(at place: UInt64) {
    position = place
    sessionStart = place
    segment = nil
    nextSequence = 0
    current = nil
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
    var place = position + Format.alignment
    while let candidate = try reader.nextMagic(from: place) {
      if (try? reader.header(at: candidate)) != nil {
        position = candidate
        return
      }
      place = candidate + Format.alignment
    }
    position = place
    if device.isSeekable || report.commit != nil {
      try endOfData(ContainerError(.truncated, "", at: position))
    } else {
      isAtEnd = true
    }
  }

  /// Sums of these tell whether two sets of items are the same; no defence against who has the file
  /// key, who could write any index anyway.
  private static func fingerprint(_ token: Token, _ place: UInt64) -> UInt64 {
    var hash = place &* 0x9E37_79B9_7F4A_7C15 ^ token.lookup &* 0xBF58_476D_1CE4_E5B9
    hash ^= token.primary &* 0x94D0_49BB_1331_11EB
    hash ^= hash >> 31
    hash &*= 0xD6E8_FEB8_6659_FD93
    return hash ^ hash >> 32
  }
}

extension OpenedArchive {
  /// Checks everything, and that the index lists exactly the live items.
  package func verify(
    progress: ((UInt64) -> Void)? = nil
  ) throws(ContainerError) -> VerifyReport {
    var verifier = Verifier(
      device: device, keys: keys, firstSession: firstSession,
      headerSequence: header.copy.sequence, end: min(byteCount, commit.end), progress: progress)
    var report = try verifier.run()
    do throws(ContainerError) {
      try verifier.checkIndex(
        root: commit.root, before: commit.place, device: device, keys: keys,
        firstSession: firstSession)
    } catch  where error.code == .ioFailed {
      throw error
    } catch {
      if !report.findings.contains(where: { $0.error.offset == error.offset }) {
        report.findings.append(VerifyFinding(error: error, item: nil))
      }
    }
    let known = Set(report.findings.map(\.error.offset))
    report.findings += findings.filter { !known.contains($0.error.offset) }.map {
      VerifyFinding(error: $0.error, item: nil)
    }
    return report
  }

  /// Checks an archive that comes through a pipe.
  package static func verify(
    pipe device: any Device, credentials: [Credential], options: OpenOptions,
    progress: ((UInt64) -> Void)? = nil
  ) throws(ContainerError) -> VerifyReport {
    let copies = try HeaderReader.read(from: device)
    var opener = HeaderOpener(copies, credentials: credentials, limits: options.limits)
    guard let header = try opener.next() else { throw opener.failure }
    var verifier = Verifier(
      device: device, keys: header.keys, firstSession: header.copy.firstSession,
      headerSequence: header.copy.sequence, end: .max, progress: progress)
    var report = try verifier.run()
    report.findings += header.findings.map { VerifyFinding(error: $0, item: nil) }
    return report
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
      fingerprint &+= Self.fingerprint(entry.token, entry.place)
      count += 1
    }
    guard hasDamage || (fingerprint == liveFingerprint && count == liveItems) else {
      throw ContainerError(
        .tampered, "the index lists other items than there are", at: root?.place ?? end)
    }
  }
}
