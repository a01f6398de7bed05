// Writes keyed archives as Apple's NSKeyedArchiver does today: which objects there are, in which order, and what
// they refer to. ArchiveLayout makes the file of it.
//
// An object gets its number before what it contains, and its class is described behind that, when the first
// object of the class is. A dictionary's keys come before its values.

extension KeyedArchive {
  /// How to write.
  public struct WritingOptions: Hashable, Sendable {
    /// Whether arrays, dictionaries and sets are of mutable classes, as archives of programs often have them
    /// that read them back to change them. Unarchivers that allow only the immutable classes take both.
    public var usesMutableClasses = false

    public init() {}
  }
}

extension PropertyListValue {
  /// The value as a keyed archive in a binary list, as Apple's `NSKeyedArchiver` writes it: `$top` has the key
  /// `root`. Equal strings, numbers, data, dates, UUIDs and URLs are one object each.
  ///
  /// Throws `notRepresentable` for what archives cannot hold: UIDs, unknown objects, integers below -2^63 and
  /// from 2^64 on, malformed UUIDs and URLs; `nestingTooDeep` beyond 512 containers in each other.
  public func keyedArchive(
    options: KeyedArchive.WritingOptions = KeyedArchive.WritingOptions()
  ) throws(KeyedArchiveError) -> [UInt8] {
    try keyedArchive(key: "root", options: options)
  }

  /// As above, with another key in `$top`.
  public func keyedArchive(
    key: String, options: KeyedArchive.WritingOptions = KeyedArchive.WritingOptions()
  ) throws(KeyedArchiveError) -> [UInt8] {
    var encoder = ArchiveEncoder(options: options)
    let top = try encoder.encode(self, depth: 0)
    let name = KeyedArchiveBuilder.Field(key, .null).name
    return try encoder.file(archiver: "NSKeyedArchiver", top: [(name, .reference(top))])
  }
}

/// An object of an archive that is being written.
enum EncodedObject {
  /// A value in place.
  case value(PropertyListValue)
  /// An array or set: its elements and its class. Most objects are in one of these two forms, which have no memory for
  /// the names of fields.
  case collection([UInt32], class: UInt32)
  case dictionary(keys: [UInt32], values: [UInt32], class: UInt32)
  /// Fields in the order of the file.
  case fields([(name: String, content: Content)])
  case classDescription(ArchivedClass)

  enum Content {
    case value(PropertyListValue)
    case reference(UInt32)
    case references([UInt32])
  }
}

struct ArchiveEncoder {
  private(set) var objects: [EncodedObject] = [.value(.string("$null"))]
  private let options: KeyedArchive.WritingOptions
  /// Values without objects in them that are there already.
  private var known: [PropertyListValue: UInt32] = [:]
  private var classes: [ArchivedClass: UInt32] = [:]
  /// By name, of those that hold values.
  private var valueClasses: [String: UInt32] = [:]
  /// Objects that are described, and their numbers where they have one.
  private let described: [DescribedObject]
  private var describedNumbers: [UInt32]

  init(options: KeyedArchive.WritingOptions, described: [DescribedObject] = []) {
    self.options = options
    self.described = described
    describedNumbers = Array(repeating: 0, count: described.count)
  }

  /// The archive of what has been encoded.
  func file(
    archiver: String, top: [(name: String, content: EncodedObject.Content)]
  ) throws(KeyedArchiveError) -> [UInt8] {
    do throws(PropertyListError) {
      return try ArchiveLayout.file(objects, archiver: archiver, top: top)
    } catch {
      throw KeyedArchiveError(.notRepresentable, offset: 0, reason: error.reason)
    }
  }

  /// Adds a described object, and what is in it, unless it is there already. Returns its number.
  mutating func encode(
    described index: Int, depth: Int
  ) throws(KeyedArchiveError) -> UInt32 {
    if describedNumbers[index] != 0 { return describedNumbers[index] }
    let number = try begin(depth)
    describedNumbers[index] = number
    let object = described[index]
    var contents: [EncodedObject.Content] = []
    contents.reserveCapacity(object.fields.count + 1)
    for field in object.fields { contents.append(try content(field.content, depth: depth + 1)) }
    contents.append(.reference(try archivedClass(object.archivedClass)))
    let names = object.fields.map(\.name) + ["$class"]
    objects[Int(number)] = .fields(
      CoreFoundationHashTable.order(of: names).map { (names[$0], contents[$0]) })
    return number
  }

