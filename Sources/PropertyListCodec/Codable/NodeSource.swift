// What all decoders of one list share: the document, and how much of it has been read. Values are made of nodes here,
// when a type asks for them.

internal import ByteCoding

final class NodeSource {
  let document: PropertyListDocument
  let userInfo: [CodingUserInfoKey: any Sendable]
  /// Whether a dictionary can have a key twice, one that is no string, or one whose bytes are not its text.
  let isIrregular: Bool
  private let isBinary: Bool
  private var types = NativeTypes()
  /// How many more elements containers may have: a few shared ones can stand for any number.
  private var visitsLeft: Int
  /// How many more bytes of strings and data may be copied.
  private var bytesLeft: Int

  /// So many are allowed of any list, however short.
  private static let minimumByteCount = 256 << 20

  init(_ document: PropertyListDocument, userInfo: [CodingUserInfoKey: any Sendable]) {
    self.document = document
    self.userInfo = userInfo
    isIrregular = document.irregularityCount > 0
    isBinary = document.format == .binary
    visitsLeft = document.visitLimit
    bytesLeft = document.byteLimit(atLeast: Self.minimumByteCount)
  }

  func nativeType(_ type: Any.Type) -> NativeType { types.kind(of: type) }

  func kind(_ node: Int) -> PropertyListNode.Kind { document.table.records[node].kind }

  func isNull(_ node: Int) -> Bool {
    let record = document.table.records[node]
    guard record.kind == .string else { return record.kind == .null }
    let isPossible =
      switch record.encoding {
      case .ascii, .utf8, .text: record.count == Self.null.utf8.count
      case .utf16: record.count == 2 * Self.null.utf8.count
      default: true
      }
    return isPossible && document.text(of: PropertyListNode(index: node), equals: Self.null)
  }

  /// What nil is.
  static let null = "$null"

  /// Counts the elements of a container that a type looks into.
  func visit(_ count: Int) throws(NodeFault) {
    guard count <= visitsLeft else { throw .tooManyVisits }
    visitsLeft -= count
  }

  private func copy(_ byteCount: Int) throws(NodeFault) {
    guard byteCount <= bytesLeft else { throw .tooManyVisits }
    bytesLeft -= byteCount
  }

  // MARK: Values

  /// The value of a type that the standard library has and lists have. Nil for other types.
  @inline(__always)
  func scalar<T>(_ type: T.Type, _ node: Int) throws(NodeFault) -> T? {
    if T.self == String.self { return try string(node) as? T }
    if T.self == Int.self { return try integer(Int.self, node) as? T }
    if T.self == Double.self { return try double(node) as? T }
    if T.self == Bool.self { return try boolean(node) as? T }
    if T.self == Float.self { return try float(node) as? T }
    if T.self == UInt8.self { return try integer(UInt8.self, node) as? T }
    if T.self == UInt.self { return try integer(UInt.self, node) as? T }
    if T.self == Int8.self { return try integer(Int8.self, node) as? T }
    if T.self == Int16.self { return try integer(Int16.self, node) as? T }
    if T.self == Int32.self { return try integer(Int32.self, node) as? T }
    if T.self == Int64.self { return try integer(Int64.self, node) as? T }
    if T.self == UInt16.self { return try integer(UInt16.self, node) as? T }
    if T.self == UInt32.self { return try integer(UInt32.self, node) as? T }
    if T.self == UInt64.self { return try integer(UInt64.self, node) as? T }
    if T.self == Int128.self { return try integer(Int128.self, node) as? T }
    if T.self == UInt128.self { return try integer(UInt128.self, node) as? T }
    if T.self == PropertyListDate.self {
      return try PropertyListDate(secondsSince2001: date(node)) as? T
    }
    if T.self == PropertyListData.self { return try PropertyListData(data(node)) as? T }
    return nil
  }

  private func node(_ node: Int) -> PropertyListNode { PropertyListNode(index: node) }

  /// Why a node has not the kind that was asked for.
  private func fault(_ node: Int) -> NodeFault { isNull(node) ? .null : .mismatch }

