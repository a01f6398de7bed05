// Lookup and primary keys: the bytes that make two items the same, or found by the same query.
//
// The container makes its index tokens of these bytes, so they are part of the format: the class as
// text, then the attributes of the lists below in this order, each as u8 type, u32 length, bytes; a
// missing one stands as its column's default.

internal import ByteCoding

/// A column of a key, with the conversion its values get there.
struct KeyColumn: Sendable {
  let key: AttributeKey
  let coercion: Coercion

  fileprivate init(_ key: AttributeKey) {
    self.key = key
    coercion = key.coercion
  }
}

/// The keys of one class.
struct KeyColumns: Sendable {
  let lookup: [KeyColumn]
  let primary: [KeyColumn]

  private init(lookup: [AttributeKey], primary: [AttributeKey]) {
    self.lookup = lookup.map { KeyColumn($0) }
    self.primary = primary.map { KeyColumn($0) }
  }

  private static let shared: [AttributeKey] = [
    .accessGroup, .synchronizable, .syncViewHint, .tokenID, .multiUser, .sharingGroup,
  ]
  private static let genericPassword = KeyColumns(
    lookup: [.account, .service], primary: [.account, .service] + shared)
  private static let internetPassword = KeyColumns(
    lookup: [.account, .server],
    primary: [
      .account, .securityDomain, .server, .protocol, .authenticationType, .port, .path,
    ] + shared)
  private static let certificate = KeyColumns(
    lookup: [.issuer, .serialNumber],
    primary: [.certificateType, .issuer, .serialNumber] + shared)
  private static let key = KeyColumns(
    lookup: [.applicationLabel],
    primary: [
      .keyClass, .applicationLabel, .applicationTag, .keyCreator, .keyType, .keySizeInBits,
      .effectiveKeySize, .startDate, .endDate,
    ] + shared)
  private static let identity = KeyColumns(
    lookup: [.issuer, .serialNumber],
    primary: [.certificateType, .issuer, .serialNumber, .applicationLabel] + shared)
  private static let file = KeyColumns(lookup: [.path], primary: [.path])

  /// The keys of `itemClass`, or nil when the class is not known.
  static func of(_ itemClass: ItemClass) -> KeyColumns? {
    switch itemClass {
    case .genericPassword: genericPassword
    case .internetPassword: internetPassword
    case .certificate: certificate
    case .key: key
    case .identity: identity
    case .file: file
    default: nil
    }
  }
}

extension ItemClass {
  /// The columns that make an item of this class unique (Apple's primary key), in the order of the
  /// canonical key; nil for a class not known, where all attributes together do.
  public var primaryKey: [AttributeKey]? { KeyColumns.of(self)?.primary.map { $0.key } }

  /// The columns by which an item of this class is found in the index, in the order of the
  /// canonical key; none for a class not known.
  public var lookupKey: [AttributeKey] { KeyColumns.of(self)?.lookup.map { $0.key } ?? [] }
}

extension AttributeKey {
  /// How this column's values are converted before they are compared.
  var coercion: Coercion {
    if self == .protocol || self == .authenticationType { return .fourCharacterCode }
    switch KnownAttribute(self)?.columnType {
    case .text: return .text
    case .data: return .data
    case .number, .boolean: return .number
    case .date: return .date
    case nil: return .loose
    }
  }
}

extension KeychainItem {
  /// The bytes by which the index finds the item, made of its lookup attributes.
  public var lookupKey: [UInt8] {
    var key: [UInt8] = []
    appendLookupKey(to: &key)
    return key
  }

  /// The bytes that make the item unique: two items with equal ones can't both be in a keychain.
  public var primaryKey: [UInt8] {
    var key: [UInt8] = []
    appendPrimaryKey(to: &key)
    return key
  }

  /// Appends `lookupKey` to `target`.
  public func appendLookupKey(to target: inout [UInt8]) {
    itemClass.appendCanonical(to: &target)
    guard let columns = KeyColumns.of(itemClass) else { return }
    attributes.appendCanonical(columns.lookup, to: &target)
  }

  /// Appends `primaryKey` to `target`.
  public func appendPrimaryKey(to target: inout [UInt8]) {
    itemClass.appendCanonical(to: &target)
    if let columns = KeyColumns.of(itemClass) {
      attributes.appendCanonical(columns.primary, to: &target)
    } else {
      for attribute in attributes {
        attribute.value.form(.own).append(of: attribute.value, to: &target)
      }
    }
  }
}

extension ItemClass {
  func appendCanonical(to target: inout [UInt8]) {
    let count = name.byteCount
    target.append(addingCapacity: 5 + count) { output in
      output.append(1)
      output.append(littleEndian: UInt64(count), count: 4)
      output.append(name)
    }
  }
}

extension [Attribute] {
  /// Appends the canonical values of `columns`; a missing attribute stands as its default.
  func appendCanonical(_ columns: [KeyColumn], to target: inout [UInt8]) {
    for column in columns {
      if let index = index(of: column.key) {
        let value = self[index].value
        value.form(column.coercion).append(of: value, to: &target)
      } else {
        CanonicalForm.missing(column.coercion).append(of: nil, to: &target)
      }
    }
  }
}

extension CanonicalForm {
  /// Appends type, length and bytes; `value` is what the form was made of.
  fileprivate func append(of value: AttributeValue?, to target: inout [UInt8]) {
    target.append(addingCapacity: 5 + byteCount) { output in
      output.append(type)
      output.append(littleEndian: UInt64(byteCount), count: 4)
      if let bits {
        output.append(littleEndian: bits, count: byteCount)
      } else if let value {
        output.appendOwnBytes(of: value)
      }
    }
  }
}
