// What can be said of an archive without a credential: header copies, slots, frames, sessions, and
// whether the unkeyed checks hold.

internal import ByteCoding

/// An archive as it looks from outside.
package struct Structure: Sendable {
  package internal(set) var copies: HeaderCopies
  /// Slots of the copy that readers try first; nil where they can't be read.
  package internal(set) var slots: [Slot]?
  package internal(set) var findings: [ContainerError] = []
  package internal(set) var frameCount: UInt64 = 0
  /// Sessions that are closed by an end of the right shape.
  package internal(set) var sessionCount: UInt64 = 0
  /// The number in the last end mark.
  package internal(set) var newestCommit: UInt64 = 0
  /// Bytes behind the last end of a session.
  package internal(set) var tailByteCount: UInt64 = 0
  package internal(set) var byteCount: UInt64 = 0
  /// Stretches where no frame could be made out.
  package internal(set) var holes: [Range<UInt64>] = []
}

package enum StructureCheck {
  /// Walks over all frames.
  ///
  /// - Parameter checksBodies: reads every byte; else only headers are looked at, and a big archive
  ///   is shown at once.
  /// - Throws: `.notAnArchive`, and what keeps the header from being read.
  package static func run(
    _ device: any Device, checksBodies: Bool, progress: ((UInt64) -> Void)? = nil
  ) throws(ContainerError) -> Structure {
    let copies = try HeaderReader.read(from: device)
    var structure = Structure(copies: copies)
    structure.findings = copies.findings
    if copies.sound.count == 2, copies.sound[0].bytes != copies.sound[1].bytes {
      structure.findings.append(
        ContainerError(
          .truncated, "the header copies differ: a change of credentials was not finished",
          at: copies.sound[1].place))
    }
    do throws(ContainerError) {
      structure.slots = try copies.sound[0].slots()
    } catch {
      structure.findings.append(error)
    }
    let end = try device.fetchByteCount()
    var walk = FrameWalk(
      device: device, structure: structure, end: end, checksBodies: checksBodies,
      progress: progress)
    return try walk.run()
  }
}

/// One pass over the frames. What stands behind the last end of a session is a tail: nothing in it is a
/// finding of its own.
private struct FrameWalk: ~Copyable {
  private var reader: FrameReader
  private var structure: Structure
  private let archiveID: [UInt8]
  private let checksBodies: Bool
  private let progress: ((UInt64) -> Void)?
  private let end: UInt64

  private var position: UInt64
  /// Of the session that has no end yet.
  private var pending: [ContainerError] = []
  private var pendingHoles: [Range<UInt64>] = []
  private var sessionStart: UInt64
  private var segment: Segment?
  private var nextSequence: UInt32 = 0
  private var hasGap = false

  init(
    device: any Device, structure: Structure, end: UInt64, checksBodies: Bool,
    progress: ((UInt64) -> Void)?
  ) {
    reader = FrameReader(
      device: device, keys: nil, end: end, readAhead: checksBodies ? 256 << 10 : 4096)
    self.structure = structure
    self.checksBodies = checksBodies
    self.progress = progress
    self.end = end
    archiveID = structure.copies.sound[0].archiveID
    position = structure.copies.firstSession
    sessionStart = position
  }

  mutating func run() throws(ContainerError) -> Structure {
    while position < end {
      if try isAtEndOfSession() {
        try closeSession()
      } else {
        try passFrame()
      }
      progress?(position)
    }
    structure.byteCount = end
    structure.tailByteCount = end > sessionStart ? end - sessionStart : 0
    structure.holes += pendingHoles
    if structure.tailByteCount > 0 || structure.sessionCount == 0 { try judgeTail() }
    return structure
  }

  /// Behind the last end of a session.
  private mutating func judgeTail() throws(ContainerError) {
    let unfinished = ContainerError(
      .truncated,
      structure.sessionCount > 0
        ? "an unfinished append, or a cut end" : "the archive is cut or was never finished",
      at: sessionStart)
    structure.findings.append(
      try reader.nextMagic(Format.magic, from: sessionStart).map {
        ContainerError(.damaged, "another archive follows", at: $0)
      } ?? unfinished)
  }

