// Reports of crashes, hangs, and damage that nobody was told of.

import PropertyListCodec
import Testing

struct RobustnessReports {
  /// swiftlang/swift#86344: the process ended.
  @Test(
    "B1: bytes that are no list are an error of their own",
    arguments: [
      "YToxOntzOjM6ImtleSI7czo1OiJ2YWx1ZSI7fQ==", #"a:1:{s:3:"key";s:5:"value";}"#, "\0\u{1}",
    ])
  func noList(text: String) {
    #expect(refusal(Array(text.utf8))?.code == .unrecognizedFormat)
    #expect(throws: DescriptionError.self) { try PropertyListDescription(Array(text.utf8)) }
  }

  /// swiftlang/swift-corelibs-foundation#4214, krzysztofzablocki/Sourcery#1466: recursion without end.
  @Test("B2: a parent and its child that refer to each other are shown so")
  func cycle() throws {
    let archive = try archive([
      .object(["children": .uid(2), "name": .string("parent")], class: 5),
      .object(["NS.objects": .array([.uid(3)])], class: 4),
      .object(["parent": .uid(1)], class: 6), .classDescription(["NSArray", "NSObject"]),
      .classDescription(["app.Parent", "NSObject"]), .classDescription(["app.Child", "NSObject"]),
    ])
    guard case .record(_, let fields) = try archive.value(of: archive.root),
      case .array(let children) = try archive.value(of: fields[0].value),
      case .record(let child, let childFields) = try archive.value(of: children[0])
    else {
      Issue.record("other values")
      return
    }
    #expect(child.name == "app.Child")
    #expect(childFields.map(\.value) == [archive.root])
    #expect(try shownText(archive.document.bytes).contains("parent   <cycle to #1>"))
    let lists = try self.archiveOfCycle()
    #expect(code { _ = try lists.plainValue() } == "cycle")
  }

  private func archiveOfCycle() throws -> KeyedArchive {
    try archive([
      .object(["NS.objects": .array([.uid(1)])], class: 2),
      .classDescription(["NSArray", "NSObject"]),
    ])
  }

  /// swiftlang/swift#68296: a segmentation fault.
  @Test("B3: a tree of objects of a program's class is read node by node")
  func tree() throws {
    let count = 400
    var objects: [PropertyListValue] = []
    for number in 1...count {
      func child(_ position: Int) -> PropertyListValue {
        .uid(position <= count ? UInt128(position) : 0)
      }
      objects.append(
        .object(
          [
            "left": child(2 * number), "right": child(2 * number + 1),
            "value": .integer(Int128(number)),
          ], class: UInt128(count + 1)))
    }
    objects.append(.classDescription(["app.Node", "NSObject"]))
    let archive = try archive(objects)
    var open = [archive.root]
    var sum: Int128 = 0
    while let reference = open.popLast() {
      guard case .object = reference else { continue }
      guard case .record(_, let fields) = try archive.value(of: reference),
        case .inline(let value) = fields[2].value
      else {
        Issue.record("no node")
        return
      }
      sum += archive.document.integer(of: value) ?? 0
      open += fields[..<2].map(\.value)
    }
    #expect(sum == Int128(count * (count + 1) / 2))
    let text = try shownText(archive.document.bytes)
    #expect(text.components(of: "app.Node") == count)
  }

  /// swiftlang/swift-corelibs-foundation#5284: a segmentation fault from 1,025 UTF-16 units on.
  @Test("B4: long strings beyond ASCII are written in binary", arguments: [1024, 1025, 70_000])
  func longString(count: Int) throws {
    let text = String(repeating: "ä", count: count)
    let binary = try PropertyListDocument(xmlList("<string>\(text)</string>")).binary()
    #expect(binary[8] == 0x6f)
    #expect(try PropertyListDocument(binary).value() == .string(text))
  }

