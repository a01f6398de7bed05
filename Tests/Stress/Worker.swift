// One thread of the stress test: it owns some items, and knows what they hold; others' it only reads; counters
// are everybody's.

import Foundation
import Security

struct Worker {
  let process: Int
  let thread: Int
  let plan: Plan
  /// What its items hold; a missing name is no item.
  private(set) var held: [String: Value] = [:]
  /// How often it has counted each counter up.
  private(set) var counted: [Int: Int] = [:]
  private(set) var callCount = 0
  private var sequence = 0
  private var random: SystemRandomNumberGenerator

  init(process: Int, thread: Int, plan: Plan) {
    self.process = process
    self.thread = thread
    self.plan = plan
    random = SystemRandomNumberGenerator()
  }

  static func itemName(_ process: Int, _ thread: Int, _ number: Int) -> String {
    "item \(process).\(thread).\(number)"
  }

  mutating func run() throws {
    while Date() < plan.deadline {
      switch Int.random(in: 0..<100, using: &random) {
      case ..<55: try changeOwn()
      case ..<75: try readOwn()
      case ..<97: try readOthers()
      default: try count()
      }
    }
    for number in 0..<Plan.itemsOfThread {
      try readOwn(Self.itemName(process, thread, number))
    }
  }

  private mutating func ownName() -> String {
    Self.itemName(process, thread, Int.random(in: 0..<Plan.itemsOfThread, using: &random))
  }

  private mutating func newValue(_ name: String) -> Value {
    sequence += 1
    // Some values are of several chunks.
    let isLong = Int.random(in: 0..<200, using: &random) == 0
    let count = isLong ? 150_000 : Int.random(in: 0..<400, using: &random)
    return Value(name: name, sequence: sequence, fillerByteCount: count)
  }

  private mutating func changeOwn() throws {
    let name = ownName()
    let value = newValue(name)
    let isThere = held[name] != nil
    callCount += 1
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      try expect(
        Items.add(name, value.data), isThere ? errSecDuplicateItem : errSecSuccess, "add \(name)")
      if !isThere { held[name] = value }
    case 1:
      try expect(
        Items.update(name, value.data), isThere ? errSecSuccess : errSecItemNotFound,
        "update \(name)")
      if isThere { held[name] = value }
    default:
      try expect(
        Items.delete(name), isThere ? errSecSuccess : errSecItemNotFound, "delete \(name)")
      held[name] = nil
    }
  }

  private mutating func readOwn() throws { try readOwn(ownName()) }

  private mutating func readOwn(_ name: String) throws {
    callCount += 1
    let (status, data) = Items.read(name)
    try expect(status, held[name] == nil ? errSecItemNotFound : errSecSuccess, "read \(name)")
    guard data == held[name]?.data else { throw Violation("\(name) holds another value") }
  }

  private mutating func readOthers() throws {
    let name = Self.itemName(
      Int.random(in: 0..<plan.processes, using: &random),
      Int.random(in: 0..<plan.threads, using: &random),
      Int.random(in: 0..<Plan.itemsOfThread, using: &random))
    callCount += 1
    let (status, data) = Items.read(name)
    if status == errSecItemNotFound { return }
    try expect(status, errSecSuccess, "read \(name)")
    guard let data, let value = Value(data), value.name == name else {
      throw Violation("\(name) holds what nobody wrote")
    }
  }

  /// Counts a counter up. SecItemAdd is a lock: of all that add one item, one has success.
  private mutating func count() throws {
    let number = Int.random(in: 0..<Plan.counters, using: &random)
    let lock = "lock \(number)"
    callCount += 1
    let status = Items.add(lock, Data())
    if status == errSecDuplicateItem { return }
    try expect(status, errSecSuccess, "add \(lock)")
    let name = Plan.counterName(number)
    let (found, data) = Items.read(name)
    try expect(found, errSecSuccess, "read \(name)")
    guard let data, let value = Value(data), value.name == name else {
      throw Violation("\(name) holds what nobody wrote")
    }
    let next = Value(name: name, sequence: value.sequence + 1, fillerByteCount: 0)
    try expect(Items.update(name, next.data), errSecSuccess, "update \(name)")
    try expect(Items.delete(lock), errSecSuccess, "delete \(lock)")
    callCount += 3
    counted[number, default: 0] += 1
  }

  private func expect(_ status: OSStatus, _ expected: OSStatus, _ call: String) throws {
    guard status == expected else {
      throw Violation("\(call): status \(status) where \(expected) is right")
    }
  }
}
