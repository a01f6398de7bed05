// The table of nodes of a keyed archive that is made of something else: its texts and data lie in the original, and
// what the original does not have, as numbers in the form of binary lists and the names of fields, behind it.

internal import ByteCoding

struct ArchiveTable {
  /// The original, and what was made.
  private(set) var content: [UInt8]
  private(set) var table = NodeTable()
  /// The nodes of `$objects`.
  private(set) var objects: [UInt32] = []
  private let maximumObjectCount: Int
  /// Strings that many objects have: names of fields and classes of ours.
  private var constants: [String: UInt32] = [:]
  private var unkeyedNames: [UInt32] = []
  private var ownClasses: [String: UInt32] = [:]

  init(original: [UInt8], maximumObjectCount: Int) throws(PropertyListError) {
    content = original
    self.maximumObjectCount = maximumObjectCount
    objects.append(try constant("$null"))
  }

  // MARK: Nodes

  private mutating func add(_ record: NodeRecord) throws(PropertyListError) -> UInt32 {
    guard table.records.count < min(maximumObjectCount, Int(Int32.max)) else {
      throw PropertyListError(
        .tooManyObjects, offset: Int(record.start), reason: "more objects than the limit")
    }
    table.records.append(record)
    return UInt32(truncatingIfNeeded: table.records.count - 1)
  }

  /// A node whose content is at `range` of what is there.
  private mutating func add(
    _ kind: PropertyListNode.Kind, _ encoding: NodeRecord.Encoding, at range: Range<Int>,
    for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    try add(
      NodeRecord(
        start: UInt32(truncatingIfNeeded: place.lowerBound),
        end: UInt32(truncatingIfNeeded: place.upperBound),
        first: UInt32(truncatingIfNeeded: range.lowerBound),
        count: UInt32(truncatingIfNeeded: range.count), kind: kind, encoding: encoding))
  }

  /// Appends bytes that the original does not have.
  private mutating func append(
    _ bytes: [UInt8], for place: Range<Int>
  ) throws(PropertyListError) -> Range<Int> {
    try checkRoom(bytes.count, for: place)
    content += bytes
    return content.count - bytes.count..<content.count
  }

  /// Offsets in the table have 32 bits.
  private func checkRoom(_ count: Int, for place: Range<Int>) throws(PropertyListError) {
    guard content.count <= Int(UInt32.max) - count else {
      throw PropertyListError(
        .tooManyObjects, offset: place.lowerBound,
        reason: "more values than a list of 4 GiB can have")
    }
  }

  private mutating func append(
    bigEndian value: some FixedWidthInteger, for place: Range<Int>
  ) throws(PropertyListError) -> Range<Int> {
    let byteCount = value.bitWidth / 8
    try checkRoom(byteCount, for: place)
    for index in 1...byteCount {
      content.append(UInt8(truncatingIfNeeded: value >> (8 * (byteCount - index))))
    }
    return content.count - byteCount..<content.count
  }

  // MARK: Values

  mutating func boolean(
    _ value: Bool, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    let range = value ? place.lowerBound..<place.lowerBound + 1 : 0..<0
    return try add(.boolean, .binary, at: range, for: place)
  }

  mutating func integer(
    _ value: Int128, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    let range =
      if let small = UInt32(exactly: value) {
        try append(bigEndian: small, for: place)
      } else if let medium = Int64(exactly: value) {
        try append(bigEndian: medium, for: place)
      } else {
        try append(bigEndian: value, for: place)
      }
    return try add(.integer, .binary, at: range, for: place)
  }

  mutating func real(
    _ value: Double, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    let range = try append(bigEndian: value.bitPattern, for: place)
    return try add(.real, .binary, at: range, for: place)
  }

  mutating func real32(
    _ value: Float, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    let range = try append(bigEndian: value.bitPattern, for: place)
    return try add(.real, .binary, at: range, for: place)
  }

  /// Data that lies in the original.
  mutating func data(
    at range: Range<Int>, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    try add(.data, .binary, at: range, for: place)
  }

  mutating func data(
    _ bytes: [UInt8], for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    try add(.data, .binary, at: try append(bytes, for: place), for: place)
  }

