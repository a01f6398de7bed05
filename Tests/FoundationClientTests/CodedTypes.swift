// Types that Foundation's coders and ours are compared with.

import Foundation
import PropertyListCodec

struct Person: Codable, Equatable {
  enum Role: Int, Codable {
    case guest = 1
    case owner
  }

  var name: String
  var role: Role
  var born: Date
  var photo: Data
  var home: URL?
  var identifier: UUID
  var balance: Decimal
  var friends: [String: [Int?]]
  var rooms: [Int: String]

  static func example(_ number: Int) -> Person {
    Person(
      name: "größe \(number) <&>", role: number % 2 == 0 ? .guest : .owner,
      born: Date(timeIntervalSinceReferenceDate: Double(number) * 1000.0),
      photo: Data((0..<number % 100).map { UInt8($0) }),
      home: number % 3 == 0 ? nil : URL(string: "http://example.com/\(number)?a=b#c"),
      identifier: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
      balance: Decimal(string: "-1234.5678") ?? 0,
      friends: ["b": [1, nil], "a": []], rooms: [number: "x"])
  }
}

struct Numbers: Codable, Equatable {
  var int8 = Int8.min
  var int16 = Int16.min
  var int32 = Int32.min
  var int64 = Int64.min
  var int = Int.max
  var uint8 = UInt8.max
  var uint16 = UInt16.max
  var uint32 = UInt32.max
  var uint64 = UInt64.max
  var uint = UInt(0)
  var float = Float(0.1)
  var double = 0.1
  var large = 1e300
  var infinite = -Double.infinity
  var boolean = true
}

class Vehicle: Codable {
  var wheels: Int
  init(wheels: Int) { self.wheels = wheels }
}

final class Truck: Vehicle {
  var load: Double
  private enum Key: CodingKey { case load, vehicle }

  init(wheels: Int, load: Double) {
    self.load = load
    super.init(wheels: wheels)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    load = try container.decode(Double.self, forKey: .load)
    try super.init(from: container.superDecoder())
    wheels += try Vehicle(from: container.superDecoder(forKey: .vehicle)).wheels
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try super.encode(to: container.superEncoder())
    try super.encode(to: container.superEncoder(forKey: .vehicle))
    try container.encode(load, forKey: .load)
  }
}

/// A truck by its values.
struct TruckValue: Codable, Equatable {
  var wheels: Int
  var load: Double

  init(wheels: Int, load: Double) {
    self.wheels = wheels
    self.load = load
  }

  init(from decoder: any Decoder) throws {
    let truck = try Truck(from: decoder)
    // Each part has its own.
    self.init(wheels: truck.wheels / 2, load: truck.load)
  }

  func encode(to encoder: any Encoder) throws {
    try Truck(wheels: wheels, load: load).encode(to: encoder)
  }
}

enum Shape: Codable, Equatable {
  case point
  case circle(radius: Double)
  indirect case group([Shape], name: String?)
}

enum Letter: String, CodingKey { case a, b }

/// What a closure does with a decoder.
protocol Reading: Decodable { init(reading decoder: any Decoder) throws }
extension Reading {
  init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
}

struct NestedKeyed: Reading {
  init(reading decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: Letter.self)
      .nestedContainer(keyedBy: Letter.self, forKey: .a)
  }
}
struct NestedUnkeyed: Reading {
  init(reading decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: Letter.self).nestedUnkeyedContainer(forKey: .a)
  }
}
struct NilForKey: Reading {
  init(reading decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: Letter.self).decodeNil(forKey: .a)
  }
}
struct SuperNumber: Reading {
  init(reading decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: Letter.self).superDecoder().singleValueContainer()
      .decode(Int.self)
  }
}
struct SuperContainer: Reading {
  init(reading decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: Letter.self).superDecoder(forKey: .a)
      .container(keyedBy: Letter.self)
  }
}
struct TwoElements: Reading {
  init(reading decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    _ = try container.decode(Int.self)
    _ = try container.decode(Int.self)
  }
}
struct NilElement: Reading {
  init(reading decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    _ = try container.decodeNil()
  }
}
struct KeyedElement: Reading {
  init(reading decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    _ = try container.nestedContainer(keyedBy: Letter.self)
  }
}
struct UnkeyedElement: Reading {
  init(reading decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    _ = try container.nestedUnkeyedContainer()
  }
}
struct SuperElement: Reading {
  init(reading decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    _ = try container.superDecoder()
  }
}
