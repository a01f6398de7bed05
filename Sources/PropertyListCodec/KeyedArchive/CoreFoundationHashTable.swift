// The order in which Core Foundation's dictionaries (CFBasicHash, as in a process of 64 bits) give their keys,
// which is the order of fields in archives. It depends on the keys, and a little on the order they came in.

enum CoreFoundationHashTable {
  /// How many buckets a table has, and how many keys go into it before it grows: the sizes that Core Foundation
  /// takes one after the other.
  private static let sizes = [
    (3, 3), (7, 6), (13, 11), (23, 19), (41, 32), (71, 52), (127, 85), (191, 118), (251, 155),
    (383, 237), (631, 390), (1087, 672), (1723, 1065), (2803, 1732), (4523, 2795), (7351, 4543),
    (11959, 7391), (19447, 12019), (31231, 19302), (50683, 31324), (81919, 50629),
    (132_607, 81956), (214_519, 132_580), (346_607, 214_215), (561_109, 346_784),
    (907_759, 561_026), (1_468_927, 907_847), (2_376_191, 1_468_567), (3_845_119, 2_376_414),
    (6_221_311, 3_844_982), (10_066_421, 6_221_390), (16_287_743, 10_066_379),
    (26_354_171, 16_287_773), (42_641_881, 26_354_132), (68_996_069, 42_641_916),
    (111_638_519, 68_996_399), (180_634_607, 111_638_327), (292_272_623, 180_634_415),
    (472_907_251, 292_272_755),
  ]

  /// The positions of `keys`, which are different and were inserted in this order, as a dictionary enumerates
  /// them.
  static func order(of keys: [String]) -> [Int] {
    let hashes = keys.map(hash)
    var level = 0
    var table = [Int?](repeating: nil, count: sizes[0].0)
    for position in keys.indices {
      if position >= sizes[level].1, level + 1 < sizes.count {
        level += 1
        let old = table
        table = Array(repeating: nil, count: sizes[level].0)
        for case let entry? in old { insert(entry, hashes, &table) }
      }
      insert(position, hashes, &table)
    }
    return table.compactMap { $0 }
  }

  /// The first free bucket from the key's own on.
  private static func insert(_ position: Int, _ hashes: [UInt64], _ table: inout [Int?]) {
    var bucket = Int(hashes[position] % UInt64(table.count))
    while table[bucket] != nil { bucket = bucket + 1 == table.count ? 0 : bucket + 1 }
    table[bucket] = position
  }

  /// The hash of a string of at most 96 ASCII characters.
  private static func hash(_ text: String) -> UInt64 {
    let bytes = text.utf8.map { UInt64($0) }
    var hash = UInt64(bytes.count)
    var index = 0
    while bytes.count - index >= 4 {
      hash = hash &* 67_503_105 &+ bytes[index] &* 16_974_593
      hash = hash &+ bytes[index + 1] &* 66_049 &+ bytes[index + 2] &* 257 &+ bytes[index + 3]
      index += 4
    }
    while index < bytes.count {
      hash = hash &* 257 &+ bytes[index]
      index += 1
    }
    return hash &+ hash << UInt64(bytes.count & 31)
  }
}
