// Writes XML property lists in Apple's formatting, out of plain values or out of a document's nodes, whose texts go
// from file to file without becoming values in between.

internal import ByteCoding

extension PropertyListValue {
  /// The value as an XML property list in UTF-8.
  ///
  /// `sortsKeys`: keys in the order of their UTF-16 code units, as Apple's writer has them, or in the order of
  /// the dictionaries. Dates lose fractions of a second, reals their size. Throws `notRepresentable` for
  /// what XML lists cannot say (null, sets, URLs, UUIDs, half surrogate pairs, integers outside of -2^63 to
  /// 2^64 - 1, dates without a year) and `nestingTooDeep` beyond 512 containers in each other.
  public func xml(sortsKeys: Bool = true) throws(PropertyListError) -> [UInt8] {
    var writer = XMLValueWriter(sortsKeys: sortsKeys)
    writer.output.head()
    try writer.append(self, depth: 0)
    writer.output.foot()
    return writer.output.array()
  }

  /// The element for the value as it stands behind `depth` tabs, without those and without the line's end.
  func xmlElement(depth: Int) throws(PropertyListError) -> [UInt8] {
    var writer = XMLValueWriter(sortsKeys: false)
    try writer.append(self, depth: depth)
    return Array(writer.output.array().dropFirst(depth).dropLast())
  }
}

extension PropertyListDocument {
  /// The list as an XML property list in UTF-8, written anew: see `PropertyListValue.xml`. Throws as
  /// `checkTree` does, too, and `tooManyVisits` where shared objects would take far more bytes than the file.
  public func xml(sortsKeys: Bool = true) throws(PropertyListError) -> [UInt8] {
    var file = [UInt8](roomFor: 3 * bytes.count)
    try writeXML(sortsKeys: sortsKeys) { file.append(copying: $0) }
    return file
  }

  /// As `xml`, piece by piece: `write` gets them in order. Where this throws, what was written is to be thrown away.
  public func writeXML(
    sortsKeys: Bool = true, _ write: (RawSpan) -> Void
  ) throws(PropertyListError) {
    if sharesContainers { try checkTree(root) }
    var writer = XMLNodeWriter(self, content: content.bytes, sortsKeys: sortsKeys)
    writer.output.head()
    try writer.append(root.index, depth: 0, write)
    writer.output.foot()
    write(writer.output.text)
  }
}

/// Writes plain values.
private struct XMLValueWriter {
  let sortsKeys: Bool
  var output = XMLOutput(capacity: 4096)

  init(sortsKeys: Bool) { self.sortsKeys = sortsKeys }

  mutating func append(_ value: PropertyListValue, depth: Int) throws(PropertyListError) {
    switch value {
    case .array(let elements):
      try PropertyListValue.checkDepth(depth)
      guard !elements.isEmpty else { return output.line(.emptyArray, depth) }
      output.line(.array, depth)
      for element in elements { try append(element, depth: depth + 1) }
      output.line(.arrayEnd, depth)
    case .dictionary(let entries):
      try PropertyListValue.checkDepth(depth)
      guard !entries.isEmpty else { return output.line(.emptyDict, depth) }
      output.line(.dict, depth)
      let keys = try keys(entries)
      for index in sortsKeys ? KeyOrder.sorted(utf8: keys) : Array(keys.indices) {
        let key = keys[index]
        output.string(key.bytes, isKey: true, depth + 1)
        try append(entries[index].value, depth: depth + 1)
      }
      output.line(.dictEnd, depth)
    default: try output.scalar(value, depth)
    }
  }

  private func keys(_ entries: [PropertyListValue.Entry]) throws(PropertyListError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    keys.reserveCapacity(entries.count)
    for entry in entries {
      guard case .string(let key) = entry.key else {
        throw entry.key.notRepresentable("a key that is not a string in an XML list")
      }
      keys.append(Array(key.utf8))
    }
    return keys
  }
}

/// Writes the nodes of a document.
private struct XMLNodeWriter: ~Escapable {
  /// So much is written at once: it stays in the processor's cache.
  private static let pieceCount = 1 << 18

  var output = XMLOutput(capacity: 2 * pieceCount)
  private var writtenCount = 0
  private let sortsKeys: Bool
  private let records: [NodeRecord]
  private let links: [UInt32]
  private let content: RawSpan
  private let limits: (depth: Int, bytes: Int)
  /// The keys of the dictionary before: in most lists many dictionaries have the same.
  private var lastKeys = Keys()

