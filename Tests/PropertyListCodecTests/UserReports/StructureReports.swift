// Reports of lists and archives whose form other libraries did not know.

import PropertyListCodec
import Testing

struct StructureReports {
  /// swiftlang/swift-corelibs-foundation#3748: there is no way to have such a dictionary.
  @Test("B6: a user's dictionary of CF$UID can be read as one, and stays apart from UIDs")
  func userDictionary() throws {
    let file = xmlList("<dict><key>CF$UID</key><integer>1</integer></dict>")
    #expect(try PropertyListDocument(file).value() == .uid(1))
    var options = PropertyListDocument.Options()
    options.readsUIDDictionaries = false
    let dictionary = PropertyListValue.dictionary([.init("CF$UID", .integer(1))])
    let list = try PropertyListDocument(file, options: options)
    #expect(try list.value() == dictionary)
    let binary = try PropertyListDocument(list.binary())
    #expect(try binary.value() == dictionary)
    #expect(try string(binary.json()) == #"{"CF$UID":1}"#)
    #expect(try PropertyListDocument(binary.xml(), options: options).value() == dictionary)
    #expect(try string(PropertyListValue.uid(1).json()) == #"{"$uid":1}"#)
    // Only an integer from 0 on alone makes a UID.
    for other in [
      "<key>CF$UID</key><integer>-1</integer>", "<key>CF$UID</key><string>1</string>",
      "<key>CF$UID</key><integer>1</integer><key>a</key><true/>",
    ] {
      let list = try PropertyListDocument(xmlList("<dict>\(other)</dict>"))
      #expect(list.kind(of: list.root) == .dictionary)
    }
  }

  /// microsoft/WinObjC#649, #1650: Apple's readers refuse the archives.
  @Test("B7: UIDs of XML are UIDs in binary, so that archives stay archives")
  func uidsInBinary() throws {
    let value = PropertyListValue.array([.string("a"), .date(5)])
    let xml = try PropertyListDocument(value.keyedArchive()).xml()
    #expect(string(xml).contains("<key>CF$UID</key>"))
    let binary = try PropertyListDocument(PropertyListDocument(xml).binary())
    #expect(!string(binary.bytes).contains("CF$UID"))
    #expect((0..<binary.nodeCount).contains { binary.kind(of: .init(index: $0)) == .uid })
    #expect(try KeyedArchive(binary).plainValue() == value)
  }

  /// ebarnard/rust-plist#82, DHowett/go-plist#49: kext information in prelinked kernels.
  @Test("B27: an element with IDREF is the one with the ID")
  func references() throws {
    let file = xmlList(
      """
      <dict ID="0"><key>size</key><integer size="32" ID="1">0x10</integer>
      <key>name</key><string ID = '2'>a&amp;b</string><key>all</key>
      <array ID="3"><true ID="4"/><data ID="5">AAE=</data><integer IDREF="1"/></array>
      <key>again</key><array IDREF="3"/><key>flag</key><true IDREF="4"/>
      <key>bytes</key><data IDREF="5"></data><key>title</key><string size="3" IDREF="2"/>
      <key IDREF="2"/><ref IDREF="3"/><key>last</key><reference IDREF="1"/></dict>
      """)
    let list = try PropertyListDocument(file)
    let all = PropertyListValue.array([.boolean(true), .data([0, 1]), .integer(16)])
    let value = PropertyListValue.dictionary([
      .init("size", .integer(16)), .init("name", .string("a&b")), .init("all", all),
      .init("again", all), .init("flag", .boolean(true)), .init("bytes", .data([0, 1])),
      .init("title", .string("a&b")), .init("a&b", all), .init("last", .integer(16)),
    ])
    #expect(try list.value() == value)
    #expect(list.irregularities.allSatisfy { $0.code == .elementReference })
    #expect(list.irregularityCount == 8)
    #expect(list.value(for: "again", in: list.root) == list.value(for: "all", in: list.root))
    #expect(try PropertyListDocument(list.binary()).value() == value)
    #expect(try PropertyListDocument(list.xml(sortsKeys: false)).value() == value)
    #expect(try PropertyListValue(json: list.json()) == value)
    #expect(try shownText(file).contains("again   <shared #"))
    #expect(refusal(file, isStrict: true)?.code == .elementReference)
    // What is there twice in the text is at one place only: a change there would change others.
    #expect(try list.bytes(replacing: [:]) == file)
    let change = code { _ = try list.bytes(replacing: [list.root: .boolean(true)]) }
    #expect(change == "notRepresentable")
  }

