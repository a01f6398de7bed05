// The end of a session: two copies of a COMMIT and the end mark, 512 bytes in one write.

internal import ArchiveCrypto
internal import ByteCoding

/// The content of a COMMIT frame, equal in both copies.
package struct Commit: Equatable, Sendable {
  /// From 1, without a gap.
  package var number: UInt64
  /// The place of copy 1.
  package var place: UInt64
  /// The place of the session's first frame.
  package var firstFrame: UInt64
  /// The place of the previous COMMIT's copy 1, or 0.
  package var previous: UInt64
  /// SHA-256 of the previous COMMIT's copy 1, the whole frame; zeros for the first.
  package var previousHash: [UInt8]
  package var headerSequence: UInt64
  /// Milliseconds since 1970.
  package var time: UInt64
  package var liveItems: UInt64
  package var liveBytes: UInt64
  package var deadBytes: UInt64
  /// The index's root, nil where there are no items.
  package var root: Root?

  package struct Root: Equatable, Sendable {
    package let place: UInt64
    package let segment: Segment
    package let sequence: UInt32
    package let level: UInt8
  }

  /// Where the session ends, behind the end mark.
  package var end: UInt64 { place + UInt64(Format.endOfSessionByteCount) }

  func store(in target: inout MutableRawSpan, at offset: Int) {
    target.store(number, at: offset)
    target.store(place, at: offset + 8)
    target.store(firstFrame, at: offset + 16)
    target.store(previous, at: offset + 24)
    target.store(previousHash, at: offset + 32)
    target.store(headerSequence, at: offset + 64)
    target.store(time, at: offset + 72)
    target.store(liveItems, at: offset + 80)
    target.store(liveBytes, at: offset + 88)
    target.store(deadBytes, at: offset + 96)
    target.zero((offset + 104)..<(offset + Format.commitContentByteCount))
    if let root {
      target.store(root.place, at: offset + 104)
      root.segment.store(in: &target, at: offset + 112)
      target.store(root.sequence, at: offset + 124)
      target.store(root.level, at: offset + 128)
    }
  }

  /// The place that a COMMIT's content names as its own; nil where its length is another.
  static func ownPlace(_ content: RawSpan) -> UInt64? {
    content.byteCount == Format.commitContentByteCount ? content.u64(at: 8) : nil
  }

  /// Reads the content of the COMMIT frame at `framePlace`, its rules checked.
  ///
  /// - Throws: `.tampered`: what is authentic and breaks a rule was written so. Whether the commit
  ///   stands at its own place is judged apart.
  init(_ content: RawSpan, framePlace: UInt64, firstSession: UInt64) throws(ContainerError) {
    func broken(_ reason: String) -> ContainerError {
      ContainerError(.tampered, "commit: \(reason)", at: framePlace)
    }
    guard content.byteCount == Format.commitContentByteCount else { throw broken("length") }
    number = content.u64(at: 0)
    place = content.u64(at: 8)
    firstFrame = content.u64(at: 16)
    previous = content.u64(at: 24)
    previousHash = content.array(at: 32, count: 32)
    headerSequence = content.u64(at: 64)
    time = content.u64(at: 72)
    liveItems = content.u64(at: 80)
    liveBytes = content.u64(at: 88)
    deadBytes = content.u64(at: 96)
    let rootPlace = content.u64(at: 104)
    let segment = Segment(content, at: 112)
    let (sequence, level) = (content.u32(at: 124), content.u8(at: 128))
    guard content.isZero(129..<132), number >= 1, headerSequence >= 1 else {
      throw broken("reserved bytes or numbers")
    }
    guard firstFrame >= firstSession, firstFrame <= place,
      firstFrame.isMultiple(of: Format.alignment), place.isMultiple(of: Format.alignment)
    else { throw broken("the place of its session") }
    if previous == 0 {
      guard firstFrame == firstSession else { throw broken("the place of its session") }
    } else {
      let (end, overflows) = previous.addingReportingOverflow(UInt64(Format.endOfSessionByteCount))
      guard previous >= firstSession, !overflows, end == firstFrame,
        previous.isMultiple(of: Format.alignment)
      else { throw broken("the place of the previous commit") }
    }
    guard number > 1 || (previous == 0 && previousHash.allSatisfy { $0 == 0 }) else {
      throw broken("a first commit that follows another")
    }
    if rootPlace == 0 {
      guard segment.isZero, sequence == 0, level == 0, liveItems == 0 else {
        throw broken("an index without a place")
      }
      root = nil
    } else {
      guard rootPlace >= firstSession, rootPlace < place,
        rootPlace.isMultiple(of: Format.alignment), level <= Format.highestIndexLevel,
        liveItems > 0
      else { throw broken("the place of the index") }
      root = Root(place: rootPlace, segment: segment, sequence: sequence, level: level)
    }
  }

  package init(
    number: UInt64, place: UInt64, firstFrame: UInt64, previous: UInt64, previousHash: [UInt8],
    headerSequence: UInt64, time: UInt64, liveItems: UInt64, liveBytes: UInt64,
    deadBytes: UInt64, root: Root?
  ) {
    self.number = number
    self.place = place
    self.firstFrame = firstFrame
    self.previous = previous
    self.previousHash = previousHash
    self.headerSequence = headerSequence
    self.time = time
    self.liveItems = liveItems
    self.liveBytes = liveBytes
    self.deadBytes = deadBytes
    self.root = root
  }
}

