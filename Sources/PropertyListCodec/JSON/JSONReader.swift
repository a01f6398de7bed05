// Reads one JSON text (RFC 8259) value by value, without building a tree: property lists and keychain
// items come from here, and a hundred thousand of them must take a tenth of a second.
//
// The reader is strict, because what it lets through ends up in an archive: UTF-8 is validated, lone
// surrogates, control characters, comments, trailing commas and leading zeros are refused. It does not
// judge repeated keys; the caller knows which keys matter.

internal import ByteCoding

/// A pull parser over the bytes of one JSON text.
///
/// Call `peek` to learn what comes, then the function that reads it:
/// ```
/// try reader.beginObject()
/// while let key = try reader.nextKey() {
///   if reader.equals(key, "name") { name = reader.string(try reader.readString()) }
///   else { try reader.skipValue() }
/// }
/// try reader.finish()
/// ```
/// Calls that do not follow the text's structure throw `JSONError`; they never trap.
public struct JSONReader: ~Escapable {
  /// How deep arrays and objects can be nested.
  public static let maximumDepth = 512

  /// What kind of value comes next.
  public enum Kind: CaseIterable, Hashable, Sendable {
    case object, array, string, number, boolean, null
  }

  let input: RawSpan
  private let start: JSONPlace
  private let startOffset: Int

  /// Where reading goes on, in bytes from the start of the text.
  public internal(set) var offset: Int
  private(set) var depth = 0
  /// How deep this reader lets arrays and objects be nested. Only `readPropertyList` sets it higher than the
  /// maximum, for the time of a value that it reads without `skipValue`.
  var depthLimit = Self.maximumDepth
  /// Whether the innermost object or array has had no member yet.
  private var isFirst = true

  /// A reader of `text`, a whole text, which may begin with a byte order mark.
  @_lifetime(copy text)
  public init(_ text: RawSpan) {
    let hasMark = text.byteCount >= 3 && text.equals([0xef, 0xbb, 0xbf], at: 0)
    input = text
    start = JSONPlace()
    startOffset = hasMark ? 3 : 0
    offset = startOffset
  }

  /// A reader of `element`, a text within a larger one, where it starts at `place`.
  @_lifetime(copy element)
  public init(_ element: RawSpan, at place: JSONPlace) {
    input = element
    start = place
    startOffset = 0
    offset = 0
  }

  // MARK: Structure

  /// The kind of the value that comes next. It is not read yet.
  public mutating func peek() throws(JSONError) -> Kind {
    skipWhiteSpace()
    switch byte {
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    default: throw unexpected("expected a value")
    }
  }

  /// Reads `{`. Its members come from `nextKey`.
  public mutating func beginObject() throws(JSONError) {
    try begin(UInt8(ascii: "{"), "expected an object")
  }

  /// Reads `[`. `nextElement` says whether there is an element.
  public mutating func beginArray() throws(JSONError) {
    try begin(UInt8(ascii: "["), "expected an array")
  }

  /// The next key of the object, its colon read too, so that its value comes next. Nil at the object's
  /// end, which is then read.
  public mutating func nextKey() throws(JSONError) -> JSONString? {
    skipWhiteSpace()
    if byte == UInt8(ascii: "}"), depth > 0 {
      end()
      return nil
    }
    if !isFirst {
      guard byte == UInt8(ascii: ",") else { throw unexpected("expected ',' or '}'") }
      offset &+= 1
      skipWhiteSpace()
    }
    guard byte == UInt8(ascii: "\"") else {
      throw unexpected(isFirst ? "expected a key or '}'" : "expected a key")
    }
    let key = try scanString()
    skipWhiteSpace()
    guard byte == UInt8(ascii: ":") else { throw unexpected("expected ':'") }
    offset &+= 1
    isFirst = false
    return key
  }

  /// Whether the array has another element, which then comes next. At the array's end, which is then
  /// read, false.
  public mutating func nextElement() throws(JSONError) -> Bool {
    skipWhiteSpace()
    if byte == UInt8(ascii: "]"), depth > 0 {
      end()
      return false
    }
    if isFirst {
      isFirst = false
      return true
    }
    guard byte == UInt8(ascii: ",") else { throw unexpected("expected ',' or ']'") }
    offset &+= 1
    return true
  }

  /// Makes sure that only white space follows.
  public mutating func finish() throws(JSONError) {
    skipWhiteSpace()
    guard offset == input.byteCount else {
      throw error(.trailingContent, at: offset, "unexpected text after the value")
    }
    guard depth == 0 else { throw unexpected("the text ends inside an array or object") }
  }

