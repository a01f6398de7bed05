// Reads an OpenStep list into a table of nodes (Spec/keyed-archive.md, "OpenStep lists"). Nothing is copied: strings
// and data are ranges of the text until somebody asks for them.

internal import ByteCoding

struct OpenStepListReader: ~Escapable {
  let input: RawSpan
  let options: PropertyListDocument.Options
  private var table: NodeTable
  private var offset = 0
  /// The containers that are open, outermost first.
  private var open: [Container] = []
  /// The children so far of all open containers, outermost first.
  private var pending: [UInt32] = []
  /// Behind the last entry of a dictionary without braces.
  private var entriesEnd = 0

  private struct Container {
    let node: Int
    let form: Form
    /// Where its children begin in `pending`.
    let firstChild: Int
  }

  private enum Form {
    case array, dictionary
    /// A dictionary without braces, which ends with the text.
    case entries
  }

  /// `input` is UTF-8; `guessedAt` is where the file was not, so that it was taken for Mac OS Roman.
  static func read(
    _ input: RawSpan, guessedAt: Int?, options: PropertyListDocument.Options
  ) throws(PropertyListError) -> NodeTable {
    var reader = OpenStepListReader(input, options: options)
    do throws(PropertyListError) {
      if let guessedAt {
        try reader.table.irregularities.add(
          .invalidText, at: guessedAt, "not UTF-8, read as Mac OS Roman")
      }
      try reader.readDocument()
      try reader.table.checkKeys(input)
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
    // Few lists have more; then there is made more.
    table = NodeTable(roomFor: min(input.byteCount / 8 + 1, options.maximumObjectCount))
    table.irregularities = IrregularityList(isStrict: options.isStrict)
    if input.starts(with: "\u{feff}", at: 0) { offset = 3 }
  }

  // MARK: The document

  private mutating func readDocument() throws(PropertyListError) {
    try skipSpace()
    if offset == input.byteCount || isString, try !isLoneString() {
      table.hasBareEntries = true
      entriesEnd = offset
      try begin(.entries, at: offset)
    } else {
      try readValue()
    }
    try readContainers()
    try skipSpace()
    guard offset == input.byteCount else {
      throw error(.unexpectedCharacter, at: offset, "something behind the list")
    }
  }

  /// Whether a string is here and nothing behind it; else it is a key of a dictionary without braces.
  private mutating func isLoneString() throws(PropertyListError) -> Bool {
    let start = offset
    guard let quote = byte else { return false }
    if OpenStepSyntax.isQuote(quote) {
      _ = try readQuoted(quote)
    } else {
      offset = OpenStepSyntax.wordEnd(input, from: start)
    }
    try skipSpace()
    let isAlone = offset == input.byteCount
    offset = start
    return isAlone
  }

  /// Reads what is in the containers that are open. A loop and a stack of our own: nesting costs no recursion.
  private mutating func readContainers() throws(PropertyListError) {
    while let container = open.last {
      try skipSpace()
      switch container.form {
      case .array: try readElement(of: container)
      case .dictionary, .entries: try readEntry(of: container)
      }
    }
  }

  /// Reads an element, which can be a container that is then open, or the end of the array.
  private mutating func readElement(of array: Container) throws(PropertyListError) {
    if byte == UInt8(ascii: ")") { return try end(array) }
    guard byte != nil else { throw endless(array) }
    try readValue()
    if open.count > 0, open[open.count - 1].node == array.node { try endValue() }
  }

  /// Reads a key with its value, which can be a container that is then open, or the end of the dictionary.
  private mutating func readEntry(of dictionary: Container) throws(PropertyListError) {
    if dictionary.form == .entries {
      if offset == input.byteCount { return try end(dictionary) }
    } else if byte == UInt8(ascii: "}") {
      return try end(dictionary)
    }
    guard isString else {
      guard offset < input.byteCount else {
        throw endless(dictionary)
      }
      throw error(.unexpectedCharacter, at: offset, "a character where a key has to be")
    }
    try readString()
    let keyEnd = offset
    try skipSpace()
    switch byte {
    case UInt8(ascii: "="):
      offset += 1
      try skipSpace()
      try readValue()
      if open[open.count - 1].node == dictionary.node { try endValue() }
    case UInt8(ascii: ";"):
      offset += 1
      entriesEnd = offset
      // The key is its own value, in a record of its own: they can be told apart when one is changed.
      let key = table.records[table.records.count - 1]
      try addChild(key)
    default:
      throw error(.missingValue, at: keyEnd, "a key without '=' or ';' behind it")
    }
  }

  /// Reads what is behind a value in the innermost container.
  private mutating func endValue() throws(PropertyListError) {
    let valueEnd = offset
    try skipSpace()
    guard let container = open.last else { return }
    switch (container.form, byte) {
    case (.array, UInt8(ascii: ",")), (.dictionary, UInt8(ascii: ";")),
      (.entries, UInt8(ascii: ";")):
      offset += 1
      entriesEnd = offset
    case (.array, UInt8(ascii: ")")): return
    case (.array, nil): throw endless(container)
    case (.array, _):
      throw error(.unexpectedCharacter, at: offset, "neither ',' nor ')' behind an element")
    case (_, UInt8(ascii: "}")), (_, nil):
      throw error(.missingSemicolon, at: valueEnd, "no ';' behind a value")
    default:
      guard isString else {
        throw error(.unexpectedCharacter, at: offset, "a character where ';' has to be")
      }
      throw error(.missingSemicolon, at: valueEnd, "no ';' behind a value")
    }
  }

  // MARK: Values

  /// Reads a value; of a container, its bracket.
  private mutating func readValue() throws(PropertyListError) {
    switch byte {
    case UInt8(ascii: "{"): try begin(.dictionary, at: offset)
    case UInt8(ascii: "("): try begin(.array, at: offset)
    case UInt8(ascii: "<"): try readAngles()
    case nil: throw error(.unexpectedEnd, at: offset, "the list ends where a value has to be")
    default:
      guard isString else {
        throw error(.unexpectedCharacter, at: offset, "a character where a value has to be")
      }
      try readString()
    }
  }

  /// Opens a container at its bracket.
  private mutating func begin(_ form: Form, at start: Int) throws(PropertyListError) {
    guard open.count < options.maximumDepth else {
      throw error(.nestingTooDeep, at: start, "containers are nested deeper than the limit")
    }
    let node = table.records.count
    try addChild(
      NodeRecord(
        start: UInt32(start), end: UInt32(start), first: 0, count: 0,
        kind: form == .array ? .array : .dictionary, encoding: .text))
    open.append(Container(node: node, form: form, firstChild: pending.count))
    if form != .entries { offset = start + 1 }
  }

  /// Closes a container, whose bracket is next.
  private mutating func end(_ container: Container) throws(PropertyListError) {
    if container.form != .entries { offset += 1 }
    // Indices, not a slice: that would have `pending` copied when it shrinks.
    let children = container.firstChild..<pending.count
    table.records[container.node].end = UInt32(container.form == .entries ? entriesEnd : offset)
    table.records[container.node].first = UInt32(truncatingIfNeeded: table.links.count)
    table.records[container.node].count = UInt32(truncatingIfNeeded: children.count)
    let step = container.form == .array ? 1 : 2
    for first in 0..<min(step, children.count) {
      for child in stride(from: children.lowerBound + first, to: children.upperBound, by: step) {
        table.links.append(pending[child])
      }
    }
    pending.removeLast(children.count)
    open.removeLast()
    if !open.isEmpty { try endValue() }
  }

  /// Adds a node to the innermost container.
  private mutating func addChild(_ record: NodeRecord) throws(PropertyListError) {
    let node = table.records.count
    guard node < options.maximumObjectCount else {
      throw error(.tooManyObjects, at: record.start, "more objects than the limit")
    }
    if !open.isEmpty { pending.append(UInt32(truncatingIfNeeded: node)) }
    table.records.append(record)
  }

  private mutating func addChild(
    _ kind: PropertyListNode.Kind, _ encoding: NodeRecord.Encoding, from start: Int,
    _ content: Range<Int>
  ) throws(PropertyListError) {
    try addChild(
      NodeRecord(
        start: UInt32(start), end: UInt32(offset), first: UInt32(content.lowerBound),
        count: UInt32(content.count), kind: kind, encoding: encoding))
  }

  // MARK: Strings

  /// Whether a string begins here.
  private var isString: Bool {
    guard let byte else { return false }
    return OpenStepSyntax.isWord(byte) || OpenStepSyntax.isQuote(byte)
  }

  private mutating func readString() throws(PropertyListError) {
    let start = offset
    let quote = input.u8(at: start)
    guard OpenStepSyntax.isQuote(quote) else {
      offset = OpenStepSyntax.wordEnd(input, from: start)
      return try addChild(.string, .text, from: start, start..<offset)
    }
    let (content, hasEscapes) = try readQuoted(quote)
    try addChild(.string, hasEscapes ? .escapedText : .text, from: start, content)
    if hasEscapes { try checkEscapes(content) }
  }

  /// Reads to behind the quotation mark that closes the one here.
  private mutating func readQuoted(
    _ quote: UInt8
  ) throws(PropertyListError) -> (content: Range<Int>, hasEscapes: Bool) {
    let start = offset
    var end = start + 1
    var hasEscapes = false
    while true {
      end = OpenStepSyntax.quotedStop(input, from: end, quote: quote)
      guard end < input.byteCount else {
        throw error(.unexpectedEnd, at: start, "a quoted string without its end")
      }
      if input.u8(at: end) == quote { break }
      hasEscapes = true
      end += 2
    }
    offset = end + 1
    return (start + 1..<end, hasEscapes)
  }

  /// Checks the escapes of a string, and lists what is irregular about them.
  private mutating func checkEscapes(_ content: Range<Int>) throws(PropertyListError) {
    let text = input.extracting(content)
    var place = 0
    /// Where a high surrogate was right before.
    var high: Int?
    func half(_ offset: Int) throws(PropertyListError) {
      try table.irregularities.add(
        .invalidText, at: content.lowerBound + offset, "half a surrogate pair")
    }
    while place < text.byteCount {
      let piece: OpenStepText.Piece
      do throws(PropertyListError) {
        piece = try OpenStepText.piece(text, at: place)
      } catch {
        throw self.error(error.code, at: content.lowerBound + error.offset, error.reason)
      }
      var isLow = false
      var isHigh = false
      let start = place
      switch piece {
      case .bytes(let range): place = range.upperBound
      case .unit(let unit, let end, let isIrregular):
        if isIrregular {
          try table.irregularities.add(
            .invalidEscape, at: content.lowerBound + place,
            "an octal number that no character of the encoding has")
        }
        isHigh = unit & 0xfc00 == 0xd800
        isLow = unit & 0xfc00 == 0xdc00
        place = end
      }
      if let first = high, !isLow { try half(first) }
      if isLow, high == nil { try half(start) }
      high = isHigh ? start : nil
    }
    if let first = high { try half(first) }
  }

  // MARK: Data and typed values

  /// Reads data or a typed value.
  private mutating func readAngles() throws(PropertyListError) {
    let start = offset
    switch start + 1 < input.byteCount ? input.u8(at: start + 1) : 0 {
    case UInt8(ascii: "*"): try readTyped()
    case UInt8(ascii: "["):
      guard let end = input.find("]>", from: start + 2) else {
        throw error(.unexpectedEnd, at: start, "data without its end")
      }
      offset = end + 2
      let content = start + 2..<end
      try addChild(.data, .text, from: start, content)
      let decoded = XMLData.decode(input.extracting(content))
      if let invalid = decoded.invalidOffset {
        throw error(
          .invalidData, at: content.lowerBound + invalid, "a character that is not Base64")
      }
      if let irregular = decoded.irregularOffset {
        try table.irregularities.add(
          .invalidData, at: content.lowerBound + irregular, "characters that are not Base64")
      }
    default:
      guard let end = input.find(">", from: start + 1) else {
        throw error(.unexpectedEnd, at: start, "data without its end")
      }
      let content = start + 1..<end
      if let invalid = OpenStepData.invalidOffset(input.extracting(content)) {
        throw error(
          .invalidData, at: content.lowerBound + invalid, "no pair of hexadecimal digits")
      }
      offset = end + 1
      try addChild(.data, .hexadecimal, from: start, content)
    }
  }

  /// Reads `<*I5>` or one of the others.
  private mutating func readTyped() throws(PropertyListError) {
    let start = offset
    offset = min(start + 3, input.byteCount)
    let content: Range<Int>
    if byte == UInt8(ascii: "\"") {
      content = try readQuoted(UInt8(ascii: "\"")).content
    } else {
      let end = input.find(">", from: offset) ?? input.byteCount
      content = offset..<end
      offset = end
    }
    guard byte != nil else {
      throw error(.unexpectedEnd, at: start, "a typed value without its end")
    }
    guard byte == UInt8(ascii: ">") else {
      throw error(.unexpectedCharacter, at: offset, "a character where '>' has to be")
    }
    offset += 1
    let text = input.extracting(content)
    switch input.u8(at: start + 2) {
    case UInt8(ascii: "I"):
      guard XMLNumber.integer(text) != nil else {
        throw error(.invalidNumber, at: start, "no integer from -2^63 to 2^64 - 1")
      }
      try addChild(.integer, .text, from: start, content)
    case UInt8(ascii: "R"):
      guard XMLNumber.real(text) != nil else {
        throw error(.invalidNumber, at: start, "no real number")
      }
      try addChild(.real, .text, from: start, content)
    case UInt8(ascii: "D"):
      guard GNUstepDate.seconds(text) != nil else {
        throw error(.invalidDate, at: start, "no date of the form YYYY-MM-DD hh:mm:ss +hhmm")
      }
      try addChild(.date, .zonedDate, from: start, content)
    case UInt8(ascii: "B") where text.byteCount == 1 && text.starts(with: "Y", at: 0):
      try addChild(.boolean, .text, from: start, content)
    case UInt8(ascii: "B") where text.byteCount == 1 && text.starts(with: "N", at: 0):
      try addChild(.boolean, .text, from: start, content.lowerBound..<content.lowerBound)
    default:
      throw error(.unexpectedCharacter, at: start, "a typed value of no known type")
    }
  }

  // MARK: Characters

  /// The byte here. Nil at the end.
  private var byte: UInt8? { offset < input.byteCount ? input.u8(at: offset) : nil }

  private mutating func skipSpace() throws(PropertyListError) {
    offset = try OpenStepSyntax.skipSpace(input, from: offset)
  }

  private func endless(_ container: Container) -> PropertyListError {
    error(
      .unexpectedEnd, at: table.records[container.node].start,
      container.form == .array ? "an array without its end" : "a dictionary without its end")
  }

  private func error(
    _ code: PropertyListError.Code, at offset: some BinaryInteger, _ reason: String
  ) -> PropertyListError {
    PropertyListError(code, offset: Int(offset), reason: reason)
  }
}