  /// A string of UTF-8 that lies in the original. Nil where it is no UTF-8.
  mutating func string(
    at range: Range<Int>, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32? {
    let isASCII = content.bytes.firstNonASCII(in: range) == nil
    guard isASCII || content.bytes.isUTF8(range) else { return nil }
    return try add(.string, isASCII ? .ascii : .utf8, at: range, for: place)
  }

  /// A string that lies in the original and is no UTF-8, as ISO 8859-1.
  mutating func latin1(
    at range: Range<Int>, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    try add(.string, .ascii, at: range, for: place)
  }

  /// A string of ASCII that the original does not have.
  mutating func string(
    _ text: String, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    try add(.string, .ascii, at: try append(Array(text.utf8), for: place), for: place)
  }

  /// A string of big-endian UTF-16, which the original has or not.
  mutating func utf16(
    _ bytes: [UInt8], for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    try add(.string, .utf16, at: try append(bytes, for: place), for: place)
  }

  /// A string of ours, once for all that have it.
  mutating func constant(_ text: String) throws(PropertyListError) -> UInt32 {
    if let node = constants[text] { return node }
    let node = try string(text, for: 0..<0)
    constants[text] = node
    return node
  }

  /// The node of a string of ours. Nil where nothing has it.
  func constantNode(_ text: String) -> UInt32? { constants[text] }

  /// The name `$0`, `$1` and so on of a value that has no name.
  private mutating func unkeyedName(_ number: Int) throws(PropertyListError) -> UInt32 {
    while unkeyedNames.count <= number {
      unkeyedNames.append(try string("$\(unkeyedNames.count)", for: 0..<0))
    }
    return unkeyedNames[number]
  }

  /// A reference to an object; nil for 0. Each has a node, for its place.
  mutating func uid(
    _ number: UInt32, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    try add(.uid, .binary, at: try append(bigEndian: number, for: place), for: place)
  }

  // MARK: Containers

  mutating func array(
    _ nodes: [UInt32], for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    let first = table.links.count
    guard first <= Int(UInt32.max) - nodes.count else {
      throw PropertyListError(
        .tooManyObjects, offset: place.lowerBound, reason: "more references than a list can have")
    }
    table.links += nodes
    return try add(.array, .binary, at: first..<table.links.count, for: place)
  }

  /// The elements of an array.
  func elements(of node: UInt32) -> ArraySlice<UInt32> {
    table.links[table.records[Int(node)].links]
  }

  /// Fields by name, and then those that have none.
  mutating func dictionary(
    _ fields: [(name: String, node: UInt32)], unkeyed: [UInt32] = [], for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    var nodes: [UInt32] = []
    nodes.reserveCapacity(2 * (fields.count + unkeyed.count))
    for field in fields where field.name != Self.classField {
      nodes.append(try constant(field.name))
    }
    for number in unkeyed.indices { nodes.append(try unkeyedName(number)) }
    // Last, as archivers have it.
    let ofClass = fields.first { $0.name == Self.classField }
    if ofClass != nil { nodes.append(try constant(Self.classField)) }
    for field in fields where field.name != Self.classField { nodes.append(field.node) }
    nodes += unkeyed
    if let ofClass { nodes.append(ofClass.node) }
    let array = try array(nodes, for: place)
    table.records[Int(array)].kind = .dictionary
    return array
  }

  static let classField = "$class"

  // MARK: Objects

  /// The number of an object that is set later.
  mutating func reserveObject() -> UInt32 {
    objects.append(objects[0])
    return UInt32(truncatingIfNeeded: objects.count - 1)
  }

  mutating func set(_ node: UInt32, ofObject number: UInt32) { objects[Int(number)] = node }

  /// An object of a class of ours, which has one field of a name or `$0`. Returns a reference to it.
  mutating func object(
    ofOwnClass chain: [String], _ field: String?, _ node: UInt32, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    let number = reserveObject()
    let ofClass = try uid(try ownClass(chain), for: place)
    var fields = [(name: Self.classField, node: ofClass)]
    if let field { fields.append((field, node)) }
    set(
      try dictionary(fields, unkeyed: field == nil ? [node] : [], for: place), ofObject: number)
    return try uid(number, for: place)
  }

  /// The number of the description of a class that the original does not have.
  private mutating func ownClass(_ chain: [String]) throws(PropertyListError) -> UInt32 {
    if let number = ownClasses[chain[0]] { return number }
    let number = reserveObject()
    ownClasses[chain[0]] = number
    var names: [UInt32] = []
    for name in chain { names.append(try constant(name)) }
    set(
      try dictionary(
        [("$classname", names[0]), ("$classes", try array(names, for: 0..<0))], for: 0..<0),
      ofObject: number)
    return number
  }

  /// Makes the archive's list of all objects, with the values of `$top` and what else its frame has.
  mutating func finish(
    top: [UInt32], archiver: String, _ more: [(name: String, node: UInt32)], for place: Range<Int>
  ) throws(PropertyListError) {
    let topNode =
      top.count == 1
      ? try dictionary([("root", top[0])], for: place)
      : try dictionary([], unkeyed: top, for: place)
    let frame = [
      ("$version", try integer(100_000, for: place)), ("$archiver", try constant(archiver)),
      ("$top", topNode), ("$objects", try array(objects, for: place)),
    ]
    table.root = Int(try dictionary(frame + more, for: place))
  }
}
