// One commit of a keychain's archive, with what was read of it: how items are found by their keys, by persistent
// references, and by the attributes that programs search for.

internal import ArchiveContainer
internal import ByteCoding
internal import KeychainModel

/// One commit of an archive, open for lookups. For one thread at a time.
struct OpenKeychain: ~Copyable {
  private(set) var archive: KeychainArchive
  private var stamp: FileStamp
  private var index: IndexReader
  private let tokens: TokenMaker
  /// The items by what names them in persistent references; nil until one is asked for.
  private var references: [PersistentReference: Token]?
  /// Nil until a query needs it.
  private var byAttribute: AttributeIndex?

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
  static func open(
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
  mutating func refresh(_ place: KeychainFile.Place) throws(KeychainError) -> Bool {
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

  /// The items of one commit by an attribute that the index is not sorted by.
  private struct AttributeIndex {
    /// What programs search for: KeychainSwift by the account alone, KeychainItemWrapper by `gena`.
    static let columns: [AttributeKey] = [.account, .generic, .applicationTag, .label]

    /// By the hash of class and value: what is found is compared.
    var tokens: [Int: [Token]] = [:]
    var losses: [ArchiveError] = []

    mutating func add(_ item: StoredItem) {
      for column in Self.columns {
        guard let key = item.item.searchKey(column) else { continue }
        tokens[Self.hash(column, key), default: []].append(item.record.token)
      }
    }

    static func hash(_ column: AttributeKey, _ key: [UInt8]) -> Int {
      var hasher = Hasher()
      hasher.combine(column)
      hasher.combine(key)
      return hasher.finalize()
    }
  }

  /// The items that `query` means where it names an attribute that programs search for; nil where it does not.
  /// All items are looked at once a commit.
  mutating func lookUpByAttribute(_ query: AttributeQuery) throws(KeychainError) -> [StoredItem]? {
    for column in AttributeIndex.columns {
      guard let key = query.searchKey(column) else { continue }
      let known = try attributeIndex()
      var found: [StoredItem] = []
      for token in Set(known.tokens[AttributeIndex.hash(column, key)] ?? []) {
        found += try stored(token...token).filter { query.matches($0.item) }
      }
      // What is lost may be what was meant: then nobody says that it is not there.
      if found.isEmpty, let loss = known.losses.first { throw KeychainError(loss) }
      return found.sorted { $0.record.place < $1.record.place }
    }
    return nil
  }

  private mutating func attributeIndex() throws(KeychainError) -> AttributeIndex {
    if let byAttribute { return byAttribute }
    var made = AttributeIndex()
    do throws(ArchiveError) {
      made.losses = try archive.forEachItem { item, _ in
        made.add(item)
        return true
      }
    } catch {
      throw KeychainError(error)
    }
    byAttribute = made
    return made
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
    } catch {
      throw KeychainError(reading: error)
    }
  }

  private mutating func stored(
    _ range: ClosedRange<Token>
  ) throws(KeychainError) -> [StoredItem] {
    do {
      var items: [StoredItem] = []
      for record in try index.items(in: range) { items.append(try StoredItem(record)) }
      return items
    } catch {
      throw KeychainError(reading: error)
    }
  }
}

extension StoredItem {
  /// What the item is known by in persistent references: its number in the archive, and what it came with.
  fileprivate var references: [PersistentReference] {
    ([.uuid(record.id.bytes)] + item.storedReferences).map {
      PersistentReference(item.itemClass, $0)
    }
  }

  /// The persistent reference that is handed out for the item, or for an identity by its certificate.
  ///
  /// - Parameter itemClass: of what is named; nil for the item's own.
  func persistentReference(as itemClass: ItemClass? = nil) -> [UInt8]? {
    let name = item.storedReferences.first ?? .uuid(record.id.bytes)
    return PersistentReference(itemClass ?? item.itemClass, name).bytes
  }
}
