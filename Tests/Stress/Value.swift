// The values that the stress test writes: each says which item it is of, and shows when it is torn.

import Foundation

/// `name|sequence|filler|checksum`, in UTF-8.
struct Value: Equatable {
  let name: String
  let sequence: Int
  let data: Data

  /// - Parameter fillerByteCount: so many bytes more, that differ from value to value.
  init(name: String, sequence: Int, fillerByteCount: Int) {
    self.name = name
    self.sequence = sequence
    let letter = Character(UnicodeScalar(UInt8(97 + sequence % 26)))
    let text = "\(name)|\(sequence)|" + String(repeating: letter, count: fillerByteCount)
    data = Data("\(text)|\(Self.checksum(Data(text.utf8)))".utf8)
  }

  /// The value that `data` is; nil where nobody has written it so.
  init?(_ data: Data) {
    guard let end = data.lastIndex(of: UInt8(ascii: "|")) else { return nil }
    let text = data[..<end]
    let parts = text.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
    guard parts.count == 3,
      Data(data[(end + 1)...]) == Data("\(Self.checksum(Data(text)))".utf8),
      let sequence = Int(String(decoding: parts[1], as: UTF8.self))
    else { return nil }
    name = String(decoding: parts[0], as: UTF8.self)
    self.sequence = sequence
    self.data = data
  }

  /// FNV-1a of 64 bits.
  private static func checksum(_ data: Data) -> UInt64 {
    data.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
