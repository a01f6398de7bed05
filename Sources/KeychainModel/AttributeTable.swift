// The attributes that Apple's keychain has, and those of our class `file`: names, column types and
// the classes that have them. Source: SecItemConstants.c and SecItemSchema.c of Apple's published
// Security project, schema 12.

/// The type of a column: what Apple's database makes of a value that is put there.
public enum ColumnType: Sendable {
  /// Text, or bytes that may be text.
  case text
  case data
  case number
  case date
  /// A number that is only ever 0 or 1.
  case boolean
}

/// A row of the attribute table.
public struct KnownAttribute: Sendable {
  public let key: AttributeKey

  /// SecItem's name without `kSecAttr`, its first letters lower case; `created` and `modified` for
  /// the two dates that every item has; the column where SecItem has no name.
  public let name: String

  /// The name that SecItem has for the same column in keys, where it is another (`keyType`).
  public let nameInKeys: String?

  public let columnType: ColumnType

  /// The classes that have the attribute.
  public let classes: [ItemClass]

  /// The classes in whose primary key the attribute is.
  public var primaryKeyClasses: [ItemClass] {
    classes.filter { $0.primaryKey?.contains(key) ?? false }
  }

  fileprivate init(
    _ key: AttributeKey, _ name: String, _ columnType: ColumnType, _ classes: [ItemClass],
    inKeys nameInKeys: String? = nil
  ) {
    self.key = key
    self.name = name
    self.nameInKeys = nameInKeys
    self.columnType = columnType
    self.classes = classes
  }
}

private let apple: [ItemClass] = [
  .genericPassword, .internetPassword, .certificate, .key, .identity,
]
private let passwords: [ItemClass] = [.genericPassword, .internetPassword]
private let genp: [ItemClass] = [.genericPassword]
private let inet: [ItemClass] = [.internetPassword]
private let certificates: [ItemClass] = [.certificate, .identity]
private let keys: [ItemClass] = [.key, .identity]
private let passwordsAndKeys: [ItemClass] = [.genericPassword, .internetPassword, .key, .identity]
private let files: [ItemClass] = [.file]

