// Base64 as RFC 4648 section 4 has it, strictly: its alphabet, padding required, no white space, unused
// bits zero. So a value has exactly one text, and text that decodes encodes to itself.
//
// Values are secrets: characters are computed, not looked up in a table by secret index, and nothing
// passes through a String. Decoding can happen in place, in memory that its owner wipes.

package enum Base64 {
  /// How many characters encode `byteCount` bytes. Nil where that exceeds an Int.
  package static func encodedCount(_ byteCount: Int) -> Int? {
    let groups = byteCount / 3 + (byteCount % 3 == 0 ? 0 : 1)
    let (count, overflow) = groups.multipliedReportingOverflow(by: 4)
    return overflow ? nil : count
  }

  /// The text of `bytes`, padded.
  package static func encode(_ bytes: RawSpan) -> [UInt8] {
    var text: [UInt8] = []
    encode(bytes, appendingTo: &text)
    return text
  }

  /// Appends the text of `bytes` to `text`. Pieces whose lengths are multiples of three can be encoded
  /// one after the other.
  package static func encode(_ bytes: RawSpan, appendingTo text: inout [UInt8]) {
    let start = text.count
    // A byte count whose text exceeds an Int cannot be in memory.
    text.append(contentsOf: repeatElement(0, count: encodedCount(bytes.byteCount)!))
    var span = text.mutableSpan
    var target = unsafe span.mutableBytes
    _ = encode(bytes, into: &target, at: start)
  }

  /// Writes the text of `bytes` to `target` from `offset`, where the caller has made sure of
  /// `encodedCount` bytes of room. Returns the offset behind it.
  package static func encode(
    _ bytes: RawSpan, into target: inout MutableRawSpan, at offset: Int
  ) -> Int {
    var read = 0
    var write = offset
    let count = bytes.byteCount
    // Six bytes a turn, of eight that are loaded.
    while count - read >= 8 {
      target.store(characters(bytes.u64(at: read).byteSwapped >> 16), at: write)
      read += 6
      write += 8
    }
    while count - read >= 3 {
      let group =
        UInt32(bytes.u8(at: read)) << 16 | UInt32(bytes.u8(at: read + 1)) << 8
        | UInt32(bytes.u8(at: read + 2))
      let text =
        character(group >> 18) | character(group >> 12 & 63) << 8
        | character(group >> 6 & 63) << 16 | character(group & 63) << 24
      target.store(text, at: write)
      read += 3
      write += 4
    }
    guard read < count else { return write }
    let padding = UInt32(UInt8(ascii: "="))
    let first = UInt32(bytes.u8(at: read))
    if count - read == 1 {
      let text = character(first >> 2) | character(first << 4 & 63) << 8
      target.store(text | padding << 16 | padding << 24, at: write)
    } else {
      let second = UInt32(bytes.u8(at: read + 1))
      let text =
        character(first >> 2) | character((first << 4 | second >> 4) & 63) << 8
        | character(second << 2 & 63) << 16
      target.store(text | padding << 24, at: write)
    }
    return write + 4
  }

  /// The eight characters of 48 bits, the first in the lowest byte.
  @inline(__always) private static func characters(_ bits: UInt64) -> UInt64 {
    // Six bits to each byte: in halves, quarters, eighths.
    let halves = (bits & 0xffff_ff00_0000) << 8 | bits & 0xff_ffff
    let quarters = (halves & 0x00ff_f000_00ff_f000) << 4 | halves & 0x0000_0fff_0000_0fff
    let sextets = (quarters & 0x0fc0_0fc0_0fc0_0fc0) << 2 | quarters & 0x003f_003f_003f_003f
    // All bytes at once: nothing is carried from one to the next, as sums stay below 256 and differences are
    // characters.
    let ones: UInt64 = 0x0101_0101_0101_0101
    func atLeast(_ limit: UInt64) -> UInt64 {
      (sextets &+ ones &* (128 - limit)) >> 7 & ones
    }
    let raised = sextets &+ ones &* 65 &+ atLeast(26) &* 6 &+ atLeast(63) &* 3
    return (raised &- atLeast(52) &* 75 &- atLeast(62) &* 15).byteSwapped
  }

  /// Whether all eight bytes of a word are of the alphabet, of which the padding is none.
  package static func areCharacters(_ word: UInt64) -> Bool { bits(word) != nil }

  /// The 48 bits of eight characters, the first in the lowest byte of `word`. Nil where one is not of the alphabet.
  @inline(__always) private static func bits(_ word: UInt64) -> UInt64? {
    // All bytes at once, which are below 128: nothing is carried from one to the next.
    let ones: UInt64 = 0x0101_0101_0101_0101
    guard word & ones << 7 == 0 else { return nil }
    func atLeast(_ limit: UInt8) -> UInt64 {
      (word &+ ones &* UInt64(128 - limit)) >> 7 & ones
    }
    let atSlash = atLeast(UInt8(ascii: "/"))
    let atZero = atLeast(UInt8(ascii: "0"))
    let plus = atLeast(UInt8(ascii: "+")) ^ atLeast(UInt8(ascii: ","))
    let slash = atSlash ^ atZero
    let digit = atZero ^ atLeast(UInt8(ascii: ":"))
    let upper = atLeast(UInt8(ascii: "A")) ^ atLeast(UInt8(ascii: "["))
    let lower = atLeast(UInt8(ascii: "a")) ^ atLeast(UInt8(ascii: "{"))
    guard plus | slash | digit | upper | lower == ones else { return nil }
    let sextets =
      (word &+ plus &* 19 &+ slash &* 16 &+ digit &* 4 &- upper &* 65 &- lower &* 71).byteSwapped
    // Eight bits to six: in pairs, fours, all.
    let pairs = (sextets >> 2 & 0x0fc0_0fc0_0fc0_0fc0) | sextets & 0x003f_003f_003f_003f
    let fours = (pairs >> 4 & 0x00ff_f000_00ff_f000) | pairs & 0x0000_0fff_0000_0fff
    return (fours >> 8 & 0xffff_ff00_0000) | fours & 0xff_ffff
  }

  /// How many bytes `text` decodes to, by its length and padding alone.
  package static func decodedCount(_ text: RawSpan) throws(TextCodingError) -> Int {
    let count = text.byteCount
    guard count % 4 == 0 else {
      throw TextCodingError(
        .invalidLength, offset: count, reason: "Base64 has a multiple of 4 characters")
    }
    guard count > 0 else { return 0 }
    let padding = UInt8(ascii: "=")
    guard text.u8(at: count - 1) == padding else { return count / 4 * 3 }
    return count / 4 * 3 - (text.u8(at: count - 2) == padding ? 2 : 1)
  }

  /// The bytes that `text` stands for.
  package static func decode(_ text: RawSpan) throws(TextCodingError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: try decodedCount(text))
    var span = bytes.mutableSpan
    var target = unsafe span.mutableBytes
    _ = try decode(text, into: &target)
    return bytes
  }

  /// Decodes `text` into the start of `target`; returns how many bytes it wrote.
  package static func decode(
    _ text: RawSpan, into target: inout MutableRawSpan
  ) throws(TextCodingError) -> Int {
    let count = try decodedCount(text)
    guard count <= target.byteCount else {
      throw TextCodingError(
        .insufficientRoom, offset: 0, reason: "the decoded bytes do not fit in the room given")
    }
    guard count > 0 else { return 0 }
    let failure = unsafe target.withUnsafeMutableBytes { target in
      unsafe text.withUnsafeBytes { text in
        unsafe decode(text, to: target.baseAddress!, count: count)
      }
    }
    if let failure { throw failure }
    return count
  }

  /// Decodes the text that fills `buffer` into the start of the same buffer; returns how many bytes
  /// it wrote. Behind them the buffer is unchanged, so its owner still has to wipe it.
  package static func decodeInPlace(
    _ buffer: inout MutableRawSpan
  ) throws(TextCodingError) -> Int {
    let count = try decodedCount(buffer.bytes)
    guard count > 0 else { return 0 }
    let failure = unsafe buffer.withUnsafeMutableBytes { buffer in
      unsafe decode(UnsafeRawBufferPointer(buffer), to: buffer.baseAddress!, count: count)
    }
    if let failure { throw failure }
    return count
  }

  /// The decoding loop. `text` has a positive multiple of four characters, `count` is what
  /// `decodedCount` said, `target` has room for it; it may be where `text` starts, because what is
  /// read is read before anything is written, which lies at or before it.
  private static func decode(
    _ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, count: Int
  ) -> TextCodingError? {
    let last = text.count - 4
    var read = 0
    var write = 0
    // Eight characters a turn: six bytes, of eight that are stored. What is not of the alphabet is left to the
    // groups below, which find out where it is.
    while read < last, count - write >= 8 {
      let word = unsafe UInt64(
        littleEndian: text.loadUnaligned(fromByteOffset: read, as: UInt64.self))
      guard let bits = bits(word) else { break }
      unsafe target.storeBytes(of: (bits << 16).bigEndian, toByteOffset: write, as: UInt64.self)
      read += 8
      write += 6
    }
    while true {
      let quad = unsafe UInt32(
        littleEndian: text.loadUnaligned(fromByteOffset: read, as: UInt32.self))
      let isPadded = read == last && count - write < 3
      let kept = isPadded ? count - write + 1 : 4
      let a = sextet(quad & 0xff)
      let b = sextet(quad >> 8 & 0xff)
      let c = kept > 2 ? sextet(quad >> 16 & 0xff) : 0
      let d = kept > 3 ? sextet(quad >> 24) : 0
      guard (a | b | c | d) >= 0 else {
        // At least one is -1, the sign of all that is not in the alphabet.
        let index = a < 0 ? 0 : b < 0 ? 1 : c < 0 ? 2 : 3
        return TextCodingError(
          .invalidCharacter, offset: read + index, reason: "not a Base64 character")
      }
      let group = a << 18 | b << 12 | c << 6 | d
      if isPadded {
        guard group & (kept == 2 ? 0xffff : 0xff) == 0 else {
          return TextCodingError(
            .nonzeroTrailingBits, offset: read + kept - 1,
            reason: "the unused bits before the padding are not zero")
        }
      }
      unsafe target.storeBytes(
        of: UInt8(truncatingIfNeeded: group >> 16), toByteOffset: write, as: UInt8.self)
      if kept > 2 {
        unsafe target.storeBytes(
          of: UInt8(truncatingIfNeeded: group >> 8), toByteOffset: write + 1, as: UInt8.self)
      }
      if kept > 3 {
        unsafe target.storeBytes(
          of: UInt8(truncatingIfNeeded: group), toByteOffset: write + 2, as: UInt8.self)
      }
      guard read < last else { return nil }
      read += 4
      write += 3
    }
  }

  /// The character for six bits, without a branch or a table.
  @inline(__always) private static func character(_ sextet: UInt32) -> UInt32 {
    let value = Int32(bitPattern: sextet)
    var code = value &+ 65
    code &+= (25 &- value) >> 8 & 6
    code &-= (51 &- value) >> 8 & 75
    code &-= (61 &- value) >> 8 & 15
    code &+= (62 &- value) >> 8 & 3
    return UInt32(bitPattern: code)
  }

  /// The six bits for a character, or -1, without a branch or a table.
  @inline(__always) private static func sextet(_ character: UInt32) -> Int32 {
    let code = Int32(bitPattern: character)
    var value: Int32 = -1
    value &+= ((64 &- code) & (code &- 91)) >> 8 & (code &- 64)
    value &+= ((96 &- code) & (code &- 123)) >> 8 & (code &- 70)
    value &+= ((47 &- code) & (code &- 58)) >> 8 & (code &+ 5)
    value &+= ((42 &- code) & (code &- 44)) >> 8 & 63
    value &+= ((46 &- code) & (code &- 48)) >> 8 & 64
    return value
  }
}
