// Writes binary property lists as Apple's writer does (Core Foundation, CFBinaryPList.c, `_flattenPlist`).
//
// Objects stand in the order of a walk from the top: a container, then what it contains; of a dictionary all
// keys, then all values. Strings, numbers, dates and data are written once and shared. Everything else is
// written again at each visit, while references go to the first one written: so a list with two `true` has a
// second one that nothing refers to, and Apple's files are full of them.

internal import ByteCoding

extension PropertyListValue {
  /// The value as a binary property list, as Apple's writer makes it. Equal strings, integers, reals, dates
  /// and data share one object each.
  ///
  /// Throws `notRepresentable` for what no list can hold (a UUID that has not 16 bytes, a URL without text,
  /// an unknown object whose marker is a known one) and `nestingTooDeep` beyond 512 containers in each other.
  public func binary() throws(PropertyListError) -> [UInt8] {
    var writer = ValueLayout()
    _ = try writer.visit(self, depth: 0)
    return writer.layout.file()
  }
}

extension PropertyListDocument {
  /// The list as a binary property list, laid out anew as Apple's writer does.
  ///
  /// A binary list keeps each object's own bytes and which objects are shared: a file that Apple's writer made
  /// comes out byte for byte. (A file to be kept as it is, is `bytes`.) Throws as `checkTree` does, and for XML
  /// as `PropertyListValue.binary`.
  public func binary() throws(PropertyListError) -> [UInt8] {
    try binary(ListChanges())
  }

  /// A node as the top of a binary property list of its own, with the bytes that its objects have here.
  ///
  /// Takes time and memory for what is in the node only, so that a list can be taken apart. For XML it is
  /// what `PropertyListValue.binary` makes of the node's value. Throws `nestingTooDeep`, also for a container that contains itself,
  /// and `tooManyVisits` for shared containers that stand for more values than the limit.
  public func binary(of node: PropertyListNode) throws(PropertyListError) -> [UInt8] {
    var writer = NodeLayout(
      self, content: content.bytes, numbers: NodeNumbers(),
      limits: (options.maximumDepth, visitLimit))
    _ = try writer.visit(node.index, depth: 0)
    return writer.values.layout.file()
  }

  /// A binary list laid out anew, with changes.
  func binary(_ changes: ListChanges) throws(PropertyListError) -> [UInt8] {
    if sharesContainers { try checkTree(root) }
    var writer = NodeLayout(
      self, content: content.bytes, numbers: NodeNumbers(nodeCount: isTree ? 0 : nodeCount),
      limits: (options.maximumDepth, .max))
    writer.values = ValueLayout(
      BinaryListLayout(
        objects: nodeCount, bytes: bytes.count, links: table.links.count))
    writer.replacements = changes.replacements
    for (place, value) in changes.places {
      writer.changes[place.container, default: .init()].values[place.position] = value
    }
    for place in changes.removals {
      writer.changes[place.container, default: .init()].values.updateValue(
        nil, forKey: place.position)
    }
    for (container, additions) in changes.additionsByContainer {
      writer.changes[container, default: .init()].additions = additions
    }
    _ = try writer.visit(root.index, depth: 0)
    return writer.values.layout.file()
  }
}

/// Lays out a tree of values.
private struct ValueLayout {
  var layout: BinaryListLayout
  /// The numbers of the first null, false and true.
  private var singletons: (UInt32?, UInt32?, UInt32?)

  init(_ layout: BinaryListLayout = BinaryListLayout()) { self.layout = layout }

