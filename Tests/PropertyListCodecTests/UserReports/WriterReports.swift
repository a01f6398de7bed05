// Reports of the order of keys and the form of what is written, and of parsers that read one text as two lists.

import PropertyListCodec
import Testing

struct WriterReports {
  /// lionheart/openradar-mirror#14593, swiftlang/swift-corelibs-foundation#3344, kylekingcdn/music-library-exporter#1.
  @Test("B37: keys are sorted, or keep their order, as the caller wants")
  func order() throws {
    let value = PropertyListValue.dictionary([
      .init("b", .integer(1)), .init("a", .integer(2)), .init("\u{1f600}", .integer(3)),
      .init("\u{fb00}", .integer(4)), .init("B", .integer(5)),
    ])
    func keys(_ file: [UInt8]) throws -> [String?] {
      let list = try PropertyListDocument(file)
      return list.keys(of: list.root).map { list.string(of: $0) }
    }
    let kept = ["b", "a", "\u{1f600}", "\u{fb00}", "B"]
    // By UTF-16 code units: a surrogate pair comes before U+FB00.
    let sorted = ["B", "a", "b", "\u{1f600}", "\u{fb00}"]
    var openStep = OpenStepWritingOptions()
    openStep.usesTypedValues = true
    #expect(try keys(value.xml()) == sorted)
    #expect(try keys(value.openStep(openStep)) == sorted)
    #expect(try keys(value.binary()) == kept)
    #expect(try keys(value.xml(sortsKeys: false)) == kept)
    #expect(try keys(PropertyListDocument(value.binary()).xml(sortsKeys: false)) == kept)
    openStep.sortsKeys = false
    #expect(try keys(value.openStep(openStep)) == kept)
  }

  /// corpnewt/ProperTree#5, ebarnard/rust-plist#66, PList-Net/PList-Net#19: differences without a difference, and Apple's
  /// services that take one form only.
  @Test("B38: XML has the form of Apple's writer, to the character")
  func form() throws {
    let value = PropertyListValue.dictionary([
      .init("data", .data([UInt8](repeating: 0, count: 60))), .init("empty", .data([])),
      .init("no", .boolean(false)), .init("yes", .boolean(true)),
    ])
    #expect(
      try string(value.xml()) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>data</key>
        \t<data>
        \t\(String(repeating: "A", count: 68))
        \t\(String(repeating: "A", count: 12))
        \t</data>
        \t<key>empty</key>
        \t<data>
        \t</data>
        \t<key>no</key>
        \t<false/>
        \t<key>yes</key>
        \t<true/>
        </dict>
        </plist>

        """)
    // Data on one line is read as the same, and stays on it when something else changes.
    let file = xmlList("<dict><key>a</key><data>AAAA</data><key>b</key><true /></dict>")
    let list = try PropertyListDocument(file)
    let other = try #require(list.value(for: "b", in: list.root))
    let changed = try string(list.bytes(replacing: [other: .boolean(false)]))
    #expect(changed.contains("<data>AAAA</data><key>b</key><false/></dict>"))
  }

  /// briandfoy/mac-propertylist#35, wollardj/simple-plist#12.
  @Test("B39: ampersands are escaped, and an empty string is a value")
  func escapes() throws {
    let text = PropertyListValue.dictionary([.init("a&b", .string("<&>\"'"))])
    #expect(
      try string(text.xml()).contains("<key>a&amp;b</key>\n\t<string>&lt;&amp;&gt;\"'</string>"))
    #expect(try PropertyListDocument(text.xml()).value() == text)
    let elements = "<key>a</key><string></string><key></key><string/><key>c</key><string>x</string>"
    #expect(
      try PropertyListDocument(xmlList("<dict>\(elements)</dict>")).value()
        == .dictionary([
          .init("a", .string("")), .init("", .string("")), .init("c", .string("x")),
        ]))
  }

  /// libimobiledevice/libplist#83, ebarnard/rust-plist#118: nine parsers of Apple's, and nine lists.
  @Test(
    "B40: what Apple's parsers read differently is irregular, and refused in strict reading",
    arguments: [
      (
        "<dict><key>a</key><!---><!--><true/><!-- --></dict>",
        PropertyListError.Code.ambiguousComment
      ),
      ("<dict><key>a</key><true/><!--><true/><!-- --></dict>", .ambiguousComment),
      ("<array><!-- a -- b --><true/></array>", .ambiguousComment),
      ("<dict><key>a</key><true/><key>a</key><false/></dict>", .duplicateKey),
      ("<data>AAE=AA==</data>", .invalidData), ("<data>A*AE=</data>", .invalidData),
      ("<string>a&#0;b</string>", .invalidEntity),
      (
        "<array><true ID='1'/><ref IDREF='1'/></array>",
        .elementReference
      ),
    ])
  func differences(elements: String, code: PropertyListError.Code) throws {
    let file = xmlList(elements)
    #expect(try PropertyListDocument(file).irregularities.map(\.code).contains(code))
    #expect(refusal(file, isStrict: true)?.code == code)
  }

  /// ebarnard/rust-plist#118: what some of the parsers pass over.
  @Test(
    "B40: what no parser can agree on is an error",
    arguments: [
      "<dict><true/><key>a</key></dict>", "<string>a</key>", "<string>a<b/></string>", "<true/>x",
      "<array>x</array>", "<integer>1 2</integer>", "<integer></integer>", "<true>x</true>",
      "<string>&foo;</string>", "<string>&amp</string>", "<TRUE/>", "<plist/>",
    ])
  func errors(elements: String) {
    #expect(refusal(xmlList(elements)) != nil)
  }
}
