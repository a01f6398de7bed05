// Each rule of Spec/keyed-archive.md, "Typed streams", about bytes and types, in both byte orders.

import PropertyListCodec
import Testing

private typealias Value = PropertyListValue

@Suite struct StreamValueTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let type: String
    let parts: [StreamPart]
    let value: PropertyListValue

    init(_ type: String, _ parts: [StreamPart], _ value: PropertyListValue) {
      (self.type, self.parts, self.value) = (type, parts, value)
    }

    var testDescription: String { "\(type) \(parts)" }
  }

  static let cases = [
    // Single bytes, of which none is a mark.
    Case("c", [0xff], .integer(-1)), Case("c", [0x84], .integer(-124)),
    Case("C", [0xff], .integer(255)), Case("C", [0x85], .integer(133)),
    Case("B", [1], .boolean(true)), Case("B", [0], .boolean(false)),
    // Integers.
    Case("i", [5], .integer(5)), Case("i", [0x7f], .integer(127)),
    Case("i", [0x92], .integer(-110)), Case("l", [0xff], .integer(-1)),
    Case("s", [0x81, .two(0x1234)], .integer(0x1234)),
    Case("s", [0x81, .two(0xff00)], .integer(-256)),
    Case("i", [0x82, .four(0x1234_5678)], .integer(0x1234_5678)),
    Case("i", [0x82, .four(0x8000_0000)], .integer(-0x8000_0000)),
    Case("q", [0x87, .eight(0x8000_0000_0000_0000)], .integer(Int128(Int64.min))),
    // Unsigned ones have the bits of signed ones.
    Case("S", [0xff], .integer(65_535)), Case("I", [0xff], .integer(0xffff_ffff)),
    Case("L", [0x92], .integer(0xffff_ff92)),
    Case("Q", [0xff], .integer(Int128(UInt64.max))),
    Case("S", [0x81, .two(0x92c2)], .integer(0x92c2)),
    Case("I", [0x81, .two(0x92c2)], .integer(0xffff_92c2)),
    Case("I", [0x82, .four(0xfe00_0000)], .integer(0xfe00_0000)),
    Case("Q", [0x87, .eight(0xfe00_0000_0000_0000)], .integer(0xfe00_0000_0000_0000)),
    // Reals.
    Case("f", [0x83, .four(0x3fc0_0000)], .real32(1.5)), Case("f", [3], .real32(3)),
    Case("d", [0x83, .eight(0x3ff8_0000_0000_0000)], .real(1.5)), Case("d", [0xff], .real(-1)),
    Case("d", [0x82, .four(0x7fff_ffff)], .real(2_147_483_647)),
    // Texts without a number, with one, and C strings.
    Case("+", [3, 0x61, 0x62, 0xff], .data([0x61, 0x62, 0xff])), Case("+", [0], .data([])),
    Case("+", [0x85], .null), Case("+", [0x81, .two(1), 0x61], .data([0x61])),
    Case("*", [0x84, 0x84, 2, 0x68, 0x69], .string("hi")), Case("*", [0x85], .null),
    Case(":", [0x84, 2, 0x68, 0x69], .string("hi")),
    Case("%", [0x84, 2, 0x68, 0x69], .string("hi")),
    // The type is the string with the number 0.
    Case("%", [0x92], .string("%")), Case(":", [0x85], .null),
    // Classes and objects.
    Case("#", [0x84, 0x84, 1, 0x41, 0, 0x85], .string("A")), Case("#", [0x85], .null),
    Case("@", [0x85], .null),
    // Arrays and structures.
    Case("[3c]", [1, 0x84, 0xff], .data([1, 0x84, 0xff])), Case("[2C]", [1, 2], .data([1, 2])),
    Case("[0c]", [], .data([])),
    Case("[3i]", [1, 0x81, .two(258), 3], .array([.integer(1), .integer(258), .integer(3)])),
    Case("[0i]", [], .array([])),
    Case(
      "[2[2s]]", [1, 2, 3, 4],
      .array([.array([.integer(1), .integer(2)]), .array([.integer(3), .integer(4)])])),
    Case("[2[2c]]", [1, 2, 3, 4], .array([.data([1, 2]), .data([3, 4])])),
    Case("{pair=if}", [1, 2], .array([.integer(1), .real32(2)])),
    Case("{if}", [1, 2], .array([.integer(1), .real32(2)])),
    Case("{=if}", [1, 2], .array([.integer(1), .real32(2)])),
    Case("{p=\"a\"i\"f\"f}", [1, 2], .array([.integer(1), .real32(2)])),
    Case("{none=}", [], .array([])),
    Case(
      "{a={b=i}[2c]}", [1, 2, 3], .array([.array([.integer(1)]), .data([2, 3])])),
    Case("[2{e=}]", [], .array([.array([]), .array([])])),
    Case("i!", [1], .integer(1)), Case("[2!]", [], .array([])),
  ]

  @Test("A value is what its type says", arguments: cases, [TypedStream.ByteOrder.little, .big])
  func value(_ example: Case, _ order: TypedStream.ByteOrder) throws {
    var writer = StreamWriter(order)
    writer.group(example.type, example.parts)
    let archive = try KeyedArchive(stream: writer.bytes)
    #expect(archive.top.map(\.name) == ["root"])
    #expect(try archive.plainValue() == example.value)
    #expect(archive.archiver == "NSArchiver" && archive.irregularityCount == 0)
    // A value that is cut anywhere is none.
    for count in 0..<writer.bytes.count {
      #expect(throws: PropertyListError.self, "\(count)") {
        try KeyedArchive(stream: Array(writer.bytes[..<count]))
      }
    }
  }

  @Test("Several values, of one type or of several, have numbers")
  func several() throws {
    var writer = StreamWriter()
    writer.group("ic", [1, 2])
    writer.group("i", [3])
    let archive = try KeyedArchive(stream: writer.bytes)
    #expect(
      try archive.plainValue()
        == .dictionary([
          .init("$0", .integer(1)), .init("$1", .integer(2)), .init("$2", .integer(3)),
        ]))
  }

  @Test("C strings, selectors, atoms and classes are told apart from strings")
  func words() throws {
    var writer = StreamWriter()
    writer.group("*:%#@")
    writer.cString("one")
    writer.shared("two:")
    writer.shared("three")
    writer.archivedClass([("Four", 4), ("NSObject", 0)])
    writer.string("five")
    writer.group("*", [0x84, 0x84, 2, 0xc3, 0x28])
    let description = try PropertyListDescription(writer.bytes)
    #expect(
      try description.lines == [
        "$0  C string one", "$1  selector two:", "$2  atom three", "$3  class Four",
        #"$4  "five""#, "$5  char *   not as its class has it, shown as stored",
        "└─ $0   data, 2 bytes   c328",
      ])
    let json = String(decoding: try description.json(), as: UTF8.self)
    #expect(
      json.contains(
        #""$1":{"$class":"SEL","type":"selector","text":"two:","parts":{"text":"two:"}}"#),
      "\(json)")
  }

  @Test("Places in the archive are those in the stream")
  func places() throws {
    var writer = StreamWriter(.big)
    writer.group("@")
    let start = writer.bytes.count
    writer.string("text")
    let archive = try KeyedArchive(stream: writer.bytes)
    guard case .object(let object) = archive.root else {
      Issue.record("\(archive.root)")
      return
    }
    let text = archive.document.range(of: archive.node(of: object))
    #expect(writer.bytes[text].elementsEqual("text".utf8))
    let top = try #require(archive.document.value(for: "$top", in: archive.document.root))
    let reference = try #require(archive.document.value(for: "root", in: top))
    #expect(archive.document.range(of: reference) == start..<start + 1)
    #expect(archive.document.rawBytes(of: reference) == [0x84])
  }

  struct Malformed: CustomTestStringConvertible, Sendable {
    let bytes: [UInt8]
    let code: PropertyListError.Code
    /// Behind the header.
    let offset: Int

    init(_ bytes: [UInt8], _ code: PropertyListError.Code, at offset: Int) {
      (self.bytes, self.code, self.offset) = (bytes, code, offset)
    }

    var testDescription: String { "\(bytes) \(code.rawValue)" }
  }

  private static func typed(_ type: String, _ bytes: [UInt8] = []) -> [UInt8] {
    [0x84, UInt8(type.utf8.count)] + Array(type.utf8) + bytes
  }

  static let malformed = [
    Malformed([], .unexpectedEnd, at: 0),
    Malformed([0x85], .invalidType, at: 0),
    Malformed(typed(""), .invalidType, at: 2),
    Malformed(typed("x", [0]), .invalidType, at: 2),
    Malformed(typed("[i]", [0]), .invalidType, at: 3),
    Malformed(typed("[2]", [0]), .invalidType, at: 4),
    Malformed(typed("[2ii]", [0]), .invalidType, at: 6),
    Malformed(typed("[2i", [0]), .invalidType, at: 5),
    Malformed(typed("{a=i]", [0]), .invalidType, at: 6),
    Malformed(typed("i}", [0]), .invalidType, at: 3),
    Malformed(typed("{a=\"i}", [0]), .invalidType, at: 5),
    Malformed(typed("[2147483648i]", [0]), .invalidType, at: 3),
    Malformed(typed("i", [0x80]), .unknownMarker, at: 3),
    Malformed(typed("i", [0x83]), .unknownMarker, at: 3),
    Malformed(typed("i", [0x84]), .unknownMarker, at: 3),
    Malformed(typed("f", [0x86]), .unknownMarker, at: 3),
    Malformed(typed("f", [0x83, 0, 0, 0]), .unexpectedEnd, at: 7),
    Malformed(typed("+", [0xff]), .invalidLength, at: 3),
    Malformed(typed("+", [2, 0]), .unexpectedEnd, at: 5),
    Malformed(typed("[2147483647c]", [0]), .unexpectedEnd, at: 16),
    Malformed(typed("[2147483647i]", [0]), .unexpectedEnd, at: 16),
    Malformed(typed("[2147483647!]"), .tooManyObjects, at: 15),
    Malformed(typed("[2147483647{a=}]"), .tooManyObjects, at: 18),
    Malformed(typed(":", [0x93]), .invalidReference, at: 3),
    Malformed(typed(":", [0x82, 0, 0, 0, 0x80]), .invalidReference, at: 3),
    Malformed(typed("@", [0x92]), .invalidReference, at: 3),
    Malformed(typed("@", [0x84, 0x85]), .invalidClass, at: 3),
    Malformed(typed("@", [0x84, 0x84, 0x85]), .invalidClass, at: 4),
    // An object is no class, and a class no C string.
    Malformed(typed("@", [0x84, 0x92]), .invalidReference, at: 4),
    Malformed(typed("#*", [0x84, 0x84, 1, 0x41, 0, 0x85, 0x92]), .invalidReference, at: 10),
    Malformed(typed("*#", [0x84, 0x84, 1, 0x41, 0x92]), .invalidReference, at: 8),
    // A class above itself.
    Malformed(typed("#", [0x84, 0x84, 1, 0x41, 0, 0x92]), .invalidReference, at: 8),
    Malformed(typed("@", [0x84, 0x84, 0x84, 1, 0x41, 0, 0x85]), .unexpectedEnd, at: 10),
  ]

  @Test("What is malformed is refused, with its place", arguments: malformed)
  func errors(_ example: Malformed) throws {
    let header = StreamWriter().bytes
    do {
      _ = try KeyedArchive(stream: header + example.bytes)
      Issue.record("read")
    } catch let error as PropertyListError {
      #expect(
        error.code == example.code && error.offset == header.count + example.offset, "\(error)")
    }
  }

  @Test("Other versions are unsupported")
  func version() throws {
    var writer = StreamWriter()
    writer.group("i", [0])
    let bytes = [3] + writer.bytes.dropFirst()
    #expect(TypedStream.isOne(bytes))
    do {
      _ = try PropertyListDocument(bytes)
      Issue.record("read")
    } catch {
      #expect(error.code == .unsupportedVersion && error.offset == 0)
    }
  }

  @Test("Nesting within a type is limited, of objects it is not")
  func nesting() throws {
    var writer = StreamWriter()
    writer.group(
      String(repeating: "[1", count: 513) + "i" + String(repeating: "]", count: 513), [0])
    do {
      _ = try PropertyListDocument(writer.bytes)
      Issue.record("read")
    } catch {
      #expect(error.code == .nestingTooDeep)
    }
    writer = StreamWriter()
    writer.group("@")
    for _ in 0..<100_000 {
      writer.begin(["Link": 0])
      writer.group("@")
    }
    writer.write([0x85])
    for _ in 0..<100_000 { writer.end() }
    let archive = try KeyedArchive(stream: writer.bytes)
    #expect(archive.objectCount == 100_002)
    let description = try PropertyListDescription(writer.bytes)
    #expect(throws: DescriptionError.self) { try description.text() }
  }

  @Test(
    "Classes have up to 63 superclasses, and names of 4,096 bytes in all",
    arguments: [(64, 1, true), (65, 1, false), (4, 1024, true), (4, 1025, false)])
  func classes(_ count: Int, _ length: Int, _ isRead: Bool) throws {
    var writer = StreamWriter()
    writer.group("#")
    let name = String(repeating: "A", count: length - 1)
    writer.archivedClass(
      (0..<count).map { (name + String(UnicodeScalar(UInt8(33 + $0))), $0) })
    do {
      let archive = try KeyedArchive(stream: writer.bytes)
      #expect(isRead)
      #expect(archive.objectCount == count + 3)
    } catch {
      #expect(!isRead && (error as? PropertyListError)?.code == .invalidClass, "\(error)")
    }
  }

  @Test("Objects and bytes over the limit are refused")
  func limits() throws {
    var writer = StreamWriter()
    writer.group("[100i]", Array(repeating: 1, count: 100))
    var options = PropertyListDocument.Options()
    options.maximumObjectCount = 100
    do {
      _ = try PropertyListDocument(writer.bytes, options: options)
      Issue.record("read")
    } catch {
      #expect(error.code == .tooManyObjects)
    }
    options.maximumObjectCount = 120
    #expect(try PropertyListDocument(writer.bytes, options: options).nodeCount <= 120)
  }
}
