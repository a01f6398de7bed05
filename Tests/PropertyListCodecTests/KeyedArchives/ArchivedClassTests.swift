// The classes whose encoding is known: what each one's fields mean, and that an object with other fields stays a
// record with all of them.

import PropertyListCodec
import Testing

struct ArchivedClassTests {
  /// An object and its plain value.
  struct Example: CustomTestStringConvertible, Sendable {
    let chain: [String]
    let fields: [(String, PropertyListValue)]
    var others: [PropertyListValue] = []
    let value: PropertyListValue

    var testDescription: String { chain[0] + (others.isEmpty ? "" : " with objects") }

    init(
      _ chain: [String], _ fields: KeyValuePairs<String, PropertyListValue>,
      others: [PropertyListValue] = [], is value: PropertyListValue
    ) {
      self.chain = chain
      self.fields = fields.map { ($0.key, $0.value) }
      self.others = others
      self.value = value
    }

    func archive() throws -> KeyedArchive {
      let object = PropertyListValue.dictionary(
        fields.map { .init($0.0, $0.1) } + [.init("$class", .uid(2))])
      return try PropertyListCodecTests.archive([object, .classDescription(chain)] + others)
    }
  }

  static let mantissa: PropertyListValue = .data([0x39, 0x30] + Array(repeating: 0, count: 14))

