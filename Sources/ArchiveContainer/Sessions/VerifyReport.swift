// What verification finds, and how an open archive is verified.

/// Something that verification found.
package struct VerifyFinding: Sendable {
  package let error: ContainerError
  /// The item that it costs, where that is known.
  package let item: ItemRecord?
}

/// What verification saw.
package struct VerifyReport: Sendable {
  package internal(set) var findings: [VerifyFinding] = []
  package internal(set) var frameCount: UInt64 = 0
  package internal(set) var sessionCount: UInt64 = 0
  /// Items that are there with their whole value, dead ones among them.
  package internal(set) var wholeItems: UInt64 = 0
  /// Bytes of all values, as they were packed.
  package internal(set) var valueByteCount: UInt64 = 0
  /// Of the header that opened; none where the archive was just written.
  package internal(set) var slots: [Slot] = []
  /// The newest commit that was passed.
  package internal(set) var commit: Commit?
  /// The bytes that were read.
  package internal(set) var byteCount: UInt64 = 0
}

extension VerifyReport {
  /// Whether it has a finding at the same place that is no less grave.
  fileprivate func tells(_ error: ContainerError) -> Bool {
    findings.contains { $0.error.offset == error.offset && $0.error.severity >= error.severity }
  }
}

extension OpenedHeader {
  /// Slots whose label does not open: no one is kept from reading by that.
  fileprivate var labelFindings: [VerifyFinding] {
    slots.filter { $0.hasUnreadableLabel(keys: keys) }.map { slot in
      VerifyFinding(
        error: ContainerError(
          .tampered, "slot \(slot.id): the label does not open", at: copy.place),
        item: nil)
    }
  }
}

/// Judges what the container does not look into: an item's attributes.
package typealias ItemCheck = @Sendable (ItemRecord) throws(ContainerError) -> Void

extension OpenedArchive {
  /// Where the commits stand that can be reached from the newest, the oldest last.
  private func commitPlaces() throws(ContainerError) -> [UInt64] {
    var chain = CommitChain(self)
    var places: [UInt64] = []
    do throws(ContainerError) {
      while let (commit, _, _) = try chain.next() { places.append(commit.place) }
    } catch  where error.code != .ioFailed {
      // What is wrong with it, the verifier tells when it gets there.
    }
    return places
  }

  /// Checks everything, and that the index lists exactly the live items.
  package func verify(
    itemCheck: ItemCheck? = nil, progress: ((UInt64) -> Void)? = nil
  ) throws(ContainerError) -> VerifyReport {
    var verifier = Verifier(
      device: device, keys: keys, firstSession: firstSession,
      headerSequence: max(header.copy.sequence, commit.headerSequence),
      end: min(byteCount, commit.end), endIsKnown: byteCount >= commit.end,
      commitPlaces: try commitPlaces(), itemCheck: itemCheck, progress: progress)
    var report = try verifier.run()
    do throws(ContainerError) {
      try verifier.checkIndex(
        root: commit.root, before: commit.place, device: device, keys: keys,
        firstSession: firstSession)
    } catch  where error.code == .ioFailed {
      throw error
    } catch {
      if !report.tells(error) {
        report.findings.append(VerifyFinding(error: error, item: nil))
      }
    }
    for finding in findings where !report.tells(finding.error) {
      report.findings.append(VerifyFinding(error: finding.error, item: nil))
    }
    report.findings += header.labelFindings
    report.slots = header.slots
    return report
  }
}
