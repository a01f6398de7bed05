// How much a session may hold, and whether an item more still fits (Spec/container.md, "Sessions").

internal import ByteCoding

/// The frames and the bytes of a session. Below the format's own only in tests.
package struct SessionLimits: Sendable {
  /// Frames before its commit.
  package let frames: UInt32
  /// All of it, its end included.
  package let bytes: UInt64

  package static let standard = SessionLimits(
    frames: Format.mostFramesInSession, bytes: Format.mostBytesInSession)

  package init(frames: UInt32, bytes: UInt64) {
    self.frames = frames
    self.bytes = bytes
  }
}

/// What an item, or the index behind all of them, takes at most.
struct SessionNeed {
  private(set) var frames: UInt64 = 0
  private(set) var bytes: UInt64 = 0

  private static let largestFrame = UInt64(
    Format.frameHeaderByteCount + Format.largestSealed)
  private static let largestNode = UInt64(
    Format.frameHeaderByteCount + Format.tagByteCount
      + Padding.paddedByteCount(
        Format.plaintextHeaderByteCount + Format.mostIndexEntries * Format.indexEntryByteCount))

  /// An item with `attributes`, or the extents of a tombstone, and a value; nil for none.
  ///
  /// - Parameter valueByteCount: at most 8 TiB, so that nothing overflows.
  mutating func addItem(attributes: Int, valueByteCount: UInt64?) {
    frames += 1
    bytes += UInt64(
      Format.frameHeaderByteCount + Format.tagByteCount
        + Padding.paddedByteCount(
          Format.plaintextHeaderByteCount + Format.itemHeaderByteCount + attributes))
    if let valueByteCount {
      let chunks = valueByteCount / UInt64(Format.chunkByteCount) + 1
      frames += chunks
      bytes +=
        chunks > 1
        ? chunks * Self.largestFrame
        : UInt64(
          Format.frameHeaderByteCount + Format.tagByteCount
            + Padding.paddedByteCount(Format.plaintextHeaderByteCount + Int(valueByteCount)))
    }
  }

  /// An index of `entries` that is written whole: a node a level is not full.
  mutating func addIndex(entries: UInt64) {
    add(nodes: entries / UInt64(Format.mostIndexEntries - 1) + UInt64(Format.highestIndexLevel) + 2)
  }

  /// The nodes of an index that is changed: each change touches a node a level, and what is added may split it.
  mutating func addChanges(insertions: UInt64, removals: UInt64, rootLevel: UInt8) {
    add(nodes: (2 * insertions + removals) * (UInt64(rootLevel) + 2) + 1)
  }

  private mutating func add(nodes: UInt64) {
    frames += nodes
    bytes += nodes * Self.largestNode
  }
}

extension SessionWriter {
  /// Commits and goes on in another session where an item, with the index behind it, might not fit any more.
  ///
  /// An item that is more than a whole session is refused while it is written.
  mutating func makeRoom(
    _ attributes: [UInt8], valueByteCount: UInt64?
  ) throws(ContainerError) {
    guard hasItems else { return }
    var need = SessionNeed()
    need.addItem(attributes: attributes.count, valueByteCount: valueByteCount)
    addIndex(to: &need)
    if !fits(need) { try beginNextSession() }
  }
}
