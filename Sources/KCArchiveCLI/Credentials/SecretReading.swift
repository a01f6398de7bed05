// Passphrases come from descriptors straight into memory that is wiped.

internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc

/// The longest passphrase: what is longer is a key file.
let passphraseLimit = 1 << 16

/// Reads a passphrase up to the end of `descriptor` and drops one LF or CRLF at its end.
///
/// - Parameter source: where it comes from, for messages.
/// - Throws: `usage` if it is empty or too long or the descriptor is not open, else `failed`.
func readPassphrase(
  from descriptor: Int32, source: String
) throws(CommandError) -> SecretBytes {
  // Two bytes more than the limit for a CRLF, and one to see that there is more.
  var buffer = SecretBytes(count: passphraseLimit + 3)
  var count = 0
  while count < buffer.count {
    let part: Int
    do {
      part = try readSome(from: descriptor, into: &buffer, at: count)
    } catch {
      if error.code == EBADF { throw .usage("\(source) is not open for reading") }
      throw CommandError(.failed, "\(source): \(systemReason(error.code))")
    }
    if part == 0 { break }
    count += part
  }
  buffer.resize(to: count)
  buffer.dropLineEnd()
  return try usablePassphrase(buffer, source: source)
}

/// A right-sized copy of `buffer`, which may have any capacity.
func usablePassphrase(
  _ buffer: borrowing SecretBytes, source: String
) throws(CommandError) -> SecretBytes {
  guard buffer.count > 0 else { throw .usage("the passphrase from \(source) is empty") }
  guard buffer.count <= passphraseLimit else {
    throw .usage(
      "the passphrase from \(source) is longer than \(grouped(UInt64(passphraseLimit))) bytes",
      hint: "'--key-file' takes a file of any size")
  }
  return buffer.copy()
}

/// Reads once from `descriptor` into `buffer` from `offset` up to its end.
func readSome(
  from descriptor: Int32, into buffer: inout SecretBytes, at offset: Int
) throws(SystemFailure) -> Int {
  var bytes = buffer.mutableBytes
  return try unsafe bytes.withUnsafeMutableBytes { target throws(SystemFailure) in
    try unsafe readSome(
      from: descriptor, into: UnsafeMutableRawBufferPointer(rebasing: target[offset...]))
  }
}

extension SecretBytes {
  /// Drops one LF or CRLF from the end.
  mutating func dropLineEnd() {
    guard count > 0, bytes.u8(at: count - 1) == UInt8(ascii: "\n") else { return }
    resize(to: count - 1)
    guard count > 0, bytes.u8(at: count - 1) == UInt8(ascii: "\r") else { return }
    resize(to: count - 1)
  }
}
