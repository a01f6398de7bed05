// Edits of OpenStep lists (Spec/keyed-archive.md, "Changing OpenStep lists"): people keep these files, with comments and
// an order of their own, so all that is not changed stays as it is.

internal import ByteCoding

extension PropertyListDocument {
  /// The file with changes.
  func openStepFile(_ changes: ListChanges) throws(PropertyListError) -> [UInt8] {
    let changes = fillingEmpty(changes)
    var editor = OpenStepEditor(self)
    for (node, value) in changes.replacements { try editor.replace(node, with: value) }
    for (place, value) in changes.places {
      if let node = node(at: place) { try editor.replace(node, with: value) }
    }
    for place in changes.removals where node(at: place) != nil {
      try editor.remove(place, with: changes.removals)
    }
    for (container, additions) in changes.additionsByContainer {
      try editor.add(additions, to: container)
    }
    let text = editor.text()
    let file = try file(of: text)
    // Nothing but the bytes says in which encoding they are, and these are others.
    guard let read = try? OpenStepEncoding.text(file), read.text.content == text else {
      throw PropertyListError(
        .unsupportedEncoding, offset: 0,
        reason: "with this change the rest would be taken for another encoding")
    }
    return file
  }

  /// A text as this file would have it: in its encoding, with its byte-order mark.
  private func file(of text: [UInt8]) throws(PropertyListError) -> [UInt8] {
    switch textEncoding {
    case .utf16LittleEndian, .utf16BigEndian:
      var file = Array(bytes[..<OpenStepEncoding.beginning(bytes.bytes).start])
      let isLittleEndian = textEncoding == .utf16LittleEndian
      for unit in String(decoding: text, as: UTF8.self).utf16 {
        file.append(littleEndian: isLittleEndian ? unit : unit.byteSwapped)
      }
      return file
    case .macRoman:
      var file: [UInt8] = []
      file.reserveCapacity(text.count)
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        // What is new is ASCII, and the rest comes from there.
        guard let byte = MacRoman.byte(scalar) else {
          throw PropertyListError(
            .unsupportedEncoding, offset: 0, reason: "a character that Mac OS Roman does not have")
        }
        file.append(byte)
      }
      return file
    default: return text
    }
  }
}

private struct OpenStepEditor {
  private struct Edit {
    let range: Range<Int>
    /// Nil where the range is cut.
    let text: [UInt8]?
  }

  private let document: PropertyListDocument
  private let options: OpenStepWritingOptions
  private var edits: [Edit] = []
  /// By container: the last position that stays, or -1.
  private var lastKept: [PropertyListNode: Int] = [:]

  init(_ document: PropertyListDocument) {
    self.document = document
    var options = OpenStepWritingOptions()
    options.sortsKeys = false
    options.isStringsFile = document.isStringsFile
    options.isASCII = document.textEncoding == .macRoman
    options.usesTypedValues = document.table.records.contains { record in
      switch record.kind {
      case .boolean, .integer, .real, .date: true
      default: false
      }
    }
    self.options = options
  }

  private var content: [UInt8] { document.content }

  // MARK: Values

  mutating func replace(
    _ node: PropertyListNode, with value: PropertyListValue
  ) throws(PropertyListError) {
    let range = document.range(of: node)
    var writer = writer(at: range.lowerBound)
    if node == document.root, document.isStringsFile, case .dictionary(let entries) = value,
      !entries.isEmpty
    {
      try writer.appendEntries(of: value)
      // Its last line's end is in the file.
      writer.text.removeLast()
    } else {
      try writer.append(value, depth: 0)
    }
    if isShorthand(node) {
      edits.append(
        Edit(range: range.upperBound..<range.upperBound, text: Array(" = ".utf8) + writer.text))
    } else {
      edits.append(Edit(range: range, text: writer.text))
    }
  }

  /// Whether a node is the value of a key without a value: the string that the key is.
  private func isShorthand(_ node: PropertyListNode) -> Bool {
    guard node.index > 0 else { return false }
    let before = document.table.records[node.index - 1]
    return before.kind == .string && Int(before.start) == document.range(of: node).lowerBound
  }

  /// A writer whose lines are as those around `offset`.
  private func writer(at offset: Int) -> OpenStepListWriter {
    var start = offset
    while start > 0, content[start - 1] != 0x0a { start -= 1 }
    let prefix = Array(content[start..<offset].prefix { $0 == 0x20 || $0 == 0x09 })
    let next = content[offset...].firstIndex(of: 0x0a).map { content.index(after: $0) }
    let hasTabs =
      prefix.contains(0x09) || next.map { $0 < content.count && content[$0] == 0x09 } == true
    return OpenStepListWriter(
      options, linePrefix: prefix, indentation: Array((hasTabs ? "\t" : "    ").utf8))
  }

  // MARK: Additions

