// Objects of typed streams as those of keyed archives: classes that are known, others, sharing and cycles.

import PropertyListCodec
import Testing

private typealias Value = PropertyListValue

/// A stream of one object.
private func stream(
  _ order: TypedStream.ByteOrder = .little, _ write: (inout StreamWriter) -> Void
) -> [UInt8] {
  var writer = StreamWriter(order)
  writer.group("@")
  write(&writer)
  return writer.bytes
}

private func lines(_ stream: [UInt8]) throws -> [String] {
  try PropertyListDescription(stream).lines
}

@Suite struct StreamObjectTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let value: PropertyListValue
    let write: @Sendable (inout StreamWriter) -> Void

    init(
      _ name: String, _ value: PropertyListValue,
      _ write: @escaping @Sendable (inout StreamWriter) -> Void
    ) {
      (self.name, self.value, self.write) = (name, value, write)
    }

    var testDescription: String { name }
  }

  private static func number(
    _ type: String, _ values: [StreamPart], _ value: PropertyListValue
  ) -> Case {
    Case("NSNumber \(type)", value) {
      $0.begin(["NSNumber": 0, "NSValue": 0, "NSObject": 0])
      $0.group("*")
      $0.cString(type)
      $0.group(type, values)
      $0.end()
    }
  }

  static let cases = [
    Case("NSString", .string("h\u{e9}")) { $0.string("h\u{e9}") },
    Case("NSString $null", .string("$null")) { $0.string("$null") },
    Case("NSMutableString", .string("text")) {
      $0.begin(["NSMutableString": 1, "NSString": 1, "NSObject": 0])
      $0.group("+")
      $0.text("text")
      $0.end()
    },
    Case("NSData", .data([1, 2])) {
      $0.begin(["NSData": 0, "NSObject": 0])
      $0.group("i", [2])
      $0.group("[2c]", [1, 2])
      $0.end()
    },
    Case("NSMutableData", .data([])) {
      $0.begin(["NSMutableData": 0, "NSData": 0, "NSObject": 0])
      $0.group("i", [0])
      $0.group("[0c]")
      $0.end()
    },
    Case("NSDate", .date(1.5)) {
      $0.begin(["NSDate": 0, "NSObject": 0])
      $0.group("d", [0x83, .eight(0x3ff8_0000_0000_0000)])
      $0.end()
    },
    Case("NSNull", .null) {
      $0.begin(["NSNull": 0, "NSObject": 0])
      $0.end()
    },
    number("i", [7], .integer(7)), number("q", [0xff], .integer(-1)),
    number("c", [1], .integer(1)), number("B", [1], .boolean(true)),
    number("f", [0x83, .four(0x3fc0_0000)], .real32(1.5)), number("d", [2], .real(2)),
    Case("NSArray", .array([.string("a"), .null])) {
      $0.begin(["NSArray": 0, "NSObject": 0])
      $0.group("i", [2])
      $0.group("@")
      $0.string("a")
      $0.group("@", [0x85])
      $0.end()
    },
    Case("NSMutableSet", .set([.string("a")])) {
      $0.begin(["NSMutableSet": 0, "NSSet": 0, "NSObject": 0])
      $0.group("I", [1])
      $0.group("@")
      $0.string("a")
      $0.end()
    },
    Case(
      "NSDictionary",
      .dictionary([.init("a", .string("b")), .init("c", .string("d"))])
    ) {
      $0.begin(["NSDictionary": 0, "NSObject": 0])
      $0.group("i", [2])
      for text in ["a", "b", "c", "d"] {
        $0.group("@")
        $0.string(text)
      }
      $0.end()
    },
    Case("NSURL", .url(["http://a/"])) {
      $0.begin(["NSURL": 0, "NSObject": 0])
      $0.group("c", [0])
      $0.group("@")
      $0.string("http://a/")
      $0.end()
    },
    Case("NSURL with a base", .url(["http://a/", "b"])) {
      $0.begin(["NSURL": 0, "NSObject": 0])
      $0.group("c", [1])
      $0.group("@")
      $0.begin(["NSURL": 0, "NSObject": 0])
      $0.group("c", [0])
      $0.group("@")
      $0.string("http://a/")
      $0.end()
      $0.group("@")
      $0.string("b")
      $0.end()
    },
    Case("NSDecimalNumber", .string("-12.3")) {
      $0.begin(["NSDecimalNumberPlaceholder": 0, "NSObject": 0])
      $0.group("i", [0xff])
      $0.group("S", [1])
      $0.group("C", [1])
      $0.group("C", [1])
      $0.group("I", [8])
      $0.group("[8S]", [123, 0, 0, 0, 0, 0, 0, 0])
      $0.end()
    },
  ]

  @Test(
    "Classes that are known have the values that they have in keyed archives", arguments: cases,
    [TypedStream.ByteOrder.little, .big])
  func known(_ example: Case, _ order: TypedStream.ByteOrder) throws {
    let archive = try KeyedArchive(stream: stream(order) { example.write(&$0) })
    #expect(try archive.plainValue() == example.value)
  }

  @Test("Points, sizes, rectangles, ranges and other values are those of NSValue")
  func values() throws {
    let bytes = stream { writer in
      writer.begin(["NSArray": 0, "NSObject": 0])
      writer.group("i", [5])
      for (type, values) in [
        ("{CGPoint=dd}", [1, 2]), ("{_NSSize=ff}", [3, 4]),
        ("{_NSRect={_NSPoint=ff}{_NSSize=ff}}", [1, 2, 3, 4]), ("{_NSRange=QQ}", [5, 6]),
        ("{mine=i[2c]}", [1, 2, 3]),
      ] as [(String, [StreamPart])] {
        writer.group("@")
        writer.begin(["NSValue": 0, "NSObject": 0])
        writer.group("*")
        writer.cString(type)
        writer.group(type, values)
        writer.end()
      }
      writer.end()
    }
    #expect(
      try lines(bytes) == [
        "root  NSArray, 5 elements", "├─ [0]   point {1, 2}", "├─ [1]   size {3, 4}",
        "├─ [2]   rectangle {{1, 2}, {3, 4}}", "├─ [3]   range {5, 6}",
        "└─ [4]   value of type {mine=i[2c]}", "   └─ value   array, 2 elements",
        "      ├─ [0]   1", "      └─ [1]   data, 2 bytes   0203",
      ])
  }

  @Test("Colours and fonts have components, names and sizes")
  func appearance() throws {
    let bytes = stream { writer in
      writer.begin(["NSArray": 0, "NSObject": 0])
      writer.group("i", [5])
      for (space, type, values) in [
        (1, "ffff", [1, 0, 0x83, .four(0x3f00_0000), 1]), (3, "ff", [0x83, .four(0x3f2a_aaab), 1]),
        (5, "fffff", [1, 0, 1, 0, 1]),
      ] as [(UInt8, String, [StreamPart])] {
        writer.group("@")
        writer.begin(["NSColor": 0, "NSObject": 0])
        writer.group("c", [.byte(space)])
        writer.group(type, values)
        writer.end()
      }
      writer.group("@")
      writer.begin(["NSColor": 0, "NSObject": 0])
      writer.group("c", [6])
      writer.group("@@@")
      writer.string("System")
      writer.string("textColor")
      writer.write([0x85])
      writer.end()
      writer.group("@")
      writer.begin(["NSFont": 30, "NSObject": 0])
      writer.group("i", [16])
      writer.group("[16c]", [6, 0, 0, 0, 8, 0, 0, 0, 0xff, 0xfe, 0x41, 0, 0x42, 0, 0xe9, 0])
      writer.group("f", [12])
      writer.group("c", [0])
      writer.end()
      writer.end()
    }
    #expect(
      try lines(bytes) == [
        "root  NSArray, 5 elements", "├─ [0]   colour calibrated RGB 1 0 0.5 1",
        "├─ [1]   colour calibrated white 0.6666667 1", "├─ [2]   colour device CMYK 1 0 1 0 1",
        "├─ [3]   colour System textColor", "└─ [4]   font AB\u{e9} 12",
      ])
    // What the class is not known to have is there all the same.
    let json = String(decoding: try PropertyListDescription(bytes).json(), as: UTF8.self)
    #expect(json.contains(#""size":{"$real32":12.0},"$0":0}"#), "\(json)")
  }

  @Test("Attributed strings have runs, whose attributes can come again")
  func attributedString() throws {
    func write(_ runs: [(number: UInt8, length: UInt8)], text: String = "abcd\u{1f600}") -> [UInt8]
    {
      stream { writer in
        writer.begin(["NSAttributedString": 0, "NSObject": 0])
        writer.group("@")
        writer.string(text)
        var seen: UInt8 = 0
        for run in runs {
          writer.group("iI", [.byte(run.number), .byte(run.length)])
          guard run.number == seen + 1 else { continue }
          seen += 1
          writer.group("@")
          writer.begin(["NSDictionary": 0, "NSObject": 0])
          writer.group("i", [1])
          writer.group("@")
          writer.string("key")
          writer.group("@")
          writer.string("\(run.number)")
          writer.end()
        }
        writer.end()
      }
    }
    #expect(
      try lines(write([(1, 1), (2, 2), (1, 3)]))
        == [
          "root  NSAttributedString \"abcd\u{1f600}\"", "├─ 0..<1   NSDictionary #6",
          #"│  └─ key   "1""#, "├─ 1..<3   NSDictionary", #"│  └─ key   "2""#,
          "└─ 3..<6   <shared #6>",
        ])
    #expect(
      try lines(write([(1, 6)])) == [
        "root  NSAttributedString \"abcd\u{1f600}\"", "└─ 0..<6   NSDictionary",
        #"   └─ key   "1""#,
      ])
    // Runs that are not as long as the text make a record, which shows them.
    #expect(try lines(write([(1, 5)]))[0].hasSuffix("shown as stored"))
    #expect(try lines(write([], text: "")) == [#"root  NSAttributedString """#])
  }

  @Test("Objects of other classes have their values in order, and classes their versions")
  func records() throws {
    let bytes = stream { writer in
      writer.begin(["Child": 300, "Parent": 2, "NSObject": 0])
      writer.group("i@", [5, 0x85])
      writer.group("{p=ff}", [1, 2])
      writer.end()
    }
    let archive = try KeyedArchive(stream: bytes)
    guard case .record(let archived, let fields) = try archive.value(of: archive.root) else {
      Issue.record("no record")
      return
    }
    #expect(archived.name == "Child" && archived.chain == ["Child", "Parent", "NSObject"])
    #expect(fields.map(\.name) == ["$0", "$1", "$2"])
    #expect(fields[1].value == .null)
    let document = archive.document
    let versions = (0..<archive.objectCount).compactMap { number in
      document.value(
        for: "$versions", in: archive.node(of: KeyedArchive.Object(number: number)))
    }.map { document.children(of: $0).map { document.integer(of: $0) } }
    #expect(versions == [[300, 2, 0], [2, 0], [0]])
    #expect(
      document.value(for: "$streamVersion", in: document.root).map { document.integer(of: $0) } == 4
    )
    #expect(
      document.value(for: "$systemVersion", in: document.root).map { document.integer(of: $0) }
        == 1000)
  }

  @Test("A subclass's own values follow those of the known class")
  func subclass() throws {
    let bytes = stream { writer in
      writer.begin(["MyArray": 0, "NSArray": 0, "NSObject": 0])
      writer.group("i", [1])
      writer.group("@")
      writer.string("a")
      writer.group("i", [7])
      writer.end()
    }
    #expect(
      try lines(bytes) == [
        "root  MyArray   not as its class has it, shown as stored",
        "├─ NS.objects   array, 1 element",
        #"│  └─ [0]   "a""#,
        "└─ $0           7",
      ])
    #expect(try KeyedArchive(stream: bytes).plainValue() == .array([.string("a")]))
  }

  @Test(
    "Values that are not as a known class writes them are all shown",
    arguments: [
      ("NSArray", "i", [2] as [StreamPart]), ("NSDictionary", "i", [0xff]),
      ("NSString", "i", [1]), ("NSData", "i", [3]), ("NSDate", "f", [1]), ("NSNumber", "*", [0x85]),
      ("NSValue", "*", [0x85]), ("NSURL", "c", [2]), ("NSSet", "I", [0xff]),
      ("NSColor", "c", [9]), ("NSFont", "i", [1]), ("NSAttributedString", "@", [0x85]),
      ("NSDecimalNumber", "i", [1]),
    ])
  func unexpected(_ name: String, _ type: String, _ values: [StreamPart]) throws {
    let bytes = stream { writer in
      writer.begin([name: 0, "NSObject": 0])
      writer.group(type, values)
      writer.end()
    }
    let archive = try KeyedArchive(stream: bytes)
    guard case .record(_, let fields) = try archive.value(of: archive.root) else {
      Issue.record("no record")
      return
    }
    #expect(fields.map(\.name) == ["$0"])
  }

  @Test("A text that is no UTF-8 stays bytes")
  func invalidText() throws {
    let bytes = stream { writer in
      writer.begin(["NSString": 1, "NSObject": 0])
      writer.group("+", [2, 0xc3, 0x28])
      writer.end()
    }
    #expect(
      try lines(bytes) == [
        "root  NSString   not as its class has it, shown as stored",
        "└─ NS.bytes   data, 2 bytes   c328",
      ])
  }

  @Test("Objects are shared and contain themselves; numbers over 237 take several bytes")
  func references() throws {
    let bytes = stream(.big) { writer in
      let root = writer.begin(["NSMutableArray": 0, "NSArray": 0, "NSObject": 0])
      writer.group("i")
      writer.integer(602)
      for number in 0..<300 {
        writer.group("@")
        writer.string("\(number)")
      }
      // The first string is number 4, behind the array and three classes; then its class, then one number each.
      for number in 0..<300 {
        writer.group("@")
        writer.reference(number == 0 ? 4 : 5 + number)
      }
      writer.group("@")
      writer.reference(root)
      writer.group("@", [0x85])
      writer.end()
    }
    let archive = try KeyedArchive(stream: bytes)
    guard case .array(let elements) = try archive.value(of: archive.root) else {
      Issue.record("no array")
      return
    }
    #expect(elements.count == 602)
    #expect(elements[..<300].elementsEqual(elements[300..<600]))
    #expect(elements[600] == archive.root && elements[601] == .null)
    #expect(try lines(bytes).contains { $0.hasSuffix("<cycle to #1>") })
    do {
      _ = try archive.plainValue()
      Issue.record("a tree")
    } catch {
      #expect(error.code == .cycle)
    }
  }

  @Test("Paths, the title and the table are those of an archive")
  func description() throws {
    let bytes = stream(.big) { writer in
      writer.begin(["NSDictionary": 0, "NSObject": 0])
      writer.group("i", [1])
      writer.group("@")
      writer.string("names")
      writer.group("@")
      writer.begin(["NSArray": 0, "NSObject": 0])
      writer.group("i", [1])
      writer.group("@")
      writer.string("alice")
      writer.end()
      writer.end()
    }
    let description = try PropertyListDescription(bytes)
    #expect(
      description.title == "typed stream (NSArchiver), big-endian, 4 objects of 2 classes")
    let path = try #require(PropertyListPath(parsing: "root.names[0]"))
    #expect(String(decoding: try description.text(at: path), as: UTF8.self) == "\"alice\"\n")
    #expect(try description.counts().depth == 2)
    let table = String(decoding: try description.table(), as: UTF8.self)
    #expect(table.contains("string") && table.contains("\"alice\""))
    #expect(
      String(decoding: try description.json(), as: UTF8.self)
        == #"{"root":{"$class":"NSDictionary","entries":{"names":"#
        + #"{"$class":"NSArray","elements":["alice"]}}}}"#)
  }

  @Test("A stream in data is opened, and not written")
  func nested() throws {
    let bytes = stream { $0.string("inside") }
    var options = DescriptionOptions()
    options.nesting = 1
    let list = try Value.dictionary([.init("body", .data(bytes))]).binary()
    let description = try PropertyListDescription(list, options: options)
    #expect(
      try description.lines == [
        "dictionary, 1 key",
        "└─ body   data, \(bytes.count) bytes   typed stream (NSArchiver), little-endian, "
          + "1 object of 0 classes", #"   └─ root   "inside""#,
      ])
    options.nesting = 0
    #expect(
      try PropertyListDescription(list, options: options).lines[1].hasSuffix(
        "typed stream inside (depth 2)"))
    let cut = try Value.array([.data(Array(bytes.dropLast()))]).binary()
    #expect(try PropertyListDescription(cut).lines[1].hasSuffix("typed stream inside, damaged"))
    let document = try PropertyListDocument(bytes)
    #expect(try document.bytes(replacing: [:]) == bytes)
    do {
      _ = try document.bytes(replacing: [document.root: .integer(1)])
      Issue.record("written")
    } catch {
      #expect(error.code == .notRepresentable)
    }
  }
}