  /// swiftlang/swift-corelibs-foundation#5452: files of 2.5 times the size.
  @Test("B5: equal strings are one object in a binary list")
  func uniquing() throws {
    let name = "<key>name</key><string>same</string>"
    let entry = "<dict>\(name)<key>kind</key><string>name</string></dict>"
    let elements = String(repeating: entry, count: 1000)
    let list = try PropertyListDocument(xmlList("<array>\(elements)</array>"))
    // The array, 1000 dictionaries, `name`, `kind`, `same`.
    #expect(try PropertyListDocument(list.binary()).nodeCount == 1004)
    #expect(try PropertyListDocument(list.value().binary()).nodeCount == 1004)
  }

  /// swiftlang/swift-foundation#2156: the header was read as an object.
  @Test("B8: an object before the objects is refused", arguments: [0, 1, 7])
  func offsetInHeader(offset: Int) {
    var file = binaryList([bytes(hex: "a1 01"), bytes(hex: "09")])
    #expect(refusal(file) == nil)
    file[file.count - 33] = UInt8(offset)
    #expect(refusal(file)?.code == .invalidOffset)
  }

  /// gnustep/libs-base#649, #640, #626: memory read and written that was not theirs.
  @Test("B11: numbers of archives and typed values lead to nothing that is not there")
  func outOfRange() throws {
    for uid in ["7", "4294967296", "18446744073709551615"] {
      let text = """
        <dict><key>$version</key><integer>100000</integer><key>$archiver</key><string>a</string>
        <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>\(uid)</integer></dict>
        </dict><key>$objects</key><array><string>$null</string></array></dict>
        """
      let archive = try KeyedArchive(PropertyListDocument(xmlList(text)))
      #expect(archive.irregularities.map(\.code) == [.danglingReference])
      #expect(code { _ = try archive.plainValue() } == "danglingReference")
    }
    let digits = "<*I" + String(repeating: "9", count: 1 << 20) + ">"
    #expect(refusal(Array(digits.utf8), as: .openStep)?.code == .invalidNumber)
    let value = try archive(
      of: ["NSConcreteValue", "NSValue", "NSObject"],
      ["$0": .uid(3), "$1": .data([1, 2])], others: [.string("[1000000000000i]")])
    #expect(throws: Never.self) { try value.value(of: value.root) }
    #expect(try shownText(value.document.bytes).contains("[1000000000000i]"))
  }

  /// lionheart/openradar-mirror#18146: both were objects that answer nil to everything.
  @Test("B12: an archive that is none is an error, one of nothing is empty")
  func empty() throws {
    let nothing = try archive([], top: [:])
    #expect(nothing.top.isEmpty && nothing.irregularityCount == 0)
    #expect(try nothing.plainValue() == .dictionary([]))
    let list = try PropertyListDocument(xmlList("<dict/>"))
    #expect(code { _ = try KeyedArchive(list) } == "notAnArchive")
    #expect(refusal(Array("bplist00".utf8)) != nil)
  }

  /// libimobiledevice/libplist#291: reading was guarded, writing and freeing were not.
  @Test("B13: half a million arrays in each other are refused in every format")
  func deep() throws {
    let count = 500_000
    let xml = String(repeating: "<array>", count: count)
    #expect(refusal(xmlList(xml))?.code == .nestingTooDeep)
    let text = String(repeating: "(", count: count)
    #expect(refusal(Array(text.utf8), as: .openStep)?.code == .nestingTooDeep)
    let arrays = (1..<count).map { [0xa1] + bigEndian($0, width: 3) } + [[0xa0]]
    let list = try PropertyListDocument(binaryList(arrays, offsetSize: 3, referenceSize: 3))
    #expect(code { try list.checkTree(list.root) } == "nestingTooDeep")
    #expect(code { _ = try list.value() } == "nestingTooDeep")
    #expect(code { _ = try list.binary() } == "nestingTooDeep")
    #expect(code { _ = try list.xml() } == "nestingTooDeep")
    #expect(code { _ = try list.json() } == "nestingTooDeep")
    #expect(code { _ = try list.openStep() } == "nestingTooDeep")
    #expect(throws: DescriptionError.self) { try PropertyListDescription(list.bytes).text() }
  }

