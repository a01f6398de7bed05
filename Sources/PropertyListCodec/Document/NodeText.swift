// The texts of nodes, whatever they are written in, as UTF-8 bytes.

internal import ByteCoding

enum NodeText {
  /// The text of a string, or the characters of an XML element or of what OpenStep's lists have in its place. ASCII bytes over 0x7f are ISO 8859-1 (as Core
  /// Foundation takes them), half surrogate pairs become U+FFFD.
  static func utf8(of record: NodeRecord, in content: RawSpan) -> [UInt8] {
    let range = record.content
    switch record.encoding {
    case .utf16: return UTF16Text.utf8(content, range)
    case .markedUpText: return XMLText.decode(content.extracting(range))
    case .escapedText: return OpenStepText.utf8(content.extracting(range)).bytes
    case .ascii where content.firstNonASCII(in: range) != nil:
      return Latin1Text.utf8(content.extracting(range))
    case .ascii, .utf8, .text, .hexadecimal, .zonedDate, .binary:
      return content.array(at: range.lowerBound, count: range.count)
    }
  }
}

enum Latin1Text {
  /// Text of ISO 8859-1 as UTF-8.
  static func utf8(_ text: RawSpan) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.byteCount)
    for offset in 0..<text.byteCount {
      let byte = text.u8(at: offset)
      if byte < 0x80 {
        bytes.append(byte)
      } else {
        bytes.append(0xc0 | byte >> 6)
        bytes.append(0x80 | byte & 0x3f)
      }
    }
    return bytes
  }
}

/// Big-endian UTF-16, as binary lists have it.
enum UTF16Text {
  /// Whether all surrogates are pairs.
  static func isPaired(_ input: RawSpan, _ range: Range<Int>) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      // A surrogate's first byte is 0xd8 to 0xdf.
      let unit = input.u16(at: offset).byteSwapped
      offset += 2
      guard unit & 0xf800 == 0xd800 else { continue }
      guard unit & 0xfc00 == 0xd800, offset < range.upperBound,
        input.u16(at: offset).byteSwapped & 0xfc00 == 0xdc00
      else { return false }
      offset += 2
    }
    return true
  }

  static func units(_ input: RawSpan, _ range: Range<Int>) -> [UInt16] {
    stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
      input.u16(at: $0).byteSwapped
    }
  }

  static func utf8(_ input: RawSpan, _ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    _ = transcode(
      units(input, range).makeIterator(), from: UTF16.self, to: UTF8.self,
      stoppingOnError: false
    ) { bytes.append($0) }
    return bytes
  }
}

extension RawSpan {
  /// The offset of the first byte over 0x7f in `range`. Nil when all are ASCII.
  func firstNonASCII(in range: Range<Int>) -> Int? {
    var offset = range.lowerBound
    while range.upperBound - offset >= 8 {
      let found = ByteWord.nonASCII(u64(at: offset))
      if found != 0 { return offset + ByteWord.index(found) }
      offset += 8
    }
    while offset < range.upperBound {
      if u8(at: offset) >= 0x80 { return offset }
      offset += 1
    }
    return nil
  }

  /// Whether the bytes of `range` are UTF-8.
  func isUTF8(_ range: Range<Int>) -> Bool { firstInvalidUTF8(in: range) == nil }

  /// The offset of the first byte that cannot be UTF-8 (RFC 3629). Nil when all are.
  func firstInvalidUTF8(in range: Range<Int>) -> Int? {
    guard let start = firstNonASCII(in: range) else { return nil }
    let part = extracting(start..<range.upperBound)
    return unsafe part.withUnsafeBytes { bytes in
      do throws(UTF8.ValidationError) {
        _ = try unsafe UTF8Span(
          validating: Span(
            _unsafeElements: UnsafeBufferPointer(
              start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)))
        return nil
      } catch {
        return start + error.byteOffsets.lowerBound
      }
    }
  }
}
