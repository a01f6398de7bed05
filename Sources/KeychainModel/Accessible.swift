// When an item may be read on a device, and whether it may leave it.

internal import ByteCoding

/// The value of `kSecAttrAccessible`, as Apple writes it (`ak`, `cku`, …). Any other text is kept.
public struct Accessible: RawRepresentable, Hashable, Sendable {
  let name: ByteName

  public init(rawValue: String) {
    name = ByteName(rawValue)
  }

  /// Apple's code, for example `ck`.
  public var rawValue: String { name.text }

  public static func == (left: Accessible, right: Accessible) -> Bool {
    left.name == right.name
  }

  public func hash(into hasher: inout Hasher) {
    name.hash(into: &hasher)
  }

  public static let whenUnlocked = Accessible(rawValue: "ak")
  public static let afterFirstUnlock = Accessible(rawValue: "ck")
  public static let always = Accessible(rawValue: "dk")
  public static let whenUnlockedThisDeviceOnly = Accessible(rawValue: "aku")
  public static let afterFirstUnlockThisDeviceOnly = Accessible(rawValue: "cku")
  public static let alwaysThisDeviceOnly = Accessible(rawValue: "dku")
  public static let whenPasscodeSetThisDeviceOnly = Accessible(rawValue: "akpu")

  /// All values that Apple documents, in the order of their key classes (6 … 12).
  public static let allKnown: [Accessible] = [
    .whenUnlocked, .afterFirstUnlock, .always, .whenUnlockedThisDeviceOnly,
    .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly, .whenPasscodeSetThisDeviceOnly,
  ]

  /// Whether Apple's own backups give the item back to no other device.
  public var isThisDeviceOnly: Bool {
    self == .whenUnlockedThisDeviceOnly || self == .afterFirstUnlockThisDeviceOnly
      || self == .alwaysThisDeviceOnly || self == .whenPasscodeSetThisDeviceOnly
  }
}

extension KeychainItem {
  /// The item's `kSecAttrAccessible`, whether stored as text or as bytes; nil when it has none.
  public var accessible: Accessible? {
    switch self[.accessible] {
    case .text(let text): Accessible(rawValue: text)
    case .bytes(let bytes): String(utf8: bytes.bytes).map { Accessible(rawValue: $0) }
    default: nil
    }
  }

  /// Whether the item is to stay on its device; false without `kSecAttrAccessible`.
  public var isThisDeviceOnly: Bool { accessible?.isThisDeviceOnly ?? false }
}
