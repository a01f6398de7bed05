// An archive that is used as a keychain: items are added, found, changed and deleted as SecItemAdd,
// SecItemCopyMatching, SecItemUpdate and SecItemDelete do it (Spec/keychain.md).

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc
public import KeychainModel
internal import Synchronization

/// A keychain in a file. May be shared between threads, and several processes may use one file: each call sees
/// what calls that have returned before it have done, whoever made them.
///
/// All functions throw `KeychainError` with Apple's status code. `errSecDecode` is thrown where an item that a
/// query may mean can't be read: nothing is added in its place, and no other status says that it is not there.
public final class Keychain: Sendable {
  private let file: KeychainFile
  /// The access groups whose items are seen, and the group of what is added.
  public let accessGroups: AccessGroups
  private let state: Mutex<LockState>

  private init(_ file: KeychainFile, _ accessGroups: AccessGroups) {
    self.file = file
    self.accessGroups = accessGroups
    state = Mutex(.unlocked)
  }

  /// Opens the archive at `path`.
  ///
  /// - Parameters:
  ///   - credentials: all are tried, those that cost least first. They are kept: another process may give the
  ///     archive new keys.
  ///   - accessGroups: as a program's entitlements list them.
  /// - Throws: `errSecNoSuchKeychain` where there is no file; `errSecInvalidKeychain`, `errSecAuthFailed`,
  ///   `errSecIO`.
  public static func open(
    path: String, credentials: [ArchiveCredential], accessGroups: AccessGroups = .all
  ) throws(KeychainError) -> Keychain {
    let place = KeychainFile.Place(path: path, credentials: credentials)
    return Keychain(try KeychainFile(place), accessGroups)
  }

  /// Opens the archive at `path`; where there is none makes an empty one first, with a slot for each credential.
  ///
  /// - Throws: as `open`, but for `errSecNoSuchKeychain`.
  public static func openOrCreate(
    path: String, credentials: [ArchiveCredential], accessGroups: AccessGroups = .all
  ) throws(KeychainError) -> Keychain {
    try openOrCreate(
      path: path, credentials: credentials, accessGroups: accessGroups, options: WriteOptions())
  }

  package static func openOrCreate(
    path: String, credentials: [ArchiveCredential], accessGroups: AccessGroups,
    options: WriteOptions
  ) throws(KeychainError) -> Keychain {
    do throws(KeychainError) {
      return try open(path: path, credentials: credentials, accessGroups: accessGroups)
    } catch  where error.status == .noSuchKeychain {
      try create(Array(path.utf8), credentials, options)
      return try open(path: path, credentials: credentials, accessGroups: accessGroups)
    }
  }

  /// Makes an empty archive, unless another process was faster.
  private static func create(
    _ path: [UInt8], _ credentials: [ArchiveCredential], _ options: WriteOptions
  ) throws(KeychainError) {
    do {
      let file = try NewFile(path, replacing: false)
      let writer = try ArchiveWriter(to: file.device, credentials: credentials, options: options)
      _ = try writer.finish()
      try file.device.sync()
      try file.publish()
    } catch let error as DeviceError where error.number == DeviceError.fileExists {
      return
    } catch let error as DeviceError {
      throw KeychainError(error)
    } catch let error as ArchiveError {
      throw KeychainError(opening: error)
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
  }

  /// The same keychain as a program with other entitlements sees it.
  public func seen(by accessGroups: AccessGroups) -> Keychain {
    Keychain(file, accessGroups)
  }

  /// How much can be read at the moment. New keychains are unlocked.
  public var lockState: LockState {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  // MARK: SecItem

  /// Adds an item.
  ///
  /// - Returns: what the query asks to be given back; nil if nothing.
  /// - Throws: `errSecDuplicateItem`, `errSecParam`, `errSecNoSuchClass`, `errSecNoSuchAttr`,
  ///   `errSecMissingEntitlement`, `errSecInteractionNotAllowed`.
  @discardableResult
  public func add(_ query: ItemQuery) throws(KeychainError) -> FoundItem? {
    let now = secondsSince2001()
    var query = query
    try query.completeCertificate()
    let item = try query.newItem(accessGroups, now: now)
    try checkUnlocked(item)
    try file.change { keychain, changes throws(KeychainError) in
      let old = try keychain.item(like: item)
      guard old?.item.isTombstone ?? true else {
        throw KeychainError(.duplicateItem, "an item with this primary key is there already")
      }
      try changes.begin().write(item, query.value, replacing: old)
    }
    guard !query.returns.isEmpty else { return nil }
    return try file.read { keychain throws(KeychainError) in
      guard let stored = try keychain.item(like: item) else { return nil }
      return try keychain.give(.item(stored), query.returns)
    }
  }

  /// The items that `query` means, each as far as it asks for (`kSecReturn…`), one unless it has a limit.
  ///
  /// - Throws: `errSecItemNotFound` where there is none; `errSecParam`, `errSecNoSuchClass`, `errSecNoSuchAttr`,
  ///   `errSecMissingEntitlement`, `errSecUnimplemented`, `errSecInteractionNotAllowed`, `errSecDecode`.
  public func copyMatching(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] {
    let selection = try query.selection(accessGroups)
    let lockState = lockState
    return try file.read { keychain throws(KeychainError) in
      var found: [FoundItem] = []
      for match in try keychain.matches(selection, lockState) {
        found.append(try keychain.give(match, selection.returns))
      }
      return found
    }
  }

  /// Changes all items that `query` means, or none of them.
  ///
  /// - Throws: as `copyMatching`; `errSecDuplicateItem` where an item would get the primary key of another one.
  public func update(_ query: ItemQuery, with changes: ItemChanges) throws(KeychainError) {
    let selection = try query.selectionForUpdate(accessGroups)
    let checked = try changes.checked(for: selection.itemClass, accessGroups)
    let now = secondsSince2001()
    let lockState = lockState
    try file.change { keychain, editing throws(KeychainError) in
      for case .item(let old) in try keychain.matches(selection, lockState) {
        let new = old.item.changed(by: checked, now: now)
        try self.checkUnlocked(new)
        try keychain.replace(old, by: new, value: checked.value, now: now, editing)
      }
    }
  }

  /// Deletes all items that `query` means. Synchronizable ones leave a tombstone behind, for other devices to be
  /// told. What they held stays in the file, for whoever has a credential, until it is compacted.
  ///
  /// - Throws: as `copyMatching`.
  public func delete(_ query: ItemQuery) throws(KeychainError) {
    let selection = try query.selectionForDelete(accessGroups)
    let now = secondsSince2001()
    try file.change { keychain, editing throws(KeychainError) in
      for case .item(let old) in try keychain.matches(selection, .unlocked) {
        let editor = try editing.begin()
        if old.item.isSynchronizable, !old.item.isTombstone {
          try editor.write(old.item.tombstone(now: now), nil, replacing: old)
        } else {
          try editor.remove(old)
        }
      }
    }
  }

  private func checkUnlocked(_ item: KeychainItem) throws(KeychainError) {
    guard lockState.locks(item.accessible) else { return }
    throw KeychainError(.interactionNotAllowed, "items of this class are locked")
  }
}

/// Now, as Core Foundation counts: seconds since 2001-01-01 00:00:00 UTC.
private func secondsSince2001() -> Float64 {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
  return Float64(time.tv_sec - 978_307_200) + Float64(time.tv_nsec) / 1e9
}
