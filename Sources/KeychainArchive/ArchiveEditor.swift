// Changes an archive in place: items are added, changed and deleted in one commit.

package import ArchiveContainer
internal import ByteCoding
package import KeychainModel

/// One commit's worth of changes. Not for several threads at once.
///
/// Nothing counts before `commit`; an editor that is dropped leaves the archive as it was. After a call
/// has thrown, the editor is of no use any more.
package final class ArchiveEditor {
  /// The archive as it was before, mended.
  package let archive: KeychainArchive
  private let update: ArchiveUpdate
  private var encoder: ItemEncoder
  /// Of the archive as it was before. Kept, as are the nodes that it has read.
  private var index: IndexReader
  /// The places of items that this commit changes, and the origins of their new revisions.
  private var changes: [UInt64: UInt32] = [:]

  /// What was put right before, for messages.
  package var repairs: [String] { update.repairs }

  /// Begins changing `archive`, which was opened on a device that can be written, under the write lock.
  ///
  /// - Throws: `.tampered`, `.damaged`, `.unsupported` and `.rollback` where writers have to keep off.
  package init(
    _ archive: KeychainArchive, compresses: Bool = true, limits: SessionLimits = .standard
  ) throws(ArchiveError) {
    do {
      update = try ArchiveUpdate(archive.opened, compresses: compresses, limits: limits)
      encoder = try ItemEncoder(archive.opened.keys)
    } catch {
      throw ArchiveError(error)
    }
    self.archive = KeychainArchive(update.archive)
    index = IndexReader(update.archive)
  }

  /// The item with the same primary key as `item`; nil where there is none.
  package func item(like item: KeychainItem) throws(ArchiveError) -> StoredItem? {
    let token = try encoder.encode(item)
    var found: StoredItem?
    do {
      for record in try index.items(in: token...token) {
        let candidate = try StoredItem(record)
        var key: [UInt8] = []
        candidate.item.appendPrimaryKey(to: &key)
        // Equal tokens are legal: what counts is what they stand for.
        if key == encoder.primaryKey { found = candidate }
      }
    } catch let error as ContainerError {
      throw ArchiveError(error)
    } catch let error as ArchiveError {
      throw error
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
    return found
  }

  /// Adds `item`, or makes it the new revision of `old`, with a value that is at hand; nil for none.
  ///
  /// - Parameter origin: what the caller knows the item by, for messages about duplicates.
  package func put(
    _ item: KeychainItem, value: RawSpan?, replacing old: StoredItem? = nil, origin: UInt32
  ) throws(ArchiveError) {
    try note(old, origin)
    let token = try encoder.encode(item)
    do {
      try update.append(
        attributes: encoder.attributes, token: token, value: value, replacing: old?.record,
        origin: origin)
    } catch {
      throw ArchiveError(error, item: item.displayName)
    }
  }

  /// As `put`, with a value that is read from `source`.
  package func put(
    _ item: KeychainItem, source: any ValueSource, replacing old: StoredItem? = nil,
    origin: UInt32
  ) throws(ArchiveError) {
    try note(old, origin)
    let token = try encoder.encode(item)
    do {
      try update.append(
        attributes: encoder.attributes, token: token, source: source, replacing: old?.record,
        origin: origin)
    } catch {
      throw ArchiveError(error, item: item.displayName)
    }
  }

  /// Makes `item` the new revision of `old`, whose value it keeps.
  package func put(
    _ item: KeychainItem, keepingValueOf old: StoredItem, origin: UInt32
  ) throws(ArchiveError) {
    try note(old, origin)
    let token = try encoder.encode(item)
    do {
      try update.append(
        attributes: encoder.attributes, token: token, keepingValueOf: old.record, origin: origin)
    } catch {
      throw ArchiveError(error, item: item.displayName)
    }
  }

  /// Deletes `item`.
  ///
  /// - Parameter shredding: whether the bytes of all its revisions are overwritten, too.
  package func delete(_ item: StoredItem, shredding: Bool) throws(ArchiveError) {
    try note(item, 0)
    do {
      try update.delete(item.record, shredding: shredding)
    } catch {
      throw ArchiveError(error, item: item.item.displayName)
    }
  }

  /// A commit changes an item once: what was put can't be replaced before it counts.
  private func note(_ old: StoredItem?, _ origin: UInt32) throws(ArchiveError) {
    guard let old else { return }
    if let earlier = changes.updateValue(origin, forKey: old.record.place) {
      throw ArchiveError(
        .duplicateItem, "the same item is changed twice", item: old.item.displayName,
        origins: [earlier, origin])
    }
  }

  /// Commits and syncs.
  ///
  /// - Returns: the number of the commit.
  /// - Throws: `.duplicateItem` where an item that was added is there already.
  package func commit() throws(ArchiveError) -> UInt64 {
    do {
      return try update.commit().commit.number
    } catch {
      throw ArchiveError(error)
    }
  }
}
