// Reports of allow-lists of classes, and of archives in keychains that outlived the names of their classes.

import PropertyListCodec
import Testing

struct SecureCodingReports {
  /// The archive of a dictionary `name` → a mutable string, `tags` → a set of strings in place, `when` → a date.
  private func items(_ allowed: Set<String>?) throws -> KeyedArchive {
    var options = KeyedArchive.Options()
    options.allowedClasses = allowed
    return try archive(
      [
        .object(
          [
            "NS.keys": .array([.uid(2), .uid(3), .uid(4)]),
            "NS.objects": .array([.uid(5), .uid(6), .uid(7)]),
          ], class: 8),
        .string("name"), .string("tags"), .string("when"),
        .object(["NS.string": .string("garden")], class: 9),
        .object(["NS.objects": .array([.uid(10), .uid(11)])], class: 12),
        .object(["NS.time": .real(0)], class: 13),
        .classDescription(["NSMutableDictionary", "NSDictionary", "NSObject"]),
        .classDescription(["NSMutableString", "NSString", "NSObject"]),
        .string("a"), .integer(5),
        .classDescription(["NSSet", "NSObject"]), .classDescription(["NSDate", "NSObject"]),
      ], options: options)
  }

  private func refused(_ allowed: Set<String>) throws -> String? {
    let archive = try items(allowed)
    let error = code { _ = try archive.plainValue() }
    return error
  }

