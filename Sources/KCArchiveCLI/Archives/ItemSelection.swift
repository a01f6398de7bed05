// Which items a verb is about: the query options as the library's query.

internal import ByteCoding
internal import KeychainModel

extension ItemQuery {
  /// The query in the library's terms.
  func attributeQuery() throws(CommandError) -> AttributeQuery {
    var itemClass = itemClass.map { ItemClass(rawValue: $0) }
    var conditions: [Attribute] = []
    func add(_ key: AttributeKey, _ text: String?) {
      if let text { conditions.append(Attribute(key, .text(text))) }
    }
    add(.service, service)
    add(.account, account)
    add(.accessGroup, accessGroup)
    add(.server, server)
    add(.accessible, accessible)
    for match in attributes {
      let key = AttributeKey(named: match.name)
      if key == .persistentReference, let reference = Self.reference(match) {
        guard itemClass == nil || itemClass == reference.itemClass else {
          throw .usage(
            "\(quoted(match.value)) names an item of class \(reference.itemClass.rawValue), and another is asked for"
          )
        }
        itemClass = reference.itemClass
        switch reference.name {
        case .uuid(let uuid): conditions.append(Attribute(key, .bytes(uuid)))
        case .row(let row): conditions.append(Attribute(.row, .integer(Int64(clamping: row))))
        }
        continue
      }
      conditions.append(Attribute(key, try Self.value(of: match, for: key)))
    }
    return AttributeQuery(itemClass, conditions: conditions)
  }

  /// The reference that a Base64 text is, as applications keep it in their preferences.
  private static func reference(_ match: AttributeMatch) -> PersistentReference? {
    (try? Base64.decode(Array(match.value.utf8).bytes)).flatMap { PersistentReference($0) }
  }

  /// What was typed, as the attribute's column has it.
  private static func value(
    of match: AttributeMatch, for key: AttributeKey
  ) throws(CommandError) -> AttributeValue {
    switch KnownAttribute(key)?.columnType {
    case .number:
      // FourCC numbers may be typed as their four characters.
      if let number = Int64(match.value) { return .integer(number) }
      return .text(match.value)
    case .boolean:
      switch match.value {
      case "true", "1": return .boolean(true)
      case "false", "0": return .boolean(false)
      default:
        throw .usage("\(quoted(match.name)) is true or false, not \(quoted(match.value))")
      }
    case .date:
      guard let date = Timestamp.seconds(Array(match.value.utf8).bytes) ?? Double(match.value)
      else {
        throw .usage(
          "\(quoted(match.name)) is a date, not \(quoted(match.value))",
          hint: "dates are written 2024-05-01T12:00:00Z")
      }
      return .date(date)
    default: return .text(match.value)
    }
  }
}
