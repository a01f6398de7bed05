// An archive as `inspect` shows it: from outside, and with a credential from inside.

internal import ArchiveContainer
internal import ByteCoding
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

/// An archive as `inspect` shows it.
struct ArchiveInspection {
  private let path: FilePath
  private let structure: Structure
  private let archive: KeychainArchive?
  private var classes: [(name: String, count: UInt64)] = []
  /// By how many items; only those that somebody left marks in.
  private var writers: [(origin: ItemOrigin, count: UInt64)] = []
  private var valueByteCount: UInt64 = 0
  private(set) var status = ExitStatus.done

  init(
    _ input: ArchiveInput, _ credentials: [ArchiveCredential], _ arguments: ParsedArguments,
    _ console: Console
  ) throws(CommandError) {
    path = input.path
    let progress = console.showProgress(
      "inspecting", ProgressMode(arguments), totalByteCount: try? input.device.byteCount())
    do {
      structure = try StructureCheck.run(
        input.device, checksBodies: arguments.has(.summary)
      ) { position in
        if position > progress.byteCount {
          progress.advance(bytes: position - progress.byteCount)
        }
      }
    } catch {
      throw CommandError(error, file: input.path)
    }
    progress.finish()
    guard !credentials.isEmpty else {
      archive = nil
      note(structure.findings)
      return
    }
    let (archive, status) = try input.open(credentials, console)
    self.archive = archive
    self.status = status
    try count(archive)
  }

  /// A damaged spare header copy and an unfinished append cost nothing: they are shown, not failed on.
  private mutating func note(_ findings: [ContainerError]) {
    var gravest = Gravest()
    for finding in findings {
      let isHarmless =
        (finding.offset.map { $0 < structure.copies.firstSession } ?? false)
        || (finding.code == .truncated && structure.sessionCount > 0)
      if !isHarmless { gravest.note(CommandError(finding, file: path).status) }
    }
    status = gravest.status
  }

  private mutating func count(_ archive: KeychainArchive) throws(CommandError) {
    var counts: [ItemClass: UInt64] = [:]
    var origins: [ItemOrigin: UInt64] = [:]
    var bytes: UInt64 = 0
    do {
      _ = try archive.forEachItem { item, _ in
        counts[item.item.itemClass, default: 0] += 1
        if let origin = ItemOrigin(item.item) { origins[origin, default: 0] += 1 }
        bytes += item.valueByteCount ?? 0
        return true
      }
    } catch {
      throw CommandError(error, file: path)
    }
    valueByteCount = bytes
    writers = origins.map { ($0.key, $0.value) }.sorted { left, right in
      left.count != right.count
        ? left.count > right.count
        : (left.origin.text, left.origin.form.rawValue)
          < (right.origin.text, right.origin.form.rawValue)
    }
    let known = ItemClass.allKnown.map(\.rawValue)
    classes = counts.map { ($0.key.rawValue, $0.value) }.sorted { left, right in
      let places = (
        known.firstIndex(of: left.name) ?? known.count,
        known.firstIndex(of: right.name) ?? known.count
      )
      return places.0 != places.1 ? places.0 < places.1 : left.name < right.name
    }
  }

  private var header: HeaderCopy { archive?.opened.header.copy ?? structure.copies.sound[0] }

  private var identifier: String {
    header.archiveID.map { hexadecimal($0, digits: 2) }.joined()
  }

  /// `sound`, `damaged`, `tampered` or `unfinished`, of copies A and B.
  private var copyStates: [String] {
    let findings =
      archive?.opened.findings.map(\.error).filter {
        ($0.offset ?? .max) < structure.copies.firstSession
      } ?? structure.findings
    let size = UInt64(header.size)
    return [0, size].map { place in
      guard let finding = findings.first(where: { $0.offset == place }) else { return "sound" }
      return finding.code == .truncated ? "unfinished" : finding.code.name
    }
  }

  // MARK: Text

