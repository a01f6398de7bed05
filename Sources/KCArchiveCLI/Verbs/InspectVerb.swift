// `kcarchive inspect`: what a file is and what is in it. The content tells which of the inspections it gets,
// never the name.

internal import ArchiveContainer
internal import ByteCoding
internal import KeychainArchive
internal import PropertyListCodec

extension Verb {
  static let inspect = Verb(.inspect) { arguments, console throws(CommandError) in
    var run = InspectRun(arguments, console)
    for path in arguments.operands {
      do throws(CommandError) {
        try run.inspect(path)
      } catch {
        // The other files are shown all the same.
        if error.status == .usage || arguments.operands.count == 1 { throw error }
        try console.output.flush()
        console.error(error)
        run.failures.append(error)
      }
    }
    return try run.finish()
  }
}

/// One run of the verb over all its files.
private struct InspectRun {
  private let arguments: ParsedArguments
  private let console: Console
  /// Read when the first archive is met; lists need none.
  private var credentials: [ArchiveCredential]?
  private var gravest = Gravest()
  private var documents: [[UInt8]] = []
  var failures: [CommandError] = []

  init(_ arguments: ParsedArguments, _ console: Console) {
    self.arguments = arguments
    self.console = console
  }

  mutating func inspect(_ path: FilePath) throws(CommandError) {
    let file = try InspectedFile(path)
    if file.isList {
      let inspection = try ListInspection(path, try file.bytes(), arguments, console)
      if arguments.wantsJSON {
        documents.append(try inspection.json())
      } else {
        try inspection.write(to: console.output)
      }
      return
    }
    for key in [OptionKey.raw, .path, .depth, .strict] where arguments.has(key) {
      try file.requireArchive()
      throw CommandError(
        .failed, "'\(key.rawValue)' is for property lists and keyed archives",
        place: CommandError.Place(file: path))
    }
    let input = try file.archiveInput(arguments)
    if credentials == nil { credentials = try input.credentials(.given) }
    let inspection = try ArchiveInspection(input, credentials ?? [], arguments, console)
    gravest.note(inspection.status)
    if arguments.wantsJSON {
      documents.append(inspection.json.bytes)
    } else {
      for line in inspection.lines(isSummary: arguments.has(.summary)) {
        try console.output.writeLine(line)
      }
    }
  }

  /// Writes the JSON of all files, and says how the run ended.
  func finish() throws(CommandError) -> ExitStatus {
    if arguments.wantsJSON {
      var json = JSONWriter()
      json.beginVersionedObject()
      json.key("files")
      json.beginArray()
      for document in documents { json.value(document.bytes) }
      json.endArray()
      json.endObject()
      json.endLine()
      try console.output.write(json.bytes)
    }
    return failures.first?.status ?? gravest.status
  }
}