  /// Adds the value and what is in it. Returns the number that refers to it.
  mutating func visit(
    _ value: PropertyListValue, depth: Int
  ) throws(PropertyListError) -> UInt32 {
    switch value {
    case .array(let elements):
      return try visit(elements, BinaryFormat.Family.array, depth: depth)
    case .set(let elements): return try visit(elements, BinaryFormat.Family.set, depth: depth)
    case .orderedSet(let elements):
      return try visit(elements, BinaryFormat.Family.orderedSet, depth: depth)
    case .dictionary(let entries):
      let container = try begin(BinaryFormat.Family.dictionary, depth: depth)
      var children: [UInt32] = []
      children.reserveCapacity(2 * entries.count)
      for entry in entries { children.append(try visit(entry.key, depth: depth + 1)) }
      for entry in entries { children.append(try visit(entry.value, depth: depth + 1)) }
      layout.setChildren(children, of: container)
      return container
    // There is one object for each of these in a process: written at each visit, referred to once.
    case .null: return Self.note(try add(value), &singletons.0)
    case .boolean(false): return Self.note(try add(value), &singletons.1)
    case .boolean(true): return Self.note(try add(value), &singletons.2)
    case .uid, .url, .uuid, .unknown: return try add(value)
    case .integer, .real, .real32, .date, .data, .string, .unpairedString:
      try checkCount()
      // Values that are not equal have different bytes.
      return try layout.addOnce { (bytes) throws(PropertyListError) in
        try value.appendScalar(to: &bytes)
      }
    }
  }

  private mutating func visit(
    _ elements: [PropertyListValue], _ family: UInt8, depth: Int
  ) throws(PropertyListError) -> UInt32 {
    let container = try begin(family, depth: depth)
    var children: [UInt32] = []
    children.reserveCapacity(elements.count)
    for element in elements { children.append(try visit(element, depth: depth + 1)) }
    layout.setChildren(children, of: container)
    return container
  }

  /// The number of the first of such objects.
  private static func note(_ object: UInt32, _ first: inout UInt32?) -> UInt32 {
    let number = first ?? object
    first = number
    return number
  }

  private mutating func begin(
    _ family: UInt8, depth: Int
  ) throws(PropertyListError) -> UInt32 {
    try PropertyListValue.checkDepth(depth)
    try checkCount()
    return layout.addContainer(family)
  }

  private mutating func add(_ value: PropertyListValue) throws(PropertyListError) -> UInt32 {
    try checkCount()
    return try layout.add { (bytes) throws(PropertyListError) in
      try value.appendScalar(to: &bytes)
    }
  }

  private func checkCount() throws(PropertyListError) {
    guard layout.count < Int(UInt32.max) else {
      throw PropertyListError(.tooManyObjects, offset: 0, reason: "more objects than 32 bits count")
    }
  }
}

extension PropertyListValue {
  /// Readers refuse what is nested deeper, so it is not written; and writing recurs.
  static func checkDepth(_ depth: Int) throws(PropertyListError) {
    guard depth < PropertyListDocument.Options().maximumDepth else {
      throw PropertyListError(
        .nestingTooDeep, offset: 0, reason: "containers are nested deeper than the limit")
    }
  }

  /// Appends the object for a value that is no container.
  func appendScalar(to bytes: inout [UInt8]) throws(PropertyListError) {
    switch self {
    case .null: bytes.append(BinaryFormat.Marker.null)
    case .boolean(let value):
      bytes.append(value ? BinaryFormat.Marker.true : BinaryFormat.Marker.false)
    case .integer(let value): BinaryObject.append(integer: value, to: &bytes)
    case .real(let value):
      bytes.append(BinaryFormat.Family.real << 4 | 3)
      BinaryObject.append(value.bitPattern, width: 8, to: &bytes)
    case .real32(let value):
      bytes.append(BinaryFormat.Family.real << 4 | 2)
      BinaryObject.append(UInt64(value.bitPattern), width: 4, to: &bytes)
    case .date(let seconds):
      bytes.append(BinaryFormat.Marker.date)
      BinaryObject.append(seconds.bitPattern, width: 8, to: &bytes)
    case .data(let content):
      BinaryObject.append(BinaryFormat.Family.data, count: content.count, to: &bytes)
      bytes.append(contentsOf: content)
    case .string(let text): BinaryObject.append(string: text, to: &bytes)
    case .unpairedString(let units): BinaryObject.append(units: units, to: &bytes)
    case .uid(let value): BinaryObject.append(uid: value, to: &bytes)
    case .url(let texts):
      guard !texts.isEmpty else { throw notRepresentable("a URL without a text") }
      bytes.append(contentsOf: BinaryURL.object(texts))
    case .uuid(let content):
      guard content.count == 16 else {
        throw notRepresentable("a UUID that does not have 16 bytes")
      }
      bytes.append(BinaryFormat.Marker.uuid)
      bytes.append(contentsOf: content)
    case .unknown(let content):
      guard let marker = content.first, !BinaryObject.isDefined(marker) else {
        throw notRepresentable("an unknown object with a marker that the format defines")
      }
      bytes.append(contentsOf: content)
    case .array, .set, .orderedSet, .dictionary: throw notRepresentable("a container")
    }
  }

