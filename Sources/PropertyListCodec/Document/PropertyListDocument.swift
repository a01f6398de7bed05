// The lossless form of a property list: its bytes and a table of what lies where. Nothing that the file says
// is lost, because the bytes stay; what looks at a list (trees, keyed archives, printing, rewriting) works on
// the table and asks for values one by one.

internal import ByteCoding

/// A property list as it stands in a file: binary (`bplist00`), XML or OpenStep; or a typed stream, as the keyed
/// archive that has the same objects.
///
/// Reading makes one pass and checks everything that later access relies on, so that nothing can fail
/// afterwards: kinds, ranges, references, texts, numbers. Objects that several others refer to are one node.
/// A binary list can contain itself (`cycle`) or stand for far more values than it has bytes; the table holds
/// such lists, `checkTree` and `value` refuse them.
///
/// The memory is about 20 bytes an object and 4 a reference besides the file.
public struct PropertyListDocument: Sendable {
  /// How a list is written.
  public enum Format: Hashable, Sendable {
    /// `bplist00`.
    case binary
    /// Apple's XML (PropertyList-1.0.dtd).
    case xml
    /// The text of NeXT's lists, which `.strings` files and `project.pbxproj` have, with GNUstep's typed values.
    case openStep
    /// What `NSArchiver` writes (`TypedStream`). Only read: the list is the keyed archive of the objects in it.
    case typedStream
  }

  /// How to read.
  public struct Options: Hashable, Sendable {
    /// Whether the first irregularity is an error. Otherwise what Apple's parsers take is taken, and listed
    /// in `irregularities`.
    public var isStrict = false
    /// Whether an XML dictionary of just `CF$UID` and an integer is a UID, as keyed archives in XML have it.
    public var readsUIDDictionaries = true
    /// How deep containers can be nested: in text, and in what `value` and the writers make of any list.
    /// Core Foundation's limit.
    public var maximumDepth = 512
    /// How many objects a list can have.
    public var maximumObjectCount = 100_000_000
    /// How many values `value` and the writers may visit, shared ones counted at each place, where that is
    /// more than 16 times the bytes of the file.
    public var maximumVisitCount = 100_000

    public init() {}
  }

  /// The file.
  public let bytes: [UInt8]
  public let format: Format
  public let options: Options
  /// How the characters of a list of text are written; nil for binary lists.
  public let textEncoding: TextEncoding?
  /// What ranges of nodes refer to: the file, or, for text that is not UTF-8, the same text as UTF-8. Of a typed
  /// stream, behind the file is what the archive has besides.
  let content: [UInt8]
  let table: NodeTable

  /// Reads a list in the format that its beginning shows.
  public init(_ bytes: [UInt8], options: Options = Options()) throws(PropertyListError) {
    let kind = ContentKind(bytes)
    guard case .list(let format)? = kind else {
      throw kind?.refusal
        ?? PropertyListError(
          .unrecognizedFormat, offset: 0,
          reason: bytes.isEmpty ? "the file is empty" : "no property list begins so")
    }
    try self.init(bytes, as: format, options: options)
  }

  /// Reads a list in a format that is known: an OpenStep list can be just one string, or only white space, which
  /// nothing tells from other text.
  public init(
    _ bytes: [UInt8], as format: Format, options: Options = Options()
  ) throws(PropertyListError) {
    guard !bytes.isEmpty else {
      throw PropertyListError(.unrecognizedFormat, offset: 0, reason: "the file is empty")
    }
    let (content, encoding, table) = try Self.read(bytes, as: format, options: options)
    self.bytes = bytes
    self.format = format
    self.options = options
    self.table = table
    textEncoding = encoding
    self.content = content
    if options.isStrict { try checkTree(root) }
  }

  /// What ranges of nodes refer to, how a list that is text is written, and the table.
  private static func read(
    _ bytes: [UInt8], as format: Format, options: Options
  ) throws(PropertyListError) -> (content: [UInt8], encoding: TextEncoding?, table: NodeTable) {
    try checkSize(bytes)
    switch format {
    case .binary: return (bytes, nil, try BinaryListReader.read(bytes.bytes, options: options))
    case .typedStream:
      let (content, table) = try TypedStreamReader.read(bytes, options: options)
      return (content, nil, table)
    case .xml:
      let text = try XMLEncoding.text(bytes)
      try checkSize(text.content)
      let table = try XMLListReader.read(text.content.bytes, options: options)
      return (text.content, text.encoding, table)
    case .openStep:
      let (text, guessedAt) = try OpenStepEncoding.text(bytes)
      try checkSize(text.content)
      let table = try OpenStepListReader.read(
        text.content.bytes, guessedAt: guessedAt, options: options)
      return (text.content, text.encoding, table)
    }
  }

