// Overwrites the frames of deleted items by VOID frames (Spec/container.md, "Deleting and shredding"). Only what
// a committed tombstone names may be overwritten; what a crash left over, the next writer finishes.

internal import ArchiveCrypto
internal import ByteCoding

struct Shredder: ~Copyable {
  private let archive: OpenedArchive
  private let device: any Device
  private var reader: FrameReader
  /// Frames that were overwritten.
  private(set) var frameCount = 0

  init(_ archive: OpenedArchive) {
    self.archive = archive
    device = archive.device
    reader = FrameReader(
      device: device, keys: archive.keys, end: archive.commit.place, readAhead: 64 << 10)
    reader.endIsKnown = true
  }

  /// Overwrites every frame of `extents` that is not a VOID yet, and syncs if there were any.
  ///
  /// Where frames of an extent do not follow each other, the rest of it is left; the others are done.
  ///
  /// - Throws: at the end, what was wrong with the first that was left.
  mutating func run(_ extents: [Range<UInt64>]) throws(ContainerError) {
    var problem: ContainerError?
    for extent in extents {
      do {
        try overwrite(extent)
      } catch  where error.code != .ioFailed {
        problem = problem ?? error
      }
    }
    if frameCount > 0 { try device.flushToDisk() }
    if let problem { throw problem }
  }

  private mutating func overwrite(_ extent: Range<UInt64>) throws(ContainerError) {
    var place = extent.lowerBound
    var last: FrameHeader?
    while place < extent.upperBound {
      guard let header = try soundHeader(at: place) else {
        (place, last) = try fill(from: place, in: extent, behind: last)
        continue
      }
      let end = place + UInt64(header.frameByteCount)
      guard end <= extent.upperBound else {
        throw ContainerError(.tampered, "tombstone: an extent within a frame", at: place)
      }
      try putVoid(header, at: place)
      (place, last) = (end, header)
    }
  }

  private mutating func soundHeader(at place: UInt64) throws(ContainerError) -> FrameHeader? {
    do throws(ContainerError) {
      return try reader.header(at: place)
    } catch  where error.code != .ioFailed {
      return nil
    }
  }

  private mutating func putVoid(_ header: FrameHeader, at place: UInt64) throws(ContainerError) {
    let void = Self.void(header)
    guard try !isVoid(void, at: place) else { return }
    try device.put(void.bytes, at: place)
    frameCount += 1
  }

  /// Fills a hole that a torn write or damage has left with as many VOIDs as there were frames: the
  /// sequences around it tell, so that they go on without a gap.
  ///
  /// - Returns: the end of the hole, and the last header in it.
  private mutating func fill(
    from start: UInt64, in extent: Range<UInt64>, behind last: FrameHeader?
  ) throws(ContainerError) -> (UInt64, FrameHeader?) {
    // The hole ends at a frame whose header is sound; what follows the extent has one, too.
    var end = extent.upperBound
    var place = start + Format.alignment
    while let candidate = try reader.nextMagic(from: place), candidate < extent.upperBound {
      if try soundHeader(at: candidate) != nil {
        end = candidate
        break
      }
      place = candidate + Format.alignment
    }
    let next = try soundHeader(at: end)
    guard let neighbor = next ?? last else {
      throw ContainerError(.damaged, "nothing tells what stood here", at: start)
    }
    let least = UInt64(Format.frameHeaderByteCount + Format.smallestSealed)
    let most = UInt64(Format.frameHeaderByteCount + Format.largestSealed)
    var left = end - start
    var count = (left + most - 1) / most
    if let last, let next, last.segment == next.segment, next.sequence > last.sequence {
      count = max(count, UInt64(next.sequence - last.sequence - 1))
    }
    guard left >= count * least else {
      throw ContainerError(.tampered, "more frames than there is room for", at: start)
    }
    var sequence =
      next.map { $0.sequence &- UInt32(count) } ?? last.map { $0.sequence &+ 1 } ?? 0
    var header = last
    while count > 0 {
      count -= 1
      let size = min(most, left - count * least)
      let void = FrameHeader(
        voidOf: Int(size), sequence: sequence, segment: neighbor.segment)
      try putVoid(void, at: end - left)
      header = void
      left -= size
      sequence &+= 1
    }
    return (end, header)
  }

  /// The extents of the newest session's tombstones: a writer may have stopped between its commit and
  /// the overwriting.
  mutating func newestExtents() throws(ContainerError) -> [Range<UInt64>] {
    let commit = archive.commit
    // A first session has nothing to delete.
    guard commit.previous != 0 else { return [] }
    var extents: [Range<UInt64>] = []
    var place = commit.firstFrame
    while place < commit.place {
      // What is damaged here is told by `verify`; whether it was a tombstone can't be known.
      guard let header = try soundHeader(at: place) else { break }
      do throws(ContainerError) {
        if header.type == FrameType.item {
          let frame = try reader.open(header, at: place)
          let item = try ItemRecord(
            reader.content, code: frame.code, header: header, place: place)
          extents += try item.extents(from: archive.firstSession, before: commit.firstFrame)
        }
      } catch  where error.code != .ioFailed {
        // The next one may open.
      }
      place += UInt64(header.frameByteCount)
    }
    return extents
  }

  /// A VOID frame in the place of the one with `header`.
  private static func void(_ header: FrameHeader) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: header.frameByteCount)
    var span = bytes.mutableBytes
    FrameHeader.storeAuthenticated(
      type: FrameType.void, sealedByteCount: header.sealedByteCount, sequence: header.sequence,
      segment: header.segment, in: &span, at: 0)
    FrameHeader.storeChecks(0, in: &span, at: 0)
    return bytes
  }

  private func isVoid(_ void: [UInt8], at place: UInt64) throws(ContainerError) -> Bool {
    var found = [UInt8](repeating: 0, count: void.count)
    let count = try device.fetch(into: &found, 0..<found.count, at: place)
    return count == found.count && found == void
  }
}
