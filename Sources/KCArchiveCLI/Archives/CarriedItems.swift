// Which items a verb is about: the query options as the library's query.

internal import ByteCoding
internal import KeychainModel

extension ItemQuery {
  /// The query in the library's terms.
  func attributeQuery() throws(CommandError) -> AttributeQuery {
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
      conditions.append(Attribute(key, try Self.value(of: match, for: key)))
    }
    return AttributeQuery(
      itemClass.map { ItemClass(rawValue: $0) }, conditions: conditions)
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

/// The items that `pack` and `restore` carry over.
struct CarriedItems: Sendable {
  /// Each empty where anything goes.
  private let classes: Set<ItemClass>
  private let accessGroups: Set<[UInt8]>
  private let accessibilities: Set<Accessible>

  static let all = CarriedItems(classes: [], accessGroups: [], accessibilities: [])

  private init(
    classes: Set<ItemClass>, accessGroups: Set<[UInt8]>, accessibilities: Set<Accessible>
  ) {
    self.classes = classes
    self.accessGroups = accessGroups
    self.accessibilities = accessibilities
  }

  init(_ arguments: ParsedArguments) {
    func texts(_ key: OptionKey) -> [String] {
      arguments.values(key).compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
    self.init(
      classes: Set(texts(.itemClass).map { ItemClass(rawValue: $0) }),
      accessGroups: Set(texts(.accessGroup).map { Array($0.utf8) }),
      accessibilities: Set(texts(.accessible).map { Accessible(rawValue: $0) }))
  }

  func includes(_ item: KeychainItem) -> Bool {
    (classes.isEmpty || classes.contains(item.itemClass))
      && (accessGroups.isEmpty || accessGroups.contains(Self.accessGroup(of: item)))
      && (accessibilities.isEmpty || item.accessible.map(accessibilities.contains) ?? false)
  }

  /// Without one, an item is in the group of no name, as in its primary key.
  private static func accessGroup(of item: KeychainItem) -> [UInt8] {
    switch item[.accessGroup] {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    default: []
    }
  }

  /// What is said of those that it does not include; nil where there are none.
  static func note(leftOut count: UInt64) -> String? {
    guard count > 0 else { return nil }
    return
      "\(counted(count, "item")) \(count == 1 ? "is" : "are") left out by '-c', '--access-group' or '--accessible'"
  }
}
