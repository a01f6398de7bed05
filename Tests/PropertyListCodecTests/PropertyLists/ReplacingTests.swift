// Lists with values replaced or removed at single places, and nodes as lists of their own.

import ByteCoding
import PropertyListCodec
import Testing

struct ReplacingTests {
  typealias Place = PropertyListDocument.Place

  /// {a: "same", b: "same", c: [1, "same"]}: one string object.
  static let shared = PropertyListValue.dictionary([
    .init("a", .string("same")), .init("b", .string("same")),
    .init("c", .array([.integer(1), .string("same")])),
  ])

  private func place(_ document: PropertyListDocument, _ position: Int) -> Place {
    Place(container: document.root, position: position)
  }

  @Test("A place is replaced alone, a node wherever it is", arguments: [false, true])
  func places(isXML: Bool) throws {
    let bytes = isXML ? try Self.shared.xml() : try Self.shared.binary()
    let document = try PropertyListDocument(bytes)
    let one = try PropertyListDocument(
      document.bytes(replacing: [:], at: [place(document, 1): .integer(7)]))
    #expect(try one.value()["a"] == .string("same"))
    #expect(try one.value()["b"] == .integer(7))
    #expect(try one.value()["c"] == .array([.integer(1), .string("same")]))
    guard !isXML else { return }
    let node = try #require(document.value(for: "a", in: document.root))
    let all = try PropertyListDocument(document.bytes(replacing: [node: .integer(7)]))
    #expect(try all.value()["c"] == .array([.integer(1), .integer(7)]))
  }

  @Test(
    "An entry is removed with its key, an element moves those behind it", arguments: [false, true])
  func removing(isXML: Bool) throws {
    let bytes = isXML ? try Self.shared.xml() : try Self.shared.binary()
    let document = try PropertyListDocument(bytes)
    let array = try #require(document.value(for: "c", in: document.root))
    let changed = try document.bytes(
      replacing: [:], removing: [place(document, 0), Place(container: array, position: 0)])
    #expect(
      try PropertyListDocument(changed).value()
        == .dictionary([.init("b", .string("same")), .init("c", .array([.string("same")]))]))
    let all = try document.bytes(
      replacing: [:], removing: [place(document, 0), place(document, 1), place(document, 2)])
    #expect(try PropertyListDocument(all).value() == .dictionary([]))
    // Without what referred to it, the string is in the file no more.
    #expect(!String(decoding: all, as: UTF8.self).contains("same"))
  }

  @Test("Places that are not there change nothing; without any change the file is as it is")
  func absent() throws {
    let document = try PropertyListDocument(Self.shared.binary())
    #expect(document.node(at: place(document, 3)) == nil)
    #expect(
      document.node(at: Place(container: document.keys(of: document.root)[0], position: 0)) == nil)
    #expect(try document.bytes(replacing: [:], removing: [place(document, 9)]) == document.bytes)
    #expect(try document.bytes(replacing: [:]) == document.bytes)
  }

  @Test("What is left keeps its own bytes: integers wider than they have to be, strings apart")
  func ownBytes() throws {
    // {a: 0x0001 in two bytes, b: "x"}
    let file = binaryList([
      bytes(hex: "d2 0102 0304"), bytes(hex: "51 61"), bytes(hex: "51 62"), bytes(hex: "11 0001"),
      bytes(hex: "51 78"),
    ])
    let document = try PropertyListDocument(file)
    let changed = try PropertyListDocument(
      document.bytes(replacing: [:], removing: [place(document, 1)]))
    let integer = try #require(changed.value(for: "a", in: changed.root))
    #expect(changed.byteWidth(of: integer) == 2)
    #expect(changed.nodeCount == 3)
  }

  @Test("In XML, removed entries go with their lines, and nothing else changes")
  func lines() throws {
    let text = """
      <plist version="1.0">
      <dict>
      \t<!-- first -->
      \t<key>a</key>
      \t<string>1</string>\u{20}
      \t<key>b</key> <array>
      \t\t<string>2</string>
      \t</array>
      \t<key>c</key><string>3</string><key>d</key><string>4</string>
      </dict>
      </plist>
      """
    let document = try PropertyListDocument(Array(text.utf8))
    func without(_ positions: Int...) throws -> String {
      String(
        decoding: try document.bytes(
          replacing: [:], removing: Set(positions.map { place(document, $0) })), as: UTF8.self)
    }
    #expect(
      try without(0, 1) == """
        <plist version="1.0">
        <dict>
        \t<!-- first -->
        \t<key>c</key><string>3</string><key>d</key><string>4</string>
        </dict>
        </plist>
        """)
    #expect(try without(2) == text.replacing("<key>c</key><string>3</string>", with: ""))
    #expect(try without(2, 3).contains("</array>\n\t\n</dict>"))
  }

  @Test("A node is a list of its own, with its objects' own bytes")
  func nodes() throws {
    let file = binaryList([
      bytes(hex: "d2 0102 0304"), bytes(hex: "51 61"), bytes(hex: "51 62"), bytes(hex: "11 0001"),
      bytes(hex: "a3 030305"), bytes(hex: "22 3f800000"),
    ])
    let document = try PropertyListDocument(file)
    let array = try #require(document.value(for: "b", in: document.root))
    #expect(
      try document.binary(of: array)
        == binaryList([bytes(hex: "a3 010102"), bytes(hex: "11 0001"), bytes(hex: "22 3f800000")]))
    let integer = try #require(document.value(for: "a", in: document.root))
    #expect(try document.binary(of: integer) == binaryList([bytes(hex: "11 0001")]))
    #expect(try document.binary(of: document.root) == document.binary())
    let xml = try PropertyListDocument(Self.shared.xml())
    #expect(try xml.binary(of: xml.root) == Self.shared.binary())
  }

  @Test("A node that contains itself, or stands for far too much, is refused")
  func bounded() throws {
    let cycle = try PropertyListDocument(
      binaryList([bytes(hex: "a1 01"), bytes(hex: "a1 00")]))
    let deep = #expect(throws: PropertyListError.self) { try cycle.binary(of: cycle.root) }
    #expect(deep?.code == .nestingTooDeep)
    var options = PropertyListDocument.Options()
    options.maximumVisitCount = 1000
    let objects = (1...40).map { bytes(hex: "a2 " + hex($0) + hex($0)) } + [bytes(hex: "a0")]
    let laughs = try PropertyListDocument(binaryList(objects), options: options)
    let many = #expect(throws: PropertyListError.self) { try laughs.binary(of: laughs.root) }
    #expect(many?.code == .tooManyVisits)
  }

  private func hex(_ number: Int) -> String {
    (number < 16 ? "0" : "") + String(number, radix: 16)
  }
}
