// Foundation opens archives of ours. This target alone imports Foundation, and gives it nothing but what we wrote:
// its unarchiver traps on much else.

import Foundation
import PropertyListCodec
import Testing

struct UnarchiverTests {
  /// A value and what Foundation makes of it.
  struct Example: CustomTestStringConvertible, @unchecked Sendable {
    let value: PropertyListValue
    let object: NSObject

    var testDescription: String { "\(type(of: object))" }

    init(_ value: PropertyListValue, _ object: NSObject) {
      self.value = value
      self.object = object
    }
  }

  private static func array(_ elements: [Any]) -> NSArray { NSArray(array: elements) }

  static let examples: [Example] = [
    Example(.string("beans"), NSString(string: "beans")),
    Example(.string(""), NSString(string: "")),
    Example(.string("größe a😀"), NSString(string: "größe a😀")),
    Example(.integer(0), NSNumber(value: 0)),
    Example(.integer(255), NSNumber(value: 255)),
    Example(.integer(65_536), NSNumber(value: 65_536)),
    Example(.integer(4_294_967_296), NSNumber(value: 4_294_967_296)),
    Example(.integer(-1), NSNumber(value: -1)),
    Example(.integer(Int128(Int64.min)), NSNumber(value: Int64.min)),
    Example(.integer(Int128(Int64.max)), NSNumber(value: Int64.max)),
    Example(.real(-1.5), NSNumber(value: -1.5)),
    Example(.real(1e300), NSNumber(value: 1e300)),
    Example(.boolean(true), NSNumber(value: true)),
    Example(.boolean(false), NSNumber(value: false)),
    Example(.date(700_000_000.5), NSDate(timeIntervalSinceReferenceDate: 700_000_000.5)),
    Example(.data([0, 1, 255]), NSData(data: Data([0, 1, 255]))),
    Example(.data([]), NSData()),
    Example(.array([]), array([])),
    Example(.dictionary([]), NSDictionary()),
    Example(
      .array([.array([.integer(1)]), .string("x"), .string("x")]),
      array([array([NSNumber(value: 1)]), NSString(string: "x"), NSString(string: "x")])),
    Example(
      .dictionary([
        .init("a", .array([.string("b")])), .init("b", .dictionary([.init("c", .date(0))])),
      ]),
      NSDictionary(dictionary: [
        "a": array([NSString(string: "b")]),
        "b": NSDictionary(dictionary: ["c": NSDate(timeIntervalSinceReferenceDate: 0)]),
      ])),
  ]

  @Test("Foundation's unarchiver finds our values", arguments: examples)
  func values(example: Example) throws {
    for mutable in [false, true] {
      var options = KeyedArchive.WritingOptions()
      options.usesMutableClasses = mutable
      let bytes = try example.value.keyedArchive(options: options)
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(bytes))
      unarchiver.requiresSecureCoding = false
      let decoded = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
      #expect(example.object.isEqual(decoded))
      unarchiver.finishDecoding()
    }
  }
}
