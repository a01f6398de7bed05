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
  /// Where its value ends, if that is all there by its headers and body checks and was not opened yet.
  var deferredEnd: UInt64?
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
  private let firstSession: UInt64
  private var reader: FrameReader
  private var found: [ItemID: ItemRecord] = [:]
  private var committed: Set<Segment> = []
  private var newest: (commit: Commit, segment: Segment, sequence: UInt32)?
  private var newestIsInPlace = false
  private var damage: [ContainerError] = []
  /// Up to here all bytes are explained: they are frames or end marks.
  private var explained: UInt64
  private let itemCheck: ItemCheck?
  /// Bytes of frames that were tried in vain: a hostile file may be nothing but headers.
  private var triedInVain: UInt64 = 0
  private let defersValues: Bool
  private var deferred = DeferredValues()

  private static let progressByteCount: UInt64 = 1 << 20
  /// So much of the file may be tried in vain over again.
  private static let mostTries: UInt64 = 4
  private static let mostFindings = 1000

  /// - Parameters:
  ///   - header: what keys come from; sessions begin behind it, if it is still in front.
  ///   - itemCheck: judges an item's attributes: one that is malformed is not taken.
  ///   - defersValues: whether a value that is all there by its headers and body checks is left for the
  ///     copying to open.
  init(
    _ device: any Device, _ header: OpenedHeader, itemCheck: ItemCheck?, defersValues: Bool
  ) throws(ContainerError) {
    byteCount = try device.fetchByteCount()
    self.device = device
    keys = header.keys
    firstSession = header.copy.firstSession
    self.itemCheck = itemCheck
    self.defersValues = defersValues
    explained = firstSession
    reader = FrameReader(device: device, keys: keys, end: byteCount, readAhead: 256 << 10)
  }

  /// - Parameter progress: gets the place that was reached.
  /// - Returns: nil where a frame whose body check holds does not open: what may stand in it was not
  ///   looked for.
  consuming func run(
    progress: ((UInt64) -> Void)?
  ) throws(ContainerError) -> SalvageFindings? {
    try search(progress)
    deferred.endValue(before: nil, at: byteCount)
    try explain(upTo: byteCount, next: byteCount)
    var findings = SalvageFindings()
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
      var item = SalvagedItem(
        record: record, isCommitted: committed.contains(record.segment))
      if latest[record.token] == record.place {
        item.deferredEnd = deferred.takeWhole(of: record)
        findings.items.append(item)
      } else {
        findings.superseded.append(item)
      }
    }
    deferred.finish()
    guard try opensRest() else { return nil }
    try compareWithIndex(&findings)
    findings.damage = damage.sorted { $0.offset ?? 0 < $1.offset ?? 0 }
    return findings
  }

  /// Visits every magic at every offset.
  private mutating func search(_ progress: ((UInt64) -> Void)?) throws(ContainerError) {
    var next: UInt64 = 0
    var told: UInt64 = 0
    while let place = try reader.nextFrame(from: next) {
      next = try frame(at: place)
      guard next >= told + Self.progressByteCount else { continue }
      told = next
      progress?(next)
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
    if try defers(header, at: place) {
      try explain(upTo: place, next: end)
      return end
    }
    deferred.endValue(before: header, at: place)
    // A shredded frame says nothing any more.
    if header.type == FrameType.void {
      try explain(upTo: place, next: end)
      return end
    }
    do throws(ContainerError) {
      guard FrameType.isKnown(header.type) else {
        throw ContainerError(.tampered, "a frame of unknown type \(header.type)", at: place)
      }
      let frame = try reader.open(header, at: place)
      try explain(upTo: place, next: end)
      take(frame)
      return end
    } catch  where error.code != .ioFailed {
      note(error)
      triedInVain += UInt64(header.frameByteCount)
      return triedInVain / Self.mostTries > byteCount ? end : place + 1
    }
  }

  /// Whether the frame at `place` is left for the copying to open.
  private mutating func defers(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> Bool {
    guard defersValues, deferred.continues(header, at: place) else { return false }
    do throws(ContainerError) {
      guard try reader.bodyCheckHolds(header, at: place) else { return false }
    } catch  where error.code != .ioFailed {
      return false
    }
    deferred.add(header)
    return true
  }

  /// Opens what was deferred and will not be copied.
  ///
  /// - Returns: whether all of it opens.
  private mutating func opensRest() throws(ContainerError) -> Bool {
    for range in deferred.rest {
      var place = range.lowerBound
      while place < range.upperBound {
        do throws(ContainerError) {
          let header = try reader.header(at: place)
          _ = try reader.open(header, at: place)
          place += UInt64(header.frameByteCount)
        } catch  where error.code != .ioFailed {
          return false
        }
      }
    }
    return true
  }

  /// Tells of what stands between frames and is no end mark.
  private mutating func explain(upTo place: UInt64, next: UInt64) throws(ContainerError) {
    let start = explained
    explained = max(start, next)
    guard place > start, damage.last?.offset ?? 0 < start else { return }
    let count = place - start
    if count == UInt64(Format.endMarkByteCount) {
      var mark = [UInt8](repeating: 0, count: Format.endMarkByteCount)
      _ = try device.fetch(into: &mark, 0..<mark.count, at: start)
      if EndMark.isWhole(mark.bytes) { return }
    }
    note(ContainerError(.damaged, "\(count) bytes that are no frame", at: start))
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
        if !item.isTombstone { try itemCheck?(item) }
      } catch {
        return note(error)
      }
      deferred.beginValue(of: item)
      guard let known = found[item.id], known.revision > item.revision else {
        found[item.id] = item
        return
      }
    case FrameType.commit:
      guard frame.code <= 1, frame.header.sequence >= UInt32(frame.code),
        reader.content.byteCount == Format.commitContentByteCount
      else { return note(ContainerError(.tampered, "commit: malformed", at: frame.place)) }
      // A first session begins where it says: the header in front may be gone.
      let isFirst = reader.content.u64(at: 24) == 0
      let first = isFirst ? reader.content.u64(at: 16) : 0
      let commit: Commit
      do {
        commit = try Commit(reader.content, framePlace: frame.place, firstSession: first)
      } catch {
        return note(error)
      }
      committed.insert(frame.header.segment)
      guard newest.map({ commit.number >= $0.commit.number }) ?? true else { return }
      let own =
        frame.place - min(frame.place, UInt64(frame.code) * UInt64(Format.commitFrameByteCount))
      newest = (commit, frame.header.segment, frame.header.sequence - UInt32(frame.code))
      newestIsInPlace = commit.place == own
    default: break
    }
  }

  /// Marks what the newest commit's index, where it can be read, does not list, and tells of what it lists
  /// and is not there.
  private mutating func compareWithIndex(
    _ findings: inout SalvageFindings
  ) throws(ContainerError) {
    guard let commit = findings.newest?.commit, newestIsInPlace else {
      let commit = findings.newest?.commit
      return note(
        ContainerError(
          .damaged,
          commit.map {
            "commit \($0.number) is not in its place: bytes before it are lost, or too many"
          }
            ?? "no commit opens", at: commit?.place))
    }
    var numbers: [UInt64: Int] = [:]
    for (number, item) in findings.items.enumerated() where item.record.place < commit.place {
      numbers[item.record.place] = number
    }
    var listed: Set<Int> = []
    var lost: [UInt64] = []
    var index = IndexReader(
      root: commit.root, before: commit.place, device: device, keys: keys,
      firstSession: firstSession)
    do {
      try index.forEachEntry { entry in
        if let number = numbers[entry.place], entry.names(findings.items[number].record) {
          listed.insert(number)
        } else if lost.count < Self.mostFindings {
          lost.append(entry.place)
        }
      }
      for number in numbers.values where !listed.contains(number) {
        findings.items[number].isOutdated = true
      }
    } catch  where error.code != .ioFailed {
      // What the rest does not list may be in there.
      if !damage.contains(where: { $0.offset == error.offset }) { note(error) }
    }
    let told = Set(damage.compactMap(\.offset)).union(findings.superseded.map(\.record.place))
    for place in lost where !told.contains(place) {
      note(ContainerError(.damaged, "an item that the index lists is lost", at: place))
    }
  }
}

extension IndexEntry {
  /// Whether `item` is what it lists.
  fileprivate func names(_ item: ItemRecord) -> Bool {
    token == item.token && segment == item.segment && sequence == item.sequence
  }
}
