// `kcarchive pack`: items and files into a new archive.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

extension Verb {
  static let pack = Verb(.pack) { arguments, console throws(CommandError) in
    let output = arguments.path(.output) ?? "-"
    if output.isStandardStream { try console.output.refuseBinary("an archive") }
    var options = WriteOptions()
    options.cost = try KDFRequest(arguments).cost()
    options.label = arguments.text(.label) ?? ""
    options.compresses = !arguments.has(.noCompress)

    let inputs = try arguments.operands.map { path throws(CommandError) in
      try PackInput(path, asFile: arguments.has(.asFile))
    }
    try arguments.refuseOutput(among: inputs.filter(\.isRead).map(\.path))
    // Made before anybody is asked for a passphrase: what is in the way is said at once.
    let target = try NewOutput(output, replacing: arguments.has(.force), console)
    let total = inputs.reduce(UInt64?(0)) { sum, input in
      sum.flatMap { sum in input.byteCount.map { sum + $0 } }
    }
    try target.reserve(total ?? 0)
    let credentials = try CredentialSources(arguments).read(.creating).forArchives()
    let progress = console.showProgress(
      "packing", ProgressMode(arguments), totalByteCount: total)
    var packing = Packing(target, console, progress)
    let report = try packing.run(
      inputs, credentials, options, depth: ReadBack.Depth(arguments, isFile: target.isFile))
    progress.finish()
    if arguments.wantsJSON {
      try console.output.write(report.json)
    } else {
      console.summary(report.line)
    }
    return packing.lossCount > 0 ? .doneWithLosses : .done
  }
}

extension KDFRequest {
  /// The cost of new passphrase slots. Numbers that make no slot are refused here, before any work.
  fileprivate func cost() throws(CommandError) -> KDFCost {
    func number(_ value: UInt64, _ option: OptionKey) throws(CommandError) -> UInt32 {
      guard let number = UInt32(exactly: value) else {
        throw CommandError(.refusedByLimit, "'\(option.rawValue)' is too large: \(value)")
      }
      return number
    }
    let cost: KDFCost
    switch algorithm {
    case .argon2id:
      cost = .argon2id(
        memory: try number((memoryByteCount ?? 256 << 20) >> 10, .kdfMemory),
        passes: try number(time ?? 3, .kdfTime),
        lanes: try number(parallelism ?? 4, .kdfParallelism))
    case .scrypt:
      // r is 8, as everywhere; N follows from the memory, 128·r·N.
      let n = (memoryByteCount ?? 128 << 20) >> 10
      guard n > 0, n & (n - 1) == 0 else {
        throw .usage(
          "'--kdf-memory' for scrypt is a power of two, in KiB or more",
          hint: "for example '--kdf-memory 128MiB'")
      }
      cost = .scrypt(
        logN: UInt32(n.trailingZeroBitCount), r: 8, p: try number(time ?? 1, .kdfTime))
    case .pbkdf2:
      cost = .pbkdf2(iterations: try number(time ?? 600_000, .kdfTime))
    }
    if let violation = cost.boundViolation ?? cost.floorViolation {
      throw CommandError(
        .refusedByLimit, "the key derivation asked for is out of bounds: \(violation)",
        hint: "change '--kdf-memory', '--kdf-time' or '--kdf-parallelism'")
    }
    return cost
  }
}

extension ReadBack.Depth {
  /// How much is read back; nil for nothing.
  fileprivate init?(_ arguments: ParsedArguments, isFile: Bool) {
    guard isFile, !arguments.has(.noVerify) else { return nil }
    self = arguments.has(.verify) ? .everything : .standard
  }
}

/// An operand of `pack`.
private struct PackInput {
  enum Kind {
    case items(JSONSplitter.Layout)
    case files
  }

  let path: FilePath
  let kind: Kind
  /// Whether what stands at the path is read itself. A directory is searched, a link kept as one.
  let isRead: Bool
  /// Nil where it is not known: pipes and directories.
  let byteCount: UInt64?

  /// - Throws: `notFound` where nothing is there.
  init(_ path: FilePath, asFile: Bool) throws(CommandError) {
    self.path = path
    if path.isStandardStream {
      kind = .items(.lines)
      isRead = true
      byteCount = nil
      return
    }
    var status = stat()
    guard unsafe path.withCString({ unsafe lstat($0, &status) }) == 0 else {
      throw .system(path, errno)
    }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    let isJSON = !asFile && !isDirectory
    kind =
      isJSON && path.hasSuffix(".jsonl")
      ? .items(.lines) : isJSON && path.hasSuffix(".json") ? .items(.document) : .files
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    if case .items = kind { isRead = true } else { isRead = isRegular }
    byteCount = isRegular ? UInt64(status.st_size) : nil
  }
}

