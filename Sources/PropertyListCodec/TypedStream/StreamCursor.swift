// Reads the bytes of a typed stream: integers and reals in the forms that they have there, and texts.

internal import ByteCoding

struct StreamCursor: ~Escapable {
  let input: RawSpan
  private let isBigEndian: Bool
  private(set) var offset: Int

  @_lifetime(copy input)
  init(_ input: RawSpan, at offset: Int) {
    self.input = input
    self.offset = offset
    isBigEndian = TypedStream.byteOrder(of: input) == .big
  }

  func peek() throws(PropertyListError) -> UInt8 {
    guard offset < input.byteCount else { throw end() }
    return input.u8(at: offset)
  }

  mutating func byte() throws(PropertyListError) -> UInt8 {
    let byte = try peek()
    offset += 1
    return byte
  }

  /// The next bytes.
  mutating func take(_ count: Int) throws(PropertyListError) -> Range<Int> {
    guard count <= input.byteCount - offset else { throw end() }
    offset += count
    return offset - count..<offset
  }

  private func end() -> PropertyListError {
    PropertyListError(
      .unexpectedEnd, offset: input.byteCount, reason: "the typed stream ends within a value")
  }

  private mutating func fixedWidth(_ width: Int) throws(PropertyListError) -> UInt64 {
    let start = try take(width).lowerBound
    var value: UInt64 = 0
    for index in 0..<width {
      let byte = UInt64(input.u8(at: start + (isBigEndian ? index : width - 1 - index)))
      value = value << 8 | byte
    }
    return value
  }

  mutating func integer() throws(PropertyListError) -> Int128 {
    try integer(try byte()).value
  }

  /// An integer that begins with `head`, which has been read, and how many bits it has in the stream.
  private mutating func integer(
    _ head: UInt8
  ) throws(PropertyListError) -> (value: Int128, bitCount: Int) {
    switch head {
    case StreamMark.integer16:
      return (Int128(Int16(truncatingIfNeeded: try fixedWidth(2))), 16)
    case StreamMark.integer32:
      return (Int128(Int32(truncatingIfNeeded: try fixedWidth(4))), 32)
    case StreamMark.integer64:
      return (Int128(Int64(bitPattern: try fixedWidth(8))), 64)
    case StreamMark.all:
      throw PropertyListError(
        .unknownMarker, offset: offset - 1, reason: "a mark that no value begins with here")
    default: return (Int128(Int8(bitPattern: head)), 8)
    }
  }

  /// Of a negative number, the one with the same bits.
  mutating func unsignedInteger(bitCount: Int) throws(PropertyListError) -> Int128 {
    let (value, width) = try integer(try byte())
    return value < 0 ? value + 1 << Int128(max(bitCount, width)) : value
  }

  mutating func real() throws(PropertyListError) -> Double {
    let head = try byte()
    guard head == StreamMark.real else { return Double(try integer(head).value) }
    return Double(bitPattern: try fixedWidth(8))
  }

  mutating func real32() throws(PropertyListError) -> Float {
    let head = try byte()
    guard head == StreamMark.real else { return Float(try integer(head).value) }
    return Float(bitPattern: UInt32(truncatingIfNeeded: try fixedWidth(4)))
  }

  /// Where a text is that has no number. Nil for none.
  mutating func text() throws(PropertyListError) -> Range<Int>? {
    let start = offset
    let head = try byte()
    if head == StreamMark.null { return nil }
    guard let count = Int(exactly: try integer(head).value), count >= 0 else {
      throw PropertyListError(
        .invalidLength, offset: start, reason: "a text with less than no bytes")
    }
    return try take(count)
  }

  /// The number of a string, object or class that begins with `head`. Less than 0 for one that cannot be.
  mutating func number(_ head: UInt8) throws(PropertyListError) -> Int {
    // Of at most 64 bits, so the difference is in range.
    Int(clamping: try integer(head).value - Int128(StreamMark.firstNumber))
  }
}
