// What a column takes of the values that a query or an item to be added has for it.
//
// Source: copyString, copyBlob, copyData, copyNumber and copyDate of SecDbItem.c in Apple's published Security
// project: what they refuse is `errSecParam`.

internal import ByteCoding

extension KnownAttribute {
  /// Columns that hold a string and never bytes.
  private static let strings: Set<AttributeKey> = [
    .accessGroup, .accessible, .syncViewHint, .tokenID, .sharingGroup, .uuid,
  ]

  /// `value` as the column holds it.
  ///
  /// - Throws: `errSecParam` for a type that the column does not take.
  func value(_ value: AttributeValue) throws(KeychainError) -> AttributeValue {
    let converted =
      switch columnType {
      case .text: text(value)
      case .data: data(value)
      case .number, .boolean: number(value)
      case .date: date(value)
      }
    guard let converted else {
      throw KeychainError(.parameter, "\(name): a value of a type that it does not have")
    }
    return converted
  }

  private func text(_ value: AttributeValue) -> AttributeValue? {
    switch value {
    case .text: value
    case .bytes(let bytes) where Self.strings.contains(key):
      String(utf8: bytes.bytes).map { .text($0) }
    case .bytes: value
    // A four-character code may be a number; elsewhere a number is its decimal text.
    case .integer(let number):
      key.coercion == .fourCharacterCode ? value : .text(String(number))
    default: nil
    }
  }

  private func data(_ value: AttributeValue) -> AttributeValue? {
    switch value {
    case .bytes: value
    case .text(let text): .bytes(Array(text.utf8))
    default: nil
    }
  }

  private func number(_ value: AttributeValue) -> AttributeValue? {
    let number: Int64
    switch value {
    case .integer(let value): number = value
    case .boolean(let value): number = value ? 1 : 0
    case .real(let value):
      guard let whole = Int64(exactly: value) else { return nil }
      number = whole
    case .text(let text):
      guard let value = Int64(text) else { return nil }
      number = value
    default: return nil
    }
    return columnType == .boolean && (0...1).contains(number)
      ? .boolean(number == 1) : .integer(number)
  }

  private func date(_ value: AttributeValue) -> AttributeValue? {
    switch value {
    case .date: value
    case .integer(let number): .date(Float64(number))
    case .real(let number): .date(number)
    default: nil
    }
  }
}

extension [Attribute] {
  /// The attributes as the columns of `itemClass` hold them.
  ///
  /// - Throws: `errSecNoSuchAttr` for one that the class does not have, `errSecParam` for a value that its
  ///   column does not take.
  func asColumns(of itemClass: ItemClass) throws(KeychainError) -> [Attribute] {
    var converted: [Attribute] = []
    converted.reserveCapacity(count)
    for attribute in self {
      guard let known = KnownAttribute(attribute.key), known.classes.contains(itemClass) else {
        throw KeychainError(
          .noSuchAttribute, "\(attribute.key.column): the class \(itemClass) has no such attribute")
      }
      converted.append(Attribute(attribute.key, try known.value(attribute.value)))
    }
    return converted
  }
}
