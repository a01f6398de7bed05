// Strings of a JSON text: found and validated once, then compared, decoded to a String, or decoded into
// memory of the caller's. The last is for secrets, which a String would leave behind in memory.

internal import ByteCoding

/// A string that a `JSONReader` has read and validated. It says where the string is in the text; the
/// same reader (or a copy) gives its content.
public struct JSONString: Hashable, Sendable {
  /// Offset of the opening quotation mark in the text, in bytes.
  public let offset: Int
  /// Bytes between the quotation marks.
  public let count: Int
  /// UTF-8 bytes of the content, its escapes resolved.
  public let decodedCount: Int

  /// Whether all bytes of the content are known to be ASCII.
  let isASCII: Bool

  /// Every escape is longer than what it stands for.
  public var hasEscapes: Bool { count != decodedCount }

  var contents: Range<Int> { offset + 1..<offset + 1 + count }
}

extension JSONReader {
  /// Reads a string.
  public mutating func readString() throws(JSONError) -> JSONString {
    skipWhiteSpace()
    guard byte == UInt8(ascii: "\"") else { throw mismatch("expected a string") }
    return try scanString()
  }

  // MARK: Content

  /// The bytes between the quotation marks, as they stand in the text. Without escapes they are the
  /// content.
  @_lifetime(copy self)
  public func bytes(of string: JSONString) -> RawSpan { input.extracting(string.contents) }

  /// Whether the content is exactly `text`, byte for byte.
  public func equals(_ string: JSONString, _ text: StaticString) -> Bool {
    if string.hasEscapes {
      return self.string(string).utf8.elementsEqual("\(text)".utf8)
    }
    let start = string.contents.lowerBound
    return text.withUTF8Buffer { text in
      guard text.count == string.count else { return false }
      for index in 0..<text.count {
        if unsafe input.u8(at: start + index) != text[index] { return false }
      }
      return true
    }
  }

  /// The content as a String.
  public func string(_ string: JSONString) -> String {
    if string.hasEscapes {
      return unsafe String(unsafeUninitializedCapacity: string.decodedCount) { target in
        // Every byte is written before it is read.
        var target = unsafe MutableRawSpan(
          _unsafeStart: UnsafeMutableRawPointer(target.baseAddress!), byteCount: target.count)
        return decode(string, into: &target)
      }
    }
    // The scan has validated it.
    let bytes = Span<UInt8>(_bytes: input.extracting(string.contents))
    return unsafe String(copying: UTF8Span(unchecked: bytes, isKnownASCII: string.isASCII))
  }

  /// Writes the content to the start of `target`, which has room for `decodedCount` bytes. Returns that
  /// count. No copy stays anywhere else.
  public func decode(_ string: JSONString, into target: inout MutableRawSpan) -> Int {
    precondition(target.byteCount >= string.decodedCount)
    let contents = string.contents
    guard string.hasEscapes else {
      target.store(input.extracting(contents), at: 0)
      return string.decodedCount
    }
    var read = contents.lowerBound
    var write = 0
    while read < contents.upperBound {
      let byte = input.u8(at: read)
      if byte != UInt8(ascii: "\\") {
        target.store(byte, at: write)
        read += 1
        write += 1
        continue
      }
      let escape = input.u8(at: read + 1)
      read += 2
      guard escape == UInt8(ascii: "u") else {
        target.store(Self.escapedByte(escape), at: write)
        write += 1
        continue
      }
      var scalar = hexUnit(at: read) ?? 0
      read += 4
      if scalar & 0xfc00 == 0xd800 {
        scalar = Self.scalar(high: scalar, low: hexUnit(at: read + 2) ?? 0)
        read += 6
      }
      write = Self.encode(scalar, into: &target, at: write)
    }
    return write
  }

  // MARK: Scanning

  /// Reads the string whose quotation mark is at the offset.
  mutating func scanString() throws(JSONError) -> JSONString {
    let start = offset &+ 1
    let end = input.byteCount
    var position = start
    var saved = 0
    var isASCII = true
    while true {
      if end &- position >= 8 {
        let word = input.u64(at: position)
        let special =
          ByteWord.matches(word, UInt8(ascii: "\"")) | ByteWord.matches(word, UInt8(ascii: "\\"))
          | ByteWord.below(word, 0x20) | ByteWord.nonASCII(word)
        if special == 0 {
          position &+= 8
          continue
        }
        position &+= ByteWord.index(special)
      }
      guard position < end else {
        throw error(.unexpectedEnd, at: end, "the text ends inside a string")
      }
      let byte = input.u8(at: position)
      if byte == UInt8(ascii: "\"") { break }
      if byte >= 0x80 {
        isASCII = false
        position &+= try sequenceLength(at: position)
      } else if byte == UInt8(ascii: "\\") {
        let (length, decoded) = try escapeLength(at: position)
        isASCII = isASCII && decoded == 1
        position &+= length
        saved &+= length &- decoded
      } else if byte < 0x20 {
        throw error(
          .controlCharacter, at: position, "a control character in a string must be escaped")
      } else {
        position &+= 1
      }
    }
    offset = position &+ 1
    let count = position &- start
    return JSONString(
      offset: start &- 1, count: count, decodedCount: count &- saved, isASCII: isASCII)
  }

