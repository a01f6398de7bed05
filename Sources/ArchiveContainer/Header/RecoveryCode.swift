// Recovery codes: 128 random bits to be printed and put away, with a check against mistyping (Spec/container.md,
// "Recovery codes"). The text is Crockford's base32 in six groups of five.

package import ArchiveCrypto
internal import ByteCoding

package final class RecoveryCode: Sendable {
  static let byteCount = 16
  private static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let symbolCount = 30
  /// 128 bits and two zero bits.
  private static let codeSymbolCount = 26

  /// 16 bytes.
  let code: SecretBytes

  init(code: consuming SecretBytes) { self.code = code }

  /// Draws a new one.
  package static func fresh() throws(CryptoError) -> RecoveryCode {
    RecoveryCode(code: try Randomness.secret(count: byteCount))
  }

  /// Reads a code as people type it: lower case, I and L for 1, O for 0; hyphens and spaces don't count.
  ///
  /// - Returns: nil where it is mistyped.
  package static func read(_ text: RawSpan) -> RecoveryCode? {
    var values = SecretBytes(count: symbolCount)
    var target = values.mutableBytes
    var count = 0
    for offset in 0..<text.byteCount {
      guard let value = value(of: text.u8(at: offset)) else { return nil }
      guard value != separator else { continue }
      guard count < symbolCount else { return nil }
      target.store(value, at: count)
      count += 1
    }
    guard count == symbolCount else { return nil }
    var code = SecretBytes(count: byteCount)
    var bytes = code.mutableBytes
    for bit in 0..<(8 * byteCount) {
      let symbol = values.bytes.u8(at: bit / 5)
      let isSet = symbol >> (4 - UInt8(bit % 5)) & 1
      bytes.store(bytes.bytes.u8(at: bit / 8) | isSet << (7 - UInt8(bit % 8)), at: bit / 8)
    }
    guard values.bytes.u8(at: codeSymbolCount - 1) & 3 == 0 else { return nil }
    let check = Self.check(of: code.bytes)
    for (index, symbol) in check.enumerated()
    where values.bytes.u8(at: codeSymbolCount + index) != symbol { return nil }
    return RecoveryCode(code: code)
  }

  private static let separator: UInt8 = 32

  /// The five bits that a symbol stands for; `separator` for what does not count; nil for any other.
  private static func value(of byte: UInt8) -> UInt8? {
    let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
    switch upper {
    case UInt8(ascii: "-"), UInt8(ascii: " "): return separator
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    case UInt8(ascii: "O"): return 0
    default: return symbols.firstIndex(of: upper).map { UInt8($0) }
    }
  }

  /// The code as it is shown: `R30W5-GY4RQ-…`
  package var text: SecretBytes {
    code.withBytes { code in
      var text = SecretBytes(count: Self.symbolCount + 5)
      var target = text.mutableBytes
      var offset = 0
      func put(_ value: UInt8, _ target: inout MutableRawSpan) {
        if offset % 6 == 5 {
          target.store(UInt8(ascii: "-"), at: offset)
          offset += 1
        }
        target.store(Self.symbols[Int(value)], at: offset)
        offset += 1
      }
      for index in 0..<Self.codeSymbolCount {
        var value: UInt8 = 0
        for bit in (5 * index)..<(5 * index + 5) {
          let isSet = bit < 8 * Self.byteCount && code.u8(at: bit / 8) >> (7 - bit % 8) & 1 == 1
          value = value << 1 | (isSet ? 1 : 0)
        }
        put(value, &target)
      }
      for value in Self.check(of: code) { put(value, &target) }
      return text
    }
  }

  /// The first 20 bits of SHA-256(L("recovery code") ‖ code), five by five.
  private static func check(of code: RawSpan) -> [UInt8] {
    let label = Format.label("recovery code")
    var message = SecretBytes(count: 0, capacity: label.count + byteCount)
    message.append(label.bytes)
    message.append(code)
    let digest = SHA256.hash(message.bytes)
    let bits = UInt32(digest[0]) << 12 | UInt32(digest[1]) << 4 | UInt32(digest[2]) >> 4
    return (0..<4).map { UInt8(bits >> (15 - 5 * UInt32($0)) & 0x1F) }
  }
}
