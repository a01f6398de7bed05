// What a keychain gives back of an item.

public import KeychainModel

/// An item that was found or added, as far as the query asked for it (`kSecReturn…`).
public struct FoundItem: Sendable {
  /// Class and attributes, where attributes or a reference were asked for. `UUID` is never among them, and the
  /// digest (`sha1`) only if the value is there, too.
  public internal(set) var item: KeychainItem?

  /// The value, where it or a reference was asked for; nil where the item has none. Of an identity, its key's.
  public internal(set) var value: [UInt8]?

  /// Of an identity: its certificate in DER, where attributes or a reference were asked for.
  public internal(set) var certificate: [UInt8]?

  /// Where it was asked for.
  public internal(set) var persistentReference: [UInt8]?

  init() {}
}

/// How much of a device's keychain can be read at the moment: what code that runs before the first unlock, or
/// behind a locked screen, has to deal with. An archive itself is open to whoever has its credential; this is
/// for trying such code.
public enum LockState: Sendable {
  case unlocked
  /// The screen is locked, after a first unlock: items of `kSecAttrAccessibleWhenUnlocked…` and
  /// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly` are locked.
  case locked
  /// Since the device started it was not unlocked: only items of `kSecAttrAccessibleAlways…` are readable.
  case beforeFirstUnlock

  /// Whether items of this class are locked.
  func locks(_ accessible: Accessible?) -> Bool {
    let always: [Accessible] = [.always, .alwaysThisDeviceOnly]
    let afterFirstUnlock: [Accessible] = [.afterFirstUnlock, .afterFirstUnlockThisDeviceOnly]
    guard let accessible, !always.contains(accessible) else { return false }
    switch self {
    case .unlocked: return false
    case .locked: return !afterFirstUnlock.contains(accessible)
    case .beforeFirstUnlock: return true
    }
  }
}
