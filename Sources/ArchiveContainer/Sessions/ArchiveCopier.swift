// Writes the live items of an archive to a new one: for compacting under the same file key, for rekeying under
// another (Spec/container.md, "Compacting and rekeying"). Values are sealed again chunk by chunk as they are,
// without being inflated.

internal import ByteCoding

package struct ArchiveCopier: ~Copyable {
  private var writer: SessionWriter
  private var values: ValueCopier

  /// Begins a compacted archive: the header byte for byte, and commits that go on counting.
  package init(compacting source: OpenedArchive, to device: any Device) throws(ContainerError) {
    let newest = try SessionStart(after: source)
    try self.init(
      source.header.copy, keys: source.keys, from: source.device, to: device,
      number: newest.number, previousHash: newest.previousHash)
  }

  /// As above, for what has older revisions, too. `target` is read, too.
  init(
    compactingWithHistory source: OpenedArchive, to target: any Device, limits: SessionLimits
  ) throws(ContainerError) {
    let newest = try SessionStart(after: source)
    try self.init(
      source.header.copy, keys: source.keys, from: source.device, to: target,
      number: newest.number, previousHash: newest.previousHash, rewritesIndex: false,
      limits: limits)
  }

  /// Begins an archive under a header that is there already.
  ///
  /// - Parameters:
  ///   - number: of its first commit.
  ///   - previousHash: of the commit that it was made from; nil for none.
  init(
    _ copy: HeaderCopy, keys: ArchiveKeys, from source: any Device, to device: any Device,
    number: UInt64, previousHash: [UInt8]?, rewritesIndex: Bool = true,
    limits: SessionLimits = .standard
  ) throws(ContainerError) {
    let header = copy.bytes + copy.bytes
    try device.put(header.bytes, at: 0)
    let start = SessionStart(
      headerSequence: copy.sequence, headerByteCount: UInt64(header.count), number: number,
      previousHash: previousHash)
    try self.init(
      source, keys,
      try SessionWriter(
        to: device, keys: keys, start: start, rewritesIndex: rewritesIndex, limits: limits))
  }

  /// Begins an archive under a new file key, whose commits count from 1.
  package init(
    rekeying source: OpenedArchive, to device: any Device, keys: ArchiveKeys, slots: [Slot]
  ) throws(ContainerError) {
    try self.init(
      source.device, source.keys,
      try SessionWriter(to: device, keys: keys, slots: slots, compresses: false))
  }

  private init(
    _ source: any Device, _ keys: ArchiveKeys, _ writer: consuming SessionWriter
  ) throws(ContainerError) {
    values = try ValueCopier(from: source, keys: keys)
    self.writer = writer
  }

  /// Opens every chunk of an item's value without writing.
  ///
  /// - Throws: `.damaged`, `.tampered` or `.truncated` where one does not open.
  mutating func checkValue(of item: ItemRecord) throws(ContainerError) {
    try values.check(item)
  }

  /// Copies an item with its value; it keeps its uuid and its revision.
  ///
  /// - Parameter token: under the new archive's keys.
  /// - Returns: where the item ends in the source.
  /// - Throws: `.damaged` or `.tampered` where a part of the value does not open.
  @discardableResult
  package mutating func append(
    _ item: ItemRecord, token: Token
  ) throws(ContainerError) -> UInt64 {
    try writer.copy(item, token: token)
    return try values.copy(item, to: &writer)
  }

  /// As above, as a revision that replaces `old`, which an earlier session of the copy has.
  ///
  /// - Returns: the copy, and where the item ends in the source.
  mutating func append(
    _ item: ItemRecord, replacing old: IndexedItem?
  ) throws(ContainerError) -> (item: IndexedItem, end: UInt64) {
    let place = try writer.copy(item, token: item.token, replacing: old)
    let end = try values.copy(item, to: &writer)
    let copy = IndexedItem(
      token: item.token, place: place, byteCount: writer.byteCount - place)
    return (copy, end)
  }

  /// Copies a tombstone, without extents.
  mutating func append(tombstone: ItemRecord, of old: IndexedItem) throws(ContainerError) {
    try writer.copy(tombstone: tombstone, token: tombstone.token, of: old)
  }

  /// Whether the session that is being written has anything.
  var hasItems: Bool { writer.hasItems }

  /// Commits, and goes on in another session.
  mutating func beginNextSession(time: UInt64) throws(ContainerError) {
    try writer.beginNextSession(time: time)
  }

  /// Writes index and commit; the caller syncs.
  ///
  /// - Parameter time: of the commit; nil for now.
  package consuming func finish(time: UInt64? = nil) throws(ContainerError) -> SessionSummary {
    try writer.finish(time: time)
  }
}
