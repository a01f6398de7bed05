// The binary list of an archive. Apple's list writer shares objects by their addresses, so what is shared in its
// files follows from what is one object in the archiver's process: constants, small numbers, the names of classes,
// and the reference to an object, which is written again at each place while all places refer to the first.

internal import ByteCoding

struct ArchiveLayout {
  private typealias Family = BinaryFormat.Family

  private var layout: BinaryListLayout
  /// Field names and keys of the frame.
  private var constants: [String: UInt32] = [:]
  private var classNames: [String: UInt32] = [:]
  private var firstBooleans: [Bool: UInt32] = [:]
  /// By object of the archive; 0, the list's top, where it has not been referred to.
  private var firstUIDs: [UInt32]

  private init(_ objects: [EncodedObject]) {
    firstUIDs = Array(repeating: 0, count: objects.count)
    // Each is an object, and an element of their list.
    var (objectCount, linkCount) = (objects.count, objects.count)
    for object in objects {
      // Behind it come lists, and a UID for each reference; its links are names of fields and those.
      switch object {
      case .collection(let elements, _):
        objectCount += 2 + elements.count
        linkCount += 4 + elements.count
      case .dictionary(let keys, let values, _):
        objectCount += 3 + keys.count + values.count
        linkCount += 6 + keys.count + values.count
      case .fields(let fields):
        objectCount += fields.count
        linkCount += 2 * fields.count
      case .value, .classDescription: break
      }
    }
    layout = BinaryListLayout(objects: objectCount, links: linkCount)
  }

  /// The file with these objects.
  static func file(
    _ objects: [EncodedObject], archiver: String,
    top: [(name: String, content: EncodedObject.Content)]
  ) throws(PropertyListError) -> [UInt8] {
    var writer = ArchiveLayout(objects)
    let root = writer.layout.addContainer(Family.dictionary)
    var children: [UInt32] = []
    for key in ["$version", "$archiver", "$top", "$objects"] {
      children.append(try writer.constant(key))
    }
    children.append(try writer.scalar(.integer(100_000)))
    children.append(try writer.unshared(.string(archiver)))
    children.append(try writer.dictionary(top))
    let list = writer.layout.addContainer(Family.array)
    children.append(list)
    var elements: [UInt32] = []
    elements.reserveCapacity(objects.count)
    for object in objects { elements.append(try writer.object(object)) }
    writer.layout.setChildren(elements, of: list)
    writer.layout.setChildren(children, of: root)
    return writer.layout.file()
  }

  // MARK: Objects

  private mutating func object(
    _ object: EncodedObject
  ) throws(PropertyListError) -> UInt32 {
    switch object {
    case .value(let value): return try scalar(value)
    case .fields(let fields): return try dictionary(fields)
    case .collection(let elements, let archivedClass):
      return try dictionary([
        ("NS.objects", .references(elements)), ("$class", .reference(archivedClass)),
      ])
    case .dictionary(let keys, let values, let archivedClass):
      return try dictionary([
        ("NS.keys", .references(keys)), ("NS.objects", .references(values)),
        ("$class", .reference(archivedClass)),
      ])
    case .classDescription(let archived):
      let number = layout.addContainer(Family.dictionary)
      var lists = [archived.chain]
      var children = [try constant("$classname"), try constant("$classes")]
      if !archived.hints.isEmpty {
        lists.append(archived.hints)
        children.append(try constant("$classhints"))
      }
      children.append(try className(archived.name))
      for names in lists {
        let list = layout.addContainer(Family.array)
        children.append(list)
        var numbers: [UInt32] = []
        for name in names { numbers.append(try className(name)) }
        layout.setChildren(numbers, of: list)
      }
      layout.setChildren(children, of: number)
      return number
    }
  }

  private mutating func dictionary(
    _ fields: [(name: String, content: EncodedObject.Content)]
  ) throws(PropertyListError) -> UInt32 {
    let number = layout.addContainer(Family.dictionary)
    var children: [UInt32] = []
    children.reserveCapacity(2 * fields.count)
    for field in fields { children.append(try constant(field.name)) }
    for field in fields { children.append(try content(field.content)) }
    layout.setChildren(children, of: number)
    return number
  }

  private mutating func content(
    _ content: EncodedObject.Content
  ) throws(PropertyListError) -> UInt32 {
    switch content {
    case .value(let value): return try scalar(value)
    case .reference(let number): return uid(number)
    case .references(let numbers):
      let list = layout.addContainer(Family.array)
      layout.setChildren(numbers.map { uid($0) }, of: list)
      return list
    }
  }

  // MARK: Values

  /// Written at each visit, like a boolean; all references to an object refer to the first.
  private mutating func uid(_ number: UInt32) -> UInt32 {
    let new = layout.add { BinaryObject.append(uid: UInt128(number), to: &$0) }
    if firstUIDs[Int(number)] == 0 { firstUIDs[Int(number)] = new }
    return firstUIDs[Int(number)]
  }

  private mutating func constant(
    _ text: String
  ) throws(PropertyListError) -> UInt32 {
    if let number = constants[text] { return number }
    let number = try unshared(.string(text))
    constants[text] = number
    return number
  }

  /// All descriptions share the names of classes.
  private mutating func className(_ name: String) throws(PropertyListError) -> UInt32 {
    if let number = classNames[name] { return number }
    let number = try unshared(.string(name))
    classNames[name] = number
    return number
  }

  private mutating func scalar(
    _ value: PropertyListValue
  ) throws(PropertyListError) -> UInt32 {
    switch value {
    case .boolean(let boolean):
      // Written at each visit, referred to once.
      let number = try unshared(value)
      if let first = firstBooleans[boolean] { return first }
      firstBooleans[boolean] = number
      return number
    case .integer, .real, .real32:
      return try layout.addOnce { (bytes) throws(PropertyListError) in
        try value.appendScalar(to: &bytes)
      }
    // The encoder has made sure that each string and data is there once.
    default: return try unshared(value)
    }
  }

  private mutating func unshared(
    _ value: PropertyListValue
  ) throws(PropertyListError) -> UInt32 {
    try layout.add { (bytes) throws(PropertyListError) in try value.appendScalar(to: &bytes) }
  }
}
