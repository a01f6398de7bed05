// `kcarchive verify`: every check that can be made, each finding with its place.

internal import ArchiveContainer
internal import KeychainArchive
internal import KeychainModel
internal import PropertyListCodec

extension Verb {
  static let verify = Verb(.verify) { arguments, console throws(CommandError) in
    let path = arguments.operands[0]
    let input = try ArchiveInput(path, arguments, spools: true)
    let credentials = try input.credentials(.openingIfPossible)
    let progress = console.showProgress(
      "verifying", ProgressMode(arguments), totalByteCount: try? input.device.byteCount())
    let verification =
      credentials.isEmpty
      ? try Verification(structureOf: input, progress)
      : try Verification(input, credentials, progress)
    progress.finish()
    if credentials.isEmpty {
      console.note("without a credential only checksums and structure are checked")
    }
    console.warnOfWeakness(verification.slots, path)
    if arguments.wantsJSON {
      try console.output.write(verification.json)
    } else {
      for line in verification.lines { try console.output.writeLine(line) }
      if verification.status != .done, verification.hasFullCheck {
        try console.output.flush()
        console.hint("the items that are whole can still be listed and restored")
      }
    }
    return verification.status
  }
}

/// What verification found, ready to be shown.
private struct Verification {
  private let path: FilePath
  private var findings: [CommandError] = []
  private(set) var status = ExitStatus.done
  let hasFullCheck: Bool
  /// Those that could be read: of a pipe only with a credential.
  let slots: [Slot]
  private let sessionCount: UInt64
  private let frameCount: UInt64
  private let itemCount: UInt64?

  init(structureOf input: ArchiveInput, _ progress: Progress) throws(CommandError) {
    path = input.path
    hasFullCheck = false
    itemCount = nil
    slots = input.device.isSeekable ? (try? input.slots()) ?? [] : []
    let structure: Structure
    do {
      structure = try StructureCheck.run(
        input.device, checksBodies: true, progress: Self.meter(progress))
    } catch {
      throw CommandError(error, file: input.path)
    }
    sessionCount = structure.sessionCount
    frameCount = structure.frameCount
    for finding in structure.findings { note(CommandError(finding, file: input.path)) }
  }

  init(
    _ input: ArchiveInput, _ credentials: [ArchiveCredential], _ progress: Progress
  ) throws(CommandError) {
    path = input.path
    hasFullCheck = true
    let report: VerifyReport
    do {
      report = try OpenedArchive.open(
        input.device, credentials: credentials.map(\.credential), options: input.options
      ).verify(itemCheck: StoredItem.check, progress: Self.meter(progress))
    } catch {
      throw CommandError(error, file: input.path)
    }
    sessionCount = report.sessionCount
    frameCount = report.frameCount
    slots = report.slots
    itemCount = report.commit?.liveItems ?? report.wholeItems
    for finding in report.findings {
      let item = finding.item.flatMap { try? StoredItem($0).item.displayName }
      note(CommandError(ArchiveError(finding.error, item: item), file: input.path))
    }
  }

  private static func meter(_ progress: Progress) -> (UInt64) -> Void {
    { position in
      if position > progress.byteCount { progress.advance(bytes: position - progress.byteCount) }
    }
  }

  private mutating func note(_ finding: CommandError) {
    findings.append(finding)
    // What is not supported or over a limit has no rank among damage; it is told where nothing graver is.
    if status == .done || finding.status.gravity > status.gravity { status = finding.status }
  }

  /// The report for people.
  var lines: [String] {
    let name = escaped(path.bytes)
    guard !findings.isEmpty else {
      var counts = [counted(frameCount, "frame"), counted(sessionCount, "session")]
      if let itemCount { counts.insert(counted(itemCount, "item"), at: 0) }
      return ["\(name): sound; " + counts.joined(separator: ", ")]
    }
    var lines = ["\(name): " + counted(UInt64(findings.count), "finding")]
    for finding in findings {
      var line = "  \(finding.status.name)"
      line += String(repeating: " ", count: max(1, 12 - finding.status.name.utf8.count))
      line += finding.message
      if let offset = finding.place.offset { line += ", at byte \(grouped(offset))" }
      if let item = finding.place.item { line += " (\(escaped(item)))" }
      lines.append(line)
    }
    return lines
  }

  var json: [UInt8] {
    JSONWriter.report("verify") { json in
      json.file("file", path)
      json.key("checked")
      json.string(hasFullCheck ? "everything" : "structure")
      json.key("status")
      json.integer(Int64(status.rawValue))
      json.key("sessions")
      json.integer(sessionCount)
      json.key("frames")
      json.integer(frameCount)
      if let itemCount {
        json.key("items")
        json.integer(itemCount)
      }
      json.key("findings")
      json.beginArray()
      for finding in findings { json.finding(finding) }
      json.endArray()
    }
  }
}

extension JSONWriter {
  /// `{"status":…,"name":…,"message":…,"offset":…,"item":…}`
  fileprivate mutating func finding(_ finding: CommandError) {
    beginObject()
    key("status")
    integer(Int64(finding.status.rawValue))
    key("name")
    string(finding.status.name)
    key("message")
    string(finding.message)
    if let offset = finding.place.offset {
      key("offset")
      integer(offset)
    }
    if let item = finding.place.item {
      key("item")
      string(item)
    }
    endObject()
  }
}
