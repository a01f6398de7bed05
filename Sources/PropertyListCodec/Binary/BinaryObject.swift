// The bytes of single objects, in the widths that Apple's writer chooses (Core Foundation, CFBinaryPList.c):
// integers in the fewest of 1, 2, 4 bytes, negative and larger ones in 8, from 2^63 on in 16; text as ASCII
// where it can be, else as UTF-16.

internal import ByteCoding

enum BinaryObject {
  /// Appends a marker with a length in its lower half, or in an integer behind it.
  static func append(_ family: UInt8, count: Int, to bytes: inout [UInt8]) {
    if count < 15 {
      bytes.append(family << 4 | UInt8(truncatingIfNeeded: count))
    } else {
      bytes.append(family << 4 | 15)
      append(integer: Int128(count), to: &bytes)
    }
  }

  static func append(integer value: Int128, to bytes: inout [UInt8]) {
    // By 1, 2, 4, 8 and 16 bytes, as the exponent in the marker.
    let exponent: UInt8 =
      switch value {
      case 0..<0x100: 0
      case 0x100..<0x1_0000: 1
      case 0x1_0000..<0x1_0000_0000: 2
      case Int128(Int64.min)...Int128(Int64.max): 3
      default: 4
      }
    bytes.append(BinaryFormat.Family.integer << 4 | exponent)
    if exponent == 4 { append(UInt64(truncatingIfNeeded: value >> 64), width: 8, to: &bytes) }
    append(UInt64(truncatingIfNeeded: value), width: min(1 << Int(exponent), 8), to: &bytes)
  }

  static func append(uid value: UInt128, to bytes: inout [UInt8]) {
    let width = value > UInt128(UInt64.max) ? 16 : byteWidth(of: UInt64(value))
    bytes.append(BinaryFormat.Family.uid << 4 | UInt8(truncatingIfNeeded: width - 1))
    if width == 16 { append(UInt64(truncatingIfNeeded: value >> 64), width: 8, to: &bytes) }
    append(UInt64(truncatingIfNeeded: value), width: min(width, 8), to: &bytes)
  }

  static func append(string: String, to bytes: inout [UInt8]) {
    if string.utf8.allSatisfy({ $0 < 0x80 }) {
      append(BinaryFormat.Family.ascii, count: string.utf8.count, to: &bytes)
      bytes.append(contentsOf: string.utf8)
    } else {
      append(units: Array(string.utf16), to: &bytes)
    }
  }

  /// A string of UTF-16 code units, whatever they are.
  static func append(units: [UInt16], to bytes: inout [UInt8]) {
    append(BinaryFormat.Family.utf16, count: units.count, to: &bytes)
    for unit in units {
      bytes.append(UInt8(truncatingIfNeeded: unit >> 8))
      bytes.append(UInt8(truncatingIfNeeded: unit))
    }
  }

  /// Appends the lower `width` bytes of a number, the highest first.
  static func append(_ value: UInt64, width: Int, to bytes: inout [UInt8]) {
    let word = (value << UInt64(64 - 8 * width)).bigEndian
    unsafe withUnsafeBytes(of: word) { unsafe bytes.append(contentsOf: $0[..<width]) }
  }

  /// The fewest of 1, 2, 4 and 8 bytes that hold a number.
  static func byteWidth(of value: UInt64) -> Int {
    switch value {
    case 0..<0x100: 1
    case 0x100..<0x1_0000: 2
    case 0x1_0000..<0x1_0000_0000: 4
    default: 8
    }
  }

  /// Whether the format defines what an object with this marker is.
  static func isDefined(_ marker: UInt8) -> Bool {
    switch marker {
    case 0x00, 0x08, 0x09, 0x0c, 0x0d, 0x0e, 0x10...0x14, 0x22, 0x23, 0x33, 0x40...0x8f,
      0xa0...0xdf:
      true
    default: false
    }
  }
}
