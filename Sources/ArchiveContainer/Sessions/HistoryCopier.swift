// Writes an archive's items to a new one together with their older revisions and tombstones (Spec/container.md,
// "Compacting with the history").
//
// A session never replaces what it wrote itself. So the sessions of the source are followed one by one, and
// written together as long as none of them changes an item that is among them already. Each session of the copy
// ends at a state that the source had, and has the time of that.

internal import ArchiveCrypto
internal import ByteCoding

package struct HistoryCopier: ~Copyable {
  private let source: OpenedArchive
  private var copier: ArchiveCopier
  private var reader: FrameReader
  private let sessions: [SessionTable.Session]
  private let plan: HistoryPlan
  /// Where revisions that are replaced later stand in the copy, by their places in the source.
  private var copied: [UInt64: IndexedItem] = [:]
  private var nextExtent = 0

  /// Looks through the source and begins the copy.
  ///
  /// - Parameter target: is read, too: its index is changed from session to session.
  /// - Throws: what is damaged: nothing is left out in silence.
  package init(
    _ source: OpenedArchive, to target: any Device, limits: SessionLimits = .standard
  ) throws(ContainerError) {
    let table = try SessionTable(source)
    let plan = try HistoryPlan(source, table)
    let copier = try ArchiveCopier(compactingWithHistory: source, to: target, limits: limits)
    reader = FrameReader(
      device: source.device, keys: source.keys, end: source.commit.place, readAhead: 256 << 10)
    reader.endIsKnown = true
    sessions = table.sessions
    self.plan = plan
    self.copier = copier
    self.source = source
  }

  /// Copies everything; the caller syncs.
  ///
  /// - Parameter progress: gets the place in the source that was reached.
  package consuming func run(
    progress: ((UInt64) -> Void)? = nil
  ) throws(ContainerError) -> SessionSummary {
    var groupStart = source.firstSession
    var last: SessionTable.Session?
    for (index, session) in sessions.enumerated() {
      if let last, plan.latestReplaced[index] >= groupStart, copier.hasItems {
        try copier.beginNextSession(time: last.time)
        groupStart = session.start
      }
      if plan.hasItems[index] {
        try copy(session)
        last = session
        progress?(session.commit)
      }
    }
    return try copier.finish(time: last?.time ?? source.commit.time)
  }

  /// Copies the items of a session of the source.
  private mutating func copy(_ session: SessionTable.Session) throws(ContainerError) {
    var place = session.start
    while place < session.commit {
      if let extent = extent(at: place) {
        place = min(extent.upperBound, session.commit)
        continue
      }
      let header = try reader.header(at: place)
      let end = place + UInt64(header.frameByteCount)
      guard header.type == FrameType.item else {
        // Values have been passed with their items, and a void lies in an extent.
        guard header.type == FrameType.index || header.type >= FrameType.firstIgnorable else {
          throw ContainerError(.tampered, "a frame without an item", at: place)
        }
        _ = try reader.open(header, at: place)
        place = end
        continue
      }
      let frame = try reader.open(header, at: place)
      let item = try ItemRecord(reader.content, code: frame.code, header: header, place: place)
      place = try copy(item)
    }
  }

  /// Copies an ITEM with its value.
  ///
  /// - Returns: where it ends in the source.
  private mutating func copy(_ item: ItemRecord) throws(ContainerError) -> UInt64 {
    let old = item.replaces == 0 ? nil : copied.removeValue(forKey: item.replaces)
    if item.isTombstone {
      // Of what was shredded nothing is left, and a tombstone has to name what it deletes.
      guard let old else {
        guard !item.attributes.isEmpty else {
          throw ContainerError(.tampered, "a tombstone of no item", at: item.place)
        }
        return item.valuePlace
      }
      try copier.append(tombstone: item, of: old)
      return item.valuePlace
    }
    let copy = try copier.append(item, replacing: old)
    if plan.replaced.contains(item.place) { copied[item.place] = copy.item }
    return copy.end
  }

  /// The extent of a tombstone in which `place` lies. Places rise from call to call.
  private mutating func extent(at place: UInt64) -> Range<UInt64>? {
    while nextExtent < plan.extents.count, plan.extents[nextExtent].upperBound <= place {
      nextExtent += 1
    }
    guard nextExtent < plan.extents.count, plan.extents[nextExtent].contains(place) else {
      return nil
    }
    return plan.extents[nextExtent]
  }
}

/// What has to be known of an archive before its history can be copied from its beginning.
private struct HistoryPlan {
  /// The places of revisions that are replaced or deleted later.
  var replaced: Set<UInt64> = []
  /// What tombstones made void, by place.
  var extents: [Range<UInt64>] = []
  /// By session: the highest place that it replaces, or 0.
  var latestReplaced: [UInt64]
  /// By session: whether it has items or tombstones that are copied.
  var hasItems: [Bool]

  init(_ source: OpenedArchive, _ table: SessionTable) throws(ContainerError) {
    latestReplaced = [UInt64](repeating: 0, count: table.sessions.count)
    hasItems = [Bool](repeating: false, count: table.sessions.count)
    var scan = ItemScan(source, .all)
    while let item = try scan.next() {
      if let finding = scan.findings.first { throw finding }
      guard let index = table.index(at: item.place) else {
        throw ContainerError(.damaged, "the commit of an item can't be read", at: item.place)
      }
      let shredded = try item.extents(from: source.firstSession, before: item.place)
      extents += shredded
      // What was shredded is not copied, nor is the tombstone that says so.
      if shredded.contains(where: { $0.contains(item.replaces) }) { continue }
      hasItems[index] = true
      latestReplaced[index] = max(latestReplaced[index], item.replaces)
      if item.replaces != 0 { replaced.insert(item.replaces) }
    }
    if let finding = scan.findings.first { throw finding }
    extents.sort { $0.lowerBound < $1.lowerBound }
  }
}
