// The values that a salvage's scan leaves for the copying to open: opening is most of its work, and copying opens
// everything anyway (Spec/container.md, "Salvaging").

/// Which values are whole by their headers and body checks, in the order of the file.
struct DeferredValues {
  private struct Value {
    let itemPlace: UInt64
    let segment: Segment
    let start: UInt64
    var end: UInt64
    var nextSequence: UInt32

    /// Whether `header` at `place` is that of its session's next frame.
    func isFollowed(by header: FrameHeader, at place: UInt64) -> Bool {
      place == end && header.segment == segment && header.sequence == nextSequence
    }
  }

  /// The value that is being read.
  private var current: Value?
  /// Whole values by their items' places, which rise.
  private var whole: [(itemPlace: UInt64, range: Range<UInt64>)] = []
  private var taken = 0
  /// Frames that will not be copied: of values that are not whole, or not taken.
  private(set) var rest: [Range<UInt64>] = []

  /// An item that has a value may be followed by it.
  mutating func beginValue(of item: ItemRecord) {
    guard item.hasValue else { return }
    current = Value(
      itemPlace: item.place, segment: item.segment, start: item.valuePlace, end: item.valuePlace,
      nextSequence: item.sequence &+ 1)
  }

  /// Whether `header` is that of the next chunk of the value that is being read.
  func continues(_ header: FrameHeader, at place: UInt64) -> Bool {
    guard header.type == FrameType.value, let current else { return false }
    return current.isFollowed(by: header, at: place)
  }

  mutating func add(_ header: FrameHeader) {
    current?.end += UInt64(header.frameByteCount)
    current?.nextSequence &+= 1
  }

  /// Something else follows: nil for the end of the file.
  mutating func endValue(before header: FrameHeader?, at place: UInt64) {
    guard let value = current else { return }
    current = nil
    guard value.end > value.start else { return }
    let range = value.start..<value.end
    // Behind the last chunk its session goes on.
    if let header, value.isFollowed(by: header, at: place) {
      whole.append((value.itemPlace, range))
    } else {
      rest.append(range)
    }
  }

  /// Where the value of `item` ends, if it is whole; whoever asks copies it. Items are asked for in the order of
  /// the file.
  mutating func takeWhole(of item: ItemRecord) -> UInt64? {
    while taken < whole.count, whole[taken].itemPlace <= item.place {
      let value = whole[taken]
      taken += 1
      if value.itemPlace == item.place { return value.range.upperBound }
      rest.append(value.range)
    }
    return nil
  }

  /// What nobody has asked for will not be copied.
  mutating func finish() {
    rest += whole[taken...].map(\.range)
    taken = whole.count
    rest.sort { $0.lowerBound < $1.lowerBound }
  }
}
