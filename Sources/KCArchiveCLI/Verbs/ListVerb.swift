// `kcarchive list`: the items that match, without their values.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

extension Verb {
  static let list = Verb(.list) { arguments, console throws(CommandError) in
    let query = try ItemQuery(arguments).attributeQuery()
    let input = try ArchiveInput(arguments.operands[0], arguments, spools: true)
    let (archive, status) = try input.open(try input.credentials(.opening), console)
    var gravest = Gravest()
    gravest.note(status)

    let form: ItemListing.Form =
      arguments.has(.jsonLines) ? .jsonLines : arguments.has(.json) ? .json : .text
    let losses =
      arguments.has(.history)
      ? try listHistory(query, in: archive, input.path, form, console)
      : try listItems(
        query, in: archive, input.path,
        ItemListing(form, console.output, isLong: arguments.has(.long)),
        console)
    for loss in losses {
      try console.output.flush()
      let warning = CommandError(loss, file: input.path)
      console.warning(warning)
      gravest.note(warning.status)
    }
    return gravest.status
  }
}

/// Lists the items that match.
///
/// - Returns: what could not be read.
private func listItems(
  _ query: AttributeQuery, in archive: KeychainArchive, _ path: FilePath,
  _ listing: consuming ItemListing, _ console: Console
) throws(CommandError) -> [ArchiveError] {
  try listing.begin()
  let losses = try forEachMatch(query, in: archive, path) {
    item, mayBeOutdated throws(CommandError) in
    if mayBeOutdated {
      console.warning(
        CommandError(
          .damaged, "may be outdated: the index is damaged",
          place: CommandError.Place(file: path, item: item.item.displayName)))
    }
    try listing.add(item)
  }
  try listing.end()
  return losses
}

/// Visits the items that match: through the index where it can answer, else one by one as they stand in
/// the file, so that memory does not grow with their number.
///
/// - Returns: what could not be read.
private func forEachMatch(
  _ query: AttributeQuery, in archive: KeychainArchive, _ path: FilePath,
  _ body: (StoredItem, Bool) throws(CommandError) -> Void
) throws(CommandError) -> [ArchiveError] {
  var problem: CommandError?
  let losses: [ArchiveError]
  do {
    if archive.canLookUp(query) {
      let result = try archive.search(query)
      for item in result.items { try body(item, false) }
      return result.losses
    }
    losses = try archive.forEachItem { item, mayBeOutdated in
      guard query.matches(item.item) else { return true }
      do throws(CommandError) {
        try body(item, mayBeOutdated)
        return true
      } catch {
        problem = error
        return false
      }
    }
  } catch let error as ArchiveError {
    throw CommandError(error, file: path)
  } catch let error as CommandError {
    throw error
  } catch {
    preconditionFailure("only the two errors above are thrown here")
  }
  if let problem { throw problem }
  return losses
}

/// Writes items without values, one after the other.
struct ItemListing: ~Copyable {
  enum Form {
    case text, json, jsonLines
  }

  private let form: Form
  private let output: OutputStream
  /// Whether each item has its accessibility, its dates and its writer with it.
  private let isLong: Bool
  private var writer = ItemJSONWriter()
  private var buffer = SecretBytes(count: 0, capacity: 4096)
  private var isFirst = true

  init(_ form: Form, _ output: OutputStream, isLong: Bool = false) {
    self.form = form
    self.output = output
    self.isLong = isLong
  }

  mutating func begin() throws(CommandError) {
    if form == .json { try output.write("{\"version\":\(jsonVersion),\"items\":[") }
  }

  mutating func add(_ item: StoredItem) throws(CommandError) {
    guard form != .text else {
      try output.writeLine(Self.line(item))
      if isLong, let details = Self.details(item) { try output.writeLine(details) }
      return
    }
    buffer.resize(to: 0)
    writer.append(item.item, value: nil, to: &buffer)
    if form == .json, !isFirst { try output.write(",") }
    isFirst = false
    if isLong {
      try output.write("{\"item\":")
      try output.write(buffer.bytes)
      try output.write(Self.closingDetails(item))
    } else {
      try output.write(buffer.bytes)
    }
    if form == .jsonLines { try output.write("\n") }
  }

  mutating func end() throws(CommandError) {
    if form == .json { try output.write("]}\n") }
  }

  /// `  accessible ck  modified 2024-05-02 08:30:00 UTC  by Valet`; nil where there is nothing to say.
  private static func details(_ item: StoredItem) -> String? {
    var details: [String] = []
    if let accessible = item.item.accessible {
      details.append("accessible \(escaped(accessible.rawValue))")
    }
    if item.item[.synchronizable] == .boolean(true) || item.item[.synchronizable] == .integer(1) {
      details.append("synchronizable")
    }
    for (key, name) in [
      (AttributeKey.creationDate, "created"), (.modificationDate, "modified"),
    ] {
      if case .date(let seconds) = item.item[key], let text = Timestamp.secondsText(seconds) {
        details.append("\(name) \(text)")
      }
    }
    if let origin = ItemOrigin(item.item) { details.append("by \(origin.text)") }
    return details.isEmpty ? nil : "  " + details.joined(separator: "  ")
  }

  /// What stands behind the item in the long form's JSON.
  private static func closingDetails(_ item: StoredItem) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    if item.hasValue, let count = item.valueByteCount {
      json.key("valueBytes")
      json.integer(count)
    }
    if let origin = ItemOrigin(item.item) {
      json.key("writer")
      json.writer(origin)
    }
    json.endObject()
    // The object goes on from the item.
    return json.bytes.count > 2
      ? [UInt8(ascii: ",")] + json.bytes.dropFirst() : Array(json.bytes.dropFirst())
  }

  /// `genp com.example.app / alice  24 bytes  group ABCDE12345.com.example`
  static func line(_ item: StoredItem) -> String {
    title(
      item,
      item.hasValue ? "  " + (item.valueByteCount.map(sizeText) ?? "size not recorded") : "")
  }

  /// The line of `line` without the size, or with another text in its place.
  static func title(_ item: StoredItem, _ size: String = "") -> String {
    var line = escaped(item.item.displayName)
    if case .text(let kind) = item.item[.kind], kind != FileKind.file.rawValue {
      line += "  \(escaped(kind))"
    }
    line += size
    if case .text(let group) = item.item[.accessGroup], !group.isEmpty {
      line += "  group \(escaped(group))"
    }
    return line
  }
}
