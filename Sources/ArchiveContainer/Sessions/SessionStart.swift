// What a session goes on from: nothing, or the newest commit of an archive that grows.

internal import ArchiveCrypto
internal import ByteCoding

/// The state in front of a session.
struct SessionStart {
  /// Of the header that the commit seals.
  let headerSequence: UInt64
  /// Where the first session of the archive begins, 2S.
  let firstSession: UInt64
  /// Where this session begins.
  let place: UInt64
  /// The number of its commit.
  let number: UInt64
  /// Own place and hash of the commit before; 0 and zeros for the first.
  let previous: UInt64
  let previousHash: [UInt8]
  let liveItems: UInt64
  let liveBytes: UInt64
  /// The index that the session changes; nil where there are no items.
  let root: Commit.Root?

  /// The first session of an archive, behind its header.
  ///
  /// - Parameters:
  ///   - number: of its commit: 1 for a new archive; a compacted one goes on counting.
  ///   - previousHash: of the commit that it was made from; nil for a new archive.
  init(
    headerSequence: UInt64, headerByteCount: UInt64, number: UInt64 = 1,
    previousHash: [UInt8]? = nil
  ) {
    self.headerSequence = headerSequence
    firstSession = headerByteCount
    place = headerByteCount
    self.number = number
    previous = 0
    self.previousHash = previousHash ?? [UInt8](repeating: 0, count: SHA256.byteCount)
    liveItems = 0
    liveBytes = 0
    root = nil
  }

  /// The session behind the newest commit of `archive`.
  init(after archive: OpenedArchive) throws(ContainerError) {
    let cipher = try SegmentCipher(keys: archive.keys, segment: archive.segment)
    let frame = try archive.commit.frame(
      cipher: cipher, sequence: archive.commitSequence, copy: 0)
    try self.init(
      after: archive.commit, hash: SHA256.hash(frame.bytes),
      headerSequence: archive.header.copy.sequence, firstSession: archive.firstSession)
  }

  /// The session behind `commit`.
  ///
  /// - Parameter hash: of its copy 1.
  init(
    after commit: Commit, hash: [UInt8], headerSequence: UInt64, firstSession: UInt64
  ) throws(ContainerError) {
    guard commit.number < .max else {
      throw ContainerError(.tampered, "commit: its number can't be followed", at: commit.place)
    }
    self.headerSequence = headerSequence
    self.firstSession = firstSession
    place = commit.end
    number = commit.number + 1
    previous = commit.place
    previousHash = hash
    liveItems = commit.liveItems
    liveBytes = commit.liveBytes
    root = commit.root
  }
}
