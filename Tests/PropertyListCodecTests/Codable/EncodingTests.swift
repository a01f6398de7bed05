// What values are in lists, and which values are not.

import PropertyListCodec
import Testing

struct EncodingTests {
  private typealias Value = PropertyListValue

  private func dictionary(_ entries: (String, PropertyListValue)...) -> PropertyListValue {
    .dictionary(entries.map { PropertyListValue.Entry($0.0, $0.1) })
  }

  private func encoded(
    _ body: @escaping @Sendable (any Encoder) throws -> Void
  ) throws -> PropertyListValue {
    try ListEncoder().plainValue(of: Encoding(body))
  }

  @Test("scalars are the kinds of lists that they name")
  func scalars() throws {
    let encoder = ListEncoder()
    #expect(try encoder.plainValue(of: 1.5) == .real(1.5))
    #expect(try encoder.plainValue(of: Float(0.1)) == .real32(0.1))
    #expect(try encoder.plainValue(of: UInt8.max) == .integer(255))
    #expect(try encoder.plainValue(of: true) == .boolean(true))
    #expect(try encoder.plainValue(of: "e\u{301}") == .string("e\u{301}"))
    #expect(try encoder.plainValue(of: String?.none) == .string("$null"))
    #expect(try encoder.plainValue(of: PropertyListDate(secondsSince2001: 0.5)) == .date(0.5))
    #expect(try encoder.plainValue(of: PropertyListData([1])) == .data([1]))
    #expect(try encoder.plainValue(of: [UInt8](1...2)) == [.integer(1), .integer(2)].list)
    #expect(
      try encoder.plainValue(of: Letter.allCases.map(\.rawValue))
        == [.string("a"), .string("b"), .string("c")].list)
  }

  @Test("entries have the order of encoding, and those of Swift's dictionaries that of their keys")
  func order() throws {
    let keyed = try encoded { encoder in
      var container = encoder.container(keyedBy: Letter.self)
      try container.encode(1, forKey: .c)
      try container.encodeNil(forKey: .a)
      try container.encodeIfPresent(Int?.none, forKey: .b)
    }
    #expect(keyed == dictionary(("c", .integer(1)), ("a", .string("$null"))))
    let words = ["\u{1F600}", "\u{ff5e}", "b", "", "B", "é"]
    let plain = try ListEncoder().plainValue(
      of: Dictionary(uniqueKeysWithValues: words.map { ($0, 0) }))
    guard case .dictionary(let entries) = plain else {
      Issue.record("no dictionary")
      return
    }
    #expect(entries.map(\.key) == ["", "B", "b", "é", "\u{1F600}", "\u{ff5e}"].map { .string($0) })
    let numbers = try ListEncoder().plainValue(of: [10: 1, 9: 2])
    #expect(numbers == dictionary(("10", .integer(1)), ("9", .integer(2))))
  }

  @Test("a key that is encoded again gets the new value in the old place", arguments: [3, 40])
  func repeatedKeys(count: Int) throws {
    let value = try encoded { encoder in
      var container = encoder.container(keyedBy: Name.self)
      for number in 0..<count { try container.encode(number, forKey: Name("\(number)")) }
      try container.encode("new", forKey: Name("1"))
      // Another container of the same kind goes on with the first.
      var second = encoder.container(keyedBy: Letter.self)
      try second.encode("a", forKey: .a)
    }
    guard case .dictionary(let entries) = value else {
      Issue.record("no dictionary")
      return
    }
    #expect(entries.count == count + 1)
    #expect(entries[1] == PropertyListValue.Entry("1", .string("new")))
    #expect(entries[2] == PropertyListValue.Entry("2", .integer(2)))
    #expect(entries.last == PropertyListValue.Entry("a", .string("a")))
  }

  @Test("keys that are only canonically equivalent are two keys")
  func equivalentKeys() throws {
    let value = try encoded { encoder in
      var container = encoder.container(keyedBy: Name.self)
      try container.encode(1, forKey: Name("é"))
      try container.encode(2, forKey: Name("e\u{301}"))
    }
    #expect(value == dictionary(("é", .integer(1)), ("e\u{301}", .integer(2))))
    #expect(try ListDecoder().decode(NameReader.self, from: value).value == 2)
  }

  @Test("a value that encodes nothing is an empty dictionary, and at the top an error")
  func nothing() throws {
    let empty = Encoding { _ in }
    #expect(try ListEncoder().plainValue(of: [empty]) == [dictionary()].list)
    #expect(throws: EncodingError.self) { try ListEncoder().plainValue(of: empty) }
    let withSuper = try encoded { encoder in
      var container = encoder.container(keyedBy: Letter.self)
      _ = container.superEncoder()
      _ = container.nestedUnkeyedContainer(forKey: .b)
    }
    #expect(withSuper == dictionary(("super", dictionary()), ("b", [].list)))
  }

  @Test("nested containers for one key go on with the first")
  func continuedContainers() throws {
    let value = try encoded { encoder in
      var container = encoder.container(keyedBy: Letter.self)
      var first = container.nestedContainer(keyedBy: Letter.self, forKey: .a)
      try first.encode(1, forKey: .a)
      var second = container.nestedContainer(keyedBy: Letter.self, forKey: .a)
      try second.encode(2, forKey: .b)
      try first.encode(3, forKey: .c)
    }
    #expect(
      value
        == dictionary(
          (
            "a",
            dictionary(
              ("a", .integer(1)), ("b", .integer(2)),
              ("c", .integer(3)))
          )))
  }

  @Test("single values stand in for the value around them, however many")
  func singleValues() throws {
    let value = try encoded { encoder in
      var outer = encoder.singleValueContainer()
      try outer.encode(
        Encoding { encoder in
          var inner = encoder.singleValueContainer()
          try inner.encode([PropertyListData([])])
        })
    }
    #expect(value == [.data([])].list)
  }

  static let twofold: [Encoding] = [
    Encoding { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    },
    Encoding { encoder in
      var container = encoder.unkeyedContainer()
      try container.encode(1)
      _ = encoder.container(keyedBy: Letter.self)
    },
    Encoding { encoder in
      var container = encoder.container(keyedBy: Letter.self)
      try container.encode(1, forKey: .a)
      var single = encoder.singleValueContainer()
      try single.encodeNil()
    },
    Encoding { encoder in
      var container = encoder.container(keyedBy: Letter.self)
      _ = container.nestedUnkeyedContainer(forKey: .a)
      _ = container.nestedContainer(keyedBy: Letter.self, forKey: .a)
    },
  ]

  @Test("a value that is encoded in two ways is an error and no trap", arguments: twofold.indices)
  func twice(index: Int) {
    #expect(throws: EncodingError.self) {
      try ListEncoder().plainValue(of: Self.twofold[index])
    }
  }

  @Test("files have an array, a dictionary or data at the top")
  func fragments() throws {
    for format in [PropertyListDocument.Format.binary, .xml, .openStep] {
      var encoder = ListEncoder()
      encoder.format = format
      #expect(throws: EncodingError.self) { try encoder.encode(1) }
      #expect(throws: EncodingError.self) { try encoder.encode("a") }
      #expect(throws: EncodingError.self) { try encoder.encode(true) }
      #expect(throws: EncodingError.self) { try encoder.encode(Int?.none) }
      #expect(throws: EncodingError.self) {
        try encoder.encode(PropertyListDate(secondsSince2001: 0))
      }
      #expect(try !encoder.encode(PropertyListData([1])).isEmpty)
      #expect(try !encoder.encode(["a"]).isEmpty)
    }
  }

  @Test("errors of a file have no path, and the error behind them has it")
  func errors() throws {
    let bad = Encoding { encoder in
      throw EncodingError.invalidValue(
        1, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "x"))
    }
    let error = #expect(throws: EncodingError.self) { try ListEncoder().encode(["a": [bad, bad]]) }
    guard case .invalidValue(_, let context)? = error,
      case .invalidValue(_, let inner)? = context.underlyingError as? EncodingError
    else {
      Issue.record("another error")
      return
    }
    #expect(context.codingPath.isEmpty)
    #expect(inner.codingPath.map(\.stringValue) == ["a", "Index 0"])
    var encoder = ListEncoder()
    for (format, code) in [
      (PropertyListDocument.Format.openStep, PropertyListError.Code.notRepresentable),
      (.typedStream, .unsupportedFormat),
    ] {
      encoder.format = format
      let error = #expect(throws: EncodingError.self) { try encoder.encode([1]) }
      guard case .invalidValue(_, let context)? = error else { continue }
      #expect((context.underlyingError as? PropertyListError)?.code == code)
    }
  }

  @Test("an object that contains itself is an error")
  func endless() {
    final class Link: Encodable {
      var next: Link?
      private enum CodingKeys: CodingKey { case next }
    }
    let link = Link()
    link.next = link
    defer { link.next = nil }
    #expect(throws: EncodingError.self) { try ListEncoder().encode(link) }
    let nesting = Encoding { encoder in
      var container = encoder.unkeyedContainer()
      for _ in 0..<100_000 { container = container.nestedUnkeyedContainer() }
    }
    #expect(throws: EncodingError.self) { try ListEncoder().encode(nesting) }
  }
}

/// A key of any name.
struct Name: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// Reads the decomposed one of two equivalent keys.
struct NameReader: Decodable {
  let value: Int
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    value = try container.decode(Int.self, forKey: Name("e\u{301}"))
  }
}
