// A keyed archive as a tree of lines: collections by their elements, values in one line, objects of other classes
// by their fields. What several places refer to is written once, as in `ListText`.

internal import ByteCoding

struct ArchiveText {
  let archive: KeyedArchive
  let survey: ArchiveSurvey
  let options: DescriptionOptions
  let nesting: Int
  private var states: [State]
  /// Classes that a line has called unknown already.
  private var unknown = Set<ArchivedClass>()

  private enum State { case unwritten, open, written }

  init(
    _ archive: KeyedArchive, from roots: [KeyedArchive.Reference], maximumDepth: Int,
    options: DescriptionOptions, nesting: Int
  ) throws(PropertyListError) {
    self.archive = archive
    self.options = options
    self.nesting = nesting
    survey = try ArchiveSurvey(archive, from: roots, maximumDepth: maximumDepth)
    states = Array(repeating: .unwritten, count: archive.objectCount + archive.document.nodeCount)
  }

  /// Appends a line for each field, and the lines below it.
  mutating func write(
    fields: [KeyedArchive.Field], to lines: inout TreeLines
  ) throws(PropertyListError) {
    var labels = TreeLines.Labels()
    for field in fields { labels.add(key: field.name) }
    try write(fields.map(\.value), labels, &lines)
  }

  private mutating func write(
    _ references: [KeyedArchive.Reference], _ labels: TreeLines.Labels, _ lines: inout TreeLines
  ) throws(PropertyListError) {
    try lines.writeChildren(labels) { (lines, index) throws(PropertyListError) in
      try write(references[index], to: &lines)
    }
  }

  /// Appends the rest of a line for what a reference leads to, and the lines below it.
  mutating func write(
    _ reference: KeyedArchive.Reference, to lines: inout TreeLines
  ) throws(PropertyListError) {
    guard let place = archive.place(reference) else {
      lines.append("nil")
      return try lines.endLine()
    }
    let value: ArchivedValue
    do throws(KeyedArchiveError) {
      value = try archive.value(of: reference)
    } catch {
      lines.append("(\(error.reason))")
      return try lines.endLine()
    }
    let isShared = survey.isShared[place] && isWorthSharing(value, reference)
    let name = sharedName(reference)
    if isShared, states[place] != .unwritten {
      lines.append(states[place] == .open ? "<cycle to \(name)>" : "<shared \(name)>")
      return try lines.endLine()
    }
    states[place] = .open
    try write(value, reference, mark: isShared ? " \(name)" : "", &lines)
    states[place] = .written
  }

  /// What tells objects that are written once apart: numbers in `$objects`, or of what is written in place, in
  /// the file.
  private func sharedName(_ reference: KeyedArchive.Reference) -> String {
    switch reference {
    case .null: "nil"
    case .object(let object): "#\(object.number)"
    case .inline(let node): "value #\(node.index)"
    }
  }

  private func isWorthSharing(
    _ value: ArchivedValue, _ reference: KeyedArchive.Reference
  ) -> Bool {
    switch value {
    case .null: return false
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      return !elements.isEmpty
    case .dictionary(let entries): return !entries.isEmpty
    case .scalar(.data(let data)):
      return data.count > SharedText.shortCount
        || PropertyListDocument.markedFormat(of: data) != nil
    case .scalar(.string(let text)): return text.utf8.count > SharedText.shortCount
    case .scalar(let scalar):
      guard case .unknown(let bytes) = scalar else { return false }
      return bytes.count > SharedText.shortCount
    case .url(let base, let relative):
      return base != .null || relative.utf8.count > SharedText.shortCount
    default: return true
    }
  }

