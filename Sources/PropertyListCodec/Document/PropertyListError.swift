// What is wrong with a property list, and where. One type serves binary and text, reading and writing, so
// that callers sort failures once. Reasons name the rule and never quote the list: a value in it may be a
// secret.

internal import ByteCoding

/// Why a property list cannot be read or written, or what is irregular about one that was read.
public struct PropertyListError: Error, Hashable, Sendable {
  /// Which rule was broken. More can come; treat an unknown one as malformed input.
  public struct Code: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    // MARK: The whole

    /// No format of property lists begins so.
    public static let unrecognizedFormat = Code(rawValue: "unrecognizedFormat")
    /// A version of the binary format, or an encoding of text, that this reader does not know. The
    /// family of unsupported input.
    public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
    /// A character encoding that this reader does not know. The family of unsupported input.
    public static let unsupportedEncoding = Code(rawValue: "unsupportedEncoding")
    /// What it is is known, and it is not read. The family of unsupported input.
    public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
    /// The input stops where something has to follow. The family of truncated input.
    public static let unexpectedEnd = Code(rawValue: "unexpectedEnd")
    /// Bytes outside of everything that the list refers to.
    public static let trailingContent = Code(rawValue: "trailingContent")

    // MARK: Binary lists

    /// Sizes or positions in the last 32 bytes that contradict each other or the file.
    public static let invalidTrailer = Code(rawValue: "invalidTrailer")
    /// An object's position outside of the area of objects.
    public static let invalidOffset = Code(rawValue: "invalidOffset")
    /// A reference to an object that the list does not have; in XML, an ID of no element before, or of two.
    public static let invalidReference = Code(rawValue: "invalidReference")
    /// A marker that the format does not define.
    public static let unknownMarker = Code(rawValue: "unknownMarker")
    /// A length that is no integer, or is more than the bytes that remain.
    public static let invalidLength = Code(rawValue: "invalidLength")
    /// Objects that share bytes.
    public static let overlappingObjects = Code(rawValue: "overlappingObjects")

    // MARK: Typed streams

    /// A type of values that is none, or none that typed streams have.
    public static let invalidType = Code(rawValue: "invalidType")
    /// An object without a class, a class without a name, or with more superclasses than can be.
    public static let invalidClass = Code(rawValue: "invalidClass")

    // MARK: Values

    /// Text that is not in its encoding: bytes over 0x7f in ASCII, half a surrogate pair, bytes that
    /// are not UTF-8.
    public static let invalidText = Code(rawValue: "invalidText")
    /// Digits that are no number, or one that does not fit.
    public static let invalidNumber = Code(rawValue: "invalidNumber")
    /// Text that is no date.
    public static let invalidDate = Code(rawValue: "invalidDate")
    /// Text that is no Base64, or in OpenStep's lists no hexadecimal digits.
    public static let invalidData = Code(rawValue: "invalidData")
    /// A key that is not a string.
    public static let nonStringKey = Code(rawValue: "nonStringKey")
    /// A key that a dictionary has twice.
    public static let duplicateKey = Code(rawValue: "duplicateKey")
    /// A key without a value.
    public static let missingValue = Code(rawValue: "missingValue")
    /// A value that the format asked for cannot say.
    public static let notRepresentable = Code(rawValue: "notRepresentable")

    // MARK: Text

    /// A character that the grammar does not allow there.
    public static let unexpectedCharacter = Code(rawValue: "unexpectedCharacter")
    /// An element that property lists do not have, or not there.
    public static let unexpectedElement = Code(rawValue: "unexpectedElement")
    /// An end tag of another element than the one that is open.
    public static let mismatchedTag = Code(rawValue: "mismatchedTag")
    /// An element that stands for another one, by its ID.
    public static let elementReference = Code(rawValue: "elementReference")
    /// An ampersand with something behind it that is neither a predefined entity nor a character.
    public static let invalidEntity = Code(rawValue: "invalidEntity")
    /// A document type with declarations of its own. They are refused, and nothing is ever fetched.
    public static let documentTypeSubset = Code(rawValue: "documentTypeSubset")
    /// A comment that parsers end at different places.
    public static let ambiguousComment = Code(rawValue: "ambiguousComment")
    /// No `plist` element around the value.
    public static let missingRoot = Code(rawValue: "missingRoot")

    // MARK: OpenStep

    /// A value without the semicolon behind it.
    public static let missingSemicolon = Code(rawValue: "missingSemicolon")
    /// A backslash with something behind it that is no character.
    public static let invalidEscape = Code(rawValue: "invalidEscape")

    // MARK: Limits

    /// Containers nested deeper than the limit.
    public static let nestingTooDeep = Code(rawValue: "nestingTooDeep")
    /// More objects or bytes than the limit.
    public static let tooManyObjects = Code(rawValue: "tooManyObjects")
    /// More values than the limit once shared objects are written out at each place.
    public static let tooManyVisits = Code(rawValue: "tooManyVisits")
    /// A container that contains itself.
    public static let cycle = Code(rawValue: "cycle")
  }

  public let code: Code
  /// Where, in bytes from the start of the file; in text that is not UTF-8, of the same text as UTF-8.
  /// Zero when writing.
  public let offset: Int
  /// The line, from 1, in text. Lines end at a line feed.
  public let line: Int?
  /// The column, from 1, in characters (Unicode scalars), in text.
  public let column: Int?
  public let reason: String

  public init(_ code: Code, offset: Int, reason: String) {
    self.code = code
    self.offset = offset
    line = nil
    column = nil
    self.reason = reason
  }

  private init(_ error: PropertyListError, at place: JSONPlace) {
    code = error.code
    offset = error.offset
    line = place.line
    column = place.column
    reason = error.reason
  }

  /// The errors with the lines and columns of their offsets in `text`, which they have in ascending order
  /// (one out of order gets the place of the one before it).
  static func located(_ errors: [PropertyListError], in text: RawSpan) -> [PropertyListError] {
    var place = JSONPlace()
    var reached = 0
    return errors.map { error in
      let end = min(max(error.offset, reached), text.byteCount)
      place.advance(over: text.extracting(reached..<end))
      reached = end
      return PropertyListError(error, at: place)
    }
  }
}
