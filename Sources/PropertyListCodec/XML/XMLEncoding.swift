// Which characters the bytes of an XML list are. Lists come as UTF-8 nearly always and as UTF-16 sometimes;
// the reader sees UTF-8 only.

internal import ByteCoding

enum XMLEncoding {
  /// How much of a file is looked at for the encoding's name: the declaration is the first thing in it.
  private static let declarationLimit = 256

  /// Whether a file begins as XML does: a tag after a byte order mark and white space, in UTF-8 or UTF-16.
  static func looksLikeXML(_ bytes: RawSpan) -> Bool {
    let (order, start) = mark(bytes)
    var offset = start
    func unit() -> UInt16? {
      switch order {
      case .none: return offset < bytes.byteCount ? UInt16(bytes.u8(at: offset)) : nil
      case .little: return offset + 2 <= bytes.byteCount ? bytes.u16(at: offset) : nil
      case .big: return offset + 2 <= bytes.byteCount ? bytes.u16(at: offset).byteSwapped : nil
      }
    }
    let width = order == .none ? 1 : 2
    while let unit = unit(), unit == 0x20 || unit == 0x09 || unit == 0x0a || unit == 0x0d {
      offset += width
    }
    guard unit() == UInt16(UInt8(ascii: "<")) else { return false }
    offset += width
    // A declaration, an instruction, or an element of property lists; not `<*I5>` or `<da7a>`, which
    // OpenStep's lists can begin with.
    var name: [UInt8] = []
    while name.count < 8, let next = unit(), let byte = UInt8(exactly: next) {
      name.append(byte)
      offset += width
    }
    if name.first == UInt8(ascii: "?") || name.first == UInt8(ascii: "!") { return true }
    return XMLElement.allCases.contains { name.bytes.starts(with: $0.name, at: 0) }
  }

  /// The file's text as UTF-8, without a byte order mark in UTF-16. A file that is UTF-8 is returned as it is.
  static func utf8(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
    let (order, start) = mark(bytes.bytes)
    if order != .none { return try utf16(bytes.bytes, from: start, order) }
    if start == 0, let name = declaredName(bytes.bytes) {
      switch name {
      case "utf-8", "utf8", "us-ascii", "ascii": break
      case "iso-8859-1", "latin1": return Latin1Text.utf8(bytes.bytes)
      default:
        throw located(
          .unsupportedEncoding, 0, "the list is in an encoding that is not read", bytes.bytes)
      }
    }
    if let invalid = bytes.bytes.firstInvalidUTF8(in: 0..<bytes.count) {
      throw located(.invalidText, invalid, "bytes that are not UTF-8", bytes.bytes)
    }
    return bytes
  }

  private enum ByteOrder { case none, little, big }

  /// The byte order of UTF-16, by its mark or by the zero byte beside the first `<`, and where text begins.
  private static func mark(_ bytes: RawSpan) -> (order: ByteOrder, start: Int) {
    guard bytes.byteCount >= 2 else { return (.none, 0) }
    switch (bytes.u8(at: 0), bytes.u8(at: 1)) {
    case (0xff, 0xfe): return (.little, 2)
    case (0xfe, 0xff): return (.big, 2)
    case (UInt8(ascii: "<"), 0): return (.little, 0)
    case (0, UInt8(ascii: "<")): return (.big, 0)
    case (0xef, 0xbb) where bytes.byteCount >= 3 && bytes.u8(at: 2) == 0xbf: return (.none, 3)
    default: return (.none, 0)
    }
  }

  private static func utf16(
    _ bytes: RawSpan, from start: Int, _ order: ByteOrder
  ) throws(PropertyListError) -> [UInt8] {
    guard (bytes.byteCount - start) % 2 == 0 else {
      throw PropertyListError(
        .invalidText, offset: bytes.byteCount - 1, reason: "UTF-16 with an odd number of bytes")
    }
    let units = stride(from: start, to: bytes.byteCount, by: 2).map { offset in
      order == .little ? bytes.u16(at: offset) : bytes.u16(at: offset).byteSwapped
    }
    var text: [UInt8] = []
    text.reserveCapacity(units.count + units.count / 8)
    let isInvalid = transcode(
      units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
    ) { text.append($0) }
    if isInvalid {
      throw located(.invalidText, text.count, "half a surrogate pair in UTF-16", text.bytes)
    }
    return text
  }

  /// The name after `encoding=` in the declaration, in lower case. Nil when there is none.
  private static func declaredName(_ bytes: RawSpan) -> String? {
    let head = bytes.array(at: 0, count: min(bytes.byteCount, declarationLimit))
    guard head.starts(with: Array("<?xml".utf8)),
      let end = head.firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let declaration = head[..<end]
    let attribute = Array("encoding".utf8)
    guard declaration.count > attribute.count,
      let position = (0..<declaration.count - attribute.count).first(where: {
        declaration[$0...].starts(with: attribute)
      })
    else { return nil }
    let rest = declaration[(position + attribute.count)...]
    let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
    guard let open = rest.firstIndex(where: { quotes.contains($0) }),
      let close = rest[(open + 1)...].firstIndex(of: rest[open])
    else { return nil }
    let name = rest[(open + 1)..<close].map { 65...90 ~= $0 ? $0 | 0x20 : $0 }
    return String(decoding: name, as: UTF8.self)
  }

  private static func located(
    _ code: PropertyListError.Code, _ offset: Int, _ reason: String, _ text: RawSpan
  ) -> PropertyListError {
    PropertyListError.located(
      [PropertyListError(code, offset: offset, reason: reason)], in: text)[0]
  }
}
