// What IOKit's XML lists add to Apple's: elements with an ID, and elements that stand for those (`IDREF`).

internal import ByteCoding

/// The attributes of a tag that mean something.
struct XMLAttributes {
  /// Where the text of `ID` is.
  var identifier: Range<Int>?
  /// Where the text of `IDREF` is.
  var reference: Range<Int>?

  /// Notes the attribute whose text, between quotation marks, fills `range`. The tag begins before it.
  mutating func note(_ range: Range<Int>, in input: RawSpan) {
    // Back over the quotation mark, the equals sign and white space around it. What is looked at lies behind the text
    // of the attribute before, so that all this is one pass.
    var end = Self.skippingSpaceBackwards(input, from: range.lowerBound - 1)
    guard input.u8(at: end - 1) == UInt8(ascii: "=") else { return }
    end = Self.skippingSpaceBackwards(input, from: end - 1)
    if Self.hasName("IDREF", input, before: end) {
      reference = range
    } else if Self.hasName("ID", input, before: end) {
      identifier = range
    }
  }

  /// A tag's `<` comes before any white space in it, so this ends.
  private static func skippingSpaceBackwards(_ input: RawSpan, from offset: Int) -> Int {
    var offset = offset
    while XMLNumber.isWhiteSpace(input.u8(at: offset - 1)) { offset -= 1 }
    return offset
  }

  private static func hasName(_ name: StaticString, _ input: RawSpan, before end: Int) -> Bool {
    let start = end - name.utf8CodeUnitCount
    return start > 0 && input.starts(with: name, at: start)
      && XMLNumber.isWhiteSpace(input.u8(at: start - 1))
  }
}

/// The elements with an ID so far.
struct XMLIdentities {
  private var nodes: [[UInt8]: UInt32] = [:]
  /// The last node that got an ID; -1 before there is one.
  private(set) var lastNode = -1

  /// False when an element before had the ID.
  mutating func add(_ identifier: [UInt8], _ node: Int) -> Bool {
    lastNode = node
    return nodes.updateValue(UInt32(truncatingIfNeeded: node), forKey: identifier) == nil
  }

  subscript(identifier: [UInt8]) -> Int? { nodes[identifier].map { Int($0) } }
}

extension NodeTable {
  /// Of a list in which values come again: the text of each may not be far longer than the value. Otherwise a few
  /// white spaces, entities or comments would be read again at each place, and what is made there would not tell.
  func checkSharedTexts(_ content: RawSpan) throws(PropertyListError) {
    for record in records where !record.kind.isContainer {
      let valueCount: Int? =
        switch record.kind {
        case .string where record.encoding == .markedUpText:
          NodeText.utf8(of: record, in: content).count
        case .string, .boolean: nil
        case .data: ScalarReader.value(record, content).dataCount
        default: 0
        }
      guard let valueCount, Int(record.count) > 16 * valueCount + 128 else { continue }
      throw PropertyListError(
        .tooManyVisits, offset: Int(record.start),
        reason: "a text far longer than its value, in a list with references")
    }
  }
}

extension PropertyListValue {
  fileprivate var dataCount: Int {
    if case .data(let bytes) = self { bytes.count } else { 0 }
  }
}
