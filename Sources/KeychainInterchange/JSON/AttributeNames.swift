// The names of attributes in JSON. The model's table decides what a name means; here it is only prepared for
// looking up a name that is still bytes of the text, a million times a second, without making a String.

internal import ByteCoding
internal import KeychainModel

/// What JSON needs to know about names.
struct AttributeNames: Sendable {
  /// What a member of an item is.
  enum Member: Sendable {
    /// An attribute; `isDate` when its column holds dates, so that a plain string or number is one.
    case attribute(AttributeKey, isDate: Bool)
    case itemClass, value
    /// The object of attributes that are named by column only.
    case columns
  }

  /// How a key is written.
  struct Written: Sendable {
    let name: String
    /// The name in items of the classes key and identity.
    let nameInKeys: String
    let isDate: Bool
    let part: Part
  }

  /// Where in an item's JSON an attribute stands.
  enum Part: Sendable { case leading, middle, trailing }

  /// What tells items apart, in the order in which it is written.
  static let leading: [AttributeKey] = [
    .service, .server, .path, .account, .accessGroup, .accessible, .synchronizable, .label,
  ]
  /// What is written behind all other attributes.
  static let trailing: [AttributeKey] = [.creationDate, .modificationDate]

  /// A name of 4 to 16 bytes as two words; nearly all have that.
  private struct Name: Hashable, Sendable {
    let count: Int
    let head: UInt64
    let tail: UInt64

    init?(_ name: RawSpan) {
      count = name.byteCount
      // The first and the last bytes overlap, and with the length they say it all.
      switch count {
      case 4..<8:
        head = UInt64(name.u32(at: 0))
        tail = UInt64(name.u32(at: count - 4))
      case 8...16:
        head = name.u64(at: 0)
        tail = name.u64(at: count - 8)
      default: return nil
      }
    }

    /// Good enough: the names in the table are known, and others are only looked up.
    var slot: Int {
      let bits = (head ^ tail &* 31 ^ UInt64(count)) &* 0x9e37_79b9_7f4a_7c15
      return Int(truncatingIfNeeded: bits >> 55)
    }
  }

  static let shared = AttributeNames()

  /// An open hash table of 512 slots for some 170 names; nil is a free one.
  private let slots: [(name: Name, member: Member)?]
  private let written: [AttributeKey: Written]

  private init() {
    var slots = [(name: Name, member: Member)?](repeating: nil, count: 512)
    func add(_ name: String, _ member: Member) {
      let bytes = Array(name.utf8)
      guard let name = Name(bytes.bytes) else { return }
      var index = name.slot
      while let slot = slots[index], slot.name != name { index = (index + 1) & 511 }
      slots[index] = (name, member)
    }
    var written: [AttributeKey: Written] = [:]
    for row in KnownAttribute.all {
      let isDate = row.columnType == .date
      written[row.key] = Written(
        name: row.name, nameInKeys: row.nameInKeys ?? row.name, isDate: isDate,
        part: Self.leading.contains(row.key)
          ? .leading : Self.trailing.contains(row.key) ? .trailing : .middle)
      for name in [row.name, row.nameInKeys ?? row.name, row.key.column] {
        add(name, .attribute(row.key, isDate: isDate))
      }
    }
    add("class", .itemClass)
    add("clas", .itemClass)
    add("value", .value)
    add("attributes", .columns)
    self.slots = slots
    self.written = written
  }

  /// What `name` means as a member of an item. Nil when that takes `member(named:)` to say.
  func member(_ name: RawSpan) -> Member? {
    guard let name = Name(name) else { return nil }
    var index = name.slot
    while let slot = slots[index] {
      if slot.name == name { return slot.member }
      index = (index + 1) & 511
    }
    return nil
  }

  /// What `name` means as a member of an item: in the end an attribute whose column it is.
  func member(named name: String) -> Member {
    let bytes = Array(name.utf8)
    return member(bytes.bytes) ?? attribute(AttributeKey(named: name))
  }

  /// The attribute of this column.
  func attribute(_ key: AttributeKey) -> Member {
    .attribute(key, isDate: isDate(key))
  }

  func isDate(_ key: AttributeKey) -> Bool { written[key]?.isDate ?? false }

  /// How the key is written as a member of an item; nil where its column would be taken for something
  /// else there, so that it has to stand under "attributes".
  func written(_ key: AttributeKey) -> Written? {
    if let known = written[key] { return known }
    let column = key.column
    guard case .attribute(key, _) = member(named: column) else { return nil }
    return Written(name: column, nameInKeys: column, isDate: false, part: .middle)
  }
}
