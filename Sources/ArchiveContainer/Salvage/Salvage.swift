// Salvages a damaged archive: what still opens goes into a new one, and all that is lost or doubtful is told.

internal import ArchiveCrypto
internal import ByteCoding

/// What a salvage has written, and all that it has found.
package struct SalvagedArchive: Sendable {
  package let session: SessionSummary
  /// To read it back with.
  package let keys: ArchiveKeys
  package let findings: SalvageFindings
  /// The items whose values do not open, and why: they are not in the new archive.
  package let lost: [(item: ItemRecord, error: ContainerError)]
}

/// A damaged archive whose keys are known. It is only read.
package struct Salvage: Sendable {
  private let device: any Device
  private let header: OpenedHeader
  private let findings: SalvageFindings
  private let itemCheck: ItemCheck?

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
      let findings = try Self.scan(device, header, itemCheck, progress)
      guard findings.items.isEmpty, findings.newest == nil else {
        self.init(device, header, findings, itemCheck)
        return
      }
      first = first ?? (header, findings)
    }
    guard let first else { throw opener.failure }
    self.init(device, first.header, first.findings, itemCheck)
  }

  private init(
    _ device: any Device, _ header: OpenedHeader, _ findings: SalvageFindings,
    _ itemCheck: ItemCheck?
  ) {
    self.device = device
    self.header = header
    self.findings = findings
    self.itemCheck = itemCheck
  }

  /// Scans with values left for the copying to open, as far as that can be.
  private static func scan(
    _ device: any Device, _ header: OpenedHeader, _ itemCheck: ItemCheck?,
    _ progress: ((UInt64) -> Void)?
  ) throws(ContainerError) -> SalvageFindings {
    let scan = try SalvageScan(device, header, itemCheck: itemCheck, defersValues: true)
    if let findings = try scan.run(progress: progress) { return findings }
    return try scanAll(device, header, itemCheck)
  }

  /// Scans with every frame opened where it stands.
  private static func scanAll(
    _ device: any Device, _ header: OpenedHeader, _ itemCheck: ItemCheck?
  ) throws(ContainerError) -> SalvageFindings {
    guard
      let findings = try SalvageScan(device, header, itemCheck: itemCheck, defersValues: false)
        .run(progress: nil)
    else { preconditionFailure("only a scan that defers something gives up") }
    return findings
  }

  /// Writes the items to `target`; the caller syncs.
  package func write(to target: any Device) throws(ContainerError) -> SalvagedArchive {
    if let written = try write(findings, to: target) { return written }
    // Somebody has made the checks hold over a frame that does not open: what else may stand in it
    // is looked for. The session that was begun is dead; another segment is drawn for the next.
    do {
      try target.truncate(to: 0)
    } catch {
      throw ContainerError(error)
    }
    let findings = try Self.scanAll(device, header, itemCheck)
    guard let written = try write(findings, to: target) else {
      preconditionFailure("all values were opened before they were copied")
    }
    return written
  }

  /// - Returns: nil where a value whose opening was deferred does not open.
  private func write(
    _ findings: SalvageFindings, to target: any Device
  ) throws(ContainerError) -> SalvagedArchive? {
    var copier = try ArchiveCopier(
      header.copy, keys: header.keys, from: device, to: target,
      number: findings.newest.map { $0.commit.number &+ 1 } ?? 1,
      previousHash: findings.newest?.hash)
    var lost: [(item: ItemRecord, error: ContainerError)] = []
    for item in findings.items {
      let record = item.record
      if let end = item.deferredEnd {
        do {
          guard try copier.append(record, token: record.token) == end else { return nil }
        } catch  where error.isOfContent {
          return nil
        }
        continue
      }
      do {
        try copier.checkValue(of: record)
      } catch  where error.code != .ioFailed {
        lost.append((record, error))
        continue
      }
      try copier.append(record, token: record.token)
    }
    return SalvagedArchive(
      session: try copier.finish(), keys: header.keys, findings: findings, lost: lost)
  }
}

extension ContainerError {
  /// Whether it is about bytes that were read.
  fileprivate var isOfContent: Bool {
    code == .damaged || code == .tampered || code == .truncated
  }
}
