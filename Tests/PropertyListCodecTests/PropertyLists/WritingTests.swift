import PropertyListCodec
import Testing

struct WritingTests {
  /// One of each, with equal leaves at several places.
  static let everything = PropertyListValue.dictionary([
    .init(
      "integers",
      .array([0, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296].map { .integer($0) })),
    .init("negative", .array([.integer(-1), .integer(Int128(Int64.min)), .integer(1)])),
    .init("large", .array([.integer(Int128(UInt64.max)), .integer(Int128(Int64.max))])),
    .init("reals", .array([.real(1), .real(0.1), .real(-0.0), .integer(1)])),
    .init(
      "strings", .array([.string(""), .string("a"), .string("é"), .string("😀"), .string("a")])),
    .init("long", .string(String(repeating: "x", count: 70_000))),
    .init("data", .array([.data([]), .data(Array(0...255)), .data([])])),
    .init("dates", .array([.date(0), .date(-63_114_076_800), .date(700_000_000)])),
    .init("uids", .array([.uid(0), .uid(0), .uid(256), .uid(65536), .uid(1 << 32)])),
    .init("booleans", .array([.boolean(true), .boolean(false), .boolean(true)])),
    .init("empty", .array([.array([]), .dictionary([])])),
  ])

  @Test("what is written is read as the same value")
  func roundTrip() throws {
    let value = Self.everything
    let file = try value.binary()
    let document = try PropertyListDocument(file)
    #expect(try document.value() == value)
    #expect(try document.binary() == file)
    #expect(try PropertyListDocument(value.xml(sortsKeys: false)).value() == value)
    #expect(try PropertyListDocument(document.xml(sortsKeys: false)).binary() == file)
  }

  @Test(
    "values that only binary lists have are read as the same",
    arguments: [
      PropertyListValue.null, .real32(0.5), .unpairedString([0xdc00]), .set([.string("a")]),
      .orderedSet([.null, .null]), .url(["a"]), .url(["b:", "é"]), .uuid(Array(0..<16)),
      .unknown([0xf1, 2]), .integer(1 << 100), .integer(-1 << 100), .uid(1 << 100),
      .dictionary([.init(.integer(1), .null)]), .date(.nan), .real(.nan),
    ])
  func binaryOnly(value: PropertyListValue) throws {
    #expect(try PropertyListDocument(value.binary()).value() == value)
    switch value {
    case .real32, .real: break
    default:
      let error = #expect(throws: PropertyListError.self) { try value.xml() }
      #expect(error?.code == .notRepresentable)
    }
  }

  @Test(
    "what no list can hold is refused",
    arguments: [
      PropertyListValue.uuid([1]), .url([]), .unknown([]), .unknown([0x09]), .unknown([0xa1, 0]),
    ])
  func impossible(value: PropertyListValue) {
    let error = #expect(throws: PropertyListError.self) { try value.binary() }
    #expect(error?.code == .notRepresentable)
  }

  @Test("objects have Apple's order: keys, then values; leaves once, booleans again without a use")
  func order() throws {
    let value = PropertyListValue.dictionary([
      .init("a", .array([.boolean(true), .string("a"), .integer(1)])),
      .init("b", .array([.boolean(true), .integer(1), .real(1), .uid(1), .uid(1)])),
    ])
    let expected = binaryList([
      bytes(hex: "d2 0102 0307"),  // 0: the dictionary
      bytes(hex: "51 61"), bytes(hex: "51 62"),  // 1, 2: its keys
      bytes(hex: "a3 040105"), bytes(hex: "09"), bytes(hex: "10 01"),  // 3 to 5
      bytes(hex: "a5 0405 08 09 0a"),  // 6 by place
      bytes(hex: "09"), bytes(hex: "23 3ff0000000000000"), bytes(hex: "80 01"), bytes(hex: "80 01"),
    ])
    // The second array is object 6, and the second true is object 7, to which nothing refers.
    var corrected = expected
    corrected[12] = 6
    #expect(try value.binary() == corrected)
  }

  @Test("a document keeps which objects are shared, and each object's own bytes")
  func identity() throws {
    // Two equal strings apart; an integer wider than it has to be; an array twice, written twice.
    let file = binaryList([
      bytes(hex: "a4 01020306"), bytes(hex: "51 61"), bytes(hex: "51 61"), bytes(hex: "a1 04"),
      bytes(hex: "11 0001"), bytes(hex: "a1 04"), bytes(hex: "61 00e9"),
    ])
    let document = try PropertyListDocument(file)
    let written = try PropertyListDocument(document.binary())
    #expect(try written.value() == document.value())
    #expect(written.nodeCount == 6)
    let integer = try #require(written.children(of: PropertyListNode(index: 3)).first)
    #expect(written.byteWidth(of: integer) == 2)
  }

  @Test("references have two bytes from 256 objects on, offsets from a table at 256 on")
  func widths() throws {
    for count in [254, 255, 256] {
      let strings = (0..<count).map { PropertyListValue.integer(Int128($0)) }
      let file = try PropertyListValue.array(strings).binary()
      #expect(file[file.count - 25] == (count + 1 < 256 ? 1 : 2))
      #expect(try PropertyListDocument(file).value() == .array(strings))
    }
  }

