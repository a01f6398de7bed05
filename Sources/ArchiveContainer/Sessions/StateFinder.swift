// Finds the state of an archive: the newest COMMIT, by place, that opens at its own place
// (Spec/container.md, "Finding the state"). The end mark is a hint only: whoever could append one could
// otherwise bring an old state back.

internal import ByteCoding

/// The state that was found, and what is odd about where it was found.
struct FoundState {
  let commit: Commit
  let segment: Segment
  /// The sequence of copy 1.
  let sequence: UInt32
  /// A bad copy or mark, an unfinished append behind it; or a newer end of session that does not open.
  let findings: [Finding]
}

struct StateFinder: ~Copyable {
  private let byteCount: UInt64
  private let firstSession: UInt64
  private let archiveID: [UInt8]
  private var reader: FrameReader

  init(device: any Device, byteCount: UInt64, keys: ArchiveKeys, firstSession: UInt64) {
    self.byteCount = byteCount
    self.firstSession = firstSession
    archiveID = keys.archiveID
    reader = FrameReader(device: device, keys: keys, end: byteCount, readAhead: 512)
  }

  /// - Throws: where no commit opens: `.tampered` or `.damaged` when an end of session is there, else
  ///   `.truncated`. `.tampered`, too, where the commit that opens breaks the format's rules.
  mutating func find() throws(ContainerError) -> FoundState {
    let endLength = UInt64(Format.endOfSessionByteCount)
    if byteCount >= firstSession + endLength, byteCount.isMultiple(of: Format.alignment) {
      let place = byteCount - endLength
      if let found = try state(at: place) { return found }
      if let found = try state(at: place + UInt64(Format.commitFrameByteCount)) { return found }
    }
    if let found = try searchBackward() { return found }
    if let loss = try loss(from: firstSession) { throw loss }
    throw ContainerError(
      .truncated, "no commit: the archive was never finished, or is cut", at: byteCount)
  }

  private typealias Opened = (commit: Commit, segment: Segment, sequence: UInt32)

  /// The state of the commit copy at `place`; nil where none opens at its own place.
  private mutating func state(at place: UInt64) throws(ContainerError) -> FoundState? {
    let header: FrameHeader
    let code: UInt8
    do throws(ContainerError) {
      header = try reader.header(at: place)
      guard header.isCommit else { return nil }
      code = try reader.open(header, at: place).code
    } catch  where error.code != .ioFailed {
      return nil
    }
    guard code <= 1,
      Commit.ownPlace(reader.content) == place - UInt64(code) * UInt64(Format.commitFrameByteCount)
    else { return nil }
    let commit = try Commit(reader.content, framePlace: place, firstSession: firstSession)
    let (sequence, underflows) = header.sequence.subtractingReportingOverflow(UInt32(code))
    guard !underflows, (sequence == 0) == (commit.firstFrame == commit.place) else {
      throw ContainerError(.tampered, "commit: its place in its session", at: place)
    }
    return try describe((commit, header.segment, sequence))
  }

  /// Looks at every multiple of 16 from the end to the first session.
  private mutating func searchBackward() throws(ContainerError) -> FoundState? {
    var blockEnd = byteCount
    while blockEnd > firstSession {
      let block = (blockEnd - 1) & ~(Self.blockByteCount - 1)
      let start = max(firstSession, block)
      for sign in try signs(in: start..<blockEnd).reversed() where !sign.isHeader {
        if let found = try state(at: sign.place) { return found }
      }
      blockEnd = start
    }
    return nil
  }

  private static let blockByteCount: UInt64 = 1 << 20

  /// The magics of header copies and of commits in a block, at multiples of 16. What they promise is
  /// read again where one stands.
  private mutating func signs(
    in block: Range<UInt64>
  ) throws(ContainerError) -> [(place: UInt64, isHeader: Bool)] {
    guard
      let bytes = try reader.bytes(
        at: block.lowerBound, count: Int(block.upperBound - block.lowerBound))
    else { return [] }
    var found: [(place: UInt64, isHeader: Bool)] = []
    for offset in stride(from: 0, through: bytes.count - Format.magic.count, by: 16) {
      let place = block.lowerBound + UInt64(offset)
      if FrameHeader.hasMagic(bytes.bytes, at: offset), bytes[offset + 4] == FrameType.commit {
        found.append((place, false))
      } else if bytes.bytes.equals(Format.magic, at: offset) {
        found.append((place, true))
      }
    }
    return found
  }

