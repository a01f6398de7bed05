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
    let options = try WriteOptions(arguments)
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

/// An operand of `pack`.
private struct PackInput {
  enum Kind {
    case items(JSONSplitter.Layout)
    /// A property list that holds items.
    case list(ItemListReader)
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
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    kind = asFile || isDirectory ? .files : Self.kind(of: path, isRegular: isRegular)
    if case .files = kind { isRead = isRegular } else { isRead = true }
    byteCount = isRegular ? UInt64(status.st_size) : nil
  }
}

extension PackInput {
  /// What a file holds, by its name, and of lists by what they are.
  private static func kind(of path: FilePath, isRegular: Bool) -> Kind {
    if path.hasSuffix(".jsonl") { return .items(.lines) }
    if path.hasSuffix(".json") { return .items(.document) }
    guard isRegular, path.hasSuffix(".plist"),
      let bytes = try? SourceListFinder.content(of: path.bytes),
      let document = try? PropertyListDocument(bytes), let list = ItemListReader(document)
    else { return .files }
    return .list(list)
  }
}

/// One run of `pack`.
private struct Packing: ~Copyable {
  private let target: NewOutput
  private let console: Console
  private let progress: Progress
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
    var writer = try NewArchive(target, credentials, options)
    for input in inputs {
      switch input.kind {
      case .items(let layout): try packItems(input.path, layout, &writer)
      case .list(let list): try packList(input.path, list, &writer)
      case .files: try packFiles(input.path, &writer)
      }
    }
    let summary = try writer.finish(depth: depth)
    return PackReport(
      path: target.path, byteCount: summary.byteCount, itemCount: itemCount,
      fileCount: fileCount, valueByteCount: valueByteCount, depth: depth,
      commit: summary.commitNumber)
  }

  // MARK: Items

  private mutating func packItems(
    _ path: FilePath, _ layout: JSONSplitter.Layout, _ writer: inout NewArchive
  ) throws(CommandError) {
    let device: FileDevice
    if path.isStandardStream {
      device = FileDevice(descriptor: STDIN_FILENO, isOwned: false, isStream: true)
    } else {
      let descriptor = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw .system(path, errno) }
      device = FileDevice(descriptor: descriptor)
    }
    writer.origins.begin(path, countsLines: layout == .lines)
    var stream = ItemJSONStream(device, layout: layout)
    var read: UInt64 = 0
    while let element = try next(&stream, path) {
      let origin = writer.origins.next(line: element.place.line)
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
    _ writer: inout NewArchive
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

  private mutating func packList(
    _ path: FilePath, _ list: ItemListReader, _ writer: inout NewArchive
  ) throws(CommandError) {
    writer.origins.begin(path, countsLines: false)
    var list = list
    while true {
      let element: ItemListElement?
      do {
        element = try list.next()
      } catch {
        throw CommandError(error, file: path)
      }
      guard let element else { return }
      let origin = writer.origins.next(line: 0)
      do throws(ArchiveError) {
        if let value = element.value {
          try writer.append(element.item, value: value.bytes, origin: origin)
          valueByteCount += UInt64(value.count)
        } else {
          try writer.append(element.item, value: nil, origin: origin)
        }
      } catch {
        throw failure(error)
      }
      if element.item.itemClass == .file { fileCount += 1 } else { itemCount += 1 }
      progress.advance(bytes: UInt64(element.value?.count ?? 0), items: 1)
    }
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
    _ path: FilePath, _ writer: inout NewArchive
  ) throws(CommandError) {
    var tree = FileTreeReader(
      path.bytes,
      writing: FileTreeReader.Identity(descriptor: target.device.descriptor),
      replacing: target.path.isStandardStream
        ? nil : FileTreeReader.Identity(path: target.path.bytes))
    writer.origins.begin(path, countsLines: false)
    while true {
      let entry: FileEntry?
      do {
        entry = try tree.next()
      } catch {
        throw CommandError(error)
      }
      guard let entry else { return }
      let origin = writer.origins.next(line: 0)
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
