import PropertyListCodec
import Testing

struct BinaryReadingTests {
  @Test(
    "each kind of object is read as it says",
    arguments: [
      ("00", PropertyListValue.null), ("08", .boolean(false)), ("09", .boolean(true)),
      ("10 ff", .integer(255)), ("11 ffff", .integer(65535)),
      ("12 ffffffff", .integer(4_294_967_295)), ("13 ffffffffffffffff", .integer(-1)),
      ("13 8000000000000000", .integer(Int128(Int64.min))),
      ("14 0000000000000000 ffffffffffffffff", .integer(Int128(UInt64.max))),
      ("14 ffffffffffffffffffffffffffffffff", .integer(-1)),
      ("14 01000000000000000000000000000000", .integer(1 << 120)),
      ("22 3f800000", .real32(1)), ("23 8000000000000000", .real(-0.0)),
      ("22 7fa00001", .real32(Float(bitPattern: 0x7fa0_0001))),
      ("33 41b0000000000000", .date(268_435_456)),
      ("33 7ff8000000000001", .date(Double(bitPattern: 0x7ff8_0000_0000_0001))),
      ("40", .data([])), ("42 00ff", .data([0, 0xff])), ("50", .string("")),
      ("53 610062", .string("a\u{0}b")), ("62 00e9 20ac", .string("é€")),
      ("62 d83d de00", .string("😀")), ("62 d800 0041", .unpairedString([0xd800, 0x41])),
      ("62 0041 dc00", .unpairedString([0x41, 0xdc00])), ("75 c3a9 e282ac", .string("é€")),
      ("52 e9ff", .string("éÿ")), ("80 05", .uid(5)), ("82 010000", .uid(65536)),
      ("8f 000000000000000000000000000000ff", .uid(255)),
      ("8f 80000000000000000000000000000000", .uid(1 << 127)),
      ("0c 54 68747470", .url(["http"])), ("0d 0c 52 623a 51 72", .url(["b:", "r"])),
      ("0d 0d 0c 51 61 51 62 61 0063", .url(["a", "b", "c"])),
      ("0e 000102030405060708090a0b0c0d0e0f", .uuid(Array(0..<16))),
      ("24 0000", .unknown([0x24, 0, 0])), ("f1", .unknown([0xf1])), ("0f", .unknown([0x0f])),
      ("a0", .array([])), ("d0", .dictionary([])), ("c0", .set([])), ("b0", .orderedSet([])),
      ("5f 10 03 616263", .string("abc")), ("4f 13 0000000000000001 07", .data([7])),
      ("4f 14 00000000000000000000000000000001 07", .data([7])),
    ])
  func kinds(hex: String, value: PropertyListValue) throws {
    let document = try PropertyListDocument(binaryList([bytes(hex: hex)]))
    #expect(try document.value() == value)
    #expect(document.range(of: document.root) == 8..<8 + bytes(hex: hex).count)
    #expect(document.rawBytes(of: document.root) == bytes(hex: hex))
  }

  @Test("containers keep their order, and a dictionary's keys come before its values")
  func containers() throws {
    let file = binaryList([
      bytes(hex: "d3 010203 040506"), bytes(hex: "51 7a"), bytes(hex: "51 61"),
      bytes(hex: "51 6d"), bytes(hex: "a2 0101"), bytes(hex: "c1 02"), bytes(hex: "b2 0302"),
    ])
    let document = try PropertyListDocument(file)
    #expect(document.format == .binary)
    let root = document.root
    #expect(document.keys(of: root).map { document.string(of: $0) } == ["z", "a", "m"])
    #expect(document.values(of: root).map(\.index) == [4, 5, 6])
    #expect(document.children(of: root).map(\.index) == [1, 2, 3, 4, 5, 6])
    #expect(document.value(for: "a", in: root)?.index == 5)
    #expect(document.value(for: "b", in: root) == nil)
    let value = try document.value()
    #expect(value["z"] == .array([.string("z"), .string("z")]))
    #expect(value["a"] == .set([.string("a")]))
    #expect(value["m"]?[1] == .string("a"))
  }

  @Test("offsets and references have any width from 1 to 8 bytes", arguments: 1...8)
  func widths(width: Int) throws {
    let array = [0xa2] + bigEndian(1, width: width) + bigEndian(2, width: width)
    let objects = [array, bytes(hex: "51 61"), bytes(hex: "09")]
    let file = binaryList(objects, offsetSize: width, referenceSize: width)
    #expect(try PropertyListDocument(file).value() == .array([.string("a"), .boolean(true)]))
  }

