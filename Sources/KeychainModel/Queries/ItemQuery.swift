// What is asked of a keychain, in SecItem's terms: the typed form of a query dictionary.

/// A query, or what is to be added: class, attributes, and what else a dictionary of SecItem's has.
public struct ItemQuery: Sendable {
  /// `kSecClass`; nil where a persistent reference says it.
  public var itemClass: ItemClass?

  /// In strictly rising order of the keys' bytes.
  public private(set) var attributes: [Attribute]

  /// `kSecValueData`. No condition: queries pass over it.
  public var value: [UInt8]?

  /// `kSecValuePersistentRef`: 12 or 20 bytes, see `PersistentReference`.
  public var persistentReference: [UInt8]?

  /// `kSecMatchLimit`; nil for the default: one of `copyMatching`, all of `update` and `delete`.
  public var limit: MatchLimit?

  /// The other `kSecMatch…` keys.
  public var match = MatchConditions()

  /// `kSecReturn…`
  public var returns: ReturnKinds

  /// `kSecUseAuthenticationUI`
  public var authenticationUI = AuthenticationUI.allow

  public init(
    _ itemClass: ItemClass? = nil, attributes: [Attribute] = [], value: [UInt8]? = nil,
    limit: MatchLimit? = nil, returns: ReturnKinds = []
  ) {
    self.itemClass = itemClass
    self.attributes = attributes.sortedByKey(without: .itemClass)
    self.value = value
    self.limit = limit
    self.returns = returns
  }

  /// As the initialiser above, with attributes written as a literal.
  public init(
    _ itemClass: ItemClass?, _ literal: KeyValuePairs<AttributeKey, AttributeValue>,
    value: [UInt8]? = nil, limit: MatchLimit? = nil, returns: ReturnKinds = []
  ) {
    self.init(
      itemClass, attributes: literal.map { Attribute($0.key, $0.value) }, value: value,
      limit: limit, returns: returns)
  }

  /// The attribute `key`; nil where it is not named. `.synchronizable` may be the text `syna`
  /// (`kSecAttrSynchronizableAny`).
  public subscript(key: AttributeKey) -> AttributeValue? {
    get { attributes.index(of: key).map { attributes[$0].value } }
    set {
      guard key != .itemClass else { return }
      attributes.set(key, newValue)
    }
  }
}

/// How many items are found at most (`kSecMatchLimit`).
public enum MatchLimit: Sendable, Equatable {
  case one
  case all
  /// A number, from 1.
  case count(Int)

  /// Nil for no limit.
  var most: Int? {
    switch self {
    case .one: 1
    case .all: nil
    case .count(let count): count
    }
  }
}

/// What a call gives back of each item (`kSecReturn…`).
public struct ReturnKinds: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// `kSecReturnData`
  public static let data = ReturnKinds(rawValue: 1)
  /// `kSecReturnAttributes`
  public static let attributes = ReturnKinds(rawValue: 2)
  /// `kSecReturnRef`: the class and everything that a reference is made of.
  public static let reference = ReturnKinds(rawValue: 4)
  /// `kSecReturnPersistentRef`
  public static let persistentReference = ReturnKinds(rawValue: 8)
}

/// What is done about items that ask for a person's presence (`kSecUseAuthenticationUI`). Nobody is
/// asked here: whoever has the archive's credential has everything.
public enum AuthenticationUI: Sendable, Equatable {
  case allow
  /// `kSecUseAuthenticationUIFail`: reading such an item is `errSecInteractionNotAllowed`.
  case fail
  /// `kSecUseAuthenticationUISkip`: such items are passed over.
  case skip
}

/// The `kSecMatch…` keys but for the limit.
public struct MatchConditions: Sendable, Equatable {
  /// `kSecMatchIssuers`: names in DER, of certificates and identities.
  public var issuers: [[UInt8]]?
  /// `kSecMatchValidOnDate`: seconds since 2001, of certificates and identities.
  public var validOnDate: Float64?
  /// `kSecMatchTrustedOnly`. True is `errSecUnimplemented`: trust is not evaluated here.
  public var trustedOnly: Bool?
  /// Whether `kSecMatchPolicy` is there, which is `errSecUnimplemented`.
  public var hasPolicy = false
  /// `kSecMatchHostOrSubdomainOfHost`, of internet passwords: the server, or a domain that it is in.
  public var hostOrSubdomain: String?
  /// Keys that Apple's keychain takes and passes over (`kSecMatchCaseInsensitive`, …).
  public var ignoredKeys: [String] = []

  public init() {}

  var isEmpty: Bool { self == MatchConditions() }
}

/// What `update` changes.
public struct ItemChanges: Sendable {
  public private(set) var attributes: [Attribute]
  /// The new value; nil leaves the old one.
  public var value: [UInt8]?

  public init(attributes: [Attribute] = [], value: [UInt8]? = nil) {
    self.attributes = attributes.sortedByKey(without: .itemClass)
    self.value = value
  }

  /// As above, with attributes written as a literal.
  public init(_ literal: KeyValuePairs<AttributeKey, AttributeValue>, value: [UInt8]? = nil) {
    self.init(attributes: literal.map { Attribute($0.key, $0.value) }, value: value)
  }
}