  /// libimobiledevice/libplist#277, #287, #279, #294.
  @Test("B14: lengths are those of the text that is meant, and of bytes that are there")
  func lengths() throws {
    let list = try PropertyListDocument(xmlList("<string>&lt;&amp;&#x1f600;</string>"))
    #expect(list.string(of: list.root) == "<&\u{1f600}")
    #expect(try PropertyListDocument(list.binary()).utf16(of: list.root)?.count == 4)
    let cut = Array("<plist><string>a".utf8) + [0xe2, 0x82] + "</string></plist>".utf8
    #expect(refusal(cut)?.code == .invalidText)
    #expect(refusal(binaryList([bytes(hex: "72 e282")]))?.code == .invalidText)
    #expect(
      refusal(Array("{a=\"".utf8) + [0xe2, 0x82] + Array("\";}".utf8), isStrict: true) != nil)
    for marker in ["4f", "5f", "6f", "7f", "af", "df"] {
      for length in ["12 7fffffff", "12 ffffffff", "13 7fffffffffffffff", "13 ffffffffffffffff"] {
        let file = binaryList([bytes(hex: "\(marker) \(length) 61")])
        #expect(refusal(file)?.code == .invalidLength, "\(marker) \(length)")
      }
    }
  }

  /// python/cpython#119342, 3breadt/dd-plist#72: memory for what a length claims.
  @Test("B15: claimed lengths take no memory", arguments: ["4f", "5f", "6f", "af", "cf", "df"])
  func claims(marker: String) {
    let claimed = binaryList([bytes(hex: "\(marker) 13 4000000000000000 61")])
    #expect(refusal(claimed)?.code == .invalidLength)
    // As many references as a file of 1.7 kB has room for are no more than that.
    let room = [UInt8](repeating: 0, count: 1700)
    let file = binaryList([bytes(hex: "\(marker) 12 10000000") + room], offsetSize: 2)
    #expect(refusal(file)?.code == .invalidLength)
  }

  /// python/cpython#76078: an assortment of exceptions.
  @Test("B16: every malformed list is an error of one type, with a code")
  func oneType() {
    let sound = binaryList([bytes(hex: "a1 01"), bytes(hex: "09")])
    for (place, byte, code) in [
      (sound.count - 26, UInt8(0), PropertyListError.Code.invalidTrailer),
      (sound.count - 25, 0, .invalidTrailer), (sound.count - 33, 0xff, .invalidOffset),
      (sound.count - 17, 9, .invalidTrailer), (sound.count - 9, 5, .invalidTrailer),
      (sound.count - 1, 0xff, .invalidTrailer), (9, 5, .invalidReference),
    ] {
      var file = sound
      file[place] = byte
      #expect(refusal(file)?.code == code, "\(place)")
    }
    #expect(refusal(binaryList([bytes(hex: "a1 00")]), isStrict: true)?.code == .cycle)
  }

  /// citruz/dmgwiz#16, ebarnard/rust-plist#149.
  @Test("B17: what follows the end of a list is irregular", arguments: ["x", "<plist/>", "\0\0\0"])
  func trailing(text: String) throws {
    let bytes = xmlList("<true/>") + Array(text.utf8)
    let list = try PropertyListDocument(bytes)
    #expect(list.irregularities.map(\.code) == [.trailingContent])
    #expect(try list.value() == .boolean(true))
    #expect(refusal(bytes, isStrict: true)?.code == .trailingContent)
  }
}

extension String {
  /// How often `part` is in the text.
  fileprivate func components(of part: String) -> Int {
    var count = 0
    var rest = utf8[...]
    while rest.count >= part.utf8.count {
      if rest.starts(with: part.utf8) { count += 1 }
      rest = rest.dropFirst()
    }
    return count
  }
}
