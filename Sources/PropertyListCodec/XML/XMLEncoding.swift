// How an XML list says which encoding it is in, and whether a file begins as XML does.

internal import ByteCoding

enum XMLEncoding {
  /// How much of a file is looked at for the encoding's name: the declaration is the first thing in it.
  private static let declarationLimit = 256

  /// Whether a file begins as XML does: a tag after a byte order mark and white space, in UTF-8 or UTF-16.
  static func looksLikeXML(_ bytes: RawSpan) -> Bool {
    let (encoding, start) = beginning(bytes)
    var offset = start
    func unit() -> UInt16? {
      switch encoding {
      case .utf16LittleEndian:
        return offset + 2 <= bytes.byteCount ? bytes.u16(at: offset) : nil
      case .utf16BigEndian:
        return offset + 2 <= bytes.byteCount ? bytes.u16(at: offset).byteSwapped : nil
      default: return offset < bytes.byteCount ? UInt16(bytes.u8(at: offset)) : nil
      }
    }
    let width = encoding == .utf8 ? 1 : 2
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
    return XMLElement.first.contains { name.bytes.starts(with: $0.name, at: 0) }
  }

  /// The file's text.
  static func text(_ bytes: [UInt8]) throws(PropertyListError) -> DecodedListText {
    let (encoding, start) = beginning(bytes.bytes)
    if encoding != .utf8 {
      return try DecodedListText.utf16(bytes.bytes, from: start, encoding)
    }
    if start == 0, let name = declaredName(bytes.bytes) {
      switch name {
      case "utf-8", "utf8", "us-ascii", "ascii": break
      case "iso-8859-1", "latin1":
        return DecodedListText(content: Latin1Text.utf8(bytes.bytes), encoding: .latin1)
      default:
        throw .located(
          .unsupportedEncoding, 0, "the list is in an encoding that is not read", bytes.bytes)
      }
    }
    if let invalid = bytes.bytes.firstInvalidUTF8(in: 0..<bytes.count) {
      throw .located(.invalidText, invalid, "bytes that are not UTF-8", bytes.bytes)
    }
    return DecodedListText(content: bytes, encoding: .utf8)
  }

  private static func beginning(
    _ bytes: RawSpan
  ) -> (encoding: PropertyListDocument.TextEncoding, start: Int) {
    DecodedListText.beginning(bytes) { $0 == UInt8(ascii: "<") }
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
}
