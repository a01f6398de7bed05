// Our coders beside Foundation's: the same lists of the same values, and the same errors.

import Foundation
import PropertyListCodec
import Testing

typealias Format = PropertyListDocument.Format

private func encoder(_ format: Format) -> (ours: ListEncoder, theirs: PropertyListEncoder) {
  var ours = ListEncoder()
  ours.format = format
  let theirs = PropertyListEncoder()
  theirs.outputFormat = format == .xml ? .xml : .binary
  return (ours, theirs)
}

struct CoderTests {
  /// A value that is encoded by one and decoded by the other.
  struct Example: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The values that Foundation finds in our bytes, we in Foundation's, and we in ours, compared with the value.
    let agrees: @Sendable (Format) throws -> [Bool]
    let xml: @Sendable () throws -> (ours: [UInt8], theirs: [UInt8])

    init<Value: Codable & Equatable & Sendable>(_ value: Value) {
      testDescription = "\(value)"
      agrees = { format in
        let (ours, theirs) = encoder(format)
        let bytes = try ours.encode(value)
        let data = try theirs.encode(value)
        let decoder = ListDecoder()
        return [
          try PropertyListDecoder().decode(Value.self, from: Data(bytes)) == value,
          try decoder.decode(Value.self, from: Array(data)) == value,
          try decoder.decode(Value.self, from: bytes) == value,
        ]
      }
      xml = {
        let (ours, theirs) = encoder(.xml)
        return (try ours.encode(value), try Array(theirs.encode(value)))
      }
    }
  }

  static let examples: [Example] = [
    Example((1...3).map(Person.example)),
    Example([Numbers()]),
    Example([Date(timeIntervalSinceReferenceDate: -1), Date(timeIntervalSinceReferenceDate: 1e9)]),
    Example(["a": Date?.none, "b": Date(timeIntervalSinceReferenceDate: 2)]),
    Example(Data([1, 2, 3])),
    Example([Data(), Data(repeating: 7, count: 1000)]),
    Example([[UInt8]]([[1, 2], []])),
    Example([URL(string: "b/c", relativeTo: URL(string: "http://a.example/"))]),
    Example([UUID()]),
    Example([Decimal(string: "0.000000000000000000001"), Decimal(-3), nil]),
    Example([TruckValue(wheels: 6, load: 2.5)]),
    Example([Shape.point, .circle(radius: 1.5), .group([.group([], name: nil)], name: "g")]),
    Example([1: Date(timeIntervalSinceReferenceDate: 0)]),
    Example([Int?.none, 1]),
    Example([true, false]),
    Example(["", "\u{1F600}é\n\t\"'", "<&>", "$nul", "$"]),
    Example([-0.5, 3, 1e17, 1e-7, .infinity]),
    Example([1.5, -.infinity, Float(1) / 3]),
  ]

  @Test("each coder finds the values of the other", arguments: examples, [Format.binary, .xml])
  func values(example: Example, format: Format) throws {
    #expect(try example.agrees(format) == [true, true, true])
  }

  @Test("XML lists are Foundation's, byte for byte", arguments: examples)
  func bytes(example: Example) throws {
    let (ours, theirs) = try example.xml()
    #expect(String(decoding: ours, as: UTF8.self) == String(decoding: theirs, as: UTF8.self))
  }

  @Test("dates keep their fractions and data its bytes in binary lists and plain values")
  func nativeKinds() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0.123456789)
    let data = Data(0...255)
    #expect(try ListEncoder().plainValue(of: date) == .date(0.123456789))
    #expect(try ListEncoder().plainValue(of: data) == .data(Array(0...255)))
    #expect(try ListDecoder().decode(Date.self, from: .date(0.123456789)) == date)
    #expect(try ListDecoder().decode(Data.self, from: .data(Array(0...255))) == data)
    #expect(try ListDecoder().decode([Date].self, from: ListEncoder().encode([date])) == [date])
    #expect(
      try ListDecoder().decode([PropertyListDate].self, from: ListEncoder().encode([date]))
        == [PropertyListDate(secondsSince2001: 0.123456789)])
  }

  @Test("our date and data are numbers for other coders")
  func otherCoders() throws {
    let values = [PropertyListDate(secondsSince2001: 1.5)]
    let json = try JSONEncoder().encode(values)
    #expect(String(decoding: json, as: UTF8.self) == "[1.5]")
    #expect(try JSONDecoder().decode([PropertyListDate].self, from: json) == values)
    let data = try JSONEncoder().encode(PropertyListData([1, 2]))
    #expect(String(decoding: data, as: UTF8.self) == "[1,2]")
    #expect(
      try JSONDecoder().decode(PropertyListData.self, from: data) == PropertyListData([1, 2]))
  }

  @Test("Foundation's unarchiver finds our values in archives of ours")
  func archives() throws {
    let bytes = try KeyedArchive.encode([Person.example(1)], forKey: "people")
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(bytes))
    unarchiver.requiresSecureCoding = false
    let people = try #require(unarchiver.decodeObject(forKey: "people") as? [[String: Any]])
    unarchiver.finishDecoding()
    #expect(people.count == 1)
    #expect(people[0]["born"] as? Date == Date(timeIntervalSinceReferenceDate: 1000))
    #expect(people[0]["photo"] as? Data == Data([0]))
    // What Apple's decodeDecodable does with the objects.
    let list = try PropertyListSerialization.data(
      fromPropertyList: people, format: .binary, options: 0)
    #expect(try PropertyListDecoder().decode([Person].self, from: list) == [.example(1)])
    let archive = try KeyedArchive(PropertyListDocument(bytes))
    #expect(try archive.decode([Person].self, forKey: "people") == [.example(1)])
  }
}