  /// A dictionary's keys as they are written.
  private struct Keys {
    /// The links that they are.
    var links = 0..<0
    var depth = 0
    /// Their positions.
    var order: [Int] = []
    /// Their lines, in this order, and where each ends.
    var lines: [UInt8] = []
    var ends: [Int] = []
  }

  @_lifetime(copy content)
  init(_ document: PropertyListDocument, content: RawSpan, sortsKeys: Bool) {
    self.sortsKeys = sortsKeys
    self.content = content
    records = document.table.records
    links = document.table.links
    limits = (document.options.maximumDepth, document.expansionLimit)
  }

  mutating func append(
    _ index: Int, depth: Int, _ write: (RawSpan) -> Void
  ) throws(PropertyListError) {
    let record = records[index]
    if output.count >= Self.pieceCount { try flush(record, write) }
    switch record.kind {
    case .string: try Self.append(record, content, depth, to: &output)
    case .data where record.encoding == .binary:
      output.data(content.extracting(record.content), depth)
    case .array:
      try checkDepth(record, depth)
      guard record.count > 0 else { return output.line(.emptyArray, depth) }
      output.line(.array, depth)
      for link in record.links { try append(Int(links[link]), depth: depth + 1, write) }
      output.line(.arrayEnd, depth)
    case .dictionary:
      try checkDepth(record, depth)
      guard record.count > 0 else { return output.line(.emptyDict, depth) }
      output.line(.dict, depth)
      let count = record.links.count / 2
      try findKeys(record.links.prefix(count), depth + 1)
      // What is inside of this one has keys of its own.
      let keys = lastKeys
      var start = 0
      for (index, position) in keys.order.enumerated() {
        output.lines(keys.lines.bytes.extracting(start..<keys.ends[index]))
        start = keys.ends[index]
        let value = record.links.lowerBound + count + position
        try append(Int(links[value]), depth: depth + 1, write)
      }
      output.line(.dictEnd, depth)
    default:
      do throws(PropertyListError) {
        try output.scalar(ScalarReader.value(record, content), depth)
      } catch {
        throw Self.error(error.code, record, error.reason)
      }
    }
  }

  private mutating func flush(
    _ record: NodeRecord, _ write: (RawSpan) -> Void
  ) throws(PropertyListError) {
    writtenCount += output.count
    guard writtenCount <= limits.bytes else {
      throw Self.error(.tooManyVisits, record, "shared objects stand for more text than the limit")
    }
    write(output.text)
    output.removeAll()
  }

  /// Appends a string.
  private static func append(
    _ record: NodeRecord, _ content: RawSpan, isKey: Bool = false, _ depth: Int,
    to output: inout XMLOutput
  ) throws(PropertyListError) {
    switch record.encoding {
    case .ascii, .utf8, .text:
      output.string(
        content.extracting(record.content), isLatin1: record.encoding == .ascii, isKey: isKey,
        depth)
    default:
      guard let text = ScalarReader.string(record, content) else {
        throw error(.notRepresentable, record, "half a surrogate pair in an XML list")
      }
      output.string(unsafe text.utf8Span.span.bytes, isKey: isKey, depth)
    }
  }

  /// Makes `lastKeys` the keys that stand at `range`.
  private mutating func findKeys(_ range: Range<Int>, _ depth: Int) throws(PropertyListError) {
    if depth == lastKeys.depth, links.areEqual(in: range, and: lastKeys.links) { return }
    var keys = Keys()
    keys.links = range
    keys.depth = depth
    var texts: [[UInt8]] = []
    for link in range {
      let record = records[Int(links[link])]
      guard record.kind == .string else {
        throw Self.error(
          .notRepresentable, record, "a key that is not a string in an XML list")
      }
      if sortsKeys { texts.append(NodeText.utf8(of: record, in: content)) }
    }
    keys.order = sortsKeys ? KeyOrder.sorted(utf8: texts) : Array(0..<range.count)
    var lines = XMLOutput(capacity: 64 * range.count)
    for position in keys.order {
      let record = records[Int(links[range.lowerBound + position])]
      try Self.append(record, content, isKey: true, depth, to: &lines)
      keys.ends.append(lines.count)
    }
    keys.lines = lines.array()
    lastKeys = keys
  }

  private func checkDepth(_ record: NodeRecord, _ depth: Int) throws(PropertyListError) {
    guard depth < limits.depth else {
      throw Self.error(.nestingTooDeep, record, "containers are nested deeper than the limit")
    }
  }

  private static func error(
    _ code: PropertyListError.Code, _ record: NodeRecord, _ reason: String
  ) -> PropertyListError {
    PropertyListError(code, offset: Int(record.start), reason: reason)
  }
}