  /// Whether the end of a session stands here: two commits that follow each other, or one and an end
  /// mark behind where the other should be.
  private mutating func isAtEndOfSession() throws(ContainerError) -> Bool {
    let one = try commitHeader(at: position)
    let two = try commitHeader(at: position + copyLength)
    if let one, let two {
      return one.segment == two.segment && two.sequence == one.sequence &+ 1
    }
    guard one != nil || two != nil else { return false }
    let mark = try reader.bytes(at: position + 2 * copyLength, count: Format.endMarkMagic.count)
    return mark == Format.endMarkMagic
  }

  private let copyLength = UInt64(Format.commitFrameByteCount)

  private mutating func commitHeader(at place: UInt64) throws(ContainerError) -> FrameHeader? {
    guard let bytes = try reader.bytes(at: place, count: Format.frameHeaderByteCount),
      let header = FrameHeader(bytes.bytes, at: 0), header.isCommit
    else { return nil }
    return header
  }

  private mutating func checkOrder(_ header: FrameHeader, _ sequence: UInt32, at place: UInt64) {
    let isInSession = segment.map { $0 == header.segment } ?? true
    if !isInSession || !(sequence == nextSequence || hasGap && sequence > nextSequence) {
      pending.append(
        ContainerError(.tampered, "frames are missing or out of order", at: place))
    }
  }

  /// Passes the 512 bytes that end a session.
  private mutating func closeSession() throws(ContainerError) {
    for copy in 0..<2 {
      let place = position + UInt64(copy) * copyLength
      let header = try commitHeader(at: place)
      if let header { checkOrder(header, header.sequence &- UInt32(copy), at: place) }
      guard place + copyLength <= end else { continue }
      if let header, try bodyFinding(header, at: place) == nil { continue }
      pending.append(ContainerError(.damaged, "commit copy \(copy + 1) is damaged", at: place))
    }
    let markPlace = position + 2 * copyLength
    if let mark = try reader.bytes(at: markPlace, count: Format.endMarkByteCount) {
      let number = mark.bytes.u64(at: 16)
      if let finding = EndMark.finding(
        mark.bytes, place: position, number: number, archiveID: archiveID, at: markPlace)
      {
        pending.append(finding)
      } else {
        structure.newestCommit = number
      }
    } else {
      pending.append(
        ContainerError(.truncated, "the end of the last session is cut", at: end))
    }
    structure.frameCount += 2
    structure.sessionCount += 1
    structure.findings += pending
    structure.holes += pendingHoles
    pending = []
    pendingHoles = []
    position = markPlace + UInt64(Format.endMarkByteCount)
    sessionStart = position
    segment = nil
    nextSequence = 0
    hasGap = false
  }

  private mutating func passFrame() throws(ContainerError) {
    let place = position
    guard let bytes = try reader.bytes(at: place, count: Format.frameHeaderByteCount) else {
      position = end
      return
    }
    guard let header = FrameHeader(bytes.bytes, at: 0), header.hasLegalLength else {
      let isSound = FrameHeader(bytes.bytes, at: 0) != nil
      pending.append(
        isSound
          ? ContainerError(.tampered, "a frame of illegal length", at: place)
          : ContainerError(.damaged, "a frame header is damaged", at: place))
      try passHole()
      return
    }
    checkOrder(header, header.sequence, at: place)
    segment = header.segment
    nextSequence = header.sequence &+ 1
    hasGap = false
    structure.frameCount += 1
    let next = place + UInt64(header.frameByteCount)
    if next <= end, let finding = try bodyFinding(header, at: place) { pending.append(finding) }
    position = next
  }

  private mutating func bodyFinding(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> ContainerError? {
    guard checksBodies else { return nil }
    if header.type == FrameType.void { return try reader.voidFinding(header, at: place) }
    if try reader.bodyCheckHolds(header, at: place) { return nil }
    return ContainerError(
      .damaged, "\(FrameType.name(header.type)) frame: sealed bytes changed", at: place)
  }

  /// Goes on at the next sound header.
  private mutating func passHole() throws(ContainerError) {
    hasGap = true
    let start = position
    position = end
    var place = start + Format.alignment
    while let candidate = try reader.nextMagic(from: place) {
      if let bytes = try reader.bytes(at: candidate, count: Format.frameHeaderByteCount),
        FrameHeader(bytes.bytes, at: 0)?.hasLegalLength ?? false
      {
        position = candidate
        break
      }
      place = candidate + Format.alignment
    }
    pendingHoles.append(start..<position)
  }
}
