// The file behind a keychain: the newest commit for reading, and one commit for each change. Other threads and
// other processes may change it at any time.

internal import ArchiveContainer
internal import ByteCoding
internal import KeychainModel
internal import Synchronization

/// An archive by its path. Readers see the newest commit at the time of the call; writers wait for each other.
final class KeychainFile: Sendable {
  private let newest: Mutex<OpenKeychain>
  private let place: Place
  /// Writers of this process wait here, those of other processes at the file's lock.
  private let writing = Mutex<Void>(())

  /// What the archive is opened with, again and again.
  struct Place: Sendable {
    let path: String
    let credentials: [ArchiveCredential]
  }

  /// Opens the archive at a place.
  init(_ place: Place) throws(KeychainError) {
    self.place = place
    newest = Mutex(try OpenKeychain.open(place, knownAs: nil, on: nil))
  }

  /// Calls `body` with the newest commit.
  ///
  /// What it read may have been overwritten meanwhile, by the shredding of an item that a newer commit
  /// deleted: then it is called once more.
  func read<Result: Sendable>(
    _ body: (inout OpenKeychain) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try newest.withLock { keychain throws(KeychainError) -> Result in
      try keychain.refresh(place)
      do throws(KeychainError) {
        return try body(&keychain)
      } catch  where error.status == .decode {
        guard try keychain.refresh(place) else { throw error }
        return try body(&keychain)
      }
    }
  }

  /// Calls `body` with the newest commit under the write lock, and commits what it changes.
  func change(
    _ body: (inout OpenKeychain, ArchiveChanges) throws(KeychainError) -> Void
  ) throws(KeychainError) {
    try writing.withLock { _ throws(KeychainError) in
      let device: FileDevice
      do throws(DeviceError) {
        device = try FileDevice.locked(Array(place.path.utf8), waits: true)
      } catch {
        throw KeychainError(error)
      }
      let known = newest.withLock { $0.archive }
      var keychain = try OpenKeychain.open(place, knownAs: known, on: device)
      let changes = ArchiveChanges(keychain.archive)
      try body(&keychain, changes)
      try changes.commit()
      // Still under the lock, so that this thread reads what it wrote.
      _ = try newest.withLock { newest throws(KeychainError) in try newest.refresh(place) }
    }
  }
}

/// The changes of one call. The editor is made at the first of them: a call that changes nothing writes nothing.
final class ArchiveChanges {
  private let archive: KeychainArchive
  private var editor: ArchiveEditor?

  fileprivate init(_ archive: KeychainArchive) {
    self.archive = archive
  }

  func begin() throws(KeychainError) -> ArchiveEditor {
    if let editor { return editor }
    do {
      let new = try ArchiveEditor(archive)
      editor = new
      return new
    } catch {
      throw KeychainError(error)
    }
  }

  fileprivate func commit() throws(KeychainError) {
    do {
      _ = try editor?.commit()
    } catch {
      throw KeychainError(error)
    }
  }
}
