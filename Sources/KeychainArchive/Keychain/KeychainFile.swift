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

/// One commit of an archive, open for lookups. For one thread at a time.
struct OpenKeychain: ~Copyable {
  private(set) var archive: KeychainArchive
  private var stamp: FileStamp
  private var index: IndexReader
  private let tokens: TokenMaker
  /// The items by what names them in persistent references; nil until one is asked for.
  private var references: [PersistentReference: Token]?

  private init(_ archive: KeychainArchive, _ stamp: FileStamp, _ tokens: TokenMaker) {
    self.archive = archive
    self.stamp = stamp
    self.tokens = tokens
    index = IndexReader(archive.opened)
  }

  /// The newest commit.
  ///
  /// - Parameters:
  ///   - known: an archive whose keys will probably do.
  ///   - device: of the file, where it is open already.
  fileprivate static func open(
    _ place: KeychainFile.Place, knownAs known: KeychainArchive?, on device: FileDevice?
  ) throws(KeychainError) -> OpenKeychain {
    // The stamp first: what is read then is at least as new.
    let stamp: FileStamp
    do throws(DeviceError) {
      stamp = try FileStamp(Array(place.path.utf8))
    } catch {
      throw KeychainError(error)
    }
    let archive = try archive(place, knownAs: known, on: device)
    do throws(ContainerError) {
      return OpenKeychain(archive, stamp, try TokenMaker(archive.opened.keys))
    } catch {
      throw KeychainError(opening: ArchiveError(error))
    }
  }

  private static func archive(
    _ place: KeychainFile.Place, knownAs known: KeychainArchive?, on device: FileDevice?
  ) throws(KeychainError) -> KeychainArchive {
    do {
      let device = try device ?? FileDevice(reading: place.path)
      if let opened = try known?.opened.reopened(on: device) { return KeychainArchive(opened) }
      return try KeychainArchive.open(
        device, credentials: place.credentials, options: OpenOptions())
    } catch let error as DeviceError {
      throw KeychainError(error)
    } catch let error as ContainerError {
      throw KeychainError(opening: ArchiveError(error))
    } catch let error as ArchiveError {
      throw KeychainError(opening: error)
    } catch {
      preconditionFailure("only the three errors above are thrown here")
    }
  }

  /// Goes to the newest commit.
  ///
  /// - Returns: whether that is another one.
  @discardableResult
  fileprivate mutating func refresh(_ place: KeychainFile.Place) throws(KeychainError) -> Bool {
    do {
      guard try FileStamp(Array(place.path.utf8)) != stamp else { return false }
    } catch {
      throw KeychainError(error)
    }
    self = try OpenKeychain.open(place, knownAs: archive, on: nil)
    return true
  }

  /// The items that the index has for a query that names a class's lookup attributes; nil where it does not.
  mutating func lookUp(_ query: AttributeQuery) throws(KeychainError) -> [StoredItem]? {
    guard let key = query.lookupKey else { return nil }
    let lookup = tokens.lookup(key.bytes)
    return try stored(Token(lookup: lookup, primary: 0)...Token(lookup: lookup, primary: .max))
      .filter { query.matches($0.item) }
  }

  /// The item that has `item`'s primary key; nil where there is none.
  mutating func item(like item: KeychainItem) throws(KeychainError) -> StoredItem? {
    let primaryKey = item.primaryKey
    let token = tokens.token(lookupKey: item.lookupKey.bytes, primaryKey: primaryKey.bytes)
    // Equal tokens are legal: what counts is what they stand for.
    return try stored(token...token).first { $0.item.primaryKey == primaryKey }
  }

  /// The items that `reference` names: one, unless an archive was put together of several keychains.
  mutating func items(named reference: PersistentReference) throws(KeychainError) -> [StoredItem] {
    if references == nil {
      var found: [PersistentReference: Token] = [:]
      do throws(ArchiveError) {
        let losses = try archive.forEachItem { item, _ in
          for reference in item.references { found[reference] = item.record.token }
          return true
        }
        // What is lost might be what a reference names: nothing is said about those that are not here.
        if let loss = losses.first, found[reference] == nil { throw loss }
      } catch {
        throw KeychainError(error)
      }
      references = found
    }
    guard let token = references?[reference] else { return [] }
    return try stored(token...token).filter { $0.references.contains(reference) }
  }

  /// The value of `item`; nil where it has none.
  mutating func value(of item: StoredItem) throws(KeychainError) -> [UInt8]? {
    do {
      if let short = try index.shortValue(of: item.record) { return short }
      return try archive.value(of: item)
    } catch let error as ContainerError {
      throw KeychainError(ArchiveError(error))
    } catch let error as ArchiveError {
      throw KeychainError(error)
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
  }

  private mutating func stored(
    _ range: ClosedRange<Token>
  ) throws(KeychainError) -> [StoredItem] {
    do {
      var items: [StoredItem] = []
      for record in try index.items(in: range) { items.append(try StoredItem(record)) }
      return items
    } catch let error as ContainerError {
      throw KeychainError(ArchiveError(error))
    } catch let error as ArchiveError {
      throw KeychainError(error)
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
  }
}

extension StoredItem {
  /// What the item is known by in persistent references: what it came with, and its number in the archive.
  fileprivate var references: [PersistentReference] {
    var names: [PersistentReference.Name] = [.uuid(record.id.bytes)]
    if case .bytes(let uuid) = item[.persistentReference], uuid.count == 16 {
      names.append(.uuid(uuid))
    }
    if case .integer(let row) = item[.row], row > 0 { names.append(.row(UInt64(row))) }
    return names.map { PersistentReference(item.itemClass, $0) }
  }

  /// The persistent reference that is handed out for the item.
  var persistentReference: [UInt8]? {
    let name = item.storedReference ?? .uuid(record.id.bytes)
    return PersistentReference(item.itemClass, name).bytes
  }
}
