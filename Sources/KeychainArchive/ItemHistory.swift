// Older revisions: those of items that are there, and those of items that were deleted. They stay in an archive until
// they are shredded or left behind by compacting.

package import ArchiveContainer
internal import ByteCoding
package import KeychainModel

/// An item as a commit made it, or its deletion.
package struct ItemRevision: Sendable {
  package enum State: String, Sendable {
    case live
    /// A newer revision came in its place, or a deletion.
    case replaced
    /// The deletion of the item, a revision of its own.
    case deleted
    /// A deletion that took the bytes of all revisions with it.
    case shredded
  }

  package let state: State
  /// Nil of a deletion.
  package let item: StoredItem?
  package let record: ItemRecord
  /// The commit that it belongs to; nil where that can't be read.
  package let session: SessionTable.Session?

  /// From 1 for each item.
  package var number: UInt64 { record.revision }
}

/// Goes from revision to revision in one archive. For one thread.
package struct RevisionReader: ~Copyable {
  private let sessions: SessionTable
  private var frames: ItemFrames

  package init(_ archive: KeychainArchive) throws(ArchiveError) {
    do {
      sessions = try SessionTable(archive.opened)
    } catch {
      throw ArchiveError(error)
    }
    frames = ItemFrames(archive.opened)
  }

  /// The newest frame of an item: a live item or a tombstone.
  package func newest(_ record: ItemRecord) throws(ArchiveError) -> ItemRevision {
    let state: ItemRevision.State =
      !record.isTombstone ? .live : record.attributes.isEmpty ? .deleted : .shredded
    return try revision(record, state)
  }

  /// The revision that `revision` replaced; nil where there is none, or none any more.
  ///
  /// - Throws: `.damaged` or `.tampered` where it can't be read.
  package mutating func revision(
    before revision: ItemRevision
  ) throws(ArchiveError) -> ItemRevision? {
    let older: ItemRecord?
    do {
      older = try frames.revision(before: revision.record)
    } catch {
      throw ArchiveError(error, item: revision.item?.item.displayName)
    }
    guard let older else { return nil }
    return try self.revision(older, .replaced)
  }

  private func revision(
    _ record: ItemRecord, _ state: ItemRevision.State
  ) throws(ArchiveError) -> ItemRevision {
    ItemRevision(
      state: state, item: record.isTombstone ? nil : try StoredItem(record), record: record,
      session: sessions.session(at: record.place))
  }
}

/// An item with a history.
package struct HistoricItem: Sendable {
  /// The item itself, or its deletion.
  package let newest: ItemRevision
  /// The newest revision that has attributes; nil where nothing but a deletion is left.
  package let latest: StoredItem?
  /// Whether `newest` may be an old revision: the index can't tell any more.
  package let mayBeOutdated: Bool
}

/// Visits all items, live or deleted, newest session first. Memory does not grow with their number.
package struct HistoryScan: ~Copyable {
  private var scan: ItemScan
  private let query: AttributeQuery
  private let lookup: UInt64?
  package var revisions: RevisionReader
  /// What could not be read so far.
  package private(set) var losses: [ArchiveError]

  /// - Parameter query: for the newest revision that is left of an item. Of what was shredded the token alone
  ///   is left: it is given where the query is empty or has its lookup key.
  package init(
    _ archive: KeychainArchive, matching query: AttributeQuery
  ) throws(ArchiveError) {
    let lookup: UInt64?
    do {
      let tokens = try TokenMaker(archive.opened.keys)
      lookup = query.lookups?.first?.lookupKey.map { tokens.lookup($0.bytes) }
    } catch {
      throw ArchiveError(error)
    }
    let revisions = try RevisionReader(archive)
    scan = ItemScan(archive.opened, .newest)
    self.revisions = revisions
    self.query = query
    self.lookup = lookup
    losses = []
  }

  /// The next item, or nil behind the last.
  package mutating func next() throws(ArchiveError) -> HistoricItem? {
    while true {
      let record: ItemRecord?
      do {
        record = try scan.next()
      } catch {
        throw ArchiveError(error)
      }
      guard let record else {
        losses += scan.findings.map { ArchiveError($0) }
        return nil
      }
      do throws(ArchiveError) {
        if let item = try historicItem(record) { return item }
      } catch  where error.code != .ioFailed {
        losses.append(error)
      }
    }
  }

  private mutating func historicItem(
    _ record: ItemRecord
  ) throws(ArchiveError) -> HistoricItem? {
    let newest = try revisions.newest(record)
    var latest = newest.item
    if newest.state == .deleted { latest = try revisions.revision(before: newest)?.item }
    if let latest {
      guard query.matches(latest.item) else { return nil }
    } else {
      let isEmpty = query.itemClass == nil && query.conditions.isEmpty
      guard isEmpty || lookup == record.token.lookup else { return nil }
    }
    return HistoricItem(newest: newest, latest: latest, mayBeOutdated: scan.mayBeOutdated)
  }
}