  func lines(isSummary: Bool) -> [String] {
    let size = sizeText(structure.byteCount)
    let title =
      "\(escaped(path.bytes))    kcarchive archive, version \(header.major), \(size)"
    if isSummary { return [title + ", \(counted(structure.frameCount, "frame"))" + itemSummary] }
    let copies =
      copyStates == ["sound", "sound"]
      ? "both copies sound" : "copy A \(copyStates[0]), copy B \(copyStates[1])"
    var lines = [title]
    func row(_ label: String, _ text: String) {
      lines.append("  " + label + String(repeating: " ", count: 18 - label.utf8.count) + text)
    }
    row("id", "\(Self.grouped(identifier))   header \(header.sequence), \(copies)")
    for (index, slot) in (structure.slots ?? []).enumerated() {
      row(index == 0 ? "credentials" : "", slot.line(label: label(slot)))
    }
    let tail =
      structure.tailByteCount == 0 ? "nothing" : counted(structure.tailByteCount, "byte")
    row(
      "sessions",
      "\(structure.sessionCount), \(counted(structure.frameCount, "frame")), "
        + (structure.sessionCount == 0
          ? "no commit; \(tail) after the header"
          : "newest commit \(structure.newestCommit); \(tail) after it"))
    for hole in structure.holes {
      row(
        "hole", "\(counted(UInt64(hole.count), "byte")) at \(KCArchiveCLI.grouped(hole.lowerBound))"
      )
    }
    if archive == nil {
      row("items", "give a credential to see them (kcarchive help credentials)")
    } else {
      row("items", String(itemSummary.dropFirst(2)))
      for (index, writer) in writers.enumerated() {
        row(
          index == 0 ? "written by" : "",
          "\(counted(writer.count, "item"))   \(writer.origin.text): \(writer.origin.form.title)")
      }
    }
    let shown = Set(structure.copies.findings.map(\.offset))
    for finding in structure.findings where !shown.contains(finding.offset) {
      let place = finding.offset.map { ", at byte \(KCArchiveCLI.grouped($0))" } ?? ""
      row(finding.code.name, finding.reason + place)
    }
    return lines
  }

  /// `, 5 items (3 genp, 2 file), 1.2 KiB of values`, or nothing without a credential.
  private var itemSummary: String {
    guard let archive else { return "" }
    let list = classes.map { "\(KCArchiveCLI.grouped($0.count)) \(escaped($0.name))" }
    let detail = list.isEmpty ? "" : " (\(list.joined(separator: ", ")))"
    return ", \(counted(archive.itemCount, "item"))\(detail), \(sizeText(valueByteCount)) of values"
  }

  private func label(_ slot: Slot) -> String? {
    archive.flatMap { slot.label(keys: $0.opened.keys) }
  }

  /// As UUIDs are written.
  private static func grouped(_ identifier: String) -> String {
    let digits = Array(identifier.utf8)
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
      String(decoding: digits[range], as: UTF8.self)
    }
    return parts.joined(separator: "-")
  }

  // MARK: JSON

  var json: JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.file("file", path)
    json.key("kind")
    json.string("archive")
    json.key("bytes")
    json.integer(structure.byteCount)
    json.key("formatVersion")
    json.string("\(header.major).\(header.minor)")
    json.key("id")
    json.string(identifier)
    json.key("header")
    json.beginObject()
    json.key("sequence")
    json.integer(header.sequence)
    json.key("copies")
    json.beginArray()
    for state in copyStates { json.string(state) }
    json.endArray()
    json.endObject()
    json.key("slots")
    json.beginArray()
    for slot in structure.slots ?? [] { json.slot(slot, label: label(slot)) }
    json.endArray()
    for (name, number) in [
      ("sessions", structure.sessionCount), ("frames", structure.frameCount),
      ("commit", archive?.commitNumber ?? structure.newestCommit),
      ("tailBytes", structure.tailByteCount),
    ] {
      json.key(name)
      json.integer(number)
    }
    json.key("holes")
    json.beginArray()
    for hole in structure.holes {
      json.beginObject()
      json.key("offset")
      json.integer(hole.lowerBound)
      json.key("bytes")
      json.integer(UInt64(hole.count))
      json.endObject()
    }
    json.endArray()
    if let archive {
      json.key("items")
      json.beginObject()
      json.key("count")
      json.integer(archive.itemCount)
      json.key("valueBytes")
      json.integer(valueByteCount)
      json.key("classes")
      json.beginObject()
      for (name, count) in classes {
        json.key(name)
        json.integer(count)
      }
      json.endObject()
      json.key("writers")
      json.beginArray()
      for writer in writers { json.writer(writer.origin, count: writer.count) }
      json.endArray()
      json.endObject()
    }
    json.endObject()
    return json
  }
}