  /// What a field or a key of `$top` holds.
  mutating func content(
    _ content: KeyedArchiveBuilder.Content, depth: Int
  ) throws(KeyedArchiveError) -> EncodedObject.Content {
    switch content {
    case .null: return .reference(0)
    case .inline(let value): return .value(value)
    case .value, .object: return .reference(try number(of: content, depth: depth))
    case .list(let elements):
      var numbers: [UInt32] = []
      for element in elements { numbers.append(try number(of: element, depth: depth)) }
      return .references(numbers)
    }
  }

  private mutating func number(
    of content: KeyedArchiveBuilder.Content, depth: Int
  ) throws(KeyedArchiveError) -> UInt32 {
    switch content {
    case .null: return 0
    case .value(let value): return try encode(value, depth: depth)
    case .object(let object): return try encode(described: object.index, depth: depth)
    case .inline, .list: throw Self.notRepresentable("a value in place where an object has to be")
    }
  }

  /// Adds the value and what is in it. Returns its number.
  mutating func encode(
    _ value: PropertyListValue, depth: Int
  ) throws(KeyedArchiveError) -> UInt32 {
    switch value {
    case .array(let elements):
      return try collection(
        elements, options.usesMutableClasses ? Self.mutableArray : Self.array, depth)
    case .set(let elements):
      return try collection(
        elements, options.usesMutableClasses ? Self.mutableSet : Self.set, depth)
    case .orderedSet(let elements): return try orderedSet(elements, depth)
    case .dictionary(let entries): return try dictionary(entries, depth)
    default: break
    }
    if let number = known[value] { return number }
    let number = try scalar(value)
    known[value] = number
    return number
  }

  private mutating func scalar(_ value: PropertyListValue) throws(KeyedArchiveError) -> UInt32 {
    switch value {
    case .integer(let integer):
      guard Int128(Int64.min)...Int128(UInt64.max) ~= integer else {
        throw Self.notRepresentable("an integer of more than 64 bits")
      }
      return try add(.value(value))
    // In place it would be nil.
    case .string(let text) where text.utf8.elementsEqual("$null".utf8):
      let number = try reserve()
      let valueClass = try self.valueClass(["NSString", "NSObject"])
      objects[Int(number)] = .fields([
        ("$class", .reference(valueClass)), ("NS.string", .value(value)),
      ])
      return number
    case .boolean, .real, .real32, .data, .string, .unpairedString: return try add(.value(value))
    case .date(let seconds):
      let number = try reserve()
      let valueClass = try self.valueClass(["NSDate", "NSObject"])
      objects[Int(number)] = .fields([
        ("NS.time", .value(.real(seconds))), ("$class", .reference(valueClass)),
      ])
      return number
    case .null:
      let number = try reserve()
      objects[Int(number)] = .fields([
        ("$class", .reference(try valueClass(["NSNull", "NSObject"])))
      ])
      return number
    case .uuid(let bytes):
      guard bytes.count == 16 else {
        throw Self.notRepresentable("a UUID that does not have 16 bytes")
      }
      let number = try reserve()
      let valueClass = try self.valueClass(["NSUUID", "NSObject"])
      objects[Int(number)] = .fields([
        ("NS.uuidbytes", .value(.data(bytes))), ("$class", .reference(valueClass)),
      ])
      return number
    case .url(let texts): return try url(texts)
    case .uid: throw Self.notRepresentable("a UID")
    case .unknown: throw Self.notRepresentable("an unknown object")
    case .array, .set, .orderedSet, .dictionary: throw Self.notRepresentable("a container")
    }
  }

  /// A URL after its base, which is one of its own. Bases are added in a loop: there can be many.
  private mutating func url(_ texts: [String]) throws(KeyedArchiveError) -> UInt32 {
    guard !texts.isEmpty else { throw Self.notRepresentable("a URL without a text") }
    var numbers: [UInt32] = []
    var base: UInt32 = 0
    // A URL gets its number before its base does; a base can be there already.
    for count in stride(from: texts.count, to: 0, by: -1) {
      if let number = known[.url(Array(texts.prefix(count)))] {
        base = number
        break
      }
      numbers.append(try reserve())
    }
    for (index, number) in numbers.enumerated().reversed() {
      let count = texts.count - index
      let relative = try encode(.string(texts[count - 1]), depth: 0)
      let valueClass = try self.valueClass(["NSURL", "NSObject"])
      objects[Int(number)] = .fields([
        ("NS.base", .reference(base)), ("$class", .reference(valueClass)),
        ("NS.relative", .reference(relative)),
      ])
      known[.url(Array(texts.prefix(count)))] = number
      base = number
    }
    return base
  }