/// One run of `pack`.
private struct Packing: ~Copyable {
  private let target: NewOutput
  private let console: Console
  private let progress: Progress
  private var origins = Origins()
  private var itemCount: UInt64 = 0
  private var fileCount: UInt64 = 0
  private var valueByteCount: UInt64 = 0
  private(set) var lossCount: UInt64 = 0
  private var value = SecretBytes(count: 0, capacity: 4096)

  init(_ target: NewOutput, _ console: Console, _ progress: Progress) {
    self.target = target
    self.console = console
    self.progress = progress
  }

  mutating func run(
    _ inputs: [PackInput], _ credentials: [ArchiveCredential], _ options: WriteOptions,
    depth: ReadBack.Depth?
  ) throws(CommandError) -> PackReport {
    var writer = try archiveError { () throws(ArchiveError) in
      try ArchiveWriter(to: target.device, credentials: credentials, options: options)
    }
    for input in inputs {
      switch input.kind {
      case .items(let layout): try packItems(input.path, layout, &writer)
      case .files: try packFiles(input.path, &writer)
      }
    }
    let readBack = writer.readBack
    let summary: WriteSummary
    do {
      summary = try writer.finish()
    } catch  where error.code == .duplicateItem {
      throw duplicate(error)
    } catch {
      throw failure(error)
    }
    try target.sync()
    if let depth {
      try archiveError { () throws(ArchiveError) in try readBack.run(summary, depth: depth) }
    }
    try target.publish()
    return PackReport(
      path: target.path, byteCount: summary.byteCount, itemCount: itemCount,
      fileCount: fileCount, valueByteCount: valueByteCount, depth: depth,
      commit: summary.commitNumber)
  }

  // MARK: Items

  private mutating func packItems(
    _ path: FilePath, _ layout: JSONSplitter.Layout, _ writer: inout ArchiveWriter
  ) throws(CommandError) {
    let device: FileDevice
    if path.isStandardStream {
      device = FileDevice(descriptor: STDIN_FILENO, isOwned: false, isStream: true)
    } else {
      let descriptor = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw .system(path, errno) }
      device = FileDevice(descriptor: descriptor)
    }
    origins.begin(path, countsLines: layout == .lines)
    var stream = ItemJSONStream(device, layout: layout)
    var read: UInt64 = 0
    while let element = try next(&stream, path) {
      let origin = origins.next(line: element.place.line)
      try append(element, path, origin, &writer)
      progress.advance(bytes: stream.byteCount - read, items: 1)
      read = stream.byteCount
    }
  }

  private mutating func next(
    _ stream: inout ItemJSONStream, _ path: FilePath
  ) throws(CommandError) -> ItemJSONElement? {
    do {
      return try stream.next(value: &value)
    } catch {
      switch error {
      case .malformed(let error): throw CommandError(error, file: path)
      case .device(let error):
        throw .system(path, error.number, doing: error.operation + " failed")
      }
    }
  }

  private mutating func append(
    _ element: ItemJSONElement, _ path: FilePath, _ origin: UInt32,
    _ writer: inout ArchiveWriter
  ) throws(CommandError) {
    do throws(ArchiveError) {
      switch element.value {
      case .absent: try writer.append(element.item, value: nil, origin: origin)
      case .inMemory:
        try writer.append(element.item, value: value.bytes, origin: origin)
        valueByteCount += UInt64(value.count)
      case .file(let name):
        let source = try Self.source(name, below: path)
        try writer.append(element.item, source: source, origin: origin)
        valueByteCount += source.byteCount ?? 0
      }
    } catch {
      var problem = failure(error)
      if error.code != .ioFailed {
        problem.place = CommandError.Place(
          file: path, line: element.place.line, column: element.place.column,
          item: element.item.displayName)
      }
      throw problem
    }
    if element.item.itemClass == .file { fileCount += 1 } else { itemCount += 1 }
  }

  /// The file that an item names as its value, below the folder of the JSON.
  private static func source(
    _ name: String, below path: FilePath
  ) throws(ArchiveError) -> FileSource {
    let slash = path.bytes.lastIndex(of: UInt8(ascii: "/"))
    let folder =
      path.isStandardStream
      ? Array(".".utf8) : slash.map { Array(path.bytes[...$0]) } ?? Array(".".utf8)
    do {
      return try FileSource(below: folder, Array(name.utf8))
    } catch {
      throw ArchiveError(
        .sourceFailed,
        "the value's file \(quoted(name)): \(error.operation) failed: \(systemReason(error.number))"
      )
    }
  }

  // MARK: Files

  private mutating func packFiles(
    _ path: FilePath, _ writer: inout ArchiveWriter
  ) throws(CommandError) {
    var tree = FileTreeReader(
      path.bytes,
      writing: FileTreeReader.Identity(descriptor: target.device.descriptor),
      replacing: target.path.isStandardStream
        ? nil : FileTreeReader.Identity(path: target.path.bytes))
    origins.begin(path, countsLines: false)
    while true {
      let entry: FileEntry?
      do {
        entry = try tree.next()
      } catch {
        throw CommandError(error)
      }
      guard let entry else { return }
      let origin = origins.next(line: 0)
      switch entry {
      case .item(let item):
        try archiveError { () throws(ArchiveError) in
          try writer.append(item, value: nil, origin: origin)
        }
        fileCount += 1
        progress.advance(items: 1)
      case .file(let item, let source):
        let counting = CountingSource(source, progress)
        try archiveError { () throws(ArchiveError) in
          try writer.append(item, source: counting, origin: origin)
        }
        fileCount += 1
        valueByteCount += counting.byteCountSoFar
        progress.advance(items: 1)
      case .skipped(let skipped): skip(skipped)
      }
    }
  }

  private mutating func skip(_ skipped: SkippedFile) {
    let path = FilePath(bytes: skipped.path)
    guard skipped.isLoss else {
      console.note("\(quoted(path)) is left out: the archive takes its place")
      return
    }
    lossCount += 1
    console.warning(
      CommandError(
        .doneWithLosses, "not packed: it is \(skipped.reason)",
        place: CommandError.Place(file: path)))
  }

  // MARK: Errors

  private func archiveError<R: ~Copyable>(
    _ body: () throws(ArchiveError) -> R
  ) throws(CommandError) -> R {
    do {
      return try body()
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: ArchiveError) -> CommandError {
    CommandError(error, file: target.path)
  }

  /// Both places of an item that is there twice.
  private func duplicate(_ error: ArchiveError) -> CommandError {
    let places = error.origins.map { origins.name(of: $0) }
    return CommandError(
      .duplicateItem,
      "the same item twice: " + places.joined(separator: " and ")
        + " have one primary key",
      hint: "nothing was written",
      place: CommandError.Place(item: error.item))
  }
}

