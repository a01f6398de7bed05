import PropertyListCodec
import Testing

struct XMLReadingTests {
  @Test(
    "each element is read as it says",
    arguments: [
      ("<true/>", PropertyListValue.boolean(true)), ("<false />", .boolean(false)),
      ("<true></true>", .boolean(true)), ("<string/>", .string("")),
      ("<string></string>", .string("")),
      ("<string> a\n</string>", .string(" a\n")), ("<string>é😀</string>", .string("é😀")),
      ("<string>&lt;&gt;&amp;&quot;&apos;</string>", .string("<>&\"'")),
      ("<string>&#65;&#x1F600;&#xe9;</string>", .string("A😀é")),
      ("<string>a<![CDATA[<b>&amp;]]>c</string>", .string("a<b>&amp;c")),
      ("<string>a<!-- b -->c<?d e?>f</string>", .string("acf")),
      ("<string x='>' y=\">\">a</string >", .string("a")),
      ("<integer>0</integer>", .integer(0)), ("<integer> -12 </integer>", .integer(-12)),
      ("<integer>+7</integer>", .integer(7)), ("<integer>0x1F</integer>", .integer(31)),
      ("<integer>-0Xa</integer>", .integer(-10)),
      ("<integer>18446744073709551615</integer>", .integer(Int128(UInt64.max))),
      ("<integer>-9223372036854775808</integer>", .integer(Int128(Int64.min))),
      ("<integer>1<!-- 2 -->3</integer>", .integer(13)), ("<integer>&#49;</integer>", .integer(1)),
      ("<real>0.1</real>", .real(0.1)), ("<real>+1e3</real>", .real(1000)),
      ("<real> -.5 </real>", .real(-0.5)), ("<real>5.</real>", .real(5)),
      ("<real>-0.0</real>", .real(-0.0)), ("<real>nan</real>", .real(.nan)),
      ("<real>+infinity</real>", .real(.infinity)), ("<real>-inf</real>", .real(-.infinity)),
      ("<date>2001-01-01T00:00:00Z</date>", .date(0)),
      ("<date>2000-02-29T23:59:59Z</date>", .date(-26_438_401)),
      ("<date>0000-12-30T00:00:00Z</date>", .date(-63_114_076_800)),
      ("<date>4001-01-01T00:00:00Z</date>", .date(63_113_904_000)),
      ("<date>12345-01-01T00:00:00Z</date>", .date(326_425_075_200)),
      ("<date>-0001-01-01T00:00:00Z</date>", .date(-63_177_062_400)),
      ("<data></data>", .data([])), ("<data/>", .data([])),
      ("<data>\n\tAP8=\n</data>", .data([0, 255])),
      ("<data>AAEC AwQF</data>", .data([0, 1, 2, 3, 4, 5])),
      ("<array/>", .array([])), ("<dict></dict>", .dictionary([])),
      (
        "<array> <true/><!-- --><array><false/></array></array>",
        .array([.boolean(true), .array([.boolean(false)])])
      ),
      (
        "<dict><key>z</key><string>1</string><key>a&amp;</key><dict/></dict>",
        .dictionary([.init("z", .string("1")), .init("a&", .dictionary([]))])
      ),
      ("<dict><key/><true/></dict>", .dictionary([.init("", .boolean(true))])),
      ("<dict><key>CF$UID</key><integer>3</integer></dict>", .uid(3)),
      (
        "<array><dict>\n<key>CF$UID</key> <integer>0x10</integer></dict><true/></array>",
        .array([.uid(16), .boolean(true)])
      ),
      (
        "<dict><key>CF$UID</key><integer>-1</integer></dict>",
        .dictionary([.init("CF$UID", .integer(-1))])
      ),
      (
        "<dict><key>CF$UID</key><string>1</string></dict>",
        .dictionary([.init("CF$UID", .string("1"))])
      ),
    ])
  func elements(text: String, value: PropertyListValue) throws {
    let document = try PropertyListDocument(Array("<plist version=\"1.0\">\(text)</plist>".utf8))
    #expect(document.format == .xml)
    #expect(document.irregularityCount == 0)
    #expect(try document.value() == value)
    #expect(document.rawBytes(of: document.root).elementsEqual(text.utf8))
  }

  @Test("a list that writes UIDs as dictionaries is read as the dictionaries where asked")
  func dictionariesOfUIDs() throws {
    let text = "<plist><dict><key>CF$UID</key><integer>3</integer></dict></plist>"
    var options = PropertyListDocument.Options()
    options.readsUIDDictionaries = false
    let document = try PropertyListDocument(Array(text.utf8), options: options)
    #expect(try document.value() == .dictionary([.init("CF$UID", .integer(3))]))
  }

