// What a shredding that was not finished has left: items which are dead, though their frames still open.

internal import ByteCoding

extension FrameReader {
  /// The items within `extents` whose frames open, tombstones among them.
  ///
  /// What does not open is passed over: half a VOID, or damage that a walk over all frames tells.
  mutating func items(in extents: [Range<UInt64>]) throws(ContainerError) -> [ItemRecord] {
    var items: [ItemRecord] = []
    for extent in extents {
      var place = extent.lowerBound
      while place < extent.upperBound {
        let header: FrameHeader
        do {
          header = try self.header(at: place)
        } catch  where error.code != .ioFailed {
          // Without its length nothing behind it can be found.
          break
        }
        if header.type == FrameType.item {
          do {
            let frame = try open(header, at: place)
            items.append(
              try ItemRecord(content, code: frame.code, header: header, place: place))
          } catch  where error.code != .ioFailed {}
        }
        place += UInt64(header.frameByteCount)
      }
    }
    return items
  }
}
