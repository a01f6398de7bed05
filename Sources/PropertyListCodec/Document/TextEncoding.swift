// Which characters the bytes of a list of text are. Lists come as UTF-8 nearly always and as UTF-16 sometimes; the
// readers see UTF-8 only.

internal import ByteCoding

extension PropertyListDocument {
  /// How the characters of a list of text are written.
  public enum TextEncoding: Hashable, Sendable {
    case utf8, utf16LittleEndian, utf16BigEndian
    /// ISO 8859-1.
    case latin1
    /// Mac OS Roman, which OpenStep's lists that are not UTF-8 are taken for.
    case macRoman

    /// `UTF-8`.
    public var name: String {
      switch self {
      case .utf8: "UTF-8"
      case .utf16LittleEndian, .utf16BigEndian: "UTF-16"
      case .latin1: "ISO 8859-1"
      case .macRoman: "Mac OS Roman"
      }
    }
  }
}

/// A list's text as UTF-8, and how the file has it. A file in UTF-8 is its own text, byte-order mark included;
/// other text is without one.
struct DecodedListText {
  let content: [UInt8]
  let encoding: PropertyListDocument.TextEncoding

  /// The order of bytes that a list of text begins with, and where its first character is: by a byte-order mark, or
  /// by the zero byte beside a first character that is one of `first`.
  static func beginning(
    _ bytes: RawSpan, first: (UInt8) -> Bool
  ) -> (encoding: PropertyListDocument.TextEncoding, start: Int) {
    guard bytes.byteCount >= 2 else { return (.utf8, 0) }
    switch (bytes.u8(at: 0), bytes.u8(at: 1)) {
    case (0xff, 0xfe): return (.utf16LittleEndian, 2)
    case (0xfe, 0xff): return (.utf16BigEndian, 2)
    case (let byte, 0) where first(byte): return (.utf16LittleEndian, 0)
    case (0, let byte) where first(byte): return (.utf16BigEndian, 0)
    case (0xef, 0xbb) where bytes.byteCount >= 3 && bytes.u8(at: 2) == 0xbf: return (.utf8, 3)
    default: return (.utf8, 0)
    }
  }

  /// The code units of UTF-16 from `start` on; an odd byte at the end is none.
  static func units(
    _ bytes: RawSpan, from start: Int, _ encoding: PropertyListDocument.TextEncoding
  ) -> [UInt16] {
    let isLittleEndian = encoding == .utf16LittleEndian
    let count = (bytes.byteCount - start) / 2
    return unsafe [UInt16](unsafeUninitializedCapacity: count) { buffer, initialized in
      for index in 0..<count {
        let unit = bytes.u16(at: start + 2 * index)
        unsafe buffer.initializeElement(
          at: index, to: isLittleEndian ? unit : unit.byteSwapped)
      }
      initialized = count
    }
  }

  /// Text of UTF-16 from `start` on.
  static func utf16(
    _ bytes: RawSpan, from start: Int, _ encoding: PropertyListDocument.TextEncoding
  ) throws(PropertyListError) -> DecodedListText {
    guard (bytes.byteCount - start) % 2 == 0 else {
      throw PropertyListError(
        .invalidText, offset: bytes.byteCount - 1, reason: "UTF-16 with an odd number of bytes")
    }
    let units = units(bytes, from: start, encoding)
    var text: [UInt8] = []
    text.reserveCapacity(units.count + units.count / 8)
    let isInvalid = transcode(
      units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
    ) { text.append($0) }
    if isInvalid {
      throw .located(.invalidText, text.count, "half a surrogate pair in UTF-16", text.bytes)
    }
    return DecodedListText(content: text, encoding: encoding)
  }
}

extension PropertyListError {
  /// An error with the line and column of its offset in `text`.
  static func located(
    _ code: Code, _ offset: Int, _ reason: String, _ text: RawSpan
  ) -> PropertyListError {
    located([PropertyListError(code, offset: offset, reason: reason)], in: text)[0]
  }
}
