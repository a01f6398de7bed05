// What is asked for when items are searched: a class, and attributes that must be equal.

/// Conditions that an item has to meet, all of them. Values are compared as the column's type has
/// them: `"alice"` as text matches the same bytes, `true` matches 1.
public struct AttributeQuery: Sendable, Equatable {
  /// The class asked for; nil for any.
  public var itemClass: ItemClass?

  /// In strictly rising order of the keys' bytes.
  public private(set) var conditions: [Attribute]

  /// How each condition's values are compared.
  private var coercions: [Coercion]

  /// A query with `conditions` in any order; the last one of a key counts.
  public init(_ itemClass: ItemClass? = nil, conditions: [Attribute] = []) {
    self.itemClass = itemClass
    self.conditions = conditions.sortedByKey()
    coercions = self.conditions.map { $0.key.coercion }
  }

  /// As `init(_:conditions:)`, written as a literal: `[.account: .text("alice")]`.
  public init(_ itemClass: ItemClass?, _ literal: KeyValuePairs<AttributeKey, AttributeValue>) {
    self.init(itemClass, conditions: literal.map { Attribute($0.key, $0.value) })
  }

  /// The value that `key` has to have; nil when it may have any or none.
  public subscript(key: AttributeKey) -> AttributeValue? {
    get {
      conditions.index(of: key).map { conditions[$0].value }
    }
    set {
      conditions.set(key, newValue)
      coercions = conditions.map { $0.key.coercion }
    }
  }

  /// Whether `item` is of the class and meets every condition.
  ///
  /// An attribute that the item lacks stands as Apple's default where Apple's schema has one: in the
  /// class's primary key, and for `tomb` and `sysb`. Elsewhere a missing attribute meets none.
  public func matches(_ item: KeychainItem) -> Bool {
    if let itemClass, itemClass != item.itemClass { return false }
    for index in conditions.indices {
      let condition = conditions[index]
      guard let position = item.attributes.index(of: condition.key) else {
        guard item.meetsWithoutAttribute(condition, coercions[index]) else { return false }
        continue
      }
      guard
        AttributeValue.areEqual(
          item.attributes[position].value, condition.value, coercions[index])
      else { return false }
    }
    return true
  }

  /// The lookup key of the items that can match, when the class is given and the conditions name
  /// all of its lookup attributes; else nil.
  public var lookupKey: [UInt8]? {
    guard let itemClass else { return nil }
    return canonicalKey(itemClass, KeyColumns.of(itemClass)?.lookup ?? [])
  }

  /// The primary key of the one item that can match, when the class is given and the conditions
  /// name all of its primary key; else nil, as for any class not known.
  public var primaryKey: [UInt8]? {
    guard let itemClass, let columns = KeyColumns.of(itemClass) else { return nil }
    return canonicalKey(itemClass, columns.primary)
  }

  func canonicalKey(_ itemClass: ItemClass, _ columns: [KeyColumn]) -> [UInt8]? {
    guard columns.allSatisfy({ conditions.index(of: $0.key) != nil }) else { return nil }
    var key: [UInt8] = []
    itemClass.appendCanonical(to: &key)
    conditions.appendCanonical(columns, to: &key)
    return key
  }
}

extension KeychainItem {
  /// Whether the item meets `condition` although it has no such attribute.
  fileprivate func meetsWithoutAttribute(_ condition: Attribute, _ coercion: Coercion) -> Bool {
    let key = condition.key
    if key == .itemClass {
      return AttributeValue.areEqual(.text(itemClass.rawValue), condition.value, .text)
    }
    let hasDefault =
      key == .tombstone || key == .sysBound
      || KeyColumns.of(itemClass)?.primary.contains { $0.key == key } ?? false
    return hasDefault && AttributeValue.areEqual(nil, condition.value, coercion)
  }
}
