// What becomes of an item that is added, changed or deleted: Apple's defaults, dates and tombstones
// (Spec/keychain.md).

internal import ByteCoding

extension ItemQuery {
  /// The item that is added for this query, without its value.
  ///
  /// - Parameter now: seconds since 2001.
  /// - Throws: `errSecParam`, `errSecNoSuchClass`, `errSecNoSuchAttr`, `errSecMissingEntitlement`.
  package func newItem(_ groups: AccessGroups, now: Float64) throws(KeychainError) -> KeychainItem {
    try groups.check()
    guard persistentReference == nil else {
      throw KeychainError(.parameter, "an item is not added with a persistent reference")
    }
    let itemClass = try knownClass()
    guard itemClass != .identity else {
      throw KeychainError(.parameter, "an identity is added as its certificate and its key")
    }
    var attributes = try self.attributes.filter { !$0.asksForAnySynchronizable }
      .asColumns(of: itemClass)
    guard limit == nil, match.isEmpty else {
      throw KeychainError(.parameter, "conditions of kSecMatch… are for SecItemCopyMatching only")
    }
    guard itemClass != .file else {
      // Files are in no group: who is confined to groups would not see what it has added.
      guard groups.allowsAll else {
        throw KeychainError(.missingEntitlement, "files are added by who sees all groups")
      }
      return KeychainItem(.file, attributes: attributes)
    }
    if case .text(let group) = attributes.value(of: .accessGroup) {
      try groups.check(group)
    } else if let group = groups.defaultGroup {
      attributes.set(.accessGroup, .text(group))
    }
    try attributes.agreeOnAccess(else: Self.defaultAccessible(itemClass, attributes))
    attributes.set(.creationDate, .date(now))
    attributes.set(.modificationDate, .date(now))
    for attribute in itemClass.requiredDefaults where attributes.index(of: attribute.key) == nil {
      attributes.set(attribute.key, attribute.value)
    }
    return KeychainItem(itemClass, attributes: attributes)
  }

  /// What `kSecAttrAccessible` is where nothing says it.
  private static func defaultAccessible(
    _ itemClass: ItemClass, _ attributes: [Attribute]
  ) -> Accessible {
    if case .text(let group) = attributes.value(of: .accessGroup),
      group.hasSameBytes(as: "com.apple.apsd")
    {
      return .alwaysThisDeviceOnly
    }
    return itemClass == .certificate ? .always : .whenUnlocked
  }
}

extension [Attribute] {
  /// Makes `accc` and `pdmn` say the same.
  ///
  /// - Throws: `errSecParam` where they contradict each other, or the access control is none.
  fileprivate mutating func agreeOnAccess(else accessible: Accessible?) throws(KeychainError) {
    var protection: String?
    if case .bytes(let bytes) = value(of: .accessControl) {
      guard let control = AccessControl(bytes) else {
        throw KeychainError(.parameter, "what is given as an access control is none")
      }
      protection = control.accessible.rawValue
    }
    if case .text(let text) = value(of: .accessible) {
      guard protection.map({ $0.hasSameBytes(as: text) }) ?? true else {
        throw KeychainError(.parameter, "accessible and access control contradict each other")
      }
      guard Accessible.allKnown.contains(Accessible(rawValue: text)) else {
        throw KeychainError(.parameter, "accessible is none of kSecAttrAccessible…")
      }
    } else if let text = protection ?? accessible?.rawValue {
      set(.accessible, .text(text))
    }
  }
}

extension ItemClass {
  /// The attributes that Apple's schema lets no item of the class be without ("not null"), with what stands
  /// for those that an item lacks.
  var requiredDefaults: [Attribute] {
    let optional: Set<AttributeKey> = [.syncViewHint, .tokenID, .sharingGroup, .multiUser]
    return (primaryKey ?? []).filter { !optional.contains($0) }.map {
      Attribute($0, $0.defaultValue)
    }
      + [Attribute(.tombstone, .boolean(false))]
  }
}

extension AttributeKey {
  fileprivate var defaultValue: AttributeValue {
    switch KnownAttribute(self)?.columnType {
    case .number: .integer(0)
    case .boolean: .boolean(false)
    case .date: .date(0)
    case .data: .bytes([])
    case .text, nil: self == .protocol ? .integer(0) : .text("")
    }
  }
}

extension ItemChanges {
  /// The changes as the columns of `itemClass` hold them.
  ///
  /// - Throws: `errSecNoSuchAttr`, `errSecParam`, `errSecMissingEntitlement` for a group that the caller is
  ///   not in.
  package func checked(
    for itemClass: ItemClass, _ groups: AccessGroups
  ) throws(KeychainError) -> ItemChanges {
    guard attributes.index(of: .sharingGroup) == nil else {
      throw KeychainError(.parameter, "an item's sharing group can't be changed")
    }
    // What an update says of `musr` is passed over, and `syna` is no value.
    var columns = try attributes.filter {
      $0.key != .multiUser && !$0.asksForAnySynchronizable
    }.asColumns(of: itemClass)
    if case .text(let group) = columns.value(of: .accessGroup) { try groups.check(group) }
    try columns.agreeOnAccess(else: nil)
    return ItemChanges(attributes: columns, value: value)
  }
}

extension KeychainItem {
  /// The item after `changes`, whose columns were checked.
  package func changed(by changes: ItemChanges, now: Float64) -> KeychainItem {
    var item = self
    for attribute in changes.attributes { item[attribute.key] = attribute.value }
    // An access control that is replaced by a plain class is gone.
    if changes.attributes.index(of: .accessible) != nil,
      changes.attributes.index(of: .accessControl) == nil
    {
      item[.accessControl] = nil
    }
    if itemClass != .file { item[.modificationDate] = .date(now) }
    return item
  }

  /// Whether the item is what is left of a deleted one, for other devices to be told.
  package var isTombstone: Bool { isTrue(.tombstone) }

  /// Whether other devices are told of the item.
  package var isSynchronizable: Bool { isTrue(.synchronizable) }

  private func isTrue(_ key: AttributeKey) -> Bool {
    switch self[key] {
    case .boolean(let value): value
    case .integer(let value): value != 0
    default: false
    }
  }

  /// What is left of the item when it is deleted and other devices have to be told: its primary key, when it
  /// was made and may be read, and `tomb`; never its value.
  package func tombstone(now: Float64) -> KeychainItem {
    let kept = Set(itemClass.primaryKey ?? []).union([.accessible, .creationDate])
    var item = KeychainItem(itemClass, attributes: attributes.filter { kept.contains($0.key) })
    item[.modificationDate] = .date(now)
    item[.tombstone] = .boolean(true)
    return item
  }
}
