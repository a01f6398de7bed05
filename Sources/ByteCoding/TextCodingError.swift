// What the decoders of bytes written as text (Base64, hexadecimal) report. It names the place and the
// rule, never the characters: the text is often a secret value.

/// Text that does not follow its encoding.
package struct TextCodingError: Error, Hashable, Sendable {
  /// Which rule was broken. More can come; treat an unknown one as malformed text.
  package struct Code: Hashable, Sendable, RawRepresentable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The number of characters is not one that the encoding produces.
    package static let invalidLength = Code(rawValue: "invalidLength")
    /// A character outside the alphabet, or padding before the end.
    package static let invalidCharacter = Code(rawValue: "invalidCharacter")
    /// The unused bits before the padding are not zero (RFC 4648 section 3.5).
    package static let nonzeroTrailingBits = Code(rawValue: "nonzeroTrailingBits")
    /// The decoded bytes do not fit in the room that the caller gave.
    package static let insufficientRoom = Code(rawValue: "insufficientRoom")
  }

  package let code: Code
  /// Byte offset in the text of the character at fault.
  package let offset: Int
  package let reason: String

  package init(_ code: Code, offset: Int, reason: String) {
    self.code = code
    self.offset = offset
    self.reason = reason
  }
}
