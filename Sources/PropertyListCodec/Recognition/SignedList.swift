// Property lists in signed messages (CMS, RFC 5652, section 5; PKCS #7 before), as configuration profiles come: the
// way to what is signed. Signatures are not looked at.

internal import ByteCoding

public enum SignedList {
  /// 1.2.840.113549.1.7.2, id-signedData, with tag and length.
  private static let signedData: [UInt8] = [
    0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02,
  ]

  /// Whether the bytes begin as a signed message.
  public static func isOne(_ bytes: [UInt8]) -> Bool {
    var reader = ElementReader(bytes.bytes)
    guard let message = try? reader.next(), message.tag == Tag.sequence else { return false }
    let start = message.content.lowerBound
    return start + signedData.count <= bytes.count && bytes.bytes.equals(signedData, at: start)
  }

  /// What is signed. Throws `missingValue` where it is not in the message, `unsupportedFormat` for a message that is not signed,
  /// and for malformed ones `unexpectedEnd`, `invalidLength`, `unknownMarker` and `nestingTooDeep`.
  public static func content(of bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
    guard isOne(bytes) else {
      throw PropertyListError(.unsupportedFormat, offset: 0, reason: "not a signed message (CMS)")
    }
    var reader = ElementReader(bytes.bytes)
    // ContentInfo: the type, and in [0] the message.
    try reader.enter(Tag.sequence)
    try reader.skip()
    try reader.enter(Tag.context0)
    // SignedData: version, digest algorithms, what is signed.
    try reader.enter(Tag.sequence)
    try reader.skip()
    try reader.skip()
    // EncapsulatedContentInfo: its type, and in [0] an octet string.
    let information = try reader.enter(Tag.sequence)
    try reader.skip()
    guard try reader.isNext(Tag.context0) else {
      throw PropertyListError(
        .missingValue, offset: information,
        reason: "a signature (CMS) without what it signs, which is in another file")
    }
    try reader.enter(Tag.context0)
    return try reader.octets()
  }

  fileprivate enum Tag {
    static let octets: UInt8 = 0x04
    static let joinedOctets: UInt8 = 0x24
    static let sequence: UInt8 = 0x30
    static let context0: UInt8 = 0xa0
    /// Set in tags of elements that consist of others.
    static let constructed: UInt8 = 0x20
    /// The number of the tag is in more bytes.
    static let long: UInt8 = 0x1f
  }
}

/// Reads elements of BER (X.690), of which DER is a part, one after the other.
private struct ElementReader: ~Escapable {
  private typealias Tag = SignedList.Tag

  /// So deep can elements of indefinite length be, and octet strings in each other.
  private static let maximumDepth = 64

  struct Element {
    let tag: UInt8
    let start: Int
    /// Up to the end of the element around it, where the length is indefinite.
    let content: Range<Int>
    let isIndefinite: Bool
  }

  private let input: RawSpan
  private var offset = 0
  /// Where the element ends that is being read.
  private var end: Int

  @_lifetime(copy input)
  init(_ input: RawSpan) {
    self.input = input
    end = input.byteCount
  }

  /// The head of the next element; its content is next.
  mutating func next() throws(PropertyListError) -> Element {
    let start = offset
    let tag = try byte()
    guard tag & Tag.long != Tag.long else {
      throw PropertyListError(
        .unknownMarker, offset: start, reason: "an element that signed lists do not have")
    }
    let first = try byte()
    // A file's beginning can be asked for what it is, so an element may end behind it.
    if first < 0x80 { return element(tag, start, Int(first)) }
    if first == 0x80 {
      guard tag & Tag.constructed != 0 else {
        throw PropertyListError(
          .invalidLength, offset: start, reason: "bytes of indefinite length")
      }
      return Element(tag: tag, start: start, content: offset..<end, isIndefinite: true)
    }
    var length = 0
    for _ in 0..<(first & 0x7f) {
      let (shifted, overflow) = length.multipliedReportingOverflow(by: 256)
      guard !overflow else {
        throw PropertyListError(
          .invalidLength, offset: start, reason: "a length of more than 64 bits")
      }
      length = shifted | Int(try byte())
    }
    return element(tag, start, length)
  }

  private func element(_ tag: UInt8, _ start: Int, _ length: Int) -> Element {
    let (end, overflow) = offset.addingReportingOverflow(length)
    return Element(
      tag: tag, start: start, content: offset..<(overflow ? .max : end), isIndefinite: false)
  }

  /// Goes into the next element, which has this tag. Returns where it begins.
  @discardableResult
  mutating func enter(_ tag: UInt8) throws(PropertyListError) -> Int {
    let element = try next()
    try check(element, tag)
    end = element.content.upperBound
    return element.start
  }

  private func check(_ element: Element, _ tag: UInt8) throws(PropertyListError) {
    guard element.tag == tag else {
      throw PropertyListError(
        .unknownMarker, offset: element.start,
        reason: "a signed list has another element there (X.690 tag)")
    }
    guard element.content.upperBound <= end else { throw cut(element.start) }
  }

  /// Whether the next element, if there is one, has this tag.
  func isNext(_ tag: UInt8) throws(PropertyListError) -> Bool {
    offset < end && input.u8(at: offset) == tag
  }

  /// Goes behind the next element.
  mutating func skip() throws(PropertyListError) {
    // How many elements of indefinite length are open.
    var depth = 0
    repeat {
      let element = try next()
      if element.tag == 0, depth > 0 {
        depth -= 1
        continue
      }
      guard !element.isIndefinite else {
        depth += 1
        guard depth <= Self.maximumDepth else { throw tooDeep(element.start) }
        continue
      }
      guard element.content.upperBound <= end else { throw cut(element.start) }
      offset = element.content.upperBound
    } while depth > 0
  }

  /// The bytes of the next element, an octet string, which can consist of others.
  mutating func octets() throws(PropertyListError) -> [UInt8] {
    var bytes: [UInt8] = []
    // Where the octet strings end that are open; nil for those that an end of contents ends.
    var open: [Int?] = []
    repeat {
      if let last = open.last, let limit = last, offset == limit {
        open.removeLast()
        continue
      }
      let element = try next()
      if element.tag == 0, let last = open.last, last == nil {
        open.removeLast()
        continue
      }
      let limit = open.last.flatMap { $0 } ?? end
      switch element.tag {
      case Tag.octets:
        guard element.content.upperBound <= limit else { throw cut(element.start) }
        bytes.append(copying: input.extracting(element.content))
        offset = element.content.upperBound
      case Tag.joinedOctets:
        guard open.count < Self.maximumDepth else { throw tooDeep(element.start) }
        guard element.isIndefinite || element.content.upperBound <= limit else {
          throw cut(element.start)
        }
        open.append(element.isIndefinite ? nil : element.content.upperBound)
      default: try check(element, Tag.octets)
      }
    } while !open.isEmpty
    return bytes
  }

  private mutating func byte() throws(PropertyListError) -> UInt8 {
    guard offset < min(end, input.byteCount) else { throw cut(offset) }
    offset += 1
    return input.u8(at: offset - 1)
  }

  private func cut(_ offset: Int) -> PropertyListError {
    PropertyListError(
      .unexpectedEnd, offset: offset, reason: "an element of a signed list that ends too late")
  }

  private func tooDeep(_ offset: Int) -> PropertyListError {
    PropertyListError(
      .nestingTooDeep, offset: offset,
      reason: "elements of a signed list are nested deeper than the limit")
  }
}
