// Which items a query means: the rules of SecItemCopyMatching, SecItemUpdate and SecItemDelete that need no
// keychain to be checked (Spec/keychain.md).

internal import ByteCoding

/// A query that was found to be a sound one, its defaults filled in.
package struct ItemSelection: Sendable {
  package let itemClass: ItemClass
  /// The conditions on attributes, defaults among them.
  package let query: AttributeQuery
  package let reference: PersistentReference?
  /// How many items are found at most; nil for all.
  package let limit: Int?
  package let match: MatchConditions
  package let returns: ReturnKinds
  package let authenticationUI: AuthenticationUI
  /// The groups whose items are seen.
  private let groups: AccessGroups

  /// What the operation is, for rules that differ.
  enum Operation {
    case copyMatching
    case update
    case delete
  }

  init(_ query: ItemQuery, _ operation: Operation, _ groups: AccessGroups) throws(KeychainError) {
    try groups.check()
    let reference = try query.reference()
    let itemClass = try query.knownClass(or: reference)
    var conditions = try query.attributes.filter { !$0.asksForAnySynchronizable }
      .asColumns(of: itemClass)
    if case .text(let group) = conditions.value(of: .accessGroup) { try groups.check(group) }
    if operation != .copyMatching { try query.checkForChanges(of: itemClass, operation) }
    try query.match.check(itemClass)
    guard reference == nil || query.attributes.isEmpty else {
      throw KeychainError(
        .parameter, "a persistent reference and attributes can't both be asked for")
    }
    if reference == nil, query[.synchronizable] == nil, itemClass != .file {
      conditions.set(.synchronizable, .boolean(false))
    }
    if conditions.index(of: .tombstone) == nil, itemClass != .file {
      conditions.set(.tombstone, .boolean(false))
    }
    self.itemClass = itemClass
    self.query = AttributeQuery(itemClass, conditions: conditions)
    self.reference = reference
    self.groups = groups
    limit = operation == .copyMatching ? try (query.limit ?? .one).checkedMost() : nil
    match = query.match
    returns = query.returns
    authenticationUI = query.authenticationUI
  }

  /// Whether `item` is one of those that are meant, as far as its attributes say.
  package func matches(_ item: KeychainItem) -> Bool {
    guard query.matches(item), groups.show(item) else { return false }
    guard let host = match.hostOrSubdomain else { return true }
    return item.isServer(of: host)
  }

  /// Whether the caller sees `item`: an implicit group that it is not in makes items invisible.
  package func shows(_ item: KeychainItem) -> Bool { groups.show(item) }

  /// What of an identity's conditions is about its certificate.
  package var certificateConditions: AttributeQuery {
    // A group that is named is that of both.
    let conditions = query.conditions.filter {
      Self.isOfCertificate($0.key) || $0.key == .accessGroup
    }
    return AttributeQuery(
      .certificate, conditions: conditions + [Attribute(.tombstone, .boolean(false))])
  }

  /// What of an identity's conditions is about its key.
  package var keyConditions: AttributeQuery {
    AttributeQuery(.key, conditions: query.conditions.filter { !Self.isOfCertificate($0.key) })
  }

  /// Apple's join has label and token of the certificate, all other columns of both of the key.
  private static func isOfCertificate(_ key: AttributeKey) -> Bool {
    key == .label || key == .tokenID || KnownAttribute(key)?.classes.contains(.key) == false
  }
}

extension ItemQuery {
  /// What `copyMatching` is asked for.
  package func selection(_ groups: AccessGroups) throws(KeychainError) -> ItemSelection {
    try ItemSelection(self, .copyMatching, groups)
  }

  /// What `update` is asked to change.
  package func selectionForUpdate(_ groups: AccessGroups) throws(KeychainError) -> ItemSelection {
    try ItemSelection(self, .update, groups)
  }

  /// What `delete` is asked to delete.
  package func selectionForDelete(_ groups: AccessGroups) throws(KeychainError) -> ItemSelection {
    try ItemSelection(self, .delete, groups)
  }

  fileprivate func reference() throws(KeychainError) -> PersistentReference? {
    guard let bytes = persistentReference else { return nil }
    guard let reference = PersistentReference(bytes) else {
      throw KeychainError(.parameter, "what is given as a persistent reference is none")
    }
    guard itemClass == nil || itemClass == reference.itemClass else {
      throw KeychainError(.noSuchClass, "the persistent reference is to an item of another class")
    }
    return reference
  }

  func knownClass(or reference: PersistentReference? = nil) throws(KeychainError) -> ItemClass {
    guard let itemClass = itemClass ?? reference?.itemClass else {
      throw KeychainError(.parameter, "no class is given (kSecClass)")
    }
    guard itemClass.isKnown else {
      throw KeychainError(.noSuchClass, "there is no class of that name")
    }
    return itemClass
  }

  fileprivate func checkForChanges(
    of itemClass: ItemClass, _ operation: ItemSelection.Operation
  ) throws(KeychainError) {
    guard itemClass != .identity else {
      throw KeychainError(.parameter, "an identity is changed as its certificate and its key")
    }
    guard limit == nil, match.isEmpty else {
      throw KeychainError(.parameter, "conditions of kSecMatch… are for SecItemCopyMatching only")
    }
    guard operation == .delete || returns.isEmpty else {
      throw KeychainError(.parameter, "an update gives nothing back (kSecReturn…)")
    }
  }
}

extension MatchLimit {
  fileprivate func checkedMost() throws(KeychainError) -> Int? {
    if case .count(let count) = self, count < 1 {
      throw KeychainError(.parameter, "a limit (kSecMatchLimit) is 1 or more")
    }
    return most
  }
}

extension MatchConditions {
  /// - Throws: `errSecUnimplemented` for what the class does not have, or what is not evaluated.
  fileprivate func check(_ itemClass: ItemClass) throws(KeychainError) {
    let isCertificate = itemClass == .certificate || itemClass == .identity
    guard isCertificate || issuers == nil && !hasPolicy else {
      throw KeychainError(.unimplemented, "issuers and policies are conditions of certificates")
    }
    guard hostOrSubdomain == nil || itemClass == .internetPassword else {
      throw KeychainError(.unimplemented, "a host is a condition of internet passwords")
    }
    guard !isCertificate || !hasPolicy && trustedOnly != true else {
      throw KeychainError(.unimplemented, "trust is not evaluated")
    }
  }
}

extension Attribute {
  /// `kSecAttrSynchronizableAny`: no condition, and no default for one.
  var asksForAnySynchronizable: Bool {
    guard key == .synchronizable, case .text(let text) = value else { return false }
    return text.hasSameBytes(as: "syna")
  }
}

extension [Attribute] {
  func value(of key: AttributeKey) -> AttributeValue? { index(of: key).map { self[$0].value } }
}

extension AccessGroups {
  fileprivate func show(_ item: KeychainItem) -> Bool {
    if allowsAll { return true }
    switch item[.accessGroup] {
    case .text(let group): return allow(group)
    case .bytes(let bytes): return String(utf8: bytes.bytes).map { allow($0) } ?? false
    default: return false
    }
  }
}

extension KeychainItem {
  /// Whether the item's server is `host` or a domain that it is in, without regard to case.
  fileprivate func isServer(of host: String) -> Bool {
    guard case .text(let server) = self[.server], !server.isEmpty else { return false }
    func folded(_ text: String) -> [UInt8] {
      text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
    let domain = folded(server)
    let name = folded(host)
    if domain == name { return true }
    return name.count > domain.count && name.suffix(domain.count) == domain[...]
      && name[name.count - domain.count - 1] == UInt8(ascii: ".")
  }
}