  /// Reads and validates the next value, whatever it is, and drops it.
  public mutating func skipValue() throws(JSONError) {
    let outerDepth = depth
    // One bit for each depth: whether it is an object. 512 of them.
    var isObject = InlineArray<8, UInt64>(repeating: 0)
    while true {
      switch try peek() {
      case .object:
        try beginObject()
        isObject[(depth - 1) >> 6] |= 1 << UInt64((depth - 1) & 63)
      case .array:
        try beginArray()
        isObject[(depth - 1) >> 6] &= ~(1 << UInt64((depth - 1) & 63))
      case .string: _ = try scanString()
      case .number: _ = try readNumber()
      case .boolean: _ = try readBoolean()
      case .null: try readNull()
      }
      var hasNext = false
      while !hasNext {
        if depth == outerDepth { return }
        if isObject[(depth - 1) >> 6] >> UInt64((depth - 1) & 63) & 1 == 1 {
          hasNext = try nextKey() != nil
        } else {
          hasNext = try nextElement()
        }
      }
    }
  }

  // MARK: Literals

  /// Reads `true` or `false`.
  public mutating func readBoolean() throws(JSONError) -> Bool {
    skipWhiteSpace()
    if byte == UInt8(ascii: "t"), try readLiteral("true") { return true }
    if byte == UInt8(ascii: "f"), try readLiteral("false") { return false }
    throw mismatch("expected true or false")
  }

  /// Reads `null`.
  public mutating func readNull() throws(JSONError) {
    skipWhiteSpace()
    guard byte == UInt8(ascii: "n"), try readLiteral("null") else {
      throw mismatch("expected null")
    }
  }

  /// Reads `literal`. False when something else is there; when it is cut short by the text's end, that is
  /// the error.
  @inline(__always)
  private mutating func readLiteral(_ literal: StaticString) throws(JSONError) -> Bool {
    var index = 0
    let count = literal.utf8CodeUnitCount
    while index < count {
      guard offset &+ index < input.byteCount else {
        throw error(.unexpectedEnd, at: input.byteCount, "the text ends inside a literal")
      }
      guard unsafe input.u8(at: offset &+ index) == literal.utf8Start[index] else { return false }
      index &+= 1
    }
    offset &+= count
    return true
  }

  // MARK: Bytes

  /// The byte at the offset; zero, which is nothing in JSON, behind the end.
  @inline(__always) var byte: UInt8 {
    offset < input.byteCount ? input.u8(at: offset) : 0
  }

  @inline(__always) mutating func skipWhiteSpace() {
    while offset < input.byteCount {
      let byte = input.u8(at: offset)
      if byte > 0x20 || (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) { return }
      offset &+= 1
    }
  }

  private mutating func begin(_ bracket: UInt8, _ reason: StaticString) throws(JSONError) {
    skipWhiteSpace()
    guard byte == bracket else { throw mismatch(reason) }
    guard depth < depthLimit else {
      throw error(.nestingTooDeep, at: offset, "nested deeper than \(depthLimit)")
    }
    depth &+= 1
    offset &+= 1
    isFirst = true
  }

  private mutating func end() {
    depth &-= 1
    offset &+= 1
    // The object or array around it has this one as a member.
    isFirst = false
  }

  // MARK: Errors

  /// The place of a byte of the text.
  public func place(at offset: Int) -> JSONPlace {
    var place = start
    let end = min(max(offset, startOffset), input.byteCount)
    place.advance(over: input.extracting(startOffset..<end))
    return place
  }

  /// An error that the caller finds, at a byte of the text.
  @inline(never)
  public func error(_ code: JSONError.Code, at offset: Int, _ reason: String) -> JSONError {
    JSONError(code, at: place(at: offset), reason: reason)
  }

  /// The error for what stands at the offset, where the grammar wants something else.
  @inline(never)
  func unexpected(_ reason: StaticString) -> JSONError {
    if offset >= input.byteCount {
      return error(.unexpectedEnd, at: offset, "the text ends too early; \(reason)")
    }
    return error(.unexpectedCharacter, at: offset, "\(reason)")
  }

  /// The error for what stands at the offset, where the caller wants another kind of value.
  @inline(never)
  func mismatch(_ reason: StaticString) -> JSONError {
    var copy = self
    let isValue =
      switch try? copy.peek() {
      case .boolean?:
        (try? copy.readLiteral("true")) == true || (try? copy.readLiteral("false")) == true
      case .null?: (try? copy.readLiteral("null")) == true
      case nil: false
      default: true
      }
    return isValue ? error(.wrongType, at: offset, "\(reason)") : unexpected(reason)
  }
}
