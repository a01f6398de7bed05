// An archive opened at its newest commit, to be read at random.

internal import ArchiveCrypto
internal import ByteCoding

/// Something odd that did not keep the archive from opening.
package struct Finding: Sendable {
  package enum Weight: Sendable {
    /// Nothing is gone: readers warn and succeed.
    case odd
    /// The archive ends within something unfinished. Of a file nothing is gone; who reads a pipe can't
    /// look whether more was sent.
    case cut
    /// Items or values are gone.
    case loss
  }

  package let error: ContainerError
  package let weight: Weight

  package var isLoss: Bool { weight == .loss }

  package init(_ error: ContainerError, _ weight: Weight) {
    self.error = error
    self.weight = weight
  }
}

/// What the one who opens an archive knows of it: a commit that it has to contain.
package struct CommitRequirement: Sendable {
  package let number: UInt64
  /// The first bytes of SHA-256 over copy 1, 8 bytes or more; empty where only the number counts.
  package let hash: [UInt8]

  package init(number: UInt64, hash: [UInt8] = []) {
    self.number = number
    self.hash = hash
  }
}

/// How an archive is opened.
package struct OpenOptions: Sendable {
  package var limits = KDFLimits.standard
  package var requirement: CommitRequirement?
  package var acceptsOldHeader = false

  package init() {}
}

