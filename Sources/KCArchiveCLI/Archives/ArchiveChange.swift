// Archives that a verb changes in place.

internal import ArchiveContainer
internal import KeychainArchive

/// An archive that is opened for changes: credentials first, then the lock, then the header again, for only under
/// the lock does what was read stay true.
struct LockedArchive {
  let archive: KeychainArchive
  /// All that were given.
  let credentials: [ArchiveCredential]

  init(_ path: FilePath, _ arguments: ParsedArguments) throws(CommandError) {
    guard !path.isStandardStream else {
      throw .usage("an archive is changed in place, which a pipe can't be")
    }
    credentials = try ArchiveInput(path, arguments, spools: false).credentials(.opening)
    let device: FileDevice
    do {
      device = try FileDevice.locked(path.bytes, waits: arguments.has(.wait))
    } catch {
      throw CommandError(ArchiveError(error), file: path)
    }
    archive = try ArchiveInput(path, device, arguments).openQuietly(credentials)
  }
}

/// An archive under its write lock, and the changes of one run.
struct ArchiveChange: ~Copyable {
  let path: FilePath
  let editor: ArchiveEditor
  private let console: Console

  init(
    _ arguments: ParsedArguments, _ console: Console, compresses: Bool = true
  ) throws(CommandError) {
    let path = arguments.operands[0]
    let archive = try LockedArchive(path, arguments).archive
    do {
      editor = try ArchiveEditor(archive, compresses: compresses)
    } catch {
      throw CommandError(error, file: path)
    }
    self.path = path
    self.console = console
    for repair in editor.repairs { console.note("\(escaped(path.bytes)): \(repair)") }
  }

  /// Commits.
  ///
  /// - Returns: the number of the commit.
  func commit() throws(CommandError) -> UInt64 {
    do {
      return try editor.commit()
    } catch {
      throw CommandError(error, file: path)
    }
  }
}
