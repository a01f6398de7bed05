// Bech32 (BIP 173), the text form of age's recipients and identities: symbols of five bits, and a checksum
// that finds every typing mistake of up to four symbols. Without BIP 173's limit of 90 symbols, as age has it.

internal import ArchiveCrypto
internal import ByteCoding

enum Bech32 {
  private static let symbols = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let checksumCount = 6
  private static let separator = UInt8(ascii: "1")

  /// The bytes in `text`, all of whose letters are of one case.
  ///
  /// - Parameter prefix: the human-readable part that it has to have, in lower case.
  /// - Returns: nil where it is none, or mistyped.
  static func decode(_ text: RawSpan, prefix: String) -> SecretBytes? {
    var hasUpper = false
    var hasLower = false
    let start = prefix.utf8.count + 1
    guard text.byteCount >= start + checksumCount else { return nil }
    var checksum = Checksum(prefix)
    var values = SecretBytes(count: text.byteCount - start - checksumCount)
    var target = values.mutableBytes
    for offset in 0..<text.byteCount {
      var byte = text.u8(at: offset)
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        hasUpper = true
        byte += 32
      case UInt8(ascii: "a")...UInt8(ascii: "z"): hasLower = true
      default: break
      }
      if offset < start - 1 {
        guard byte == Array(prefix.utf8)[offset] else { return nil }
      } else if offset == start - 1 {
        guard byte == separator else { return nil }
      } else {
        guard let value = symbols.firstIndex(of: byte) else { return nil }
        checksum.add(UInt8(value))
        if offset < text.byteCount - checksumCount {
          target.store(UInt8(value), at: offset - start)
        }
      }
    }
    guard !(hasUpper && hasLower), checksum.isRight else { return nil }
    return bytes(values.bytes)
  }

  /// Groups of five bits as bytes; what is left over has to be zero and less than a group.
  private static func bytes(_ values: RawSpan) -> SecretBytes? {
    let count = values.byteCount * 5 / 8
    guard values.byteCount * 5 - count * 8 < 5 else { return nil }
    var result = SecretBytes(count: count)
    var target = result.mutableBytes
    var bits: UInt32 = 0
    var bitCount = 0
    var offset = 0
    for index in 0..<values.byteCount {
      bits = bits << 5 | UInt32(values.u8(at: index))
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        target.store(UInt8(truncatingIfNeeded: bits >> bitCount), at: offset)
        offset += 1
      }
      bits &= 1 << bitCount - 1
    }
    guard bits & (1 << bitCount - 1) == 0 else { return nil }
    return result
  }

  /// `bytes` behind `prefix`, in lower case.
  static func encode(_ bytes: RawSpan, prefix: String) -> SecretBytes {
    let valueCount = (bytes.byteCount * 8 + 4) / 5
    let start = prefix.utf8.count + 1
    var text = SecretBytes(count: start + valueCount + checksumCount)
    var target = text.mutableBytes
    target.store(Array(prefix.utf8) + [separator], at: 0)
    var checksum = Checksum(prefix)
    for index in 0..<valueCount {
      var value: UInt8 = 0
      for bit in (5 * index)..<(5 * index + 5) {
        let isSet = bit / 8 < bytes.byteCount && bytes.u8(at: bit / 8) >> (7 - bit % 8) & 1 == 1
        value = value << 1 | (isSet ? 1 : 0)
      }
      checksum.add(value)
      target.store(symbols[Int(value)], at: start + index)
    }
    for (index, value) in checksum.closing.enumerated() {
      target.store(symbols[Int(value)], at: start + valueCount + index)
    }
    return text
  }

  /// The code of BIP 173, "Checksum".
  private struct Checksum {
    private static let generator: [UInt32] = [
      0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3,
    ]
    private var code: UInt32 = 1

    init(_ prefix: String) {
      for byte in prefix.utf8 { add(byte >> 5) }
      add(0)
      for byte in prefix.utf8 { add(byte & 0x1F) }
    }

    mutating func add(_ value: UInt8) {
      let top = code >> 25
      code = (code & 0x1FF_FFFF) << 5 ^ UInt32(value)
      for bit in 0..<5 where top >> bit & 1 == 1 { code ^= Self.generator[bit] }
    }

    var isRight: Bool { code == 1 }

    /// The six symbols that make it right.
    var closing: [UInt8] {
      var closed = self
      for _ in 0..<checksumCount { closed.add(0) }
      let rest = closed.code ^ 1
      return (0..<checksumCount).map { UInt8(rest >> (5 * (5 - $0)) & 0x1F) }
    }
  }
}
