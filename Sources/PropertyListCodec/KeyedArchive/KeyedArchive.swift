// A keyed archive over the property list that it is written in. The list stays what it is; this finds the
// objects, their classes and their fields in it, once, and lists what is irregular. Nothing is instantiated.

/// A keyed archive (`NSKeyedArchiver`): the table of objects that a property list holds.
///
/// Objects can be shared and contain themselves; `value(of:)` shows one level, and the caller decides how far to
/// follow. `plainValue()` makes a tree of it where that can be.
public struct KeyedArchive: Sendable {
  /// How to read.
  public struct Options: Hashable, Sendable {
    /// Whether the first irregularity is an error. Otherwise they are listed in `irregularities`.
    public var isStrict = false
    /// How deep plain values can be nested.
    public var maximumDepth = 512
    /// How many values `plainValue` may make, shared ones counted at each place, where that is more than 16
    /// times the bytes of the list.
    public var maximumVisitCount = PropertyListDocument.Options().maximumVisitCount
    /// Names of archived classes, and the names to use for them.
    public var classNames: [String: String] = [:]
    /// The classes that objects may have, themselves or by a superclass; nil for any. Strings, numbers, data and dates
    /// that are written without a class are always allowed, containers as `NSArray`, `NSDictionary` and so on (the
    /// rule of `NSSecureCoding`). See `allowing`.
    public var allowedClasses: Set<String>?

    public init() {}
  }

  public let document: PropertyListDocument
  public private(set) var options: Options
  /// The keys of `$top`, in the order of the list.
  public let top: [Field]
  private let irregularityList: IrregularityList<KeyedArchiveError>

  let objects: PropertyListDocument.Children
  /// Whether an object of a known class has its class's value also where there are more fields, as subclasses
  /// have. Otherwise it is a record, which shows them all.
  var ignoresOtherFields = false
  /// By object: one more than the index of its class; 0 for objects without a class.
  private let classNumbers: [UInt32]
  private var classes: [ClassEntry]

  struct ClassEntry: Sendable {
    let archived: ArchivedClass
    let known: KnownClass?
    let isAllowed: Bool

    init(_ archived: ArchivedClass, known: KnownClass?, allowed: Set<String>?) {
      self.archived = archived
      self.known = known
      isAllowed = allowed.map { archived.isKind(ofAny: $0) } ?? true
    }
  }

  /// Reads the frame of the archive and the classes of its objects.
  ///
  /// Throws `notAnArchive`, and in strict reading whatever is irregular.
  public init(
    _ document: PropertyListDocument, options: Options = Options()
  ) throws(KeyedArchiveError) {
    let root = document.root
    guard let objectsNode = document.value(for: "$objects", in: root),
      let topNode = document.value(for: "$top", in: root),
      document.kind(of: objectsNode) == .array, document.kind(of: topNode) == .dictionary
    else {
      throw KeyedArchiveError(
        .notAnArchive, offset: document.range(of: root).lowerBound,
        reason: "no array $objects and dictionary $top in the list")
    }
    self.document = document
    self.options = options
    let objects = document.children(of: objectsNode)
    self.objects = objects
    var table = ClassTable(document: document, objects: objects, options: options)
    try Self.checkFrame(document, objects: objects, &table.irregularities)
    classNumbers = try table.read()
    classes = table.classes
    top = Self.fields(of: topNode, objects: objects, document: document)
    try Self.checkReferences(document, objectCount: objects.count, &table.irregularities)
    irregularityList = table.irregularities
    // Typed streams have other forms of some classes, whose objects are records then.
    if options.isStrict, document.format != .typedStream { try checkObjects() }
  }

  /// The same archive with other allowed classes: for a part of it that may have others than the rest, as
  /// `decodeObject(ofClasses:forKey:)` has it. Nil for any.
  public func allowing(_ classes: Set<String>?) -> KeyedArchive {
    var archive = self
    archive.options.allowedClasses = classes
    archive.classes = self.classes.map {
      ClassEntry($0.archived, known: $0.known, allowed: classes)
    }
    return archive
  }

