// Lookup and primary keys: the bytes that make two items the same, or found by the same query.
//
// The container makes its index tokens of these bytes, so they are part of the format: the class as
// text, then the attributes of the lists below in this order, each as u8 type, u32 length, bytes; a
// missing one stands as its column's default.

/// A column of a key, with the conversion its values get there.
struct KeyColumn: Sendable {
  let key: AttributeKey
  let coercion: Coercion

  init(_ key: AttributeKey) {
    self.key = key
    coercion = key.coercion
  }
}

/// The keys of one class. A class, so that finding the one of an item retains one object.
final class KeyColumns: Sendable {
  private let itemClass: ItemClass
  let lookup: [KeyColumn]
  let primary: [KeyColumn]

  private init(
    _ itemClass: ItemClass, lookup: [AttributeKey], primary: [AttributeKey],
    shared: [AttributeKey] = [
      .accessGroup, .synchronizable, .syncViewHint, .tokenID, .multiUser, .sharingGroup,
    ]
  ) {
    self.itemClass = itemClass
    self.lookup = lookup.map { KeyColumn($0) }
    self.primary = (primary + shared).map { KeyColumn($0) }
  }

  private static let all: [KeyColumns] = [
    KeyColumns(
      .genericPassword, lookup: [.account, .service], primary: [.account, .service]),
    KeyColumns(
      .internetPassword, lookup: [.account, .server],
      primary: [
        .account, .securityDomain, .server, .protocol, .authenticationType, .port, .path,
      ]),
    KeyColumns(
      .certificate, lookup: [.issuer, .serialNumber],
      primary: [.certificateType, .issuer, .serialNumber]),
    KeyColumns(
      .key, lookup: [.applicationLabel],
      primary: [
        .keyClass, .applicationLabel, .applicationTag, .keyCreator, .keyType, .keySizeInBits,
        .effectiveKeySize, .startDate, .endDate,
      ]),
    KeyColumns(
      .identity, lookup: [.issuer, .serialNumber],
      primary: [.certificateType, .issuer, .serialNumber, .applicationLabel]),
    KeyColumns(.file, lookup: [.path], primary: [.path], shared: []),
  ]

  /// The keys of `itemClass`, or nil when the class is not known.
  static func of(_ itemClass: ItemClass) -> KeyColumns? {
    for columns in all where columns.itemClass == itemClass { return columns }
    return nil
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
      // Without a list of columns the values alone would not say whose they are.
      for attribute in attributes {
        let name = AttributeValue.text(attribute.key.column)
        target.append(atMost: 10 + name.byteCount + attribute.value.byteCount) { output in
          output.append(canonical: name, .own)
          output.append(canonical: attribute.value, .own)
        }
      }
    }
  }
}

// Search keys: as lookup keys, of any one column. They are not in the archive.

extension AttributeQuery {
  /// The class and the value that `key` has to have, as bytes; nil where the query does not name both.
  package func searchKey(_ key: AttributeKey) -> [UInt8]? {
    guard let itemClass else { return nil }
    return canonicalKey(itemClass, [KeyColumn(key)])
  }
}

extension KeychainItem {
  /// The class and the value of `key`, as bytes: those of each query that it meets with it. Nil where it has none.
  package func searchKey(_ key: AttributeKey) -> [UInt8]? {
    guard
      attributes.index(of: key) != nil || itemClass.primaryKey?.contains(key) ?? false
    else { return nil }
    var bytes: [UInt8] = []
    itemClass.appendCanonical(to: &bytes)
    attributes.appendCanonical([KeyColumn(key)], to: &bytes)
    return bytes
  }
}

extension ItemClass {
  func appendCanonical(to target: inout [UInt8]) {
    let count = name.byteCount
    target.append(atMost: 5 + count) { output in
      output.append(type: 1, byteCount: count)
      output.append(name)
    }
  }
}

extension [Attribute] {
  /// Appends the canonical values of `columns`; a missing attribute stands as its default.
  func appendCanonical(_ columns: [KeyColumn], to target: inout [UInt8]) {
    let attributes = span
    let columns = columns.span
    var positions = InlineArray<16, Int>(repeating: -1)
    // The most that the values can need: a number has eight bytes, all else its own.
    var room = 0
    for column in columns.indices {
      let position = attributes.firstIndex(notBelow: columns[column].key)
      if position < attributes.count, attributes[position].key == columns[column].key {
        positions[column] = position
        room += 5 + Swift.max(8, attributes[position].value.byteCount)
      } else {
        room += 5 + 8
      }
    }
    target.append(atMost: room) { output in
      for column in columns.indices {
        let coercion = columns[column].coercion
        if positions[column] < 0 {
          output.append(.missing(coercion))
        } else {
          output.append(canonical: attributes[positions[column]].value, coercion)
        }
      }
    }
  }
}

extension OutputBytes {
  /// Appends type, length and bytes of a form that has no bytes of a value's own.
  @inline(__always)
  mutating func append(_ form: CanonicalForm) {
    append(type: form.type, byteCount: form.byteCount)
    append(form.bits ?? 0, byteCount: form.byteCount)
  }

  /// Appends type, length and bytes of `value` as a column with `coercion` has it.
  @inline(__always)
  mutating func append(canonical value: borrowing AttributeValue, _ coercion: Coercion) {
    let form = value.form(coercion)
    if form.bits != nil {
      append(form)
    } else {
      append(type: form.type, byteCount: form.byteCount)
      append(value)
    }
  }
}
