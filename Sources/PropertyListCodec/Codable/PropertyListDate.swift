// The two kinds of lists that Swift's standard library has no type for, for programs without Foundation.

/// A date of a property list, as a value to encode and decode.
///
/// In lists it is a date; other coders get the number of seconds, as Foundation's `Date` gives them.
public struct PropertyListDate: Hashable, Codable, Sendable {
  /// Seconds since 2001-01-01T00:00:00Z.
  public var secondsSince2001: Double

  public init(secondsSince2001: Double) { self.secondsSince2001 = secondsSince2001 }

  public init(from decoder: any Decoder) throws {
    secondsSince2001 = try decoder.singleValueContainer().decode(Double.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(secondsSince2001)
  }
}

/// Data of a property list, as a value to encode and decode: `[UInt8]` is an array of integers there.
///
/// In lists it is data; other coders get an array of integers, as Foundation's `Data` gives them.
public struct PropertyListData: Hashable, Codable, Sendable {
  public var bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public init(from decoder: any Decoder) throws { bytes = try [UInt8](from: decoder) }

  public func encode(to encoder: any Encoder) throws { try bytes.encode(to: encoder) }
}

extension PropertyListData: CustomStringConvertible, CustomReflectable {
  /// The number of bytes: data can be secret, and descriptions end up in logs.
  public var description: String { "\(bytes.count) bytes" }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