  /// What archivers do not write: the first 100, with their places. What is irregular about the list is the
  /// document's to say.
  public var irregularities: [KeyedArchiveError] { irregularityList.found }

  /// How many irregularities there are.
  public var irregularityCount: Int { irregularityList.count }

  /// Whether the list is a keyed archive: a dictionary with an array `$objects`, a dictionary `$top`, and one of
  /// `$archiver` and `$version`.
  public static func isArchive(_ document: PropertyListDocument) -> Bool {
    let root = document.root
    guard let objects = document.value(for: "$objects", in: root),
      let top = document.value(for: "$top", in: root)
    else { return false }
    return document.kind(of: objects) == .array && document.kind(of: top) == .dictionary
      && (document.value(for: "$archiver", in: root) != nil
        || document.value(for: "$version", in: root) != nil)
  }

  /// `$archiver`: the class that wrote the archive. Nil when it is not there.
  public var archiver: String? {
    document.value(for: "$archiver", in: document.root).flatMap { document.string(of: $0) }
  }

  /// `$version`, 100000 in all archives known. Nil when it is not there.
  public var version: Int128? {
    document.value(for: "$version", in: document.root).flatMap { document.integer(of: $0) }
  }

  /// How many objects `$objects` has, the first one, `$null`, included.
  public var objectCount: Int { objects.count }

  // MARK: Objects

  /// An entry of `$objects`.
  public struct Object: Hashable, Sendable {
    /// From 0.
    public let number: Int

    public init(number: Int) { self.number = number }
  }

  /// What a field holds.
  public enum Reference: Hashable, Sendable {
    /// Nil: UID 0.
    case null
    /// An entry of `$objects`; others can refer to it too.
    case object(Object)
    /// Something that is written in place. A UID in place is one that leads to no object.
    case inline(PropertyListNode)
  }

  /// A named reference.
  public struct Field: Hashable, Sendable {
    /// The name as the object gave it: the archive has one more `$` before a name that begins with one. A
    /// value without a name has the archive's, `$0`, `$1` and so on.
    public let name: String
    /// The name as it stands in the archive.
    public let key: PropertyListNode
    public let value: Reference

    public init(name: String, key: PropertyListNode, value: Reference) {
      self.name = name
      self.key = key
      self.value = value
    }
  }

  /// The node of an object, whose number is one of the archive.
  public func node(of object: Object) -> PropertyListNode { objects[object.number] }

  /// What a node stands for where it is a field, an element or a key: a UID's object, or the node itself.
  public func reference(_ node: PropertyListNode) -> Reference {
    Self.reference(node, objects: objects, document: document)
  }

  /// The class of an object. Nil for one that is written without a class: `$null`, a string, a number, data,
  /// the description of a class.
  public func archivedClass(of object: Object) -> ArchivedClass? {
    classEntry(of: object)?.archived
  }

  /// The fields of an object without `$class`, in the order of the archive. Of a dictionary without a class,
  /// its keys; nothing for other objects.
  public func fields(of object: Object) -> [Field] {
    let fields = Self.fields(of: node(of: object), objects: objects, document: document)
    guard classEntry(of: object) != nil else { return fields }
    return fields.filter { !document.text(of: $0.key, equals: "$class") }
  }

  /// The same number for objects whose class is described by the same object. Nil for those without a class.
  func classNumber(of object: Object) -> Int? {
    let number = classNumbers[object.number]
    return number == 0 ? nil : Int(number)
  }

  func classEntry(of object: Object) -> ClassEntry? {
    let number = classNumbers[object.number]
    return number == 0 ? nil : classes[Int(number) - 1]
  }

  /// The known class of an object, and whether it is allowed, without the names.
  func knownClass(of object: Object) -> (known: KnownClass, isAllowed: Bool)? {
    let number = classNumbers[object.number]
    guard number != 0, let known = classes[Int(number) - 1].known else { return nil }
    return (known, classes[Int(number) - 1].isAllowed)
  }

  // MARK: Frame

