// What types get from lists that are not quite theirs, and from lists made to harm.

import PropertyListCodec
import Testing

struct DecodingTests {
  /// A case of `DecodingError` and its path.
  struct Failure: Equatable {
    enum Case { case typeMismatch, valueNotFound, keyNotFound, dataCorrupted }
    var error: Case
    var path: [String]

    init(_ error: Case, _ path: [String]) {
      self.error = error
      self.path = path
    }

    /// The failure of decoding, if it fails.
    init?(_ body: () throws -> Void) throws {
      do {
        try body()
        return nil
      } catch let error as DecodingError {
        switch error {
        case .typeMismatch(_, let context): self.init(.typeMismatch, context)
        case .valueNotFound(_, let context): self.init(.valueNotFound, context)
        case .keyNotFound(_, let context): self.init(.keyNotFound, context)
        case .dataCorrupted(let context): self.init(.dataCorrupted, context)
        @unknown default: throw error
        }
      }
    }

    private init(_ error: Case, _ context: DecodingError.Context) {
      self.init(error, context.codingPath.map(\.stringValue))
    }
  }

  private func failure<T: Decodable>(_ type: T.Type, _ value: PropertyListValue) throws -> Failure?
  {
    try Failure { _ = try ListDecoder().decode(type, from: value) }
  }

  private func dictionary(_ entries: (String, PropertyListValue)...) -> PropertyListValue {
    .dictionary(entries.map { PropertyListValue.Entry($0.0, $0.1) })
  }

  @Test("numbers are converted where they are the same number")
  func numbers() throws {
    let decoder = ListDecoder()
    #expect(try decoder.decode([Int].self, from: [.real(3), .real32(-2)].list) == [3, -2])
    #expect(try decoder.decode([Double].self, from: [.integer(3)].list) == [3])
    #expect(try decoder.decode([Float].self, from: [.integer(16_777_217)].list) == [16_777_216])
    #expect(try decoder.decode([Float].self, from: [.real(0.5)].list) == [0.5])
    #expect(try decoder.decode(UInt64.self, from: .integer(Int128(UInt64.max))) == .max)
    #expect(try failure([Float].self, [.real(0.1)].list) == Failure(.dataCorrupted, ["Index 0"]))
    #expect(try failure([Int].self, [.real(3.5)].list) == Failure(.dataCorrupted, ["Index 0"]))
    #expect(try failure([Int].self, [.real(.nan)].list) == Failure(.dataCorrupted, ["Index 0"]))
    #expect(try failure(UInt.self, .integer(-1)) == Failure(.dataCorrupted, []))
    #expect(try failure(Int8.self, .integer(128)) == Failure(.dataCorrupted, []))
    #expect(try failure(Int64.self, .integer(1 << 63)) == Failure(.dataCorrupted, []))
    #expect(try failure(Int.self, .boolean(true)) == Failure(.typeMismatch, []))
    #expect(try failure(Bool.self, .integer(1)) == Failure(.typeMismatch, []))
  }

  @Test("in text a real stands for the nearest number of a type")
  func textReals() throws {
    let list = Array("<plist><array><real>0.1</real><real>1e300</real></array></plist>".utf8)
    #expect(try ListDecoder().decode([Float].self, from: list) == [0.1, .infinity])
  }

