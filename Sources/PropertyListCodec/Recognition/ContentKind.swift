// What files, and data within lists, are by their first bytes, as far as it has to do with property lists: what is
// read here, and what is only known by name. Recognition is in this place and nowhere else.

internal import ByteCoding

/// What bytes are that begin as a property list does, or as something that lists come in or hold
/// (Spec/keyed-archive.md, "Formats that are only recognised").
public enum ContentKind: Hashable, Sendable {
  /// A list that `PropertyListDocument` reads, if what follows is not malformed.
  case list(PropertyListDocument.Format)
  /// A list in a signed message (CMS, RFC 5652), as configuration profiles come. `SignedList` has the way to it.
  case signedList
  /// A list as programs send it to each other (XPC), by the two digits of its version.
  case messageList(version: Int)
  /// Bookmark data: where a file was found.
  case bookmark

  /// What the first bytes show, of which 64 KiB suffice. Nil when it is none of these.
  ///
  /// `isNested`: the bytes are data within a list. Text is no OpenStep list there because it looks like one.
  public init?(_ bytes: [UInt8], isNested: Bool = false) {
    if let version = Self.messageVersion(bytes.bytes) {
      self = .messageList(version: version)
    } else if let format = isNested
      ? PropertyListDocument.markedFormat(of: bytes) : PropertyListDocument.format(of: bytes)
    {
      self = .list(format)
    } else if SignedList.isOne(bytes) {
      self = .signedList
    } else if Self.isBookmark(bytes.bytes) {
      self = .bookmark
    } else {
      return nil
    }
  }

  /// What it is, in a few words: `bookmark data`.
  public var title: String {
    switch self {
    case .list(let format): format.title
    case .signedList: "signed property list (CMS)"
    case .messageList(let version): "message between processes (bplist\(version))"
    case .bookmark: "bookmark data"
    }
  }

  /// Why it is not read, for kinds that are not; else nil.
  public var refusal: PropertyListError? {
    switch self {
    case .list, .signedList: nil
    case .messageList(let version):
      PropertyListError(
        .unsupportedVersion, offset: 6,
        reason: "a property list in the form of messages between processes (bplist\(version), XPC)"
          + ", which is not read; the program that it is from can write it as bplist00")
    case .bookmark:
      PropertyListError(
        .unsupportedFormat, offset: 0,
        reason: "bookmark data (where a file was found), which is no property list and not read; "
          + "inspect the list that it is from")
    }
  }

  /// `bplist15`, `bplist16`, `bplist17`.
  private static func messageVersion(_ bytes: RawSpan) -> Int? {
    guard bytes.byteCount >= 8, bytes.equals(Array("bplist1".utf8), at: 0),
      0x30...0x39 ~= bytes.u8(at: 7)
    else { return nil }
    return 10 + Int(bytes.u8(at: 7) - 0x30)
  }

  /// The signature, the number of all bytes, four bytes of a version, and the length of the header.
  private static func isBookmark(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount >= 16,
      bytes.equals(Array("book".utf8), at: 0) || bytes.equals(Array("alis".utf8), at: 0)
    else { return false }
    return 16...64 ~= UInt32(littleEndian: bytes.u32(at: 12))
  }
}
