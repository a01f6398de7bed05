// Reads a typed stream into the table of a keyed archive. Objects stand in each other in the stream; a stack of its
// own follows them, so that their depth is bounded by the file only. All that the stream claims is compared with
// the bytes that are there before it is used.

internal import ByteCoding

struct TypedStreamReader: ~Escapable {
  private var cursor: StreamCursor
  private let options: PropertyListDocument.Options
  var table: ArchiveTable

  /// Where the shared strings are, by number.
  private(set) var strings: [Range<Int>] = []
  /// By number of a string: its node where it is UTF-8 and has been used as a text. One long string can be many.
  private var texts: [Int: UInt32?] = [:]
  /// By number of a string: its steps as a type, where it has been used as one.
  private var encodings: [Int: Range<Int>] = [:]
  private var steps: [TypeEncoding.Step] = []
  /// Objects, classes and C strings, by number.
  private var entries: [Entry] = []
  private(set) var classes: [StreamClass] = []

  /// What is being read, outermost first.
  private var frames: [Frame] = []
  /// Values of all objects and lists that are being read.
  private var items: [StreamItem] = []
  /// How many lists, and rounds of lists, have taken no bytes.
  private var emptyCount = 0
  /// Lengths of texts in UTF-16 code units, by object: attributed strings can share one.
  var textLengths: [UInt32: Int] = [:]

  private enum Entry {
    case object(UInt32)
    case archivedClass(Int)
    case cString(Int)
  }

  private struct Frame {
    enum Kind {
      /// Groups up to the end of the file.
      case stream
      /// Groups up to the mark of its end: the object's number, and its class.
      case object(UInt32, ofClass: Int)
      /// The values of a group.
      case group
      /// An array or a structure.
      case list(letter: UInt8)
    }

    let kind: Kind
    /// Where it begins in the stream.
    let start: Int
    /// Where its values begin.
    let firstItem: Int
    /// The steps of a round, of groups and lists.
    var steps = 0..<0
    var nextStep = 0
    var roundCount = 0
    var roundStart = 0
  }

  /// The content that the table's ranges refer to, and the table. Throws `unsupportedVersion`, and what the codes of
  /// `PropertyListError` say of malformed input, with the offset in `bytes`.
  static func read(
    _ bytes: [UInt8], options: PropertyListDocument.Options
  ) throws(PropertyListError) -> (content: [UInt8], table: NodeTable) {
    var reader = try TypedStreamReader(
      bytes.bytes,
      table: ArchiveTable(original: bytes, maximumObjectCount: options.maximumObjectCount),
      options: options)
    try reader.read()
    return (reader.table.content, reader.table.table)
  }

  @_lifetime(copy input)
  private init(
    _ input: RawSpan, table: ArchiveTable, options: PropertyListDocument.Options
  ) throws(PropertyListError) {
    cursor = StreamCursor(input, at: 0)
    self.table = table
    self.options = options
  }

  private mutating func read() throws(PropertyListError) {
    let version = try cursor.byte()
    guard version == TypedStream.version else {
      throw PropertyListError(
        .unsupportedVersion, offset: 0, reason: "a version of typed streams other than 4")
    }
    _ = try cursor.take(TypedStream.headerCount - 1)
    let systemVersion = try cursor.integer()
    let header = 0..<cursor.offset
    frames = [Frame(kind: .stream, start: cursor.offset, firstItem: 0)]
    try beginGroup()
    while let frame = frames.last {
      switch frame.kind {
      case .stream:
        if cursor.offset == cursor.input.byteCount {
          frames.removeLast()
        } else {
          try beginGroup()
        }
      case .object(let number, let ofClass):
        guard try cursor.peek() == StreamMark.end else {
          try beginGroup()
          continue
        }
        _ = try cursor.byte()
        // Copied, for a slice would make the array that it is of be copied when that changes.
        let values = Array(items[frame.firstItem...])
        items.removeLast(values.count)
        frames.removeLast()
        try makeObject(number, classes[ofClass], values, for: frame.start..<cursor.offset)
      case .group, .list: try readStep()
      }
    }
    var top: [UInt32] = []
    for item in items { top.append(try node(item)) }
    try table.finish(
      top: top, archiver: "NSArchiver",
      [
        ("$streamVersion", try table.integer(Int128(version), for: 0..<1)),
        ("$systemVersion", try table.integer(systemVersion, for: header)),
      ], for: 0..<cursor.offset)
  }

  // MARK: Groups

  /// Reads a type and begins with its values.
  private mutating func beginGroup() throws(PropertyListError) {
    let start = cursor.offset
    guard let number = try sharedString() else {
      throw PropertyListError(.invalidType, offset: start, reason: "values without a type")
    }
    let steps = try encoding(number)
    frames.append(
      Frame(
        kind: .group, start: start, firstItem: items.count, steps: steps,
        nextStep: steps.lowerBound, roundCount: 1, roundStart: start))
  }

