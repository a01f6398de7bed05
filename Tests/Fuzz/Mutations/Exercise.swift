// All that the codec does with a list: what a mutant goes through. Errors are expected; what may not happen is a trap, a
// hang, memory by the gigabyte, and a list that is another one when written and read again.

internal import PropertyListCodec

enum Exercise {
  /// Does all of it. Returns how far the mutant came: 0 where it was refused at once.
  static func run(_ bytes: [UInt8]) -> Outcome {
    var strict = PropertyListDocument.Options()
    strict.isStrict = true
    let isStrictlyRead = (try? PropertyListDocument(bytes, options: strict)) != nil
    describe(bytes)
    if let value = try? PropertyListValue(json: bytes) {
      require(same(try? PropertyListValue(json: value.json()), value), "JSON")
    }
    guard let document = try? PropertyListDocument(bytes) else {
      require(!isStrictlyRead, "strict reading takes what lenient reading refuses")
      return .refused
    }
    let shape = try? document.checkTree(document.root)
    let value = try? document.value()
    require((shape == nil) == (value == nil), "the check and the value differ")
    if let value { write(document, value) } else { writeGraph(document) }
    openArchive(document)
    return value == nil ? .graph : isStrictlyRead ? .sound : .lenient
  }

  enum Outcome: Int, CaseIterable {
    case refused, graph, lenient, sound
  }

  /// The document's writers, where it is a tree.
  private static func write(_ document: PropertyListDocument, _ value: PropertyListValue) {
    let rewritten = try? document.binary()
    require(rewritten != nil, "no binary list of a document")
    if let rewritten { require(same(list(rewritten), value), "rewritten") }
    if let created = try? value.binary() { require(same(list(created), value), "binary") }
    let xml = try? document.xml(sortsKeys: false)
    let valueXML = try? value.xml(sortsKeys: false)
    require(xml == valueXML, "XML of the document and of its value differ")
    if let xml {
      require((try? PropertyListDocument(xml).value()) != nil, "written XML is not read")
    }
    require((try? value.xml()) == (try? document.xml()), "sorted XML")
    if let json = try? document.json() {
      require(same(try? PropertyListValue(json: json), value), "tagged JSON")
      require((try? value.json()) == json, "JSON of the document and of its value differ")
    }
    _ = try? document.json(.plain)
    for isASCII in [false, true] {
      var options = OpenStepWritingOptions()
      options.sortsKeys = false
      options.usesTypedValues = true
      options.isASCII = isASCII
      guard let text = try? document.openStep(options) else { continue }
      require((try? PropertyListDocument(text, as: .openStep).value()) != nil, "written OpenStep")
    }
    if let archived = try? value.keyedArchive() {
      require((try? KeyedArchive(PropertyListDocument(archived)).plainValue()) != nil, "archived")
    }
  }

  /// The document's writers, where it is no tree.
  private static func writeGraph(_ document: PropertyListDocument) {
    require((try? document.xml()) == nil && (try? document.json()) == nil, "a tree of no tree")
    require((try? document.binary()) == nil, "a binary list of no tree")
  }

  private static func openArchive(_ document: PropertyListDocument) {
    guard let archive = try? KeyedArchive(document) else { return }
    var options = KeyedArchive.Options()
    options.isStrict = true
    _ = try? KeyedArchive(document, options: options)
    for number in 0..<archive.objectCount {
      let object = KeyedArchive.Object(number: number)
      _ = try? archive.value(of: .object(object))
      _ = archive.archivedClass(of: object)
      _ = archive.fields(of: object).count
    }
    _ = try? archive.plainValue()
  }

  private static func describe(_ bytes: [UInt8]) {
    var options = DescriptionOptions()
    options.nesting = 2
    guard let description = try? PropertyListDescription(bytes, options: options) else { return }
    _ = description.title
    _ = description.irregularities.count
    _ = try? description.counts()
    _ = description.classes.count
    _ = try? description.text()
    _ = try? description.json()
    _ = try? description.table()
    _ = try? description.tableJSON()
  }

  private static func list(_ bytes: [UInt8]) -> PropertyListValue? {
    try? PropertyListDocument(bytes).value()
  }

  private static func same(_ left: PropertyListValue?, _ right: PropertyListValue) -> Bool {
    left.map { $0 == right } ?? false
  }

  private static func require(_ holds: Bool, _ what: String) {
    if !holds { fatalError("not so: \(what)") }
  }
}
