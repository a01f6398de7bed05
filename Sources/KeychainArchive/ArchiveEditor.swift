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
  /// The places of items that this commit changes.
  private var changedPlaces: Set<UInt64> = []

  /// What was put right before, for messages.
  package var repairs: [String] { update.repairs }

  /// Begins changing `archive`, which was opened on a device that can be written, under the write lock.
  ///
  /// - Throws: `.tampered`, `.damaged`, `.unsupported` and `.rollback` where writers have to keep off.
  package init(_ archive: KeychainArchive, compresses: Bool = true) throws(ArchiveError) {
    do {
      update = try ArchiveUpdate(archive.opened, compresses: compresses)
      encoder = try ItemEncoder(archive.opened.keys)
    } catch {
      throw ArchiveError(error)
    }
    self.archive = KeychainArchive(update.archive)
  }

  /// The item with the same primary key as `item`; nil where there is none.
  package func item(like item: KeychainItem) throws(ArchiveError) -> StoredItem? {
    let token = try encoder.encode(item)
    var found: StoredItem?
    do {
      var index = IndexReader(archive.opened)
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
    try note(old)
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
    try note(old)
    let token = try encoder.encode(item)
    do {
      try update.append(
        attributes: encoder.attributes, token: token, source: source, replacing: old?.record,
        origin: origin)
    } catch {
      throw ArchiveError(error, item: item.displayName)
    }
  }

  /// Deletes `item`.
  ///
  /// - Parameter shredding: whether the bytes of all its revisions are overwritten, too.
  package func delete(_ item: StoredItem, shredding: Bool) throws(ArchiveError) {
    try note(item)
    do {
      try update.delete(item.record, shredding: shredding)
    } catch {
      throw ArchiveError(error, item: item.item.displayName)
    }
  }

  /// A commit changes an item once: what was put can't be replaced before it counts.
  private func note(_ old: StoredItem?) throws(ArchiveError) {
    guard let old, !changedPlaces.insert(old.record.place).inserted else { return }
    throw ArchiveError(
      .duplicateItem, "the same item is changed twice", item: old.item.displayName)
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
