// How the tests here write bytes down, look into secrets and name errors.

import ArchiveCrypto
import ByteCoding

/// The bytes that `digits` stand for; spaces and line ends only group them.
///
/// The tests have their own reader so that a vector does not depend on the code under test.
func hex(_ digits: String) -> [UInt8] {
  var result: [UInt8] = []
  var high: UInt8?
  for character in digits where !character.isWhitespace {
    guard let value = character.hexDigitValue else { preconditionFailure("not a hex digit") }
    if let first = high {
      result.append(first << 4 | UInt8(value))
      high = nil
    } else {
      high = UInt8(value)
    }
  }
  precondition(high == nil, "half a byte")
  return result
}

/// The bytes of ASCII text.
func ascii(_ text: String) -> [UInt8] {
  Array(text.utf8)
}

/// What is in use of `secret`, for comparing.
func content(of secret: borrowing SecretBytes) -> [UInt8] {
  secret.bytes.array(at: 0, count: secret.count)
}

/// `bytes` with bit `index` flipped, counted from the first byte's lowest.
func flipping(_ index: Int, of bytes: [UInt8]) -> [UInt8] {
  var result = bytes
  result[index / 8] ^= 1 << UInt8(index % 8)
  return result
}

/// The code of the `CryptoError` that `body` throws; nil if it throws none.
func failure(of body: () throws -> Void) -> CryptoError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? CryptoError)?.code
  }
}