  private mutating func encoding(_ number: Int) throws(PropertyListError) -> Range<Int> {
    if let known = encodings[number] { return known }
    let encoding = try TypeEncoding(
      cursor.input, strings[number], maximumDepth: options.maximumDepth)
    let first = steps.count
    for step in encoding.steps {
      if case .list(let count, let end) = step {
        steps.append(.list(count: count, end: first + end))
      } else {
        steps.append(step)
      }
    }
    encodings[number] = first..<steps.count
    return first..<steps.count
  }

  /// Reads the next value of the group or list that is being read, or ends it.
  private mutating func readStep() throws(PropertyListError) {
    let index = frames.count - 1
    let frame = frames[index]
    guard frame.nextStep < frame.steps.upperBound else { return try endRound(frame) }
    frames[index].nextStep += 1
    let start = cursor.offset
    switch steps[frame.nextStep] {
    case .value(let letter): try readValue(letter)
    case .bytes(let count):
      let range = try cursor.take(count)
      if count == 0 { try noteEmpty() }
      append(UInt8(ascii: "["), .bytes(range), from: start)
    case .list(let count, let end):
      frames[index].nextStep = end
      let letter = UInt8(ascii: "{")
      guard count > 0 else {
        try noteEmpty()
        let list = try table.array([], for: start..<start)
        return append(letter, .list(list), from: start)
      }
      let first = frame.nextStep + 1
      frames.append(
        Frame(
          kind: .list(letter: letter), start: start, firstItem: items.count, steps: first..<end,
          nextStep: first, roundCount: count, roundStart: start))
    }
  }

  private mutating func endRound(_ frame: Frame) throws(PropertyListError) {
    if cursor.offset == frame.roundStart { try noteEmpty() }
    guard frame.roundCount == 1 else {
      let index = frames.count - 1
      frames[index].roundCount -= 1
      frames[index].nextStep = frame.steps.lowerBound
      frames[index].roundStart = cursor.offset
      return
    }
    frames.removeLast()
    guard case .list(let letter) = frame.kind else { return }
    var nodes: [UInt32] = []
    nodes.reserveCapacity(items.count - frame.firstItem)
    for index in frame.firstItem..<items.count { nodes.append(try node(items[index])) }
    items.removeLast(items.count - frame.firstItem)
    append(
      letter, .list(try table.array(nodes, for: frame.start..<cursor.offset)), from: frame.start)
  }

  /// A few bytes can claim any number of things that take none.
  private mutating func noteEmpty() throws(PropertyListError) {
    emptyCount += 1
    guard emptyCount <= cursor.input.byteCount else {
      throw PropertyListError(
        .tooManyObjects, offset: cursor.offset,
        reason: "more values without bytes than the file has bytes"
      )
    }
  }

  private mutating func append(_ letter: UInt8, _ content: StreamItem.Content, from start: Int) {
    items.append(StreamItem(letter: letter, content: content, place: start..<cursor.offset))
  }

  // MARK: Values

  private mutating func readValue(_ letter: UInt8) throws(PropertyListError) {
    let start = cursor.offset
    let content: StreamItem.Content
    switch letter {
    case UInt8(ascii: "c"): content = .integer(Int128(Int8(bitPattern: try cursor.byte())))
    case UInt8(ascii: "C"): content = .integer(Int128(try cursor.byte()))
    case UInt8(ascii: "B"): content = .boolean(try cursor.byte() != 0)
    case UInt8(ascii: "s"), UInt8(ascii: "i"), UInt8(ascii: "l"), UInt8(ascii: "q"):
      content = .integer(try cursor.integer())
    case UInt8(ascii: "S"): content = .integer(try cursor.unsignedInteger(bitCount: 16))
    case UInt8(ascii: "I"), UInt8(ascii: "L"):
      content = .integer(try cursor.unsignedInteger(bitCount: 32))
    case UInt8(ascii: "Q"): content = .integer(try cursor.unsignedInteger(bitCount: 64))
    case UInt8(ascii: "f"): content = .real32(try cursor.real32())
    case UInt8(ascii: "d"): content = .real(try cursor.real())
    case UInt8(ascii: "+"): content = try cursor.text().map { .bytes($0) } ?? .null
    case UInt8(ascii: "%"), UInt8(ascii: ":"):
      content = try sharedString().map { .string($0) } ?? .null
    case UInt8(ascii: "*"): content = try cString().map { .string($0) } ?? .null
    case UInt8(ascii: "#"): content = try readClass().map { .classReference($0) } ?? .null
    default: return try readObject()
    }
    append(letter, content, from: start)
  }

  /// A value of type `@`. A new object's groups are read next.
  private mutating func readObject() throws(PropertyListError) {
    let start = cursor.offset
    let letter = UInt8(ascii: "@")
    switch try cursor.byte() {
    case StreamMark.null: append(letter, .null, from: start)
    case StreamMark.new:
      let number = table.reserveObject()
      entries.append(.object(number))
      append(letter, .object(number), from: start)
      guard let ofClass = try readClass() else {
        throw PropertyListError(.invalidClass, offset: start, reason: "an object without a class")
      }
      frames.append(
        Frame(kind: .object(number, ofClass: ofClass), start: start, firstItem: items.count))
    case let head:
      guard case .object(let number) = try entry(head, start) else {
        throw Self.invalidReference(start, "a reference to an object leads to something else")
      }
      append(letter, .object(number), from: start)
    }
  }

