// Salvages a damaged archive into a new one, and tells of every item that is lost or doubtful.

package import ArchiveContainer
internal import KeychainModel

/// What a salvage tells of an item, or of a place where something did not open.
package struct SalvageNote: Sendable {
  package enum Kind: String, Sendable {
    /// Not in the new archive.
    case lost
    /// Taken, though no commit says that it counts: an append was never finished, or its end is lost.
    case uncommitted
    /// Taken, though the index no longer lists it: it may have been deleted or changed.
    case outdated
    /// Left out, because a later item has the same primary key.
    case superseded
    /// A place where a frame did not open; what it was is not known.
    case damage
  }

  package let kind: Kind
  /// The item by its display name, where it is known.
  package let item: String?
  /// Where its frame stands in the damaged archive.
  package let offset: UInt64?
  package let reason: String
}

/// A damaged archive, looked through. It is only read.
package struct ArchiveSalvage: Sendable {
  private let salvage: Salvage

  /// Looks for everything that opens.
  ///
  /// - Parameters:
  ///   - savedHeader: of `header export`, for an archive that has lost both copies.
  ///   - progress: gets the place that was reached.
  package init(
    _ device: any Device, credentials: [ArchiveCredential], options: OpenOptions,
    savedHeader: [UInt8]?, progress: ((UInt64) -> Void)? = nil
  ) throws(ArchiveError) {
    do {
      salvage = try Salvage(
        device, credentials: credentials.map(\.credential), limits: options.limits,
        savedHeader: savedHeader, itemCheck: StoredItem.check, progress: progress)
    } catch {
      throw ArchiveError(error)
    }
  }

  /// Writes what was found to `device`. The caller syncs, reads back and gives it its name.
  ///
  /// - Returns: the new archive, and all there is to tell.
  package func write(
    to device: any Device
  ) throws(ArchiveError) -> (archive: Rewritten, notes: [SalvageNote]) {
    let written: SalvagedArchive
    do {
      written = try salvage.write(to: device)
    } catch {
      throw ArchiveError(error)
    }
    var lost: [UInt64: SalvageNote] = [:]
    for (record, error) in written.lost {
      lost[record.place] = SalvageNote(
        kind: .lost, item: Self.name(record), offset: record.place, reason: error.reason)
    }
    let findings = written.findings
    var notes: [SalvageNote] = []
    for item in findings.items {
      if let note = lost[item.record.place] {
        notes.append(note)
      } else if !item.isCommitted {
        notes.append(
          Self.note(.uncommitted, item, "taken, though no commit says that it counts"))
      } else if item.isOutdated {
        notes.append(
          Self.note(.outdated, item, "taken, though the index no longer lists it"))
      }
    }
    for item in findings.superseded {
      notes.append(
        Self.note(.superseded, item, "left out: a later item has the same primary key"))
    }
    let told = Set(notes.compactMap(\.offset))
    for error in findings.damage where error.offset.map({ !told.contains($0) }) ?? true {
      notes.append(
        SalvageNote(kind: .damage, item: nil, offset: error.offset, reason: error.reason))
    }
    let rewritten = Rewritten(
      summary: WriteSummary(written.session),
      readBack: ReadBack(device: device, keys: written.keys))
    return (rewritten, notes)
  }

  private static func note(
    _ kind: SalvageNote.Kind, _ item: SalvagedItem, _ reason: String
  ) -> SalvageNote {
    SalvageNote(
      kind: kind, item: name(item.record), offset: item.record.place, reason: reason)
  }

  private static func name(_ record: ItemRecord) -> String? {
    (try? StoredItem(record))?.item.displayName
  }
}