  /// Offsets in the table have 32 bits.
  private static func checkSize(_ bytes: [UInt8]) throws(PropertyListError) {
    guard bytes.count <= Int(UInt32.max) else {
      throw PropertyListError(
        .tooManyObjects, offset: 0, reason: "property lists over 4 GiB are not read")
    }
  }

  /// The format that the beginning of a file shows, 64 KiB of it or all; nil when it is none of those read here. What
  /// follows can still be malformed. Spec/keyed-archive.md ("Recognising OpenStep lists") says which text is one, and
  /// `ContentKind` what else can be there.
  public static func format(of bytes: [UInt8]) -> Format? {
    if let format = markedFormat(of: bytes) { return format }
    return OpenStepRecognition.isList(bytes.bytes) ? .openStep : nil
  }

  /// The format that the first bytes show, if it is one that is marked there.
  static func markedFormat(of bytes: [UInt8]) -> Format? {
    if bytes.count >= 6, bytes.bytes.equals(Array("bplist".utf8), at: 0) { return .binary }
    if TypedStream.isOne(bytes) { return .typedStream }
    return XMLEncoding.looksLikeXML(bytes.bytes) ? .xml : nil
  }

  /// Whether an OpenStep list is a dictionary without braces, as `.strings` files are.
  public var isStringsFile: Bool { table.hasBareEntries }

  /// The list's value: where everything else hangs.
  public var root: PropertyListNode { PropertyListNode(index: table.root) }

  /// How many nodes there are; their indices are those below it. Binary lists can have objects that nothing
  /// refers to.
  public var nodeCount: Int { table.records.count }

  /// What Apple's parsers let pass and the format does not: the first 100, with their places.
  public var irregularities: [PropertyListError] { table.irregularities.found }

  /// How many irregularities there are.
  public var irregularityCount: Int { table.irregularities.count }

  public func kind(of node: PropertyListNode) -> PropertyListNode.Kind {
    table.records[node.index].kind
  }

  /// The bytes of the object, its marker or tags included; in text that is not UTF-8, of the same text as
  /// UTF-8. The objects that a binary container refers to lie elsewhere.
  public func range(of node: PropertyListNode) -> Range<Int> {
    let record = table.records[node.index]
    return Int(record.start)..<Int(record.end)
  }

  /// The elements of an array or set; the keys of a dictionary, then its values; nothing for other kinds.
  /// In the order of the file.
  public func children(of node: PropertyListNode) -> Children {
    Children(links: table.links, range: table.records[node.index].links)
  }

  /// A dictionary's keys, in the order of the file; nothing for other kinds.
  public func keys(of node: PropertyListNode) -> Children {
    let range = dictionaryLinks(node)
    return Children(
      links: table.links, range: range.lowerBound..<range.lowerBound + range.count / 2)
  }

  /// A dictionary's values, in the order of its keys; nothing for other kinds.
  public func values(of node: PropertyListNode) -> Children {
    let range = dictionaryLinks(node)
    return Children(
      links: table.links, range: range.lowerBound + range.count / 2..<range.upperBound)
  }

  /// The value for `key` in a dictionary; of a key that is there twice, the last, as Core Foundation has it.
  /// Nil when it is not there, or the node is no dictionary. Keys are compared one by one.
  public func value(for key: String, in node: PropertyListNode) -> PropertyListNode? {
    let keys = keys(of: node)
    guard let position = keys.lastIndex(where: { text(of: $0, equals: key) }) else { return nil }
    return values(of: node)[position]
  }

  private func dictionaryLinks(_ node: PropertyListNode) -> Range<Int> {
    let record = table.records[node.index]
    return record.kind == .dictionary ? record.links : 0..<0
  }

  /// Nodes that a container refers to.
  public struct Children: RandomAccessCollection, Sendable {
    let links: [UInt32]
    let range: Range<Int>

    public var startIndex: Int { 0 }
    public var endIndex: Int { range.count }

    public subscript(position: Int) -> PropertyListNode {
      precondition(position >= 0 && position < range.count)
      return PropertyListNode(index: Int(links[range.lowerBound + position]))
    }
  }
}

extension PropertyListDocument: CustomStringConvertible, CustomReflectable {
  /// The format and the number of nodes: lists hold secrets, and descriptions end up in logs.
  public var description: String { "\(format) property list, \(nodeCount) nodes" }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
