// Finds what a query means in one commit, and gives back of it what was asked for.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
package import KeychainModel

/// What a query means: an item, or a certificate with its private key.
enum Match {
  case item(StoredItem)
  case identity(certificate: StoredItem, key: StoredItem)
}

extension OpenKeychain {
  /// What `selection` means, as much of it as its limit allows.
  ///
  /// - Throws: `errSecItemNotFound` where there is nothing.
  mutating func matches(
    _ selection: ItemSelection, _ lockState: LockState
  ) throws(KeychainError) -> [Match] {
    var found: [Match] = []
    // With references, items of one identity stand by their certificate.
    if let reference = selection.reference {
      found = try items(named: reference).filter { selection.shows($0.item) }.map { .item($0) }
      if selection.itemClass == .identity {
        found += try identities(selection, certificate: reference)
      }
    } else {
      found = try items(selection).map { .item($0) }
      if selection.itemClass == .identity { found += try identities(selection, certificate: nil) }
    }
    found = try readable(found, selection, lockState)
    if let limit = selection.limit { found.removeLast(max(0, found.count - limit)) }
    guard !found.isEmpty else {
      throw KeychainError(.itemNotFound, "no item matches")
    }
    return found
  }

  /// The items that match by their attributes.
  private mutating func items(_ selection: ItemSelection) throws(KeychainError) -> [StoredItem] {
    var found = try lookUp(selection.query)
    if found == nil { found = try lookUpByAttribute(selection.query) }
    if let found { return found.filter { selection.matches($0.item) } }
    // Without the conditions that are checked later, the first ones are enough.
    let isLimitSure =
      selection.authenticationUI == .allow && selection.match.validOnDate == nil
      && selection.match.issuers == nil
    return try scan(limit: isLimitSure ? selection.limit : nil) { selection.matches($0.item) }
  }

  /// All items for which `isWanted` is true, in the order of the file.
  private func scan(
    limit: Int?, where isWanted: (StoredItem) -> Bool
  ) throws(KeychainError) -> [StoredItem] {
    var found: [StoredItem] = []
    do throws(ArchiveError) {
      let losses = try archive.forEachItem { item, _ in
        if isWanted(item) { found.append(item) }
        return limit.map { found.count < $0 } ?? true
      }
      // What is lost may be what was meant: then nobody says that it is not there.
      if found.isEmpty, let loss = losses.first { throw loss }
    } catch {
      throw KeychainError(error)
    }
    return found
  }

  /// Certificates with the private keys that belong to them: the hash of a certificate's public key is the label
  /// of its key.
  private mutating func identities(
    _ selection: ItemSelection, certificate reference: PersistentReference?
  ) throws(KeychainError) -> [Match] {
    let certificateQuery = selection.certificateConditions
    let certificates: [StoredItem] =
      if let reference {
        try items(named: PersistentReference(.certificate, reference.name))
      } else {
        try scan(limit: nil) { certificateQuery.matches($0.item) }
      }
    let keyQuery = selection.keyConditions
    var found: [Match] = []
    for certificate in certificates where selection.shows(certificate.item) {
      guard let hash = certificate.item[.publicKeyHash] else { continue }
      let query = AttributeQuery(.key, [.applicationLabel: hash])
      for key in try lookUp(query) ?? []
      where key.item.isPrivateKey && selection.shows(key.item) && keyQuery.matches(key.item) {
        found.append(.identity(certificate: certificate, key: key))
      }
    }
    return found
  }

  /// What is given back of `match`.
  mutating func give(_ match: Match, _ returns: ReturnKinds) throws(KeychainError) -> FoundItem {
    var found = FoundItem()
    let wantsAttributes = !returns.isDisjoint(with: [.attributes, .reference])
    let stored: StoredItem
    switch match {
    case .item(let item):
      stored = item
      found.item = item.item
      if returns.contains(.persistentReference) {
        found.persistentReference = item.persistentReference()
      }
    case .identity(let certificate, let key):
      stored = key
      // The certificate's attributes come over the key's.
      found.item = KeychainItem(
        .identity, attributes: key.item.attributes + certificate.item.attributes)
      if wantsAttributes { found.certificate = try value(of: certificate) }
      if returns.contains(.persistentReference) {
        found.persistentReference = certificate.persistentReference(as: .identity)
      }
    }
    if !returns.isDisjoint(with: [.data, .reference]) { found.value = try value(of: stored) }
    guard wantsAttributes else {
      found.item = nil
      return found
    }
    let digest = returns.contains(.data) ? found.item?.digest(value: found.value) : nil
    found.item?[.uuid] = nil
    found.item?[.sha1] = digest.map { .bytes($0) }
    return found
  }

