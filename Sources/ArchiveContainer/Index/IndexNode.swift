// One node of the index: up to 409 entries of 40 bytes (Spec/container.md, "INDEX").

internal import ByteCoding

/// Where a frame stands and by what it is known: a leaf's entry names an ITEM, an inner node's a node
/// one level down.
package struct IndexEntry: Equatable, Sendable {
  package let token: Token
  package let place: UInt64
  package let segment: Segment
  package let sequence: UInt32

  init(token: Token, place: UInt64, segment: Segment, sequence: UInt32) {
    self.token = token
    self.place = place
    self.segment = segment
    self.sequence = sequence
  }

  init(_ bytes: RawSpan, at offset: Int) {
    token = Token(bytes, at: offset)
    place = bytes.u64(at: offset + 16)
    segment = Segment(bytes, at: offset + 24)
    sequence = bytes.u32(at: offset + 36)
  }

  func store(in target: inout MutableRawSpan, at offset: Int) {
    token.store(in: &target, at: offset)
    target.store(place, at: offset + 16)
    segment.store(in: &target, at: offset + 24)
    target.store(sequence, at: offset + 36)
  }
}

/// An opened node, every rule on its own content checked.
struct IndexNode {
  let level: UInt8
  let segment: Segment
  let sequence: UInt32
  let entries: [IndexEntry]

  /// - Parameters:
  ///   - content: the INDEX frame's content.
  ///   - header: the frame's.
  ///   - place: where the frame stands: all that it names stands before it.
  init(
    _ content: RawSpan, level: UInt8, header: FrameHeader, at place: UInt64, firstSession: UInt64
  ) throws(ContainerError) {
    func broken(_ reason: String) -> ContainerError {
      ContainerError(.tampered, "index node: \(reason)", at: place)
    }
    let (count, rest) = content.byteCount.quotientAndRemainder(
      dividingBy: Format.indexEntryByteCount)
    guard level <= Format.highestIndexLevel else { throw broken("level \(level)") }
    guard rest == 0, (1...Format.mostIndexEntries).contains(count) else {
      throw broken("\(content.byteCount) bytes of entries")
    }
    var entries: [IndexEntry] = []
    entries.reserveCapacity(count)
    for index in 0..<count {
      let entry = IndexEntry(content, at: index * Format.indexEntryByteCount)
      guard entry.place >= firstSession, entry.place < place,
        entry.place.isMultiple(of: Format.alignment)
      else { throw broken("an entry's place") }
      if let last = entries.last {
        // Leaves rise strictly by (token, place); inner tokens may repeat.
        guard last.token <= entry.token,
          level > 0 || last.token < entry.token || last.place < entry.place
        else { throw broken("entries out of order") }
      }
      entries.append(entry)
    }
    self.level = level
    segment = header.segment
    sequence = header.sequence
    self.entries = entries
  }
}
