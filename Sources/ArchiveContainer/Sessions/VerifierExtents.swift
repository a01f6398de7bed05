// What verification makes of shredding: each VOID lies in the extent of a tombstone, and each extent covers
// whole frames of the item that was deleted, all of them VOID (Spec/container.md, "Deleting and shredding").

extension Verifier {
  /// A void has to lie in the extent of a tombstone: else a later session was cut off.
  mutating func checkVoids() {
    for place in voids.sorted() where extent(around: place) == nil {
      // The tombstone may be among what did not open behind it.
      note(
        ContainerError(
          lastLostItem.map { $0 > place } ?? false ? .damaged : .tampered,
          "a void frame that nothing explains", at: place))
    }
  }

  /// Sorts the extents. No two of them overlap, for a frame belongs to one item, which is deleted once.
  mutating func sortExtents() {
    extents.sort { $0.range.lowerBound < $1.range.lowerBound }
    var apart: [(range: Range<UInt64>, id: ItemID)] = []
    for extent in extents {
      if let last = apart.last, last.range.upperBound > extent.range.lowerBound {
        note(
          ContainerError(
            .tampered, "tombstones: extents that overlap", at: extent.range.lowerBound))
      } else {
        apart.append(extent)
      }
    }
    extents = apart
  }

  /// The number of the extent that `place` lies in.
  private func extent(around place: UInt64) -> Int? {
    var (low, high) = (0, extents.count)
    while low < high {
      let middle = (low + high) / 2
      if extents[middle].range.upperBound <= place { low = middle + 1 } else { high = middle }
    }
    return low < extents.count && extents[low].range.contains(place) ? low : nil
  }

  /// All frames in the extents of tombstones have to be void: else a writer stopped before it was done. What
  /// was found wrong there is no finding of its own.
  mutating func checkExtents() throws(ContainerError) {
    var unfinished: Set<Int> = []
    var outside: [VerifyFinding] = []
    for finding in report.findings {
      if let number = finding.error.offset.flatMap({ extent(around: $0) }) {
        unfinished.insert(number)
      } else {
        outside.append(finding)
      }
    }
    report.findings = outside
    for (number, extent) in extents.enumerated() {
      var place = extent.range.lowerBound
      while place < extent.range.upperBound {
        guard let header = try lookBackHeader(at: place) else {
          unfinished.insert(number)
          break
        }
        let end = place + UInt64(header.frameByteCount)
        guard end <= extent.range.upperBound else {
          note(ContainerError(.tampered, "tombstone: an extent that ends in a frame", at: place))
          break
        }
        if !voids.contains(place) {
          unfinished.insert(number)
          if let item = try lookBackItem(header, at: place), item.id != extent.id {
            note(ContainerError(.tampered, "tombstone: an extent of another item", at: place))
          }
        }
        place = end
      }
    }
    for number in unfinished.sorted() {
      note(
        ContainerError(
          .truncated, "an unfinished shredding", at: extents[number].range.lowerBound))
    }
  }

  mutating func lookBackHeader(at place: UInt64) throws(ContainerError) -> FrameHeader? {
    do throws(ContainerError) {
      return try lookBack.header(at: place)
    } catch  where error.code != .ioFailed {
      return nil
    }
  }

  /// The ITEM at `place`; nil where there is none that opens.
  mutating func lookBackItem(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> ItemRecord? {
    guard header.type == FrameType.item else { return nil }
    do throws(ContainerError) {
      let frame = try lookBack.open(header, at: place)
      return try ItemRecord(lookBack.content, code: frame.code, header: header, place: place)
    } catch  where error.code != .ioFailed {
      return nil
    }
  }
}
