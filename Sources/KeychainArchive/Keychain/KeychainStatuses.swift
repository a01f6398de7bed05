// Which of Apple's status codes an archive's error is.

internal import ArchiveContainer
internal import Glibc
internal import KeychainModel

extension KeychainError {
  /// What went wrong while an item was read or written.
  init(_ error: ArchiveError) {
    let status: KeychainStatus =
      switch error.code {
      case .damaged, .tampered, .truncated: .decode
      case .duplicateItem: .duplicateItem
      case .itemNotFound: .itemNotFound
      case .invalidItem, .refusedByLimit: .parameter
      default: KeychainError(opening: error).status
      }
    self.init(status, error.reason)
  }

  /// As above, of the container or of this module: nothing else is thrown where items are read.
  init(reading error: any Error) {
    switch error {
    case let error as ContainerError: self.init(ArchiveError(error))
    case let error as ArchiveError: self.init(error)
    default: preconditionFailure("only the two errors above are thrown where items are read")
    }
  }

  /// What keeps an archive from being opened.
  init(opening error: ArchiveError) {
    let status: KeychainStatus =
      switch error.code {
      case .wrongCredential: .authenticationFailed
      case .ioFailed, .sourceFailed: .inputOutput
      case .locked: .notAvailable
      case .invalidItem: .parameter
      default: .invalidKeychain
      }
    self.init(status, error.reason)
  }

  /// A system call that failed.
  init(_ error: DeviceError) {
    let status: KeychainStatus =
      switch error.number {
      case ENOENT: .noSuchKeychain
      case EACCES, EPERM, EROFS: .readOnly
      case ENOSPC, EDQUOT: .diskFull
      default: .inputOutput
      }
    self.init(status, ArchiveError(error).reason)
  }
}
