// Makes a new archive of all live items of an old one: compacted under the same file key, or rekeyed.

package import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainModel

/// An archive that was rewritten and not yet read back.
package struct Rewritten: Sendable {
  package let summary: WriteSummary
  package let readBack: ReadBack
}

extension KeychainArchive {
  /// Writes the live items to `device` under the same file key and credentials; older revisions and
  /// deleted items are left behind. The caller syncs, reads back and gives it its name.
  ///
  /// - Throws: also what is damaged: nothing is left out in silence.
  package func compact(to device: any Device) throws(ArchiveError) -> Rewritten {
    let opened = opened
    return try rewrite(to: device, keys: opened.keys) { () throws(ContainerError) in
      try ArchiveCopier(compacting: opened, to: device)
    }
  }

  /// As above, with older revisions and deletions; what was shredded is left behind. `device` is read, too.
  ///
  /// - Parameter limits: of each session. Below the format's own only in tests.
  package func compactWithHistory(
    to device: any Device, limits: SessionLimits = .standard
  ) throws(ArchiveError) -> Rewritten {
    do {
      let copier = try HistoryCopier(opened, to: device, limits: limits)
      return Rewritten(
        summary: WriteSummary(try copier.run()),
        readBack: ReadBack(device: device, keys: opened.keys))
    } catch {
      throw ArchiveError(error)
    }
  }

  /// Writes the live items to `device` under a new file key, with a slot for each of `credentials`.
  package func rekey(
    to device: any Device, credentials: [ArchiveCredential], options: WriteOptions
  ) throws(ArchiveError) -> Rewritten {
    let (keys, slots) = try NewKeys.make(for: credentials, options)
    let opened = opened
    return try rewrite(to: device, keys: keys) { () throws(ContainerError) in
      try ArchiveCopier(rekeying: opened, to: device, keys: keys, slots: slots)
    }
  }

  private func rewrite(
    to device: any Device, keys: ArchiveKeys,
    _ begin: () throws(ContainerError) -> ArchiveCopier
  ) throws(ArchiveError) -> Rewritten {
    // Tokens are keyed: under a new file key each is another.
    let keepsTokens = keys === opened.keys
    var name: String?
    do {
      var encoder = try ItemEncoder(keys)
      var copier = try begin()
      var scan = ItemScan(opened)
      while let record = try scan.next() {
        let item = try StoredItem(record)
        name = item.item.displayName
        try copier.append(
          record, token: keepsTokens ? record.token : try encoder.encode(item.item))
      }
      name = nil
      if let finding = scan.findings.first { throw finding }
      let session = try copier.finish()
      return Rewritten(
        summary: WriteSummary(session), readBack: ReadBack(device: device, keys: keys))
    } catch let error as ContainerError {
      throw ArchiveError(error, item: name)
    } catch let error as ArchiveError {
      throw error
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
  }
}
