// Makes the checks that need no key right again, as someone would who changes an archive on purpose.

internal import ArchiveCrypto
internal import ByteCoding

/// The unkeyed checks, written once more as the Spec says them.
package enum PlainCheck {
  /// Σ (2i+1)·w[i] mod 2^32.
  package static func body(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum: UInt32 = 0
    var factor: UInt32 = 1
    var index = bytes.startIndex
    while index < bytes.endIndex {
      var word: UInt32 = 0
      for byte in 0..<4 { word |= UInt32(bytes[index + byte]) << UInt32(8 * byte) }
      sum &+= factor &* word
      factor &+= 2
      index += 4
    }
    return sum
  }

  /// CRC-32 bit by bit: polynomial 0xEDB88320, start and final XOR all ones.
  package static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc: UInt32 = .max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}

extension [UInt8] {
  /// Makes body check and CRC-32 of the frame at `place` fit, if its claimed length is there.
  package mutating func repairFrame(at place: Int) {
    let length = Int(bytes.u24(at: place + 5))
    if length.isMultiple(of: 4), place + 32 + length <= count {
      let check = PlainCheck.body(self[(place + 32)..<(place + 32 + length)])
      store(check, at: place + 24)
    }
    repairCRC(at: place)
  }

  /// Makes the CRC-32 of the header or end mark at `place` fit.
  package mutating func repairCRC(at place: Int) {
    store(PlainCheck.crc32(self[place..<(place + 28)]), at: place + 28)
  }

  /// Makes the SHA-256 of the header copy at `place` fit.
  package mutating func repairHeader(at place: Int, size: Int = 4096) {
    let digest = SHA256.hash(Array(self[place..<(place + size - 32)]).bytes)
    replaceSubrange((place + size - 32)..<(place + size), with: digest)
  }

  package mutating func store(_ value: UInt32, at offset: Int) {
    for byte in 0..<4 { self[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt32(8 * byte)) }
  }

  package mutating func store(_ value: UInt64, at offset: Int) {
    store(UInt32(truncatingIfNeeded: value), at: offset)
    store(UInt32(truncatingIfNeeded: value >> 32), at: offset + 4)
  }

  /// A copy with bit `bit` flipped, counted from the first byte's lowest.
  package func flipping(_ bit: Int) -> [UInt8] {
    var result = self
    result[bit / 8] ^= 1 << UInt8(bit % 8)
    return result
  }
}
