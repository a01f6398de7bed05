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
    while place < extent.upperBound {
      let header = try reader.header(at: place)
      let end = place + UInt64(header.frameByteCount)
      guard end <= extent.upperBound else {
        throw ContainerError(.tampered, "tombstone: an extent within a frame", at: place)
      }
      let void = Self.void(header)
      if try !isVoid(void, at: place) {
        try device.put(void.bytes, at: place)
        frameCount += 1
      }
      place = end
    }
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
      let header: FrameHeader
      do {
        header = try reader.header(at: place)
        if header.type == FrameType.item {
          let frame = try reader.open(header, at: place)
          let item = try ItemRecord(
            reader.content, code: frame.code, header: header, place: place)
          extents += try item.extents(from: archive.firstSession, before: commit.firstFrame)
        }
      } catch  where error.code != .ioFailed {
        // What is damaged here is told by `verify`; whether it was a tombstone can't be known.
        break
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
