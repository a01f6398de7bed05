// What typed streams begin with, and the bytes in them that have a meaning of their own (Spec/keyed-archive.md,
// "Typed streams").

internal import ByteCoding

/// A typed stream: what `NSArchiver` writes. `PropertyListDocument` reads it as the keyed archive that
/// `NSKeyedArchiver` would have written, so that a `KeyedArchive` is made of it like of any other.
public enum TypedStream {
  /// The order of the bytes in numbers of several bytes.
  public enum ByteOrder: Hashable, Sendable {
    /// After the signature `streamtyped`.
    case little
    /// After the signature `typedstream`.
    case big
  }

  /// The version that is read.
  static let version: UInt8 = 4
  static let headerCount = 13
  private static let littleSignature = Array("\u{b}streamtyped".utf8)
  private static let bigSignature = Array("\u{b}typedstream".utf8)

  /// Whether the bytes begin as a typed stream, of whichever version.
  public static func isOne(_ bytes: [UInt8]) -> Bool { byteOrder(of: bytes) != nil }

  /// The order of bytes in a typed stream, as its signature says. Nil for what begins as none.
  public static func byteOrder(of bytes: [UInt8]) -> ByteOrder? { byteOrder(of: bytes.bytes) }

  static func byteOrder(of bytes: RawSpan) -> ByteOrder? {
    guard bytes.byteCount >= headerCount else { return nil }
    if bytes.equals(littleSignature, at: 1) { return .little }
    return bytes.equals(bigSignature, at: 1) ? .big : nil
  }
}

/// Bytes at the beginning of a value that are no value themselves.
enum StreamMark {
  static let integer16: UInt8 = 0x81
  static let integer32: UInt8 = 0x82
  static let integer64: UInt8 = 0x87
  static let real: UInt8 = 0x83
  static let new: UInt8 = 0x84
  static let null: UInt8 = 0x85
  static let end: UInt8 = 0x86
  /// No integer of one byte is among these.
  static let all: ClosedRange<UInt8> = 0x80...0x91
  /// The integer that stands for the first string, object or class; the next ones follow it.
  static let firstNumber = -110
}
