// What is wrong with a JSON text, and where. Reasons name the rule and never quote the text: a value in it
// may be a secret.

/// Why a JSON text cannot be read.
public struct JSONError: Error, Hashable, Sendable {
  /// Which rule was broken. More can come; treat an unknown one as malformed text.
  public struct Code: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text stops inside a value, or before one. The family of truncated input.
    public static let unexpectedEnd = Code(rawValue: "unexpectedEnd")
    /// A character that the grammar does not allow there.
    public static let unexpectedCharacter = Code(rawValue: "unexpectedCharacter")
    /// A value of another kind than the one asked for.
    public static let wrongType = Code(rawValue: "wrongType")
    /// Bytes that are not UTF-8 (RFC 3629).
    public static let invalidUTF8 = Code(rawValue: "invalidUTF8")
    /// A backslash with something behind it that is no escape.
    public static let invalidEscape = Code(rawValue: "invalidEscape")
    /// Half of a surrogate pair, which is no character.
    public static let loneSurrogate = Code(rawValue: "loneSurrogate")
    /// A control character in a string, where only its escape may be.
    public static let controlCharacter = Code(rawValue: "controlCharacter")
    /// Digits that are no JSON number: a leading zero, a point without digits.
    public static let invalidNumber = Code(rawValue: "invalidNumber")
    /// Arrays and objects nested deeper than `JSONReader.maximumDepth`. The family of limits.
    public static let nestingTooDeep = Code(rawValue: "nestingTooDeep")
    /// Something other than white space after the value.
    public static let trailingContent = Code(rawValue: "trailingContent")
    /// A key that an object has twice, where it may only once.
    public static let duplicateKey = Code(rawValue: "duplicateKey")
    /// A key that the object needs.
    public static let missingKey = Code(rawValue: "missingKey")
    /// A "version" that is not 1. The family of unsupported input.
    public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
    /// An element longer than the limit given. The family of limits.
    public static let elementTooLong = Code(rawValue: "elementTooLong")
  }

  public let code: Code
  /// The line, from 1. Lines end at a line feed.
  public let line: Int
  /// The column, from 1, in characters (Unicode scalars).
  public let column: Int
  public let reason: String

  public init(_ code: Code, at place: JSONPlace, reason: String) {
    self.code = code
    self.line = place.line
    self.column = place.column
    self.reason = reason
  }
}
