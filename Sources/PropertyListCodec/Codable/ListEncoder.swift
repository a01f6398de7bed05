// Property lists from Swift types, as Foundation's PropertyListEncoder makes them, without Foundation. The name is not
// Foundation's, so that a program can have both without saying each time which it means.

/// Makes property lists of values of Swift types.
///
/// ```swift
/// struct Account: Encodable { var name: String; var created: PropertyListDate }
/// var encoder = ListEncoder()
/// encoder.format = .xml
/// let bytes = try encoder.encode([Account(name: "a", created: .init(secondsSince2001: 0))])
/// ```
///
/// Spec/keyed-archive.md ("Codable") says what types are in lists, which is what they are for Foundation's encoder.
public struct ListEncoder: Sendable {
  /// How files are written. Typed streams are not.
  public var format = PropertyListDocument.Format.binary
  /// How OpenStep lists are written: numbers, booleans and dates, unless these options allow them, have no place there.
  public var openStepOptions = OpenStepWritingOptions()
  /// What types find in their encoder's `userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// Makes a file of a value that encodes as an array, a dictionary or data.
  ///
  /// Throws `invalidValue` with an empty path for everything, as Foundation's encoder does: for other values, and
  /// with the error behind it for what the type throws and what the format does not have (`PropertyListError`).
  public func encode<Value: Encodable>(_ value: Value) throws(EncodingError) -> [UInt8] {
    do {
      let plain = try plainValue(of: value)
      switch plain {
      case .array, .dictionary, .data: return try file(plain)
      default:
        throw EncodingError.invalidValue(
          value,
          EncodingError.Context(
            codingPath: [], debugDescription: "\(Value.self) is no value for the top of a list"))
      }
    } catch {
      throw .invalidValue(
        value,
        EncodingError.Context(
          codingPath: [], debugDescription: "\(Value.self) cannot be encoded as a property list",
          underlyingError: error))
    }
  }

  /// Makes a plain value of a value, which can be of any kind.
  ///
  /// Throws `invalidValue` for a value that encodes nothing or in two ways, and for containers in each other without
  /// end, with the path; and whatever the type throws.
  public func plainValue<Value: Encodable>(of value: Value) throws -> PropertyListValue {
    let encoding = TreeEncoding(userInfo: userInfo)
    let plain = try TreeEncoder(encoding).whole(value)
    if let error = encoding.deferredError { throw error }
    guard let plain else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: [], debugDescription: "\(Value.self) encodes no value"))
    }
    return plain
  }

  private func file(_ value: PropertyListValue) throws(PropertyListError) -> [UInt8] {
    switch format {
    case .binary: return try value.binary()
    case .xml: return try value.xml()
    case .openStep: return try value.openStep(openStepOptions)
    case .typedStream:
      throw PropertyListError(
        .unsupportedFormat, offset: 0, reason: "typed streams are not written")
    }
  }
}
