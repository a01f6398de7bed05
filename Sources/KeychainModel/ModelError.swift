// What can be wrong with an item's attributes, read or written.

/// Why attributes could not be decoded or encoded. Holds no attribute's value.
public struct ModelError: Error, Equatable, Sendable {
  /// What is wrong; later versions may add codes.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// A short name, for logs and tests.
    public let description: String

    init(_ description: String) {
      self.description = description
    }

    /// A key or value ends beyond the list: its length is wrong, or the list was cut.
    public static let truncated = Code("truncated")
    /// A key of no byte, or, in an item to be encoded, of more than 255.
    public static let keyLength = Code("key length")
    /// A key that is not above the one before it.
    public static let keyOrder = Code("key order")
    /// A key or text that is no UTF-8.
    public static let invalidUTF8 = Code("invalid UTF-8")
    /// A number, date or boolean whose bytes are not as many as its type has, or a boolean that is
    /// neither 0 nor 1.
    public static let payload = Code("payload")
    /// More than 1024 attributes, the class counted.
    public static let tooManyAttributes = Code("too many attributes")
    /// No `clas` attribute, or one that is no text.
    public static let missingClass = Code("missing class")
    /// A value to be encoded of 4 GiB or more.
    public static let valueLength = Code("value length")
    /// A value to be encoded as of unknown type, but with a known type's number.
    public static let reservedType = Code("reserved type")
  }

  public let code: Code

  /// Where in the encoded list the attribute begins that is wrong; nil when encoding.
  public let offset: Int?

  /// The column of that attribute, as far as it could be read.
  public let attribute: String?

  /// One clause in English that says what is wrong, without any value.
  public let reason: String

  init(_ code: Code, at offset: Int? = nil, attribute: String? = nil, _ reason: String) {
    self.code = code
    self.offset = offset
    self.attribute = attribute
    self.reason = reason
  }
}

extension ModelError: CustomStringConvertible {
  public var description: String {
    var text = "attribute"
    if let attribute { text += " " + attribute }
    if let offset { text += " at \(offset)" }
    return text + ": " + reason
  }
}
