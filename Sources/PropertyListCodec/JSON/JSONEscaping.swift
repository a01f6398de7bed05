// Escapes text for a JSON string: into an array, or into memory of the caller's whose exact size is known
// beforehand, so that a secret is written once, to where it will be wiped.

internal import ByteCoding

public enum JSONEscaping {
  /// How many bytes `text` takes inside the quotation marks.
  public static func escapedCount(_ text: UTF8Span) -> Int {
    let source = unsafe text.span.bytes
    var count = source.byteCount
    var offset = plainRun(source, from: 0)
    while offset < source.byteCount {
      let escape = Escape(source, at: offset)
      count += escape.count - escape.sourceCount
      offset = plainRun(source, from: offset + escape.sourceCount)
    }
    return count
  }

  /// Writes `text` from `offset` of `target`, which has room for `escapedCount` bytes there. Returns the
  /// offset behind it.
  public static func write(
    _ text: UTF8Span, into target: inout MutableRawSpan, at offset: Int
  ) -> Int {
    let source = unsafe text.span.bytes
    var read = 0
    var write = offset
    while true {
      let end = plainRun(source, from: read)
      target.store(source.extracting(read..<end), at: write)
      write += end - read
      guard end < source.byteCount else { return write }
      let escape = Escape(source, at: end)
      for index in 0..<escape.count { target.store(escape.bytes[index], at: write + index) }
      write += escape.count
      read = end + escape.sourceCount
    }
  }

  /// Appends `text` to `bytes`.
  public static func append(_ text: UTF8Span, to bytes: inout [UInt8]) {
    let source = unsafe text.span.bytes
    var read = 0
    while true {
      let end = plainRun(source, from: read)
      bytes.append(copying: source.extracting(read..<end))
      guard end < source.byteCount else { return }
      let escape = Escape(source, at: end)
      for index in 0..<escape.count { bytes.append(escape.bytes[index]) }
      read = end + escape.sourceCount
    }
  }

  /// The end of the bytes from `start` that stand for themselves.
  private static func plainRun(_ source: RawSpan, from start: Int) -> Int {
    var offset = start
    let count = source.byteCount
    while offset < count {
      if count - offset >= 8 {
        let word = source.u64(at: offset)
        let special =
          ByteWord.matches(word, UInt8(ascii: "\"")) | ByteWord.matches(word, UInt8(ascii: "\\"))
          | ByteWord.below(word, 0x20) | ByteWord.matches(word, 0x7f)
          | ByteWord.matches(word, 0xe2)
        if special == 0 {
          offset += 8
          continue
        }
        offset += ByteWord.index(special)
      }
      switch source.u8(at: offset) {
      case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7f: return offset
      case 0xe2:
        // U+2028 is E2 80 A8, U+2029 is E2 80 A9.
        if count - offset >= 3, source.u8(at: offset + 1) == 0x80,
          source.u8(at: offset + 2) & 0xfe == 0xa8
        {
          return offset
        }
        offset += 1
      default: offset += 1
      }
    }
    return offset
  }

  /// The escape of one character.
  private struct Escape {
    /// The first `count` of them.
    let bytes: InlineArray<6, UInt8>
    let count: Int
    /// Bytes of the character in the source.
    let sourceCount: Int

    init(_ source: RawSpan, at offset: Int) {
      let byte = source.u8(at: offset)
      let letter: UInt8? =
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0a: UInt8(ascii: "n")
        case 0x0c: UInt8(ascii: "f")
        case 0x0d: UInt8(ascii: "r")
        default: nil
        }
      let backslash = UInt8(ascii: "\\")
      if let letter {
        bytes = [backslash, letter, 0, 0, 0, 0]
        count = 2
        sourceCount = 1
        return
      }
      func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
      let isSeparator = byte == 0xe2
      let low = isSeparator ? 0x28 + (source.u8(at: offset + 2) & 1) : byte
      bytes = [
        backslash, UInt8(ascii: "u"), UInt8(ascii: isSeparator ? "2" : "0"), UInt8(ascii: "0"),
        digit(low >> 4), digit(low & 15),
      ]
      count = 6
      sourceCount = isSeparator ? 3 : 1
    }
  }
}
