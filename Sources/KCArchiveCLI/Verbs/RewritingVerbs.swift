// `kcarchive compact` and `kcarchive rekey`: all live items into a new file, which takes the old one's place when it
// has been read back.

internal import ArchiveContainer
internal import Glibc
internal import KeychainArchive
internal import PropertyListCodec

extension Verb {
  static let compact = Verb(.compact) { arguments, console throws(CommandError) in
    let old = try OldArchive(arguments, console)
    let output = try old.output(arguments, console)
    let summary = try old.write(to: output) { () throws(ArchiveError) in
      arguments.has(.keepHistory)
        ? try old.archive.compactWithHistory(to: output.device)
        : try old.archive.compact(to: output.device)
    }
    try old.report("compact", output, summary, dropped: [], code: nil, console)
    return .done
  }

  static let rekey = Verb(.rekey) { arguments, console throws(CommandError) in
    var options = WriteOptions()
    options.cost = try KDFRequest(arguments).cost()
    options.label = arguments.text(.label) ?? ""
    if arguments.has(.newRecoveryCode) {
      try console.output.refuseSecret(isRevealed: arguments.has(.reveal))
    }
    let old = try OldArchive(arguments, console)
    let new = try NewCredentials(arguments, asks: false)
    // Where none is new, those that open it now open it then.
    // Each is tried once: a passphrase costs its key derivation.
    let opening =
      (new.all.isEmpty ? old.credentials : [])
      .map { (credential: $0, slots: old.slots(openedBy: $0)) }.filter { !$0.slots.isEmpty }
    let kept = opening.map(\.credential)
    let remaining = Set(opening.flatMap(\.slots))
    let dropped = old.archive.opened.header.slots.filter { !remaining.contains($0.id) }
    let output = try old.output(arguments, console)
    let summary = try old.write(to: output) { () throws(ArchiveError) in
      try old.archive.rekey(
        to: output.device, credentials: new.all + kept, options: options)
    }
    try old.report("rekey", output, summary, dropped: dropped, code: new.codeText, console)
    return .done
  }
}

/// The archive that is rewritten, under its write lock.
private struct OldArchive {
  let archive: KeychainArchive
  let credentials: [ArchiveCredential]
  private let path: FilePath
  private let byteCount: UInt64
  private let mode: UInt32

  init(_ arguments: ParsedArguments, _ console: Console) throws(CommandError) {
    path = arguments.operands[0]
    try arguments.refuseOutput(among: [path])
    let locked = try LockedArchive(path, arguments)
    credentials = locked.credentials
    byteCount = locked.archive.opened.byteCount
    do {
      // Mended as before any change: what may be somebody's doing is not carried on.
      archive = try ArchiveEditor(locked.archive).archive
    } catch {
      throw CommandError(error, file: path)
    }
    var status = stat()
    mode =
      unsafe path.withCString { unsafe stat($0, &status) } == 0 ? status.st_mode & 0o777 : 0o600
  }

  /// The slots that a credential opens.
  func slots(openedBy credential: ArchiveCredential) -> [UInt32] {
    archive.opened.slots(openedBy: credential.credential)
  }

  /// `-o`, or a file that takes the archive's place, where a link to it stays one.
  func output(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(CommandError) -> NewOutput {
    if let output = arguments.path(.output) {
      guard !output.isStandardStream else {
        throw .usage("the new archive is read back, and a pipe can't be")
      }
      return try NewOutput(output, replacing: arguments.has(.force), console)
    }
    guard let resolved = path.resolved else { throw .system(path, errno) }
    return try NewOutput(resolved, replacing: true, mode: mode, console)
  }

  /// Writes the new archive, reads it back and gives it its name.
  func write(
    to output: NewOutput, _ body: () throws(ArchiveError) -> Rewritten
  ) throws(CommandError) -> WriteSummary {
    let rewritten = try orAsItWas(body)
    try output.sync()
    try orAsItWas { () throws(ArchiveError) in
      try rewritten.readBack.run(rewritten.summary, depth: .everything)
    }
    try output.publish()
    return rewritten.summary
  }

  private func orAsItWas<R>(_ body: () throws(ArchiveError) -> R) throws(CommandError) -> R {
    do {
      return try body()
    } catch {
      var problem = CommandError(error, file: path)
      if problem.hint == nil { problem.hint = "the archive is as it was" }
      throw problem
    }
  }

  func report(
    _ verb: StaticString, _ output: NewOutput, _ summary: WriteSummary, dropped: [Slot],
    code: String?, _ console: Console
  ) throws(CommandError) {
    guard console.isJSON else {
      if let code { try console.output.writeLine(code) }
      console.summary(
        "\(verb)ed \(escaped(path.bytes)): "
          + "\(counted(summary.itemCount, "item")), \(sizeText(summary.byteCount)), "
          + "was \(sizeText(byteCount)); read back and sound")
      for slot in dropped { console.note("dropped: \(slot.line(label: nil))") }
      return
    }
    try console.output.write(
      JSONWriter.report(verb) { json in
        json.file("file", output.path)
        for (name, number) in [
          ("bytes", summary.byteCount), ("bytesBefore", byteCount), ("items", summary.itemCount),
          ("commit", summary.commitNumber),
        ] {
          json.key(name)
          json.integer(number)
        }
        json.key("dropped")
        json.beginArray()
        for slot in dropped { json.slot(slot, label: nil) }
        json.endArray()
        if let code {
          json.key("recoveryCode")
          json.string(code)
        }
      })
  }
}

extension FilePath {
  /// The file's own name, all links followed; nil where there is none, errno says why.
  fileprivate var resolved: FilePath? {
    let name = unsafe withCString { unsafe realpath($0, nil) }
    guard let name = unsafe name else { return nil }
    defer { unsafe free(name) }
    return unsafe FilePath(
      bytes: Array(UnsafeRawBufferPointer(start: name, count: strlen(name))))
  }
}