  /// Puts values behind the last one of a container that has some.
  mutating func add(
    _ additions: [PropertyListDocument.Addition], to container: PropertyListNode
  ) throws(PropertyListError) {
    let isDictionary = document.kind(of: container) == .dictionary
    let last = isDictionary ? document.values(of: container) : document.children(of: container)
    let lastNode = last[last.count - 1]
    let first = isDictionary ? document.keys(of: container)[last.count - 1] : lastNode
    let start = document.range(of: first).lowerBound
    // Each on a line of its own where the last one is; the first line of a file has none before it.
    let prefix = content.linePrefix(before: start) ?? (start == 0 ? [] : nil)
    let separation = prefix.map { [UInt8(ascii: "\n")] + $0 } ?? [UInt8(ascii: " ")]
    let mark = try separator(behind: lastNode)
    let hasMark = content[mark] == UInt8(ascii: isDictionary ? ";" : ",")
    let place = hasMark ? mark + 1 : document.range(of: lastNode).upperBound
    var text: [UInt8] = hasMark ? [] : [UInt8(ascii: ",")]
    for (index, addition) in additions.enumerated() {
      text.append(contentsOf: separation)
      var writer = writer(at: start)
      if isDictionary {
        try writer.append(.string(addition.key ?? ""), depth: 0)
        writer.text.append(contentsOf: Array(" = ".utf8))
      }
      try writer.append(addition.value, depth: 0)
      text.append(contentsOf: writer.text)
      if isDictionary {
        text.append(UInt8(ascii: ";"))
      } else if hasMark || index < additions.count - 1 {
        text.append(UInt8(ascii: ","))
      }
    }
    edits.append(Edit(range: place..<place, text: text))
  }

  // MARK: Removals

  mutating func remove(
    _ place: PropertyListDocument.Place, with removals: Set<PropertyListDocument.Place>
  ) throws(PropertyListError) {
    let container = place.container
    if document.kind(of: container) == .dictionary {
      let key = document.keys(of: container)[place.position]
      let value = document.values(of: container)[place.position]
      let end = try separator(behind: value)
      let count = document.keys(of: container).count
      let isLast = isLast(place, of: count, without: removals)
      return cut(document.range(of: key).lowerBound..<end + 1, isLast: isLast)
    }
    let elements = document.children(of: container)
    let range = document.range(of: elements[place.position])
    let end = try separator(behind: elements[place.position])
    let isLast = isLast(place, of: elements.count, without: removals)
    if content[end] == UInt8(ascii: ",") { return cut(range.lowerBound..<end + 1, isLast: isLast) }
    cut(range, isLast: true)
    // The last element that stays gives its comma.
    let last = (0..<place.position).last { position in
      !removals.contains(PropertyListDocument.Place(container: container, position: position))
    }
    if let last {
      let comma = try separator(behind: elements[last])
      edits.append(Edit(range: comma..<comma + 1, text: nil))
    }
  }

  /// Whether nothing stays of a container behind a place.
  private mutating func isLast(
    _ place: PropertyListDocument.Place, of count: Int,
    without removals: Set<PropertyListDocument.Place>
  ) -> Bool {
    if let last = lastKept[place.container] { return last < place.position }
    let last = (0..<count).last { position in
      !removals.contains(PropertyListDocument.Place(container: place.container, position: position))
    }
    lastKept[place.container] = last ?? -1
    return last ?? -1 < place.position
  }

  /// Where the mark behind a value in a container is; there is one, or the reader would not have read it.
  private func separator(behind node: PropertyListNode) throws(PropertyListError) -> Int {
    try OpenStepSyntax.skipSpace(content.bytes, from: document.range(of: node).upperBound)
  }

  /// Cuts `range` out, with its lines where nothing else stands on them; else with the blanks behind it, or before it
  /// where it is the last or has none behind. What begins a line stays, too.
  private mutating func cut(_ range: Range<Int>, isLast: Bool) {
    let lines = content.lines(around: range)
    if lines != range { return edits.append(Edit(range: lines, text: nil)) }
    func isBlank(_ offset: Int) -> Bool {
      content.indices.contains(offset) && (content[offset] == 0x20 || content[offset] == 0x09)
    }
    var start = range.lowerBound
    while isBlank(start - 1) { start -= 1 }
    var end = range.upperBound
    while isBlank(end) { end += 1 }
    let beginsLine = start == 0 || content[start - 1] == 0x0a
    if isLast || end == range.upperBound, !beginsLine {
      edits.append(Edit(range: start..<range.upperBound, text: nil))
    } else {
      edits.append(Edit(range: range.lowerBound..<end, text: nil))
    }
  }

  // MARK: The text

  mutating func text() -> [UInt8] {
    edits.sort { $0.range.lowerBound < $1.range.lowerBound }
    var text: [UInt8] = []
    text.reserveCapacity(content.count)
    var reached = 0
    var lastIsCut = false
    for edit in edits {
      // What lies inside of something that was replaced or cut is gone; two cuts can share blanks.
      guard edit.range.lowerBound >= reached || lastIsCut && edit.text == nil else { continue }
      let start = max(edit.range.lowerBound, reached)
      guard edit.range.upperBound >= start else { continue }
      append(reached..<start, to: &text)
      if let new = edit.text { text.append(contentsOf: new) }
      reached = edit.range.upperBound
      lastIsCut = edit.text == nil
    }
    append(reached..<content.count, to: &text)
    if document.isStringsFile, isBlank(text) { text.append(contentsOf: Array("{}\n".utf8)) }
    return text
  }

  /// Appends what stays of the list.
  private func append(_ range: Range<Int>, to text: inout [UInt8]) {
    // A comment that was behind a mark must not become part of an unquoted string.
    if let last = text.last, OpenStepSyntax.isWord(last), !range.isEmpty,
      content[range.lowerBound] == UInt8(ascii: "/")
    {
      text.append(UInt8(ascii: " "))
    }
    text.append(copying: content.bytes.extracting(range))
  }

  /// Whether a text is white space only, which would be no list any more.
  private func isBlank(_ text: [UInt8]) -> Bool {
    var offset = text.bytes.starts(with: "\u{feff}", at: 0) ? 3 : 0
    while offset < text.count {
      let width = OpenStepSyntax.spaceWidth(text.bytes, at: offset)
      guard width > 0 else { return false }
      offset += width
    }
    return true
  }
}