  static let examples: [Example] = [
    Example(["NSMutableString", "NSString"], ["NS.string": .string("né")], is: .string("né")),
    Example(["NSString"], ["NS.bytes": .data([0x61, 0x62])], is: .string("ab")),
    Example(["NSMutableData", "NSData"], ["NS.data": .data([1, 2])], is: .data([1, 2])),
    Example(
      ["NSMutableData", "NSData"], ["NS.data": .uid(3)], others: [.data([3])], is: .data([3])),
    Example(["NSData"], ["NS.bytes": .data([4])], is: .data([4])),
    Example(["NSDate"], ["NS.time": .real(-1.5)], is: .date(-1.5)),
    Example(["NSNumber"], ["NS.intval": .integer(-7)], is: .integer(-7)),
    Example(["NSNumber"], ["NS.boolval": .boolean(true)], is: .boolean(true)),
    Example(["NSNumber"], ["NS.boolval": .integer(0)], is: .boolean(false)),
    Example(["NSNumber"], ["NS.dblval": .real(2.5)], is: .real(2.5)),
    Example(["NSNull"], [:], is: .null),
    Example(
      ["NSUUID"], ["NS.uuidbytes": .data(Array(0..<16))], is: .uuid(Array(0..<16))),
    Example(
      ["NSMutableArray", "NSArray"], ["NS.objects": .array([.uid(3), .uid(0), .uid(3)])],
      others: [.integer(5)], is: .array([.integer(5), .null, .integer(5)])),
    Example(
      ["NSArray"], ["NS.object.1": .uid(4), "NS.object.0": .uid(3)],
      others: [.integer(5), .integer(6)], is: .array([.integer(5), .integer(6)])),
    Example(["NSSet"], ["NS.objects": .array([.uid(3)])], others: [.real(1)], is: .set([.real(1)])),
    Example(
      ["NSOrderedSet"], ["NS.object.1": .uid(3), "NS.object.0": .uid(4)],
      others: [.string("b"), .string("a")], is: .orderedSet([.string("a"), .string("b")])),
    Example(["NSOrderedSet"], [:], is: .orderedSet([])),
    Example(
      ["NSCountedSet", "NSMutableSet", "NSSet"],
      ["NS.count": .integer(1), "NS.object0": .uid(3), "NS.count0": .integer(9)],
      others: [.string("a")],
      is: .array([.dictionary([.init("element", .string("a")), .init("count", .integer(9))])])),
    Example(
      ["NSDictionary"], ["NS.keys": .array([.uid(3)]), "NS.objects": .array([.uid(4)])],
      others: [.string("k"), .boolean(false)], is: .dictionary([.init("k", .boolean(false))])),
    Example(
      ["NSDictionary"], ["NS.object.0": .uid(4), "NS.key.0": .uid(3)],
      others: [.string("k"), .boolean(false)], is: .dictionary([.init("k", .boolean(false))])),
    Example(
      ["NSURL"], ["NS.base": .uid(0), "NS.relative": .uid(3)],
      others: [.string("https://example.org/")], is: .url(["https://example.org/"])),
    Example(
      ["NSURL"], ["NS.base": .uid(3), "NS.relative": .uid(5)],
      others: [
        .object(["NS.base": .uid(0), "NS.relative": .uid(4)], class: 2), .string("https://a/"),
        .string("b"),
      ], is: .url(["https://a/", "b"])),
    Example(
      ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue"],
      [
        "NS.exponent": .integer(-3), "NS.length": .integer(1), "NS.negative": .boolean(true),
        "NS.compact": .boolean(true), "NS.mantissa": mantissa, "NS.mantissa.bo": .integer(1),
      ], is: .string("-12.345")),
    Example(
      ["NSDecimalNumber"],
      [
        "NS.exponent": .integer(2), "NS.length": .integer(1), "NS.negative": .boolean(false),
        "NS.mantissa": mantissa,
      ], is: .string("1234500")),
    Example(
      ["NSDecimalNumber"],
      [
        "NS.exponent": .integer(0), "NS.length": .integer(0), "NS.negative": .boolean(true),
        "NS.mantissa": mantissa,
      ], is: .string("NaN")),
    Example(
      ["NSValue"], ["NS.special": .integer(1), "NS.pointval": .uid(3)],
      others: [.string("{1, -2.5}")],
      is: .dictionary([.init("x", .real(1)), .init("y", .real(-2.5))])),
    Example(
      ["NSValue"],
      ["NS.special": .integer(4), "NS.rangeval.location": .uid(3), "NS.rangeval.length": .uid(3)],
      others: [.integer(6)],
      is: .dictionary([.init("location", .integer(6)), .init("length", .integer(6))])),
    Example(
      ["NSIndexSet"],
      ["NSRangeCount": .integer(2), "NSRangeData": .data([1, 2, 0x80, 0x01, 3])],
      is: .array([
        .dictionary([.init("location", .integer(1)), .init("length", .integer(2))]),
        .dictionary([.init("location", .integer(128)), .init("length", .integer(3))]),
      ])),
    Example(
      ["NSIndexPath"], ["NSIndexPathLength": .integer(2), "NSIndexPathData": .data([4, 5])],
      is: .array([.integer(4), .integer(5)])),
    Example(
      ["NSImage"], ["NSSize": .uid(3), "NSReps": .uid(4), "NSImageFlags": .integer(7)],
      others: [.string("{16, 32.5}"), .boolean(true)],
      is: .dictionary([
        .init("width", .real(16)), .init("height", .real(32.5)),
        .init("representations", .boolean(true)),
        .init("flags", .integer(7)),
      ])),
    Example(
      ["NSBitmapImageRep", "NSImageRep"], ["NSTIFFRepresentation": .uid(3)],
      others: [.data([0x4d, 0x4d])], is: .data([0x4d, 0x4d])),
    Example(
      ["NSCursor"], ["NSHotSpot": .uid(3), "NSCursorType": .integer(1)],
      others: [.string("{4, -5}")],
      is: .dictionary([
        .init("x", .real(4)), .init("y", .real(-5)), .init("cursor type", .integer(1)),
      ])),
    Example(
      ["NSComparisonPredicate", "NSPredicate"],
      ["NSLeftExpression": .uid(3), "NSRightExpression": .uid(4), "NSPredicateOperator": .uid(0)],
      others: [.string("l"), .string("r")],
      is: .dictionary([
        .init("left", .string("l")), .init("operator", .null), .init("right", .string("r")),
      ])),
    Example(
      ["NSCompoundPredicate", "NSPredicate"],
      ["NSCompoundPredicateType": .integer(1), "NSSubpredicates": .uid(3)], others: [.string("p")],
      is: .dictionary([.init("compound type", .integer(1)), .init("predicates", .string("p"))])),
    Example(
      ["NSKeyPathSpecifierExpression", "NSExpression"],
      ["NSExpressionType": .integer(10), "NSKeyPath": .uid(3)], others: [.string("a.b")],
      is: .dictionary([.init("key path", .string("a.b")), .init("expression type", .integer(10))])),
    Example(
      ["NSConstantValueExpression", "NSExpression"], ["NSConstantValue": .uid(3)],
      others: [.integer(5)], is: .integer(5)),
    Example(
      ["NSSelfExpression", "NSExpression"], ["NSExpressionType": .integer(1)], is: .string("SELF")),
    Example(["NSLocale"], ["NS.identifier": .uid(3)], others: [.string("de")], is: .string("de")),
    Example(
      ["NSError"],
      ["NSDomain": .uid(3), "NSCode": .integer(-25300), "NSUserInfo": .uid(0)],
      others: [.string("domain")],
      is: .dictionary([
        .init("domain", .string("domain")), .init("code", .integer(-25300)),
        .init("user info", .null),
      ])),
    Example(
      ["NSColor"], ["NSColorSpace": .integer(2), "NSRGB": .data(Array("1 0.5 0\0".utf8))],
      is: .dictionary([
        .init("space", .string("device RGB")), .init("red", .real(1)), .init("green", .real(0.5)),
        .init("blue", .real(0)),
      ])),
    Example(
      ["NSMutableAttributedString", "NSAttributedString"],
      ["NSString": .uid(3), "NSAttributes": .uid(4), "NSAttributeInfo": .data([1, 0, 2, 0])],
      others: [
        .string("a😀"), .object(["NS.objects": .array([.uid(5)])], class: 6), .string("bold"),
        .classDescription(["NSArray", "NSObject"]),
      ],
      is: .dictionary([
        .init("string", .string("a😀")),
        .init(
          "runs",
          .array([
            .dictionary([
              .init("location", .integer(0)), .init("length", .integer(1)),
              .init("attributes", .string("bold")),
            ]),
            .dictionary([
              .init("location", .integer(1)), .init("length", .integer(2)),
              .init("attributes", .string("bold")),
            ]),
          ])),
      ])),
  ]

