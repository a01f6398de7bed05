// `kcarchive salvage`: what still opens in a damaged archive, in a new one.

internal import ArchiveContainer
internal import ByteCoding
internal import Glibc
internal import KeychainArchive
internal import PropertyListCodec

extension Verb {
  static let salvage = Verb(.salvage) { arguments, console throws(CommandError) in
    let path = arguments.operands[0]
    try arguments.refuseOutput(among: [path])
    guard let target = arguments.path(.output), !target.isStandardStream else {
      throw .usage("the new archive is read back, and a pipe can't be")
    }
    let savedHeader = try arguments.path(.savedHeader).map { path throws(CommandError) in
      try readHeader(path)
    }
    let input = try ArchiveInput(path, arguments, spools: true, needsHeader: savedHeader == nil)
    let output = try NewOutput(target, replacing: arguments.has(.force), console)
    let credentials = try input.credentials(.opening)
    let progress = console.showProgress(
      "salvaging", ProgressMode(arguments), totalByteCount: try? input.device.byteCount())
    let written: (archive: Rewritten, notes: [SalvageNote])
    do throws(ArchiveError) {
      let salvage = try ArchiveSalvage(
        input.device, credentials: credentials, options: input.options, savedHeader: savedHeader
      ) { position in
        progress.advance(bytes: position - min(position, progress.byteCount))
      }
      written = try salvage.write(to: output.device)
    } catch {
      throw CommandError(error, file: path)
    }
    progress.finish()
    try output.sync()
    do throws(ArchiveError) {
      try written.archive.readBack.run(written.archive.summary, depth: .everything)
    } catch {
      throw CommandError(error, file: target)
    }
    try output.publish()
    try report(path, output, written.archive.summary, written.notes, console)
    return written.notes.isEmpty ? .done : .doneWithLosses
  }

  private static func report(
    _ path: FilePath, _ output: NewOutput, _ summary: WriteSummary, _ notes: [SalvageNote],
    _ console: Console
  ) throws(CommandError) {
    guard console.isJSON else {
      for note in notes {
        let place = note.offset.map { ", at byte \(grouped($0))" } ?? ""
        let item = note.item.map { " (\(escaped($0)))" } ?? ""
        try console.output.writeLine("  \(note.kind.rawValue)  \(note.reason)\(place)\(item)")
      }
      console.summary(
        "salvaged \(counted(summary.itemCount, "item")) of \(escaped(path.bytes)) into "
          + "\(escaped(output.path.bytes)); read back and sound")
      return
    }
    try console.output.write(
      JSONWriter.report("salvage") { json in
        json.file("file", output.path)
        json.key("bytes")
        json.integer(summary.byteCount)
        json.key("items")
        json.integer(summary.itemCount)
        json.key("notes")
        json.beginArray()
        for note in notes {
          json.beginObject()
          json.key("kind")
          json.string(note.kind.rawValue)
          if let item = note.item {
            json.key("item")
            json.string(item)
          }
          if let offset = note.offset {
            json.key("offset")
            json.integer(offset)
          }
          json.key("message")
          json.string(note.reason)
          json.endObject()
        }
        json.endArray()
      })
  }
}

/// Reads a header copy that was saved.
func readHeader(_ path: FilePath) throws(CommandError) -> [UInt8] {
  let descriptor = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
  guard descriptor >= 0 else { throw .system(path, errno) }
  // One byte more than the longest header, to see that there is no more.
  let limit = Format.headerSizes[Format.headerSizes.count - 1] + 1
  let device = FileDevice(descriptor: descriptor)
  var bytes = [UInt8](repeating: 0, count: limit)
  var target = bytes.mutableBytes
  do {
    let count = try device.read(into: &target, at: 0)
    return Array(bytes[..<count])
  } catch {
    throw CommandError(ArchiveError(error), file: path)
  }
}