/// What items were read from, by the numbers that the writer keeps of them.
private struct Origins {
  private struct Input {
    let path: FilePath
    let countsLines: Bool
    let first: UInt32
  }

  private var inputs: [Input] = []
  private var last: UInt32 = 0

  mutating func begin(_ path: FilePath, countsLines: Bool) {
    inputs.append(Input(path: path, countsLines: countsLines, first: last))
  }

  /// The number of the next item. Beyond four billion they are all the same: only the message about a
  /// duplicate would tell them apart.
  mutating func next(line: Int) -> UInt32 {
    guard let input = inputs.last else { return 0 }
    let number =
      input.countsLines
      ? UInt32(clamping: Int(input.first) + line) : last == .max ? last : last + 1
    last = max(last, number)
    return number
  }

  /// `items.jsonl, line 3`, `certs, file 2`.
  func name(of origin: UInt32) -> String {
    guard let input = inputs.last(where: { $0.first < origin }) else { return "an item" }
    let number = grouped(UInt64(origin - input.first))
    return "\(quoted(input.path)), \(input.countsLines ? "line" : "item") \(number)"
  }
}

/// Tells the progress display what was read of a file.
private final class CountingSource: ValueSource {
  private let source: FileSource
  private let progress: Progress
  private(set) var byteCountSoFar: UInt64 = 0

  init(_ source: FileSource, _ progress: Progress) {
    self.source = source
    self.progress = progress
  }

  var byteCount: UInt64? { source.byteCount }

  func read(into target: inout MutableRawSpan) throws(ContainerError) -> Int {
    let count = try source.read(into: &target)
    byteCountSoFar += UInt64(count)
    // One worker at a time reads, so one at a time draws.
    progress.advance(bytes: UInt64(count))
    return count
  }
}

/// What was packed.
private struct PackReport {
  let path: FilePath
  let byteCount: UInt64
  let itemCount: UInt64
  let fileCount: UInt64
  let valueByteCount: UInt64
  let depth: ReadBack.Depth?
  let commit: UInt64

  /// `packed 1,204 items and 37 files, 48.2 MiB, into backup.kcarchive (49.0 MiB); read back and sound`
  var line: String {
    var parts: [String] = []
    if itemCount > 0 || fileCount == 0 { parts.append(counted(itemCount, "item")) }
    if fileCount > 0 { parts.append(counted(fileCount, "file")) }
    let place = path.isStandardStream ? "standard output" : escaped(path.bytes)
    let sound = depth == nil ? "" : "; read back and sound"
    return "packed \(parts.joined(separator: " and ")), \(sizeText(valueByteCount)), into \(place)"
      + " (\(sizeText(byteCount)))\(sound)"
  }

  var json: [UInt8] {
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key("pack")
    json.beginObject()
    json.file("file", path)
    for (name, number) in [
      ("bytes", byteCount), ("items", itemCount), ("files", fileCount),
      ("valueBytes", valueByteCount), ("commit", commit),
    ] {
      json.key(name)
      json.integer(number)
    }
    json.key("readBack")
    json.string(depth.map { $0 == .everything ? "all" : "sampled" } ?? "none")
    json.endObject()
    json.endObject()
    json.endLine()
    return json.bytes
  }
}
