// Who wrote an item (Spec/item-model.md, section 10): programs and libraries leave marks in what they put into a
// keychain. A guess is never stored with the item.

package import KeychainModel

/// A program or a library that writes keychain items. The raw value is what people call it.
package enum ItemWriter: String, Hashable, Sendable, CaseIterable {
  case migrate = "kcarchive migrate"
  case valet = "Valet"
  case oneTimePassword = "OneTimePassword"
  case signal = "Signal"
  case session = "Session"
  case wifi = "Wi-Fi"
  case applePasswords = "Apple Passwords"
  case expoSecureStore = "expo-secure-store"
  case keychainItemWrapper = "KeychainItemWrapper"
  case sfhfKeychainUtils = "SFHFKeychainUtils"
  /// The login keychain of macOS gives an item without a label its service as one.
  case macOSKeychain = "macOS login keychain"
  /// And its copies under other names.
  case chKeychain = "CHKeychain"
  case keychainSwift = "KeychainSwift"
  case lockbox = "Lockbox"
  case strongbox = "Strongbox"
  case keychainAccess = "KeychainAccess"
  case uicKeyChainStore = "UICKeyChainStore"
  case simpleKeychain = "SimpleKeychain"
  /// SSKeychain before.
  case samKeychain = "SAMKeychain"
  case locksmith = "Locksmith"
}

/// What a writer makes of a value.
package enum ItemValueForm: String, Hashable, Sendable, CaseIterable {
  case text
  case data
  case textOrData = "text-or-data"
  case textOrKeyedArchive = "text-or-keyed-archive"
  case keyedArchive = "keyed-archive"
  case propertyList = "property-list"
  /// The secret of an `otpauth:` URL that is the item's `gena`.
  case oneTimePasswordSeed = "one-time-password-seed"
  /// A key and a salt of SQLCipher.
  case databaseKey = "database-key"
  /// A property list about the password of the same server and account.
  case sidecarList = "sidecar-list"
  case passkey
  /// One byte, 0 or 1.
  case boolean

  /// For people: `one-time password seed`.
  package var title: String {
    switch self {
    case .text: "text"
    case .data: "data"
    case .textOrData: "text or data"
    case .textOrKeyedArchive: "text or a keyed archive"
    case .keyedArchive: "keyed archive"
    case .propertyList: "property list"
    case .oneTimePasswordSeed: "one-time password seed"
    case .databaseKey: "database key"
    case .sidecarList: "notes and codes of a password"
    case .passkey: "passkey"
    case .boolean: "boolean"
    }
  }
}

/// What an item's marks tell of who wrote it.
package struct ItemOrigin: Hashable, Sendable {
  package enum Certainty: String, Hashable, Sendable, CaseIterable {
    /// Nobody else leaves these marks by accident.
    case certain
    /// Others would have to choose them on purpose.
    case likely
    /// Nothing speaks against it, and nothing for it.
    case possible
  }

  /// At least one; several leave the same marks. In the Spec's order.
  package let writers: [ItemWriter]
  package let certainty: Certainty
  package let form: ItemValueForm

  init(_ writers: [ItemWriter], _ certainty: Certainty, _ form: ItemValueForm) {
    self.writers = writers
    self.certainty = certainty
    self.form = form
  }

  /// What the attributes alone tell. Nil where they are those of any program.
  package init?(_ item: KeychainItem) {
    guard let match = WriterMarks(item).match else { return nil }
    self = match
  }

  /// `Valet`; `KeychainItemWrapper (likely)`; `SAMKeychain or Locksmith (possible)`.
  package var text: String {
    let names = writers.map(\.rawValue)
    let list =
      names.count > 1
      ? names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1] : names[0]
    return certainty == .certain ? list : "\(list) (\(certainty.rawValue))"
  }
}