/// Immutable; readers on it each have their own buffers.
package final class OpenedArchive: Sendable {
  package let device: any Device
  package let header: OpenedHeader
  package let commit: Commit
  /// The segment of the newest session, and the sequence of its commit.
  let segment: Segment
  let commitSequence: UInt32
  package let findings: [Finding]
  package let byteCount: UInt64

  package var keys: ArchiveKeys { header.keys }
  package var firstSession: UInt64 { header.copy.firstSession }

  private init(
    device: any Device, header: OpenedHeader, state: FoundState, byteCount: UInt64
  ) {
    self.device = device
    self.header = header
    commit = state.commit
    segment = state.segment
    commitSequence = state.sequence
    self.byteCount = byteCount
    findings = header.findings.map { Finding($0, .odd) } + state.findings
  }

  /// The newest state that opens under `header`.
  private convenience init(
    _ device: any Device, byteCount: UInt64, under header: OpenedHeader
  ) throws(ContainerError) {
    var finder = StateFinder(
      device: device, byteCount: byteCount, keys: header.keys,
      firstSession: header.copy.firstSession)
    self.init(device: device, header: header, state: try finder.find(), byteCount: byteCount)
  }

  /// The same archive after its copies were made equal: nothing is odd about it any more.
  ///
  /// - Parameter copy: the header copy that counts now.
  func mended(header copy: HeaderCopy) throws(ContainerError) -> OpenedArchive {
    let state = FoundState(
      commit: commit, segment: segment, sequence: commitSequence, findings: [])
    let opened = OpenedHeader(
      copy: copy, slots: try copy.slots(), slotID: header.slotID, keys: keys, findings: [])
    return OpenedArchive(device: device, header: opened, state: state, byteCount: commit.end)
  }

  /// Opens a seekable device in the Spec's order of checks.
  ///
  /// - Throws: every family; `.truncated` with the count of whole items where no commit is left.
  package static func open(
    _ device: any Device, credentials: [Credential], options: OpenOptions
  ) throws(ContainerError) -> OpenedArchive {
    let byteCount = try device.fetchByteCount()
    let copies = try HeaderReader.read(from: device)
    var opener = HeaderOpener(copies, credentials: credentials, limits: options.limits)
    var problem: ContainerError?
    while let header = try opener.next() {
      do throws(ContainerError) {
        let archive = try OpenedArchive(device, byteCount: byteCount, under: header)
        try archive.checkFreshness(options)
        return archive
      } catch  where error.code == .truncated {
        // Of two candidates without a commit, the one that opened first counts.
        if problem == nil {
          problem = try unfinished(device, byteCount: byteCount, header: header)
        }
      } catch  where error.code == .damaged || error.code == .tampered {
        problem = problem ?? error
      }
    }
    throw problem ?? opener.failure
  }

  /// The item whose frame stands at `place` of an archive that is being written; nil where it can't be
  /// read.
  package static func item(
    at place: UInt64, on device: any Device, keys: ArchiveKeys
  ) -> ItemRecord? {
    guard device.isSeekable else { return nil }
    var reader = FrameReader(device: device, keys: keys, end: .max, readAhead: 4096)
    guard let header = try? reader.header(at: place), header.type == FrameType.item,
      let frame = try? reader.open(header, at: place)
    else { return nil }
    return try? ItemRecord(reader.content, code: frame.code, header: header, place: place)
  }

  /// Throws what can be known of a file before anyone is asked for a credential: that it is no archive,
  /// or one whose header is gone.
  package static func checkHeader(of device: any Device) throws(ContainerError) {
    _ = try HeaderReader.read(from: device)
  }

  /// The numbers of the slots that `credential` opens.
  package func slots(openedBy credential: Credential) -> [UInt32] {
    header.slots.filter { slot in
      guard slot.fits(credential),
        let opened = try? slot.open(with: credential, archiveID: keys.archiveID, at: 0)
      else { return false }
      return keys.fileKey.withBytes { constantTimeEqual(opened.bytes, $0) }
    }.map(\.id)
  }

  /// The slots of the header copy that is tried first.
  ///
  /// - Throws: what is wrong with the header, as far as it can be seen without a credential.
  package static func slots(of device: any Device) throws(ContainerError) -> [Slot] {
    try headerCopy(of: device).slots()
  }

  /// The header copy that is tried first: the newer one of those that are sound.
  package static func headerCopy(of device: any Device) throws(ContainerError) -> HeaderCopy {
    try HeaderReader.read(from: device).sound[0]
  }

  /// Reads back an archive that was just written, with the keys at hand.
  ///
  /// - Parameter openedValueLimit: of longer values only the first and the last chunk are opened.
  /// - Throws: the first thing that is not as it was written.
  package static func readBack(
    _ device: any Device, keys: ArchiveKeys, expecting summary: SessionSummary,
    openedValueLimit: UInt64, progress: ((UInt64) -> Void)? = nil
  ) throws(ContainerError) {
    let copies = try HeaderReader.read(from: device)
    for copy in copies.sound where try !copy.isAuthentic(keys) {
      throw ContainerError(.tampered, "header: the MAC does not hold", at: copy.place)
    }
    if let finding = copies.findings.first { throw finding }
    var verifier = Verifier(
      device: device, keys: keys, firstSession: copies.firstSession,
      headerSequence: copies.sound[0].sequence, end: summary.commit.end, endIsKnown: true,
      openedValueLimit: openedValueLimit, progress: progress)
    let report = try verifier.run()
    if let finding = report.findings.first { throw finding.error }
    guard report.commit == summary.commit, report.frameCount == summary.frameCount else {
      throw ContainerError(.damaged, "what is read back is not what was written")
    }
    try verifier.checkIndex(
      root: summary.commit.root, before: summary.commit.place, device: device, keys: keys,
      firstSession: copies.firstSession)
  }

  /// Opens an archive that was just written, with the keys at hand instead of a credential.
  package static func written(
    _ device: any Device, keys: ArchiveKeys
  ) throws(ContainerError) -> OpenedArchive {
    let byteCount = try device.fetchByteCount()
    let copies = try HeaderReader.read(from: device)
    let header = OpenedHeader(
      copy: copies.sound[0], slots: [], slotID: 0, keys: keys, findings: copies.findings)
    return try OpenedArchive(device, byteCount: byteCount, under: header)
  }

  /// The archive that stands on `device` now, opened with the keys of this one instead of a credential.
  ///
  /// - Returns: nil where no header copy is under these keys: another archive, or one with new keys.
  package func reopened(on device: any Device) throws(ContainerError) -> OpenedArchive? {
    let byteCount = try device.fetchByteCount()
    let copies = try HeaderReader.read(from: device)
    for copy in copies.sound where try copy.isAuthentic(keys) {
      let header = OpenedHeader(
        copy: copy, slots: try copy.slots(), slotID: header.slotID, keys: keys,
        findings: copies.findings)
      let archive = try OpenedArchive(device, byteCount: byteCount, under: header)
      try archive.checkFreshness(OpenOptions())
      return archive
    }
    return nil
  }

  /// The finding for an archive without a commit: how many items are whole.
  private static func unfinished(
    _ device: any Device, byteCount: UInt64, header: OpenedHeader
  ) throws(ContainerError) -> ContainerError {
    var verifier = Verifier(
      device: device, keys: header.keys, firstSession: header.copy.firstSession,
      headerSequence: header.copy.sequence, end: byteCount)
    let items = try verifier.run().wholeItems
    return ContainerError(
      .truncated, "the archive is cut or was never finished: \(items) whole items, no commit",
      at: byteCount)
  }

  /// Whether the header and the commit are as new as they have to be.
  private func checkFreshness(_ options: OpenOptions) throws(ContainerError) {
    guard options.acceptsOldHeader || commit.headerSequence <= header.copy.sequence else {
      throw ContainerError(
        .rollback,
        "the header is older than the newest commit: a credential that was removed may be back",
        at: header.copy.place, hint: "--accept-old-header reads it all the same")
    }
    guard let requirement = options.requirement else { return }
    guard commit.number >= requirement.number else {
      throw ContainerError(
        .rollback, "the newest commit is \(commit.number), \(requirement.number) is required")
    }
    let another = ContainerError(
      .rollback, "commit \(requirement.number) is another one than required")
    var commits = CommitChain(self)
    while let (commit, _, _) = try nextRequired(of: &commits) {
      if commit.number == requirement.number {
        guard try commits.hash().starts(with: requirement.hash) else { throw another }
        return
      }
      // A compacted archive goes on counting and keeps the hash of what it was made from.
      if commit.number - 1 == requirement.number, requirement.number > 0, commit.previous == 0 {
        guard commit.previousHash.starts(with: requirement.hash) else { throw another }
        return
      }
    }
    throw ContainerError(.rollback, "commit \(requirement.number) can't be reached")
  }
}

