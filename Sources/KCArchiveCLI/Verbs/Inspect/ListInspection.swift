// A property list or a keyed archive as `inspect` shows it. The library makes its tree, table and JSON; here
// they get a title and messages.

internal import ByteCoding
internal import PropertyListCodec

struct ListInspection {
  private let path: FilePath
  private let byteCount: Int
  private let arguments: ParsedArguments
  private let description: PropertyListDescription
  /// What `--path` asks for.
  private let place: PropertyListPath?

  init(
    _ path: FilePath, _ bytes: [UInt8], _ arguments: ParsedArguments, _ console: Console
  ) throws(CommandError) {
    self.path = path
    byteCount = bytes.count
    self.arguments = arguments
    place = try Self.place(arguments)
    var options = DescriptionOptions()
    options.isStrict = arguments.has(.strict)
    options.depthName = OptionKey.depth.rawValue
    options.nesting = Int(clamping: arguments.number(.depth) ?? 1) - 1
    do throws(DescriptionError) {
      description = try PropertyListDescription(bytes, options: options)
    } catch {
      throw CommandError(error, file: path)
    }
    for note in description.notes { console.note("\(escaped(path.bytes)): \(note)") }
    console.warn(description.irregularities, of: description.irregularityCount, file: path)
  }

  private static func place(
    _ arguments: ParsedArguments
  ) throws(CommandError) -> PropertyListPath? {
    guard let text = arguments.text(.path) else { return nil }
    guard let path = PropertyListPath(parsing: text) else {
      throw .usage(
        "'--path' has a value that is no path: \(quoted(text))",
        hint: PropertyListPath.explanation)
    }
    return path
  }

  // MARK: Text

  func write(to output: OutputStream) throws(CommandError) {
    // All of it is made before a line of it is written.
    if arguments.has(.summary) {
      return try output.writeLine(try located(summary))
    }
    let text = try located { () throws(DescriptionError) in
      arguments.has(.raw) ? try description.table() : try description.text(at: place)
    }
    // What is at a path is often wanted alone, for a script.
    if place == nil {
      try output.writeLine(title)
    } else if arguments.operands.count > 1 {
      try output.writeLine(escaped(path.bytes))
    }
    try output.write(text)
  }

  /// What `make` makes; its error is about the file.
  private func located<Result>(
    _ make: () throws(DescriptionError) -> Result
  ) throws(CommandError) -> Result {
    do {
      return try make()
    } catch {
      throw CommandError(error, file: path)
    }
  }

  private var title: String { "\(escaped(path.bytes))    \(description.title)" }

  /// The title with size, counts by kind and depth behind it, in one line.
  private func summary() throws(DescriptionError) -> String {
    let counts = try description.counts()
    let kinds = PropertyListNode.Kind.allCases.compactMap { kind in
      counts.kinds[kind].map { counted(UInt64($0), kind.noun, plural: kind.plural) }
    }
    let irregular = description.irregularityCount
    return title + ", \(sizeText(UInt64(byteCount)))"
      + ": \(kinds.joined(separator: ", ")); depth \(counts.depth)"
      + (counts.hasCycle ? ", contains itself" : "")
      + "; "
      + (irregular == 0
        ? "nothing irregular"
        : counted(UInt64(irregular), "irregularity", plural: "irregularities"))
  }

  // MARK: JSON

  func json() throws(CommandError) -> [UInt8] { try located(makeJSON) }

  private func makeJSON() throws(DescriptionError) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.file("file", path)
    try write(to: &json)
    if let place {
      json.key("path")
      json.string(place.description)
    }
    if arguments.has(.raw) {
      let table = try description.tableJSON()
      json.key("table")
      json.value(table.bytes)
    } else if !arguments.has(.summary) {
      let content = try description.json(at: place)
      json.key("content")
      json.value(content.bytes)
    }
    json.endObject()
    return json.bytes
  }

  private func write(to json: inout JSONWriter) throws(DescriptionError) {
    json.key("kind")
    json.string(description.kindName)
    let counts = try description.counts()
    json.key("bytes")
    json.integer(Int64(byteCount))
    json.key("format")
    json.string("\(description.document.format)")
    if description.isSigned {
      json.key("signed")
      json.boolean(true)
    }
    json.key("objects")
    json.integer(Int64(description.archive?.objectCount ?? description.document.nodeCount))
    json.key("depth")
    json.integer(Int64(counts.depth))
    json.key("containsItself")
    json.boolean(counts.hasCycle)
    json.key("counts")
    json.beginObject()
    for kind in PropertyListNode.Kind.allCases {
      guard let count = counts.kinds[kind] else { continue }
      json.key("\(kind)")
      json.integer(Int64(count))
    }
    json.endObject()
    json.key("irregularities")
    json.integer(Int64(description.irregularityCount))
    guard let archive = description.archive else { return }
    json.key("archiver")
    if let archiver = archive.archiver { json.string(archiver) } else { json.null() }
    // Several classes of one name can be there, so they are no object's keys.
    json.key("classes")
    json.beginArray()
    for (name, count) in description.classes {
      json.beginObject()
      json.key("name")
      json.string(name)
      json.key("count")
      json.integer(Int64(count))
      json.endObject()
    }
    json.endArray()
  }
}

extension PropertyListDescription {
  /// `property-list`, `keyed-archive` or `typed-stream`.
  var kindName: String {
    if document.format == .typedStream { return "typed-stream" }
    return archive == nil ? "property-list" : "keyed-archive"
  }
}

extension PropertyListNode.Kind {
  fileprivate var noun: String {
    switch self {
    case .uid: "UID"
    case .url: "URL"
    case .uuid: "UUID"
    case .orderedSet: "ordered set"
    case .unknown: "unknown object"
    default: "\(self)"
    }
  }

  /// Where it is not the noun with an `s`.
  fileprivate var plural: String? {
    switch self {
    case .data: "data"
    case .dictionary: "dictionaries"
    default: nil
    }
  }
}

extension CommandError {
  /// What stands against describing the list in `file`.
  init(_ error: DescriptionError, file: FilePath) {
    let place = Place(
      file: file, offset: error.offset.map { UInt64($0) }, line: error.line, column: error.column)
    let path = error.path.map { quoted($0) }
    switch error.family {
    case .notAList: self.init(.failed, "is not a property list", place: place)
    case .unsupported: self.init(.unsupported, error.reason, place: place)
    case .limit:
      self.init(
        .refusedByLimit, error.reason,
        // Text that is nested too deep is not read at all.
        hint: error.line == nil
          ? "'kcarchive inspect --raw' shows the objects of a list one by one" : nil, place: place)
    case .notThere:
      self.init(
        .noSuchItem, "nothing is at the path that '--path' gives",
        hint: error.path == ""
          ? "its first key is not there; without '--path' all of it is shown"
          : "it leads up to \(path ?? "the root"); '--path' with that shows what is there",
        place: place)
    default:
      self.init(
        .damaged, path.map { "\($0): \(error.reason)" } ?? error.reason, place: place)
    }
  }
}
