// The constants of the binary format, in one place: Core Foundation's CFBinaryPList.c describes them in its
// opening comment.
//
//   file     "bplist00", objects, table of the objects' offsets, trailer
//   trailer  6 bytes unused, offset size, reference size, then 64-bit: objects, top object, table offset
//   object   a marker byte, of which the upper half is a type and the lower a length or a power of two

internal import ByteCoding

enum BinaryFormat {
  static let magic = Array("bplist00".utf8)
  static let trailerCount = 32

  /// The upper half of a marker.
  enum Family {
    static let integer: UInt8 = 0x1
    static let real: UInt8 = 0x2
    static let date: UInt8 = 0x3
    static let data: UInt8 = 0x4
    static let ascii: UInt8 = 0x5
    static let utf16: UInt8 = 0x6
    static let utf8: UInt8 = 0x7
    static let uid: UInt8 = 0x8
    static let array: UInt8 = 0xa
    static let orderedSet: UInt8 = 0xb
    static let set: UInt8 = 0xc
    static let dictionary: UInt8 = 0xd

    /// Of a container.
    static func of(_ kind: PropertyListNode.Kind) -> UInt8 {
      switch kind {
      case .set: set
      case .orderedSet: orderedSet
      case .dictionary: dictionary
      default: array
      }
    }
  }

  /// Markers that say all by themselves.
  enum Marker {
    static let null: UInt8 = 0x00
    static let `false`: UInt8 = 0x08
    static let `true`: UInt8 = 0x09
    static let url: UInt8 = 0x0c
    static let urlWithBase: UInt8 = 0x0d
    static let uuid: UInt8 = 0x0e
    static let date: UInt8 = 0x33
  }
}

extension RawSpan {
  /// A big-endian number of 1 to 8 bytes that are there. In binary lists eight bytes come before everything,
  /// so the number is the end of eight bytes, whatever its width.
  @inline(__always) func bigEndian(at offset: Int, width: Int) -> UInt64 {
    u64(at: offset + width - 8).byteSwapped & (UInt64.max >> UInt64(64 - 8 * width))
  }
}
