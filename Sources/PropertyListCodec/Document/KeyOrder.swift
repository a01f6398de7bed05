// The order in which Apple's writers have the keys of a dictionary: that of their UTF-16 code units, as
// `CFStringCompare` has it.

enum KeyOrder {
  /// The positions of keys, which are UTF-8, as they are written; equal ones in their own order.
  static func sorted(utf8 keys: [[UInt8]]) -> [Int] {
    // UTF-8 has the order of scalars; in UTF-16 those from U+10000 on, which are pairs of surrogates, come before
    // those from U+E000 on.
    sorted(keys) { byte in
      byte < 0xee ? Int(byte) : byte < 0xf0 ? Int(byte) + 0x10 : Int(byte) - 2
    }
  }

  /// As above, for keys that can have surrogates without a pair.
  static func sorted(utf16 keys: [[UInt16]]) -> [Int] { sorted(keys) { Int($0) } }

  private static func sorted<Unit: Equatable>(_ keys: [[Unit]], _ rank: (Unit) -> Int) -> [Int] {
    keys.indices.sorted { left, right in
      let (leftKey, rightKey) = (keys[left], keys[right])
      for index in 0..<min(leftKey.count, rightKey.count) where leftKey[index] != rightKey[index] {
        return rank(leftKey[index]) < rank(rightKey[index])
      }
      return leftKey.count == rightKey.count ? left < right : leftKey.count < rightKey.count
    }
  }
}
