// Reads an XML property list into a table of nodes. Apple's document type is known by heart: a document type in
// the list is skipped, one with declarations of its own is refused, and nothing is ever fetched.

internal import ByteCoding

struct XMLListReader: ~Escapable {
  let input: RawSpan
  let options: PropertyListDocument.Options
  private var table: NodeTable
  private var offset = 0
  /// The containers that are open, outermost first.
  private var open: [Container] = []
  /// The children so far of all open containers, outermost first.
  private var pending: [UInt32] = []
  /// Of the last tag that was not written as nearly all are.
  private var attributes = XMLAttributes()
  private var identities = XMLIdentities()

  private struct Container {
    let node: Int
    let element: XMLElement
    /// Where its children begin in `pending`.
    let firstChild: Int
  }

  private struct Tag {
    let start: Int
    let element: XMLElement
    let isEnd: Bool
    /// `<name/>`.
    let isEmpty: Bool
    /// Whether `attributes` are those of this tag.
    var hasAttributes = false
  }

  /// `input` is UTF-8.
  static func read(
    _ input: RawSpan, options: PropertyListDocument.Options
  ) throws(PropertyListError) -> NodeTable {
    var reader = XMLListReader(input, options: options)
    do throws(PropertyListError) {
      try reader.readDocument()
      try reader.table.checkKeys(input)
      if reader.table.hasReferences { try reader.table.checkSharedTexts(input) }
    } catch {
      throw PropertyListError.located([error], in: input)[0]
    }
    reader.table.irregularities.locate(in: input)
    return reader.table
  }

  @_lifetime(copy input)
  private init(_ input: RawSpan, options: PropertyListDocument.Options) {
    self.input = input
    self.options = options
    // No element is shorter than `<dict/>`.
    table = NodeTable(roomFor: min(input.byteCount / 7 + 1, options.maximumObjectCount))
    table.irregularities = IrregularityList(isStrict: options.isStrict)
    if input.starts(with: "\u{feff}", at: 0) { offset = 3 }
  }

  // MARK: The document

  private mutating func readDocument() throws(PropertyListError) {
    try skipMiscellaneous()
    if input.starts(with: "<!DOCTYPE", at: offset) {
      try skipDocumentType()
      try skipMiscellaneous()
    }
    var tag = try readTag()
    let hasRoot = tag.element == .plist
    if hasRoot {
      guard !tag.isEnd, !tag.isEmpty else {
        throw error(.missingValue, at: tag.start, "a property list without a value")
      }
      try skipMiscellaneous()
      tag = try readTag()
      if tag.isEnd, tag.element == .plist {
        throw error(.missingValue, at: tag.start, "a property list without a value")
      }
    } else {
      try table.irregularities.add(.missingRoot, at: tag.start, "no plist element around the value")
    }
    try readValue(tag)
    if hasRoot {
      try skipMiscellaneous()
      let end = try readTag()
      guard end.isEnd, end.element == .plist else {
        throw error(.unexpectedElement, at: end.start, "a property list has one value")
      }
    }
    try skipMiscellaneous()
    if offset < input.byteCount {
      try table.irregularities.add(.trailingContent, at: offset, "text behind the property list")
    }
  }

  /// Skips white space, comments and instructions.
  private mutating func skipMiscellaneous() throws(PropertyListError) {
    while true {
      while offset < input.byteCount, XMLNumber.isWhiteSpace(input.u8(at: offset)) { offset += 1 }
      // Both begin with a character that no tag has there.
      guard input.byteCount - offset > 1,
        input.u8(at: offset + 1) < UInt8(ascii: "/")
          || input.u8(at: offset + 1) == UInt8(ascii: "?")
      else { return }
      guard let end = try XMLText.miscellaneous(input, at: offset) else { return }
      try noteAmbiguity(offset..<end)
      offset = end
    }
  }

  private mutating func noteAmbiguity(_ range: Range<Int>) throws(PropertyListError) {
    guard XMLText.isAmbiguousComment(input, range) else { return }
    try table.irregularities.add(
      .ambiguousComment, at: range.lowerBound, "a comment that parsers end at different places")
  }

