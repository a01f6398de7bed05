// Trees of plain values out of graphs of objects. Each object is decoded once and its value shared, while depth
// and the number of values are counted as if it were written out at each place.

internal import ByteCoding

extension KeyedArchive {
  /// The whole archive as a tree of plain values: the value of the key `root` where it is the only one in
  /// `$top`, else a dictionary of all keys.
  ///
  /// Throws `cycle`, `nestingTooDeep`, `tooManyVisits`, `danglingReference`, `classNotAllowed`, and
  /// `noPlainValue` for objects of classes that are not known; `path` tells the way there. Of a subclass of a
  /// known class, which can have more fields, it is the value that the known class has.
  public func plainValue() throws(KeyedArchiveError) -> PropertyListValue {
    var builder = PlainValueBuilder(self, content: document.content.bytes)
    if top.count == 1, top[0].name.utf8.elementsEqual("root".utf8) {
      return try builder.value(of: top[0].value, inside: .name("root"))
    }
    var entries: [PropertyListValue.Entry] = []
    for field in top {
      entries.append(
        PropertyListValue.Entry(
          field.name, try builder.value(of: field.value, inside: .name(field.name))))
    }
    return .dictionary(entries)
  }

  /// The tree of plain values below a reference. Throws as `plainValue()` does.
  public func plainValue(
    of reference: Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    var builder = PlainValueBuilder(self, content: document.content.bytes)
    return try builder.value(of: reference)
  }
}

private struct PlainValueBuilder: ~Escapable {
  private typealias Entry = PropertyListValue.Entry

  /// Marks in the tables below; other numbers are one more than an index of `finished`.
  private enum Mark {
    static let unseen: UInt32 = 0
    /// On the way to where the builder is.
    static let open = UInt32.max
  }

  /// A value that is made: how deep it is nested, how many values it has.
  private struct Finished {
    let value: PropertyListValue
    let height: Int
    let visits: Int
  }

  private static let keysField = Array("NS.keys".utf8)
  private static let objectsField = Array("NS.objects".utf8)
  private static let null = Array("$null".utf8)

  private var archive: KeyedArchive
  private let records: [NodeRecord]
  private let links: [UInt32]
  private let content: RawSpan
  /// The links that are the objects.
  private let objects: Range<Int>
  private let visitLimit: Int
  /// By object: how many UIDs of the list lead to it, as far as that matters (0, 1, 2 for more).
  private let uses: [UInt8]
  /// By object.
  private var objectMarks: [UInt32]
  /// By node, of containers and long leaves that are written in place.
  private var nodeMarks: [Int: UInt32] = [:]
  private var finished: [Finished] = []
  /// The nodes that were the names of these fields the last time: lists share equal strings.
  private var keysName = -1
  private var objectsName = -1

  /// How many containers are open.
  private var depth = 0
  /// Of the container that is being built: how deep its elements are nested, how many values it has so far.
  private var height = 0
  private var visits = 0
  /// The work so far: values made, shared ones once, and fields looked at.
  private var made = 0
  /// The bytes of values that objects of known classes stand for. Objects can share what they are written with.
  private var madeByteCount = 0
  private let byteLimit: Int

  @_lifetime(copy content)
  init(_ archive: KeyedArchive, content: RawSpan) {
    self.archive = archive
    self.archive.ignoresOtherFields = true
    records = archive.document.table.records
    links = archive.document.table.links
    self.content = content
    objects = archive.objects.range
    visitLimit = archive.document.visitLimit(atLeast: archive.options.maximumVisitCount)
    byteLimit = (64 << 20) + archive.document.bytes.count.multipliedReportingOverflow(by: 16).0
    objectMarks = Array(repeating: Mark.unseen, count: archive.objectCount)
    var uses = [UInt8](repeating: 0, count: archive.objectCount)
    for link in links {
      let record = records[Int(link)]
      guard record.kind == .uid, record.encoding == .binary, record.count <= 4 else { continue }
      let number = Int(content.bigEndian(at: Int(record.first), width: Int(record.count)))
      if number < uses.count, uses[number] < 2 { uses[number] += 1 }
    }
    self.uses = uses
  }

  mutating func value(
    of reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    switch reference {
    case .null:
      visits += 1
      return .null
    case .inline(let node): return try value(at: node.index)
    case .object(let object): return try value(ofObject: object.number, isKept: true)
    }
  }