  func notRepresentable(_ reason: String) -> PropertyListError {
    PropertyListError(.notRepresentable, offset: 0, reason: reason)
  }
}

/// By node: one more than the number that refers to it; 0 before it is written.
private struct NodeNumbers {
  /// Of all nodes; empty where few of them are written.
  private var dense: [UInt32]
  private var sparse: [Int: UInt32] = [:]

  init(nodeCount: Int = 0) { dense = Array(repeating: 0, count: nodeCount) }

  subscript(node: Int) -> UInt32 {
    get { dense.isEmpty ? sparse[node, default: 0] : dense[node] }
    set { if dense.isEmpty { sparse[node] = newValue } else { dense[node] = newValue } }
  }
}

/// Lays out the nodes of a list.
private struct NodeLayout: ~Escapable {
  /// Lays out the values that replace nodes, and holds all objects.
  var values = ValueLayout()
  var replacements: [PropertyListNode: PropertyListValue] = [:]
  var changes: [PropertyListNode: ContainerChanges] = [:]

  struct ContainerChanges {
    /// What stands at positions instead; nil for nothing.
    var values: [Int: PropertyListValue?] = [:]
    var additions: [PropertyListDocument.Addition] = []
  }

  private let table: NodeTable
  private let content: RawSpan
  private let isText: Bool
  /// Whether no node is visited twice.
  private let isTree: Bool
  private var first: NodeNumbers
  /// The children so far of all containers that are open, outermost first.
  private var pending: [UInt32] = []
  /// The links that are the keys of the text dictionary before, and their numbers: many have the same keys.
  private var lastKeys = 0..<0
  private var lastKeyNumbers: [UInt32] = []
  /// Reached only where the tree has not been checked.
  private let limits: (depth: Int, objects: Int)

  @_lifetime(copy content)
  init(
    _ document: PropertyListDocument, content: RawSpan, numbers: NodeNumbers,
    limits: (depth: Int, objects: Int)
  ) {
    table = document.table
    isText = document.format != .binary
    isTree = document.isTree
    self.content = content
    self.limits = limits
    first = numbers
  }

  /// Adds the node, or what replaces it, and what is in it. Returns the number that refers to it.
  mutating func visit(_ node: Int, depth: Int) throws(PropertyListError) -> UInt32 {
    if !replacements.isEmpty, let value = replacements[PropertyListNode(index: node)] {
      if first[node] != 0 { return first[node] - 1 }
      return note(node, try values.visit(value, depth: depth))
    }
    let record = table.records[node]
    switch record.kind {
    case .array, .set, .orderedSet, .dictionary:
      try checkLimits(record, depth)
      let container = values.layout.addContainer(BinaryFormat.Family.of(record.kind))
      let number = note(node, container)
      let start = pending.count
      if !changes.isEmpty, let changes = changes[PropertyListNode(index: node)] {
        try visit(record, changes, depth: depth)
      } else {
        let keys = isText && record.kind == .dictionary ? record.links.count / 2 : 0
        if keys > 0 { try visitKeys(record.links.prefix(keys), depth: depth + 1) }
        for link in record.links.dropFirst(keys) {
          let child = try visit(Int(table.links[link]), depth: depth + 1)
          pending.append(child)
        }
      }
      values.layout.setChildren(pending[start...], of: container)
      pending.removeLast(pending.count - start)
      return number
    // In text each value stands once, but where elements stand for others, and equal ones are to be one object.
    case _ where isText:
      guard table.hasReferences else { return try addText(record, depth) }
      if first[node] != 0 { return first[node] - 1 }
      return note(node, try addText(record, depth))
    case .integer, .real, .date, .data, .string:
      if first[node] != 0 { return first[node] - 1 }
      return note(node, addScalar(record))
    case .null, .boolean, .uid, .url, .uuid, .unknown: return note(node, addScalar(record))
    }
  }

