// Real OpenStep lists, and what made other readers fail.

import ByteCoding
import PropertyListCodec
import Testing

extension Corpus {
  /// Ends in the middle, in zero bytes; GNUstep reads what there is.
  static let brokenOff = "open/dd-plist/test2-ascii-null-char-in-string.plist"
  static let openStep = files(ofKinds: ["openstep"]).filter { $0.name != brokenOff }
}

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct OpenStepCorpusTests {
  @Test("the corpus has its OpenStep lists")
  func inventory() {
    #expect(Corpus.openStep.count == 44)
    #expect(Corpus.files(ofKinds: ["openstep-invalid"]).count == 2)
  }

  @Test("every sound list reads whole, and is the same when written", arguments: Corpus.openStep)
  func sound(file: Corpus.File) throws {
    let bytes = try file.bytes
    #expect(PropertyListDocument.format(of: bytes) == .openStep)
    #expect(PropertyListDocument.format(of: Array(bytes.prefix(65_536))) == .openStep)
    let document = try PropertyListDocument(bytes)
    let value = try document.value()
    #expect(document.bytes == bytes)
    #expect(document.isStringsFile == file.name.hasSuffix(".strings"))
    #expect(
      document.irregularities.allSatisfy { $0.code == .duplicateKey || $0.code == .invalidText })
    var options = OpenStepWritingOptions()
    options.sortsKeys = false
    options.usesTypedValues = true
    options.isStringsFile = document.isStringsFile
    for isASCII in [false, true] {
      options.isASCII = isASCII
      let written = try PropertyListDocument(value.openStep(options))
      #expect(written.isStringsFile == document.isStringsFile)
      #expect(try written.value() == value)
    }
    #expect(try PropertyListDocument(document.binary()).value() == value)
    #expect(try PropertyListValue(json: document.json()) == value)
    let description = try PropertyListDescription(bytes)
    #expect(try !description.text().isEmpty)
  }

  @Test(
    "in every list, each value can be removed and each string replaced", arguments: Corpus.openStep)
  func edited(file: Corpus.File) throws {
    let document = try PropertyListDocument(file.bytes)
    // A selection: each change writes the whole file.
    let containers = (0..<document.nodeCount).map { PropertyListNode(index: $0) }
      .filter { !document.children(of: $0).isEmpty }
    for container in containers.enumerated().filter({ $0.offset % (containers.count / 10 + 1) == 0 }
    ).map(\.element) {
      let isDictionary = document.kind(of: container) == .dictionary
      let count =
        isDictionary ? document.keys(of: container).count : document.children(of: container).count
      for position in [0, count / 2, count - 1] {
        let place = PropertyListDocument.Place(container: container, position: position)
        let removed = try PropertyListDocument(document.bytes(replacing: [:], removing: [place]))
        let binary = try PropertyListDocument(document.binary())
        #expect(removed.nodeCount < document.nodeCount)
        #expect(removed.nodeCount > 0 && binary.nodeCount > 0)
        let value = PropertyListValue.array([.string("new \u{e9}")])
        let changed = try PropertyListDocument(document.bytes(replacing: [:], at: [place: value]))
        let new = try #require(
          changed.node(at: PropertyListDocument.Place(container: container, position: position)))
        #expect(try changed.value(of: new) == value)
      }
    }
  }

  @Test("a list of all escapes is what swift-foundation expects of it")
  func escapes() throws {
    let name = "open/swift-foundation/test_oldStylePlist_getSlashedChars_unicode"
    let document = try PropertyListDocument(Corpus.content(name + ".plist"))
    let expected = try PropertyListDocument(Corpus.content(name + "_expected.plist"))
    #expect(try document.value() == expected.value())
  }

  @Test("GNUstep's typed list and the one of strings are the same where they can be")
  func typed() throws {
    let typed = try PropertyListDocument(Corpus.content("open/dd-plist/test1-ascii-gnustep.plist"))
      .value()
    let plain = try PropertyListDocument(Corpus.content("open/dd-plist/test1-ascii.plist")).value()
    for key in ["keyA", "key&B", "data"] { #expect(typed[key] == plain[key] && typed[key] != nil) }
    #expect(typed["date"] == .date(344_164_890))
    #expect(plain["date"] == .string("2011-11-28T09:21:30Z"))
    #expect(
      typed["array"] == .array([.boolean(true), .boolean(false), .integer(87), .real(3.14159)]))
    #expect(
      plain["array"] == .array([.string("YES"), .string("NO"), .string("87"), .string("3.14159")]))
  }

  @Test("three generations of one project have the same files in them")
  func generations() throws {
    for name in ["PRICE.pbproj", "PRICE.xcode", "PRICE.xcodeproj"] {
      let value = try PropertyListDocument(Corpus.content("open/price.app/\(name).pbxproj")).value()
      #expect(value["archiveVersion"] == .string("1"))
      guard case .string(let root) = value["rootObject"],
        case .dictionary(let objects) = value["objects"]
      else {
        Issue.record("no project")
        continue
      }
      #expect(
        objects.contains { $0.key == .string(root) && $0.value["isa"] == .string("PBXProject") })
    }
  }

  @Test("lists that are no lists are refused at their place")
  func invalid() throws {
    let conflict = try Corpus.content("open/Xcodeproj/ProjectInMergeConflict.xcodeproj.pbxproj")
    let first = #expect(throws: PropertyListError.self) { try PropertyListDocument(conflict) }
    #expect(first?.code == .unexpectedCharacter)
    #expect(first?.line == 10)
    #expect(first?.column == 1)
    let bogus = try Corpus.content("open/pypi-biplist/bogus_file.plist")
    #expect(PropertyListDocument.format(of: bogus) == nil)
    let second = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(bogus, as: .openStep)
    }
    #expect(second?.code == .missingValue)
    #expect(second?.column == 20)
    let third = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(Corpus.content(Corpus.brokenOff))
    }
    #expect(third?.line == 10)
    #expect(third?.column == 10)
  }

  @Test("hostile lists end in a value or a limit")
  func hostile() throws {
    let deep = try Corpus.content("hostile/deep_100k.ostep")
    let error = #expect(throws: PropertyListError.self) { try PropertyListDocument(deep) }
    #expect(error?.code == .nestingTooDeep)
    #expect(error?.column == 513)
    let list = try PropertyListDocument(Corpus.content("hostile/int_alias_first_wins.ostep"))
    #expect(
      try list.value()
        == .dictionary([
          .init("a", .data([0x0a, 0x0b])), .init("b\u{e9}", .string("\u{1f4a9}")),
          .init("c", .string("x\u{c}\u{b}")),
        ]))
  }

  @Test("no file of another kind is taken for an OpenStep list")
  func others() throws {
    for file in Corpus.files where !file.kind.hasPrefix("openstep") {
      let format = PropertyListDocument.format(of: try file.bytes)
      #expect(format != .openStep, "\(file.name), \(file.kind)")
    }
  }
}
