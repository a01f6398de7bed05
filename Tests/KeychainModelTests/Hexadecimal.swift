// Bytes written out in tests.

/// The bytes that hexadecimal digits stand for; everything else in the text is spacing.
func hex(_ digits: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var high: UInt8?
  for digit in digits {
    guard let value = digit.hexDigitValue.map({ UInt8($0) }) else { continue }
    if let first = high {
      bytes.append(first << 4 | value)
      high = nil
    } else {
      high = value
    }
  }
  precondition(high == nil, "an odd number of digits")
  return bytes
}
