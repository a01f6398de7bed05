import PropertyListCodec
import Testing

struct LimitTests {
  @Test("a container in itself is read as a table and refused as a tree")
  func cycles() throws {
    let itself = try PropertyListDocument(binaryList([bytes(hex: "a1 00")]))
    #expect(itself.children(of: itself.root).map(\.index) == [0])
    let indirect = try PropertyListDocument(
      binaryList([bytes(hex: "a1 01"), bytes(hex: "d1 02 00"), bytes(hex: "51 61")]))
    for document in [itself, indirect] {
      let error = #expect(throws: PropertyListError.self) { try document.value() }
      #expect(error?.code == .cycle)
      #expect(error?.offset == 8)
      #expect(throws: PropertyListError.self) { try document.binary() }
    }
    var strict = PropertyListDocument.Options()
    strict.isStrict = true
    let refused = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(itself.bytes, options: strict)
    }
    #expect(refused?.code == .cycle)
  }

  @Test("nesting is read to the limit and refused beyond", arguments: [511, 512, 513])
  func depth(depth: Int) throws {
    let arrays = (1..<depth).map { [0xa1] + bigEndian($0, width: 2) } + [[0xa0]]
    let file = binaryList(arrays, offsetSize: 2, referenceSize: 2)
    let document = try PropertyListDocument(file)
    let text =
      String(repeating: "<array>", count: depth)
      + String(repeating: "</array>", count: depth)
    if depth <= 512 {
      #expect(try document.checkTree(document.root).depth == depth)
      let value = try document.value()
      #expect(try PropertyListDocument(value.binary()).value() == value)
      #expect(try PropertyListDocument(value.xml()).value() == value)
    } else {
      for read in [
        { _ = try document.value() }, { _ = try PropertyListDocument(Array(text.utf8)) },
      ] {
        let error = #expect(throws: PropertyListError.self) { try read() }
        #expect(error?.code == .nestingTooDeep)
      }
    }
  }

  @Test("the depth below a shared container counts where it is deepest")
  func sharedDepth() throws {
    // 0 holds 3 and 1, 1 holds 2, 2 holds 3: four containers in each other.
    let file = binaryList([
      bytes(hex: "a2 0301"), bytes(hex: "a1 02"), bytes(hex: "a1 03"), bytes(hex: "a0"),
    ])
    var options = PropertyListDocument.Options()
    options.maximumDepth = 4
    #expect(try PropertyListDocument(file, options: options).checkTree(.init(index: 0)).depth == 4)
    options.maximumDepth = 3
    let document = try PropertyListDocument(file, options: options)
    let error = #expect(throws: PropertyListError.self) { try document.value() }
    #expect(error?.code == .nestingTooDeep)
  }

  @Test("values deeper than can be read are not written")
  func deepValues() {
    var value = PropertyListValue.string("")
    for _ in 0...512 { value = .array([value]) }
    for write in [{ _ = try value.binary() }, { _ = try value.xml() }] {
      let error = #expect(throws: PropertyListError.self) { try write() }
      #expect(error?.code == .nestingTooDeep)
    }
  }

  @Test("shared objects that stand for a thousand million values are refused at once")
  func visits() throws {
    let arrays = (1...30).map { [0xa2, UInt8($0), UInt8($0)] }
    let document = try PropertyListDocument(binaryList(arrays + [bytes(hex: "53 6c6f6c")]))
    let error = #expect(throws: PropertyListError.self) { try document.value() }
    #expect(error?.code == .tooManyVisits)
    // 64 levels overflow the counter.
    let more = (1...64).map { [0xa2, UInt8($0), UInt8($0)] } + [bytes(hex: "a0")]
    let overflowing = try PropertyListDocument(binaryList(more))
    #expect(throws: PropertyListError.self) { try overflowing.value() }
  }

  @Test("a list may stand for 100,000 values or for 16 of each byte, and no more")
  func visitLimits() throws {
    // An array has another one `count` times, which has 99 booleans; nothing refers to the data behind.
    func list(_ count: Int, padding: Int = 0) -> [UInt8] {
      binaryList(
        [
          [0xaf, 0x11] + bigEndian(count, width: 2) + Array(repeating: 1, count: count),
          [0xaf, 0x10, 99] + Array(repeating: 2, count: 99), [0x09],
          [0x4f, 0x12] + bigEndian(padding, width: 4) + Array(repeating: 0, count: padding),
        ], offsetSize: 4)
    }
    func shape(_ bytes: [UInt8]) throws -> Int {
      let document = try PropertyListDocument(bytes)
      return try document.checkTree(document.root).visitCount
    }
    #expect(try shape(list(999)) == 99_901)
    let (tooMany, base) = (100_001, list(1000).count)
    for byteCount in [base, tooMany / 16] {
      let error = #expect(throws: PropertyListError.self) {
        try shape(list(1000, padding: byteCount - base))
      }
      #expect(error?.code == .tooManyVisits)
    }
    #expect(try shape(list(1000, padding: tooMany / 16 + 1 - base)) == tooMany)
  }

  @Test("shared objects do not become more text than the limit")
  func expansion() throws {
    // Millions of values, within the limit, each in a line behind up to 20 levels.
    let arrays = (1...20).map { [0xa4, UInt8($0), UInt8($0)] + [0x15, 0x15] }
    var options = PropertyListDocument.Options()
    options.maximumVisitCount = 10_000_000
    let document = try PropertyListDocument(
      binaryList(arrays + [bytes(hex: "a4 15151515"), bytes(hex: "53 6c6f6c")]), options: options)
    #expect(try document.checkTree(document.root).visitCount < 10_000_000)
    for write in [{ _ = try document.xml() }, { _ = try document.openStep() }] {
      let error = #expect(throws: PropertyListError.self) { try write() }
      #expect(error?.code == .tooManyVisits)
    }
  }

  @Test("a list can be limited in its objects")
  func objects() {
    var options = PropertyListDocument.Options()
    options.maximumObjectCount = 2
    let text = Array("<plist><array><true/><true/></array></plist>".utf8)
    for file in [binaryList([[0xa2, 1, 2], [0x09], [0x08]]), text] {
      let error = #expect(throws: PropertyListError.self) {
        try PropertyListDocument(file, options: options)
      }
      #expect(error?.code == .tooManyObjects)
    }
  }

  @Test("objects that share a few bytes are read and listed, many are refused")
  func overlaps() throws {
    var few = binaryList([bytes(hex: "a2 0102"), bytes(hex: "52 5161"), bytes(hex: "09")])
    // The third object begins inside of the second.
    few[17] = 12
    let document = try PropertyListDocument(few)
    #expect(try document.value() == .array([.string("Qa"), .string("a")]))
    #expect(document.irregularities.map(\.code) == [.overlappingObjects])

    // 50,000 arrays of 40,000 elements, each of which begins six bytes after the last. All references of
    // two bytes are valid among 65,536 objects.
    let count = 65_536
    var file = Array("bplist00".utf8)
    for _ in 0..<count { file += [0xaf, 0x12] + bigEndian(40_000, width: 4) }
    let table = file.count
    file[table - 1] = 0x09
    for index in 0..<count {
      file += bigEndian(index < 50_000 ? 8 + 6 * index : table - 1, width: 4)
    }
    file += [0, 0, 0, 0, 0, 0, 4, 2]
    for field in [count, 0, table] { file += bigEndian(field, width: 8) }
    let error = #expect(throws: PropertyListError.self) { try PropertyListDocument(file) }
    #expect(error?.code == .overlappingObjects)
  }
}
