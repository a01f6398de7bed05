// The fixed part of an ITEM frame (Spec/container.md, "ITEM"); attributes are the item model's.

internal import ByteCoding

/// 16 random bytes that stay with an item through all its revisions.
package struct ItemID: Hashable, Comparable, Sendable {
  let high: UInt64
  let low: UInt64

  init(_ bytes: RawSpan, at offset: Int) {
    high = bytes.u64(at: offset)
    low = bytes.u64(at: offset + 8)
  }

  package static func < (left: ItemID, right: ItemID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// The 16 bytes.
  package var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    var target = bytes.mutableBytes
    store(in: &target, at: 0)
    return bytes
  }

  func store(in target: inout MutableRawSpan, at offset: Int) {
    target.store(high, at: offset)
    target.store(low, at: offset + 8)
  }
}

/// An opened ITEM frame.
package struct ItemRecord: Sendable {
  /// Where the frame stands, and by what it is known.
  package let place: UInt64
  package let segment: Segment
  package let sequence: UInt32
  /// Header and sealed bytes of the ITEM frame.
  package let frameByteCount: Int

  package let isTombstone: Bool
  package let id: ItemID
  package let token: Token
  package let revision: UInt64
  /// The place of the revision that this one replaces, or 0.
  package let replaces: UInt64
  package let hasValue: Bool
  /// Nil where the writer did not know it in advance.
  package let valueByteCount: UInt64?
  /// The attributes as the item model encodes them; of a tombstone, its extents.
  package let attributes: [UInt8]

  /// Where the first VALUE stands.
  package var valuePlace: UInt64 { place + UInt64(frameByteCount) }

  /// Reads the content of an ITEM frame, its rules checked.
  ///
  /// - Parameter mayHaveMoved: whether bytes before it may be gone, so that it stands before places that it
  ///   names.
  init(
    _ content: RawSpan, code: UInt8, header: FrameHeader, place: UInt64,
    mayHaveMoved: Bool = false
  ) throws(ContainerError) {
    func broken(_ reason: String) -> ContainerError {
      ContainerError(.tampered, "item: \(reason)", at: place)
    }
    guard code <= 1 else { throw broken("code \(code)") }
    guard content.byteCount >= Format.itemHeaderByteCount else { throw broken("too short") }
    isTombstone = code == 1
    id = ItemID(content, at: 0)
    token = Token(content, at: 16)
    revision = content.u64(at: 32)
    replaces = content.u64(at: 40)
    let length = content.u64(at: 48)
    let value = content.u8(at: 56)
    guard value <= 1, content.isZero(57..<64), revision >= 1 else { throw broken("fixed fields") }
    hasValue = value == 1
    guard hasValue || length == 0 else { throw broken("a length without a value") }
    guard length <= Format.mostValueBytes || length == .max else { throw broken("value length") }
    guard revision > 1 || replaces == 0 else { throw broken("a first revision that replaces") }
    guard !isTombstone || (!hasValue && replaces != 0) else { throw broken("tombstone") }
    guard
      replaces == 0
        || ((replaces < place || mayHaveMoved) && replaces.isMultiple(of: Format.alignment))
    else {
      throw broken("the place that it replaces")
    }
    valueByteCount = length == .max ? nil : length
    let count = content.byteCount - Format.itemHeaderByteCount
    guard !isTombstone || count.isMultiple(of: 16) else { throw broken("extents") }
    attributes = content.array(at: Format.itemHeaderByteCount, count: count)
    self.place = place
    segment = header.segment
    sequence = header.sequence
    frameByteCount = header.frameByteCount
  }
}

extension ItemRecord {
  /// The ranges whose frames a tombstone makes void; none of an item.
  ///
  /// - Parameter end: where the tombstone's session begins: it voids what stands before.
  func extents(
    from firstSession: UInt64, before end: UInt64
  ) throws(ContainerError) -> [Range<UInt64>] {
    guard isTombstone else { return [] }
    var extents: [Range<UInt64>] = []
    for offset in stride(from: 0, to: attributes.count, by: 16) {
      let (start, count) = (attributes.bytes.u64(at: offset), attributes.bytes.u64(at: offset + 8))
      let (stop, overflows) = start.addingReportingOverflow(count)
      guard start >= firstSession, count > 0, !overflows, stop <= end,
        start.isMultiple(of: Format.alignment), count.isMultiple(of: Format.alignment)
      else { throw ContainerError(.tampered, "tombstone: extents", at: place) }
      extents.append(start..<stop)
    }
    return extents
  }

  /// How many VALUE frames follow; nil where the writer did not know it.
  var chunkCount: UInt64? {
    guard hasValue else { return 0 }
    let chunk = UInt64(Format.chunkByteCount)
    return valueByteCount.map { max(1, ($0 + chunk - 1) / chunk) }
  }
}
