// The table of objects as it stands in the file: numbers, kinds, bytes, references. It shows what the tree of values
// hides: objects that nothing refers to, what is shared, where an object lies.

internal import ByteCoding

extension PropertyListDescription {
  /// A line for each object of the file: its number, the bytes it has, its kind, and its content, where `#12` is
  /// a reference. In keyed archives, UIDs and the numbers of `$objects` stand with it as `@3`.
  public func table() throws(DescriptionError) -> [UInt8] {
    var table = ObjectTable(document, archive)
    do throws(PropertyListError) {
      return try table.lines()
    } catch {
      throw DescriptionError(error)
    }
  }

  /// The table as a JSON array.
  public func tableJSON() throws(DescriptionError) -> [UInt8] {
    let table = ObjectTable(document, archive)
    do throws(PropertyListError) {
      return try table.json()
    } catch {
      throw DescriptionError(error)
    }
  }
}

private struct ObjectTable {
  private let document: PropertyListDocument
  /// By node: one more than the number that it has in `$objects`; 0 where it has none.
  private var archivedNumbers: [UInt32]

  init(_ document: PropertyListDocument, _ archive: KeyedArchive?) {
    self.document = document
    archivedNumbers = Array(repeating: 0, count: archive == nil ? 0 : document.nodeCount)
    guard let archive else { return }
    for number in (0..<archive.objectCount).reversed() {
      let node = archive.node(of: KeyedArchive.Object(number: number))
      archivedNumbers[node.index] = UInt32(truncatingIfNeeded: number) + 1
    }
  }

  private func archivedNumber(_ node: PropertyListNode) -> Int? {
    guard !archivedNumbers.isEmpty, archivedNumbers[node.index] > 0 else { return nil }
    return Int(archivedNumbers[node.index]) - 1
  }

  // MARK: Text

  mutating func lines() throws(PropertyListError) -> [UInt8] {
    var lines = TreeLines(byteLimit: document.expansionLimit)
    let numberWidth = "#\(document.nodeCount - 1)".utf8.count
    let offsetWidth = document.bytes.count.description.utf8.count
    let archivedWidth =
      archivedNumbers.isEmpty ? 0 : "@\(archivedNumbers.max() ?? 0)".utf8.count + 2
    for index in 0..<document.nodeCount {
      let node = PropertyListNode(index: index)
      let range = document.range(of: node)
      var line = Self.right("#\(index)", numberWidth) + "  "
      if archivedWidth > 0 {
        line += Self.left(archivedNumber(node).map { "@\($0)" } ?? "", archivedWidth)
      }
      line += Self.right("\(range.lowerBound)", offsetWidth) + "+"
      line += Self.left("\(range.count)", offsetWidth) + "  "
      line += Self.left(Self.name(document.kind(of: node)), 11) + " "
      lines.append(line)
      appendContent(node, to: &lines.bytes)
      if index == document.root.index { lines.append("   the root") }
      try lines.endLine()
    }
    return lines.bytes
  }

  private func appendContent(_ node: PropertyListNode, to bytes: inout [UInt8]) {
    func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
    switch document.kind(of: node) {
    case .dictionary:
      append("{")
      for (index, (key, value)) in zip(document.keys(of: node), document.values(of: node))
        .enumerated()
      {
        append("\(index == 0 ? "" : ", ")#\(key.index): #\(value.index)")
      }
      append("}")
    case .array, .set, .orderedSet:
      append("[")
      for (index, child) in document.children(of: node).enumerated() {
        append("\(index == 0 ? "" : ", ")#\(child.index)")
      }
      append("]")
    case .string: document.appendText(of: node, to: &bytes)
    case .uid:
      append(archivedNumbers.isEmpty ? "" : "@")
      append((document.uid(of: node) ?? 0).description)
    default: ScalarText.append(document.scalar(node), to: &bytes)
    }
  }

  private static func name(_ kind: PropertyListNode.Kind) -> String {
    kind == .orderedSet ? "ordered set" : "\(kind)"
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
  }

  // MARK: JSON

  func json() throws(PropertyListError) -> [UInt8] {
    var writer = PropertyListJSONWriter(.tagged, byteLimit: document.expansionLimit)
    writer.json.beginArray()
    for index in 0..<document.nodeCount {
      let node = PropertyListNode(index: index)
      let range = document.range(of: node)
      writer.json.beginObject()
      for (key, number) in [
        ("number", index), ("offset", range.lowerBound), ("bytes", range.count),
      ] {
        writer.json.key(key)
        writer.json.integer(Int64(number))
      }
      if let number = archivedNumber(node) {
        writer.json.key("object")
        writer.json.integer(Int64(number))
      }
      writer.json.key("kind")
      writer.json.string("\(document.kind(of: node))")
      switch document.kind(of: node) {
      case .dictionary:
        write("keys", document.keys(of: node), &writer)
        write("values", document.values(of: node), &writer)
      case .array, .set, .orderedSet: write("elements", document.children(of: node), &writer)
      default:
        writer.json.key("value")
        try writer.write(node, of: document)
      }
      writer.json.endObject()
    }
    writer.json.endArray()
    return writer.json.bytes
  }

  private func write(
    _ key: String, _ nodes: PropertyListDocument.Children, _ writer: inout PropertyListJSONWriter
  ) {
    writer.json.key(key)
    writer.json.beginArray()
    for node in nodes { writer.json.integer(Int64(node.index)) }
    writer.json.endArray()
  }
}
