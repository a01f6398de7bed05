// Lines and columns. Readers work with byte offsets and count lines only when there is something to report;
// the splitter carries its place along from chunk to chunk.

internal import ByteCoding

/// A place in a text: what an editor shows.
public struct JSONPlace: Hashable, Sendable {
  /// The line, from 1. Lines end at a line feed.
  public private(set) var line: Int
  /// The column, from 1, in characters (Unicode scalars).
  public private(set) var column: Int

  public init(line: Int = 1, column: Int = 1) {
    self.line = line
    self.column = column
  }

  /// Moves behind `bytes`, which start here. Bytes that continue a UTF-8 sequence do not count.
  public mutating func advance(over bytes: RawSpan) {
    var offset = 0
    let count = bytes.byteCount
    while offset < count {
      if count - offset >= 8 {
        let word = bytes.u64(at: offset)
        if ByteWord.matches(word, 0x0a) == 0 {
          column &+= 8 &- ByteWord.continuations(word).nonzeroBitCount
          offset += 8
          continue
        }
      }
      let byte = bytes.u8(at: offset)
      if byte == 0x0a {
        line &+= 1
        column = 1
      } else if byte & 0xc0 != 0x80 {
        column &+= 1
      }
      offset += 1
    }
  }
}

/// Tests of eight bytes at once. In each result the top bit of a byte stands for that byte of the word;
/// up to the lowest bit set they are exact, above it a borrow may have set others.
enum ByteWord {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// Bytes equal to `byte`.
  @inline(__always) static func matches(_ word: UInt64, _ byte: UInt8) -> UInt64 {
    let difference = word ^ (ones &* UInt64(byte))
    return (difference &- ones) & ~difference & tops
  }

  /// Bytes below `limit`, which is at most 0x80.
  @inline(__always) static func below(_ word: UInt64, _ limit: UInt8) -> UInt64 {
    (word &- ones &* UInt64(limit)) & ~word & tops
  }

  /// Bytes that are not ASCII.
  @inline(__always) static func nonASCII(_ word: UInt64) -> UInt64 { word & tops }

  /// Bytes that continue a UTF-8 sequence. All bits are exact.
  @inline(__always) static func continuations(_ word: UInt64) -> UInt64 {
    word & ~(word << 1) & tops
  }

  /// How many bytes lie before the first one found; `found` is not zero.
  @inline(__always) static func index(_ found: UInt64) -> Int {
    found.trailingZeroBitCount >> 3
  }
}