  /// The value that stands at a node: a UID's object, or what is written in place.
  private mutating func value(at index: Int) throws(KeyedArchiveError) -> PropertyListValue {
    let record = records[index]
    if record.kind == .uid, record.encoding == .binary, record.count <= 4 {
      let number = Int(content.bigEndian(at: Int(record.first), width: Int(record.count)))
      if number == 0 {
        visits += 1
        return .null
      }
      if number < objects.count { return try value(ofObject: number, isKept: uses[number] > 1) }
    }
    let reference = archive.reference(PropertyListNode(index: index))
    guard case .inline = reference else { return try value(of: reference) }
    guard record.kind.isContainer || isLong(record) else { return try leaf(record, reference) }
    switch nodeMarks[index, default: Mark.unseen] {
    case Mark.unseen: break
    case Mark.open: throw error(.cycle, reference, "a container contains itself")
    case let mark: return try reuse(mark, reference)
    }
    nodeMarks[index] = Mark.open
    let made = try build(reference)
    finished.append(made)
    nodeMarks[index] = UInt32(truncatingIfNeeded: finished.count)
    return made.value
  }

  /// The value of an object. It is kept for the next use unless the only UID that leads to it is the one being
  /// followed.
  private mutating func value(
    ofObject number: Int, isKept: Bool
  ) throws(KeyedArchiveError) -> PropertyListValue {
    let reference = KeyedArchive.Reference.object(KeyedArchive.Object(number: number))
    switch objectMarks[number] {
    case Mark.unseen: break
    case Mark.open: throw error(.cycle, reference, "an object contains itself")
    case let mark: return try reuse(mark, reference)
    }
    let record = records[Int(links[objects.lowerBound + number])]
    guard record.kind.isContainer || isKept && isLong(record) else {
      return try leaf(record, reference)
    }
    objectMarks[number] = Mark.open
    let made = try build(reference)
    if isKept {
      finished.append(made)
      objectMarks[number] = UInt32(truncatingIfNeeded: finished.count)
    } else {
      objectMarks[number] = Mark.unseen
    }
    return made.value
  }

  /// Whether the value of a node that is no container has memory of its own, so that it is worth keeping.
  private func isLong(_ record: NodeRecord) -> Bool { record.end - record.start > 16 }

  private mutating func leaf(
    _ record: NodeRecord, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    visits += 1
    try addWork(1, reference)
    // Several objects can be one node.
    if isLong(record) { try addBytes(Int(record.count), reference) }
    // A UID here leads nowhere.
    if record.kind == .uid || record.kind == .string && canBeNull(record) {
      return try make(try archive.value(of: reference), reference)
    }
    return ScalarReader.value(record, content)
  }

  /// Whether a string can be `$null`, as far as that can be told at a glance.
  private func canBeNull(_ record: NodeRecord) -> Bool {
    switch record.encoding {
    case .utf16: record.count == 2 * Self.null.count
    case .markedUpText, .escapedText: true
    default:
      Int(record.count) == Self.null.count && content.equals(Self.null, at: Int(record.first))
    }
  }

  /// A finished value at one more place.
  private mutating func reuse(
    _ mark: UInt32, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    let value = finished[Int(mark) - 1]
    try add(height: value.height, visits: value.visits, reference)
    return value.value
  }

