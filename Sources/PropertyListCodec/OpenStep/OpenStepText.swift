// The characters of quoted strings with escapes. Checked once when the list is read, decoded whenever a value is asked
// for.

internal import ByteCoding

enum OpenStepText {
  /// The next piece of a string, from an offset on.
  enum Piece {
    /// Bytes of UTF-8 that stand for themselves.
    case bytes(Range<Int>)
    /// What an escape stands for: a UTF-16 code unit, which `\U` can make half a surrogate pair.
    case unit(UInt16, end: Int, isIrregular: Bool)
  }

  /// The piece at `offset` of the text between quotation marks. Throws `invalidEscape` for `\U` without a digit.
  static func piece(_ text: RawSpan, at offset: Int) throws(PropertyListError) -> Piece {
    guard text.u8(at: offset) == UInt8(ascii: "\\"), offset + 1 < text.byteCount else {
      var end = offset + 1
      while end < text.byteCount, text.u8(at: end) != UInt8(ascii: "\\") { end += 1 }
      return .bytes(offset..<end)
    }
    let next = offset + 1
    let byte = text.u8(at: next)
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "7"): return octal(text, at: next)
    case UInt8(ascii: "U"): return try hexadecimal(text, at: next)
    case UInt8(ascii: "a"): return .unit(0x07, end: next + 1, isIrregular: false)
    case UInt8(ascii: "b"): return .unit(0x08, end: next + 1, isIrregular: false)
    case UInt8(ascii: "t"): return .unit(0x09, end: next + 1, isIrregular: false)
    case UInt8(ascii: "n"): return .unit(0x0a, end: next + 1, isIrregular: false)
    case UInt8(ascii: "v"): return .unit(0x0b, end: next + 1, isIrregular: false)
    case UInt8(ascii: "f"): return .unit(0x0c, end: next + 1, isIrregular: false)
    case UInt8(ascii: "r"): return .unit(0x0d, end: next + 1, isIrregular: false)
    case 0..<0x80: return .unit(UInt16(byte), end: next + 1, isIrregular: false)
    default:
      // A character of several bytes stands for itself.
      var end = next + 1
      while end < text.byteCount, text.u8(at: end) & 0xc0 == 0x80 { end += 1 }
      return .bytes(next..<end)
    }
  }

  /// One to three digits at `start`; of the number, the lowest eight bits count.
  private static func octal(_ text: RawSpan, at start: Int) -> Piece {
    var offset = start
    var number: UInt16 = 0
    while offset < text.byteCount, offset - start < 3,
      case let digit = text.u8(at: offset) &- UInt8(ascii: "0"), digit < 8
    {
      number = number << 3 | UInt16(digit)
      offset += 1
    }
    let unit = NextStep.unit(UInt8(truncatingIfNeeded: number))
    return .unit(unit, end: offset, isIrregular: number > 0xff || unit == 0xfffd)
  }

  /// `U` at `start`, and one to four digits.
  private static func hexadecimal(
    _ text: RawSpan, at start: Int
  ) throws(PropertyListError) -> Piece {
    var offset = start + 1
    var number: UInt16 = 0
    while offset < text.byteCount, offset - start <= 4,
      let digit = XMLNumber.digit(text.u8(at: offset), isHexadecimal: true)
    {
      number = number << 4 | UInt16(digit)
      offset += 1
    }
    guard offset > start + 1 else {
      throw PropertyListError(
        .invalidEscape, offset: start - 1, reason: "\\U without a hexadecimal digit")
    }
    return .unit(number, end: offset, isIrregular: false)
  }

  /// The code units of a string that has been read before.
  static func units(_ text: RawSpan) -> [UInt16] {
    var units: [UInt16] = []
    units.reserveCapacity(text.byteCount)
    forEachPiece(text) { piece in
      switch piece {
      case .bytes(let range):
        let bytes = text.array(at: range.lowerBound, count: range.count)
        units.append(contentsOf: String(decoding: bytes, as: UTF8.self).utf16)
      case .unit(let unit, _, _): units.append(unit)
      }
    }
    return units
  }

  /// A string that has been read before as UTF-8, and whether all its surrogates are pairs; U+FFFD stands for those
  /// that are not.
  static func utf8(_ text: RawSpan) -> (bytes: [UInt8], isPaired: Bool) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.byteCount)
    var isPaired = true
    /// A high surrogate that waits for a low one in the next escape.
    var high: UInt16?
    func endPair() {
      guard high != nil else { return }
      bytes.append(utf8: 0xfffd)
      high = nil
      isPaired = false
    }
    forEachPiece(text) { piece in
      switch piece {
      case .bytes(let range):
        endPair()
        bytes.append(copying: text.extracting(range))
      case .unit(let unit, _, _):
        switch unit {
        case 0xd800..<0xdc00:
          endPair()
          high = unit
        case 0xdc00..<0xe000:
          guard let first = high else {
            bytes.append(utf8: 0xfffd)
            isPaired = false
            return
          }
          high = nil
          let value = 0x1_0000 + (UInt32(first & 0x3ff) << 10 | UInt32(unit & 0x3ff))
          if let scalar = Unicode.Scalar(value) { bytes.append(contentsOf: String(scalar).utf8) }
        default:
          endPair()
          bytes.append(utf8: unit)
        }
      }
    }
    endPair()
    return (bytes, isPaired)
  }

  private static func forEachPiece(_ text: RawSpan, _ body: (Piece) -> Void) {
    var offset = 0
    // The reader has been over this text: it has no errors.
    while offset < text.byteCount, let piece = try? piece(text, at: offset) {
      switch piece {
      case .bytes(let range): offset = range.upperBound
      case .unit(_, let end, _): offset = end
      }
      body(piece)
    }
  }
}