  // MARK: Collections

  private static let array = ["NSArray", "NSObject"]
  private static let mutableArray = ["NSMutableArray", "NSArray", "NSObject"]
  private static let set = ["NSSet", "NSObject"]
  private static let mutableSet = ["NSMutableSet", "NSSet", "NSObject"]
  private static let orderedSet = ["NSOrderedSet", "NSObject"]
  private static let mutableOrderedSet = ["NSMutableOrderedSet", "NSOrderedSet", "NSObject"]
  private static let dictionary = ["NSDictionary", "NSObject"]
  private static let mutableDictionary = ["NSMutableDictionary", "NSDictionary", "NSObject"]

  private mutating func collection(
    _ elements: [PropertyListValue], _ chain: [String], _ depth: Int
  ) throws(KeyedArchiveError) -> UInt32 {
    let number = try begin(depth)
    let references = try encode(elements, depth)
    objects[Int(number)] = .collection(references, class: try valueClass(chain))
    return number
  }

  private mutating func dictionary(
    _ entries: [PropertyListValue.Entry], _ depth: Int
  ) throws(KeyedArchiveError) -> UInt32 {
    let number = try begin(depth)
    var keys: [UInt32] = []
    keys.reserveCapacity(entries.count)
    for entry in entries { keys.append(try encode(entry.key, depth: depth + 1)) }
    var values: [UInt32] = []
    values.reserveCapacity(entries.count)
    for entry in entries { values.append(try encode(entry.value, depth: depth + 1)) }
    let chain = options.usesMutableClasses ? Self.mutableDictionary : Self.dictionary
    objects[Int(number)] = .dictionary(keys: keys, values: values, class: try valueClass(chain))
    return number
  }

  /// One field for each element.
  private mutating func orderedSet(
    _ elements: [PropertyListValue], _ depth: Int
  ) throws(KeyedArchiveError) -> UInt32 {
    let number = try begin(depth)
    let references = try encode(elements, depth)
    let chain = options.usesMutableClasses ? Self.mutableOrderedSet : Self.orderedSet
    var contents = references.map { EncodedObject.Content.reference($0) }
    contents.append(.reference(try valueClass(chain)))
    let names = references.indices.map { "NS.object.\($0)" } + ["$class"]
    objects[Int(number)] = .fields(
      CoreFoundationHashTable.order(of: names).map { (names[$0], contents[$0]) })
    return number
  }

  private mutating func encode(
    _ elements: [PropertyListValue], _ depth: Int
  ) throws(KeyedArchiveError) -> [UInt32] {
    var references: [UInt32] = []
    references.reserveCapacity(elements.count)
    for element in elements { references.append(try encode(element, depth: depth + 1)) }
    return references
  }

  // MARK: Objects

  private mutating func begin(_ depth: Int) throws(KeyedArchiveError) -> UInt32 {
    guard depth < KeyedArchive.Options().maximumDepth else {
      throw KeyedArchiveError(
        .nestingTooDeep, offset: 0, reason: "containers are nested deeper than the limit")
    }
    return try reserve()
  }

  /// The number of an object that is set later.
  private mutating func reserve() throws(KeyedArchiveError) -> UInt32 { try add(.fields([])) }

  private mutating func add(_ object: EncodedObject) throws(KeyedArchiveError) -> UInt32 {
    // Each object takes a few of the list's, whose numbers have 32 bits.
    guard objects.count < Int(UInt32.max / 8) else {
      throw Self.notRepresentable("more objects than an archive can have")
    }
    objects.append(object)
    return UInt32(truncatingIfNeeded: objects.count - 1)
  }

  /// The number of the class of values that has this chain, described where it is not yet.
  private mutating func valueClass(_ chain: [String]) throws(KeyedArchiveError) -> UInt32 {
    if let number = valueClasses[chain[0]] { return number }
    let number = try archivedClass(ArchivedClass(name: chain[0], chain: chain))
    valueClasses[chain[0]] = number
    return number
  }

  private mutating func archivedClass(
    _ archived: ArchivedClass
  ) throws(KeyedArchiveError) -> UInt32 {
    if let number = classes[archived] { return number }
    let number = try add(.classDescription(archived))
    classes[archived] = number
    return number
  }

  private static func notRepresentable(_ what: String) -> KeyedArchiveError {
    KeyedArchiveError(.notRepresentable, offset: 0, reason: "\(what) cannot be archived")
  }
}
