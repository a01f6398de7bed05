// The classes of keychain items, and those that an archive may hold without our knowing them.

/// The class of an item: Apple's five, our own `file`, or any other that an archive holds.
///
/// `init(rawValue:)` takes every text, so that what an archive holds is kept; `init(known:)` is for
/// what a person or a program asks for.
public struct ItemClass: RawRepresentable, Hashable, Sendable {
  let name: ByteName

  public init(rawValue: String) {
    name = ByteName(rawValue)
  }

  init(name: ByteName) {
    self.name = name
  }

  /// Apple's four-character code, for example `genp`.
  public var rawValue: String { name.text }

  public static func == (left: ItemClass, right: ItemClass) -> Bool {
    left.name == right.name
  }

  public func hash(into hasher: inout Hasher) {
    name.hash(into: &hasher)
  }
}

extension ItemClass: CustomStringConvertible {
  public var description: String { rawValue }
}

extension ItemClass {
  /// `kSecClassGenericPassword`
  public static let genericPassword = ItemClass(rawValue: "genp")
  /// `kSecClassInternetPassword`
  public static let internetPassword = ItemClass(rawValue: "inet")
  /// `kSecClassCertificate`
  public static let certificate = ItemClass(rawValue: "cert")
  /// `kSecClassKey`
  public static let key = ItemClass(rawValue: "keys")
  /// `kSecClassIdentity`: a certificate joined with its private key.
  public static let identity = ItemClass(rawValue: "idnt")
  /// A file, directory or symbolic link: not Apple's, ours.
  public static let file = ItemClass(rawValue: "file")

  /// All classes that this module knows, passwords first.
  public static let allKnown: [ItemClass] = [
    .genericPassword, .internetPassword, .certificate, .key, .identity, .file,
  ]

  /// The known class of this code (`genp`), or nil.
  public init?(known code: String) {
    let wanted = ItemClass(rawValue: code)
    guard wanted.isKnown else { return nil }
    self = wanted
  }

  /// Whether this is one of `allKnown`.
  public var isKnown: Bool { Self.allKnown.contains(self) }
}