struct CoderErrorTests {
  /// An error's case, the type it names, and its path.
  private static func summary(_ error: any Error) -> String {
    func text(_ name: String, _ type: Any.Type?, _ path: [any CodingKey]) -> String {
      let keys = path.map { "\($0.stringValue)/\($0.intValue.map(String.init) ?? "-")" }
      return "\(name) \(type.map { "\($0)" } ?? "") \(keys.joined(separator: " "))"
    }
    switch error {
    case DecodingError.typeMismatch(let type, let context):
      return text("typeMismatch", type, context.codingPath)
    case DecodingError.valueNotFound(let type, let context):
      return text("valueNotFound", type, context.codingPath)
    case DecodingError.keyNotFound(let key, let context):
      return text("keyNotFound \(key.stringValue)", nil, context.codingPath)
    case DecodingError.dataCorrupted(let context):
      return text("dataCorrupted", nil, context.codingPath)
    case EncodingError.invalidValue(let value, let context):
      let inner = context.underlyingError.map { " of " + summary($0) } ?? ""
      return text("invalidValue", type(of: value), context.codingPath) + inner
    default: return "\(error)"
    }
  }

  private static func outcome(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch { return summary(error) }
  }

  /// A list and a type that it is not for.
  struct Mismatch: CustomTestStringConvertible, @unchecked Sendable {
    let testDescription: String
    let list: Any
    let type: any Decodable.Type

    init(_ type: any Decodable.Type, _ list: Any) {
      testDescription = "\(type) from \(list)"
      self.list = list
      self.type = type
    }
  }

