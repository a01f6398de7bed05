// Values without others in them, each in one line as a person reads it.

internal import ByteCoding

enum ScalarText {
  /// Appends a value that is no container. Data is appended as `append(data:)` does.
  static func append(_ value: PropertyListValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .boolean(let boolean): bytes.append(contentsOf: (boolean ? "true" : "false").utf8)
    case .integer(let integer): append(integer, to: &bytes)
    case .real(let real): bytes.append(contentsOf: real.description.utf8)
    case .real32(let real): bytes.append(contentsOf: real.description.utf8)
    case .date(let seconds): append(date: seconds, to: &bytes)
    case .data(let data): append(data: data, to: &bytes)
    case .string(let text): TerminalText.append(text, isQuoted: true, to: &bytes)
    case .unpairedString(let units):
      TerminalText.append(String(decoding: units, as: UTF16.self), isQuoted: true, to: &bytes)
      bytes.append(contentsOf: "   half a surrogate pair in it".utf8)
    case .uid(let uid): bytes.append(contentsOf: "UID \(uid)".utf8)
    case .url(let texts):
      TerminalText.append(texts.last ?? "", isQuoted: false, to: &bytes)
      for base in texts.dropLast().reversed() {
        bytes.append(contentsOf: ", relative to ".utf8)
        TerminalText.append(base, isQuoted: false, to: &bytes)
      }
    case .uuid(let uuid): bytes.append(contentsOf: UUIDText.text(uuid).utf8)
    case .unknown(let object):
      bytes.append(
        contentsOf: "object with an unknown marker, \(object.count.counted("byte"))   ".utf8)
      appendHexadecimal(object, to: &bytes)
    case .array, .set, .orderedSet, .dictionary: preconditionFailure("a container")
    }
  }

  private static func append(_ integer: Int128, to bytes: inout [UInt8]) {
    // Much faster than of 128 bits, and nearly all are so.
    if let small = Int64(exactly: integer) {
      bytes.append(contentsOf: small.description.utf8)
    } else {
      bytes.append(contentsOf: integer.description.utf8)
    }
  }

  /// `2024-05-01 12:00:00 UTC`; outside of the years 1 to 9999 the number of seconds.
  private static func append(date seconds: Double, to bytes: inout [UInt8]) {
    let start = bytes.count
    guard Timestamp.append(seconds, to: &bytes) else {
      bytes.append(contentsOf: "date, \(seconds) seconds from 2001-01-01 UTC".utf8)
      return
    }
    bytes[start + 10] = UInt8(ascii: " ")
    bytes.removeLast()
    bytes.append(contentsOf: " UTC".utf8)
  }

  // MARK: Data

  /// Appends `data, 2,304 bytes`, and behind it what is in it: the whole of small data, as text or in
  /// hexadecimal, and of larger data the first bytes, or what begins so.
  static func append(data: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "data, \(data.count.counted("byte"))".utf8)
    guard !data.isEmpty else { return }
    bytes.append(contentsOf: "   ".utf8)
    if let name = knownContent(data) {
      bytes.append(contentsOf: name.utf8)
    } else if isPlainText(data) {
      bytes.append(contentsOf: "text ".utf8)
      TerminalText.append(String(decoding: data, as: UTF8.self), isQuoted: true, to: &bytes)
    } else {
      appendHexadecimal(data, to: &bytes)
    }
  }

  private static func appendHexadecimal(_ data: [UInt8], to bytes: inout [UInt8]) {
    // As much as fits into a line with its label.
    let shown = data.count <= 32 ? data.count : 24
    for start in stride(from: 0, to: shown, by: 4) {
      if start > 0 { bytes.append(UInt8(ascii: " ")) }
      Hex.encode(data.bytes.extracting(start..<min(start + 4, shown)), appendingTo: &bytes)
    }
    if shown < data.count { bytes.append(contentsOf: " \u{2026}".utf8) }
  }

  /// Text without control characters other than tab and line ends, of four characters or more: fewer bytes
  /// can be so by chance.
  private static func isPlainText(_ data: [UInt8]) -> Bool {
    guard data.count >= 4, data.bytes.isUTF8(0..<data.count) else { return false }
    return data.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
  }

  /// What data that begins so is, of what lists often hold.
  private static func knownContent(_ data: [UInt8]) -> String? {
    guard data.count > 8, beginningBytes[Int(data[0])] else { return nil }
    if let name = beginnings.first(where: { data.starts(with: $0.bytes) })?.name { return name }
    switch ContentKind(data, isNested: true) {
    // What is in such a list is seen without it.
    case .list(.binary), .list(.xml), nil: return nil
    case let kind?: return kind.title
    }
  }

  private static let beginnings: [(bytes: [UInt8], name: String)] = [
    ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], "PNG image"),
    ([0xff, 0xd8, 0xff], "JPEG image"),
    (Array("GIF8".utf8), "GIF image"),
    ([0x4d, 0x4d, 0x00, 0x2a], "TIFF image"), ([0x49, 0x49, 0x2a, 0x00], "TIFF image"),
    (Array("%PDF-".utf8), "PDF document"),
    (Array("icns".utf8), "icon family"),
    ([0x1f, 0x8b, 0x08], "compressed with gzip"),
    (Array("PK\u{3}\u{4}".utf8), "ZIP archive"),
    (Array("TZif".utf8), "time zone rules"),
  ]

  /// By byte: whether one of them, or something that `ContentKind` knows, begins with it.
  private static let beginningBytes: [Bool] = (0...255).map { byte in
    beginnings.contains { $0.bytes[0] == UInt8(byte) }
      || [0x04, 0x30, 0x61, 0x62].contains(byte)
  }
}