  /// gnustep/libs-base#639, #686, checked there on macOS.
  @Test("B42: an object is allowed when its class is of an allowed kind, whichever it is in")
  func kinds() throws {
    #expect(try refused(["NSDictionary", "NSString", "NSSet", "NSDate"]) == nil)
    // No container, and nothing in one, is allowed by itself.
    for missing in ["NSDictionary", "NSString", "NSSet", "NSDate"] {
      let allowed = Set(["NSDictionary", "NSString", "NSSet", "NSDate"]).subtracting([missing])
      #expect(try refused(allowed) == "classNotAllowed", "\(missing)")
    }
    // A class allows those below it, none above.
    #expect(try refused(["NSMutableDictionary", "NSString", "NSSet", "NSDate"]) == nil)
    #expect(try refused(["NSDictionary", "NSMutableString", "NSSet", "NSDate"]) == nil)
    #expect(
      try refused(["NSDictionary", "NSString", "NSMutableSet", "NSDate"]) == "classNotAllowed")
    // Only the chain counts, not what an archiver suggests.
    var options = KeyedArchive.Options()
    options.allowedClasses = ["NSString"]
    let hinted = try archive(
      [
        .object(["NS.string": .string("x")], class: 2),
        .classDescription(["app.Text", "NSObject"], hints: ["NSString"]),
      ], options: options)
    #expect(code { _ = try hinted.plainValue() } == "classNotAllowed")
  }

  @Test("B42: what is written without a class is allowed, but for containers")
  func leaves() throws {
    var options = KeyedArchive.Options()
    options.allowedClasses = []
    for leaf in [
      PropertyListValue.string("x"), .integer(1), .real(1), .boolean(true), .data([1]), .date(1),
    ] {
      #expect(try archive([leaf], options: options).plainValue() == leaf)
    }
    for (container, name) in [
      (PropertyListValue.array([.string("x")]), "NSArray"),
      (.dictionary([.init("a", .string("x"))]), "NSDictionary"), (.set([]), "NSSet"),
      (.orderedSet([]), "NSOrderedSet"),
    ] {
      let refused = try archive([container], options: options)
      #expect(code { _ = try refused.plainValue() } == "classNotAllowed")
      #expect(try refused.allowing([name]).plainValue() == container)
      #expect(try refused.allowing(["NSObject"]).plainValue() == container)
      #expect(try refused.allowing(nil).plainValue() == container)
    }
    // Nil is no object.
    #expect(try archive([], top: ["root": .uid(0)], options: options).plainValue() == .null)
  }

  @Test("B42: the classes are those of all that is below, unless a part is decoded with others")
  func subtree() throws {
    let archive = try items(["NSDictionary"])
    guard case .dictionary(let pairs) = try archive.value(of: archive.root) else {
      Issue.record("no dictionary")
      return
    }
    #expect(code { _ = try archive.plainValue(of: pairs[0].value) } == "classNotAllowed")
    #expect(code { _ = try archive.value(of: pairs[1].value) } == "classNotAllowed")
    #expect(
      try archive.allowing(["NSString"]).plainValue(of: pairs[0].value) == .string("garden"))
    let tags = archive.allowing(["NSSet"])
    #expect(try tags.plainValue(of: pairs[1].value) == .set([.string("a"), .integer(5)]))
    #expect(code { _ = try tags.plainValue() } == "classNotAllowed")
    // The archive itself is as before.
    #expect(code { _ = try archive.plainValue(of: pairs[0].value) } == "classNotAllowed")
  }

  /// google/GoogleUtilities#153, mixpanel/mixpanel-iphone#985, #973, apple/HomeKitADK#9.
  @Test("B43: strings in sets, all classes by NSObject, sets that are missing, mutable roots")
  func lists() throws {
    // Strings in place need no place in the list, strings with a class do.
    var options = KeyedArchive.Options()
    options.allowedClasses = ["NSSet"]
    func set(_ element: PropertyListValue) throws -> KeyedArchive {
      try archive(
        [
          .object(["NS.objects": .array([.uid(3)])], class: 2),
          .classDescription(["NSMutableSet", "NSSet", "NSObject"]), element,
          .classDescription(["NSMutableString", "NSString", "NSObject"]),
        ], options: options)
    }
    let tagged = try set(.object(["NS.string": .string("x")], class: 4))
    #expect(try set(.string("x")).plainValue() == .set([.string("x")]))
    #expect(code { _ = try tagged.plainValue() } == "classNotAllowed")
    #expect(try tagged.allowing(["NSSet", "NSString"]).plainValue() == .set([.string("x")]))
    // The root of all classes allows all, as in Foundation: whoever names it asks for no check.
    #expect(try tagged.allowing(["NSObject"]).plainValue() == .set([.string("x")]))
    let error = #expect(throws: KeyedArchiveError.self) {
      try tagged.allowing(["NSArray", "NSDictionary", "NSString"]).plainValue()
    }
    #expect(error?.code == .classNotAllowed)
    #expect(error?.path == "root")
    #expect(error?.object == 1)
    #expect(try refused(["NSDictionary", "NSString", "NSSet", "NSDate"]) == nil)
  }

  /// google/GTMAppAuth#199, #204, granoff/Strongbox#17, wireapp/wire-ios-sync-engine#338, signalapp/Signal-iOS#2570.
  @Test("B44: a class of another name is a record, an error where a value has to be, or renamed")
  func renamed() throws {
    let objects: [PropertyListValue] = [
      .object(["NS.objects": .array([.uid(3)])], class: 2),
      .classDescription(["OldModule.List", "NSObject"]),
      .object(["token": .string("t")], class: 4),
      .classDescription(["OldModule.Token", "OldModule.Base", "NSObject"]),
    ]
    let old = try archive(objects)
    guard case .record(let list, _) = try old.value(of: old.root) else {
      Issue.record("no record")
      return
    }
    #expect(list.name == "OldModule.List")
    #expect(code { _ = try old.plainValue() } == "noPlainValue")
    var options = KeyedArchive.Options()
    options.classNames = [
      "OldModule.List": "NSArray", "OldModule.Token": "NewModule.Token",
      "OldModule.Base": "NewModule.Base",
    ]
    // The names of the list of classes are the new ones.
    options.allowedClasses = ["NSArray", "NewModule.Base"]
    let new = try archive(objects, options: options)
    guard case .array(let elements) = try new.value(of: new.root),
      case .record(let token, let fields) = try new.value(of: elements[0])
    else {
      Issue.record("no array of records")
      return
    }
    #expect(token.name == "NewModule.Token")
    #expect(token.chain == ["NewModule.Token", "NewModule.Base", "NSObject"])
    #expect(fields.map(\.name) == ["token"])
    options.allowedClasses = ["NSArray", "OldModule.Token"]
    let refused = try archive(objects, options: options)
    #expect(code { _ = try refused.value(of: elements[0]) } == "classNotAllowed")
  }

  /// TheLevelUp/LUKeychainAccess#26: archiving nil.
  @Test("B45: an archive whose root is $null is nil")
  func null() throws {
    let file = try archive([], top: ["root": .uid(0)]).document.bytes
    var options = KeyedArchive.Options()
    options.isStrict = true
    let archive = try KeyedArchive(PropertyListDocument(file), options: options)
    #expect(archive.root == .null)
    guard case .null = try archive.value(of: archive.root) else {
      Issue.record("not nil")
      return
    }
    #expect(try archive.plainValue() == .null)
    #expect(try shownText(file).contains("root  nil"))
    // The text `$null` as an object of its own is nil, too; as a string of a class it is a text.
    let text = try PropertyListDocument(PropertyListValue.string("$null").keyedArchive())
    #expect(try KeyedArchive(text).plainValue() == .string("$null"))
  }
}
