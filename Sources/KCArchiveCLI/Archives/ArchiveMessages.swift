// Errors of the library as messages and statuses of the program.

internal import ArchiveContainer
internal import KeychainArchive
internal import KeychainInterchange

extension ExitStatus {
  /// The status that stands for an archive's error.
  init(_ code: ArchiveError.Code) {
    self =
      switch code {
      case .damaged: .damaged
      case .truncated: .truncated
      case .tampered: .tampered
      case .unsupported: .unsupported
      case .wrongCredential: .wrongCredential
      case .notAnArchive: .notFound
      case .refusedByLimit: .refusedByLimit
      case .rollback: .rolledBack
      case .duplicateItem: .duplicateItem
      case .itemNotFound: .noSuchItem
      case .wouldOverwrite: .wouldOverwrite
      case .invalidItem: .damaged
      case .locked: .locked
      default: .failed
      }
  }

  /// How grave a finding is beside others: tampered before damaged before truncated before losses.
  var gravity: Int {
    switch self {
    case .rolledBack: 5
    case .tampered: 4
    case .damaged: 3
    case .truncated: 2
    case .doneWithLosses: 1
    default: 0
    }
  }
}

extension CommandError {
  /// What went wrong with the archive `file`.
  init(_ error: ArchiveError, file: FilePath) {
    self.init(
      ExitStatus(error.code), error.reason, hint: error.hint,
      place: Place(file: file, offset: error.offset, item: error.item))
  }

  init(_ error: ContainerError, file: FilePath) {
    self.init(ArchiveError(error), file: file)
  }

  /// A file to be packed that can't be read.
  init(_ error: FileError) {
    self = .system(FilePath(bytes: error.path), error.number, doing: error.operation + " failed")
    place.file = FilePath(bytes: error.path)
  }
}

extension CommandError {
  /// Items that can't be read from the JSON file `file`.
  init(_ error: ItemJSONError, file: FilePath) {
    self.init(
      .damaged, error.attribute.map { "\(quoted($0)): \(error.reason)" } ?? error.reason,
      place: Place(file: file, line: error.line, column: error.column))
  }
}

/// The gravest of what a run came across, and the status it ends with.
struct Gravest {
  private(set) var status = ExitStatus.done

  mutating func note(_ other: ExitStatus) {
    if other.gravity > status.gravity { status = other }
  }
}
