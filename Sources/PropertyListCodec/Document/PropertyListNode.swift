// A node stands for one object of a file: what kind it is, which bytes it has, what it contains. The table of
// nodes is all that reading makes; values are made from the bytes when someone asks.

internal import ByteCoding

/// An object of a `PropertyListDocument`: its place in the document's table. Two references to one object
/// are the same node.
public struct PropertyListNode: Hashable, Sendable {
  /// The index in the table, which for binary lists is the object's number in the file.
  public let index: Int

  public init(index: Int) { self.index = index }

  /// What an object is.
  public enum Kind: UInt8, CaseIterable, Hashable, Sendable {
    case null, boolean, integer, real, date, data, string, uid
    case array, set, orderedSet, dictionary
    /// A URL, with or without a base, by its own marker (0x0c, 0x0d).
    case url
    /// Sixteen bytes by their own marker (0x0e).
    case uuid
    /// A marker that the format does not define; its bytes are kept.
    case unknown

    /// Whether nodes of this kind have children.
    public var isContainer: Bool {
      switch self {
      case .array, .set, .orderedSet, .dictionary: true
      default: false
      }
    }
  }
}

/// What the table keeps for a node, in 20 bytes: lists of millions of objects are read in one go.
struct NodeRecord {
  /// How the content is to be read.
  enum Encoding: UInt8 {
    /// Bytes for themselves, or big-endian numbers.
    case binary
    case ascii, utf16, utf8
    /// Text of an XML element, in which every byte stands for itself, and what OpenStep's lists have in the same
    /// form: strings without escapes, numbers, Base64.
    case text
    /// Text of an XML element with entities, CDATA sections, comments or instructions in it.
    case markedUpText
    /// A quoted string of OpenStep's lists with backslashes in it.
    case escapedText
    /// Data in hexadecimal digits.
    case hexadecimal
    /// A date with its distance from UTC, as GNUstep writes it.
    case zonedDate
  }

  /// The bytes of the whole object: marker and length, or tags, included.
  var start: UInt32
  var end: UInt32
  /// Containers: the index of the first link. Others: the offset of the content.
  var first: UInt32
  /// Containers: the number of links (of dictionaries, keys and values). Booleans: 1 or 0. Others: the
  /// bytes of the content.
  var count: UInt32
  var kind: PropertyListNode.Kind
  var encoding: Encoding

  var content: Range<Int> { Int(first)..<Int(first) + Int(count) }

  /// The indices in the array of links.
  var links: Range<Int> { kind.isContainer ? content : 0..<0 }
}

/// What a reader makes of a file.
struct NodeTable {
  var records: [NodeRecord] = []
  /// Nodes by index: an array's elements; a dictionary's keys, then its values.
  var links: [UInt32] = []
  var root = 0
  /// Whether an OpenStep list is a dictionary without braces.
  var hasBareEntries = false
  /// Whether elements of an XML list stand for others: then a node can be at several places of the text.
  var hasReferences = false
  var irregularities = IrregularityList<PropertyListError>()

  init() {}

  /// A table with room for so many nodes, each of which one refers to, as it is in text. What is not used of it costs
  /// addresses, not memory.
  init(roomFor count: Int) {
    records = Array(roomFor: count)
    links = Array(roomFor: count)
  }

  /// Whether two ranges of links lead to strings of the same texts, as far as that can be told at a glance.
  func haveSameTexts(_ left: Range<Int>, _ right: Range<Int>, _ content: RawSpan) -> Bool {
    guard left.count == right.count else { return false }
    for (left, right) in zip(left, right) where links[left] != links[right] {
      let left = records[Int(links[left])]
      let right = records[Int(links[right])]
      guard left.kind == .string, right.kind == .string, left.encoding == .text,
        right.encoding == .text, left.count == right.count,
        content.hasSameBytes(Int(left.first), Int(right.first), count: Int(left.count))
      else { return false }
    }
    return true
  }
}

extension [UInt32] {
  /// Whether two ranges of links are the same.
  func areEqual(in left: Range<Int>, and right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in 0..<left.count
    where self[left.lowerBound + offset] != self[right.lowerBound + offset] {
      return false
    }
    return true
  }
}

/// Irregularities met while reading: the first ones, and how many there were. In strict reading the
/// first is thrown.
struct IrregularityList<Irregularity: Error>: Sendable {
  let isStrict: Bool
  private(set) var found: [Irregularity] = []
  private(set) var count = 0

  /// So many are told; a hostile list can have millions.
  static var maximumCount: Int { 100 }

  init(isStrict: Bool = false) { self.isStrict = isStrict }

  mutating func add(_ error: Irregularity) throws(Irregularity) {
    if isStrict { throw error }
    count += 1
    if found.count < Self.maximumCount { found.append(error) }
  }
}

extension IrregularityList where Irregularity == PropertyListError {
  mutating func add(
    _ code: PropertyListError.Code, at offset: Int, _ reason: String
  ) throws(PropertyListError) {
    try add(PropertyListError(code, offset: offset, reason: reason))
  }

  /// Gives them lines and columns.
  mutating func locate(in text: RawSpan) {
    found = PropertyListError.located(found.sorted { $0.offset < $1.offset }, in: text)
  }
}
