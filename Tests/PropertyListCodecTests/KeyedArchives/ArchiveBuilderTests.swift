// Archives of described objects: of graphs made here, and of every graph of the corpus, taken apart and put together.

import PropertyListCodec
import Testing

@Suite("Archives of described objects")
struct ArchiveBuilderTests {
  private static let person = ArchivedClass(
    name: "App.Person", chain: ["App.Person", "App.Being", "NSObject"], hints: ["App.Old"])

  @Test(
    "Objects are numbered before what they hold, their class behind it, fields in the table's order"
  )
  func layout() throws {
    var builder = KeyedArchiveBuilder()
    let ann = builder.add(Self.person)
    let bob = builder.add(Self.person)
    builder.setFields(
      [
        .init("name", .value(.string("Ann"))), .init("friend", .object(bob)),
        .init("age", .inline(.integer(7))), .init("$odd", .inline(.boolean(true))),
        .init(unkeyed: 0, .null),
        .init("all", .list([.object(ann), .null, .value(.string("Ann"))])),
      ], of: ann)
    builder.setFields([.init("friend", .object(ann))], of: bob)
    builder.archiver = "App.Archiver"
    let bytes = try builder.archive(top: [
      .init("root", .object(ann)), .init("note", .value(.null)),
    ])
    let archive = try KeyedArchive(PropertyListDocument(bytes))
    #expect(archive.irregularityCount == 0)
    #expect(archive.archiver == "App.Archiver")
    let json = String(decoding: try archive.document.json(.plain), as: UTF8.self)
    let objects = try #require(json.split(separator: "\"$objects\":").last)
    // $null, Ann, "Ann", Bob, the class, NSNull, its class.
    #expect(
      objects == """
        ["$null",{"friend":3,"$class":4,"age":7,"$$odd":true,"all":[1,0,2],"name":2,"$0":0},"Ann",\
        {"$class":4,"friend":1},{"$classname":"App.Person","$classes":["App.Person","App.Being","NSObject"],\
        "$classhints":["App.Old"]},{"$class":6},{"$classname":"NSNull","$classes":["NSNull","NSObject"]}]}
        """)
  }

  @Test("What cannot be in an archive is refused")
  func refused() {
    var builder = KeyedArchiveBuilder()
    let object = builder.add(Self.person)
    let top = [KeyedArchiveBuilder.Field("root", .object(object))]
    func code(_ content: KeyedArchiveBuilder.Content) -> KeyedArchiveError.Code? {
      builder.setFields([.init("f", content)], of: object)
      let error = #expect(throws: KeyedArchiveError.self) { try builder.archive(top: top) }
      return error?.code
    }
    #expect(code(.value(.uid(1))) == .notRepresentable)
    #expect(code(.list([.inline(.integer(1))])) == .notRepresentable)
    #expect(code(.list([.list([])])) == .notRepresentable)
    var inner = builder.add(Self.person)
    builder.setFields([.init("f", .object(inner))], of: object)
    for _ in 0..<512 {
      let next = builder.add(Self.person)
      builder.setFields([.init("f", .object(next))], of: inner)
      inner = next
    }
    let error = #expect(throws: KeyedArchiveError.self) { try builder.archive(top: top) }
    #expect(error?.code == .nestingTooDeep)
  }
}

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct RebuiltGraphTests {
  @Test(
    "Graphs of the corpus are the same when taken apart and built again", arguments: Corpus.archives
  )
  func rebuilt(file: Corpus.File) throws {
    let archive = try KeyedArchive(PropertyListDocument(file.bytes))
    var parts = GraphParts(archive)
    let bytes = try parts.builder().archive(top: parts.top)
    let again = try KeyedArchive(PropertyListDocument(bytes))
    #expect(again.irregularityCount == 0)
    let lines = try GraphText(archive).lines
    let newLines = try GraphText(again).lines
    #expect(newLines.count == lines.count)
    for (line, newLine) in zip(lines, newLines) where line != newLine {
      #expect(newLine == line)
      break
    }
  }

  @Test(
    "Archives in the modern form have the same bytes when built again, where identity rules allow it"
  )
  func bytes() throws {
    var same = 0
    var modern = 0
    for file in Corpus.archives {
      let document = try PropertyListDocument(file.bytes)
      let keys = document.keys(of: document.root).map { document.string(of: $0) }
      guard document.format == .binary, keys == ["$version", "$archiver", "$top", "$objects"] else {
        continue
      }
      modern += 1
      var parts = GraphParts(try KeyedArchive(document))
      if try parts.builder().archive(top: parts.top) == document.bytes { same += 1 }
    }
    // The others differ where identity decided: equal strings or numbers that were two objects, names of classes that
    // were one object with their first name, fields whose order depends on that of encoding.
    #expect((same, modern) == (13, 42))
  }
}

