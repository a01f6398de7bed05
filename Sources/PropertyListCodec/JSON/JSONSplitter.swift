// Finds the elements of a JSON stream one after the other, so that a file of any size is read with only
// the current element in memory. It looks at brackets and quotation marks only; what an element says is
// `JSONReader`'s to judge.

internal import ByteCoding

/// Splits a stream into elements. The caller owns a buffer, appends what it reads and asks:
/// ```
/// var splitter = JSONSplitter(.lines)
/// while true {
///   switch try splitter.next(in: buffer.bytes, isComplete: inputHasEnded) {
///   case .element(let element): … JSONReader(buffer.bytes.extracting(element.range), at: element.place)
///   case .needsInput: buffer.removeFirst(splitter.discard()); … append more
///   case .end: return
///   }
/// }
/// ```
public struct JSONSplitter: Sendable {
  public enum Layout: Hashable, Sendable {
    /// JSON lines: an element a line; blank lines are skipped.
    case lines
    /// One array, or an object `{"version":1,"items":[…]}`, whose other keys are skipped.
    case document
  }

  /// Where an element is.
  public struct Element: Hashable, Sendable {
    /// In the buffer that was given to `next`.
    public let range: Range<Int>
    /// In the whole stream.
    public let place: JSONPlace
  }

  public enum Step: Hashable, Sendable {
    case element(Element)
    /// The buffer holds no further whole element: append to it.
    case needsInput
    case end
  }

  /// What comes next, in the grammar of the stream.
  private enum Phase: Sendable {
    case start
    case line
    case firstKey, key, colon, member, afterMember
    case firstElement, element, afterElement
    case trailing
  }

  /// The member of the top-level object that is being read.
  private enum Member: Sendable { case version, items, other }

  private let layout: Layout
  private let maximumElementByteCount: Int
  private var phase = Phase.start
  private var member = Member.other
  private var isInObject = false
  private var hasVersion = false
  private var hasItems = false

  /// Bytes of the buffer before this are done with; `place` is the place of this one.
  private var start = 0
  private var place = JSONPlace()
  private var scan = JSONTokenScan()

  /// - Parameter maximumElementByteCount: longer elements are refused, so that a file that lacks a
  ///   bracket does not end up in memory as a whole.
  public init(_ layout: Layout, maximumElementByteCount: Int = .max) {
    self.layout = layout
    self.maximumElementByteCount = maximumElementByteCount
  }

  /// How many bytes at the front of the buffer are done with. The caller removes exactly these before
  /// it calls `next` again; ranges found earlier are then no longer good.
  public mutating func discard() -> Int {
    defer { start = 0 }
    return start
  }

  /// The next element.
  ///
  /// - Parameters:
  ///   - buffer: the bytes of the stream that follow those discarded. It only ever grows at its end.
  ///   - isComplete: whether the stream ends with the buffer.
  public mutating func next(
    in buffer: RawSpan, isComplete: Bool
  ) throws(JSONError) -> Step {
    while true {
      switch phase {
      case .start:
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        if buffer.byteCount < 3, !isComplete { return .needsInput }
        // A byte order mark has no column.
        if buffer.byteCount >= 3, buffer.equals(mark, at: 0) { start = 3 }
        if layout == .lines {
          phase = .line
          continue
        }
        guard let byte = nextByte(buffer) else {
          if isComplete { throw error(.unexpectedEnd, buffer, "the text is empty") }
          return .needsInput
        }
        switch byte {
        case UInt8(ascii: "["): phase = .firstElement
        case UInt8(ascii: "{"):
          phase = .firstKey
          isInObject = true
        default:
          throw error(.wrongType, buffer, "expected an array, or an object with items")
        }
        consume(1, buffer)

      case .line:
        if let step = try line(buffer, isComplete) { return step }

      case .trailing:
        guard nextByte(buffer) == nil else {
          throw error(.trailingContent, buffer, "unexpected text after the value")
        }
        return isComplete ? .end : .needsInput

      case .firstKey, .key, .member, .firstElement, .element:
        guard let byte = nextByte(buffer) else { return try needsInput(buffer, isComplete) }
        if phase == .firstKey || phase == .firstElement,
          byte == UInt8(ascii: phase == .firstKey ? "}" : "]")
        {
          try close(buffer)
        } else if let step = try token(buffer, isComplete) {
          return step
        }

      case .colon, .afterMember, .afterElement:
        guard let byte = nextByte(buffer) else { return try needsInput(buffer, isComplete) }
        try separator(byte, buffer)
      }
    }
  }

  // MARK: Lines

  /// The next line that is not blank; nil to look again, after a blank one.
  private mutating func line(
    _ buffer: RawSpan, _ isComplete: Bool
  ) throws(JSONError) -> Step? {
    // Also skips the line feeds of blank lines.
    guard nextByte(buffer) != nil else { return isComplete ? .end : .needsInput }
    guard scan.findLineFeed(buffer, from: start) || isComplete else {
      return try needsInput(buffer, isComplete)
    }
    // The byte at `start` is not white space, so this stops behind it at the latest.
    var end = start + scan.count
    scan = JSONTokenScan()
    while Self.isWhiteSpace(buffer.u8(at: end - 1)) { end -= 1 }
    guard end - start <= maximumElementByteCount else { throw tooLong(buffer) }
    let element = Element(range: start..<end, place: place)
    // The column need not be counted: only the line feed is left of this line.
    start = end
    return .element(element)
  }

  // MARK: Documents

