// Copies values chunk by chunk as they are, deflated or not. Each chunk is opened and judged on the way: what is
// malformed is not carried on.

internal import ArchiveCrypto
internal import ByteCoding

struct ValueCopier: ~Copyable {
  private var reader: FrameReader
  private let inflater: Inflater
  private var raw = SecretBytes(count: 0)
  private var held = HeldValue()

  /// - Parameter device: which the values are read from, under `keys`.
  init(from device: any Device, keys: ArchiveKeys) throws(ContainerError) {
    inflater = try Inflater()
    reader = FrameReader(device: device, keys: keys, end: .max, readAhead: 256 << 10)
  }

  /// Opens every chunk of an item's value. Of short ones they are kept, for copying that item next.
  ///
  /// - Throws: `.damaged`, `.tampered` or `.truncated` where one does not open.
  mutating func check(_ item: ItemRecord) throws(ContainerError) {
    var place = item.valuePlace
    var rules = ChunkRules(item)
    held.begin(item)
    while !rules.isComplete {
      let code = try open(&place, &rules)
      Self.keep(reader, code: code, in: &held)
    }
    held.end = place
  }

  /// Apart from `self`, of which two parts can't be looked into at once.
  private static func keep(
    _ reader: borrowing FrameReader, code: UInt8, in held: inout HeldValue
  ) {
    held.append(reader.content, code: code)
  }

  /// Copies the value of an item behind the ITEM that `writer` wrote last.
  ///
  /// - Returns: where the item ends.
  @discardableResult
  mutating func copy(
    _ item: ItemRecord, to writer: inout SessionWriter
  ) throws(ContainerError) -> UInt64 {
    if let end = try held.write(item, to: &writer) { return end }
    var place = item.valuePlace
    var rules = ChunkRules(item)
    while !rules.isComplete {
      let code = try open(&place, &rules)
      try writer.copyChunk(reader.content, code: code)
    }
    return place
  }

  /// Opens the chunk at `place` and steps over it.
  ///
  /// - Returns: its code; its content is the reader's.
  private mutating func open(
    _ place: inout UInt64, _ rules: inout ChunkRules
  ) throws(ContainerError) -> UInt8 {
    let header = try reader.header(at: place)
    try rules.check(header, at: place)
    let frame = try reader.open(header, at: place)
    // Inflated only to be checked.
    let rawByteCount =
      frame.code & 2 == 0
      ? reader.content.byteCount : try inflater.inflate(reader, into: &raw, at: place)
    try rules.take(code: frame.code, rawByteCount: rawByteCount, at: place)
    place += UInt64(header.frameByteCount)
    return frame.code
  }
}

/// The opened chunks of one short value.
private struct HeldValue: ~Copyable {
  /// Longer values are opened again.
  private static let mostBytes: UInt64 = 8 << 20

  private var item: UInt64?
  private var bytes = SecretBytes(count: 0)
  private var chunks: [(code: UInt8, end: Int)] = []
  /// Where the item ends in its archive; nil until all chunks are here.
  var end: UInt64?

  /// Forgets the last value and makes room for that of `item`, if it is short.
  mutating func begin(_ item: ItemRecord) {
    chunks.removeAll(keepingCapacity: true)
    end = nil
    self.item = nil
    guard item.hasValue, let count = item.valueByteCount, count <= Self.mostBytes else { return }
    bytes.prepare(count: Int(count))
    bytes.resize(to: 0)
    self.item = item.place
  }

  mutating func append(_ content: RawSpan, code: UInt8) {
    guard item != nil else { return }
    // Deflated chunks can be longer than what they hold, if somebody wants them so.
    guard content.byteCount <= bytes.capacity - bytes.count else {
      item = nil
      return
    }
    bytes.append(content)
    chunks.append((code, bytes.count))
  }

  /// Writes the chunks behind the ITEM that `writer` wrote last, if they are those of `item`.
  ///
  /// - Returns: where the item ends in its archive; nil where nothing was written.
  func write(
    _ item: ItemRecord, to writer: inout SessionWriter
  ) throws(ContainerError) -> UInt64? {
    guard let end, self.item == item.place else { return nil }
    var start = 0
    for chunk in chunks {
      try writer.copyChunk(bytes.bytes.extracting(start..<chunk.end), code: chunk.code)
      start = chunk.end
    }
    return end
  }
}
