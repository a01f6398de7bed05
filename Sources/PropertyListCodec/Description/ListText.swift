// A property list as a tree of lines. What several places refer to is written at the first, with its number,
// and is `<shared #12>` at the others; so the text is as long as the list and not as what it stands for.

internal import ByteCoding

struct ListText {
  let document: PropertyListDocument
  let survey: ListSurvey
  let options: DescriptionOptions
  /// How many levels of lists within data are still opened.
  let nesting: Int
  private var states: [State]

  private enum State { case unwritten, open, written }

  init(
    _ document: PropertyListDocument, from root: PropertyListNode, maximumDepth: Int,
    options: DescriptionOptions, nesting: Int
  ) throws(PropertyListError) {
    self.document = document
    self.options = options
    self.nesting = nesting
    survey = try ListSurvey(document, from: root, maximumDepth: maximumDepth)
    states = Array(repeating: .unwritten, count: document.nodeCount)
  }

  /// Appends the rest of a line for `node`, and the lines below it.
  mutating func write(
    _ node: PropertyListNode, to lines: inout TreeLines
  ) throws(PropertyListError) {
    let isShared = survey.isShared[node.index] && isWorthSharing(node)
    if isShared, states[node.index] != .unwritten {
      lines.append(states[node.index] == .open ? "<cycle to #" : "<shared #")
      lines.append("\(node.index)>")
      return try lines.endLine()
    }
    states[node.index] = .open
    switch document.kind(of: node) {
    case .string:
      document.appendText(of: node, to: &lines.bytes)
      try end(node, isShared, &lines)
    case .data:
      let data = document.data(of: node) ?? []
      if let nested = NestedList(data, options: options, nesting: nesting, in: &lines) {
        lines.append("data, \(data.count.counted("byte"))")
        if isShared { lines.append(" #\(node.index)") }
        lines.append("   \(nested.title)")
        try lines.endLine()
        try nested.writeChildren(to: &lines)
      } else {
        ScalarText.append(data: data, to: &lines.bytes)
        try end(node, isShared, &lines)
      }
    case .array, .set, .orderedSet, .dictionary:
      lines.append(title(node))
      try end(node, isShared, &lines)
      try writeChildren(of: node, to: &lines)
    case .null, .boolean, .integer, .real, .date, .uid, .url, .uuid, .unknown:
      ScalarText.append(document.scalar(node), to: &lines.bytes)
      try end(node, isShared, &lines)
    }
    states[node.index] = .written
  }

  private func end(
    _ node: PropertyListNode, _ isShared: Bool, _ lines: inout TreeLines
  ) throws(PropertyListError) {
    if isShared { lines.append(" #\(node.index)") }
    try lines.endLine()
  }

  /// `dictionary, 3 keys`.
  func title(_ node: PropertyListNode) -> String {
    switch document.kind(of: node) {
    case .dictionary: Self.title("dictionary", document.keys(of: node).count, "key")
    case .array: Self.title("array", document.children(of: node).count, "element")
    case .orderedSet: Self.title("ordered set", document.children(of: node).count, "element")
    default: Self.title("set", document.children(of: node).count, "element")
    }
  }

  static func title(_ kind: String, _ count: Int, _ noun: String) -> String {
    count == 0 ? "\(kind), empty" : "\(kind), \(count.counted(noun))"
  }

  /// Appends the lines below a container; nothing for others.
  mutating func writeChildren(
    of node: PropertyListNode, to lines: inout TreeLines
  ) throws(PropertyListError) {
    var labels = TreeLines.Labels()
    let values: PropertyListDocument.Children
    if document.kind(of: node) == .dictionary {
      values = document.values(of: node)
      labels.reserve(values.count)
      for key in document.keys(of: node) {
        document.appendLabel(of: key, to: &labels.bytes)
        labels.end()
        // One long text can be all keys.
        try lines.check(labels.bytes.count)
      }
    } else {
      values = document.children(of: node)
      labels.reserve(values.count)
      for index in values.indices { labels.add(position: index) }
    }
    states[node.index] = .open
    try lines.writeChildren(labels) { (lines, index) throws(PropertyListError) in
      try write(values[index], to: &lines)
    }
    states[node.index] = .written
  }

  /// Whether a node that is shared is written once: what is short is as readable at each place.
  private func isWorthSharing(_ node: PropertyListNode) -> Bool {
    switch document.kind(of: node) {
    case .array, .set, .orderedSet, .dictionary: !document.children(of: node).isEmpty
    case .data:
      document.range(of: node).count > SharedText.shortCount
        || document.data(of: node).map { PropertyListDocument.markedFormat(of: $0) != nil } == true
    default: document.range(of: node).count > SharedText.shortCount
    }
  }
}

enum SharedText {
  /// Up to so many bytes, a value without others in it is written at each place.
  static let shortCount = 256
}

extension PropertyListDocument {
  /// Appends a string between quotation marks.
  func appendText(of node: PropertyListNode, to bytes: inout [UInt8]) {
    let record = table.records[node.index]
    guard record.encoding != .utf16 && record.encoding != .escapedText || string(of: node) != nil
    else {
      return ScalarText.append(scalar(node), to: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
    append(record, isQuoted: true, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends the label of a dictionary's key.
  func appendLabel(of key: PropertyListNode, to bytes: inout [UInt8]) {
    let record = table.records[key.index]
    switch record.kind {
    case .string:
      // Nearly all keys: letters of ASCII, which go as they are.
      if record.encoding == .ascii || record.encoding == .text, record.count > 0,
        Self.isWord(content.bytes.extracting(record.content))
      {
        bytes.append(copying: content.bytes.extracting(record.content))
      } else {
        let text = NodeText.utf8(of: record, in: content.bytes)
        TreeLines.Labels.append(key: String(decoding: text, as: UTF8.self), to: &bytes)
      }
    case .array, .set, .orderedSet, .dictionary:
      bytes.append(contentsOf: "(\(record.kind) #\(key.index))".utf8)
    default:
      bytes.append(UInt8(ascii: "("))
      ScalarText.append(scalar(key), to: &bytes)
      bytes.append(UInt8(ascii: ")"))
    }
  }

  private func append(_ record: NodeRecord, isQuoted: Bool, to bytes: inout [UInt8]) {
    let content = content.bytes
    switch record.encoding {
    case .utf8, .text: break
    case .ascii where content.firstNonASCII(in: record.content) == nil: break
    default:
      let text = NodeText.utf8(of: record, in: content)
      return TerminalText.append(text.bytes, isQuoted: isQuoted, to: &bytes)
    }
    TerminalText.append(content.extracting(record.content), isQuoted: isQuoted, to: &bytes)
  }

  /// Whether all bytes are letters, digits, and what else never needs a quotation mark or an escape.
  private static func isWord(_ text: RawSpan) -> Bool {
    for offset in 0..<text.byteCount {
      switch text.u8(at: offset) {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x24, 0x2d, 0x2e, 0x5f: continue
      default: return false
      }
    }
    return true
  }
}
