// Which items `pack` and `restore` carry over, and what is said of the others.

internal import KeychainModel

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