  @Test("nil is the string $null, however it is written, and the null of binary lists")
  func nulls() throws {
    let list = """
      <plist><array><string>$null</string><string>&#36;null</string>\
      <string><![CDATA[$nul]]>l</string><string>$nulls</string></array></plist>
      """
    let decoder = ListDecoder()
    #expect(
      try decoder.decode([String?].self, from: Array(list.utf8)) == [nil, nil, nil, "$nulls"])
    #expect(try decoder.decode([Int?].self, from: [.null, .integer(1)].list) == [nil, 1])
    #expect(
      try decoder.decode([String: Int?].self, from: dictionary(("a", .null))) == ["a": nil])
    #expect(
      try failure([String].self, [.string("$null")].list)
        == Failure(.valueNotFound, ["Index 0"]))
    #expect(try failure([[Int]].self, [.null].list) == Failure(.valueNotFound, ["Index 0"]))
    #expect(
      try failure([PropertyListDate].self, [.null].list)
        == Failure(.valueNotFound, ["Index 0"]))
  }

  @Test("sets are read as arrays")
  func sets() throws {
    #expect(try ListDecoder().decode([Int].self, from: .set([.integer(1)])) == [1])
    #expect(try ListDecoder().decode(Set<Int>.self, from: .orderedSet([.integer(1)])) == [1])
  }

  @Test("of a key that is there twice the last counts, and there is one of it")
  func repeatedKeys() throws {
    let list = Array(
      "<plist><dict><key>a</key><string>x</string><key>a</key><integer>2</integer></dict></plist>"
        .utf8)
    #expect(try ListDecoder().decode([String: Int].self, from: list) == ["a": 2])
    let value = PropertyListValue.dictionary([.init(.integer(1), .integer(2))])
    #expect(try failure([String: Int].self, value) == Failure(.typeMismatch, []))
  }

  @Test("keys are found in any order, among few and many", arguments: [1, 7, 24, 25, 3_000])
  func keys(count: Int) throws {
    struct Reader: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        let names = container.allKeys
        for (index, name) in names.enumerated().reversed() {
          #expect(try container.decode(Int.self, forKey: name) == index)
        }
        for (index, name) in names.enumerated() {
          #expect(try container.decodeIfPresent(Int.self, forKey: name) == index)
        }
        #expect(!container.contains(Name("key")))
        #expect(!container.contains(Name("none of the keys there are")))
        #expect(try container.decodeIfPresent(Int.self, forKey: Name("")) == nil)
      }
    }
    let value = PropertyListValue.dictionary(
      (0..<count).map { .init($0 % 3 == 1 ? "größe \($0)" : "key \($0)", .integer(Int128($0))) })
    _ = try ListDecoder().decode(Reader.self, from: value)
    _ = try ListDecoder().decode(Reader.self, from: value.xml(sortsKeys: false))
  }

  @Test("what is not there, or of another kind, has its case and path")
  func mismatches() throws {
    typealias Entries = [String: [Account]]
    let account = dictionary(("name", .string("a")), ("kind", .string("other")))
    #expect(
      try failure(Entries.self, dictionary(("x", [account].list)))
        == Failure(.dataCorrupted, ["x", "Index 0", "kind"]))
    #expect(
      try failure(Entries.self, dictionary(("x", [dictionary()].list)))
        == Failure(.keyNotFound, ["x", "Index 0"]))
    #expect(try failure([Int].self, dictionary()) == Failure(.typeMismatch, []))
    #expect(try failure([String: Int].self, [].list) == Failure(.typeMismatch, []))
    #expect(try failure([[Int]].self, [.data([1])].list) == Failure(.typeMismatch, ["Index 0"]))
    #expect(try failure(PropertyListData.self, .string("a")) == Failure(.typeMismatch, []))
    #expect(try failure(PropertyListDate.self, .real(1)) == Failure(.typeMismatch, []))
    #expect(try failure(Double.self, .date(1)) == Failure(.typeMismatch, []))
    #expect(try failure(String.self, .unpairedString([0xd800])) == Failure(.dataCorrupted, []))
    #expect(
      try failure([Dog].self, [dictionary(("breed", .string("b")))].list)
        == Failure(.valueNotFound, ["Index 0", "animal"]))
    #expect(try failure([Int].self, .uuid([1])) == Failure(.dataCorrupted, []))
  }

  @Test("messages of errors have no values in them")
  func messages() throws {
    for (value, type) in [
      (PropertyListValue.string("secret"), Int.self as any Decodable.Type),
      (.integer(987_654), Int8.self), (.real(9876.5), Int.self),
      (.data(Array("secret".utf8)), String.self),
      (dictionary(("secret", .string("secret"))), [String: Int].self),
    ] {
      do {
        _ = try ListDecoder().decode(type, from: value)
        Issue.record("no error")
      } catch DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context) {
        #expect(!context.debugDescription.contains("secret"))
        #expect(!context.debugDescription.contains("9876"))
      }
    }
  }

  @Test("what is no list is one error, with the reason behind it")
  func noList() throws {
    for bytes in [[], Array("bplist00".utf8), Array("<plist><array><integer>".utf8)] {
      #expect(
        try Failure { _ = try ListDecoder().decode([Int].self, from: bytes) }
          == Failure(.dataCorrupted, []))
    }
  }
}

