// Archives that we write: the order of their objects, what they share, and that they are Apple's, byte for byte.

import PropertyListCodec
import Testing

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct RecreatedArchiveTests {
  private static let carved =
    "open/go-ios-dtx-carved/accesibility-inspector-dump-from-device-1.bin@"

  /// Archives that Apple's archiver wrote of strings, numbers, dates, arrays and dictionaries; those of mutable
  /// ones are marked.
  static let archives: [(name: String, isMutable: Bool)] = [
    (carved + "547.bplist", false), (carved + "2629.bplist", false),
    (carved + "5856.bplist", false), (carved + "12729.bplist", false),
    (carved + "76.bplist", true), (carved + "33637.bplist", true), (carved + "49423.bplist", true),
    ("open/go-ios/ax_statechange.bin", false),
    ("open/go-ios/int64-value-in-nskeyedarchive.bin", false),
    ("open/nskeyedunarchiver/simpleDict.plist", false),
    ("open/nskeyedunarchiver/plainString.plist", false),
  ]

  @Test("archives of plain values are written with Apple's bytes", arguments: archives)
  func bytes(archive: (name: String, isMutable: Bool)) throws {
    let bytes = try Corpus.content(archive.name)
    let value = try KeyedArchive(PropertyListDocument(bytes)).plainValue()
    var options = KeyedArchive.WritingOptions()
    options.usesMutableClasses = archive.isMutable
    #expect(try value.keyedArchive(options: options) == bytes)
  }

  @Test("every plain value of the corpus comes back from an archive of it")
  func values() throws {
    var count = 0
    for file in Corpus.archives + Corpus.binary + Corpus.xml {
      let document = try PropertyListDocument(file.bytes)
      let isArchive = KeyedArchive.isArchive(document)
      guard
        let value = try? isArchive ? KeyedArchive(document).plainValue() : document.value(),
        let written = try? value.keyedArchive()
      else { continue }
      count += 1
      var options = KeyedArchive.Options()
      options.isStrict = true
      let archive = try KeyedArchive(PropertyListDocument(written), options: options)
      #expect(try archive.plainValue() == value, "\(file.name)")
    }
    #expect(count > 100)
  }
}

struct ArchiveWritingTests {
  /// Lines of an archive's graph, as Fixtures/keyed_graphs.py has them.
  private func graph(_ value: PropertyListValue, mutable: Bool = false) throws -> [String] {
    var options = KeyedArchive.WritingOptions()
    options.usesMutableClasses = mutable
    let bytes = try value.keyedArchive(options: options)
    return ArchivedGraph(archive: try KeyedArchive(PropertyListDocument(bytes))).lines
  }