  private static func reference(
    _ node: PropertyListNode, objects: PropertyListDocument.Children,
    document: PropertyListDocument
  ) -> Reference {
    guard let uid = document.uid(of: node) else { return .inline(node) }
    if uid == 0 { return .null }
    guard uid < UInt128(objects.count) else { return .inline(node) }
    return .object(Object(number: Int(uid)))
  }

  private static func fields(
    of node: PropertyListNode, objects: PropertyListDocument.Children,
    document: PropertyListDocument
  ) -> [Field] {
    zip(document.keys(of: node), document.values(of: node)).map { key, value in
      Field(
        name: fieldName(key, document), key: key,
        value: reference(value, objects: objects, document: document))
    }
  }

  static func fieldName(
    _ key: PropertyListNode, _ document: PropertyListDocument
  ) -> String {
    if let name = document.string(of: key) {
      return name.utf8.starts(with: "$$".utf8) ? String(name.dropFirst()) : name
    }
    // Half a surrogate pair becomes U+FFFD; the document lists keys that are no strings.
    if let units = document.utf16(of: key) { return String(decoding: units, as: UTF16.self) }
    return "(\(document.kind(of: key)))"
  }

  private static func checkFrame(
    _ document: PropertyListDocument, objects: PropertyListDocument.Children,
    _ irregularities: inout IrregularityList<KeyedArchiveError>
  ) throws(KeyedArchiveError) {
    func offset(_ node: PropertyListNode?) -> Int {
      document.range(of: node ?? document.root).lowerBound
    }
    let version = document.value(for: "$version", in: document.root)
    if version.flatMap({ document.integer(of: $0) }) != 100_000 {
      try irregularities.add(
        KeyedArchiveError(
          .unsupportedVersion, offset: offset(version), reason: "the $version is not 100000"))
    }
    let archiver = document.value(for: "$archiver", in: document.root)
    if archiver.map({ document.kind(of: $0) }) != .string {
      try irregularities.add(
        KeyedArchiveError(
          .unsupportedVersion, offset: offset(archiver), reason: "the $archiver is not a name"))
    }
    if objects.first.map({ document.text(of: $0, equals: "$null") }) != true {
      try irregularities.add(
        KeyedArchiveError(
          .missingNull, offset: offset(objects.first), object: objects.isEmpty ? nil : 0,
          reason: "the first object is not $null"))
    }
  }

  private static func checkReferences(
    _ document: PropertyListDocument, objectCount: Int,
    _ irregularities: inout IrregularityList<KeyedArchiveError>
  ) throws(KeyedArchiveError) {
    for (index, record) in document.table.records.enumerated() where record.kind == .uid {
      let uid = document.uid(of: PropertyListNode(index: index)) ?? 0
      // Nil is nil, also in an archive without objects.
      if uid != 0, uid >= UInt128(objectCount) {
        try irregularities.add(
          KeyedArchiveError(
            .danglingReference, offset: Int(record.start),
            reason: "a reference to an object that the archive does not have"))
      }
    }
  }

  /// Looks at the value of each object, once.
  private func checkObjects() throws(KeyedArchiveError) {
    var seen = Set<PropertyListNode>()
    for number in 0..<objectCount {
      let object = Object(number: number)
      // A subclass can have fields of its own.
      guard let entry = classEntry(of: object), KnownClass.byName[entry.archived.name] != nil,
        seen.insert(node(of: object)).inserted
      else { continue }
      if case .record = try value(of: .object(object)) {
        throw error(.malformedObject, object, "an object has not the fields of its class")
      }
    }
  }

  func error(
    _ code: KeyedArchiveError.Code, _ object: Object, _ reason: String
  ) -> KeyedArchiveError {
    KeyedArchiveError(
      code, offset: document.range(of: node(of: object)).lowerBound, object: object.number,
      reason: reason)
  }
}

extension KeyedArchive: CustomStringConvertible, CustomReflectable {
  /// The number of objects: archives hold secrets, and descriptions end up in logs.
  public var description: String { "keyed archive, \(objectCount) objects" }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