extension KnownAttribute {
  /// The whole table; what all classes have comes first. `clas` is no attribute and not in it.
  public static let all: [KnownAttribute] = [
    .init(.creationDate, "created", .date, apple),
    .init(.modificationDate, "modified", .date, apple),
    .init(.label, "label", .text, apple),
    .init(.alias, "alias", .text, apple),
    .init(.accessGroup, "accessGroup", .text, apple),
    .init(.accessible, "accessible", .text, apple),
    .init(.accessControl, "accessControl", .data, apple),
    .init(.synchronizable, "synchronizable", .boolean, apple),
    .init(.tombstone, "tombstone", .boolean, apple),
    .init(.syncViewHint, "syncViewHint", .text, apple),
    .init(.tokenID, "tokenID", .text, apple),
    .init(.multiUser, "multiUser", .data, apple),
    .init(.sharingGroup, "sharingGroup", .text, apple),
    .init(.appClipItem, "appClipItem", .boolean, apple),
    .init(.sysBound, "sysBound", .number, apple),
    .init(.pcsPlaintextServiceIdentifier, "pcsPlaintextServiceIdentifier", .number, apple),
    .init(.pcsPlaintextPublicKey, "pcsPlaintextPublicKey", .data, apple),
    .init(.pcsPlaintextPublicIdentity, "pcsPlaintextPublicIdentity", .data, apple),
    .init(.uuid, "uuid", .text, apple),
    .init(.persistentReference, "persistentReference", .data, apple),
    .init(.sha1, "sha1", .data, apple),

    .init(.description, "description", .text, passwords),
    .init(.comment, "comment", .text, passwords),
    .init(.creator, "creator", .number, passwordsAndKeys, inKeys: "keyCreator"),
    .init(.type, "type", .number, passwordsAndKeys, inKeys: "keyType"),
    .init(.scriptCode, "scriptCode", .number, passwords),
    .init(.isInvisible, "isInvisible", .boolean, passwords),
    .init(.isNegative, "isNegative", .boolean, passwords),
    .init(.hasCustomIcon, "hasCustomIcon", .boolean, passwords),
    .init(.protected, "prot", .text, passwords),
    .init(.account, "account", .text, passwords),
    .init(.service, "service", .text, genp),
    .init(.generic, "generic", .text, genp),

    .init(.securityDomain, "securityDomain", .text, inet),
    .init(.server, "server", .text, inet),
    .init(.protocol, "protocol", .text, inet),
    .init(.authenticationType, "authenticationType", .text, inet),
    .init(.port, "port", .number, inet),
    .init(.path, "path", .text, inet + files),
    .init(.inetExtraNotes, "inetExtraNotes", .data, inet),
    .init(.inetExtraHistory, "inetExtraHistory", .data, inet),
    .init(.inetExtraClientDefined0, "inetExtraClientDefined0", .data, inet),
    .init(.inetExtraClientDefined1, "inetExtraClientDefined1", .data, inet),
    .init(.inetExtraClientDefined2, "inetExtraClientDefined2", .data, inet),
    .init(.inetExtraClientDefined3, "inetExtraClientDefined3", .data, inet),

    .init(.certificateType, "certificateType", .number, certificates),
    .init(.certificateEncoding, "certificateEncoding", .number, certificates),
    .init(.subject, "subject", .data, certificates),
    .init(.issuer, "issuer", .data, certificates),
    .init(.serialNumber, "serialNumber", .data, certificates),
    .init(.subjectKeyID, "subjectKeyID", .data, certificates),
    .init(.publicKeyHash, "publicKeyHash", .data, certificates),

    .init(.keyClass, "keyClass", .number, keys),
    .init(.applicationLabel, "applicationLabel", .data, keys),
    .init(.applicationTag, "applicationTag", .data, keys),
    .init(.keySizeInBits, "keySizeInBits", .number, keys),
    .init(.effectiveKeySize, "effectiveKeySize", .number, keys),
    .init(.startDate, "startDate", .date, keys),
    .init(.endDate, "endDate", .date, keys),
    .init(.isPermanent, "isPermanent", .boolean, keys),
    .init(.isPrivate, "isPrivate", .boolean, keys),
    .init(.isModifiable, "isModifiable", .boolean, keys),
    .init(.isSensitive, "isSensitive", .boolean, keys),
    .init(.wasAlwaysSensitive, "wasAlwaysSensitive", .boolean, keys),
    .init(.isExtractable, "isExtractable", .boolean, keys),
    .init(.wasNeverExtractable, "wasNeverExtractable", .boolean, keys),
    .init(.canEncrypt, "canEncrypt", .boolean, keys),
    .init(.canDecrypt, "canDecrypt", .boolean, keys),
    .init(.canDerive, "canDerive", .boolean, keys),
    .init(.canSign, "canSign", .boolean, keys),
    .init(.canVerify, "canVerify", .boolean, keys),
    .init(.canSignRecover, "canSignRecover", .boolean, keys),
    .init(.canVerifyRecover, "canVerifyRecover", .boolean, keys),
    .init(.canWrap, "canWrap", .boolean, keys),
    .init(.canUnwrap, "canUnwrap", .boolean, keys),

    .init(.mode, "mode", .number, files),
    .init(.modificationTime, "modificationTime", .date, files),
    .init(.kind, "kind", .text, files),
    .init(.link, "link", .text, files),
  ]

  private static let byKey: [AttributeKey: KnownAttribute] = {
    var rows: [AttributeKey: KnownAttribute] = [:]
    for row in all { rows[row.key] = row }
    return rows
  }()

  /// Every name and column to its key, and the longer names that SecItem's dates have.
  fileprivate static let byName: [AttributeKey: AttributeKey] = {
    var keys: [AttributeKey: AttributeKey] = [
      AttributeKey(column: "class"): .itemClass,
      AttributeKey(column: "creationDate"): .creationDate,
      AttributeKey(column: "modificationDate"): .modificationDate,
    ]
    for row in all {
      keys[AttributeKey(column: row.name)] = row.key
      if let name = row.nameInKeys { keys[AttributeKey(column: name)] = row.key }
    }
    return keys
  }()

  /// The row of `key`, or nil when the table does not know it.
  public init?(_ key: AttributeKey) {
    guard let row = Self.byKey[key] else { return nil }
    self = row
  }
}

extension AttributeKey {
  /// The key that `name` means: SecItem's name (`account`, `keyType`), a column (`acct`), or any
  /// other text, which then is the column itself. `class` and `clas` both give `.itemClass`.
  public init(named name: String) {
    let wanted = AttributeKey(column: name)
    self = KnownAttribute.byName[wanted] ?? wanted
  }

  /// SecItem's name (`account` for `acct`), or the column itself where there is none.
  public var name: String { name(in: .genericPassword) }

  /// As `name`, but as SecItem calls the column in `itemClass`: the column `type` of a key is
  /// `keyType`.
  public func name(in itemClass: ItemClass) -> String {
    guard self != .itemClass else { return "class" }
    guard let known = KnownAttribute(self) else { return column }
    if let name = known.nameInKeys, itemClass == .key || itemClass == .identity { return name }
    return known.name
  }
}
