// Finds the class of every object of an archive, in one pass: objects refer to classes, which are described
// once.

struct ClassTable {
  let document: PropertyListDocument
  let objects: PropertyListDocument.Children
  let options: KeyedArchive.Options
  private(set) var classes: [KeyedArchive.ClassEntry] = []
  var irregularities: IrregularityList<KeyedArchiveError>

  /// By node of a class's description: one more than the index of the class; 0 when it is none.
  private var classesByNode: [PropertyListNode: UInt32] = [:]

  /// By node: lists of names, which many classes can share.
  private var namesByNode: [PropertyListNode: [String]] = [:]
  /// By node: names, which many classes can share.
  private var textsByNode: [PropertyListNode: String] = [:]
  /// No class has so many superclasses; what follows is not looked at.
  private static let maximumNameCount = 64

  init(
    document: PropertyListDocument, objects: PropertyListDocument.Children,
    options: KeyedArchive.Options
  ) {
    self.document = document
    self.objects = objects
    self.options = options
    irregularities = IrregularityList(isStrict: options.isStrict)
  }

  /// The number of the class of each object: one more than its index, or 0.
  mutating func read() throws(KeyedArchiveError) -> [UInt32] {
    // An object is looked at once, however often `$objects` has it. One more than the number of its class.
    var known = [UInt32](repeating: 0, count: document.nodeCount)
    var numbers: [UInt32] = []
    numbers.reserveCapacity(objects.count)
    for (number, node) in objects.enumerated() {
      if known[node.index] == 0 {
        known[node.index] = try classNumber(node, object: number) + 1
      }
      numbers.append(known[node.index] - 1)
    }
    return numbers
  }

  private mutating func classNumber(
    _ node: PropertyListNode, object: Int
  ) throws(KeyedArchiveError) -> UInt32 {
    guard document.kind(of: node) == .dictionary,
      let reference = document.value(for: "$class", in: node)
    else { return 0 }
    guard let uid = document.uid(of: reference), uid != 0, uid < UInt128(objects.count) else {
      try note(reference, object, "an object's $class refers to nothing")
      return 0
    }
    let description = objects[Int(uid)]
    if let number = classesByNode[description] { return number }
    guard let archived = try archivedClass(description) else {
      try note(description, Int(uid), "an object's $class refers to no class with a name")
      classesByNode[description] = 0
      return 0
    }
    classes.append(
      KeyedArchive.ClassEntry(
        archived, known: KnownClass(archived), allowed: options.allowedClasses))
    let number = UInt32(truncatingIfNeeded: classes.count)
    classesByNode[description] = number
    return number
  }

  private mutating func archivedClass(
    _ node: PropertyListNode
  ) throws(KeyedArchiveError) -> ArchivedClass? {
    guard document.kind(of: node) == .dictionary,
      let nameNode = document.value(for: "$classname", in: node), let name = text(nameNode)
    else { return nil }
    let chain = try names("$classes", of: node)
    let hints = try names("$classhints", of: node)
    return ArchivedClass(
      name: options.classNames[name] ?? name, chain: chain,
      hints: hints)
  }

  private mutating func text(_ node: PropertyListNode) -> String? {
    if let text = textsByNode[node] { return text }
    let text = document.string(of: node)
    textsByNode[node] = text
    return text
  }

  private mutating func names(
    _ key: String, of node: PropertyListNode
  ) throws(KeyedArchiveError) -> [String] {
    guard let value = document.value(for: key, in: node) else { return [] }
    if let names = namesByNode[value] { return names }
    let children = document.children(of: value).prefix(Self.maximumNameCount)
    let names = children.compactMap { text($0) }
    if document.kind(of: value) != .array || names.count != document.children(of: value).count {
      try note(value, nil, "a class's superclasses are not an array of names")
    }
    let renamed =
      options.classNames.isEmpty ? names : names.map { options.classNames[$0] ?? $0 }
    namesByNode[value] = renamed
    return renamed
  }

  private mutating func note(
    _ node: PropertyListNode, _ object: Int?, _ reason: String
  ) throws(KeyedArchiveError) {
    try irregularities.add(
      KeyedArchiveError(
        .invalidClass, offset: document.range(of: node).lowerBound, object: object,
        reason: reason))
  }
}
