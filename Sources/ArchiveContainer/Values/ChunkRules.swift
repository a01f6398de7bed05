// The rules on the chunks of a value, one after the other (Spec/container.md, "VALUE"). Every reader of
// values goes through here.

struct ChunkRules {
  private let segment: Segment
  private let itemSequence: UInt32
  private let valueByteCount: UInt64?
  /// Raw bytes so far.
  private(set) var byteCount: UInt64 = 0
  private var chunkCount: UInt32 = 0
  private(set) var isComplete = false

  init(_ item: ItemRecord) {
    segment = item.segment
    itemSequence = item.sequence
    valueByteCount = item.valueByteCount
    isComplete = !item.hasValue
  }

  /// The sequence of the next chunk.
  var nextSequence: UInt32 { itemSequence &+ 1 &+ chunkCount }

  /// Whether `header` is that of the next chunk.
  func check(_ header: FrameHeader, at place: UInt64) throws(ContainerError) {
    guard header.type == FrameType.value, header.segment == segment,
      header.sequence == nextSequence
    else {
      throw ContainerError(.tampered, "no value chunk where one should be", at: place)
    }
  }

  /// Takes the next chunk's code and raw length.
  mutating func take(code: UInt8, rawByteCount: Int, at place: UInt64) throws(ContainerError) {
    func broken(_ reason: String) -> ContainerError {
      ContainerError(.tampered, "value: \(reason)", at: place)
    }
    guard code & ~3 == 0 else { throw broken("code \(code)") }
    let isLast = code & 1 != 0
    if isLast {
      // Only an empty value has an empty chunk.
      guard rawByteCount > 0 || chunkCount == 0 else { throw broken("an empty last chunk") }
    } else {
      guard rawByteCount == Format.chunkByteCount else { throw broken("a short chunk") }
    }
    byteCount += UInt64(rawByteCount)
    chunkCount &+= 1
    if isLast {
      isComplete = true
      guard valueByteCount ?? byteCount == byteCount else { throw broken("its length") }
    } else if let known = valueByteCount, byteCount >= known {
      throw broken("its length")
    }
  }
}