  /// A value of type `*`: the number of its string.
  private mutating func cString() throws(PropertyListError) -> Int? {
    let start = cursor.offset
    switch try cursor.byte() {
    case StreamMark.null: return nil
    case StreamMark.new:
      guard let number = try sharedString() else { return nil }
      entries.append(.cString(number))
      return number
    case let head:
      guard case .cString(let number) = try entry(head, start) else {
        throw Self.invalidReference(start, "a reference to a C string leads to something else")
      }
      return number
    }
  }

  // MARK: Classes

  /// A value of type `#`: the index of the class. Classes that are new are described with all above them.
  private mutating func readClass() throws(PropertyListError) -> Int? {
    var begun: [Int] = []
    var above: Int?
    while true {
      let start = cursor.offset
      let head = try cursor.byte()
      if head == StreamMark.null { break }
      guard head == StreamMark.new else {
        guard case .archivedClass(let index) = try entry(head, start), classes[index].isWhole
        else {
          throw Self.invalidReference(start, "a reference to a class leads to something else")
        }
        above = index
        break
      }
      guard let name = try sharedString() else {
        throw PropertyListError(.invalidClass, offset: start, reason: "a class without a name")
      }
      entries.append(.archivedClass(classes.count))
      begun.append(classes.count)
      let number = table.reserveObject()
      let version = try cursor.integer()
      let place = start..<cursor.offset
      classes.append(
        StreamClass(
          number: number, name: name, nameNode: try className(name, for: place),
          versionNode: try table.integer(version, for: place), start: start))
    }
    for index in begun.reversed() {
      classes[index].depth = (above.map { classes[$0].depth } ?? 0) + 1
      classes[index].byteCount =
        (above.map { classes[$0].byteCount } ?? 0) + strings[classes[index].name].count
      guard classes[index].depth <= StreamClass.maximumDepth,
        classes[index].byteCount <= StreamClass.maximumByteCount
      else {
        throw PropertyListError(
          .invalidClass, offset: classes[index].start,
          reason: "a class with more superclasses, or longer names, than the limit")
      }
      classes[index].superclass = above
      if let form = form(ofClass: strings[classes[index].name]) {
        classes[index].form = form
        classes[index].isFormsOwn = true
      } else {
        classes[index].form = above.flatMap { classes[$0].form }
      }
      classes[index].isWhole = true
      try describe(index)
      above = index
    }
    return above
  }

  private func form(ofClass name: Range<Int>) -> StreamForm? {
    guard name.count <= StreamForm.longestName else { return nil }
    return StreamForm.byName[cursor.input.array(at: name.lowerBound, count: name.count)]
  }

  private mutating func className(
    _ number: Int, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32 {
    if let text = try text(ofString: number, for: place) { return text }
    return try table.latin1(at: strings[number], for: place)
  }

  /// The node of a shared string. Nil where it is no UTF-8.
  mutating func text(
    ofString number: Int, for place: Range<Int>
  ) throws(PropertyListError) -> UInt32? {
    if let known = texts[number] { return known }
    let node = try table.string(at: strings[number], for: place)
    texts[number] = .some(node)
    return node
  }

  private mutating func describe(_ index: Int) throws(PropertyListError) {
    let place = classes[index].start..<cursor.offset
    var names: [UInt32] = []
    var versions: [UInt32] = []
    var next: Int? = index
    while let index = next {
      names.append(classes[index].nameNode)
      versions.append(classes[index].versionNode)
      next = classes[index].superclass
    }
    let fields = [
      ("$classname", names[0]), ("$classes", try table.array(names, for: place)),
      ("$versions", try table.array(versions, for: place)),
    ]
    table.set(try table.dictionary(fields, for: place), ofObject: classes[index].number)
  }

  // MARK: Tables

  /// The number of a shared string. Nil for none.
  private mutating func sharedString() throws(PropertyListError) -> Int? {
    let start = cursor.offset
    switch try cursor.byte() {
    case StreamMark.null: return nil
    case StreamMark.new:
      guard let range = try cursor.text() else { return nil }
      strings.append(range)
      return strings.count - 1
    case let head:
      let number = try cursor.number(head)
      guard strings.indices.contains(number) else {
        throw Self.invalidReference(start, "a reference to a string that the stream does not have")
      }
      return number
    }
  }

  /// An earlier object, class or C string, whose number begins with `head`.
  private mutating func entry(_ head: UInt8, _ start: Int) throws(PropertyListError) -> Entry {
    let number = try cursor.number(head)
    guard entries.indices.contains(number) else {
      throw Self.invalidReference(start, "a reference to something that the stream does not have")
    }
    return entries[number]
  }

  private static func invalidReference(_ offset: Int, _ reason: String) -> PropertyListError {
    PropertyListError(.invalidReference, offset: offset, reason: reason)
  }
}
