// The values that keychain code puts into dictionaries, of Swift and of Foundation.

internal import Foundation
internal import KeychainModel

/// A value of a dictionary, by what a keychain makes of it.
enum GivenValue {
  case text(String)
  case bytes(Data)
  case integer(Int64)
  case real(Float64)
  case boolean(Bool)
  /// Seconds since 2001.
  case date(Float64)
  case null
  /// A reference, an access control, a list, or what no keychain takes.
  case other(Any)

  init(_ value: Any) {
    // A cast is slow where it fails, and these are nearly all that there are.
    let type = type(of: value)
    if type == String.self, let text = value as? String {
      self = .text(text)
    } else if type == Bool.self, let isTrue = value as? Bool {
      self = .boolean(isTrue)
    } else if type == Data.self, let data = value as? Data {
      self = .bytes(data)
    } else {
      self.init(any: value)
    }
  }

  /// Casts look into optionals and into Foundation's objects.
  private init(any value: Any) {
    if let text = value as? String {
      self = .text(text)
    } else if let data = value as? Data {
      self = .bytes(data)
    } else if let number = value as? NSNumber {
      self.init(number)
    } else if let date = value as? Date {
      self = .date(date.timeIntervalSinceReferenceDate)
    } else if let uuid = value as? UUID {
      self = .text(uuid.uuidString)
    } else if value is NSNull {
      self = .null
    } else {
      self = .other(value)
    }
  }

  private init(_ number: NSNumber) {
    switch unsafe UInt8(bitPattern: number.objCType.pointee) {
    // Foundation's booleans have the type of a character, and so have eight-bit numbers, that nobody needs here.
    case UInt8(ascii: "c") where (0...1).contains(number.int8Value):
      self = .boolean(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"):
      self = .real(number.doubleValue)
    default:
      // What is beyond Int64 keeps its size, roughly, and is refused as such.
      self = Int64(exactly: number).map { .integer($0) } ?? .real(number.doubleValue)
    }
  }

  /// As an attribute's value; nil for what is none.
  func attributeValue(of key: AttributeKey) -> AttributeValue? {
    switch self {
    case .text(let text): .text(text)
    case .bytes(let data): key == .accessControl ? nil : .bytes([UInt8](data))
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .boolean(let isTrue): .boolean(isTrue)
    case .date(let seconds): .date(seconds)
    case .null: nil
    case .other(let value):
      if key == .accessControl, let control = value as? SecAccessControl {
        .bytes(control.control.bytes)
      } else {
        nil
      }
    }
  }
}