  static let mismatches: [Mismatch] = [
    Mismatch([Int].self, ["a": 1]), Mismatch([String: Int].self, [1]),
    Mismatch([Int].self, [3.5]), Mismatch([Int].self, [3.0]), Mismatch([Int].self, [Double.nan]),
    Mismatch([Int8].self, [300]), Mismatch([UInt].self, [-1]), Mismatch([Int64].self, [UInt64.max]),
    Mismatch([Int].self, [true]), Mismatch([Double].self, [true]), Mismatch([Bool].self, [1]),
    Mismatch([String].self, [1]), Mismatch([Int].self, ["1"]), Mismatch([Float].self, ["1"]),
    Mismatch([Date].self, ["a"]), Mismatch([Date].self, [1.0]), Mismatch([Date].self, ["$null"]),
    Mismatch([Data].self, ["a"]), Mismatch([Data].self, [[1, 2]]),
    Mismatch([Data].self, ["$null"]),
    Mismatch([Double].self, [Date(timeIntervalSinceReferenceDate: 5)]),
    Mismatch([[UInt8]].self, [Data([1])]), Mismatch([String].self, ["$null"]),
    Mismatch([[Int]].self, ["$null"]), Mismatch([[String: Int]].self, ["$null"]),
    Mismatch(Int.self, 5), Mismatch(String.self, "a"), Mismatch(Int.self, "a"),
    Mismatch([Person].self, [["name": "a"]]), Mismatch([Person].self, [["name": 1]]),
    Mismatch([Person].self, [["name": "a", "role": 3]]),
    Mismatch([Person].self, [["name": "a", "role": "x"]]),
    Mismatch([Vehicle].self, [["wheels": "$null"]]), Mismatch([Truck].self, [["load": 1]]),
    Mismatch([Truck].self, [["load": 1, "super": ["wheels": 1]]]),
    Mismatch([Truck].self, [["load": 1, "super": ["wheels": "x"]]]),
    Mismatch([UUID].self, ["x"]), Mismatch([URL].self, [["relative": ""]]),
    Mismatch([URL].self, ["http://a/"]), Mismatch([Int: Int].self, ["x": 1]),
    Mismatch([Decimal].self, [1]), Mismatch([Shape].self, [["other": 1]]),
    Mismatch([Shape].self, [["circle": ["radius": "x"]]]),
    Mismatch([NestedKeyed].self, [["b": 1]]), Mismatch([NestedKeyed].self, [["a": 1]]),
    Mismatch([NestedKeyed].self, [["a": "$null"]]),
    Mismatch([NestedUnkeyed].self, [["b": 1]]), Mismatch([NestedUnkeyed].self, [["a": 1]]),
    Mismatch([NestedUnkeyed].self, [["a": "$null"]]), Mismatch([NilForKey].self, [["b": 1]]),
    Mismatch([SuperNumber].self, [["b": 1]]), Mismatch([SuperNumber].self, [["super": "x"]]),
    Mismatch([SuperContainer].self, [["b": 1]]), Mismatch([SuperContainer].self, [["a": 1]]),
    Mismatch([TwoElements].self, [[1]]), Mismatch([TwoElements].self, [[1, "x"]]),
    Mismatch([NilElement].self, [[Int]()]), Mismatch([KeyedElement].self, [[Int]()]),
    Mismatch([KeyedElement].self, [[1]]), Mismatch([UnkeyedElement].self, [[Int]()]),
    Mismatch([UnkeyedElement].self, [["$null"]]), Mismatch([SuperElement].self, [[Int]()]),
  ]

  @Test("errors of decoding are Foundation's: case, type and path", arguments: mismatches)
  func decoding(mismatch: Mismatch) throws {
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let data = try PropertyListSerialization.data(
        fromPropertyList: mismatch.list, format: format, options: 0)
      let theirs = Self.outcome { _ = try PropertyListDecoder().decode(mismatch.type, from: data) }
      let ours = Self.outcome { _ = try ListDecoder().decode(mismatch.type, from: Array(data)) }
      #expect(ours == theirs)
    }
  }

  /// What no encoder takes.
  struct Refused: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let ours: @Sendable () -> String
    let theirs: @Sendable () -> String

    init<Value: Encodable & Sendable>(_ value: Value) {
      testDescription = "\(value)"
      ours = { CoderErrorTests.outcome { _ = try ListEncoder().encode(value) } }
      theirs = { CoderErrorTests.outcome { _ = try PropertyListEncoder().encode(value) } }
    }
  }

  struct Failing: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(
        1, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "x"))
    }
  }

  struct Empty: Encodable, Sendable { func encode(to encoder: any Encoder) {} }

  static let refused: [Refused] = [
    Refused(true), Refused(1), Refused(1.5), Refused("a"), Refused(Int?.none), Refused(Empty()),
    Refused(Date(timeIntervalSinceReferenceDate: 0)), Refused(Failing()),
    Refused(["a": [Failing()]]), Refused([1: Failing()]), Refused([Empty()]), Refused(Data()),
  ]

  @Test("errors of encoding are Foundation's: case, type and path", arguments: refused)
  func encoding(refused: Refused) { #expect(refused.ours() == refused.theirs()) }
}