  @Test(
    "an object comes before what it contains, keys before values, a class behind its first object")
  func order() throws {
    let value = PropertyListValue.dictionary([
      .init("a", .array([.string("x")])), .init("b", .date(1)),
    ])
    #expect(
      try graph(value) == [
        #"["top","root",["ref","1"]]"#, #"["value","0",["string","$null"]]"#,
        #"["object","1","NSDictionary",["NSDictionary","NSObject"],"#
          + #"[["NS.keys",["array",[["ref","2"],["ref","3"]]]],"#
          + #"["NS.objects",["array",[["ref","4"],["ref","7"]]]]]]"#,
        #"["value","2",["string","a"]]"#, #"["value","3",["string","b"]]"#,
        #"["object","4","NSArray",["NSArray","NSObject"],[["NS.objects",["array",[["ref","5"]]]]]]"#,
        #"["value","5",["string","x"]]"#,
        #"["value","6",["dictionary",[["$classname",["string","NSArray"]],"#
          + #"["$classes",["array",[["string","NSArray"],["string","NSObject"]]]]]]]"#,
        #"["object","7","NSDate",["NSDate","NSObject"],[["NS.time",["real","3ff0000000000000"]]]]"#,
        #"["value","8",["dictionary",[["$classname",["string","NSDate"]],"#
          + #"["$classes",["array",[["string","NSDate"],["string","NSObject"]]]]]]]"#,
        #"["value","9",["dictionary",[["$classname",["string","NSDictionary"]],"#
          + #"["$classes",["array",[["string","NSDictionary"],["string","NSObject"]]]]]]]"#,
      ])
  }

  @Test("equal leaves are one object, equal containers are not")
  func sharing() throws {
    let leaves: [PropertyListValue] = [
      .string("x"), .integer(1), .real(1), .boolean(true), .data([1]), .date(3), .null,
      .uuid(Array(0..<16)), .url(["a", "b"]), .array([]),
    ]
    let archive = try KeyedArchive(
      PropertyListDocument(PropertyListValue.array(leaves + leaves).keyedArchive()))
    guard case .array(let elements) = try archive.value(of: archive.root) else {
      Issue.record("no array")
      return
    }
    #expect(elements.prefix(9).elementsEqual(elements.dropFirst(10).prefix(9)))
    #expect(Set(elements).count == 11)
    #expect(try archive.plainValue() == .array(leaves + leaves))
  }

  @Test(
    "all values that archives hold come back",
    arguments: [
      .string(""), .string("$null"), .string("é😀"), .unpairedString([0xd800]), .integer(0),
      .integer(Int128(Int64.min)), .integer(Int128(UInt64.max)), .real(-0.0), .real(.nan),
      .real32(1.5), .boolean(false), .data([]), .date(.infinity), .null, .set([]),
      .set([.integer(1), .string("a")]), .orderedSet((0..<50).map { .integer($0) }),
      .dictionary([]), .dictionary([.init(.integer(1), .array([.array([])]))]),
      .url(["https://example.org"]), .url(["a", "b", "c"]),
      .array([.url(["a"]), .url(["a", "b"])]),
    ] as [PropertyListValue])
  func values(value: PropertyListValue) throws {
    for mutable in [false, true] {
      var options = KeyedArchive.WritingOptions()
      options.usesMutableClasses = mutable
      let bytes = try value.keyedArchive(options: options)
      #expect(try KeyedArchive(PropertyListDocument(bytes)).plainValue() == value)
    }
  }

  @Test("an ordered set's fields are in the order of Core Foundation's hash table")
  func orderedSet() throws {
    let bytes = try PropertyListValue.orderedSet((0..<5).map { .integer($0) }).keyedArchive()
    let archive = try KeyedArchive(PropertyListDocument(bytes))
    // As in archives of five numbers that Apple's archiver wrote.
    #expect(
      archive.fields(of: .init(number: 1)).map(\.name) == [
        "NS.object.1", "NS.object.4", "NS.object.0", "NS.object.3", "NS.object.2",
      ])
  }

  @Test("mutable classes are written where they are asked for")
  func mutableClasses() throws {
    let lines = try graph(.array([.dictionary([])]), mutable: true)
    #expect(lines.contains { $0.contains(#"["NSMutableArray","NSArray","NSObject"]"#) })
    #expect(lines.contains { $0.contains(#"["NSMutableDictionary","NSDictionary","NSObject"]"#) })
  }

  @Test(
    "values that archives cannot hold are refused",
    arguments: [
      .uid(1), .unknown([0xf0]), .integer(Int128(Int64.min) - 1), .integer(Int128(UInt64.max) + 1),
      .uuid([1]), .url([]),
    ] as [PropertyListValue])
  func refused(value: PropertyListValue) {
    let error = #expect(throws: KeyedArchiveError.self) {
      try PropertyListValue.array([value]).keyedArchive()
    }
    #expect(error?.code == .notRepresentable)
  }

  @Test("containers nested deeper than 512 are refused")
  func depth() {
    var value = PropertyListValue.array([])
    for _ in 0..<512 { value = .array([value]) }
    let error = #expect(throws: KeyedArchiveError.self) { try value.keyedArchive() }
    #expect(error?.code == .nestingTooDeep)
  }
}
