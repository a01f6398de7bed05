// Changes an archive in place: what a writer does between taking the lock and the last sync (Spec/container.md,
// "Appending"). At each moment a crash leaves the old commit or the new one as the newest.

internal import ByteCoding

/// One session behind an archive's newest commit, or several where one can't hold it all. Not for several
/// threads at once.
///
/// Nothing counts before `commit`, but where there are several sessions: those before the last count as they
/// are written. An update that is dropped cuts off what it has written; where that fails, too, the next
/// writer does.
package final class ArchiveUpdate {
  /// The archive as it was before, mended.
  package let archive: OpenedArchive
  /// What was mended, for messages.
  package let repairs: [String]
  private var writer: SessionWriter?
  private var frames: ItemFrames
  /// Made when a value is kept.
  private var values: ValueCopier?
  private var toShred: [Range<UInt64>] = []
  private var isCommitted = false
  private var sessionCount = 0
  /// What is cut off when the update is dropped begins here.
  private var keptEnd: UInt64

  /// Mends `archive` and begins a session.
  ///
  /// - Parameter archive: opened on a device that can be written, under the write lock.
  /// - Throws: what keeps writers off: `.tampered`, `.damaged`, `.unsupported`, `.rollback`.
  package init(
    _ archive: OpenedArchive, compresses: Bool = true, limits: SessionLimits = .standard
  ) throws(ContainerError) {
    var mending = Mending(archive)
    let mended = try mending.run()
    self.archive = mended
    repairs = mending.repairs
    keptEnd = mended.commit.end
    writer = try SessionWriter(appendingTo: mended, compresses: compresses, limits: limits)
    frames = ItemFrames(mended)
  }

  deinit {
    guard !isCommitted else { return }
    try? archive.device.truncate(to: keptEnd)
  }

  /// Adds an item, or a new revision of `old`, with a value that is at hand.
  package func append(
    attributes: [UInt8], token: Token, value: RawSpan?, replacing old: ItemRecord? = nil,
    origin: UInt32
  ) throws(ContainerError) {
    let old = try live(old)
    try writer!.append(
      attributes: attributes, token: token, value: value, replacing: old, origin: origin)
    try followSession()
  }

  /// Adds an item, or a new revision of `old`, whose value is read from `source`.
  package func append(
    attributes: [UInt8], token: Token, source: any ValueSource, replacing old: ItemRecord? = nil,
    origin: UInt32
  ) throws(ContainerError) {
    let old = try live(old)
    try writer!.append(
      attributes: attributes, token: token, source: source, replacing: old, origin: origin)
    try followSession()
  }

  /// Adds a new revision of `old` that keeps its value.
  package func append(
    attributes: [UInt8], token: Token, keepingValueOf old: ItemRecord, origin: UInt32
  ) throws(ContainerError) {
    try writer!.append(
      attributes: attributes, token: token, keepingValueOf: try frames.live(old), origin: origin)
    if values == nil { values = try ValueCopier(from: archive.device, keys: archive.keys) }
    try values!.copy(old, to: &writer!)
    try followSession()
  }

  /// Deletes an item.
  ///
  /// - Parameter shredding: whether the frames of all its revisions are overwritten after the commit.
  package func delete(_ old: ItemRecord, shredding: Bool) throws(ContainerError) {
    let old = try frames.live(old)
    let extents = shredding ? try frames.allRevisions(of: old) : []
    try writer!.delete(old, shredding: extents)
    try followSession()
    toShred += extents
  }

  /// Where the writer has gone on in another session: overwrites what the one before has deleted, for the next
  /// writer would look for it in the newest session only.
  private func followSession() throws(ContainerError) {
    guard let place = writer?.start.place, writer?.sessionsBefore != sessionCount else { return }
    sessionCount += 1
    guard !toShred.isEmpty else { return }
    // What is void has to lie in the extent of a tombstone: this session stays.
    keptEnd = place
    var shredder = Shredder(archive)
    try shredder.run(toShred)
    toShred = []
  }

  private func live(_ old: ItemRecord?) throws(ContainerError) -> LiveItem? {
    guard let old else { return nil }
    return try frames.live(old)
  }

  /// Writes index and commit, syncs, and overwrites what is to be shredded.
  ///
  /// Not to be called after one of the functions above has thrown.
  ///
  /// - Throws: `.duplicateItem` where an item that was added is there already.
  package func commit() throws(ContainerError) -> SessionSummary {
    guard let session = writer.take() else {
      preconditionFailure("an update is committed once")
    }
    let summary = try session.finish()
    isCommitted = true
    if !toShred.isEmpty {
      var shredder = Shredder(archive)
      try shredder.run(toShred)
    }
    return summary
  }
}