  /// The length of the UTF-8 sequence at `position`, which is not ASCII (RFC 3629 section 4: shortest
  /// forms only, no surrogates, nothing above U+10FFFF).
  private func sequenceLength(at position: Int) throws(JSONError) -> Int {
    let first = input.u8(at: position)
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch first {
    case 0xc2...0xdf: length = 2
    case 0xe0: (length, second) = (3, 0xa0...0xbf)
    case 0xed: (length, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: length = 3
    case 0xf0: (length, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: length = 4
    case 0xf4: (length, second) = (4, 0x80...0x8f)
    default: throw error(.invalidUTF8, at: position, "not valid UTF-8")
    }
    for index in 1..<length {
      guard position + index < input.byteCount else {
        throw error(.unexpectedEnd, at: position, "the text ends inside a character")
      }
      let byte = input.u8(at: position + index)
      guard index == 1 ? second.contains(byte) : byte & 0xc0 == 0x80 else {
        throw error(.invalidUTF8, at: position, "not valid UTF-8")
      }
    }
    return length
  }

  /// How many bytes the escape at `position` has and how many it stands for.
  private func escapeLength(at position: Int) throws(JSONError) -> (length: Int, decoded: Int) {
    guard position + 1 < input.byteCount else {
      throw error(.unexpectedEnd, at: input.byteCount, "the text ends inside a string")
    }
    let escape = input.u8(at: position + 1)
    guard escape == UInt8(ascii: "u") else {
      guard Self.escapedByte(escape) != 0 else {
        throw error(.invalidEscape, at: position, "not an escape of JSON")
      }
      return (2, 1)
    }
    let unit = try unit(at: position)
    switch unit {
    case 0..<0x80: return (6, 1)
    case 0x80..<0x800: return (6, 2)
    case 0xd800..<0xdc00:
      let lone = "half of a surrogate pair"
      for (index, expected) in [(6, UInt8(ascii: "\\")), (7, UInt8(ascii: "u"))] {
        guard position + index < input.byteCount else {
          throw error(.unexpectedEnd, at: input.byteCount, "the text ends inside a string")
        }
        guard input.u8(at: position + index) == expected else {
          throw error(.loneSurrogate, at: position, lone)
        }
      }
      guard try self.unit(at: position + 6) & 0xfc00 == 0xdc00 else {
        throw error(.loneSurrogate, at: position, lone)
      }
      return (12, 4)
    case 0xdc00..<0xe000:
      throw error(.loneSurrogate, at: position, "half of a surrogate pair")
    default: return (6, 3)
    }
  }

  /// The UTF-16 code unit of the escape `\uXXXX` at `position`.
  private func unit(at position: Int) throws(JSONError) -> UInt32 {
    guard position + 6 <= input.byteCount else {
      throw error(.unexpectedEnd, at: input.byteCount, "the text ends inside a string")
    }
    guard let unit = hexUnit(at: position + 2) else {
      throw error(.invalidEscape, at: position, "\\u needs four hexadecimal digits")
    }
    return unit
  }

  private func hexUnit(at position: Int) -> UInt32? {
    var unit: UInt32 = 0
    for index in 0..<4 {
      let byte = input.u8(at: position + index)
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt32(byte - 48)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt32(byte - 87)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt32(byte - 55)
      default: return nil
      }
    }
    return unit
  }

  /// What the letter behind a backslash stands for; zero when it stands for nothing.
  private static func escapedByte(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: 0
    }
  }

  private static func scalar(high: UInt32, low: UInt32) -> UInt32 {
    0x10000 + ((high & 0x3ff) << 10 | low & 0x3ff)
  }

  /// Writes the UTF-8 of `scalar` at `offset`; returns the offset behind it.
  private static func encode(
    _ scalar: UInt32, into target: inout MutableRawSpan, at offset: Int
  ) -> Int {
    func continuation(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3f) }
    switch scalar {
    case 0..<0x80:
      target.store(UInt8(scalar), at: offset)
      return offset + 1
    case 0x80..<0x800:
      target.store(UInt8(0xc0 | scalar >> 6), at: offset)
      target.store(continuation(0), at: offset + 1)
      return offset + 2
    case 0x800..<0x10000:
      target.store(UInt8(0xe0 | scalar >> 12), at: offset)
      target.store(continuation(6), at: offset + 1)
      target.store(continuation(0), at: offset + 2)
      return offset + 3
    default:
      target.store(UInt8(0xf0 | scalar >> 18), at: offset)
      target.store(continuation(12), at: offset + 1)
      target.store(continuation(6), at: offset + 2)
      target.store(continuation(0), at: offset + 3)
      return offset + 4
    }
  }
}
