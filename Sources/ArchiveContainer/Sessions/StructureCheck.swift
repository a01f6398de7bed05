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
    let end = device.isSeekable ? (try? device.byteCount()) ?? .max : .max
    var walk = FrameWalk(
      device: device, structure: structure, end: end, checksBodies: checksBodies,
      progress: progress)
    return try walk.run()
  }
}

private struct FrameWalk: ~Copyable {
  private var reader: FrameReader
  private var structure: Structure
  private let checksBodies: Bool
  private let progress: ((UInt64) -> Void)?
  private let end: UInt64

  private var position: UInt64
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
    position = structure.copies.firstSession
    sessionStart = position
  }

  mutating func run() throws(ContainerError) -> Structure {
    while true {
      do throws(ContainerError) {
        try step()
      } catch  where error.code == .ioFailed {
        throw error
      } catch  where error.code == .truncated {
        let hasMore = try reader.bytes(at: position, count: 1) != nil
        let isClosed = position == sessionStart && structure.sessionCount > 0
        if hasMore || !isClosed {
          structure.findings.append(
            ContainerError(
              .truncated,
              structure.sessionCount > 0
                ? "an unfinished append, or a cut end" : "the archive is cut or was never finished",
              at: error.offset))
        }
        break
      } catch {
        structure.findings.append(error)
        hasGap = true
        guard try recover() else { break }
      }
      progress?(position)
    }
    structure.byteCount = end == .max ? position : end
    structure.tailByteCount =
      structure.byteCount > sessionStart ? structure.byteCount - sessionStart : 0
    return structure
  }

  private mutating func step() throws(ContainerError) {
    let place = position
    let header = try reader.header(at: place)
    // The end of the session before was lost with what was damaged.
    if hasGap, segment != header.segment, header.sequence == 0 { segment = nil }
    if let segment, segment != header.segment || (!hasGap && header.sequence != nextSequence) {
      structure.findings.append(
        ContainerError(.tampered, "frames are missing or out of order", at: place))
    } else if segment == nil, !hasGap, header.sequence != 0 {
      structure.findings.append(
        ContainerError(.tampered, "frames are missing or out of order", at: place))
    }
    segment = header.segment
    nextSequence = header.sequence &+ 1
    structure.frameCount += 1
    if checksBodies, try !reader.bodyCheckHolds(header, at: place) {
      structure.findings.append(
        ContainerError(
          .damaged, "\(FrameType.name(header.type)) frame: sealed bytes changed", at: place))
    }
    position = place + UInt64(header.frameByteCount)
    if header.type == FrameType.commit { try closeSession(at: place) }
  }

  /// Behind the second copy of a commit an end mark has to stand.
  private mutating func closeSession(at place: UInt64) throws(ContainerError) {
    let copyLength = UInt64(Format.commitFrameByteCount)
    let markLength = UInt64(Format.endMarkByteCount)
    guard let mark = try reader.bytes(at: position, count: Format.endMarkByteCount) else { return }
    guard mark.bytes.equals(Format.endMarkMagic, at: 0),
      Checksum.crc32(mark.bytes.extracting(0..<28)) == mark.bytes.u32(at: 28)
    else { return }
    let archiveID = Array(structure.copies.sound[0].archiveID[..<4])
    if mark.bytes.u64(at: 8) != place - copyLength || !mark.bytes.equals(archiveID, at: 24) {
      structure.findings.append(
        ContainerError(.tampered, "the end mark names another state", at: position))
    }
    structure.newestCommit = mark.bytes.u64(at: 16)
    structure.sessionCount += 1
    position += markLength
    sessionStart = position
    segment = nil
    nextSequence = 0
    hasGap = false
  }

  private mutating func recover() throws(ContainerError) -> Bool {
    let start = position
    var place = position + Format.alignment
    while let candidate = try reader.nextMagic(from: place) {
      if (try? reader.header(at: candidate)) != nil {
        structure.holes.append(start..<candidate)
        position = candidate
        return true
      }
      place = candidate + Format.alignment
    }
    structure.holes.append(start..<min(end, max(place, start)))
    return false
  }
}
