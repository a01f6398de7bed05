// Builds the tree of values below a node. It works on the table itself, for lists of millions of values, and recurs:
// depth is bounded by the check before, or counted here where no container is shared and there is nothing else to
// check.

internal import ByteCoding

struct TreeBuilder: ~Escapable {
  /// Counts of links to a node, as far as they matter; from `Mark.made` on, `Mark.made` and the index of the
  /// value that has been made.
  private enum Mark {
    static let single: UInt32 = 1
    static let shared: UInt32 = 2
    static let made: UInt32 = 3
  }

  private let records: [NodeRecord]
  private let links: [UInt32]
  private let content: RawSpan
  /// Empty where each node stands at one place.
  private var marks: [UInt32] = []
  /// Whether several places, or none of the tree but itself, refer to one container: only such a list can
  /// contain itself or stand for many more values than it has objects.
  private(set) var sharesContainers = false
  private let maximumDepth: Int
  /// Values that several places refer to, made once.
  private var values: [PropertyListValue] = []

  @_lifetime(copy content)
  init(table: NodeTable, content: RawSpan, root: Int, isTree: Bool, maximumDepth: Int) {
    self.maximumDepth = maximumDepth
    records = table.records
    links = table.links
    self.content = content
    if isTree { return }
    marks = Array(repeating: 0, count: table.records.count)
    for link in table.links {
      let index = Int(link)
      guard marks[index] < Mark.shared else { continue }
      marks[index] += 1
      if marks[index] == Mark.shared, records[index].kind.isContainer { sharesContainers = true }
    }
    if marks[root] > 0, records[root].kind.isContainer { sharesContainers = true }
  }

  /// The value of a node that is in `depth` containers. Throws `nestingTooDeep`.
  mutating func value(
    _ index: Int, depth: Int = 0
  ) throws(PropertyListError) -> PropertyListValue {
    guard !marks.isEmpty else { return try make(index, depth) }
    let mark = marks[index]
    guard mark > Mark.single else { return try make(index, depth) }
    if mark >= Mark.made { return values[Int(mark - Mark.made)] }
    let value = try make(index, depth)
    marks[index] = Mark.made + UInt32(truncatingIfNeeded: values.count)
    values.append(value)
    return value
  }

  private mutating func make(
    _ index: Int, _ depth: Int
  ) throws(PropertyListError) -> PropertyListValue {
    let record = records[index]
    guard record.kind.isContainer else { return ScalarReader.value(record, content) }
    guard depth < maximumDepth else {
      throw PropertyListError(
        .nestingTooDeep, offset: Int(record.start),
        reason: "containers are nested deeper than the limit")
    }
    switch record.kind {
    case .set: return .set(try elements(record, depth))
    case .orderedSet: return .orderedSet(try elements(record, depth))
    case .dictionary:
      let range = record.links
      let count = range.count / 2
      var entries: [PropertyListValue.Entry] = []
      entries.reserveCapacity(count)
      for link in range.lowerBound..<range.lowerBound + count {
        let key = try value(Int(links[link]), depth: depth + 1)
        entries.append(.init(key, try value(Int(links[link + count]), depth: depth + 1)))
      }
      return .dictionary(entries)
    default: return .array(try elements(record, depth))
    }
  }

  private mutating func elements(
    _ record: NodeRecord, _ depth: Int
  ) throws(PropertyListError) -> [PropertyListValue] {
    let range = record.links
    var elements: [PropertyListValue] = []
    elements.reserveCapacity(range.count)
    for link in range { elements.append(try value(Int(links[link]), depth: depth + 1)) }
    return elements
  }
}

/// Values of nodes that are no containers.
enum ScalarReader {
  static func value(_ record: NodeRecord, _ content: RawSpan) -> PropertyListValue {
    if record.kind == .string {
      return string(record, content).map { .string($0) }
        ?? .unpairedString(units(record, content) ?? [])
    }
    return record.encoding == .binary ? binary(record, content) : text(record, content)
  }

  /// The code units of a string that can have surrogates without a pair. Nil for other strings.
  static func units(_ record: NodeRecord, _ content: RawSpan) -> [UInt16]? {
    switch record.encoding {
    case .utf16: UTF16Text.units(content, record.content)
    case .escapedText: OpenStepText.units(content.extracting(record.content))
    default: nil
    }
  }

  /// A date of text.
  static func date(_ record: NodeRecord, _ text: RawSpan) -> Double? {
    record.encoding == .zonedDate ? GNUstepDate.seconds(text) : XMLDate.seconds(text)
  }