  @Test("shared objects are one node")
  func sharing() throws {
    let file = binaryList([bytes(hex: "a3 010201"), bytes(hex: "a1 02"), bytes(hex: "10 05")])
    let document = try PropertyListDocument(file)
    #expect(document.children(of: document.root).map(\.index) == [1, 2, 1])
    let shape = try document.checkTree(document.root)
    #expect(shape.depth == 2)
    #expect(shape.visitCount == 6)
  }

  @Test("values are of their own kind only")
  func otherKinds() throws {
    let document = try PropertyListDocument(binaryList([bytes(hex: "51 61")]))
    let root = document.root
    #expect(document.integer(of: root) == nil && document.real(of: root) == nil)
    #expect(document.boolean(of: root) == nil && document.date(of: root) == nil)
    #expect(document.data(of: root) == nil && document.uid(of: root) == nil)
    #expect(document.url(of: root) == nil && document.byteWidth(of: root) == nil)
    #expect(document.dataRange(of: root) == nil && document.real32(of: root) == nil)
    #expect(document.children(of: root).isEmpty && document.keys(of: root).isEmpty)
  }

  @Test("bytes of data are found in the file, units of strings in any encoding")
  func ranges() throws {
    let file = binaryList([
      bytes(hex: "a4 01020304"), bytes(hex: "43 010203"), bytes(hex: "61 d800"),
      bytes(hex: "51 e9"), bytes(hex: "11 0001"),
    ])
    let document = try PropertyListDocument(file)
    let nodes = document.children(of: document.root)
    #expect(document.dataRange(of: nodes[0]) == 14..<17)
    #expect(document.string(of: nodes[1]) == nil)
    #expect(document.utf16(of: nodes[1]) == [0xd800])
    #expect(document.utf16(of: nodes[2]) == [0xe9])
    #expect(document.byteWidth(of: nodes[3]) == 2)
  }

  @Test("a document's description has nothing of what the list says")
  func description() throws {
    let document = try PropertyListDocument(PropertyListValue.string("hunter2").binary())
    #expect("\(document)" == "binary property list, 1 nodes")
    var dumped = ""
    dump(document, to: &dumped)
    #expect(!dumped.contains("104"))
  }

  @Test("strings are compared by code units, in any encoding")
  func comparison() throws {
    let composed = "\u{e9}"
    let decomposed = "e\u{301}"
    for hex in ["61 00e9", "72 c3a9", "51 e9"] {
      let document = try PropertyListDocument(binaryList([bytes(hex: hex)]))
      #expect(document.text(of: document.root, equals: composed))
      #expect(!document.text(of: document.root, equals: decomposed))
    }
    #expect(PropertyListValue.string(composed) != .string(decomposed))
    #expect(Set([PropertyListValue.string(composed), .string(decomposed)]).count == 2)
  }

