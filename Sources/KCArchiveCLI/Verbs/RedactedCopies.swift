// The copies that `migrate --redact` writes: one file, or a folder of them.

internal import ArchiveContainer
internal import ByteCoding
internal import KeychainInterchange
internal import KeychainModel

/// A list without what was moved.
struct RedactedCopy {
  /// Relative to the folder.
  let path: [UInt8]
  let bytes: [UInt8]
}

/// Where the copies go. Made before the archive is written, so that what is in the way is said at once.
struct RedactedFolder {
  private enum Target {
    case file(NewOutput)
    case folder(FileTreeWriter)
  }

  private let copies: [RedactedCopy]
  private let path: FilePath
  private let target: Target

  init(
    _ copies: [RedactedCopy], isSingle: Bool, _ arguments: ParsedArguments, _ console: Console
  ) throws(CommandError) {
    self.copies = copies
    path = arguments.path(.redact) ?? ""
    guard !isSingle else {
      target = .file(try NewOutput(path, replacing: arguments.has(.force), console))
      return
    }
    let writer = try FileTreeWriter(folder: path, replacing: arguments.has(.force))
    for copy in copies {
      do {
        try writer.check(Self.item(copy))
      } catch {
        throw CommandError(error, path, copy.path)
      }
    }
    target = .folder(writer)
  }

  private static func item(_ copy: RedactedCopy) -> KeychainItem {
    .restoredFile(path: copy.path)
  }

  /// Writes them. Returns their files.
  func write() throws(CommandError) -> [FilePath] {
    switch target {
    case .file(let output):
      guard let copy = copies.first else { return [] }
      try OutputSink(output).put(copy.bytes.bytes)
      try output.sync()
      try output.publish()
      guard try path.content() == copy.bytes else { throw Self.differs(path) }
      return [path]
    case .folder(let writer):
      var files: [FilePath] = []
      for copy in copies {
        try writer.write(Self.item(copy), copy.bytes, below: path)
        let file = FilePath(bytes: path.bytes + [UInt8(ascii: "/")] + copy.path)
        guard try file.content() == copy.bytes else { throw Self.differs(file) }
        files.append(file)
      }
      return files
    }
  }

  private static func differs(_ file: FilePath) -> CommandError {
    CommandError(
      .damaged, "what was written reads back differently",
      hint: "the disk or the memory may be failing", place: CommandError.Place(file: file))
  }
}

extension KeychainItem {
  /// The item of a file that only its owner can read.
  static func restoredFile(path: [UInt8]) -> KeychainItem {
    let text = String(validating: path, as: UTF8.self)
    return KeychainItem(
      .file,
      attributes: [
        Attribute(.path, text.map { .text($0) } ?? .bytes(path)), Attribute(.mode, .integer(0o600)),
      ])
  }
}

extension FileTreeWriter {
  /// The writer for a folder that is an output: where it can't be made, the output fails.
  convenience init(folder: FilePath, replacing: Bool) throws(CommandError) {
    do {
      try self.init(below: folder.bytes, replacing: replacing, observer: WatchedTemporaryFile())
    } catch {
      var problem = CommandError(error)
      problem.status = .failed
      throw problem
    }
  }

  /// Writes a file that is at hand.
  func write(
    _ item: KeychainItem, _ bytes: [UInt8], below folder: FilePath
  ) throws(CommandError) {
    let refusal: RestoreRefusal?
    do throws(ContainerError) {
      refusal = try restore(item) { sink throws(ContainerError) in try sink.write(bytes.bytes) }
    } catch {
      throw CommandError(error, file: folder)
    }
    if let refusal { throw CommandError(refusal, folder, item.pathBytes) }
  }
}

extension KeychainItem {
  /// The path of a file item, as bytes.
  var pathBytes: [UInt8] {
    switch self[.path] {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    default: []
    }
  }
}

extension CommandError {
  /// What stands in the way of the file `path` below `folder`.
  init(_ refusal: RestoreRefusal, _ folder: FilePath, _ path: [UInt8]) {
    let place = Place(
      file: folder.bytes == [UInt8(ascii: ".")]
        ? FilePath(bytes: path) : FilePath(bytes: folder.bytes + [UInt8(ascii: "/")] + path))
    self =
      refusal.kind == .exists
      ? CommandError(
        .wouldOverwrite, refusal.reason, hint: "--force replaces files, but no folders",
        place: place)
      : CommandError(.failed, refusal.reason, place: place)
  }
}