  /// Makes a value.
  private mutating func build(
    _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> Finished {
    try addWork(1, reference)
    // What is no container does not nest; that is known only when it is decoded.
    guard depth <= archive.options.maximumDepth else {
      throw error(.nestingTooDeep, reference, "objects are nested deeper than the limit")
    }
    let outer = (height: height, visits: visits)
    (height, visits) = (0, 1)
    depth += 1
    let collection = try makeCollection(reference)
    let (value, isContainer) =
      if let collection { collection } else { try makeAny(reference) }
    depth -= 1
    let own = Finished(value: value, height: height + (isContainer ? 1 : 0), visits: visits)
    (height, visits) = outer
    try add(height: own.height, visits: own.visits, reference)
    return own
  }

  private mutating func add(
    height: Int, visits: Int, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) {
    self.height = max(self.height, height)
    guard depth + height <= archive.options.maximumDepth else {
      throw error(.nestingTooDeep, reference, "objects are nested deeper than the limit")
    }
    let (sum, overflow) = self.visits.addingReportingOverflow(visits)
    guard !overflow, sum <= visitLimit else { throw tooManyVisits(reference) }
    self.visits = sum
  }

  // MARK: Values

  /// An array or a dictionary in its usual form, without the way over `ArchivedValue`; they are nearly all of
  /// large archives. Nil for what is another value or has another form.
  private mutating func makeCollection(
    _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> (PropertyListValue, isContainer: Bool)? {
    guard case .object(let object) = reference,
      let (known, isAllowed) = archive.knownClass(of: object), isAllowed
    else { return nil }
    let record = records[Int(links[objects.lowerBound + object.number])]
    let fields = record.links
    let count = fields.count / 2
    try addWork(count, reference)
    var keys: NodeRecord?
    var elements: NodeRecord?
    for link in fields.lowerBound..<fields.lowerBound + count {
      let name = Int(links[link])
      if name == objectsName || isText(name, Self.objectsField) {
        objectsName = name
        guard elements == nil else { return nil }
        elements = records[Int(links[link + count])]
      } else if name == keysName || isText(name, Self.keysField) {
        keysName = name
        guard keys == nil else { return nil }
        keys = records[Int(links[link + count])]
      }
    }
    guard let elements, elements.kind == .array else { return nil }
    switch known {
    case .array: return (.array(try values(elements.links)), true)
    case .set: return (.set(try values(elements.links)), true)
    case .dictionary:
      guard let keys, keys.kind == .array, keys.links.count == elements.links.count else {
        return nil
      }
      var entries: [Entry] = []
      entries.reserveCapacity(elements.links.count)
      for (position, link) in elements.links.enumerated() {
        let key = try value(at: Int(links[keys.links.lowerBound + position]), position: position)
        do throws(KeyedArchiveError) {
          entries.append(Entry(key, try value(at: Int(links[link]))))
        } catch {
          throw error.inside(Self.step(key, position))
        }
      }
      return (.dictionary(entries), true)
    default: return nil
    }
  }

  /// Whether a node is a string of this text.
  private func isText(_ node: Int, _ text: [UInt8]) -> Bool {
    let record = records[node]
    return record.kind == .string && (record.encoding == .ascii || record.encoding == .text)
      && Int(record.count) == text.count && content.equals(text, at: Int(record.first))
  }

  private mutating func values(_ range: Range<Int>) throws(KeyedArchiveError) -> [PropertyListValue]
  {
    var values: [PropertyListValue] = []
    values.reserveCapacity(range.count)
    for (position, link) in range.enumerated() {
      values.append(try value(at: Int(links[link]), position: position))
    }
    return values
  }

  private mutating func value(
    at node: Int, position: Int
  ) throws(KeyedArchiveError) -> PropertyListValue {
    do throws(KeyedArchiveError) {
      return try value(at: node)
    } catch {
      throw error.inside(.index(position))
    }
  }

  private static func step(_ key: PropertyListValue, _ position: Int) -> KeyedArchiveError.PathStep
  {
    if case .string(let name) = key { return .name(name) }
    return .index(position)
  }

  private mutating func makeAny(
    _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> (PropertyListValue, isContainer: Bool) {
    if case .object(let object) = reference {
      // Names are made of all fields of some objects.
      let record = records[Int(links[objects.lowerBound + object.number])]
      try addWork(16 * record.links.count, reference)
    }
    let archived = try archive.value(of: reference)
    let isContainer: Bool
    switch archived {
    case .null: isContainer = false
    case .scalar(let value):
      try addBytes(Self.byteCount(value), reference)
      isContainer = false
    case .url(_, let relative):
      try addBytes(relative.utf8.count, reference)
      isContainer = false
    case .attributedString(let text, let runs):
      try addBytes(text.utf8.count + 64 * runs.count, reference)
      isContainer = true
    case .described(let description):
      for part in description.parts {
        if case .value(let value) = part.value { try addBytes(Self.byteCount(value), reference) }
      }
      isContainer = true
    default: isContainer = true
    }
    return (try make(archived, reference), isContainer)
  }

  private mutating func addWork(
    _ count: Int, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) {
    made += count
    guard made <= visitLimit else { throw tooManyVisits(reference) }
  }

  private mutating func addBytes(
    _ count: Int, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) {
    madeByteCount += count
    guard madeByteCount <= byteLimit else { throw tooManyVisits(reference) }
  }

  /// About how much memory a value takes that a decoder has made.
  private static func byteCount(_ value: PropertyListValue) -> Int {
    switch value {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    // Lists of numbers, and of pairs of them.
    case .array(let elements): 128 * elements.count
    default: 0
    }
  }

  private mutating func make(
    _ archived: ArchivedValue, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    switch archived {
    case .null: return .null
    case .scalar(let value): return value
    case .array(let elements): return .array(try values(of: elements))
    case .set(let elements): return .set(try values(of: elements))
    case .orderedSet(let elements): return .orderedSet(try values(of: elements))
    case .countedSet(let elements):
      let values = try values(of: elements.map(\.element))
      return .array(
        zip(values, elements).map { value, element in
          .dictionary([
            Entry("element", value), Entry("count", .integer(Int128(element.count))),
          ])
        })
    case .dictionary(let pairs):
      var entries: [Entry] = []
      entries.reserveCapacity(pairs.count)
      for (position, pair) in pairs.enumerated() {
        let key = try value(of: pair.key, inside: .index(position))
        do throws(KeyedArchiveError) {
          entries.append(Entry(key, try value(of: pair.value)))
        } catch {
          throw error.inside(Self.step(key, position))
        }
      }
      return .dictionary(entries)
    case .url(let base, let relative):
      switch try value(of: base, inside: .name("base")) {
      case .null: return .url([relative])
      case .url(let texts): return .url(texts + [relative])
      default: throw error(.noPlainValue, reference, "a URL whose base is no URL")
      }
    case .attributedString(let text, let runs):
      let attributes = try values(of: runs.map(\.attributes))
      return .dictionary([
        Entry("string", .string(text)),
        Entry(
          "runs",
          .array(
            zip(runs, attributes).map { run, attributes in
              .dictionary([
                Entry("location", .integer(Int128(run.range.lowerBound))),
                Entry("length", .integer(Int128(run.range.count))),
                Entry("attributes", attributes),
              ])
            })),
      ])
    case .described(let description): return try make(description)
    case .record:
      throw error(.noPlainValue, reference, "an object of a class that has no plain value")
    }
  }

  private mutating func make(
    _ description: ArchivedDescription
  ) throws(KeyedArchiveError) -> PropertyListValue {
    if description.parts.count == 1, case .value(let value) = description.parts[0].value {
      return value
    }
    var entries: [Entry] = []
    for part in description.parts {
      switch part.value {
      case .value(let value): entries.append(Entry(part.name, value))
      case .reference(let reference):
        entries.append(Entry(part.name, try value(of: reference, inside: .name(part.name))))
      }
    }
    return .dictionary(entries)
  }

  private mutating func values(
    of references: [KeyedArchive.Reference]
  ) throws(KeyedArchiveError) -> [PropertyListValue] {
    var values: [PropertyListValue] = []
    values.reserveCapacity(references.count)
    for (index, reference) in references.enumerated() {
      values.append(try value(of: reference, inside: .index(index)))
    }
    return values
  }

  mutating func value(
    of reference: KeyedArchive.Reference, inside step: KeyedArchiveError.PathStep
  ) throws(KeyedArchiveError) -> PropertyListValue {
    do throws(KeyedArchiveError) {
      return try value(of: reference)
    } catch {
      throw error.inside(step)
    }
  }

  // MARK: Errors

  private func error(
    _ code: KeyedArchiveError.Code, _ reference: KeyedArchive.Reference, _ reason: String
  ) -> KeyedArchiveError {
    switch reference {
    case .null: KeyedArchiveError(code, offset: 0, object: 0, reason: reason)
    case .inline(let node):
      KeyedArchiveError(code, offset: archive.document.range(of: node).lowerBound, reason: reason)
    case .object(let object): archive.error(code, object, reason)
    }
  }

  private func tooManyVisits(_ reference: KeyedArchive.Reference) -> KeyedArchiveError {
    error(.tooManyVisits, reference, "shared objects stand for more values than the limit")
  }
}
