// Reads items from what the operands of `pack` and `put` name: JSON, property lists, files and folders.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

/// What takes the items of a run: an archive that is written, or one that is changed.
protocol ItemTarget: ~Copyable {
  /// The archive, for messages.
  var path: FilePath { get }
  /// The file that is written under another name; in folders it is left out without a word.
  var ownFile: FileTreeReader.Identity? { get }
  /// The archive as it stands in a folder, which is left out and told.
  var replacedFile: FileTreeReader.Identity? { get }
  var origins: Origins { get set }

  /// Takes an item with a value that is at hand; nil for none.
  mutating func append(
    _ item: KeychainItem, value: RawSpan?, origin: UInt32
  ) throws(ArchiveError)

  /// Takes an item whose value is read from `source`.
  mutating func append(
    _ item: KeychainItem, source: any ValueSource, origin: UInt32
  ) throws(ArchiveError)
}

/// An operand that items are read from.
struct ItemInput {
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

extension ItemInput {
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

extension [ItemInput] {
  /// Nil where it is not known of one of them.
  var totalByteCount: UInt64? {
    reduce(UInt64?(0)) { sum, input in
      sum.flatMap { sum in input.byteCount.map { sum + $0 } }
    }
  }
}

/// Reads the items of inputs, one at a time, and counts them.
struct ItemReading: ~Copyable {
  private let console: Console
  private let progress: Progress
  private let selection: CarriedItems
  private(set) var itemCount: UInt64 = 0
  private(set) var fileCount: UInt64 = 0
  private(set) var valueByteCount: UInt64 = 0
  private(set) var lossCount: UInt64 = 0
  /// Items that the selection does not include.
  private(set) var leftOutCount: UInt64 = 0
  private var value = SecretBytes(count: 0, capacity: 4096)

  init(_ console: Console, _ progress: Progress, selecting selection: CarriedItems = .all) {
    self.console = console
    self.progress = progress
    self.selection = selection
  }

  mutating func run(
    _ inputs: [ItemInput], into target: inout some ItemTarget & ~Copyable
  ) throws(CommandError) {
    for input in inputs {
      switch input.kind {
      case .items(let layout): try readItems(input.path, layout, &target)
      case .list(let list): try readList(input.path, list, &target)
      case .files: try readFiles(input.path, &target)
      }
    }
  }

  private mutating func isSelected(_ item: KeychainItem) -> Bool {
    guard !selection.includes(item) else { return true }
    leftOutCount += 1
    return false
  }

  // MARK: Items

  private mutating func readItems(
    _ path: FilePath, _ layout: JSONSplitter.Layout, _ target: inout some ItemTarget & ~Copyable
  ) throws(CommandError) {
    let device: FileDevice
    if path.isStandardStream {
      device = FileDevice(descriptor: STDIN_FILENO, isOwned: false, isStream: true)
    } else {
      let descriptor = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw .system(path, errno) }
      device = FileDevice(descriptor: descriptor)
    }
    target.origins.begin(path, countsLines: layout == .lines)
    var stream = ItemJSONStream(device, layout: layout)
    var read: UInt64 = 0
    while let element = try next(&stream, path) {
      guard isSelected(element.item) else { continue }
      let origin = target.origins.next(line: element.place.line)
      try append(element, path, origin, &target)
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
    _ target: inout some ItemTarget & ~Copyable
  ) throws(CommandError) {
    do throws(ArchiveError) {
      switch element.value {
      case .absent: try target.append(element.item, value: nil, origin: origin)
      case .inMemory:
        try target.append(element.item, value: value.bytes, origin: origin)
        valueByteCount += UInt64(value.count)
      case .file(let name):
        let source = try Self.source(name, below: path)
        try target.append(element.item, source: source, origin: origin)
        valueByteCount += source.byteCount ?? 0
      }
    } catch {
      var problem = Self.failure(error, target)
      if error.code != .ioFailed, error.origins.isEmpty {
        problem.place = CommandError.Place(
          file: path, line: element.place.line, column: element.place.column,
          item: element.item.displayName)
      }
      throw problem
    }
    if element.item.itemClass == .file { fileCount += 1 } else { itemCount += 1 }
  }

  private mutating func readList(
    _ path: FilePath, _ list: ItemListReader, _ target: inout some ItemTarget & ~Copyable
  ) throws(CommandError) {
    target.origins.begin(path, countsLines: false)
    var list = list
    while true {
      let element: ItemListElement?
      do {
        element = try list.next()
      } catch {
        throw CommandError(error, file: path)
      }
      guard let element else { return }
      guard isSelected(element.item) else { continue }
      let origin = target.origins.next(line: 0)
      do throws(ArchiveError) {
        if let value = element.value {
          try target.append(element.item, value: value.bytes, origin: origin)
          valueByteCount += UInt64(value.count)
        } else {
          try target.append(element.item, value: nil, origin: origin)
        }
      } catch {
        throw Self.failure(error, target)
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

  private mutating func readFiles(
    _ path: FilePath, _ target: inout some ItemTarget & ~Copyable
  ) throws(CommandError) {
    var tree = FileTreeReader(
      path.bytes,
      writing: target.ownFile, replacing: target.replacedFile)
    target.origins.begin(path, countsLines: false)
    while true {
      let entry: FileEntry?
      do {
        entry = try tree.next()
      } catch {
        throw CommandError(error)
      }
      guard let entry else { return }
      switch entry {
      case .item(let item):
        guard isSelected(item) else { continue }
        let origin = target.origins.next(line: 0)
        do {
          try target.append(item, value: nil, origin: origin)
        } catch {
          throw Self.failure(error, target)
        }
        fileCount += 1
        progress.advance(items: 1)
      case .file(let item, let source):
        guard isSelected(item) else { continue }
        let origin = target.origins.next(line: 0)
        let counting = CountingSource(source, progress)
        do {
          try target.append(item, source: counting, origin: origin)
        } catch {
          throw Self.failure(error, target)
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
      console.note("\(quoted(path)) is left out: it is the archive")
      return
    }
    lossCount += 1
    console.warning(
      CommandError(
        .doneWithLosses, "not packed: it is \(skipped.reason)",
        place: CommandError.Place(file: path)))
  }

  // MARK: Errors

  /// What went wrong with an item, by its inputs where it is there twice.
  private static func failure(
    _ error: ArchiveError, _ target: borrowing some ItemTarget & ~Copyable
  ) -> CommandError {
    error.origins.count > 1
      ? target.origins.duplicate(error) : CommandError(error, file: target.path)
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
