// Writes the live items of an archive to a new one: for compacting under the same file key, for rekeying under
// another (Spec/container.md, "Compacting and rekeying"). Values are sealed again chunk by chunk as they are,
// without being inflated.

internal import ArchiveCrypto
internal import ByteCoding

package struct ArchiveCopier: ~Copyable {
  private var writer: SessionWriter
  private var reader: FrameReader
  private let inflater: Inflater
  private var raw = SecretBytes(count: 0)

  /// Begins a compacted archive: the header byte for byte, and commits that go on counting.
  package init(compacting source: OpenedArchive, to device: any Device) throws(ContainerError) {
    let newest = try SessionStart(after: source)
    try self.init(
      source.header.copy, keys: source.keys, from: source.device, to: device,
      number: newest.number, previousHash: newest.previousHash)
  }

  /// Begins an archive under a header that is there already.
  ///
  /// - Parameters:
  ///   - number: of its first commit.
  ///   - previousHash: of the commit that it was made from; nil for none.
  init(
    _ copy: HeaderCopy, keys: ArchiveKeys, from source: any Device, to device: any Device,
    number: UInt64, previousHash: [UInt8]?
  ) throws(ContainerError) {
    let header = copy.bytes + copy.bytes
    try device.put(header.bytes, at: 0)
    let start = SessionStart(
      headerSequence: copy.sequence, headerByteCount: UInt64(header.count), number: number,
      previousHash: previousHash)
    try self.init(
      source, keys, try SessionWriter(to: device, keys: keys, start: start))
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
    inflater = try Inflater()
    self.writer = writer
    reader = FrameReader(device: source, keys: keys, end: .max, readAhead: 256 << 10)
  }

  /// Opens every chunk of an item's value without writing.
  ///
  /// - Throws: `.damaged`, `.tampered` or `.truncated` where one does not open.
  mutating func checkValue(of item: ItemRecord) throws(ContainerError) {
    try forEachChunk(of: item, copies: false)
  }

  /// Copies an item with its value; it keeps its uuid and its revision.
  ///
  /// - Parameter token: under the new archive's keys.
  /// - Throws: `.damaged` or `.tampered` where a part of the value does not open.
  package mutating func append(_ item: ItemRecord, token: Token) throws(ContainerError) {
    try writer.copy(item, token: token)
    try forEachChunk(of: item, copies: true)
  }

  private mutating func forEachChunk(
    of item: ItemRecord, copies: Bool
  ) throws(ContainerError) {
    var place = item.valuePlace
    var rules = ChunkRules(item)
    while !rules.isComplete {
      let header = try reader.header(at: place)
      try rules.check(header, at: place)
      let frame = try reader.open(header, at: place)
      // Inflated only to be checked: what is malformed is not carried on.
      let rawByteCount =
        frame.code & 2 == 0
        ? reader.content.byteCount : try inflater.inflate(reader, into: &raw, at: place)
      try rules.take(code: frame.code, rawByteCount: rawByteCount, at: place)
      if copies { try Self.copy(reader, code: frame.code, to: &writer) }
      place += UInt64(header.frameByteCount)
    }
  }

  /// Apart from `self`, whose reader and writer can't both be looked into at once.
  private static func copy(
    _ reader: borrowing FrameReader, code: UInt8, to writer: inout SessionWriter
  ) throws(ContainerError) {
    try writer.copyChunk(reader.content, code: code)
  }

  /// Writes index and commit; the caller syncs.
  package consuming func finish() throws(ContainerError) -> SessionSummary {
    try writer.finish()
  }
}