  @Test("objects of known classes have plain values", arguments: examples)
  func plainValue(example: Example) throws {
    #expect(try example.archive().plainValue() == example.value)
  }

  @Test("an object without one of its fields is a record with the others", arguments: examples)
  func missingField(example: Example) throws {
    // What is left can be another form of the class, as the empty ordered set.
    for missing in example.fields.indices {
      var fields = example.fields
      fields.remove(at: missing)
      let object = PropertyListValue.dictionary(
        fields.map { .init($0.0, $0.1) } + [.init("$class", .uid(2))])
      let archive = try archive([object, .classDescription(example.chain)] + example.others)
      if case .record(let archived, let found) = try archive.value(of: archive.root) {
        #expect(archived.name == example.chain[0])
        #expect(found.map(\.name) == fields.map(\.0))
      }
    }
  }

  @Test("an object with a field of the wrong kind is no trap", arguments: examples)
  func wrongKind(example: Example) throws {
    let wrong: [PropertyListValue] = [
      .integer(Int128(Int64.min)), .integer(3), .real(.nan), .string("x"), .data([0xff]), .uid(1),
      .uid(99), .array([.uid(1)]), .dictionary([]), .null, .unpairedString([0xd800]),
    ]
    for index in example.fields.indices {
      for value in wrong {
        var fields = example.fields
        fields[index].1 = value
        let object = PropertyListValue.dictionary(
          fields.map { .init($0.0, $0.1) } + [.init("$class", .uid(2))])
        let archive = try archive([object, .classDescription(example.chain)] + example.others)
        if case .record(_, let found) = try archive.value(of: archive.root) {
          #expect(found.count == fields.count)
        }
        _ = try? archive.plainValue()
      }
    }
  }

  @Test("a field that a class does not have makes the object a record, and its plain value stays")
  func otherFields() throws {
    let archive = try archive(
      of: ["MyString", "NSMutableString", "NSString", "NSObject"],
      ["NS.string": .string("text"), "mine": .integer(1)])
    guard case .record(let archived, let fields) = try archive.value(of: archive.root) else {
      Issue.record("no record")
      return
    }
    #expect(archived.chain.count == 4)
    #expect(fields.map(\.name) == ["NS.string", "mine"])
    #expect(try archive.plainValue() == .string("text"))
  }

  @Test("classes are known by their hints")
  func hints() throws {
    let archive = try archive([
      .object(["NS.string": .string("text")], class: 2),
      .classDescription(["OC_String", "NSObject"], hints: ["NSString"]),
    ])
    #expect(try archive.plainValue() == .string("text"))
    #expect(archive.archivedClass(of: .init(number: 1))?.hints == ["NSString"])
  }

  @Test("classes that are not known are records, and have no plain value")
  func unknownClass() throws {
    let archive = try archive([
      .object(["NS.objects": .array([.uid(3)])], class: 2),
      .classDescription(["NSArray", "NSObject"]),
      .object(["name": .uid(5), "count": .integer(2)], class: 4),
      .classDescription(["Garden.Bed", "NSObject"]), .string("beans"),
    ])
    guard case .array(let elements) = try archive.value(of: archive.root),
      case .record(let archived, let fields) = try archive.value(of: elements[0])
    else {
      Issue.record("no record")
      return
    }
    #expect(archived.name == "Garden.Bed")
    #expect(fields.map(\.name) == ["name", "count"])
    let error = #expect(throws: KeyedArchiveError.self) { try archive.plainValue() }
    #expect(error?.code == .noPlainValue)
    #expect(error?.path == "root[0]")
    #expect(error?.object == 3)
  }
}
