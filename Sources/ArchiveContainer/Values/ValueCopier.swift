// Copies values chunk by chunk as they are, deflated or not. Each chunk is opened and judged on the way: what is
// malformed is not carried on.

internal import ArchiveCrypto
internal import ByteCoding

struct ValueCopier: ~Copyable {
  private var reader: FrameReader
  private let inflater: Inflater
  private var raw = SecretBytes(count: 0)

  /// - Parameter device: which the values are read from, under `keys`.
  init(from device: any Device, keys: ArchiveKeys) throws(ContainerError) {
    inflater = try Inflater()
    reader = FrameReader(device: device, keys: keys, end: .max, readAhead: 256 << 10)
  }

  /// Opens every chunk of an item's value.
  ///
  /// - Throws: `.damaged`, `.tampered` or `.truncated` where one does not open.
  mutating func check(_ item: ItemRecord) throws(ContainerError) {
    var place = item.valuePlace
    var rules = ChunkRules(item)
    while !rules.isComplete { try open(&place, &rules) }
  }

  /// Copies the value of an item behind the ITEM that `writer` wrote last.
  ///
  /// - Returns: where the item ends.
  @discardableResult
  mutating func copy(
    _ item: ItemRecord, to writer: inout SessionWriter
  ) throws(ContainerError) -> UInt64 {
    var place = item.valuePlace
    var rules = ChunkRules(item)
    while !rules.isComplete {
      try open(&place, &rules)
      try writer.copyChunk(reader.framePlaintext)
    }
    return place
  }

  /// Opens the chunk at `place` and steps over it; its content is the reader's.
  private mutating func open(
    _ place: inout UInt64, _ rules: inout ChunkRules
  ) throws(ContainerError) {
    let header = try reader.header(at: place)
    try rules.check(header, at: place)
    let frame = try reader.open(header, at: place)
    // Inflated only to be checked.
    let rawByteCount =
      frame.code & 2 == 0
      ? reader.content.byteCount : try inflater.inflate(reader, into: &raw, at: place)
    try rules.take(code: frame.code, rawByteCount: rawByteCount, at: place)
    place += UInt64(header.frameByteCount)
  }
}
