// A new archive's file key, and a slot for each credential.

internal import ArchiveContainer
internal import ArchiveCrypto

enum NewKeys {
  /// Draws a file key and wraps it for each of `credentials`.
  ///
  /// - Throws: `.invalidItem` without a credential, `.refusedByLimit` for too many or a KDF out of bounds.
  static func make(
    for credentials: [ArchiveCredential], _ options: WriteOptions
  ) throws(ArchiveError) -> (keys: ArchiveKeys, slots: [Slot]) {
    guard !credentials.isEmpty else {
      throw ArchiveError(.invalidItem, "no credential to make a slot for")
    }
    guard credentials.count <= Format.mostSlots else {
      throw ArchiveError(
        .refusedByLimit, "\(credentials.count) credentials (at most \(Format.mostSlots))")
    }
    if let violation = options.cost.boundViolation ?? options.cost.floorViolation {
      throw ArchiveError(.refusedByLimit, "the KDF's cost is out of bounds: \(violation)")
    }
    do {
      let keys = try ArchiveKeys.fresh()
      var slots: [Slot] = []
      for (index, credential) in credentials.enumerated() {
        slots.append(
          try Slot.make(
            for: credential.credential, id: UInt32(index + 1), cost: options.cost,
            label: options.label, keys: keys))
      }
      return (keys, slots)
    } catch let error as ContainerError {
      throw ArchiveError(error)
    } catch let error as CryptoError {
      throw ArchiveError(.ioFailed, error.reason)
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
  }
}
