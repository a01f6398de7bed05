// `kcarchive list --history`: every revision of the items that match, deleted ones among them, without values.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

/// Lists all revisions of the items that match `query`, item by item as the scan meets them.
///
/// - Returns: what could not be read.
func listHistory(
  _ query: AttributeQuery, in archive: KeychainArchive, _ path: FilePath,
  _ form: ItemListing.Form, _ console: Console
) throws(CommandError) -> [ArchiveError] {
  var histories = try Histories(archive, query, path)
  var listing = HistoryListing(form, console.output)
  try listing.begin()
  while let item = try histories.next() {
    if item.mayBeOutdated {
      console.warning(
        CommandError(
          .damaged, "may be outdated: the index is damaged",
          place: CommandError.Place(file: path, item: item.latest?.item.displayName)))
    }
    try listing.beginItem(item)
    try listing.add(item.newest)
    var last = item.newest
    while let older = try histories.revision(before: last) {
      try listing.add(older)
      last = older
    }
    try listing.endItem()
  }
  try listing.end()
  return histories.losses
}

/// The histories of the items that match, with this program's errors.
private struct Histories: ~Copyable {
  private var scan: HistoryScan
  private var lostRevisions: [ArchiveError]
  private let path: FilePath

  /// What could not be read so far.
  var losses: [ArchiveError] { lostRevisions + scan.losses }

  init(
    _ archive: KeychainArchive, _ query: AttributeQuery, _ path: FilePath
  ) throws(CommandError) {
    do {
      scan = try HistoryScan(archive, matching: query)
    } catch {
      throw CommandError(error, file: path)
    }
    self.path = path
    lostRevisions = []
  }

  mutating func next() throws(CommandError) -> HistoricItem? {
    do {
      return try scan.next()
    } catch {
      throw CommandError(error, file: path)
    }
  }

  /// The revision before; nil also where it can't be read, and none behind it be found.
  mutating func revision(before newer: ItemRevision) throws(CommandError) -> ItemRevision? {
    do {
      return try scan.revisions.revision(before: newer)
    } catch  where error.code != .ioFailed {
      lostRevisions.append(error)
      return nil
    } catch {
      throw CommandError(error, file: path)
    }
  }
}

/// Writes histories, one after the other.
private struct HistoryListing: ~Copyable {
  private let form: ItemListing.Form
  private let output: OutputStream
  private var writer = ItemJSONWriter()
  private var buffer = SecretBytes(count: 0, capacity: 4096)
  private var isFirstItem = true
  private var isFirstRevision = true

  init(_ form: ItemListing.Form, _ output: OutputStream) {
    self.form = form
    self.output = output
  }

  mutating func begin() throws(CommandError) {
    if form == .json { try output.write("{\"version\":\(jsonVersion),\"items\":[") }
  }

  mutating func end() throws(CommandError) {
    if form == .json { try output.write("]}\n") }
  }

  mutating func beginItem(_ item: HistoricItem) throws(CommandError) {
    isFirstRevision = true
    guard form != .text else {
      return try output.writeLine(
        item.latest.map { ItemListing.title($0) } ?? "an item of which nothing is left")
    }
    if form == .json, !isFirstItem { try output.write(",") }
    isFirstItem = false
    try output.write("{\"revisions\":[")
  }

  mutating func endItem() throws(CommandError) {
    guard form != .text else { return }
    try output.write(form == .jsonLines ? "]}\n" : "]}")
  }

  mutating func add(_ revision: ItemRevision) throws(CommandError) {
    guard form != .text else { return try output.writeLine(Self.line(revision)) }
    var json = JSONWriter()
    json.beginObject()
    json.key("revision")
    json.integer(revision.number)
    json.key("state")
    json.string(revision.state.rawValue)
    if let session = revision.session {
      json.key("commit")
      json.integer(session.number)
      if let time = Self.time(session.time, wholeSeconds: false) {
        json.key("time")
        json.string(time)
      }
    }
    if let count = revision.item?.valueByteCount, revision.item?.hasValue == true {
      json.key("valueBytes")
      json.integer(count)
    }
    json.endObject()
    if !isFirstRevision { try output.write(",") }
    isFirstRevision = false
    guard let item = revision.item else { return try output.write(json.bytes) }
    // The item's own JSON goes in as the last field.
    try output.write(Array(json.bytes.dropLast()))
    try output.write(",\"item\":")
    buffer.resize(to: 0)
    writer.append(item.item, value: nil, to: &buffer)
    try output.write(buffer.bytes)
    try output.write("}")
  }

  /// `  2  2026-11-30 15:57:04 UTC  commit 4  replaced  6 bytes`
  private static func line(_ revision: ItemRevision) -> String {
    var line = "  \(revision.number)  "
    if let session = revision.session {
      line += time(session.time, wholeSeconds: true).map { $0 + "  " } ?? ""
      line += "commit \(session.number)  "
    }
    line += revision.state.rawValue
    if let item = revision.item, item.hasValue {
      line += "  " + (item.valueByteCount.map(sizeText) ?? "size not recorded")
    }
    return line
  }

  /// A commit's time in UTC, `2026-11-30 15:57:04 UTC` or `2026-11-30T15:57:04.123Z`; nil for what is no date.
  private static func time(_ milliseconds: UInt64, wholeSeconds: Bool) -> String? {
    // Between the epochs of commits, 1970, and of dates here, 2001.
    let seconds = Double(milliseconds / 1000) - 978_307_200
    let fraction = wholeSeconds ? 0 : Double(milliseconds % 1000) / 1000
    if wholeSeconds { return Timestamp.secondsText(seconds) }
    return Timestamp.text(seconds + fraction).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Timestamp {
  /// A date for people, without fractions of a second: `2026-11-30 15:57:04 UTC`; nil for what is no date.
  static func secondsText(_ seconds: Float64) -> String? {
    text(seconds).map { text in
      String(decoding: text[..<10], as: UTF8.self) + " "
        + String(decoding: text[11..<19], as: UTF8.self) + " UTC"
    }
  }
}