  /// The bytes of data as text.
  static func data(_ record: NodeRecord, _ text: RawSpan) -> [UInt8] {
    record.encoding == .hexadecimal ? OpenStepData.decode(text) : XMLData.decode(text).bytes
  }

  /// The value of an element of text.
  private static func text(_ record: NodeRecord, _ content: RawSpan) -> PropertyListValue {
    if record.kind == .boolean { return .boolean(record.count == 1) }
    if record.encoding == .text {
      return text(record, of: content.extracting(record.content), content)
    }
    let decoded = NodeText.utf8(of: record, in: content)
    return text(record, of: decoded.bytes, content)
  }

  /// The value of an element whose characters are `text`.
  private static func text(
    _ record: NodeRecord, of text: RawSpan, _ content: RawSpan
  ) -> PropertyListValue {
    let value: PropertyListValue? =
      switch record.kind {
      case .integer: XMLNumber.integer(text).map { .integer($0) }
      case .real: XMLNumber.real(text).map { .real($0) }
      case .date: date(record, text).map { .date($0) }
      case .data: .data(data(record, text))
      case .uid: XMLNumber.integer(text).flatMap { UInt128(exactly: $0) }.map { .uid($0) }
      default: nil
      }
    return value ?? .unknown(rawBytes(record, content))
  }

  private static func binary(_ record: NodeRecord, _ content: RawSpan) -> PropertyListValue {
    switch record.kind {
    case .null: return .null
    case .boolean: return .boolean(record.count == 1)
    case .integer:
      return .integer(integer(record, content))
    case .real:
      let bits = bigEndian(record, content)
      return record.count == 4
        ? .real32(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        : .real(Double(bitPattern: UInt64(truncatingIfNeeded: bits)))
    case .date:
      return .date(Double(bitPattern: UInt64(truncatingIfNeeded: bigEndian(record, content))))
    case .data: return .data(content.array(at: Int(record.first), count: Int(record.count)))
    case .uuid: return .uuid(content.array(at: Int(record.first), count: Int(record.count)))
    case .uid: return .uid(bigEndian(record, content))
    case .url: return .url(BinaryURL.texts(content, record.content))
    case .string, .array, .set, .orderedSet, .dictionary, .unknown:
      return .unknown(rawBytes(record, content))
    }
  }

  private static func rawBytes(_ record: NodeRecord, _ content: RawSpan) -> [UInt8] {
    content.array(at: Int(record.start), count: Int(record.end - record.start))
  }

  /// A string's text. Nil where it is no Unicode text.
  static func string(_ record: NodeRecord, _ content: RawSpan) -> String? {
    let range = record.content
    switch record.encoding {
    case .utf16:
      guard UTF16Text.isPaired(content, range) else { return nil }
      return String(decoding: UTF16Text.units(content, range), as: UTF16.self)
    case .escapedText:
      let text = OpenStepText.utf8(content.extracting(range))
      return text.isPaired ? String(decoding: text.bytes, as: UTF8.self) : nil
    case .ascii where content.firstNonASCII(in: range) != nil, .markedUpText:
      return String(decoding: NodeText.utf8(of: record, in: content), as: UTF8.self)
    default:
      return unsafe content.extracting(range).withUnsafeBytes { bytes in
        unsafe String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  /// An integer of a binary list: 1 to 4 bytes are unsigned, 8 and 16 bytes signed.
  static func integer(_ record: NodeRecord, _ content: RawSpan) -> Int128 {
    let width = Int(record.count)
    guard width <= 8 else { return Int128(truncatingIfNeeded: bigEndian(record, content)) }
    let value = content.bigEndian(at: Int(record.first), width: width)
    return width == 8 ? Int128(Int64(truncatingIfNeeded: value)) : Int128(value)
  }

  /// The bytes of a number of a binary list, at most 16.
  static func bigEndian(_ record: NodeRecord, _ content: RawSpan) -> UInt128 {
    let width = Int(record.count)
    guard width > 8 else { return UInt128(content.bigEndian(at: Int(record.first), width: width)) }
    let upper = content.bigEndian(at: Int(record.first), width: width - 8)
    let lower = content.bigEndian(at: Int(record.first) + width - 8, width: 8)
    return UInt128(upper) << 64 | UInt128(lower)
  }
}

extension PropertyListDocument {
  /// The value of a node that is no container.
  func scalar(_ node: PropertyListNode) -> PropertyListValue {
    ScalarReader.value(table.records[node.index], content.bytes)
  }
}