  private func string(_ node: Int) throws(NodeFault) -> String {
    let record = document.table.records[node]
    guard record.kind == .string, !isNull(node) else { throw fault(node) }
    try copy(Int(record.count))
    guard let text = document.string(of: self.node(node)) else { throw .noText }
    return text
  }

  private func boolean(_ node: Int) throws(NodeFault) -> Bool {
    guard let value = document.boolean(of: self.node(node)) else { throw fault(node) }
    return value
  }

  private func integer<T: FixedWidthInteger>(
    _ type: T.Type, _ node: Int
  ) throws(NodeFault) -> T {
    let exact: T?
    switch kind(node) {
    case .integer: exact = document.integer(of: self.node(node)).flatMap { T(exactly: $0) }
    case .real: exact = document.real(of: self.node(node)).flatMap { T(exactly: $0) }
    default: throw fault(node)
    }
    guard let exact else { throw .doesNotFit }
    return exact
  }

  private func double(_ node: Int) throws(NodeFault) -> Double {
    switch kind(node) {
    case .real: return document.real(of: self.node(node)) ?? .nan
    case .integer: return document.integer(of: self.node(node)).map { Double($0) } ?? .nan
    default: throw fault(node)
    }
  }

  private func float(_ node: Int) throws(NodeFault) -> Float {
    switch kind(node) {
    case .real:
      let value = document.real(of: self.node(node)) ?? .nan
      let float = Float(value)
      // Decimal digits stand for the nearest number, bits for one.
      guard !isBinary || value.isNaN || Double(float) == value else { throw .doesNotFit }
      return float
    case .integer: return document.integer(of: self.node(node)).map { Float($0) } ?? .nan
    default: throw fault(node)
    }
  }

  func date(_ node: Int) throws(NodeFault) -> Double {
    guard let seconds = document.date(of: self.node(node)) else { throw fault(node) }
    return seconds
  }

  func data(_ node: Int) throws(NodeFault) -> [UInt8] {
    let record = document.table.records[node]
    guard record.kind == .data else { throw fault(node) }
    try copy(Int(record.count))
    guard let bytes = document.data(of: self.node(node)) else { throw .mismatch }
    return bytes
  }

  // MARK: Keys

  /// Makes sure that all keys of a dictionary are strings.
  func checkKeys(_ keys: Range<Int>) throws(NodeFault) {
    guard isIrregular else { return }
    for link in keys where kind(Int(document.table.links[link])) != .string { throw .mismatch }
  }

  /// A key's text. Half a surrogate pair becomes U+FFFD.
  func key(_ link: Int) -> String {
    let node = node(Int(document.table.links[link]))
    return document.string(of: node)
      ?? String(decoding: document.utf16(of: node) ?? [], as: UTF16.self)
  }
}

extension PropertyListDocument {
  /// The link among `keys` to the string that is `text`, looked for from `first` on and around the end. Nil when there is none.
  func link(to text: String, in keys: Range<Int>, first: Int) -> Int? {
    let wanted = unsafe text.utf8Span.span.bytes
    let content = content.bytes
    var link = keys.contains(first) ? first : keys.lowerBound
    for _ in keys {
      if isKey(Int(table.links[link]), wanted, content, text) { return link }
      link += 1
      if link == keys.upperBound { link = keys.lowerBound }
    }
    return nil
  }

  /// Whether a key of a list without irregularities is the string that is wanted, whose bytes are `wanted`.
  private func isKey(_ node: Int, _ wanted: RawSpan, _ content: RawSpan, _ text: String) -> Bool {
    let record = table.records[node]
    switch record.encoding {
    case .ascii, .utf8, .text:
      return Int(record.count) == wanted.byteCount && content.equals(wanted, at: Int(record.first))
    // A code unit takes one to three bytes of UTF-8.
    case .utf16 where wanted.byteCount < Int(record.count) / 2: return false
    case .utf16 where wanted.byteCount > Int(record.count) / 2 * 3: return false
    default: return self.text(of: PropertyListNode(index: node), equals: text)
    }
  }
}
