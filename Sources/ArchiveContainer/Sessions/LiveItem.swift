// A live item with the bytes that it takes: what a session needs to know of what it replaces or deletes.

internal import ByteCoding

package struct LiveItem: Sendable {
  package let record: ItemRecord
  /// Its ITEM frame and the VALUE frames behind it.
  package let frames: Range<UInt64>

  var byteCount: UInt64 { frames.upperBound - frames.lowerBound }
}

/// What the index has of an item, and the bytes of its frames.
struct IndexedItem {
  let token: Token
  let place: UInt64
  let byteCount: UInt64
}

extension IndexedItem {
  init(_ item: LiveItem) {
    self.init(token: item.record.token, place: item.record.place, byteCount: item.byteCount)
  }
}

/// Looks at the frames of items, headers only but for older revisions.
package struct ItemFrames: ~Copyable {
  private let firstSession: UInt64
  private var reader: FrameReader

  package init(_ archive: OpenedArchive) {
    firstSession = archive.firstSession
    reader = FrameReader(
      device: archive.device, keys: archive.keys, end: archive.commit.place, readAhead: 4096)
    reader.endIsKnown = true
  }

  /// The item with its extent.
  ///
  /// - Throws: `.damaged` or `.tampered` where its frames do not follow each other.
  package mutating func live(_ record: ItemRecord) throws(ContainerError) -> LiveItem {
    var end = record.valuePlace
    var count: UInt64 = 0
    // A value of unknown length ends where its chunks do.
    while record.hasValue, record.chunkCount.map({ count < $0 }) ?? true {
      let header: FrameHeader
      do {
        header = try reader.header(at: end)
      } catch  where record.chunkCount == nil && error.code == .truncated {
        break
      }
      guard header.type == FrameType.value, header.segment == record.segment,
        header.sequence == record.sequence &+ 1 &+ UInt32(truncatingIfNeeded: count)
      else {
        if record.chunkCount == nil { break }
        throw ContainerError(.tampered, "no value chunk where one should be", at: end)
      }
      end += UInt64(header.frameByteCount)
      count += 1
    }
    return LiveItem(record: record, frames: record.place..<end)
  }

  /// The extents of an item and of all its older revisions that are still there, newest first.
  package mutating func allRevisions(
    of item: LiveItem
  ) throws(ContainerError) -> [Range<UInt64>] {
    var extents = [item.frames]
    var current = item.record
    // Each revision stands before the one that replaced it, so this ends.
    while let older = try revision(before: current) {
      extents.append(try live(older).frames)
      current = older
    }
    return extents
  }

  /// The revision that `item` replaced; nil where there is none, or none any more.
  ///
  /// - Throws: `.damaged` or `.tampered` where it can't be read.
  package mutating func revision(before item: ItemRecord) throws(ContainerError) -> ItemRecord? {
    guard item.replaces >= firstSession, let older = try revision(at: item.replaces) else {
      return nil
    }
    guard older.id == item.id, older.revision < item.revision, !older.isTombstone,
      older.place < item.place
    else {
      throw ContainerError(
        .tampered, "item: another one where its older revision should be", at: older.place)
    }
    return older
  }

  /// The revision at `place`; nil where it has been shredded.
  private mutating func revision(at place: UInt64) throws(ContainerError) -> ItemRecord? {
    let header = try reader.header(at: place)
    if header.type == FrameType.void { return nil }
    guard header.type == FrameType.item else {
      throw ContainerError(.tampered, "no item where an older revision should be", at: place)
    }
    let frame = try reader.open(header, at: place)
    return try ItemRecord(reader.content, code: frame.code, header: header, place: place)
  }
}