  /// What was lost behind `start`, which no commit covers: another archive stands there (whose commits
  /// never open, which is no tampering); or both copies of an end of session do, their headers sound,
  /// and neither opens at its own place: a newer state was there. Never cut, never passed over in silence.
  private mutating func loss(from start: UInt64) throws(ContainerError) -> ContainerError? {
    var worst: ContainerError?
    var block = start
    while block < byteCount {
      let blockEnd = min(byteCount, (block & ~(Self.blockByteCount - 1)) + Self.blockByteCount)
      for sign in try signs(in: block..<blockEnd) {
        if sign.isHeader {
          return ContainerError(.damaged, "another archive follows", at: sign.place)
        }
        guard let lost = try lostEnd(at: sign.place, behind: start) else { continue }
        if worst.map({ $0.severity < lost.severity }) ?? true { worst = lost }
      }
      block = blockEnd
    }
    return worst
  }

  /// The finding for the headers of two commit copies at `place`, nil where there are none.
  private mutating func lostEnd(
    at place: UInt64, behind start: UInt64
  ) throws(ContainerError) -> ContainerError? {
    let second = place + UInt64(Format.commitFrameByteCount)
    guard let one = try commitHeader(at: place), let two = try commitHeader(at: second),
      one.segment == two.segment, two.sequence == one.sequence &+ 1
    else { return nil }
    for (header, copy) in [(one, place), (two, second)] {
      do throws(ContainerError) {
        let frame = try reader.open(header, at: copy)
        guard frame.code <= 1, let named = Commit.ownPlace(reader.content), named >= start else {
          return ContainerError(.tampered, "an old commit was put here", at: copy)
        }
      } catch  where error.code == .tampered {
        return ContainerError(.tampered, "an end of session that does not open", at: copy)
      } catch  where error.code != .ioFailed {
        // The other copy may be worse.
      }
    }
    return ContainerError(.damaged, "both copies of a commit are lost", at: place)
  }

  /// The sound header of a commit at `place`, whether or not the rest of it is there.
  private mutating func commitHeader(at place: UInt64) throws(ContainerError) -> FrameHeader? {
    guard let bytes = try reader.bytes(at: place, count: Format.frameHeaderByteCount),
      let header = FrameHeader(bytes.bytes, at: 0), header.isCommit
    else { return nil }
    return header
  }

  /// Judges the other copy, the end mark and what stands behind.
  private mutating func describe(_ found: Opened) throws(ContainerError) -> FoundState {
    let commit = found.commit
    var findings: [Finding] = []
    if byteCount < commit.end {
      findings.append(
        Finding(
          ContainerError(.truncated, "the end of the last session is cut", at: byteCount), .cut))
    } else if byteCount > commit.end, !reader.device.isBeingWritten {
      let count = byteCount - commit.end
      let unfinished = ContainerError(
        .truncated, "\(count) bytes of an unfinished append", at: commit.end)
      let loss = try loss(from: commit.end)
      findings.append(loss.map { Finding($0, .loss) } ?? Finding(unfinished, .cut))
    }
    for copy in 0..<2 {
      let place = commit.place + UInt64(copy * Format.commitFrameByteCount)
      if let finding = try copyFinding(copy, at: place, like: found), finding.code != .truncated {
        findings.append(Finding(finding, .odd))
      }
    }
    let markPlace = commit.place + UInt64(2 * Format.commitFrameByteCount)
    if let mark = try reader.bytes(at: markPlace, count: Format.endMarkByteCount),
      let finding = EndMark.finding(
        mark.bytes, place: commit.place, number: commit.number, archiveID: archiveID,
        at: markPlace)
    {
      findings.append(Finding(finding, .odd))
    }
    return FoundState(
      commit: commit, segment: found.segment, sequence: found.sequence, findings: findings)
  }

  /// What is wrong with one copy of a commit that opened, or nil.
  private mutating func copyFinding(
    _ copy: Int, at place: UInt64, like found: Opened
  ) throws(ContainerError) -> ContainerError? {
    do throws(ContainerError) {
      let header = try reader.header(at: place)
      guard header.type == FrameType.commit, header.segment == found.segment,
        header.sequence == found.sequence + UInt32(copy)
      else {
        throw ContainerError(.tampered, "commit copy \(copy + 1): not this commit's", at: place)
      }
      let frame = try reader.open(header, at: place)
      let content = try Commit(reader.content, framePlace: place, firstSession: firstSession)
      guard frame.code == UInt8(copy), content == found.commit else {
        throw ContainerError(.tampered, "commit copy \(copy + 1): not this commit's", at: place)
      }
      return nil
    } catch  where error.code == .truncated && byteCount >= found.commit.end {
      return ContainerError(.tampered, "commit copy \(copy + 1): its length", at: place)
    } catch  where error.code != .ioFailed {
      return error
    }
  }
}