  /// Puts `new` in the place of `old`.
  ///
  /// - Parameter value: nil keeps the old one.
  mutating func replace(
    _ old: StoredItem, by new: KeychainItem, value: [UInt8]?, now: Float64,
    _ editing: ArchiveChanges
  ) throws(KeychainError) {
    let editor = try editing.begin()
    if new.primaryKey != old.item.primaryKey {
      if let other = try item(like: new), other.record.place != old.record.place {
        guard other.item.isTombstone else {
          throw KeychainError(.duplicateItem, "another item has the new primary key already")
        }
        try editor.remove(other)
      }
      // Other devices know the item by its old key.
      if old.item.isSynchronizable, !old.item.isTombstone {
        try editor.write(old.item.tombstone(now: now), nil, replacing: nil)
      }
    }
    if let value {
      try editor.write(new, value, replacing: old)
    } else {
      try editor.write(new, keepingValueOf: old)
    }
  }
}

extension OpenKeychain {
  /// What of `matches` meets the conditions that are not about attributes, and may be read.
  private mutating func readable(
    _ matches: [Match], _ selection: ItemSelection, _ lockState: LockState
  ) throws(KeychainError) -> [Match] {
    let isValueAsked = !selection.returns.isDisjoint(with: [.data, .reference])
    let isAboutCertificate =
      selection.itemClass == .certificate || selection.itemClass == .identity
    var readable: [Match] = []
    for match in matches {
      let (item, certificate): (StoredItem, StoredItem) =
        switch match {
        case .item(let item): (item, item)
        case .identity(let certificate, let key): (key, certificate)
        }
      if isAboutCertificate {
        guard
          try selection.match.accept(
            certificate.item, { () throws(KeychainError) in try value(of: certificate) })
        else { continue }
      }
      if lockState.locks(item.item.accessible) {
        throw KeychainError(.interactionNotAllowed, "items of this class are locked")
      }
      if isValueAsked, selection.authenticationUI != .allow, item.item.asksForPresence {
        if selection.authenticationUI == .skip { continue }
        throw KeychainError(.interactionNotAllowed, "an item asks for a person's presence")
      }
      readable.append(match)
    }
    return readable
  }
}

extension KeychainItem {
  fileprivate var isPrivateKey: Bool {
    switch (self[.isPrivate], self[.keyClass]) {
    case (.boolean(true), _), (.integer(1), _): true
    case (nil, .integer(1)), (nil, .text("1")): true
    default: false
    }
  }

  /// Apple's item digest: SHA-1 over `digestForm`; nil for what has none.
  package func digest(value: [UInt8]?) -> [UInt8]? {
    digestForm(value: value).map { SHA1.hash($0.bytes) }
  }
}

extension ArchiveEditor {
  /// `put` with the keychain's error.
  func write(
    _ item: KeychainItem, _ value: [UInt8]?, replacing old: StoredItem?
  ) throws(KeychainError) {
    do {
      try put(item, value: value?.bytes, replacing: old, origin: 0)
    } catch {
      throw KeychainError(error)
    }
  }

  func write(_ item: KeychainItem, keepingValueOf old: StoredItem) throws(KeychainError) {
    do {
      try put(item, keepingValueOf: old, origin: 0)
    } catch {
      throw KeychainError(error)
    }
  }

  /// `delete` with the keychain's error.
  func remove(_ item: StoredItem) throws(KeychainError) {
    do {
      try delete(item, shredding: false)
    } catch {
      throw KeychainError(error)
    }
  }
}