  @Test(
    "B27: an ID that leads to no value before is an error with its place",
    arguments: [
      (#"<array><integer IDREF="1"/></array>"#, PropertyListError.Code.invalidReference, 29),
      (
        #"<array><string IDREF="1"/><string ID="1">a</string></array>"#, .invalidReference, 29
      ),
      (#"<array ID="1"><array IDREF="1"/></array>"#, .cycle, 36),
      (#"<array ID="1"><dict><key>a</key><ref IDREF="1"/></dict></array>"#, .cycle, 54),
      (#"<array><true ID="1"/><false IDREF="1"/></array>"#, .invalidReference, 43),
      (#"<array><true ID="1"/><string IDREF="1"/></array>"#, .invalidReference, 43),
      (
        #"<array><string ID="1">a</string><string IDREF="1">b</string></array>"#,
        .unexpectedCharacter, 72
      ),
      (
        #"<array><string ID="1">a</string><array IDREF="1"><true/></array></array>"#,
        .invalidReference, 54
      ),
      (#"<array><array ID="1"/><array IDREF="1"><true/></array></array>"#, .unexpectedElement, 61),
      ("<array><ref/></array>", .unexpectedElement, 29),
      (#"<ref IDREF="1"/>"#, .invalidReference, 22),
    ])
  func noReferences(text: String, code: PropertyListError.Code, column: Int) {
    let error = refusal(xmlList(text))
    #expect(error?.code == code)
    #expect(error?.line == 1)
    #expect(error?.column == column)
  }

  @Test("B27: values that come again stand for as many as there is room for")
  func laughs() throws {
    var text = #"<array><string ID="0">lol</string>"#
    for number in 1...30 {
      let reference = #"<ref IDREF="\#(number - 1)"/>"#
      text += #"<array ID="\#(number)">\#(reference)\#(reference)</array>"#
    }
    let list = try PropertyListDocument(xmlList(text + "</array>"))
    for attempt in [
      { _ = try list.value() }, { _ = try list.xml() }, { _ = try list.binary() },
      { _ = try list.json() }, { _ = try list.openStep() },
    ] as [() throws -> Void] {
      #expect(code(of: attempt) == "tooManyVisits")
    }
    #expect(try !shownText(list.bytes).isEmpty)
    // Texts that are far longer than their values would be read again at each place.
    let long = String(repeating: " ", count: 1000)
    for shared in [
      "<integer ID=\"1\">\(long)1</integer>", "<data ID=\"1\">\(long)</data>",
      "<string ID=\"1\">a<!--\(long)--></string>",
    ] {
      #expect(refusal(xmlList("<array>\(shared)</array>"), isStrict: true) == nil)
      let again = refusal(xmlList("<array>\(shared)<ref IDREF=\"1\"/></array>"))
      #expect(again?.code == .tooManyVisits)
    }
  }

  @Test("B27: an ID of two elements is the last one's, and irregular")
  func sameID() throws {
    let list = try PropertyListDocument(
      xmlList(#"<array><true ID="a"/><false ID="a"/><ref IDREF="a"/></array>"#))
    #expect(try list.value() == .array([.boolean(true), .boolean(false), .boolean(false)]))
    #expect(list.irregularities.map(\.code) == [.invalidReference, .elementReference])
    // A UID's nodes are not apart, so that nothing can stand for one of them.
    let dictionary = #"<dict><key>CF$UID</key><integer ID="a">3</integer></dict>"#
    let uid = try PropertyListDocument(xmlList(#"<array>\#(dictionary)<ref IDREF="a"/></array>"#))
    #expect(
      try uid.value() == .array([.dictionary([.init("CF$UID", .integer(3))]), .integer(3)]))
  }

  /// ebarnard/rust-plist#165: from Xcode 16.4; the file itself is in the corpus.
  @Test("B28: offsets of 24 bits are read")
  func threeBytes() throws {
    let file = binaryList(
      [bytes(hex: "a2 0102"), bytes(hex: "09"), bytes(hex: "08")], offsetSize: 3)
    #expect(try PropertyListDocument(file).value() == .array([.boolean(true), .boolean(false)]))
    guard Corpus.isThere else { return }
    let list = try PropertyListDocument(
      Corpus.content("open/rust-plist/binary_three_byte_integer_offset_table.plist"))
    #expect(list.irregularityCount == 0)
    #expect(try list.checkTree(list.root).visitCount > 1)
  }

  /// ebarnard/rust-plist#20.
  @Test("B29: a binary list can be an empty dictionary")
  func emptyTop() throws {
    let file = binaryList([[0xd0]])
    #expect(try PropertyListDocument(file).value() == .dictionary([]))
    #expect(try PropertyListValue.dictionary([]).binary() == file)
    #expect(try string(PropertyListDocument(file).xml()).contains("<dict/>"))
  }

  /// PList-Net/PList-Net#15: references of 16 bits with a sign.
  @Test("B30: a list has more than 32,768 objects", arguments: [32_768, 40_000, 70_000])
  func manyObjects(count: Int) throws {
    let value = PropertyListValue.array((0..<count).map { .integer(Int128($0)) })
    let list = try PropertyListDocument(value.binary())
    #expect(list.nodeCount == count + 1)
    #expect(try list.value() == value)
  }

  /// joeferner/node-bplist-parser#6, DHowett/go-plist#20: archives that were none afterwards.
  @Test("B31: a UID is no integer, on no way")
  func uids() throws {
    let value = PropertyListValue.array([.uid(1), .integer(1), .uid(300), .uid(1 << 40)])
    let binary = try PropertyListDocument(value.binary())
    #expect(try PropertyListDocument(binary.xml()).value() == value)
    #expect(try PropertyListDocument(PropertyListDocument(binary.xml()).binary()).value() == value)
    #expect(try PropertyListValue(json: binary.json()) == value)
    #expect(binary.integer(of: binary.children(of: binary.root)[0]) == nil)
  }

  /// wader/fq#502: com.apple.networkextension.plist.
  @Test("B32: an archive's top has any keys, and need not have a root")
  func topKeys() throws {
    let names = ["1A2B3C4D-0000-4000-8000-000000000001", "1A2B3C4D-0000-4000-8000-000000000002"]
    let archive = try archive(
      [.string("one"), .string("two")], top: [names[0]: .uid(1), names[1]: .uid(2)])
    #expect(archive.irregularityCount == 0)
    #expect(
      try archive.plainValue()
        == .dictionary([.init(names[0], .string("one")), .init(names[1], .string("two"))]))
    #expect(try shownText(archive.document.bytes).contains(names[1]))
  }

  /// parabolala/bpylist2#1, doronz88/pymobiledevice3#1154: one unknown class, and nothing was left.
  @Test("B33: an unknown class within an error does not take the rest with it")
  func unknownClass() throws {
    let archive = try archive([
      .object(["NSDomain": .uid(3), "NSCode": .integer(42), "NSUserInfo": .uid(4)], class: 2),
      .classDescription(["NSError", "NSObject"]), .string("app.domain"),
      .object(["NS.keys": .array([.uid(6)]), "NS.objects": .array([.uid(7)])], class: 5),
      .classDescription(["NSDictionary", "NSObject"]), .string("cause"),
      .object(["depth": .integer(7)], class: 8), .classDescription(["app.Unknown", "NSObject"]),
    ])
    guard case .described(let error) = try archive.value(of: archive.root) else {
      Issue.record("no error")
      return
    }
    #expect(error.type == "error")
    #expect(error.parts.count == 3)
    let text = try shownText(archive.document.bytes)
    for part in ["app.domain", "42", "cause", "app.Unknown", "depth", "7"] {
      #expect(text.contains(part))
    }
    let refused = #expect(throws: KeyedArchiveError.self) { try archive.plainValue() }
    #expect(refused?.code == .noPlainValue)
    #expect(refused?.path.hasSuffix("cause") == true)
    let data = try self.archiveOfMutableData()
    #expect(try data.plainValue() == .data([1, 2, 3]))
  }

  private func archiveOfMutableData() throws -> KeyedArchive {
    try archive(of: ["NSMutableData", "NSData", "NSObject"], ["NS.data": .data([1, 2, 3])])
  }

  /// strozfriedberg/plistutils#1, whyallyn/unarchive-plist#2, fox-it/dissect.target#1756: programs that knew some classes
  /// and not others.
  @Test("B34: objects of any program's classes are shown with all their fields")
  func anyClass() throws {
    let archive = try archive(
      of: ["InstantMessage", "NSObject"],
      [
        "Sender": .uid(3), "MessageText": .uid(4), "Flags": .integer(5), "Time": .real(1.5),
      ],
      others: [
        .object(["ID": .string("me")], class: 5), .string("hello"),
        .classDescription(["Presentity", "NSObject"]),
      ])
    let text = try shownText(archive.document.bytes)
    for part in [
      "InstantMessage", "Sender", "Presentity", "\"me\"", "\"hello\"", "Flags", "5", "1.5",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    let json = try string(PropertyListDescription(archive.document.bytes).json())
    #expect(json.contains(#""$class":"Presentity""#))
    guard Corpus.isThere else { return }
    let items = try Corpus.content("open/artemis/BackgroundItems-v4.btm")
    #expect(try shownText(items).utf8.count > 1000)
  }

  /// karstenBriksoft/PlistExplorer#10, libimobiledevice/libplist#253, ABridoux/scout#195.
  @Test("B35: data, dates and UIDs are in JSON, and come back from it")
  func json() throws {
    let value = PropertyListValue.dictionary([
      .init("data", .data([0, 255])), .init("date", .date(0)), .init("uid", .uid(7)),
      .init("real", .real32(0.1)), .init("$data", .boolean(true)),
    ])
    #expect(
      try string(value.json())
        == #"{"data":{"$data":"AP8="},"date":{"$date":"2001-01-01T00:00:00Z"},"uid":{"$uid":7},"#
        + #""real":{"$real32":0.1},"$data":true}"#)
    #expect(try PropertyListValue(json: value.json()) == value)
    #expect(
      try string(value.json(.plain))
        == #"{"data":"AP8=","date":"2001-01-01T00:00:00Z","uid":7,"real":0.1,"$data":true}"#)
  }

  /// abrignoni/iLEAPP#1523, tagatac/bagoup#67, dgelessus/python-typedstream#1.
  @Test("B36: a message's attributed text is read from its typed stream, with a URL in it")
  func attributedBody() throws {
    var writer = StreamWriter()
    writer.group("@")
    writer.begin(["NSMutableAttributedString": 0, "NSAttributedString": 0, "NSObject": 0])
    writer.group("@")
    writer.string("see here")
    writer.group("iI", [1, 8])
    writer.group("@")
    writer.begin(["NSDictionary": 0, "NSObject": 0])
    writer.group("i", [1])
    writer.group("@")
    writer.string("__kIMLinkAttributeName")
    writer.group("@")
    writer.begin(["NSURL": 0, "NSObject": 0])
    writer.group("c", [0])
    writer.group("@")
    writer.string("https://example.org/")
    writer.end()
    writer.end()
    writer.end()
    let archive = try KeyedArchive(stream: writer.bytes)
    let value = try archive.plainValue()
    #expect(value["string"] == .string("see here"))
    #expect(
      value["runs"]?[0]?["attributes"]
        == .dictionary([.init("__kIMLinkAttributeName", .url(["https://example.org/"]))]))
    #expect(try shownText(writer.bytes).contains("see here"))
  }
}
