// Values come back from the lists that they make, in each format.

import PropertyListCodec
import Testing

struct CodingTests {
  /// A value that encodes, decodes and compares itself.
  struct Example: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Whether the value that an encoder and a decoder make is the same.
    let comesBack: @Sendable (ListEncoder, ListDecoder) throws -> Bool
    /// By way of a plain value and of a keyed archive.
    let comesBackOtherwise: @Sendable () throws -> Bool

    init<Value: Codable & Equatable & Sendable>(_ value: Value) {
      testDescription = "\(value)"
      comesBack = { encoder, decoder in
        try decoder.decode(Value.self, from: encoder.encode(value)) == value
      }
      comesBackOtherwise = {
        let plain = try ListEncoder().plainValue(of: value)
        let archive = try KeyedArchive(
          PropertyListDocument(KeyedArchive.encode(value, forKey: "$v")))
        return try ListDecoder().decode(Value.self, from: plain) == value
          && archive.decode(Value.self, forKey: "$v") == value
      }
    }
  }

  static let examples: [Example] = [
    Example([Account.example(0), .example(1), .example(49)]),
    Example([Integers.smallest, .largest]),
    Example([Int?.some(1), nil, 2]),
    Example([[Int?]?.some([nil, 1]), nil]),
    Example(["a": [1, 2], "b": []]),
    Example([1: "one", -2: "minus two"]),
    Example(["CF$UID": 1]),
    Example(["": "", "$null x": "$nul", "größe": "\u{1F600}"]),
    Example([Shape.point, .circle(radius: 0.1), .group([.group([], name: nil)], name: "g")]),
    Example([Float(0.1), -.infinity, .greatestFiniteMagnitude, 0, .leastNonzeroMagnitude]),
    Example([0.1, 1e300, -.infinity, .leastNonzeroMagnitude, 16_777_217]),
    Example([true, false]),
    Example(Nested(first: 1, second: ["a", "b"], third: true)),
    Example([Double: Int](uniqueKeysWithValues: [(0.5, 1)])),
    Example(Set(["one"])),
    Example([[UInt8]]([[0, 255], []])),
    Example(PropertyListData([1, 2, 3])),
    Example(["d": PropertyListDate(secondsSince2001: -1)]),
    Example(Dictionary(uniqueKeysWithValues: (0..<100).map { ("key \($0)", $0) })),
  ]

  @Test("values come back from binary and XML lists", arguments: examples)
  func formats(example: Example) throws {
    var encoder = ListEncoder()
    #expect(try example.comesBack(encoder, ListDecoder()))
    encoder.format = .xml
    #expect(try example.comesBack(encoder, ListDecoder()))
  }

  @Test("values come back from OpenStep lists with typed values", arguments: examples)
  func openStep(example: Example) throws {
    var encoder = ListEncoder()
    encoder.format = .openStep
    encoder.openStepOptions.usesTypedValues = true
    #expect(try example.comesBack(encoder, ListDecoder()))
  }

  @Test("values come back from plain values and keyed archives", arguments: examples)
  func otherwise(example: Example) throws {
    #expect(try example.comesBackOtherwise())
  }

  @Test("NaN is NaN again, in both sizes", arguments: [PropertyListDocument.Format.binary, .xml])
  func notANumber(format: PropertyListDocument.Format) throws {
    var encoder = ListEncoder()
    encoder.format = format
    let doubles = try ListDecoder().decode([Double].self, from: encoder.encode([Double.nan]))
    let floats = try ListDecoder().decode([Float].self, from: encoder.encode([Float.nan]))
    #expect(doubles.count == 1 && doubles[0].isNaN)
    #expect(floats.count == 1 && floats[0].isNaN)
  }

  @Test("integers of 128 bits are in binary lists")
  func wideIntegers() throws {
    let values = [Wide(signed: .min, unsigned: UInt128(Int128.max)), Wide(signed: -1, unsigned: 0)]
    var encoder = ListEncoder()
    #expect(try ListDecoder().decode([Wide].self, from: encoder.encode(values)) == values)
    encoder.format = .xml
    #expect(throws: EncodingError.self) { try encoder.encode(values) }
    #expect(throws: EncodingError.self) { try ListEncoder().encode([UInt128.max]) }
  }

  @Test("a superclass's part comes back from `super` and from a key")
  func superclasses() throws {
    let bytes = try ListEncoder().encode([Dog(name: "n", breed: "b")])
    let dogs = try ListDecoder().decode([Dog].self, from: bytes)
    #expect(dogs.map(\.name) == ["n"] && dogs.map(\.breed) == ["b"])
  }

  @Test("types find the user information of both coders")
  func userInformation() throws {
    struct Reader: Decodable {
      let text: String?
      init(from decoder: any Decoder) throws {
        let container = try decoder.unkeyedContainer()
        text = decoder.userInfo[CodingTests.key] as? String
        #expect(container.count == 1)
      }
    }
    var encoder = ListEncoder()
    encoder.userInfo[Self.key] = "out"
    let bytes = try encoder.encode(
      Encoding { encoder in
        var container = encoder.unkeyedContainer()
        try container.encode(
          Encoding { nested in
            var value = nested.singleValueContainer()
            try value.encode(nested.userInfo[CodingTests.key] as? String)
          })
      })
    #expect(try ListDecoder().decode([String].self, from: bytes) == ["out"])
    var decoder = ListDecoder()
    decoder.userInfo[Self.key] = "in"
    #expect(try decoder.decode([Reader].self, from: [.array([.null])].list).first?.text == "in")
    #expect(try decoder.decode(Reader.self, from: bytes).text == "in")
  }

  static let key = CodingUserInfoKey(rawValue: "key")!

  @Test("a part of a document is decoded alone, and paths begin there")
  func parts() throws {
    let value = PropertyListValue.dictionary([.init("x", .array([.integer(1), .string("a")]))])
    let document = try PropertyListDocument(value.binary())
    let node = try #require(document.value(for: "x", in: document.root))
    let error = #expect(throws: DecodingError.self) {
      try ListDecoder().decode([Int].self, from: node, of: document)
    }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("another error")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["Index 1"])
    #expect(context.codingPath.map(\.intValue) == [1])
  }
}

extension [PropertyListValue] {
  var list: PropertyListValue { .array(self) }
}
