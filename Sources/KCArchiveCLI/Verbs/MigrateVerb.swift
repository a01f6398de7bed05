// `kcarchive migrate`: secrets out of property lists into a new archive. Everything that will be done is known, and
// shown, before the first byte is written.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

extension Verb {
  static let migrate = Verb(.migrate) { arguments, console throws(CommandError) in
    let output = arguments.path(.output) ?? "-"
    let isDryRun = arguments.has(.dryRun)
    if !isDryRun, output.isStandardStream { try console.output.refuseBinary("an archive") }
    let options = try WriteOptions(arguments)
    for key in [OptionKey.output, .redact] {
      try arguments.refuseOutput(among: arguments.operands, key)
    }
    let rules = try arguments.path(.rules).map { path throws(CommandError) in
      try MigrationRules(file: path)
    }
    var migration = Migration(arguments, console, rules ?? MigrationRules())
    try migration.read(arguments.operands)
    try migration.plan()
    // With the archive on standard output, the report goes where messages do.
    let isReportAside = !isDryRun && output.isStandardStream
    if !arguments.wantsJSON { try migration.report.write(console, aside: isReportAside) }
    if arguments.has(.strict), let problem = migration.strictProblem { throw problem }
    guard !isDryRun, migration.report.takenCount > 0 else {
      return try migration.endWithoutArchive()
    }
    try migration.write(to: output, options)
    return try migration.end()
  }
}

extension MigrationRules {
  /// The rules of a property list or a JSON file.
  fileprivate init(file path: FilePath) throws(CommandError) {
    let bytes = try path.content()
    let value: PropertyListValue
    if PropertyListDocument.format(of: bytes) != nil {
      do {
        value = try PropertyListDocument(bytes).value()
      } catch {
        throw CommandError(error, file: path)
      }
    } else {
      do {
        value = try PropertyListValue(json: bytes)
      } catch {
        throw CommandError(error, file: path)
      }
    }
    do {
      try self.init(value)
    } catch {
      throw CommandError(error, file: path)
    }
  }
}

extension FilePath {
  /// All bytes of the file.
  func content() throws(CommandError) -> [UInt8] {
    do {
      return try SourceListFinder.content(of: bytes)
    } catch {
      throw CommandError(error)
    }
  }
}

/// One run of `migrate`.
private struct Migration {
  private let arguments: ParsedArguments
  private let console: Console
  private let rules: MigrationRules
  private var lists: [SourceList] = []
  /// Whether it was one list that was named.
  private var isSingle = false
  private(set) var report = MigrationReport()

  init(_ arguments: ParsedArguments, _ console: Console, _ rules: MigrationRules) {
    self.arguments = arguments
    self.console = console
    self.rules = rules
  }

  // MARK: Reading

  mutating func read(_ operands: [FilePath]) throws(CommandError) {
    var options = PropertyListDocument.Options()
    options.isStrict = arguments.has(.strict)
    for operand in operands {
      let found: (found: [FoundList], isFolder: Bool)
      do {
        found = try SourceListFinder.lists(of: operand.bytes, options: options)
      } catch {
        throw CommandError(error)
      }
      isSingle = operands.count == 1 && !found.isFolder
      for entry in found.found {
        switch entry {
        case .list(let list): lists.append(list)
        case .unreadable(let file, let error):
          let problem = CommandError(error, file: FilePath(bytes: file))
          // A folder's other lists are migrated all the same.
          guard found.isFolder, !arguments.has(.strict) else { throw problem }
          report.lose(FilePath(bytes: file), nil, problem.message)
        case .skipped(let skipped):
          report.lose(FilePath(bytes: skipped.path), nil, "it is \(skipped.reason)")
        }
      }
    }
    try tellPathsApart()
  }

  /// Restoring needs a path for each list: where files of several operands have the same name, the path is what
  /// was given.
  private mutating func tellPathsApart() throws(CommandError) {
    guard Set(lists.map(\.path)).count < lists.count else { return }
    lists = lists.map { list in
      SourceList(
        file: list.file, path: PathName(archiving: list.file)?.bytes ?? list.path,
        document: list.document, signedMessage: list.signedMessage, fileItem: list.fileItem)
    }
    var files: [[UInt8]: FilePath] = [:]
    for list in lists {
      let file = FilePath(bytes: list.file)
      if let other = files.updateValue(file, forKey: list.path) {
        throw .usage("\(quoted(other)) and \(quoted(file)) are one list, or have one name")
      }
    }
  }

  // MARK: Planning

  mutating func plan() throws(CommandError) {
    lists.sort { $0.path.lexicographicallyPrecedes($1.path) }
    let groups = ListGroups.groups(of: lists)
    for (list, group) in zip(lists, groups) {
      let file = FilePath(bytes: list.file)
      do {
        let plan = try MigrationPlan(list, rules: rules, takingEverything: arguments.has(.all))
        report.plans.append(PlannedList(plan: plan, group: group))
        for key in plan.keys where key.isTaken {
          if let loss = try plan.item(for: key, group: group).loss {
            report.lose(file, key.path.text, loss)
          }
        }
      } catch {
        let problem = CommandError(error, file: file)
        guard !isSingle, !arguments.has(.strict) else { throw problem }
        report.lose(file, nil, problem.message)
      }
      if let first = list.document.irregularities.first {
        let count = counted(
          UInt64(list.document.irregularityCount), "irregularity", plural: "irregularities")
        console.note(
          "\(quoted(file)) has \(count) that Apple's parsers let pass; the first: \(first.reason)")
      }
    }
  }