  private mutating func write(
    _ value: ArchivedValue, _ reference: KeyedArchive.Reference, mark: String,
    _ lines: inout TreeLines
  ) throws(PropertyListError) {
    switch value {
    case .null: try end(mark, &lines, "nil")
    case .scalar(.data(let data)):
      if let nested = NestedList(data, options: options, nesting: nesting, in: &lines) {
        try end(mark, &lines, "data, \(data.count.counted("byte"))", behind: "   \(nested.title)")
        return try nested.writeChildren(to: &lines)
      }
      ScalarText.append(data: data, to: &lines.bytes)
      try end(mark, &lines)
    case .scalar(let scalar):
      ScalarText.append(scalar, to: &lines.bytes)
      try end(mark, &lines)
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      try end(
        mark, &lines, ListText.title(className(reference), elements.count, "element"))
      try write(elements, numbered(elements.count), &lines)
    case .countedSet(let elements):
      try end(
        mark, &lines, ListText.title(className(reference), elements.count, "element"))
      var labels = TreeLines.Labels()
      for (index, element) in elements.enumerated() {
        labels.add("[\(index)] \(element.count.grouped)\u{d7}")
      }
      try write(elements.map(\.element), labels, &lines)
    case .dictionary(let entries):
      let name = className(reference)
      try end(mark, &lines, entries.isEmpty ? "\(name), empty" : name)
      try write(entries, &lines)
    case .url(let base, let relative):
      TerminalText.append(relative, isQuoted: false, to: &lines.bytes)
      try end(mark, &lines)
      guard base != .null else { return }
      var labels = TreeLines.Labels()
      labels.add("relative to")
      try write([base], labels, &lines)
    case .attributedString(let text, let runs):
      lines.append(className(reference) + " ")
      TerminalText.append(text, isQuoted: true, to: &lines.bytes)
      try end(mark, &lines)
      var labels = TreeLines.Labels()
      for run in runs { labels.add("\(run.range.lowerBound)..<\(run.range.upperBound)") }
      try write(runs.map(\.attributes), labels, &lines)
    case .described(let description): try write(description, mark, &lines)
    case .record(let archived, let fields):
      TerminalText.append(archived.name, isQuoted: false, to: &lines.bytes)
      // Once for each class: archives of windows have hundreds of them.
      let isNews = unknown.insert(archived).inserted
      try end(
        mark, &lines,
        behind: !isNews
          ? ""
          : KnownClass(archived) == nil
            ? "   class not known, shown as stored" : "   not as its class has it, shown as stored")
      try write(fields: fields, to: &lines)
    }
  }

  private func end(
    _ mark: String, _ lines: inout TreeLines, _ text: String = "", behind: String = ""
  ) throws(PropertyListError) {
    TerminalText.append(text, isQuoted: false, to: &lines.bytes)
    lines.append(mark)
    lines.append(behind)
    try lines.endLine()
  }

  /// The class, or what a collection is that is written in place.
  private func className(_ reference: KeyedArchive.Reference) -> String {
    switch reference {
    case .null: return "nil"
    case .object(let object):
      return archive.archivedClass(of: object)?.name
        ?? kindName(archive.node(of: object))
    case .inline(let node): return kindName(node)
    }
  }

  private func kindName(_ node: PropertyListNode) -> String {
    switch archive.document.kind(of: node) {
    case .array: "array"
    case .set: "set"
    case .orderedSet: "ordered set"
    default: "dictionary"
    }
  }

  private func numbered(_ count: Int) -> TreeLines.Labels {
    var labels = TreeLines.Labels()
    for index in 0..<count { labels.add(position: index) }
    return labels
  }

  private mutating func write(
    _ entries: [(key: KeyedArchive.Reference, value: KeyedArchive.Reference)],
    _ lines: inout TreeLines
  ) throws(PropertyListError) {
    var labels = TreeLines.Labels()
    var values: [KeyedArchive.Reference] = []
    for (index, entry) in entries.enumerated() {
      switch try? archive.value(of: entry.key) {
      case .null: labels.add("(nil)")
      case .scalar(.string(let key)): labels.add(key: key)
      case .scalar(let key):
        labels.bytes.append(UInt8(ascii: "("))
        ScalarText.append(key, to: &labels.bytes)
        labels.add(")")
      default:
        // A key with others in it has lines of its own.
        labels.add("[\(index)] key")
        values.append(entry.key)
        labels.add("[\(index)] value")
      }
      values.append(entry.value)
    }
    try write(values, labels, &lines)
  }

  private mutating func write(
    _ description: ArchivedDescription, _ mark: String, _ lines: inout TreeLines
  ) throws(PropertyListError) {
    try end(mark, &lines, "\(description.type) \(description.text)")
    // What is no reference is in the text.
    var labels = TreeLines.Labels()
    var references: [KeyedArchive.Reference] = []
    for part in description.parts {
      guard case .reference(let reference) = part.value, reference != .null else { continue }
      labels.add(key: part.name)
      references.append(reference)
    }
    try write(references, labels, &lines)
  }
}
