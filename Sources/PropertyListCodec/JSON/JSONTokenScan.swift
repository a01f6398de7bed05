// Where a value ends, found by its brackets and quotation marks alone. The scan stops at the end of a chunk
// and goes on with the next, so that no byte is looked at twice.

internal import ByteCoding

/// The state of a search for the end of one value or line.
struct JSONTokenScan: Sendable {
  /// The value nests deeper than `JSONReader` would follow.
  struct TooDeep: Error {}

  private enum Content: Sendable { case nothing, plain, string, escape }

  /// How many bytes from the value's start have been looked at; at the end, its length.
  private(set) var count = 0
  private var depth = 0
  private var content = Content.nothing

  /// Looks for a line feed from where the search left off. True when `count` is the line's length.
  mutating func findLineFeed(_ buffer: RawSpan, from start: Int) -> Bool {
    var offset = start + count
    defer { count = offset - start }
    while offset < buffer.byteCount {
      if buffer.byteCount - offset >= 32 {
        let first =
          ByteWord.matches(buffer.u64(at: offset), 0x0a)
          | ByteWord.matches(buffer.u64(at: offset + 8), 0x0a)
        let second =
          ByteWord.matches(buffer.u64(at: offset + 16), 0x0a)
          | ByteWord.matches(buffer.u64(at: offset + 24), 0x0a)
        if first | second == 0 {
          offset += 32
          continue
        }
      }
      if buffer.byteCount - offset >= 8 {
        let found = ByteWord.matches(buffer.u64(at: offset), 0x0a)
        if found == 0 {
          offset += 8
          continue
        }
        offset += ByteWord.index(found)
        return true
      }
      if buffer.u8(at: offset) == 0x0a { return true }
      offset += 1
    }
    return false
  }

  /// Looks for the end of the value at `start`. True when `count` is its length, at least one: what is
  /// no value at all is one byte that the reader will refuse.
  mutating func findEnd(
    _ buffer: RawSpan, from start: Int, isComplete: Bool
  ) throws(TooDeep) -> Bool {
    var offset = start + count
    defer { count = offset - start }
    while offset < buffer.byteCount {
      switch content {
      case .escape:
        content = .string
        offset += 1
      case .string:
        offset = stringStop(buffer, from: offset)
        guard offset < buffer.byteCount else { break }
        content = buffer.u8(at: offset) == UInt8(ascii: "\\") ? .escape : .plain
        offset += 1
        if content == .plain, depth == 0 { return true }
      case .nothing, .plain:
        switch buffer.u8(at: offset) {
        case UInt8(ascii: "\""):
          // Behind a plain value that has no delimiter; the caller will find it unexpected.
          if depth == 0, content == .plain { return true }
          content = .string
          offset += 1
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          if depth == 0, content == .plain { return true }
          guard depth < JSONReader.maximumDepth else { throw TooDeep() }
          content = .plain
          depth += 1
          offset += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          if depth == 0 {
            if content == .nothing { offset += 1 }
            return true
          }
          depth -= 1
          offset += 1
          if depth == 0 { return true }
        case 0x20, 0x0a, 0x0d, 0x09, UInt8(ascii: ","), UInt8(ascii: ":"):
          if depth == 0 {
            if content == .nothing { offset += 1 }
            return true
          }
          offset += 1
        default:
          content = .plain
          offset += 1
        }
      }
    }
    // Only a plain value can end with the stream: a number or a literal.
    return isComplete && depth == 0 && content == .plain
  }

  /// The offset of the next quotation mark or backslash, or the end.
  private func stringStop(_ buffer: RawSpan, from start: Int) -> Int {
    var offset = start
    while offset < buffer.byteCount {
      if buffer.byteCount - offset >= 8 {
        let word = buffer.u64(at: offset)
        let found =
          ByteWord.matches(word, UInt8(ascii: "\"")) | ByteWord.matches(word, UInt8(ascii: "\\"))
        if found == 0 {
          offset += 8
          continue
        }
        return offset + ByteWord.index(found)
      }
      let byte = buffer.u8(at: offset)
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return offset }
      offset += 1
    }
    return offset
  }
}