  /// Skips `<!DOCTYPE …>`, whose quoted parts can have any character.
  private mutating func skipDocumentType() throws(PropertyListError) {
    let start = offset
    var quote: UInt8?
    offset += 9
    while offset < input.byteCount {
      let byte = input.u8(at: offset)
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        // Core Foundation knows no quotes here: one without its end must not hide the list.
        let rest = input.extracting((offset + 1)..<input.byteCount)
        if rest.hasQuoteBeforeTag(byte) {
          quote = byte
        } else {
          try table.irregularities.add(
            .unexpectedCharacter, at: offset, "a quotation mark without its pair")
        }
      } else if byte == UInt8(ascii: "[") {
        throw error(
          .documentTypeSubset, at: offset, "declarations in the document type are refused")
      } else if byte == UInt8(ascii: ">") {
        offset += 1
        return
      }
      offset += 1
    }
    throw error(.unexpectedEnd, at: start, "a document type without its end")
  }

  // MARK: Values

  /// Reads the value that `tag` begins, with all that is in it. A loop and a stack of our own: nesting costs
  /// no recursion.
  private mutating func readValue(_ first: Tag) throws(PropertyListError) {
    try begin(first)
    while let container = open.last {
      try skipMiscellaneous()
      let tag = try readTag()
      if tag.isEnd {
        guard tag.element == container.element else {
          throw error(.mismatchedTag, at: tag.start, "the end of an element that is not open")
        }
        try close(container)
        continue
      }
      let expectsKey =
        container.element == .dict && (pending.count - container.firstChild) % 2 == 0
      guard (tag.element == .key) == expectsKey else {
        throw error(
          expectsKey ? .unexpectedElement : .missingValue, at: tag.start,
          expectsKey ? "a value without a key" : "a key where a value has to be")
      }
      try begin(tag)
    }
  }

  private mutating func begin(_ tag: Tag) throws(PropertyListError) {
    guard !tag.isEnd else {
      throw error(.mismatchedTag, at: tag.start, "the end of an element that is not open")
    }
    let node = table.records.count
    guard node < options.maximumObjectCount else {
      throw error(.tooManyObjects, at: tag.start, "more objects than the limit")
    }
    if tag.hasAttributes {
      if let reference = attributes.reference { return try refer(tag, to: reference) }
      if let identifier = attributes.identifier { try identify(tag, identifier, node) }
    }
    if !open.isEmpty { pending.append(UInt32(truncatingIfNeeded: node)) }
    switch tag.element {
    case .plist:
      throw error(.unexpectedElement, at: tag.start, "a plist element inside of another")
    case .dict, .array:
      add(tag.element == .dict ? .dictionary : .array, .text, tag.start, offset..<offset)
      let container = Container(node: node, element: tag.element, firstChild: pending.count)
      guard open.count < options.maximumDepth else {
        throw error(.nestingTooDeep, at: tag.start, "containers are nested deeper than the limit")
      }
      if tag.isEmpty { try close(container, isOpen: false) } else { open.append(container) }
    case .true, .false:
      if !tag.isEmpty {
        let text = try readText(tag)
        guard text.range.isEmpty else {
          throw error(.unexpectedCharacter, at: text.range.lowerBound, "text in a boolean")
        }
      }
      add(.boolean, .text, tag.start, offset..<offset)
      table.records[node].count = tag.element == .true ? 1 : 0
    case .ref, .reference:
      throw error(.unexpectedElement, at: tag.start, "a reference without the ID of a value")
    default: try readScalar(tag)
    }
  }

  /// Gives the node of an element its ID.
  private mutating func identify(
    _ tag: Tag, _ identifier: Range<Int>, _ node: Int
  ) throws(PropertyListError) {
    if !identities.add(input.array(at: identifier.lowerBound, count: identifier.count), node) {
      try table.irregularities.add(
        .invalidReference, at: tag.start, "an element with the ID of one before it")
    }
  }

  /// Reads an element that stands for the one with the ID, which is one before it.
  private mutating func refer(
    _ tag: Tag, to identifier: Range<Int>
  ) throws(PropertyListError) {
    let identifier = input.array(at: identifier.lowerBound, count: identifier.count)
    guard let node = identities[identifier] else {
      throw error(.invalidReference, at: tag.start, "no element before has this ID")
    }
    // Those that are open stand in the order of their nodes, outermost first.
    let position = open.partitioningIndex { $0.node >= node }
    if position < open.count, open[position].node == node {
      throw error(.cycle, at: tag.start, "an element contains itself")
    }
    guard tag.element.canStand(for: table.records[node]) else {
      throw error(.invalidReference, at: tag.start, "an element of another kind has this ID")
    }
    if !tag.isEmpty {
      let end = try readTag()
      guard end.isEnd, end.element == tag.element else {
        throw error(.unexpectedElement, at: end.start, "content in an element with IDREF")
      }
    }
    try table.irregularities.add(
      .elementReference, at: tag.start, "an element that stands for another one")
    table.hasReferences = true
    pending.append(UInt32(truncatingIfNeeded: node))
  }

  /// Reads an element with text, and checks that it is what the element says.
  private mutating func readScalar(_ tag: Tag) throws(PropertyListError) {
    let text = tag.isEmpty ? (range: offset..<offset, encoding: .text) : try readText(tag)
    let kind: PropertyListNode.Kind =
      switch tag.element {
      case .integer: .integer
      case .real: .real
      case .date: .date
      case .data: .data
      default: .string
      }
    add(kind, text.encoding, tag.start, text.range)
    guard kind != .string else { return }
    if text.encoding == .text {
      try check(kind, input.extracting(text.range), at: text.range.lowerBound)
    } else {
      let decoded = XMLText.decode(input.extracting(text.range))
      try check(kind, decoded.bytes, at: text.range.lowerBound)
    }
  }

  private mutating func check(
    _ kind: PropertyListNode.Kind, _ text: RawSpan, at start: Int
  ) throws(PropertyListError) {
    switch kind {
    case .integer where XMLNumber.integer(text) == nil:
      throw error(.invalidNumber, at: start, "no integer from -2^63 to 2^64 - 1")
    case .real where XMLNumber.real(text) == nil:
      throw error(.invalidNumber, at: start, "no real number")
    case .date where XMLDate.seconds(text) == nil:
      throw error(.invalidDate, at: start, "no date of the form YYYY-MM-DDThh:mm:ssZ")
    case .data where !XMLData.isRegular(text):
      let decoded = XMLData.decode(text)
      if let invalid = decoded.invalidOffset {
        throw error(.invalidData, at: start + invalid, "a character that is not Base64")
      }
      if let irregular = decoded.irregularOffset {
        try table.irregularities.add(
          .invalidData, at: start + irregular, "characters that are not Base64")
      }
    default: break
    }
  }

  private mutating func add(
    _ kind: PropertyListNode.Kind, _ encoding: NodeRecord.Encoding, _ start: Int,
    _ content: Range<Int>
  ) {
    table.records.append(
      NodeRecord(
        start: UInt32(start), end: UInt32(offset), first: UInt32(content.lowerBound),
        count: UInt32(content.count), kind: kind, encoding: encoding))
  }

  private mutating func close(
    _ container: Container, isOpen: Bool = true
  ) throws(PropertyListError) {
    // Indices, not a slice: that would have `pending` copied when it shrinks.
    let children = container.firstChild..<pending.count
    let isDictionary = container.element == .dict
    guard !isDictionary || children.count % 2 == 0 else {
      throw error(.missingValue, at: offset, "a key without a value")
    }
    if isOpen { open.removeLast() }
    table.records[container.node].end = UInt32(offset)
    if isDictionary, options.readsUIDDictionaries, isUID(children, of: container.node) {
      // The key and the integer are the last nodes. The integer's text becomes the UID's.
      let integer = table.records.removeLast()
      table.records.removeLast()
      table.records[container.node].first = integer.first
      table.records[container.node].count = integer.count
      table.records[container.node].encoding = integer.encoding
      table.records[container.node].kind = .uid
    } else {
      table.records[container.node].first = UInt32(truncatingIfNeeded: table.links.count)
      table.records[container.node].count = UInt32(truncatingIfNeeded: children.count)
      let step = isDictionary ? 2 : 1
      for first in 0..<min(step, children.count) {
        for child in stride(from: children.lowerBound + first, to: children.upperBound, by: step) {
          table.links.append(pending[child])
        }
      }
    }
    pending.removeLast(children.count)
  }

  /// Whether a dictionary with these children is how XML writes a UID: `CF$UID` and an integer from 0 on.
  private func isUID(_ children: Range<Int>, of container: Int) -> Bool {
    // Not where an element in it stands for another one, or another one for it.
    guard children.count == 2, identities.lastNode <= container,
      Int(pending[children.lowerBound]) == container + 1,
      Int(pending[children.lowerBound + 1]) == container + 2
    else { return false }
    let key = table.records[Int(pending[children.lowerBound])]
    let value = table.records[Int(pending[children.lowerBound + 1])]
    guard value.kind == .integer, key.encoding == .text, key.count == 6,
      input.starts(with: "CF$UID", at: Int(key.first))
    else { return false }
    return XMLNumber.integer(NodeText.utf8(of: value, in: input).bytes).map { $0 >= 0 } ?? false
  }

  // MARK: Tags and text

  /// Reads a start or end tag.
  private mutating func readTag() throws(PropertyListError) -> Tag {
    let start = offset
    if input.byteCount - start >= XMLTagText.roomCount,
      let known = XMLTagText.known(input.u64(at: start), next: input.u16(at: start + 8))
    {
      offset = start + known.count
      return Tag(start: start, element: known.element, isEnd: known.isEnd, isEmpty: known.isEmpty)
    }
    guard start < input.byteCount else {
      throw error(.unexpectedEnd, at: start, "the list ends where an element has to be")
    }
    guard input.u8(at: start) == UInt8(ascii: "<") else {
      throw error(.unexpectedCharacter, at: start, "text where an element has to be")
    }
    let isEnd = input.starts(with: "</", at: start)
    let nameStart = start + (isEnd ? 2 : 1)
    offset = nameStart
    while offset < input.byteCount {
      let byte = input.u8(at: offset)
      if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || XMLNumber.isWhiteSpace(byte) {
        break
      }
      offset += 1
    }
    guard offset < input.byteCount else {
      throw error(.unexpectedEnd, at: offset, "the list ends inside of a tag")
    }
    guard let element = XMLElement(input, nameStart..<offset) else {
      throw error(.unexpectedElement, at: start, "an element that property lists do not have")
    }
    let isEmpty = try readAttributes()
    if isEnd, isEmpty {
      throw error(.unexpectedCharacter, at: offset - 2, "a slash in an end tag")
    }
    return Tag(
      start: start, element: element, isEnd: isEnd, isEmpty: isEmpty, hasAttributes: true)
  }

  /// Reads up to behind the `>` of a tag. True when it is `/>`. All attributes but two mean nothing.
  private mutating func readAttributes() throws(PropertyListError) -> Bool {
    attributes = XMLAttributes()
    var quote: UInt8?
    var textStart = offset
    var last: UInt8 = 0
    while offset < input.byteCount {
      let byte = input.u8(at: offset)
      offset += 1
      if let open = quote {
        if byte == open {
          quote = nil
          attributes.note(textStart..<offset - 1, in: input)
        }
      } else if byte == UInt8(ascii: ">") {
        return last == UInt8(ascii: "/")
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
        textStart = offset
      } else if byte == UInt8(ascii: "<") {
        throw error(.unexpectedCharacter, at: offset - 1, "a tag inside of a tag")
      }
      last = byte
    }
    throw error(.unexpectedEnd, at: offset, "the list ends inside of a tag")
  }

  /// Reads the text of the element that `tag` begins, and its end tag.
  private mutating func readText(
    _ tag: Tag
  ) throws(PropertyListError) -> (range: Range<Int>, encoding: NodeRecord.Encoding) {
    let start = offset
    offset = input.firstMarkup(from: start)
    var encoding = NodeRecord.Encoding.text
    reading: while !input.starts(with: "</", at: offset) {
      let piece = try XMLText.piece(input, at: offset)
      switch piece {
      case .bytes(_, let end): offset = end
      case .character(let scalar, let end):
        if scalar.value == 0 {
          try table.irregularities.add(.invalidEntity, at: offset, "a reference to U+0000")
        }
        encoding = .markedUpText
        offset = end
      case .nothing(let end):
        try noteAmbiguity(offset..<end)
        encoding = .markedUpText
        offset = end
      case .end: break reading
      }
      // A CDATA section is `bytes` as plain text is, but not plain.
      if case .bytes(let range, let end) = piece, range.upperBound != end {
        encoding = .markedUpText
      }
    }
    let range = start..<offset
    let end = try readTag()
    guard end.isEnd, end.element == tag.element else {
      throw error(.mismatchedTag, at: end.start, "an element that is not at its end")
    }
    return (range, encoding)
  }

  private func error(
    _ code: PropertyListError.Code, at offset: Int, _ reason: String
  ) -> PropertyListError {
    PropertyListError(code, offset: offset, reason: reason)
  }
}

extension Array {
  /// The first position from which on all elements are so, where no element before it is.
  fileprivate func partitioningIndex(_ isSo: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isSo(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension RawSpan {
  /// Whether `quote` comes before the first `<`: inside a document type without declarations there is none.
  fileprivate func hasQuoteBeforeTag(_ quote: UInt8) -> Bool {
    for offset in 0..<byteCount {
      let byte = u8(at: offset)
      if byte == quote { return true }
      if byte == UInt8(ascii: "<") { return false }
    }
    return false
  }
}
