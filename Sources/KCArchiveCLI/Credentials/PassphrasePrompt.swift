// Asks for a passphrase on the terminal, whatever standard input and output are.

internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc

/// A terminal with its echo off, for as long as this value lives.
struct PassphrasePrompt: ~Copyable {
  private let terminal: Descriptor
  private let before: termios

  /// Opens `path`, the controlling terminal, and switches its echo off; what was typed ahead is lost,
  /// as it was meant for somebody else.
  ///
  /// - Returns: nil if there is no terminal.
  init?(_ path: FilePath = "/dev/tty") {
    guard let terminal = try? Descriptor.opening(path, flags: O_RDWR | O_NOCTTY) else { return nil }
    var before = termios()
    guard unsafe tcgetattr(terminal.number, &before) == 0 else { return nil }
    var muted = before
    muted.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
    muted.c_lflag |= tcflag_t(ICANON | ISIG)
    // Known to the signal handler first: there is no moment in which an interrupt would leave it mute.
    Interruption.terminalIsMuted(terminal.number, before: before, now: muted)
    unsafe tcsetattr(terminal.number, TCSAFLUSH, &muted)
    self.terminal = terminal
    self.before = before
  }

  deinit {
    var before = before
    unsafe tcsetattr(terminal.number, TCSAFLUSH, &before)
    Interruption.terminalIsRestored()
  }

  /// Shows `label` and reads a line.
  ///
  /// - Throws: `usage` if it is empty or too long.
  func ask(_ label: String) throws(CommandError) -> SecretBytes {
    try usablePassphrase(try readLine(label), source: "the terminal")
  }

  /// Asks for an item's value: a line without its end.
  func askForValue() throws(CommandError) -> SecretBytes {
    try readLine("value: ").copy()
  }

  private func readLine(_ label: String) throws(CommandError) -> SecretBytes {
    try write(label)
    var buffer = SecretBytes(count: passphraseLimit + 2)
    var count = 0
    do {
      while count < buffer.count {
        // In canonical mode a read ends with the line.
        let part = try readSome(from: terminal.number, into: &buffer, at: count)
        count += part
        if part == 0 || buffer.bytes.u8(at: count - 1) == UInt8(ascii: "\n") { break }
      }
    } catch {
      throw CommandError(.failed, "the terminal: \(systemReason(error.code))")
    }
    // The line feed that was typed is not shown without echo.
    try write("\n")
    buffer.resize(to: count)
    buffer.dropLineEnd()
    return buffer
  }

  /// Asks for a new passphrase, twice.
  ///
  /// - Throws: `failed` if the two differ.
  func askForNew(_ label: String) throws(CommandError) -> SecretBytes {
    let passphrase = try ask(label)
    let again = try ask("again: ")
    guard areEqual(passphrase, again) else {
      throw CommandError(.failed, "the two passphrases differ", hint: "nothing was written")
    }
    return passphrase
  }

  private func write(_ text: String) throws(CommandError) {
    do {
      try writeAll(unsafe text.utf8Span.span.bytes, to: terminal.number)
    } catch {
      throw CommandError(.failed, "the terminal: \(systemReason(error.code))")
    }
  }
}

private func areEqual(_ left: borrowing SecretBytes, _ right: borrowing SecretBytes) -> Bool {
  constantTimeEqual(left.bytes, right.bytes)
}
