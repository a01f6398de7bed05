// Numbers of a JSON text stay tokens until someone says what they are to be: an integer or a real. So
// nothing is rounded on the way.

internal import ByteCoding

/// A number that a `JSONReader` has read and validated.
public struct JSONNumber: Hashable, Sendable {
  /// Where it is in the text, in bytes.
  public let offset: Int
  /// Its length in bytes.
  public let count: Int
  /// Whether it is written without fraction and exponent.
  public let isInteger: Bool
}

extension JSONReader {
  /// Reads a number (RFC 8259 section 6).
  public mutating func readNumber() throws(JSONError) -> JSONNumber {
    skipWhiteSpace()
    let start = offset
    if byte == UInt8(ascii: "-") { offset &+= 1 }
    if byte == UInt8(ascii: "0") {
      offset &+= 1
      if Self.isDigit(byte) {
        throw error(.invalidNumber, at: start, "a number has no leading zero")
      }
    } else if !skipDigits() {
      guard offset > start else { throw mismatch("expected a number") }
      throw invalidNumber(start)
    }
    var isInteger = true
    if byte == UInt8(ascii: ".") {
      isInteger = false
      offset &+= 1
      guard skipDigits() else { throw invalidNumber(start) }
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      offset &+= 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset &+= 1 }
      guard skipDigits() else { throw invalidNumber(start) }
    }
    return JSONNumber(offset: start, count: offset &- start, isInteger: isInteger)
  }

  /// The bytes of the number, as they stand in the text.
  @_lifetime(copy self)
  public func bytes(of number: JSONNumber) -> RawSpan {
    input.extracting(number.offset..<number.offset + number.count)
  }

  /// The number as a signed integer, exactly. Nil when it has a fraction or an exponent (`1.0` is a
  /// real), or does not fit.
  public func int64(_ number: JSONNumber) -> Int64? {
    let isNegative = input.u8(at: number.offset) == UInt8(ascii: "-")
    guard let magnitude = magnitude(number, from: number.offset + (isNegative ? 1 : 0)) else {
      return nil
    }
    if !isNegative { return Int64(exactly: magnitude) }
    return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
  }

  /// The number as an unsigned integer, exactly. Nil as for `int64`, and when it is negative.
  public func uint64(_ number: JSONNumber) -> UInt64? {
    guard input.u8(at: number.offset) != UInt8(ascii: "-") else { return nil }
    return magnitude(number, from: number.offset)
  }

  /// The number as the nearest Float64. Nil when that is infinite.
  public func float64(_ number: JSONNumber) -> Double? {
    let value = DecimalNumber.float64(bytes(of: number))
    return value?.isFinite == true ? value : nil
  }

  private func magnitude(_ number: JSONNumber, from start: Int) -> UInt64? {
    guard number.isInteger else { return nil }
    var value: UInt64 = 0
    for offset in start..<number.offset + number.count {
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, carries) = product.addingReportingOverflow(UInt64(input.u8(at: offset) & 0x0f))
      guard !overflows, !carries else { return nil }
      value = sum
    }
    return value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// Skips all digits at the offset. False when there is none.
  private mutating func skipDigits() -> Bool {
    let start = offset
    while Self.isDigit(byte) { offset &+= 1 }
    return offset > start
  }

  private func invalidNumber(_ start: Int) -> JSONError {
    if offset >= input.byteCount {
      return error(.unexpectedEnd, at: offset, "the text ends inside a number")
    }
    return error(.invalidNumber, at: start, "not a number of JSON")
  }
}