  /// Why a strict run ends before it writes.
  var strictProblem: CommandError? {
    guard !report.losses.isEmpty else { return nil }
    return CommandError(
      .doneWithLosses,
      "\(counted(UInt64(report.losses.count), "loss", plural: "losses")), and the run is strict",
      hint: "nothing was written")
  }

  func endWithoutArchive() throws(CommandError) -> ExitStatus {
    if report.takenCount == 0 {
      console.note("no key is taken, so no archive is made; --all takes all, --rules chooses")
    }
    if arguments.wantsJSON { try console.output.write(report.json) }
    return report.status
  }

  // MARK: Writing

  mutating func write(to output: FilePath, _ options: WriteOptions) throws(CommandError) {
    // What is in the way is said before anybody is asked for a passphrase.
    let target = try NewOutput(output, replacing: arguments.has(.force), console)
    let copies = try redactedCopies()
    let folder = try copies.map { copies throws(CommandError) in
      try RedactedFolder(copies, isSingle: isSingle, arguments, console)
    }
    let credentials = try CredentialSources(arguments).read(.creating).forArchives()
    let progress = console.showProgress("migrating", ProgressMode(arguments))
    var archive = try NewArchive(target, credentials, options)
    for planned in report.plans {
      archive.origins.begin(FilePath(bytes: planned.plan.list.file), countsLines: false)
      try planned.forEachItem { item, value throws(CommandError) in
        let origin = archive.origins.next(line: 0)
        do throws(ArchiveError) {
          try archive.append(item, value: value.bytes, origin: origin)
        } catch {
          throw CommandError(error, file: output)
        }
        progress.advance(bytes: UInt64(value.count), items: 1)
      }
    }
    let plans = report.plans
    let isFile = target.isFile
    let summary = try archive.finish(depth: isFile ? .everything : nil) {
      archive throws(CommandError) in try compare(archive, plans, output)
    }
    progress.finish()
    report.archive = MigrationReport.Archive(
      file: output, byteCount: summary.byteCount, isCompared: isFile)
    if let folder { report.redacted = try folder.write() }
    try checkSources()
  }

  /// Compares each item of the archive with what the source says.
  private func compare(
    _ archive: KeychainArchive, _ plans: [PlannedList], _ output: FilePath
  ) throws(CommandError) {
    var stream = ItemStream(archive, valueLimit: .max)
    var value = SecretBytes(count: 0)
    func differs(_ reason: String, _ item: KeychainItem?) -> CommandError {
      CommandError(
        .damaged, reason, hint: "the disk or the memory may be failing; nothing was replaced",
        place: CommandError.Place(file: output, item: item?.displayName))
    }
    for planned in plans {
      try planned.forEachItem { item, expected throws(CommandError) in
        let stored: StreamedItem?
        do throws(ArchiveError) {
          stored = try stream.next(value: &value)
        } catch {
          throw CommandError(error, file: output)
        }
        guard let stored, stored.item.item == item, stored.hasValueAtHand,
          value.count == expected.count, value.bytes.equals(expected, at: 0)
        else { throw differs("what was written is not what the source has", item) }
      }
    }
    do throws(ArchiveError) {
      if try stream.next(value: &value) == nil, stream.losses.isEmpty { return }
    } catch {
      throw CommandError(error, file: output)
    }
    throw differs("more was written than the sources have, or it can't be read", nil)
  }

  /// Nothing of ours writes to a source; but somebody else may have, meanwhile.
  private mutating func checkSources() throws(CommandError) {
    for list in lists {
      let file = FilePath(bytes: list.file)
      if (try? file.content()) != list.fileBytes {
        report.lose(
          file, nil, "the file has changed since it was read; the archive has what it was")
      }
    }
  }

  private func redactedCopies() throws(CommandError) -> [RedactedCopy]? {
    guard arguments.has(.redact) else { return nil }
    var copies: [RedactedCopy] = []
    for planned in report.plans {
      do throws(PropertyListError) {
        let bytes = try planned.plan.redacted()
        copies.append(RedactedCopy(path: planned.plan.list.path, bytes: bytes))
      } catch {
        throw CommandError(error, file: FilePath(bytes: planned.plan.list.file))
      }
    }
    return copies
  }

  // MARK: The end

  func end() throws(CommandError) -> ExitStatus {
    if arguments.wantsJSON {
      try console.output.write(report.json)
    } else {
      console.summary(report.summary)
      if !arguments.has(.redact) {
        console.hint(
          report.plans.count == 1
            ? "the source still holds them in plain text; --redact FILE writes a copy without"
            : "the sources still hold them in plain text; --redact FOLDER writes copies without")
      }
    }
    return report.status
  }
}
