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
  /// Odd, but nothing of the state is lost: a bad copy or mark, an unfinished append behind it.
  let harmless: [ContainerError]
  /// A newer end of session is there and does not open: what it committed is lost.
  let losses: [ContainerError]
}

struct StateFinder: ~Copyable {
  private let byteCount: UInt64
  private let firstSession: UInt64
  private let archiveID: [UInt8]
  private var reader: FrameReader
  /// Frames that look like commits and do not open at their own place, newest first.
  private var impostors: [Impostor] = []

  private struct Impostor {
    let place: UInt64
    let header: FrameHeader
    let finding: ContainerError
    /// The place that it names as its own, where it opens.
    let named: UInt64?
  }

  private var hasForeignHeader = false

  init(device: any Device, byteCount: UInt64, keys: ArchiveKeys, firstSession: UInt64) {
    self.byteCount = byteCount
    self.firstSession = firstSession
    archiveID = keys.archiveID
    reader = FrameReader(device: device, keys: keys, end: byteCount, readAhead: 512)
  }

  /// - Throws: where no commit opens: `.tampered` or `.damaged` when an end of session is there, else
  ///   `.truncated`.
  mutating func find() throws(ContainerError) -> FoundState {
    let endLength = UInt64(Format.endOfSessionByteCount)
    if byteCount >= firstSession + endLength, byteCount.isMultiple(of: Format.alignment),
      let found = try commit(at: byteCount - endLength)
    {
      return try describe(found)
    }
    impostors = []
    if let found = try searchBackward() { return try describe(found) }
    if let loss = loss(behind: firstSession) { throw loss }
    throw ContainerError(.truncated, "no commit: the archive was never finished, or is cut")
  }

  private typealias Opened = (commit: Commit, segment: Segment, sequence: UInt32)

  /// The commit whose copy 1 stands at `place`, by either copy.
  private mutating func commit(at place: UInt64) throws(ContainerError) -> Opened? {
    if let first = try copy(at: place) { return first }
    return try copy(at: place + UInt64(Format.commitFrameByteCount))
  }

  /// The commit in the copy at `place`, if it opens at its own place. Else it is remembered where its
  /// header is that of a commit.
  private mutating func copy(at place: UInt64) throws(ContainerError) -> Opened? {
    var named: UInt64?
    do throws(ContainerError) {
      let header = try reader.header(at: place)
      guard header.type == FrameType.commit,
        header.frameByteCount == Format.commitFrameByteCount
      else { return nil }
      do throws(ContainerError) {
        let frame = try reader.open(header, at: place)
        guard frame.code <= 1 else {
          throw ContainerError(.tampered, "commit: code \(frame.code)", at: place)
        }
        let commit = try Commit(reader.content, framePlace: place, firstSession: firstSession)
        named = commit.place
        let own = place - UInt64(frame.code) * UInt64(Format.commitFrameByteCount)
        guard commit.place == own, header.sequence >= UInt32(frame.code) else {
          throw ContainerError(.tampered, "a commit that stands at another place", at: place)
        }
        return (commit, header.segment, header.sequence - UInt32(frame.code))
      } catch  where error.code != .ioFailed {
        impostors.append(
          Impostor(place: place, header: header, finding: error, named: named))
        return nil
      }
    } catch  where error.code != .ioFailed {
      return nil
    }
  }

  /// Looks at every multiple of 16 from the end to the first session.
  private mutating func searchBackward() throws(ContainerError) -> Opened? {
    let block: UInt64 = 1 << 20
    var blockEnd = byteCount
    while blockEnd > firstSession {
      let start = max(
        firstSession, (blockEnd > block ? blockEnd - block : 0) & ~(Format.alignment - 1))
      // Magics only: what they promise is read again where one stands.
      let overlap = min(byteCount - blockEnd, 16)
      if let bytes = try reader.bytes(at: start, count: Int(blockEnd - start + overlap)) {
        var offset = (bytes.count - 8) & ~15
        while offset >= 0 {
          if start + UInt64(offset) < blockEnd {
            if FrameHeader.hasMagic(bytes.bytes, at: offset),
              bytes[offset + 4] == FrameType.commit,
              let found = try copy(at: start + UInt64(offset))
            {
              return found
            }
            if bytes.bytes.equals(Format.magic, at: offset) { hasForeignHeader = true }
          }
          offset -= 16
        }
      }
      blockEnd = start
    }
    return nil
  }

  /// What was lost behind `end`: another archive stands there (whose commits never open, which is no
  /// tampering); or both copies of an end of session do, their headers sound, and neither opens: a newer
  /// state was there. Never cut, never passed over in silence.
  private func loss(behind end: UInt64) -> ContainerError? {
    if hasForeignHeader { return ContainerError(.damaged, "another archive follows", at: end) }
    let distance = UInt64(Format.commitFrameByteCount)
    for first in impostors where first.place >= end {
      let second = impostors.first {
        $0.place == first.place + distance && $0.header.segment == first.header.segment
          && $0.header.sequence == first.header.sequence &+ 1
      }
      guard let second else { continue }
      let namesOlder = [first.named, second.named].contains { $0.map { $0 < end } ?? false }
      let worse =
        first.finding.severity >= second.finding.severity ? first.finding : second.finding
      return namesOlder || worse.code == .tampered
        ? ContainerError(.tampered, "an end of session that does not open", at: first.place)
        : ContainerError(.damaged, "both copies of a commit are damaged", at: first.place)
    }
    return nil
  }

  /// Judges the other copy, the end mark and what stands behind.
  private mutating func describe(_ found: Opened) throws(ContainerError) -> FoundState {
    let commit = found.commit
    var harmless: [ContainerError] = []
    var losses: [ContainerError] = []
    if let loss = loss(behind: commit.end) { losses.append(loss) }

    for copy in 0..<2 {
      let place = commit.place + UInt64(copy * Format.commitFrameByteCount)
      if let finding = try copyFinding(copy, at: place, like: found) { harmless.append(finding) }
    }
    let markPlace = commit.place + UInt64(2 * Format.commitFrameByteCount)
    if let mark = try reader.bytes(at: markPlace, count: Format.endMarkByteCount) {
      if let finding = EndMark.finding(
        mark.bytes, place: commit.place, number: commit.number, archiveID: archiveID,
        at: markPlace)
      {
        harmless.append(finding)
      }
    }
    if byteCount < commit.end {
      harmless = harmless.filter { $0.code != .truncated }
      harmless.append(
        ContainerError(.truncated, "the end of the last session is cut", at: byteCount))
    } else if byteCount > commit.end, losses.isEmpty, !reader.device.isBeingWritten {
      let count = byteCount - commit.end
      harmless.append(
        ContainerError(.truncated, "\(count) bytes of an unfinished append", at: commit.end))
    }
    return FoundState(
      commit: commit, segment: found.segment, sequence: found.sequence, harmless: harmless,
      losses: losses)
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
