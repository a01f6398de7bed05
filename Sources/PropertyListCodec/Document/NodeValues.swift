// Values of nodes, made from the bytes when asked for. Reading has checked them, so each is either there or the
// node is of another kind.

internal import ByteCoding

extension PropertyListDocument {
  /// A boolean's value. Nil for other kinds.
  public func boolean(of node: PropertyListNode) -> Bool? {
    let record = table.records[node.index]
    return record.kind == .boolean ? record.count == 1 : nil
  }

  /// An integer's value: of binary lists, 1 to 4 bytes are unsigned, 8 and 16 bytes signed. Nil for other
  /// kinds.
  public func integer(of node: PropertyListNode) -> Int128? {
    let record = table.records[node.index]
    guard record.kind == .integer else { return nil }
    guard record.encoding == .binary else { return XMLNumber.integer(text(record).bytes) }
    return ScalarReader.integer(record, content.bytes)
  }

  /// How many bytes an integer, a real or a UID has in a binary list. Nil for other kinds and in text.
  public func byteWidth(of node: PropertyListNode) -> Int? {
    let record = table.records[node.index]
    switch record.kind {
    case .integer, .real, .uid: return record.encoding == .binary ? Int(record.count) : nil
    default: return nil
    }
  }

  /// A real's value; of 32 bits, as 64 bits. Nil for other kinds.
  public func real(of node: PropertyListNode) -> Double? {
    let record = table.records[node.index]
    guard record.kind == .real else { return nil }
    guard record.encoding == .binary else { return XMLNumber.real(text(record).bytes) }
    let bits = bigEndian(record)
    return record.count == 4
      ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
      : Double(bitPattern: UInt64(truncatingIfNeeded: bits))
  }

  /// The value of a real of 32 bits, bit for bit. Nil for other kinds and other reals.
  public func real32(of node: PropertyListNode) -> Float? {
    guard byteWidth(of: node) == 4, kind(of: node) == .real else { return nil }
    return Float(bitPattern: UInt32(truncatingIfNeeded: bigEndian(table.records[node.index])))
  }

  /// A date, in seconds since 2001-01-01T00:00:00Z; any Float64, as the file has it. Nil for other kinds.
  public func date(of node: PropertyListNode) -> Double? {
    let record = table.records[node.index]
    guard record.kind == .date else { return nil }
    guard record.encoding == .binary else {
      return ScalarReader.date(record, text(record).bytes)
    }
    return Double(bitPattern: UInt64(truncatingIfNeeded: bigEndian(record)))
  }

  /// The bytes of a data or UUID object. Nil for other kinds.
  public func data(of node: PropertyListNode) -> [UInt8]? {
    let record = table.records[node.index]
    switch record.kind {
    case .data where record.encoding != .binary:
      return ScalarReader.data(record, text(record).bytes)
    case .data, .uuid: return content.bytes.array(at: Int(record.first), count: Int(record.count))
    default: return nil
    }
  }

  /// Where in `bytes` a data or UUID object of a binary list has its bytes. Nil for other kinds, and in text.
  public func dataRange(of node: PropertyListNode) -> Range<Int>? {
    let record = table.records[node.index]
    guard record.kind == .data || record.kind == .uuid, record.encoding == .binary else {
      return nil
    }
    return record.content
  }

  /// A string's text. Nil for other kinds, and where it is no Unicode text (half a surrogate pair; see
  /// `utf16`). Bytes over 0x7f in an ASCII string are ISO 8859-1, as Core Foundation takes them.
  public func string(of node: PropertyListNode) -> String? {
    let record = table.records[node.index]
    return record.kind == .string ? ScalarReader.string(record, content.bytes) : nil
  }

  /// A string's UTF-16 code units, also where they are no Unicode text. Nil for other kinds.
  public func utf16(of node: PropertyListNode) -> [UInt16]? {
    let record = table.records[node.index]
    guard record.kind == .string else { return nil }
    if let units = ScalarReader.units(record, content.bytes) { return units }
    return Array(String(decoding: text(record), as: UTF8.self).utf16)
  }

  /// Whether the node is a string with this text, code unit by code unit. Makes no string of ASCII ones.
  public func text(of node: PropertyListNode, equals expected: String) -> Bool {
    let record = table.records[node.index]
    guard record.kind == .string else { return false }
    switch record.encoding {
    case .ascii, .utf8, .text:
      let content = content.bytes
      let range = record.content
      guard expected.utf8.count == range.count else {
        // ISO 8859-1 has more bytes as UTF-8.
        return record.encoding == .ascii && expected.utf8.count > range.count
          && text(record).elementsEqual(expected.utf8)
      }
      return content.equals(unsafe expected.utf8Span.span.bytes, at: range.lowerBound)
        && (record.encoding != .ascii || content.firstNonASCII(in: range) == nil)
    default: return string(of: node)?.utf8.elementsEqual(expected.utf8) ?? false
    }
  }

  /// A UID's value. Nil for other kinds.
  public func uid(of node: PropertyListNode) -> UInt128? {
    let record = table.records[node.index]
    guard record.kind == .uid else { return nil }
    guard record.encoding == .binary else {
      return XMLNumber.integer(text(record).bytes).flatMap { UInt128(exactly: $0) }
    }
    return bigEndian(record)
  }

  /// The texts of a URL object: those of its bases, outermost first, then its own. Nil for other kinds.
  public func url(of node: PropertyListNode) -> [String]? {
    let record = table.records[node.index]
    guard record.kind == .url else { return nil }
    return BinaryURL.texts(content.bytes, record.content)
  }

  /// All bytes of an object in the file, marker, tags or quotation marks included: of unknown objects, all that is known.
  public func rawBytes(of node: PropertyListNode) -> [UInt8] {
    let range = range(of: node)
    return content.bytes.array(at: range.lowerBound, count: range.count)
  }

  /// The characters of an element of text, or of a string, as UTF-8.
  private func text(_ record: NodeRecord) -> [UInt8] {
    NodeText.utf8(of: record, in: content.bytes)
  }

  /// The bytes of a number of a binary list, at most 16.
  private func bigEndian(_ record: NodeRecord) -> UInt128 {
    ScalarReader.bigEndian(record, content.bytes)
  }
}
