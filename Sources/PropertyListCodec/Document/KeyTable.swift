// Finds keys that a dictionary has twice, in one pass over a list. Keys with the same text get the same number;
// a dictionary leaves its mark on the numbers it has, so that its size does not matter.

internal import ByteCoding

struct KeyTable: ~Escapable {
  private static let none = UInt32.max

  private let records: [NodeRecord]
  private let content: RawSpan
  /// By node, up to the last that was a key so far (in most lists, keys come first): the node whose text it
  /// has, itself or an earlier one; `none` where that is not known yet.
  private var canonical: [UInt32] = []
  /// By canonical node: one more than the last dictionary that had the key.
  private var lastOwner: [UInt32] = []
  /// Open addressing: canonical nodes by the hash of their text. The size is a power of two.
  private var slots: [UInt32] = Array(repeating: none, count: 64)
  private var used = 0

  @_lifetime(copy content)
  init(records: [NodeRecord], content: RawSpan) {
    self.records = records
    self.content = content
  }

  /// Notes that the dictionary `owner` has the string node `key`. False when it had one of that text already.
  /// A dictionary's keys come one after the other.
  mutating func insert(_ key: Int, into owner: Int) -> Bool {
    if key >= canonical.count {
      let added = max(key + 1, 2 * canonical.count) - canonical.count
      canonical.append(contentsOf: repeatElement(Self.none, count: added))
      lastOwner.append(contentsOf: repeatElement(0, count: added))
    }
    var representative = canonical[key]
    if representative == Self.none {
      representative = intern(key)
      canonical[key] = representative
    }
    let mark = UInt32(truncatingIfNeeded: owner) + 1
    if lastOwner[Int(representative)] == mark { return false }
    lastOwner[Int(representative)] = mark
    return true
  }

  /// The first node with the text of `key`.
  private mutating func intern(_ key: Int) -> UInt32 {
    if used * 2 >= slots.count { grow() }
    let record = records[key]
    // Hashing whole keys is linear in the file only when each is hashed once, which `canonical` sees to.
    var slot = hash(record) & (slots.count - 1)
    while slots[slot] != Self.none {
      if hasSameText(records[Int(slots[slot])], record) { return slots[slot] }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = UInt32(truncatingIfNeeded: key)
    used += 1
    return slots[slot]
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Self.none, count: old.count * 2)
    for node in old where node != Self.none {
      var slot = hash(records[Int(node)]) & (slots.count - 1)
      while slots[slot] != Self.none { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = node
    }
  }

  /// A seeded hash, so that nobody can make a file whose keys collide.
  private func hash(_ record: NodeRecord) -> Int {
    var hasher = Hasher()
    switch record.encoding {
    case .utf16, .markedUpText, .escapedText:
      hasher.combine(bytes: NodeText.utf8(of: record, in: content))
    default:
      unsafe content.extracting(record.content).withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
    return hasher.finalize()
  }

  private func hasSameText(_ left: NodeRecord, _ right: NodeRecord) -> Bool {
    func isPlain(_ record: NodeRecord) -> Bool {
      switch record.encoding {
      case .utf16, .markedUpText, .escapedText: false
      default: true
      }
    }
    if isPlain(left), isPlain(right) {
      return left.count == right.count
        && content.hasSameBytes(Int(left.first), Int(right.first), count: Int(left.count))
    }
    return NodeText.utf8(of: left, in: content) == NodeText.utf8(of: right, in: content)
  }
}

extension NodeTable {
  /// Lists keys that a dictionary of a list of text has twice.
  mutating func checkKeys(_ content: RawSpan) throws(PropertyListError) {
    var keys = KeyTable(records: records, content: content)
    // The keys of the dictionary before, where it has none twice: others with the same need no look.
    var checked = 0..<0
    // Where something is irregular, only the list of that changes.
    for index in records.indices where records[index].kind == .dictionary {
      let range = records[index].links.prefix(records[index].links.count / 2)
      if haveSameTexts(range, checked, content) { continue }
      let count = irregularities.count
      defer { checked = irregularities.count == count ? range : 0..<0 }
      for link in range {
        let key = Int(links[link])
        if !keys.insert(key, into: index) {
          try irregularities.add(
            .duplicateKey, at: Int(records[key].start), "a dictionary has a key twice")
        }
      }
    }
  }
}

extension RawSpan {
  /// Whether `count` bytes at two places are the same.
  func hasSameBytes(_ left: Int, _ right: Int, count: Int) -> Bool {
    var index = 0
    while count - index >= 8 {
      guard u64(at: left + index) == u64(at: right + index) else { return false }
      index += 8
    }
    let rest = count - index
    if rest > 0, max(left, right) + index <= byteCount - 8 {
      // A word of which `rest` bytes count.
      return (u64(at: left + index) ^ u64(at: right + index)) << UInt64(64 - 8 * rest) == 0
    }
    while index < count {
      guard u8(at: left + index) == u8(at: right + index) else { return false }
      index += 1
    }
    return true
  }
}

extension Hasher {
  fileprivate mutating func combine(bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
  }
}
