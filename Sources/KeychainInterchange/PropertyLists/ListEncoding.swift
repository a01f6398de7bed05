// What rules make of values (`decode`), and only where it can be undone to the byte.

internal import ByteCoding
internal import PropertyListCodec

extension MigrationRule.Decoding {
  /// The value decoded. Nil where it is not of that form, or its exact bytes would not come back.
  func decode(_ value: ListValue) -> ListValue? {
    guard value.encoding == nil, value.type == "string" || value.type == "data" else { return nil }
    var decoded = value
    switch self {
    case .utf8:
      guard String(validating: value.bytes, as: UTF8.self) != nil else { return nil }
      decoded.encoding = .utf8
      return decoded
    case .base64:
      guard let bytes = try? Base64.decode(value.bytes.bytes) else { return nil }
      decoded.bytes = bytes
      decoded.encoding = .base64
    case .hex:
      guard let bytes = try? Hex.decode(value.bytes.bytes) else { return nil }
      decoded.bytes = bytes
      let hasCapitals = value.bytes.contains { 65...70 ~= $0 }
      decoded.encoding = hasCapitals ? .hexCapitals : .hex
    case .archive:
      guard let plain = ArchivedPlainValue.plain(ofArchive: value.bytes) else { return nil }
      decoded.bytes = plain
      decoded.encoding = .archive
    }
    return (try? decoded.original()) == value.bytes ? decoded : nil
  }
}

/// Keyed archives as the plain values in them, and back.
enum ArchivedPlainValue {
  /// The plain value of an archive, as a binary list. Nil for what is no archive, or has none.
  static func plain(ofArchive bytes: [UInt8]) -> [UInt8]? {
    guard let document = SecretContent.list(bytes), KeyedArchive.isArchive(document),
      let archive = try? KeyedArchive(document), let value = try? archive.plainValue()
    else { return nil }
    return try? value.binary()
  }

  /// The archive of a plain value, as Apple's archiver writes it.
  static func archive(ofPlain bytes: [UInt8]) -> [UInt8]? {
    guard let document = SecretContent.list(bytes), let value = try? document.value() else {
      return nil
    }
    return try? value.keyedArchive()
  }
}