  @Test(
    "what is irregular is listed, and refused in strict reading",
    arguments: [
      (binaryList([[0x09]], version: "01"), PropertyListError.Code.unsupportedVersion, 7),
      (binaryList([[0x52, 0xe9, 0xff]]), .invalidText, 8),
      (binaryList([[0x61, 0xd8, 0x00]]), .invalidText, 8),
      (binaryList([[0x24]]), .unknownMarker, 8), (binaryList([[0x15]]), .unknownMarker, 8),
      (binaryList([[0xd1, 1, 1], [0x10, 5]]), .nonStringKey, 8),
      (
        binaryList([[0xd2, 1, 2, 3, 3], [0x51, 0x61], [0x61, 0, 0x61], [0x09]]), .duplicateKey, 8
      ),
    ])
  func irregularities(file: [UInt8], code: PropertyListError.Code, offset: Int) throws {
    let document = try PropertyListDocument(file)
    #expect(document.irregularities.map(\.code) == [code])
    #expect(document.irregularities.first?.offset == offset)
    #expect(document.irregularityCount == 1)
    var options = PropertyListDocument.Options()
    options.isStrict = true
    let error = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(file, options: options)
    }
    #expect(error?.code == code)
  }

  @Test(
    "what contradicts itself is refused, with its place",
    arguments: [
      ("", PropertyListError.Code.unrecognizedFormat, 0),
      ("62706c697374", .unexpectedEnd, 6),
      ("62706c69737431 35" + String(repeating: "00", count: 40), .unsupportedVersion, 6),
    ])
  func wholes(hex: String, code: PropertyListError.Code, offset: Int) {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(bytes(hex: hex))
    }
    #expect(error?.code == code)
    #expect(error?.offset == offset)
  }

  @Test(
    "objects that cannot be are refused, with their place",
    arguments: [
      ("4f 13 4000000000000000", PropertyListError.Code.invalidLength, 8),
      ("4f 14 00000000000000010000000000000001 07", .invalidLength, 8),
      ("af 12 7fffffff", .invalidLength, 8), ("5f 51 61", .invalidLength, 9),
      ("5f", .invalidLength, 8), ("5f 13 00", .invalidLength, 8), ("13 00", .invalidLength, 8),
      ("33 00", .invalidLength, 8), ("0e 00", .invalidLength, 8), ("82 00", .invalidLength, 8),
      ("62 0041", .invalidLength, 8), ("a1 01", .invalidReference, 9),
      ("d1 00 09", .invalidReference, 10), ("71 ff", .invalidText, 8),
      ("0c 10 05", .unknownMarker, 9), ("0d 51 61", .unknownMarker, 9), ("0c", .invalidLength, 8),
    ])
  func objects(hex: String, code: PropertyListError.Code, offset: Int) {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(binaryList([bytes(hex: hex)]))
    }
    #expect(error?.code == code)
    #expect(error?.offset == offset)
  }

  @Test("a trailer that contradicts the file is refused")
  func trailers() throws {
    let file = binaryList([bytes(hex: "a1 01"), bytes(hex: "09")])
    let trailer = file.count - 32
    // The byte of the trailer, its value, and the byte that is at fault.
    let cases: [(Int, UInt8, Int)] = [
      (6, 0, 6), (6, 9, 6), (7, 0, 7), (7, 9, 7), (15, 3, 8), (15, 0, 8), (8, 0xff, 8),
      (23, 2, 16), (16, 0x80, 16), (31, 8, 24), (31, 200, 24), (24, 0xff, 24),
    ]
    for (field, value, offset) in cases {
      var damaged = file
      damaged[trailer + field] = value
      let error = #expect(throws: PropertyListError.self) { try PropertyListDocument(damaged) }
      #expect(error?.code == .invalidTrailer)
      #expect(error?.offset == trailer + offset)
    }
  }

  @Test("references too short for the objects, and offsets outside of them, are refused")
  func sizes() {
    let many = [[0xa0]] + Array(repeating: [UInt8(0x09)], count: 256)
    let short = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(binaryList(many, offsetSize: 2, referenceSize: 1))
    }
    #expect(short?.code == .invalidTrailer)
    var file = binaryList([[0x09]])
    file[9] = 7
    let early = #expect(throws: PropertyListError.self) { try PropertyListDocument(file) }
    #expect(early?.code == .invalidOffset)
    file[9] = 9
    let late = #expect(throws: PropertyListError.self) { try PropertyListDocument(file) }
    #expect(late?.code == .invalidOffset)
  }

  @Test("no prefix and no flipped bit of a list stops the program")
  func damage() throws {
    let file = binaryList([
      bytes(hex: "d5 0102030405 0607080900"), bytes(hex: "51 61"), bytes(hex: "61 00e9"),
      bytes(hex: "72 c3a9"), bytes(hex: "54 6b657934"), bytes(hex: "51 65"),
      bytes(hex: "a2 0a0b"), bytes(hex: "13 ffffffffffffffff"), bytes(hex: "0c 51 75"),
      bytes(hex: "4f 10 02 0001"), bytes(hex: "81 0102"), bytes(hex: "33 41b0000000000000"),
    ])
    func read(_ file: [UInt8]) {
      guard let document = try? PropertyListDocument(file) else { return }
      if let value = try? document.value(), let written = try? document.binary() {
        #expect((try? PropertyListDocument(written).value()) == value)
      }
    }
    for count in 0..<file.count {
      #expect(throws: PropertyListError.self) { try PropertyListDocument(Array(file[..<count])) }
    }
    for index in file.indices {
      for bit in 0..<8 {
        var damaged = file
        damaged[index] ^= 1 << UInt8(bit)
        read(damaged)
      }
    }
  }
}
