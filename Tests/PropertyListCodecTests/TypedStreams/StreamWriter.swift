// Typed streams by hand, in either byte order: what archivers write and what they never would.

import PropertyListCodec

/// Numbers of several bytes, and the bytes around them.
enum StreamPart: ExpressibleByIntegerLiteral, Sendable {
  case byte(UInt8)
  case number(UInt64, width: Int)

  init(integerLiteral value: UInt8) { self = .byte(value) }

  static func two(_ value: UInt64) -> StreamPart { .number(value, width: 2) }
  static func four(_ value: UInt64) -> StreamPart { .number(value, width: 4) }
  static func eight(_ value: UInt64) -> StreamPart { .number(value, width: 8) }
}

struct StreamWriter {
  let order: TypedStream.ByteOrder
  private(set) var bytes: [UInt8]
  private var strings: [[UInt8]] = []
  private var classes: [String: Int] = [:]
  private(set) var entryCount = 0

  init(_ order: TypedStream.ByteOrder = .little) {
    self.order = order
    bytes = [4, 11] + Array((order == .big ? "typedstream" : "streamtyped").utf8)
    write([0x81, .two(1000)])
  }

  mutating func write(_ parts: [StreamPart]) {
    for part in parts {
      switch part {
      case .byte(let byte): bytes.append(byte)
      case .number(let value, let width):
        let digits = (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        bytes += order == .big ? digits.reversed() : digits
      }
    }
  }

  mutating func integer(_ value: Int) {
    switch value {
    case -110...127: bytes.append(UInt8(bitPattern: Int8(value)))
    case -32_768...32_767:
      write([0x81, .two(UInt64(truncatingIfNeeded: value))])
    default: write([0x82, .four(UInt64(truncatingIfNeeded: value))])
    }
  }

  mutating func text(_ text: String) {
    integer(text.utf8.count)
    bytes += text.utf8
  }

  /// A shared string, new or by its number.
  mutating func shared(_ text: String) {
    if let number = strings.firstIndex(of: Array(text.utf8)) { return reference(number) }
    strings.append(Array(text.utf8))
    bytes.append(0x84)
    self.text(text)
  }

  mutating func reference(_ number: Int) { integer(number - 110) }

  /// A group of values that follow.
  mutating func group(_ type: String, _ values: [StreamPart] = []) {
    shared(type)
    write(values)
  }

  /// A class with its superclasses.
  mutating func archivedClass(_ chain: [(name: String, version: Int)]) {
    for (name, version) in chain {
      if let number = classes[name] { return reference(number) }
      classes[name] = entryCount
      entryCount += 1
      bytes.append(0x84)
      shared(name)
      integer(version)
    }
    bytes.append(0x85)
  }

  /// The beginning of an object; returns its number.
  @discardableResult
  mutating func begin(_ chain: KeyValuePairs<String, Int>) -> Int {
    bytes.append(0x84)
    entryCount += 1
    let number = entryCount - 1
    archivedClass(chain.map { ($0.key, $0.value) })
    return number
  }

  mutating func end() { bytes.append(0x86) }

  mutating func string(_ text: String) {
    begin(["NSString": 1, "NSObject": 0])
    group("+")
    self.text(text)
    end()
  }

  /// A C string that is new.
  mutating func cString(_ text: String) {
    bytes.append(0x84)
    shared(text)
    entryCount += 1
  }
}

extension KeyedArchive {
  init(stream: [UInt8], isStrict: Bool = true) throws {
    var reading = PropertyListDocument.Options()
    reading.isStrict = isStrict
    var options = KeyedArchive.Options()
    options.isStrict = isStrict
    try self.init(PropertyListDocument(stream, options: reading), options: options)
  }
}

extension PropertyListDescription {
  var lines: [String] {
    get throws {
      String(decoding: try text(), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }
}