/// The last 32 bytes of a session: a hint for who reads from the end.
enum EndMark {
  static func make(place: UInt64, number: UInt64, archiveID: [UInt8]) -> [UInt8] {
    var bytes = Format.endMarkMagic
    bytes.append(littleEndian: place)
    bytes.append(littleEndian: number)
    bytes += archiveID[..<4]
    bytes.append(littleEndian: Checksum.crc32(bytes.bytes))
    return bytes
  }

  /// What is wrong with the end mark of a commit, or nil.
  static func finding(
    _ bytes: RawSpan, place: UInt64, number: UInt64, archiveID: [UInt8], at markPlace: UInt64
  ) -> ContainerError? {
    if bytes.equals(make(place: place, number: number, archiveID: archiveID), at: 0) { return nil }
    let isWhole = Checksum.crc32(bytes.extracting(0..<28)) == bytes.u32(at: 28)
    return isWhole
      ? ContainerError(.tampered, "the end mark names another state", at: markPlace)
      : ContainerError(.damaged, "the end mark is damaged", at: markPlace)
  }
}

extension Commit {
  /// The 512 bytes that end a session.
  ///
  /// - Parameter sequence: of copy 1: the number of the session's frames before it.
  func endOfSession(
    cipher: SegmentCipher, sequence: UInt32, archiveID: [UInt8]
  ) throws(ContainerError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Format.endOfSessionByteCount)
    for copy in 0..<2 {
      let frame = try frame(cipher: cipher, sequence: sequence, copy: copy)
      var span = bytes.mutableBytes
      span.store(frame, at: copy * Format.commitFrameByteCount)
    }
    let mark = EndMark.make(place: place, number: number, archiveID: archiveID)
    var span = bytes.mutableBytes
    span.store(mark, at: 2 * Format.commitFrameByteCount)
    return bytes
  }

  /// The frame of copy 0 or 1. Sealing is deterministic: a damaged copy can be made again.
  func frame(
    cipher: SegmentCipher, sequence: UInt32, copy: Int
  ) throws(ContainerError) -> [UInt8] {
    var plaintext = SecretBytes(
      count: Format.plaintextHeaderByteCount + Format.commitContentByteCount, capacity: 256)
    var content = plaintext.mutableBytes
    store(in: &content, at: Format.plaintextHeaderByteCount)
    _ = FramePlaintext.finish(
      &plaintext, code: UInt8(copy), contentByteCount: Format.commitContentByteCount)
    var frame = [UInt8](repeating: 0, count: Format.commitFrameByteCount)
    var target = frame.mutableBytes
    _ = try cipher.seal(
      plaintext.bytes, type: FrameType.commit, sequence: sequence &+ UInt32(copy), into: &target)
    return frame
  }
}
