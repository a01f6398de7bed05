// The names of attributes in JSON. The model's table decides what a name means; here it is only prepared for
// looking up a name that is still bytes of the text, a million times a second, without making a String.

internal import ByteCoding
internal import KeychainModel

/// What JSON needs to know about names.
struct AttributeNames: Sendable {
  /// What a member of an item is, as far as its name is known.
  enum Member: Sendable {
    /// The attribute of this place in `known`.
    case known(UInt8)
    case itemClass, value
    /// The object of attributes that are named by column only.
    case columns
  }

  /// An attribute of the model's table.
  struct Known: Sendable {
    let key: AttributeKey
    let name: String
    /// The name in items of the classes key and identity.
    let nameInKeys: String
    /// Whether the column holds dates, so that a plain string or number is one.
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
  private struct Name: Equatable, Sendable {
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

  private struct Slot: Sendable {
    let name: Name
    let member: Member
  }

  static let shared = AttributeNames()

  /// The model's table in the order of the columns' bytes, which is the order of an item's attributes.
  let known: [Known]
  /// The keys alone, and a bit for each that holds dates: what reading needs, without copying the rest.
  let keys: [AttributeKey]
  let dates: UInt128
  private let places: [AttributeKey: UInt8]
  private let classes: [(code: UInt32, itemClass: ItemClass)]
  /// An open hash table of 512 slots for some 170 names; nil is a free one.
  private let slots: [Slot?]

  private init() {
    let rows = KnownAttribute.all.sorted { $0.key < $1.key }
    // A property of the model's source, not of any input; the reader keeps a bit for each of them.
    precondition(rows.count <= 128)
    var slots = [Slot?](repeating: nil, count: 512)
    func add(_ name: String, _ member: Member) {
      let bytes = Array(name.utf8)
      guard let name = Name(bytes.bytes) else { return }
      var index = name.slot
      while let slot = slots[index], slot.name != name { index = (index + 1) & 511 }
      slots[index] = Slot(name: name, member: member)
    }
    var places: [AttributeKey: UInt8] = [:]
    for (place, row) in rows.enumerated() {
      places[row.key] = UInt8(place)
      for name in [row.name, row.nameInKeys ?? row.name, row.key.column] {
        add(name, .known(UInt8(place)))
      }
    }
    add("class", .itemClass)
    add("clas", .itemClass)
    add("value", .value)
    add("attributes", .columns)
    let known = rows.map { row in
      let isLeading = Self.leading.contains(row.key)
      let isTrailing = Self.trailing.contains(row.key)
      return Known(
        key: row.key, name: row.name, nameInKeys: row.nameInKeys ?? row.name,
        isDate: row.columnType == .date,
        part: isLeading ? .leading : isTrailing ? .trailing : .middle)
    }
    self.known = known
    keys = rows.map(\.key)
    dates = known.indices.reduce(0) { $0 | (known[$1].isDate ? 1 << UInt128($1) : 0) }
    self.places = places
    self.slots = slots
    classes = ItemClass.allKnown.map { itemClass in
      let code = itemClass.rawValue.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
      return (code, itemClass)
    }
  }

  /// The known class of this code, for example `genp`.
  func itemClass(_ code: RawSpan) -> ItemClass? {
    guard code.byteCount == 4 else { return nil }
    let word = code.u32(at: 0)
    return classes.first { $0.code == word }?.itemClass
  }

  /// What `name` means as a member of an item, for most names. Nil when that takes `member(named:)` to
  /// say.
  func member(_ name: RawSpan) -> Member? {
    guard let name = Name(name) else { return nil }
    var index = name.slot
    while let slot = slots[index] {
      if slot.name == name { return slot.member }
      index = (index + 1) & 511
    }
    return nil
  }

  /// What `name` means as a member of an item. Nil when it is an unknown attribute's column.
  func member(named name: String) -> Member? {
    let bytes = Array(name.utf8)
    return member(bytes.bytes) ?? place(of: AttributeKey(named: name)).map { .known($0) }
  }

  /// The place of the key in `known`.
  func place(of key: AttributeKey) -> UInt8? { places[key] }

  /// The known attribute of this key.
  func known(_ key: AttributeKey) -> Known? { places[key].map { known[Int($0)] } }
}