  @Test(
    "a list can stand in any of its encodings",
    arguments: [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<?xml version='1.0' encoding='utf-8'?>", "",
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://x/?a>b[c]\">",
      "<!-- a --><!DOCTYPE plist SYSTEM 'file://localhost/System/PropertyList.dtd'><?b?>",
      " \n",
    ])
  func encodings(head: String) throws {
    let text = head + "<plist version=\"1.0\"><string>é😀</string></plist>"
    let little = text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    var files = [
      Array(text.utf8), [0xef, 0xbb, 0xbf] + text.utf8, [0xff, 0xfe] + little, [0xfe, 0xff] + big,
    ]
    // Without a mark the first character tells.
    if text.hasPrefix("<") { files += [little, big] }
    for file in files {
      let document = try PropertyListDocument(file)
      #expect(try document.value() == .string("é😀"))
      #expect(document.bytes == file)
    }
  }

  @Test("ISO 8859-1 is read where it is declared, other encodings are refused")
  func declaredEncodings() throws {
    func file(_ encoding: String) -> [UInt8] {
      Array("<?xml version=\"1.0\" encoding=\"\(encoding)\"?><plist><string>".utf8) + [0xe9]
        + "</string></plist>".utf8
    }
    #expect(try PropertyListDocument(file("ISO-8859-1")).value() == .string("é"))
    let unknown = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(file("foobar"))
    }
    #expect(unknown?.code == .unsupportedEncoding)
    let invalid = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(file("UTF-8"))
    }
    #expect(invalid?.code == .invalidText)
    #expect(invalid?.column == 54)
  }

  /// The third member is the column; every text has one line.
  @Test(
    "what is no property list is refused, with its place",
    arguments: [
      ("<plist/>", PropertyListError.Code.missingValue, 1), ("<plist></plist>", .missingValue, 8),
      ("<plist>", .unexpectedEnd, 8), ("<pl", .unrecognizedFormat, 0),
      ("<plist", .unexpectedEnd, 7),
      ("<plist>a</plist>", .unexpectedCharacter, 8), ("<plist><b/></plist>", .unexpectedElement, 8),
      ("<plist><plist/></plist>", .unexpectedElement, 8),
      ("<plist><true/><true/></plist>", .unexpectedElement, 15),
      ("<plist><true/>", .unexpectedEnd, 15), ("<plist></true></plist>", .mismatchedTag, 8),
      ("<plist><true>a</true></plist>", .unexpectedCharacter, 14),
      ("<plist><array></dict></plist>", .mismatchedTag, 15),
      ("<plist><array>", .unexpectedEnd, 15),
      ("<plist><array>a</array></plist>", .unexpectedCharacter, 15),
      ("<plist><dict><true/></dict></plist>", .unexpectedElement, 14),
      ("<plist><dict><key>a</key></dict></plist>", .missingValue, 33),
      ("<plist><dict><key>a</key><key>b</key></dict></plist>", .missingValue, 26),
      ("<plist><array><key>a</key></array></plist>", .missingValue, 15),
      ("<plist><string>a</plist>", .mismatchedTag, 17),
      ("<plist><string>a<b/></string></plist>", .unexpectedElement, 17),
      ("<plist><string>a<true/></string></plist>", .mismatchedTag, 17),
      ("<plist><string>&foo;</string></plist>", .invalidEntity, 16),
      ("<plist><string>é&amp</string></plist>", .invalidEntity, 17),
      ("<plist><string>&#xD800;</string></plist>", .invalidEntity, 16),
      ("<plist><string>&#x110000;</string></plist>", .invalidEntity, 16),
      ("<plist><string>&#;</string></plist>", .invalidEntity, 16),
      ("<plist><string>&#123456789;</string></plist>", .invalidEntity, 16),
      ("<plist><string><![CDATA[a</string></plist>", .unexpectedEnd, 43),
      ("<plist><!-- a</plist>", .unexpectedEnd, 22), ("<plist><?a</plist>", .unexpectedEnd, 19),
      ("<plist><string a=\"></plist>", .unexpectedEnd, 28),
      ("<plist><string a<b></string></plist>", .unexpectedCharacter, 17),
      ("<plist><integer/></plist>", .invalidNumber, 18),
      ("<plist><integer>a</integer></plist>", .invalidNumber, 17),
      ("<plist><integer>1 2</integer></plist>", .invalidNumber, 17),
      ("<plist><integer>0x</integer></plist>", .invalidNumber, 17),
      ("<plist><integer>--1</integer></plist>", .invalidNumber, 17),
      ("<plist><integer>18446744073709551616</integer></plist>", .invalidNumber, 17),
      ("<plist><integer>-9223372036854775809</integer></plist>", .invalidNumber, 17),
      ("<plist><real></real></plist>", .invalidNumber, 14),
      ("<plist><real>helo</real></plist>", .invalidNumber, 14),
      ("<plist><real>0x1p3</real></plist>", .invalidNumber, 14),
      ("<plist><real>+-1</real></plist>", .invalidNumber, 14),
      ("<plist><date>2004Z</date></plist>", .invalidDate, 14),
      ("<plist><date>2010-02-29T00:00:00Z</date></plist>", .invalidDate, 14),
      ("<plist><date>2010-01-01T24:00:00Z</date></plist>", .invalidDate, 14),
      ("<plist><date>2010-01-01T00:00:00.5Z</date></plist>", .invalidDate, 14),
      ("<plist><date>2010-01-01T00:00:00+01:00</date></plist>", .invalidDate, 14),
      ("<plist><data>é</data></plist>", .invalidData, 14),
      (
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
        .documentTypeSubset, 17
      ),
      ("<!DOCTYPE plist []><plist><true/></plist>", .documentTypeSubset, 17),
      ("<!DOCTYPE plist", .unexpectedEnd, 1), ("<?xml version=\"1.0\"?>", .unexpectedEnd, 22),
    ])
  func refusals(text: String, code: PropertyListError.Code, column: Int) {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(Array(text.utf8))
    }
    #expect(error?.code == code)
    #expect((error?.column ?? 0) == column)
  }

  @Test("lines are counted at line feeds, columns in characters")
  func places() {
    let text = "<plist>\r\n<array>\n\t<string>é</string><b/></array></plist>"
    let error = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(Array(text.utf8))
    }
    #expect(error?.line == 3)
    #expect(error?.column == 20)
    #expect(error?.offset == 37)
  }

  @Test(
    "what is irregular is listed with its place, and refused in strict reading",
    arguments: [
      ("<true/>", PropertyListError.Code.missingRoot, 1, PropertyListValue.boolean(true)),
      ("<plist><true/></plist>a", .trailingContent, 23, .boolean(true)),
      ("<!DOCTYPE test \"><plist><true/></plist>", .unexpectedCharacter, 16, .boolean(true)),
      ("<plist><string>a&#0;</string></plist>", .invalidEntity, 17, .string("a\u{0}")),
      ("<plist><data>*AAAA</data></plist>", .invalidData, 14, .data([0, 0, 0])),
      ("<plist><data>AA</data></plist>", .invalidData, 15, .data([0])),
      ("<plist><data>AA==AAA=</data></plist>", .invalidData, 18, .data([0, 0, 0])),
      ("<plist><data>A=</data></plist>", .invalidData, 15, .data([])),
      (
        "<plist><array><!---><!--><true/><!-- --><false/></array></plist>", .ambiguousComment, 15,
        .array([.boolean(true), .boolean(false)])
      ),
      ("<plist><string><!-- a -- b --></string></plist>", .ambiguousComment, 16, .string("")),
      (
        "<plist><dict><key>a</key><true/><key>&#97;</key><false/></dict></plist>", .duplicateKey,
        33,
        .dictionary([.init("a", .boolean(true)), .init("a", .boolean(false))])
      ),
    ])
  func irregularities(
    text: String, code: PropertyListError.Code, column: Int, value: PropertyListValue
  ) throws {
    let document = try PropertyListDocument(Array(text.utf8))
    #expect(document.irregularities.map(\.code) == [code])
    #expect(document.irregularities.first?.column == column)
    #expect(try document.value() == value)
    var options = PropertyListDocument.Options()
    options.isStrict = true
    let error = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(Array(text.utf8), options: options)
    }
    #expect(error?.code == code)
  }

  @Test("a key of two is the last, as Core Foundation has it")
  func lastKey() throws {
    let text = "<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>"
    let document = try PropertyListDocument(Array(text.utf8))
    let node = try #require(document.value(for: "a", in: document.root))
    #expect(document.boolean(of: node) == false)
    #expect(try document.value()["a"] == .boolean(false))
  }

  @Test("irregularities without end are counted, and the first are told")
  func manyIrregularities() throws {
    let data = String(repeating: "<data>*</data>", count: 1000)
    let document = try PropertyListDocument(Array("<plist><array>\(data)</array></plist>".utf8))
    #expect(document.irregularityCount == 1000)
    #expect(document.irregularities.count == 100)
  }

  @Test(
    "text that is no XML is not taken for it",
    arguments: [
      ("", PropertyListDocument.Format?.none), ("bplis", nil), ("<*I5>", .openStep),
      ("<da7a>", .openStep),
    ])
  func formats(text: String, format: PropertyListDocument.Format?) {
    #expect(PropertyListDocument.format(of: Array(text.utf8)) == format)
  }

  @Test("no prefix and no changed byte of a list stops the program")
  func damage() throws {
    let text = """
      <?xml version="1.0"?><!DOCTYPE plist PUBLIC "a" "b"><plist version="1.0"><dict>
      <key>a&lt;</key><array><integer>-1</integer><real>1.5</real><true/><!-- c --></array>
      <key>b</key><data>AAEC</data><key>c</key><date>2001-02-03T04:05:06Z</date>
      <key>d</key><dict><key>CF$UID</key><integer>1</integer></dict>
      <key>e</key><string><![CDATA[&]]>é</string></dict></plist>
      """
    let file = Array(text.utf8)
    _ = try PropertyListDocument(file).value()
    for count in 0..<file.count {
      #expect(throws: PropertyListError.self) { try PropertyListDocument(Array(file[..<count])) }
    }
    for index in file.indices {
      for byte in Array("<>&/\"'!;- \u{0}9".utf8) + [0x80, 0xff] {
        var damaged = file
        damaged[index] = byte
        if let document = try? PropertyListDocument(damaged) {
          _ = try document.value()
        }
      }
    }
  }
}