/// Lists that stand for more than they are.
struct HostileDecodingTests {
  struct Tree: Decodable {
    let branches: [Tree]
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      var branches: [Tree] = []
      while !container.isAtEnd { branches.append(try container.decode(Tree.self)) }
      self.branches = branches
    }
  }

  /// A binary list of arrays of two references each to the next array, the last of which has references to `last`.
  private func doubling(_ depth: Int, last: UInt8) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for number in 0..<UInt8(depth) {
      offsets.append(UInt8(bytes.count))
      let next = number + 1 == depth ? last : number + 1
      bytes += [0xa2, next, next]
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [depth, 0, table] {
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return bytes
  }

  @Test("a list that contains itself ends at the limit of nesting")
  func cycle() throws {
    let document = try PropertyListDocument(doubling(3, last: 0))
    expectCorrupted(.nestingTooDeep) { _ = try ListDecoder().decode(Tree.self, from: document) }
  }

  @Test("shared arrays end at the limit of values")
  func sharedArrays() throws {
    var options = PropertyListDocument.Options()
    options.maximumVisitCount = 100_000
    let bytes = doubling(60, last: 59)
    let document = try PropertyListDocument(bytes, options: options)
    // The innermost contains itself, but that is never reached.
    expectCorrupted(nil) { _ = try ListDecoder().decode(Tree.self, from: document) }
  }

  @Test("deep lists are read to the limit, and no deeper")
  func depth() throws {
    func list(_ depth: Int) -> [UInt8] {
      let open = String(repeating: "<array>", count: depth)
      return Array(("<plist>" + open + open.replacing("<", with: "</") + "</plist>").utf8)
    }
    _ = try ListDecoder().decode(Tree.self, from: list(512))
    expectCorrupted(.nestingTooDeep) { _ = try ListDecoder().decode(Tree.self, from: list(513)) }
  }

  @Test("shared strings end at the limit of bytes")
  func sharedStrings() throws {
    // 4 MiB, fifty times.
    let text = PropertyListValue.string(String(repeating: "x", count: 1 << 22))
    let document = try PropertyListDocument(
      PropertyListValue.array(Array(repeating: text, count: 50)).binary())
    #expect(document.bytes.count < 5 << 20)
    struct Count: Decodable {
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { _ = try container.decode(String.self) }
      }
    }
    // A short list may stand for as much.
    _ = try ListDecoder().decode(Count.self, from: document)
    let more = try PropertyListDocument(
      PropertyListValue.array(Array(repeating: .array([text]), count: 2)).binary())
    struct Repeated: Decodable {
      init(from decoder: any Decoder) throws {
        for _ in 0..<35 {
          var container = try decoder.unkeyedContainer()
          while !container.isAtEnd { _ = try container.decode([String].self) }
        }
      }
    }
    expectCorrupted(.tooManyVisits) { _ = try ListDecoder().decode(Repeated.self, from: more) }
  }

  private func expectCorrupted(
    _ code: PropertyListError.Code?, _ body: () throws -> Void
  ) {
    let error = #expect(throws: DecodingError.self) { try body() }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("another error")
      return
    }
    let found = (context.underlyingError as? PropertyListError)?.code
    #expect(found == code || code == nil && found != nil)
  }
}
