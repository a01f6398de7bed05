// The frame of archives: top keys, nil, references, cycles, limits, the rule of secure coding.

import PropertyListCodec
import Testing

struct ArchiveFrameTests {
  private func code(_ body: () throws -> Void) -> KeyedArchiveError.Code? {
    #expect(throws: KeyedArchiveError.self, performing: body)?.code
  }

  @Test("a list without objects or top is no archive")
  func notAnArchive() throws {
    for list: PropertyListValue in [
      .dictionary([.init("$objects", .array([]))]), .array([]),
      .dictionary([.init("$objects", .dictionary([])), .init("$top", .dictionary([]))]),
    ] {
      let document = try PropertyListDocument(list.binary())
      #expect(!KeyedArchive.isArchive(document))
      #expect(code { _ = try KeyedArchive(document) } == .notAnArchive)
    }
  }

  @Test("the frame's odd values are irregular, and errors in strict reading")
  func irregularFrame() throws {
    let list = PropertyListValue.dictionary([
      .init("$version", .integer(1)), .init("$top", .dictionary([])),
      .init("$objects", .array([.string("first")])),
    ])
    let document = try PropertyListDocument(list.binary())
    let archive = try KeyedArchive(document)
    #expect(
      archive.irregularities.map(\.code) == [
        .unsupportedVersion, .unsupportedVersion, .missingNull,
      ]
    )
    var options = KeyedArchive.Options()
    options.isStrict = true
    #expect(code { _ = try KeyedArchive(document, options: options) } == .unsupportedVersion)
  }

  @Test("a root that is nil is nil")
  func nilRoot() throws {
    let archive = try archive([], top: ["root": .uid(0)])
    #expect(archive.root == .null)
    #expect(try archive.plainValue() == .null)
    #expect(archive.irregularityCount == 0)
  }

  @Test("several top keys are a dictionary, with names as they were given")
  func topKeys() throws {
    let archive = try archive(
      [.string("a"), .integer(2)], top: ["$0": .uid(1), "$$cash": .uid(2), "state": .integer(3)])
    #expect(archive.top.map(\.name) == ["$0", "$cash", "state"])
    #expect(
      try archive.plainValue()
        == .dictionary([
          .init("$0", .string("a")), .init("$cash", .integer(2)), .init("state", .integer(3)),
        ]))
  }

  @Test("a reference that leads nowhere is irregular, and an error where it is followed")
  func dangling() throws {
    let archive = try archive([
      .object(["NS.objects": .array([.uid(4), .uid(9)])], class: 2),
      .classDescription(["NSArray", "NSObject"]), .null, .string("x"),
    ])
    #expect(archive.irregularities.map(\.code) == [.danglingReference])
    guard case .array(let elements) = try archive.value(of: archive.root) else {
      Issue.record("no array")
      return
    }
    #expect(code { _ = try archive.value(of: elements[1]) } == .danglingReference)
    let error = #expect(throws: KeyedArchiveError.self) { try archive.plainValue() }
    #expect(error?.path == "root[1]")
  }

  @Test("a class that is none leaves the object a dictionary")
  func invalidClass() throws {
    let archive = try archive([.object(["a": .integer(1)], class: 2), .string("NSArray")])
    #expect(archive.irregularities.map(\.code) == [.invalidClass])
    #expect(archive.archivedClass(of: .init(number: 1)) == nil)
    guard case .dictionary(let pairs) = try archive.value(of: archive.root) else {
      Issue.record("no dictionary")
      return
    }
    #expect(pairs.count == 2)
  }

  @Test("objects that contain themselves are shown, and have no plain value")
  func cycle() throws {
    let archive = try archive([
      .object(["NS.objects": .array([.uid(1)])], class: 2),
      .classDescription(["NSArray", "NSObject"]),
    ])
    guard case .array(let elements) = try archive.value(of: archive.root) else {
      Issue.record("no array")
      return
    }
    #expect(elements == [archive.root])
    #expect(code { _ = try archive.plainValue() } == .cycle)
  }

  @Test("shared objects that stand for a thousand million values are refused")
  func laughs() throws {
    var objects: [PropertyListValue] = []
    for number in 1...30 {
      let next = UInt128(number + 1)
      objects.append(.object(["NS.objects": .array([.uid(next), .uid(next)])], class: 32))
    }
    objects.append(.string("end"))
    objects.append(.classDescription(["NSArray", "NSObject"]))
    let archive = try archive(objects)
    #expect(code { _ = try archive.plainValue() } == .tooManyVisits)
  }

  @Test("objects that share a long text are refused before they fill the memory")
  func sharedTexts() throws {
    // In a binary list, equal strings are one object, in place in all of these.
    let text = PropertyListValue.string(String(repeating: "x", count: 1 << 20))
    let count = 2000
    var objects: [PropertyListValue] = [
      .object(["NS.objects": .array((0..<count).map { .uid(UInt128($0 + 4)) })], class: 2),
      .classDescription(["NSArray", "NSObject"]), .classDescription(["NSString", "NSObject"]),
    ]
    for _ in 0..<count { objects.append(.object(["NS.string": text], class: 3)) }
    let archive = try archive(objects)
    #expect(code { _ = try archive.plainValue() } == .tooManyVisits)
  }

  @Test("a class has at most 64 superclasses")
  func longChain() throws {
    let chain = (0..<100).map { "Class\($0)" }
    let archive = try archive([.object([:], class: 2), .classDescription(chain)])
    #expect(archive.irregularities.map(\.code) == [.invalidClass])
    #expect(archive.archivedClass(of: .init(number: 1))?.chain.count == 64)
  }

  @Test("nesting has a limit", arguments: [511, 512, 513, 2000])
  func depth(count: Int) throws {
    var objects: [PropertyListValue] = []
    for number in 1...count {
      let elements: [PropertyListValue] = number < count ? [.uid(UInt128(number + 1))] : []
      objects.append(
        .object(["NS.objects": .array(elements)], class: UInt128(count + 1)))
    }
    objects.append(.classDescription(["NSArray", "NSObject"]))
    let archive = try archive(objects)
    if count <= 512 {
      #expect(throws: Never.self) { try archive.plainValue() }
    } else {
      #expect(code { _ = try archive.plainValue() } == .nestingTooDeep)
    }
  }

  @Test("classes that are not allowed are refused, those without a class never")
  func allowedClasses() throws {
    let objects: [PropertyListValue] = [
      .object(["NS.objects": .array([.uid(3)])], class: 2),
      .classDescription(["NSMutableArray", "NSArray", "NSObject"]), .string("x"),
    ]
    var options = KeyedArchive.Options()
    options.allowedClasses = ["NSArray"]
    #expect(try archive(objects, options: options).plainValue() == .array([.string("x")]))
    options.allowedClasses = ["NSString"]
    let refused = try archive(objects, options: options)
    #expect(code { _ = try refused.plainValue() } == .classNotAllowed)
    // U+212A is canonically equivalent to K, and another name.
    options.allowedClasses = ["\u{212a}lass"]
    let other = try archive(
      [.object([:], class: 2), .classDescription(["Klass", "NSObject"])], options: options)
    #expect(code { _ = try other.value(of: other.root) } == .classNotAllowed)
  }

  @Test("classes can be renamed")
  func classNames() throws {
    var options = KeyedArchive.Options()
    options.classNames = ["Old.List": "NSArray"]
    let archive = try archive(
      [
        .object(["NS.objects": .array([])], class: 2), .classDescription(["Old.List", "NSObject"]),
      ],
      options: options)
    #expect(archive.archivedClass(of: .init(number: 1))?.name == "NSArray")
    #expect(try archive.plainValue() == .array([]))
  }

  @Test("archives do not describe what is in them")
  func descriptions() throws {
    let archive = try archive([.string("secret")])
    #expect(!"\(archive)".contains("secret"))
    #expect(!String(reflecting: archive).contains("secret"))
  }
}
