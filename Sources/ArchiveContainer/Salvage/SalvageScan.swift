// Looks for everything that still opens in a damaged archive, wherever it stands: behind a hole or a cut, places
// are no longer what the archive says of itself (Spec/container.md, "Salvaging").

internal import ArchiveCrypto
internal import ByteCoding

/// An item that was found, and what is doubtful about it.
package struct SalvagedItem: Sendable {
  package let record: ItemRecord
  /// Whether its session's COMMIT opened.
  package internal(set) var isCommitted = false
  /// Whether an index that can be read no longer lists it.
  package internal(set) var isOutdated = false
}

/// What a scan of the whole file finds.
package struct SalvageFindings: Sendable {
  /// The newest revisions of items that were not deleted, in the order of the file.
  package internal(set) var items: [SalvagedItem] = []
  /// Items whose primary key another, later one has, under another uuid: they are left out.
  package internal(set) var superseded: [SalvagedItem] = []
  /// Where frames did not open, in rising order.
  package internal(set) var damage: [ContainerError] = []
  /// The newest COMMIT that opens, and the hash of its copy 1.
  package internal(set) var newest: (commit: Commit, hash: [UInt8])?
}

struct SalvageScan: ~Copyable {
  private let device: any Device
  private let keys: ArchiveKeys
  private let byteCount: UInt64
  private var reader: FrameReader
  private var found: [ItemID: ItemRecord] = [:]
  private var committed: Set<Segment> = []
  private var newest: (commit: Commit, segment: Segment, sequence: UInt32)?
  private var newestIsInPlace = false
  private var damage: [ContainerError] = []
  /// Bytes of frames that were tried in vain: a hostile file may be nothing but headers.
  private var triedInVain: UInt64 = 0

  private static let windowByteCount = 1 << 20
  /// So much of the file may be tried in vain over again.
  private static let mostTries: UInt64 = 4
  private static let mostFindings = 1000

  init(_ device: any Device, keys: ArchiveKeys) throws(ContainerError) {
    do {
      byteCount = try device.byteCount()
    } catch {
      throw ContainerError(error)
    }
    self.device = device
    self.keys = keys
    reader = FrameReader(device: device, keys: keys, end: byteCount, readAhead: 256 << 10)
  }

  /// - Parameters:
  ///   - firstSession: where sessions begin, if the header is still in front.
  ///   - progress: gets the place that was reached.
  consuming func run(
    firstSession: UInt64, progress: ((UInt64) -> Void)?
  ) throws(ContainerError) -> SalvageFindings {
    try search(progress)
    var findings = SalvageFindings()
    findings.damage = damage
    if let newest {
      let cipher = try SegmentCipher(keys: keys, segment: newest.segment)
      let frame = try newest.commit.frame(cipher: cipher, sequence: newest.sequence, copy: 0)
      findings.newest = (newest.commit, SHA256.hash(frame.bytes))
    }
    let live = found.values.filter { !$0.isTombstone }.sorted { $0.place < $1.place }
    var latest: [Token: UInt64] = [:]
    for record in live { latest[record.token] = record.place }
    let committed = committed
    for record in live {
      let item = SalvagedItem(
        record: record, isCommitted: committed.contains(record.segment))
      if latest[record.token] == record.place {
        findings.items.append(item)
      } else {
        findings.superseded.append(item)
      }
    }
    try markOutdated(&findings, firstSession: firstSession)
    return findings
  }

  /// Visits every magic at every offset.
  private mutating func search(_ progress: ((UInt64) -> Void)?) throws(ContainerError) {
    var buffer = [UInt8](repeating: 0, count: Self.windowByteCount + 3)
    var start: UInt64 = 0
    var next: UInt64 = 0
    while start < byteCount {
      // A magic may begin at the very end of a window.
      let count = try device.fetch(into: &buffer, 0..<buffer.count, at: start)
      let limit = min(count, Self.windowByteCount)
      var offset = next > start ? Int(min(next - start, UInt64(limit))) : 0
      while offset < limit {
        guard offset + 4 <= count, FrameHeader.hasMagic(buffer.bytes, at: offset) else {
          offset += 1
          continue
        }
        let place = start + UInt64(offset)
        next = try frame(at: place)
        guard next < start + UInt64(limit) else { break }
        offset = Int(next - start)
      }
      progress?(start)
      start = max(start + UInt64(limit), next)
      if limit == 0 { break }
    }
  }

  /// Tries the frame at `place`.
  ///
  /// - Returns: where to go on.
  private mutating func frame(at place: UInt64) throws(ContainerError) -> UInt64 {
    let header: FrameHeader
    do {
      header = try reader.header(at: place)
    } catch  where error.code != .ioFailed {
      note(error)
      return place + 1
    }
    let end = place + UInt64(header.frameByteCount)
    // A shredded frame says nothing any more.
    if header.type == FrameType.void { return end }
    do {
      let frame = try reader.open(header, at: place)
      take(frame)
      return end
    } catch  where error.code != .ioFailed {
      note(error)
      triedInVain += UInt64(header.frameByteCount)
      return triedInVain / Self.mostTries > byteCount ? end : place + 1
    }
  }

  private mutating func note(_ error: ContainerError) {
    if damage.count < Self.mostFindings { damage.append(error) }
  }

  private mutating func take(_ frame: OpenedFrame) {
    switch frame.header.type {
    case FrameType.item:
      let item: ItemRecord
      do {
        item = try ItemRecord(
          reader.content, code: frame.code, header: frame.header, place: frame.place,
          mayHaveMoved: true)
      } catch {
        return note(error)
      }
      guard let known = found[item.id], known.revision > item.revision else {
        found[item.id] = item
        return
      }
    case FrameType.commit:
      guard frame.code <= 1, frame.header.sequence >= UInt32(frame.code),
        reader.content.byteCount == Format.commitContentByteCount
      else { return }
      // A first session begins where it says: the header in front may be gone.
      let isFirst = reader.content.u64(at: 24) == 0
      let first = isFirst ? reader.content.u64(at: 16) : 0
      guard
        let commit = try? Commit(reader.content, framePlace: frame.place, firstSession: first)
      else { return }
      committed.insert(frame.header.segment)
      guard newest.map({ commit.number >= $0.commit.number }) ?? true else { return }
      let own =
        frame.place - min(frame.place, UInt64(frame.code) * UInt64(Format.commitFrameByteCount))
      newest = (commit, frame.header.segment, frame.header.sequence - UInt32(frame.code))
      newestIsInPlace = commit.place == own
    default: break
    }
  }

  /// Marks what the newest commit's index, where it can be read, does not list.
  private func markOutdated(
    _ findings: inout SalvageFindings, firstSession: UInt64
  ) throws(ContainerError) {
    guard let commit = findings.newest?.commit, newestIsInPlace else { return }
    var index = IndexReader(
      root: commit.root, before: commit.place, device: device, keys: keys,
      firstSession: firstSession)
    for position in findings.items.indices
    where findings.items[position].record.place < commit.place {
      let record = findings.items[position].record
      do {
        findings.items[position].isOutdated =
          try !index.lists(record.token, at: record.place)
      } catch  where error.code != .ioFailed {
        // This part of the index is lost, too.
      }
    }
  }
}
