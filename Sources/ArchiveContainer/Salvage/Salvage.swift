// Salvages a damaged archive: what still opens goes into a new one, and all that is lost or doubtful is told.

internal import ArchiveCrypto
internal import ByteCoding

/// A damaged archive whose keys are known. It is only read.
package struct Salvage: Sendable {
  private let device: any Device
  private let header: OpenedHeader
  package let findings: SalvageFindings

  /// Opens the header and looks for everything that opens.
  ///
  /// - Parameters:
  ///   - savedHeader: a header copy that was saved earlier, for an archive that has lost both.
  ///   - itemCheck: judges an item's attributes: one that is malformed is not taken.
  ///   - progress: gets the place that was reached.
  /// - Throws: what keeps the header from being opened.
  package init(
    _ device: any Device, credentials: [Credential], limits: KDFLimits, savedHeader: [UInt8]?,
    itemCheck: ItemCheck? = nil, progress: ((UInt64) -> Void)? = nil
  ) throws(ContainerError) {
    let copies: HeaderCopies
    if let savedHeader {
      guard let copy = HeaderCopy(savedHeader, at: 0) else {
        throw ContainerError(.damaged, "the saved header is damaged, or is none")
      }
      copies = HeaderCopies(sound: [copy], findings: [])
    } else {
      copies = try HeaderReader.read(from: device)
    }
    var opener = HeaderOpener(copies, credentials: credentials, limits: limits)
    // Of copies of two archives, the one counts under which something opens.
    var first: (header: OpenedHeader, findings: SalvageFindings)?
    while let header = try opener.next() {
      let findings = try SalvageScan(
        device, keys: header.keys, firstSession: header.copy.firstSession, itemCheck: itemCheck
      ).run(progress: progress)
      guard findings.items.isEmpty, findings.newest == nil else {
        self.init(device, header, findings)
        return
      }
      first = first ?? (header, findings)
    }
    guard let first else { throw opener.failure }
    self.init(device, first.header, first.findings)
  }

  private init(_ device: any Device, _ header: OpenedHeader, _ findings: SalvageFindings) {
    self.device = device
    self.header = header
    self.findings = findings
  }

  /// Writes the items to `target`; the caller syncs.
  ///
  /// - Parameter lose: gets each item whose value does not open, and why.
  /// - Returns: the session, and the keys to read it back with.
  package func write(
    to target: any Device, lose: (ItemRecord, ContainerError) -> Void
  ) throws(ContainerError) -> (session: SessionSummary, keys: ArchiveKeys) {
    var copier = try ArchiveCopier(
      header.copy, keys: header.keys, from: device, to: target,
      number: findings.newest.map { $0.commit.number &+ 1 } ?? 1,
      previousHash: findings.newest?.hash)
    for item in findings.items {
      do {
        try copier.checkValue(of: item.record)
      } catch  where error.code != .ioFailed {
        lose(item.record, error)
        continue
      }
      try copier.append(item.record, token: item.record.token)
    }
    return (try copier.finish(), header.keys)
  }
}