extension KeyedArchive {
  /// Whether an object is the string that stands for nil, which some archives have more than once.
  fileprivate func isNull(_ object: Object) -> Bool {
    document.text(of: node(of: object), equals: "$null")
  }
}

/// An archive's objects as a builder takes them.
private struct GraphParts {
  let archive: KeyedArchive
  private var made = KeyedArchiveBuilder()
  private var objects: [Int: KeyedArchiveBuilder.Object] = [:]
  private(set) var top: [KeyedArchiveBuilder.Field] = []

  init(_ archive: KeyedArchive) { self.archive = archive }

  mutating func builder() throws -> KeyedArchiveBuilder {
    made.archiver = archive.archiver ?? made.archiver
    for number in 0..<archive.objectCount {
      if let archived = archive.archivedClass(of: .init(number: number)) {
        objects[number] = made.add(archived)
      }
    }
    for (number, object) in objects {
      var unkeyed = 0
      let fields = try archive.fields(of: .init(number: number)).map { field in
        let content = try content(field.value)
        guard archive.document.text(of: field.key, equals: "$\(unkeyed)") else {
          return KeyedArchiveBuilder.Field(field.name, content)
        }
        unkeyed += 1
        return KeyedArchiveBuilder.Field(unkeyed: unkeyed - 1, content)
      }
      made.setFields(fields, of: object)
    }
    top = try archive.top.map { KeyedArchiveBuilder.Field($0.name, try content($0.value)) }
    return made
  }

  private func content(
    _ reference: KeyedArchive.Reference
  ) throws -> KeyedArchiveBuilder.Content {
    let document = archive.document
    switch reference {
    case .null: return .null
    case .object(let object):
      if let described = objects[object.number] { return .object(described) }
      if archive.isNull(object) { return .null }
      return .value(try document.value(of: archive.node(of: object)))
    case .inline(let node):
      let children = document.children(of: node)
      guard document.kind(of: node) == .array,
        children.allSatisfy({ document.kind(of: $0) == .uid })
      else { return .inline(try document.value(of: node)) }
      return .list(try children.map { try content(archive.reference($0)) })
    }
  }
}

/// A graph in lines that do not depend on the numbers of objects, leaves being what they say.
private struct GraphText {
  private let archive: KeyedArchive
  private(set) var lines: [String] = []
  private var numbers: [Int: Int] = [:]

  init(_ archive: KeyedArchive) throws {
    self.archive = archive
    lines = []
    for field in archive.top.sorted(by: { $0.name < $1.name }) {
      lines.append("\(field.name) \(try text(field.value))")
    }
  }

  private mutating func text(_ reference: KeyedArchive.Reference) throws -> String {
    let document = archive.document
    switch reference {
    case .null: return "nil"
    case .object(let object):
      guard let archived = archive.archivedClass(of: object) else {
        if archive.isNull(object) { return "nil" }
        return "\(try document.value(of: archive.node(of: object)))"
      }
      if let number = numbers[object.number] { return "#\(number)" }
      let number = numbers.count
      numbers[object.number] = number
      var line = "#\(number) \(archived.name) \(archived.chain) \(archived.hints)"
      for field in archive.fields(of: object).sorted(by: { $0.name < $1.name }) {
        line += " \(field.name)=\(try text(field.value))"
      }
      lines.append(line)
      return "#\(number)"
    case .inline(let node):
      let children = document.children(of: node)
      guard document.kind(of: node) == .array, !children.isEmpty,
        children.allSatisfy({ document.kind(of: $0) == .uid })
      else { return "\(try document.value(of: node))" }
      return "[" + (try children.map { try text(archive.reference($0)) }).joined(separator: " ")
        + "]"
    }
  }
}
