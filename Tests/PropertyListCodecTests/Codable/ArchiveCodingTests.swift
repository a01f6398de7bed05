// Values of Swift types in keyed archives.

import PropertyListCodec
import Testing

struct ArchiveCodingTests {
  private func archive(_ bytes: [UInt8]) throws -> KeyedArchive {
    try KeyedArchive(PropertyListDocument(bytes))
  }

  @Test("an archive has the value's tree, in mutable collections, under its key")
  func objects() throws {
    let archive = try archive(
      KeyedArchive.encode(["a": [String?.some("x"), nil]], forKey: "state"))
    #expect(archive.top.map(\.name) == ["state"])
    guard case .object(let object)? = archive.top.first?.value else {
      Issue.record("no object")
      return
    }
    #expect(archive.archivedClass(of: object)?.name == "NSMutableDictionary")
    #expect(
      try archive.plainValue(of: .object(object))
        == .dictionary([.init("a", .array([.string("x"), .string("$null")]))]))
    #expect(archive.irregularityCount == 0)
    #expect(try archive.decode([String: [String?]].self, forKey: "state") == ["a": ["x", nil]])
  }

  @Test("the archive is the one of the plain value", arguments: [false, true])
  func bytes(isMutable: Bool) throws {
    var options = KeyedArchive.WritingOptions()
    options.usesMutableClasses = isMutable
    let value = [Account.example(1)]
    let plain = try ListEncoder().plainValue(of: value)
    #expect(
      try KeyedArchive.encode(value, forKey: "root", options: options)
        == plain.keyedArchive(options: options))
  }

  @Test("values of any kind stand alone in an archive, under keys of any name")
  func fragments() throws {
    #expect(try archive(KeyedArchive.encode(5, forKey: "n")).decode(Int.self, forKey: "n") == 5)
    let date = PropertyListDate(secondsSince2001: 0.25)
    let dated = try archive(KeyedArchive.encode(date, forKey: "$d"))
    #expect(try dated.decode(PropertyListDate.self, forKey: "$d") == date)
    #expect(try dated.decode(PropertyListDate.self, forKey: "d") == nil)
    #expect(
      try archive(KeyedArchive.encode(Int?.none, forKey: "")).decode(
        Int?.self, forKey: "") == .some(nil))
  }

  @Test("nil under a key is no value; an object without a plain value is an error")
  func others() throws {
    let null = try archive(PropertyListValue.null.keyedArchive())
    #expect(try null.decode(Int.self, forKey: "root") == nil)
    let number = try archive(PropertyListValue.string("x").keyedArchive())
    #expect(throws: DecodingError.self) { try number.decode(Int.self, forKey: "root") }
    #expect(throws: KeyedArchiveError.self) {
      try KeyedArchive.encode([Int128.max], forKey: "root")
    }
  }
}