  /// Adds the keys of a dictionary in text to `pending`.
  private mutating func visitKeys(_ keys: Range<Int>, depth: Int) throws(PropertyListError) {
    if table.haveSameTexts(keys, lastKeys, content) {
      pending.append(contentsOf: lastKeyNumbers)
      return
    }
    let start = pending.count
    for link in keys {
      let key = try visit(Int(table.links[link]), depth: depth)
      pending.append(key)
    }
    lastKeys = keys
    lastKeyNumbers = Array(pending[start...])
  }

  /// The children of a container that has others at some positions.
  private mutating func visit(
    _ record: NodeRecord, _ changes: ContainerChanges, depth: Int
  ) throws(PropertyListError) {
    let keyCount = record.kind == .dictionary ? record.links.count / 2 : 0
    for (index, link) in record.links.enumerated() {
      let isKey = index < keyCount
      if record.kind == .dictionary, index == keyCount {
        try visit(keysOf: changes.additions, depth: depth + 1)
      }
      switch changes.values[isKey ? index : index - keyCount] {
      case .some(.none): break
      case .some(.some(let value)) where !isKey:
        let child = try values.visit(value, depth: depth + 1)
        pending.append(child)
      default:
        let child = try visit(Int(table.links[link]), depth: depth + 1)
        pending.append(child)
      }
    }
    if record.kind == .dictionary, keyCount == 0 {
      try visit(keysOf: changes.additions, depth: depth + 1)
    }
    for addition in changes.additions {
      let child = try values.visit(addition.value, depth: depth + 1)
      pending.append(child)
    }
  }

  private mutating func visit(
    keysOf additions: [PropertyListDocument.Addition], depth: Int
  ) throws(PropertyListError) {
    for addition in additions {
      let key = try values.visit(.string(addition.key ?? ""), depth: depth)
      pending.append(key)
    }
  }

  private func checkLimits(_ record: NodeRecord, _ depth: Int) throws(PropertyListError) {
    guard depth < limits.depth else {
      throw PropertyListError(
        .nestingTooDeep, offset: Int(record.start),
        reason: "containers are nested deeper than the limit")
    }
    guard values.layout.count < limits.objects else {
      throw PropertyListError(
        .tooManyVisits, offset: Int(record.start),
        reason: "shared objects stand for more values than the limit")
    }
  }

  /// Adds a value that is written as text.
  private mutating func addText(
    _ record: NodeRecord, _ depth: Int
  ) throws(PropertyListError) -> UInt32 {
    // Texts that are the object's bytes as they are, without a value in between.
    let text = record.content
    if record.kind == .string, record.encoding == .text, content.firstNonASCII(in: text) == nil {
      return values.layout.addOnce {
        BinaryObject.append(BinaryFormat.Family.ascii, count: text.count, to: &$0)
        $0.append(copying: content.extracting(text))
      }
    }
    return try values.visit(ScalarReader.value(record, content), depth: depth)
  }

  private mutating func addScalar(_ record: NodeRecord) -> UInt32 {
    let range = Int(record.start)..<Int(record.end)
    return values.layout.add { $0.append(copying: content.extracting(range)) }
  }

  private mutating func note(_ node: Int, _ number: UInt32) -> UInt32 {
    if isTree { return number }
    if first[node] == 0 { first[node] = number + 1 }
    return first[node] - 1
  }
}
