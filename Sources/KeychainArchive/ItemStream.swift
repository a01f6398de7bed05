// Visits items together with their values, in the order of the file: what restoring does.

internal import ArchiveContainer
package import ArchiveCrypto
internal import KeychainModel

/// An item on its way out of an archive.
package struct StreamedItem: Sendable {
  package let item: StoredItem
  /// Whether its value was read along; else it is long, or it has none, and `writeValue` gives it.
  package let hasValueAtHand: Bool
  package let mayBeOutdated: Bool
}

/// All items with their values. Small values come along; long ones are streamed by
/// `KeychainArchive.writeValue`.
package struct ItemStream: ~Copyable {
  private var scan: ItemScan
  /// Values up to this length are read along.
  private let valueLimit: Int

  /// What could not be read so far.
  package private(set) var losses: [ArchiveError] = []

  /// - Parameter opensValues: whether values of dead items are opened, too: what came through a pipe is
  ///   looked at as a whole.
  package init(_ archive: KeychainArchive, valueLimit: Int, opensValues: Bool = false) {
    scan = ItemScan(archive.opened, opensValues: opensValues)
    self.valueLimit = valueLimit
  }

  /// How far the stream has come, in bytes of the newest session.
  package var scannedByteCount: UInt64 { scan.scannedByteCount }

  /// The next item, its value in `value` where `hasValueAtHand` says so; nil behind the last.
  package mutating func next(
    value: inout SecretBytes
  ) throws(ArchiveError) -> StreamedItem? {
    while true {
      var name: String?
      do {
        guard let record = try scan.next() else {
          losses += scan.findings.map { ArchiveError($0) }
          return nil
        }
        let item = try StoredItem(record)
        name = item.item.displayName
        let isAtHand = try scan.readValue(of: record, into: &value, limit: valueLimit)
        return StreamedItem(
          item: item, hasValueAtHand: isAtHand && item.hasValue,
          mayBeOutdated: scan.mayBeOutdated)
      } catch let error as ContainerError where error.code == .ioFailed {
        throw ArchiveError(error)
      } catch let error as ContainerError {
        // The item's value is lost; the scan goes on behind it.
        losses.append(ArchiveError(error, item: name))
      } catch let error as ArchiveError {
        losses.append(error)
      } catch {
        preconditionFailure("only the two errors above are thrown here")
      }
    }
  }
}
