// The standard output: data only, buffered, wiped, and quiet when its reader has gone.

internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc

/// A buffered writer on a descriptor.
///
/// What goes through may be secret, so the buffer is one that is wiped.
package final class OutputStream {
  package let descriptor: Int32
  package let isTerminal: Bool
  private var buffer = SecretBytes(count: 0, capacity: 1 << 16)

  package init(descriptor: Int32 = STDOUT_FILENO) {
    self.descriptor = descriptor
    isTerminal = Terminal.isTerminal(descriptor)
  }

  /// Writes `bytes`; what is larger than the buffer goes straight through.
  ///
  /// - Throws: `closedPipe` when nobody reads any more, else `failed`.
  package func write(_ bytes: RawSpan) throws(CommandError) {
    if bytes.byteCount > buffer.capacity - buffer.count { try flush() }
    if bytes.byteCount > buffer.capacity {
      try pass(bytes)
    } else {
      buffer.append(bytes)
    }
  }

  package func write(_ bytes: [UInt8]) throws(CommandError) {
    try write(bytes.bytes)
  }

  package func write(_ text: String) throws(CommandError) {
    try write(unsafe text.utf8Span.span.bytes)
  }

  /// Writes `text` and a line feed.
  package func writeLine(_ text: String) throws(CommandError) {
    try write(text)
    try write([UInt8(ascii: "\n")])
  }

  /// Hands on what is buffered.
  package func flush() throws(CommandError) {
    guard buffer.count > 0 else { return }
    // The buffer is given up also when the write fails, or the same error would come again at the end.
    let pending = buffer.copy()
    buffer.wipe()
    try pass(pending.bytes)
  }

  private func pass(_ bytes: RawSpan) throws(CommandError) {
    do {
      try writeAll(bytes, to: descriptor)
    } catch {
      if error.code == EPIPE { throw .closedPipe }
      throw CommandError(.failed, "standard output: \(systemReason(error.code))")
    }
  }

  /// Refuses what would garble a terminal.
  ///
  /// - Parameter what: what is refused, such as `an archive`.
  /// - Throws: `usage` if this is a terminal.
  package func refuseBinary(_ what: String) throws(CommandError) {
    guard isTerminal else { return }
    throw .usage(
      "\(what) is binary and standard output is a terminal",
      hint: "name a file with '-o', or pipe it into a program")
  }

  /// Refuses to show a secret to whoever stands behind the user.
  ///
  /// - Throws: `usage` if this is a terminal and `--reveal` was not given.
  package func refuseSecret(isRevealed: Bool) throws(CommandError) {
    guard isTerminal, !isRevealed else { return }
    throw .usage(
      "standard output is a terminal, which would show the secret",
      hint: "'--reveal' shows it; '-o FILE' or a pipe take it unseen")
  }
}
