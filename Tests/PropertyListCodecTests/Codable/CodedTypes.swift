// Types for the tests of coding: each uses a part of what `Codable` has.

import PropertyListCodec

struct Account: Codable, Equatable {
  enum Kind: String, Codable { case personal, shared }

  var name: String
  var kind: Kind
  var number: Int
  var nickname: String?
  var created: PropertyListDate
  var secret: PropertyListData
  var tags: [String]
  var limits: [String: Double]

  static func example(_ number: Int) -> Account {
    Account(
      name: "account \(number) größe <&>", kind: number % 2 == 0 ? .shared : .personal,
      number: number, nickname: number % 3 == 0 ? "n" : nil,
      created: PropertyListDate(secondsSince2001: Double(number) * 86_400),
      secret: PropertyListData(Array(0..<UInt8(truncatingIfNeeded: number % 50))),
      tags: ["a", "", "b"], limits: ["day": 1.5, "week": 10])
  }
}

/// All integers that Swift has.
struct Integers: Codable, Equatable {
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64

  static let smallest = Integers(
    int: .min, int8: .min, int16: .min, int32: .min, int64: .min, uint: 0, uint8: 0, uint16: 0,
    uint32: 0, uint64: 0)
  static let largest = Integers(
    int: .max, int8: .max, int16: .max, int32: .max, int64: .max, uint: .max, uint8: .max,
    uint16: .max, uint32: .max, uint64: .max)
}

struct Wide: Codable, Equatable {
  var signed: Int128
  var unsigned: UInt128
}

/// Values that the compiler codes as dictionaries of cases.
enum Shape: Codable, Equatable {
  case point
  case circle(radius: Double)
  indirect case group([Shape], name: String?)
}

class Animal: Codable {
  var name: String

  init(name: String) { self.name = name }
}

/// Has a part of its superclass under `super`, and one under a key of its own.
final class Dog: Animal {
  var breed: String

  private enum Key: String, CodingKey { case breed, animal }

  init(name: String, breed: String) {
    self.breed = breed
    super.init(name: name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    breed = try container.decode(String.self, forKey: .breed)
    _ = try Animal(from: container.superDecoder(forKey: .animal))
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try super.encode(to: container.superEncoder())
    try container.encode(breed, forKey: .breed)
    try super.encode(to: container.superEncoder(forKey: .animal))
  }
}

/// Nests containers in its own instead of encoding values.
struct Nested: Codable, Equatable {
  var first: Int
  var second: [String]
  var third: Bool

  enum Key: String, CodingKey { case outer, list, first, third }

  init(first: Int, second: [String], third: Bool) {
    self.first = first
    self.second = second
    self.third = third
  }

  init(from decoder: any Decoder) throws {
    let outer = try decoder.container(keyedBy: Key.self)
    first = try outer.nestedContainer(keyedBy: Key.self, forKey: .outer)
      .decode(Int.self, forKey: .first)
    var list = try outer.nestedUnkeyedContainer(forKey: .list)
    var inner = try list.nestedUnkeyedContainer()
    second = []
    while !inner.isAtEnd { second.append(try inner.decode(String.self)) }
    third = try list.nestedContainer(keyedBy: Key.self).decode(Bool.self, forKey: .third)
    _ = try list.superDecoder().singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: Key.self)
    var list = outer.nestedUnkeyedContainer(forKey: .list)
    var named = outer.nestedContainer(keyedBy: Key.self, forKey: .outer)
    var inner = list.nestedUnkeyedContainer()
    for text in second { try inner.encode(text) }
    var last = list.nestedContainer(keyedBy: Key.self)
    try named.encode(first, forKey: .first)
    try last.encode(third, forKey: .third)
    try first.encode(to: list.superEncoder())
  }
}

/// What a closure does with an encoder.
struct Encoding: Encodable {
  let body: @Sendable (any Encoder) throws -> Void

  init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }

  func encode(to encoder: any Encoder) throws { try body(encoder) }
}

enum Letter: String, CodingKey, CaseIterable { case a, b, c }
