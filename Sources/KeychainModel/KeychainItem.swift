// An item without its secret: a class and the attributes, sorted as the archive holds them.

/// A key with its value.
public struct Attribute: Sendable, Equatable {
  public let key: AttributeKey
  public var value: AttributeValue

  public init(_ key: AttributeKey, _ value: AttributeValue) {
    self.key = key
    self.value = value
  }
}

/// A keychain item's class and attributes. The secret itself is not here: values travel apart, and
/// listing never touches them.
///
/// The class is no attribute: `clas`, which holds it in an archive, is read and set through
/// `itemClass` alone and never in `attributes`.
public struct KeychainItem: Sendable, Equatable {
  public var itemClass: ItemClass

  /// In strictly rising order of the keys' bytes, without `clas`.
  public private(set) var attributes: [Attribute]

  public init(_ itemClass: ItemClass) {
    self.itemClass = itemClass
    attributes = []
  }

  /// An item with `attributes`, in any order; the last one of a key counts, `clas` is left out. The
  /// cheap way to make one: collect, then one sort, or none when they came sorted.
  public init(_ itemClass: ItemClass, attributes: [Attribute]) {
    self.itemClass = itemClass
    self.attributes = attributes.sortedByKey(without: .itemClass)
  }

  /// As `init(_:attributes:)`, written as a literal: `[.account: .text("alice")]`.
  public init(_ itemClass: ItemClass, _ literal: KeyValuePairs<AttributeKey, AttributeValue>) {
    self.init(itemClass, attributes: literal.map { Attribute($0.key, $0.value) })
  }

  /// For the decoder, which has checked order and keys.
  init(itemClass: ItemClass, sorted attributes: [Attribute]) {
    self.itemClass = itemClass
    self.attributes = attributes
  }

  /// The value of `key`; nil when there is none. Setting nil removes the attribute, and setting
  /// `clas` changes nothing: see `itemClass`.
  public subscript(key: AttributeKey) -> AttributeValue? {
    get {
      attributes.index(of: key).map { attributes[$0].value }
    }
    set {
      guard key != .itemClass else { return }
      attributes.set(key, newValue)
    }
  }
}

// A sorted list of attributes, as items and queries have it.
extension [Attribute] {
  /// The position of the first key that is not below `key`; `count` when all are.
  func firstIndex(notBelow key: AttributeKey) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func index(of key: AttributeKey) -> Int? {
    let index = firstIndex(notBelow: key)
    return index < count && self[index].key == key ? index : nil
  }

  mutating func set(_ key: AttributeKey, _ value: AttributeValue?) {
    let index = firstIndex(notBelow: key)
    let isThere = index < count && self[index].key == key
    switch (value, isThere) {
    case (let value?, true): self[index].value = value
    case (let value?, false): insert(Attribute(key, value), at: index)
    case (nil, true): remove(at: index)
    case (nil, false): break
    }
  }

  /// Sorted by key; the last one of equal keys stays.
  func sortedByKey(without excluded: AttributeKey? = nil) -> [Attribute] {
    var isSorted = true
    for index in indices where isSorted {
      isSorted =
        self[index].key != excluded && (index == 0 || self[index - 1].key < self[index].key)
    }
    if isSorted { return self }
    var kept: [Attribute] = []
    kept.reserveCapacity(count)
    // `sort` is stable, so that of equal keys the last stands last.
    for attribute in sorted(by: { $0.key < $1.key }) where attribute.key != excluded {
      if let last = kept.last, last.key == attribute.key { kept.removeLast() }
      kept.append(attribute)
    }
    return kept
  }
}