extension OpenedArchive {
  /// The next older commit; nil where it is lost, too: then nothing older can be reached.
  private func nextRequired(
    of commits: inout CommitChain
  ) throws(ContainerError) -> CommitChain.Link? {
    do throws(ContainerError) {
      return try commits.next()
    } catch  where error.code == .damaged || error.code == .truncated {
      return nil
    }
  }
}

/// The commits of an archive, newest first, each link checked.
struct CommitChain: ~Copyable {
  private let archive: OpenedArchive
  private var reader: FrameReader
  typealias Link = (commit: Commit, segment: Segment, sequence: UInt32)
  private let newest: Link
  private var current: Link?

  init(_ archive: OpenedArchive) {
    self.archive = archive
    reader = FrameReader(
      device: archive.device, keys: archive.keys, end: archive.byteCount, readAhead: 512)
    newest = (archive.commit, archive.segment, archive.commitSequence)
  }

  /// The next older commit, the newest at first, with its session's segment and the sequence of copy 1;
  /// nil behind the first.
  ///
  /// - Throws: `.tampered` where the chain is broken, `.damaged` where that commit is.
  mutating func next() throws(ContainerError) -> Link? {
    guard let last = current else {
      current = newest
      return newest
    }
    guard let older = try older(than: last.commit) else { return nil }
    current = older
    return older
  }

  /// The SHA-256 of copy 1 of the commit that `next` gave last.
  func hash() throws(ContainerError) -> [UInt8] {
    let (commit, segment, sequence) = current ?? newest
    let cipher = try SegmentCipher(keys: archive.keys, segment: segment)
    let frame = try commit.frame(cipher: cipher, sequence: sequence, copy: 0)
    return SHA256.hash(frame.bytes)
  }

  private mutating func older(than commit: Commit) throws(ContainerError) -> Link? {
    guard commit.previous != 0 else { return nil }
    var problem: ContainerError?
    for copy in 0..<2 {
      let place = commit.previous + UInt64(copy * Format.commitFrameByteCount)
      do throws(ContainerError) {
        let header = try reader.header(at: place)
        guard header.type == FrameType.commit, header.sequence >= UInt32(copy) else {
          throw ContainerError(.tampered, "no commit where one should be", at: place)
        }
        let frame = try reader.open(header, at: place)
        let older = try Commit(
          reader.content, framePlace: place, firstSession: archive.firstSession)
        guard frame.code == UInt8(copy), older.place == commit.previous,
          older.number == commit.number - 1
        else {
          throw ContainerError(.tampered, "the chain of commits is broken", at: place)
        }
        let sequence = header.sequence - UInt32(copy)
        let cipher = try SegmentCipher(keys: archive.keys, segment: header.segment)
        // Sealing is deterministic: copy 1 can be made again from copy 2.
        let first = try older.frame(cipher: cipher, sequence: sequence, copy: 0)
        guard SHA256.hash(first.bytes) == commit.previousHash else {
          throw ContainerError(.tampered, "the chain of commits is broken", at: place)
        }
        return (older, header.segment, sequence)
      } catch  where error.code != .ioFailed {
        problem = problem ?? error
      }
    }
    throw problem ?? ContainerError(.damaged, "an older commit is damaged", at: commit.previous)
  }
}
