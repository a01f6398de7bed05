// The marks of writers, row by row as Spec/item-model.md, section 10, has them. What each library sets was read in its
// source; what Apple's programs set, in items of theirs.

internal import ByteCoding
internal import KeychainModel

/// An item's attributes as the marks ask for them.
struct WriterMarks {
  private let item: KeychainItem
  /// Whether the value is known to be no keyed archive.
  private let isNoArchive: Bool

  init(_ item: KeychainItem, isNoArchive: Bool = false) {
    self.item = item
    self.isNoArchive = isNoArchive
  }

  /// The first row that holds.
  var match: ItemOrigin? {
    if item[.listType] != nil { return ItemOrigin([.migrate], .certain, migratedForm) }
    if let origin = ofAccessGroup { return origin }
    switch item.itemClass {
    case .genericPassword: return genericPassword
    case .internetPassword: return internetPassword
    default: return nil
    }
  }

  // MARK: Marks of one writer

  private static let passkeys = Array("com.apple.webkit.webauthn".utf8)
  private static let sidecars = Array("com.apple.password-manager".utf8)
  private static let passwords = Array("com.apple.cfnetwork".utf8)

  /// Apple's groups, with what stands behind them for deleted, generated and shared ones.
  private var ofAccessGroup: ItemOrigin? {
    let group = bytes(.accessGroup)
    func isIn(_ name: [UInt8]) -> Bool {
      guard group.starts(with: name) else { return false }
      let next = group.dropFirst(name.count).first
      return next == nil || next == UInt8(ascii: "-") || next == UInt8(ascii: ".")
    }
    if isIn(Self.passkeys) { return ItemOrigin([.applePasswords], .certain, .passkey) }
    if isIn(Self.sidecars) { return ItemOrigin([.applePasswords], .certain, .sidecarList) }
    if item.itemClass == .internetPassword, isIn(Self.passwords) {
      return ItemOrigin([.applePasswords], .certain, .text)
    }
    return nil
  }

  private var genericPassword: ItemOrigin? {
    let service = bytes(.service)
    let account = bytes(.account)
    if service.starts(with: "VAL_".utf8) {
      let isWhole = service.starts(with: "VAL_VAL".utf8) && service.contains("_initWith")
      return ItemOrigin([.valet], isWhole ? .certain : .likely, .data)
    }
    if has(.service, "me.mattrubin.onetimepassword.token") {
      return ItemOrigin([.oneTimePassword], .certain, .oneTimePasswordSeed)
    }
    if has(.account, "GRDBDatabaseCipherKeySpec") {
      if has(.service, "GRDBKeyChainService") {
        return ItemOrigin([.signal], .certain, .databaseKey)
      }
      return has(.service, "TSKeyChainService")
        ? ItemOrigin([.session], .certain, .databaseKey)
        : ItemOrigin([.signal, .session], .likely, .databaseKey)
    }
    if has(.service, "AirPort") {
      let isSystems =
        has(.accessGroup, "apple") || has(.description, "AirPort network password")
      return ItemOrigin([.wifi], isSystems ? .certain : .likely, .text)
    }
    return bytes(.generic).isEmpty ? plain(service, account) : withGeneric(service, account)
  }

  // MARK: Marks of several

  private func withGeneric(_ service: [UInt8], _ account: [UInt8]) -> ItemOrigin? {
    guard !service.isEmpty, !account.isEmpty else {
      return ItemOrigin([.keychainItemWrapper], .likely, .text)
    }
    guard bytes(.generic) == account else { return nil }
    if service.ends(with: ":no-auth") || service.ends(with: ":auth") {
      return ItemOrigin([.expoSecureStore], .certain, .text)
    }
    if case .bytes = item[.generic], case .bytes = item[.account] {
      return ItemOrigin([.expoSecureStore], .likely, .text)
    }
    return ItemOrigin([.uicKeyChainStore, .expoSecureStore], .likely, .textOrData)
  }

  private func plain(_ service: [UInt8], _ account: [UInt8]) -> ItemOrigin? {
    if service.isEmpty {
      return account.isEmpty ? nil : ItemOrigin([.keychainSwift], .likely, .textOrData)
    }
    guard !account.isEmpty else {
      return ItemOrigin([.lockbox, .strongbox], .likely, .textOrKeyedArchive)
    }
    if bytes(.label) == service {
      return ItemOrigin([.sfhfKeychainUtils, .macOSKeychain], .likely, .text)
    }
    switch item.accessible {
    case .afterFirstUnlock where service == account && !isNoArchive:
      return ItemOrigin([.chKeychain], .likely, .keyedArchive)
    case .afterFirstUnlock:
      return ItemOrigin(
        [.keychainAccess, .uicKeyChainStore, .simpleKeychain], .possible, .textOrData)
    case .whenUnlocked:
      return ItemOrigin([.samKeychain, .locksmith], .possible, .textOrKeyedArchive)
    default: return nil
    }
  }

  private var internetPassword: ItemOrigin? {
    guard !bytes(.server).isEmpty, has(.authenticationType, "dflt"),
      item.accessible == .afterFirstUnlock
    else { return nil }
    return ItemOrigin([.keychainAccess, .uicKeyChainStore], .likely, .textOrData)
  }

  // MARK: Attributes

  /// What a key of a list is by its kind.
  private var migratedForm: ItemValueForm {
    if has(.listEncoding, "archive") { return .propertyList }
    if has(.listType, "string") { return item[.listEncoding] == nil ? .text : .textOrData }
    return has(.listType, "data") ? .data : .propertyList
  }

  /// A text's or data's bytes; nothing where the attribute is missing or of another type.
  private func bytes(_ key: AttributeKey) -> [UInt8] {
    switch item[key] {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    default: []
    }
  }

  private func has(_ key: AttributeKey, _ text: String) -> Bool {
    switch item[key] {
    case .text(let value): value.utf8.elementsEqual(text.utf8)
    case .bytes(let bytes): bytes.elementsEqual(text.utf8)
    default: false
    }
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool {
    count >= text.utf8.count && suffix(text.utf8.count).elementsEqual(text.utf8)
  }

  fileprivate func contains(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard count >= wanted.count else { return false }
    return (0...count - wanted.count).contains { self[$0...].starts(with: wanted) }
  }
}
