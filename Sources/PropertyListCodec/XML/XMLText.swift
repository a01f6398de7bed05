// The characters of an element: what entities, character references and CDATA sections stand for, without
// comments and instructions. Checked once when the list is read, decoded whenever a value is asked for.

internal import ByteCoding

enum XMLText {
  /// What the next piece of marked-up text is, from an offset on.
  enum Piece {
    /// Bytes that stand for themselves, up to the offset: plain text, or what is in a CDATA section.
    case bytes(Range<Int>, end: Int)
    /// One character.
    case character(Unicode.Scalar, end: Int)
    /// A comment or an instruction.
    case nothing(end: Int)
    /// Where the text ends: a start or end tag, or the end of the file.
    case end
  }

  /// The piece at `offset` of `input`.
  static func piece(_ input: RawSpan, at offset: Int) throws(PropertyListError) -> Piece {
    guard offset < input.byteCount else { return .end }
    switch input.u8(at: offset) {
    case UInt8(ascii: "&"):
      let (scalar, end) = try reference(input, at: offset)
      return .character(scalar, end: end)
    case UInt8(ascii: "<"):
      if input.starts(with: "<![CDATA[", at: offset) {
        let start = offset + 9
        guard let end = input.find("]]>", from: start) else {
          throw PropertyListError(
            .unexpectedEnd, offset: input.byteCount, reason: "a CDATA section without its end")
        }
        return .bytes(start..<end, end: end + 3)
      }
      if let end = try miscellaneous(input, at: offset) { return .nothing(end: end) }
      return .end
    default:
      let end = input.firstMarkup(from: offset)
      return .bytes(offset..<end, end: end)
    }
  }

  /// The characters of text that has been read before.
  static func decode(_ text: RawSpan) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.byteCount)
    var offset = 0
    // The reader has been over this text: it has no errors.
    while let piece = try? piece(text, at: offset) {
      switch piece {
      case .bytes(let range, let end):
        bytes.append(copying: text.extracting(range))
        offset = end
      case .character(let scalar, let end):
        if scalar.isASCII {
          bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        } else {
          bytes.append(contentsOf: String(scalar).utf8)
        }
        offset = end
      case .nothing(let end): offset = end
      case .end: return bytes
      }
    }
    return bytes
  }

  /// The end of the comment or instruction at `offset`. Nil when there is none.
  static func miscellaneous(
    _ input: RawSpan, at offset: Int
  ) throws(PropertyListError) -> Int? {
    let isComment = input.starts(with: "<!--", at: offset)
    guard isComment || input.starts(with: "<?", at: offset) else { return nil }
    let end =
      isComment ? input.find("-->", from: offset + 4) : input.find("?>", from: offset + 2)
    guard let end else {
      throw PropertyListError(
        .unexpectedEnd, offset: input.byteCount,
        reason: isComment ? "a comment without its end" : "an instruction without its end")
    }
    return end + (isComment ? 3 : 2)
  }

  /// Whether parsers disagree on where the comment in `range` ends: XML allows no `--` inside, and some end
  /// it at `<!-->` or `<!--->`.
  static func isAmbiguousComment(_ input: RawSpan, _ range: Range<Int>) -> Bool {
    guard input.starts(with: "<!--", at: range.lowerBound) else { return false }
    let inside = range.lowerBound + 4
    if input.starts(with: ">", at: inside) || input.starts(with: "->", at: inside) { return true }
    // The first two hyphens in a row are those of the end, unless three are.
    return input.find("--", from: inside) != range.upperBound - 3
  }

  /// The character that the reference at `offset` stands for, and the offset behind it. Only the five
  /// predefined entities exist, because no declarations are read.
  private static func reference(
    _ input: RawSpan, at offset: Int
  ) throws(PropertyListError) -> (Unicode.Scalar, end: Int) {
    if input.starts(with: "&#", at: offset) { return try characterReference(input, at: offset) }
    for (name, scalar) in predefined where input.starts(with: name, at: offset + 1) {
      return (scalar, offset + 1 + name.utf8CodeUnitCount)
    }
    throw PropertyListError(
      .invalidEntity, offset: offset, reason: "an ampersand that begins no predefined entity")
  }

  private static let predefined: [(StaticString, Unicode.Scalar)] = [
    ("lt;", "<"), ("gt;", ">"), ("amp;", "&"), ("quot;", "\""), ("apos;", "'"),
  ]

  /// `&#`, digits, `;` or `&#x`, hexadecimal digits, `;`: at most 8 digits, as Core Foundation has it. Zero,
  /// which XML does not allow, stands in lists nevertheless.
  private static func characterReference(
    _ input: RawSpan, at start: Int
  ) throws(PropertyListError) -> (Unicode.Scalar, end: Int) {
    let isHexadecimal = input.starts(with: "x", at: start + 2)
    var offset = start + (isHexadecimal ? 3 : 2)
    let first = offset
    var value: UInt32 = 0
    while offset < input.byteCount, offset - first < 8,
      let digit = XMLNumber.digit(input.u8(at: offset), isHexadecimal: isHexadecimal)
    {
      // Eight digits are at most 32 bits.
      value = value &* (isHexadecimal ? 16 : 10) &+ UInt32(digit)
      offset += 1
    }
    guard offset > first, input.starts(with: ";", at: offset),
      let scalar = Unicode.Scalar(value)
    else {
      throw PropertyListError(
        .invalidEntity, offset: start, reason: "a character reference that is no character")
    }
    return (scalar, offset + 1)
  }
}

extension RawSpan {
  /// Whether `expected`, which is ASCII, is at `offset`.
  func starts(with expected: StaticString, at offset: Int) -> Bool {
    let count = expected.utf8CodeUnitCount
    guard count <= byteCount - offset else { return false }
    for index in 0..<count where unsafe u8(at: offset + index) != expected.utf8Start[index] {
      return false
    }
    return true
  }

  /// Where `pattern`, which is ASCII, begins at or after `start`. Nil when it does not.
  func find(_ pattern: StaticString, from start: Int) -> Int? {
    guard start <= byteCount else { return nil }
    let first = unsafe pattern.utf8Start[0]
    var offset = start
    while byteCount - offset >= pattern.utf8CodeUnitCount {
      if byteCount - offset >= 8 {
        let found = ByteWord.matches(u64(at: offset), first)
        if found == 0 {
          offset += 8
          continue
        }
        offset += ByteWord.index(found)
      }
      if starts(with: pattern, at: offset) { return offset }
      offset += 1
    }
    return nil
  }

  /// Where the first `<` or `&` is at or after `start`; the end when there is none.
  func firstMarkup(from start: Int) -> Int {
    var offset = start
    while byteCount - offset >= 8 {
      let word = u64(at: offset)
      let found =
        ByteWord.matches(word, UInt8(ascii: "<")) | ByteWord.matches(word, UInt8(ascii: "&"))
      if found != 0 { return offset + ByteWord.index(found) }
      offset += 8
    }
    while offset < byteCount {
      let byte = u8(at: offset)
      if byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") { return offset }
      offset += 1
    }
    return offset
  }
}
