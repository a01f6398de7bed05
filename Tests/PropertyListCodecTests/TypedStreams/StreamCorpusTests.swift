// Real typed streams: that each is read whole, that it says what another reader finds in the keyed archive of the
// same interface, and that nothing made of one does any harm.

import PropertyListCodec
import Testing

extension Corpus {
  static let typedStreams = files(ofKinds: ["typedstream"])

  /// Interfaces that Interface Builder has written in both forms.
  static let pairs = files(ofKinds: ["keyed-nib"]).compactMap { keyed -> Pair? in
    let suffix = "-keyedobjects.nib"
    guard keyed.name.hasSuffix(suffix) else { return nil }
    let name = String(keyed.name.dropLast(suffix.count)) + "-objects.nib"
    return typedStreams.first { $0.name == name }.map { Pair(keyed: keyed, stream: $0) }
  }

  struct Pair: CustomTestStringConvertible, Sendable {
    let keyed: File
    let stream: File

    var testDescription: String { stream.name }
  }
}

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct StreamCorpusTests {
  @Test("There are streams of both byte orders")
  func orders() throws {
    let orders = try Corpus.typedStreams.map { TypedStream.byteOrder(of: try $0.bytes) }
    #expect(orders.count == 16)
    #expect(orders.count { $0 == .big } == 6 && orders.count { $0 == .little } == 10)
  }

  @Test("Each is read to its last byte, and whole", arguments: Corpus.typedStreams)
  func sound(file: Corpus.File) throws {
    let bytes = try file.bytes
    let archive = try KeyedArchive(stream: bytes)
    #expect(archive.irregularityCount == 0 && archive.top.count == 1)
    for number in 0..<archive.objectCount {
      let object = KeyedArchive.Object(number: number)
      let value = try archive.value(of: .object(object))
      // Classes that are known are what they are known for.
      if case .record(let archived, let fields) = value {
        #expect(fields == archive.fields(of: object))
        #expect(!Self.known.contains(archived.name), "\(archived.name)")
      }
    }
    var options = DescriptionOptions()
    options.nesting = 4
    let description = try PropertyListDescription(bytes, options: options)
    #expect(description.title.hasPrefix("typed stream (NSArchiver), "))
    #expect(try !description.text().isEmpty && !description.json().isEmpty)
    #expect(try !description.table().isEmpty)
    // What is behind a whole stream, or cut from it, is noticed.
    #expect(throws: PropertyListError.self) { try PropertyListDocument(bytes + [0]) }
    #expect(throws: PropertyListError.self) { try PropertyListDocument(bytes.dropLast()) }
  }

  private static let known: Set<String> = [
    "NSString", "NSMutableString", "NSData", "NSMutableData", "NSNumber", "NSValue", "NSArray",
    "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet", "NSURL",
    "NSAttributedString", "NSMutableAttributedString", "NSColor", "NSFont",
    "NSDecimalNumberPlaceholder", "SEL", "Class", "char *", "NXAtom",
  ]

  // MARK: What others find

  @Test("An interface has the same objects in both forms", arguments: Corpus.pairs)
  func pairs(_ pair: Corpus.Pair) throws {
    let keyed = try KeyedArchive(PropertyListDocument(try pair.keyed.bytes))
    let stream = try KeyedArchive(stream: try pair.stream.bytes)
    // Lists of the file's own, and values that are written in place, are in one of them only.
    let left = Self.classCounts(keyed).filter { !$0.key.hasSuffix("Array") && $0.key != "NSNumber" }
    let right = Self.classCounts(stream).filter {
      !$0.key.hasSuffix("Array") && !["SEL", "Class"].contains($0.key)
    }
    #expect(left == right)
    #expect(left.count >= 15)
    #expect(
      try Self.descriptions(keyed, of: ["NSFont"]) == Self.descriptions(stream, of: ["NSFont"]))
    #expect(try Self.colors(keyed) == Self.colors(stream))
    // The title of a menu's item is the third of its values.
    #expect(
      try Self.texts(keyed, of: "NSMenuItem", "NSTitle")
        == Self.texts(stream, of: "NSMenuItem", "$2"))
    #expect(
      try Self.texts(keyed, of: "NSNibControlConnector", "NSLabel")
        == Self.texts(stream, of: "NSNibControlConnector", "$2"))
  }

  @Test("There are three such interfaces")
  func pairCount() { #expect(Corpus.pairs.count == 3) }

  private static func classCounts(_ archive: KeyedArchive) -> [String: Int] {
    var counts: [String: Int] = [:]
    for number in 0..<archive.objectCount {
      if let archived = archive.archivedClass(of: KeyedArchive.Object(number: number)) {
        counts[archived.name, default: 0] += 1
      }
    }
    return counts
  }

  private static func objects(
    _ archive: KeyedArchive, of names: Set<String>
  ) -> [KeyedArchive.Object] {
    (0..<archive.objectCount).map { KeyedArchive.Object(number: $0) }.filter {
      archive.archivedClass(of: $0).map { names.contains($0.name) } ?? false
    }
  }

  private static func descriptions(
    _ archive: KeyedArchive, of names: Set<String>
  ) throws -> [String] {
    try objects(archive, of: names).map { object in
      guard case .described(let description) = try archive.value(of: .object(object)) else {
        return "?"
      }
      return description.text
    }.sorted()
  }

  /// Components as numbers of 32 bits, without an alpha of 1, which keyed archives leave out.
  private static func colors(_ archive: KeyedArchive) throws -> [String] {
    try descriptions(archive, of: ["NSColor"]).map { text in
      var words = text.split(separator: " ").map { word in
        Double(word).map { "\(Float($0))" } ?? String(word)
      }
      if words.last == "1.0", words.count == 4, words[1] == "white" { words.removeLast() }
      return words.joined(separator: " ")
    }.sorted()
  }

  private static func texts(
    _ archive: KeyedArchive, of name: String, _ field: String
  ) throws -> [String] {
    try objects(archive, of: [name]).map { object in
      let value = archive.fields(of: object).first { $0.name == field }?.value
      guard let value, case .scalar(.string(let text)) = try archive.value(of: value) else {
        return "?"
      }
      return text
    }.sorted()
  }

  // What users ask for (iLEAPP pull request 1523, bagoup issue 67, python-typedstream issue 1): the text of a message
  // is nowhere else, and there are URLs in it.
  @Test(
    "Messages have the texts that they were made with, and runs of attributes",
    arguments: [
      ("AttributedBodyTextOnly", "Noter test", [0..<10]),
      ("Blank", "", []),
      (
        "MultiPart", "\u{fffc}test 1\u{fffc}test 2 \u{fffc}test 3",
        [0..<1, 1..<7, 7..<8, 8..<15, 15..<16, 16..<22]
      ),
      ("URL", "https://github.com/ReagentX/Logria", [0..<34]),
      (
        "WeirdText",
        "\u{1d58d}\u{1d58a}\u{1d591}\u{1d591}\u{1d594} \u{1d59c}\u{1d594}\u{1d597}\u{1d591}\u{1d589}",
        [0..<21]
      ),
    ])
  func messages(_ name: String, _ text: String, _ runs: [Range<Int>]) throws {
    let archive = try KeyedArchive(
      stream: try Corpus.content("open/imessage-exporter/\(name).ts"))
    guard case .attributedString(let found, let foundRuns) = try archive.value(of: archive.root)
    else {
      Issue.record("no attributed string")
      return
    }
    #expect(found.utf8.elementsEqual(text.utf8))
    #expect(foundRuns.map(\.range) == runs)
    for (number, run) in foundRuns.enumerated() {
      let attributes = try archive.plainValue(of: run.attributes)
      let part = attributes["__kIMMessagePartAttributeName"]
      #expect(part == .integer(Int128(number)))
    }
  }

  @Test("A keyed archive in a message's data is opened")
  func nested() throws {
    var options = DescriptionOptions()
    options.nesting = 1
    let description = try PropertyListDescription(
      try Corpus.content("open/imessage-exporter/URL.ts"), options: options)
    let lines = try description.lines
    #expect(lines.contains { $0.contains("keyed archive in a binary property list") })
    #expect(lines.contains { $0.contains("range {0, 34}") })
  }

  // MARK: Damage

  @Test("No beginning of a stream of one value is a stream", arguments: Corpus.typedStreams)
  func truncated(file: Corpus.File) throws {
    let bytes = try file.bytes
    // All lengths of large ones would take a minute.
    for count in stride(from: 0, to: bytes.count, by: 1 + bytes.count / 1000) {
      #expect(throws: PropertyListError.self, "\(count)") {
        try PropertyListDocument(Array(bytes[..<count]))
      }
    }
  }

  @Test("Streams with bytes changed end, and are shown within limits", arguments: 0..<8)
  func mutated(_ part: Int) throws {
    let files = try Corpus.typedStreams.map { try $0.bytes }.filter { $0.count < 5000 }
    var generator = Xorshift(state: UInt64(part + 1) &* 0x9e37_79b9_7f4a_7c15)
    var readCount = 0
    for _ in 0..<2500 {
      var bytes = files[Int.random(in: 0..<files.count, using: &generator)]
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 16..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: bytes[place] = UInt8.random(in: 0x80...0x9f, using: &generator)
        case 2: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: place)
        }
      }
      guard let archive = try? KeyedArchive(stream: bytes) else { continue }
      readCount += 1
      for number in 0..<archive.objectCount {
        _ = try archive.value(of: .object(KeyedArchive.Object(number: number)))
      }
      _ = try? archive.plainValue()
      let description = try PropertyListDescription(bytes)
      _ = try? description.text()
      _ = try? description.json()
    }
    // Letters of texts can be others.
    #expect(readCount > 100)
  }
}

/// Numbers that are the same in each run.
struct Xorshift: RandomNumberGenerator {
  /// Not 0.
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