  private mutating func separator(_ byte: UInt8, _ buffer: RawSpan) throws(JSONError) {
    let isArray = phase == .afterElement
    switch byte {
    case UInt8(ascii: ":") where phase == .colon: phase = .member
    case UInt8(ascii: ",") where phase != .colon: phase = isArray ? .element : .key
    case UInt8(ascii: "]") where isArray: return try close(buffer)
    case UInt8(ascii: "}") where phase == .afterMember: return try close(buffer)
    default:
      throw error(
        .unexpectedCharacter, buffer,
        phase == .colon ? "expected ':'" : "expected ',' or '\(isArray ? "]" : "}")'")
    }
    consume(1, buffer)
  }

  /// Reads the bracket that ends the array or the object.
  private mutating func close(_ buffer: RawSpan) throws(JSONError) {
    let isArray = phase == .firstElement || phase == .afterElement
    if !isArray, !hasVersion || !hasItems {
      throw error(
        .missingKey, buffer, "the object has no \"\(hasItems ? "version" : "items")\"")
    }
    consume(1, buffer)
    phase = isArray && isInObject ? .afterMember : .trailing
  }

  /// Reads the key or value that starts at `start`. Nil to go on, without a step for the caller.
  private mutating func token(
    _ buffer: RawSpan, _ isComplete: Bool
  ) throws(JSONError) -> Step? {
    if phase == .member, member == .items {
      guard buffer.u8(at: start) == UInt8(ascii: "[") else {
        throw error(.wrongType, buffer, "\"items\" is not an array")
      }
      consume(1, buffer)
      phase = .firstElement
      return nil
    }
    let isFound: Bool
    do {
      isFound = try scan.findEnd(buffer, from: start, isComplete: isComplete)
    } catch {
      var place = place
      place.advance(over: buffer.extracting(start..<start + scan.count))
      throw JSONError(
        .nestingTooDeep, at: place, reason: "nested deeper than \(JSONReader.maximumDepth)")
    }
    guard isFound else { return try needsInput(buffer, isComplete) }
    let end = start + scan.count
    if phase == .firstElement || phase == .element {
      scan = JSONTokenScan()
      let element = try element(until: end, buffer)
      phase = .afterElement
      return .element(element)
    }
    do {
      try read(buffer.extracting(start..<end))
    } catch  where error.code == .unexpectedEnd {
      // Its end is where a bracket or comma stood, so the stream is not cut short.
      throw self.error(.unexpectedCharacter, buffer, "not a value of JSON")
    }
    scan = JSONTokenScan()
    consume(end - start, buffer)
    return nil
  }

  /// Reads a key or a value that is not among the items.
  private mutating func read(_ token: RawSpan) throws(JSONError) {
    var reader = JSONReader(token, at: place)
    switch phase {
    case .member where member == .version:
      guard try reader.peek() == .number, reader.int64(try reader.readNumber()) == 1 else {
        throw JSONError(.unsupportedVersion, at: place, reason: "\"version\" is not 1")
      }
      phase = .afterMember
    case .member:
      try reader.skipValue()
      phase = .afterMember
    default:
      try key(&reader)
      phase = .colon
    }
    try reader.finish()
  }

  private mutating func key(_ reader: inout JSONReader) throws(JSONError) {
    let key = try reader.readString()
    if reader.equals(key, "version") {
      guard !hasVersion else {
        throw reader.error(.duplicateKey, at: key.offset, "a second \"version\"")
      }
      hasVersion = true
      member = .version
    } else if reader.equals(key, "items") {
      guard !hasItems else {
        throw reader.error(.duplicateKey, at: key.offset, "a second \"items\"")
      }
      hasItems = true
      member = .items
    } else {
      member = .other
    }
  }

  // MARK: Positions

  /// The next byte that is not white space; `start` is then at it. Nil at the end of the buffer.
  private mutating func nextByte(_ buffer: RawSpan) -> UInt8? {
    while start < buffer.byteCount {
      let byte = buffer.u8(at: start)
      guard Self.isWhiteSpace(byte) else { return byte }
      consume(1, buffer)
    }
    return nil
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
  }

  private mutating func consume(_ count: Int, _ buffer: RawSpan) {
    place.advance(over: buffer.extracting(start..<start + count))
    start += count
  }

  /// The element from `start` to `end`, which is then done with.
  private mutating func element(
    until end: Int, _ buffer: RawSpan
  ) throws(JSONError) -> Element {
    guard end - start <= maximumElementByteCount else { throw tooLong(buffer) }
    let element = Element(range: start..<end, place: place)
    consume(end - start, buffer)
    return element
  }

  /// Asks for input, or says what is wrong with a stream that ends here.
  private func needsInput(_ buffer: RawSpan, _ isComplete: Bool) throws(JSONError) -> Step {
    guard isComplete else {
      guard buffer.byteCount - start <= maximumElementByteCount else { throw tooLong(buffer) }
      return .needsInput
    }
    if start < buffer.byteCount {
      // A value that does not end: the reader knows better where it went wrong.
      var reader = JSONReader(buffer.extracting(start..<buffer.byteCount), at: place)
      try reader.skipValue()
    }
    var place = place
    place.advance(over: buffer.extracting(start..<buffer.byteCount))
    throw JSONError(.unexpectedEnd, at: place, reason: "the text ends inside an array or object")
  }

  private func tooLong(_ buffer: RawSpan) -> JSONError {
    error(
      .elementTooLong, buffer, "an element of more than \(maximumElementByteCount) bytes")
  }

  /// An error about what stands at `start`.
  private func error(
    _ code: JSONError.Code, _ buffer: RawSpan, _ reason: String
  ) -> JSONError {
    JSONError(code, at: place, reason: reason)
  }
}