  @Test("XML has Apple's formatting")
  func formatting() throws {
    let value = PropertyListValue.dictionary([
      .init("z<&>\"'", .array([.integer(-1), .real(0.5), .boolean(true), .array([])])),
      .init("a", .dictionary([.init("uid", .uid(7)), .init("e", .dictionary([]))])),
      .init("Z", .data(Array(repeating: 0, count: 52))), .init("d", .date(-0.5)),
      .init("empty", .data([])), .init("s", .string("")),
    ])
    let expected = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>Z</key>
      \t<data>
      \tAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      \tAA==
      \t</data>
      \t<key>a</key>
      \t<dict>
      \t\t<key>e</key>
      \t\t<dict/>
      \t\t<key>uid</key>
      \t\t<dict>
      \t\t\t<key>CF$UID</key>
      \t\t\t<integer>7</integer>
      \t\t</dict>
      \t</dict>
      \t<key>d</key>
      \t<date>2000-12-31T23:59:59Z</date>
      \t<key>empty</key>
      \t<data>
      \t</data>
      \t<key>s</key>
      \t<string></string>
      \t<key>z&lt;&amp;&gt;"'</key>
      \t<array>
      \t\t<integer>-1</integer>
      \t\t<real>0.5</real>
      \t\t<true/>
      \t\t<array/>
      \t</array>
      </dict>
      </plist>

      """
    #expect(try String(decoding: value.xml(), as: UTF8.self) == expected)
  }

  @Test(
    "reals have the fewest digits, in the shape of %.17g",
    arguments: [
      (0.0, "0.0"), (-0.0, "-0.0"), (1.0, "1"), (-45_000_000_000.0, "-45000000000"),
      (0.1, "0.1"), (1_595_003_382.687535, "1595003382.687535"), (0.0001, "0.0001"),
      (0.00001, "1e-05"), (-4.5e-11, "-4.5e-11"), (2.352535353543534e+19, "2.352535353543534e+19"),
      (1e16, "10000000000000000"), (18_014_398_509_481_984, "18014398509481984"),
      (-9.999999999999998e16, "-99999999999999980"), (1e17, "1e+17"), (1.5e300, "1.5e+300"),
      (.leastNonzeroMagnitude, "5e-324"),
      (123_456.789, "123456.789"), (.nan, "nan"), (.infinity, "+infinity"),
      (-.infinity, "-infinity"),
    ])
  func reals(value: Double, text: String) throws {
    let file = try String(decoding: PropertyListValue.real(value).xml(), as: UTF8.self)
    #expect(file.contains("<real>\(text)</real>"))
  }

  @Test("dates are written and read in every month of every sort of year")
  func dates() throws {
    var seconds = -70_000_000_000.0
    while seconds < 300_000_000_000 {
      let value = PropertyListValue.date(seconds)
      #expect(try PropertyListDocument(value.xml()).value() == value)
      seconds += 86_400 * 6_007 + 3_601
    }
  }

  @Test("a replaced value of a binary list leaves all other objects with their bytes")
  func replacingInBinary() throws {
    let file = binaryList([
      bytes(hex: "d3 010203 040506"), bytes(hex: "51 61"), bytes(hex: "51 62"),
      bytes(hex: "51 63"), bytes(hex: "54 70617373"), bytes(hex: "11 0001"),
      bytes(hex: "a2 0405"),
    ])
    let document = try PropertyListDocument(file)
    #expect(try document.bytes(replacing: [:]) == file)
    let secret = try #require(document.value(for: "a", in: document.root))
    let edited = try PropertyListDocument(
      document.bytes(replacing: [secret: .array([.string("x"), .null])]))
    let replaced = PropertyListValue.array([.string("x"), .null])
    let value = try edited.value()
    #expect(value["a"] == replaced)
    #expect(value["c"] == .array([replaced, .integer(1)]))
    let integer = try #require(edited.value(for: "b", in: edited.root))
    #expect(edited.byteWidth(of: integer) == 2)
    #expect(!String(decoding: edited.bytes, as: UTF8.self).contains("pass"))
  }

  @Test("a replaced value of an XML list changes no other character")
  func replacingInXML() throws {
    let text =
      "<plist><dict><!-- c -->\n\t<key>a</key>\n\t<string>pass</string>\n\t<key>b</key>"
      + "<array><integer>0x1</integer><true/></array></dict></plist>\n"
    let document = try PropertyListDocument(Array(text.utf8))
    let secret = try #require(document.value(for: "a", in: document.root))
    let list = try #require(document.value(for: "b", in: document.root))
    let flag = document.children(of: list)[1]
    let edited = try document.bytes(replacing: [
      secret: .dictionary([.init("k", .integer(1))]), flag: .string("<"),
    ])
    let expected = text.replacing(
      "<string>pass</string>",
      with: "<dict>\n\t\t<key>k</key>\n\t\t<integer>1</integer>\n\t</dict>"
    ).replacing("<true/>", with: "<string>&lt;</string>")
    #expect(String(decoding: edited, as: UTF8.self) == expected)
    // The list is replaced, and the flag in it with it.
    let whole = try document.bytes(replacing: [list: .boolean(false), flag: .string("")])
    #expect(try PropertyListDocument(whole).value()["b"] == .boolean(false))
  }
}
