// What verification checks at the end of a session: both copies of the commit, the end mark, and what the
// commit says of its session and of the archive so far.

internal import ArchiveCrypto
internal import ByteCoding

extension Verifier {
  /// Reads both copies of a commit and the end mark; `place` is that of the copy with `header`.
  mutating func endOfSession(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) {
    try finishValue()
    // Behind damage the first header that is sound may be copy 2's.
    var first = place
    let copyLength = UInt64(Format.commitFrameByteCount)
    if hasDamage, let frame = try? reader.open(header, at: place), frame.code == 1 {
      first = place - copyLength
    }
    // Behind a gap this is where the count goes on.
    nextSequence = header.sequence &- (first == place ? 0 : 1)
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
    guard header.sequence == nextSequence &+ UInt32(copy) else {
      throw ContainerError(.tampered, "frames are missing or out of order", at: place)
    }
    let frame = try reader.open(header, at: place)
    if try !reader.bodyCheckHolds(header, at: place) {
      note(ContainerError(.damaged, "a frame's body check is damaged", at: place))
    }
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
    // What has been shredded since can't be counted any more: then the newest commit's count decides.
    wrongCount =
      hasDamage || commit.liveItems == liveItems
      ? nil : broken("it counts \(commit.liveItems) items, there are \(liveItems)")
    if voids.isEmpty { noteWrongCount() }
    previous = (commit, hashOfFirst ?? [])
    hashOfFirst = nil
    report.commit = commit
    report.sessionCount += 1
  }
}
