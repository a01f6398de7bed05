// Ctrl-C and other ends from outside: temporary files go, the terminal gets its echo back, and the
// status is 130 or 143.
//
// The handler may run in the middle of anything, so it does only what POSIX allows there: load words,
// unlinkat, tcsetattr, write, _exit. What it needs lies in memory that is never given back, published
// by one atomic store each, as an address.

internal import Glibc
internal import Synchronization

/// What has to be undone when the program is interrupted.
package enum Interruption {
  /// A path that is unlinked if the program is interrupted while this value lives.
  ///
  /// Take it before the file is created, so that there is no moment in which it could be left over;
  /// end it once the file has its final name or is gone.
  package struct TemporaryFile: ~Copyable {
    fileprivate let slot: Int?

    deinit {
      if let slot { temporaryFiles[slot].store(0, ordering: .sequentiallyConsistent) }
    }
  }

  /// Watches over `path`, relative to the directory that is open as `directory`.
  package static func unlinking(
    _ path: FilePath, in directory: Int32 = AT_FDCWD
  ) -> TemporaryFile {
    let characters = UnsafeMutablePointer<CChar>.allocate(capacity: path.bytes.count + 1)
    for (index, byte) in path.bytes.enumerated() {
      unsafe characters[index] = CChar(bitPattern: byte)
    }
    unsafe characters[path.bytes.count] = 0
    let address = unsafe publishable(TemporaryEntry(directory: directory, path: characters))
    for slot in temporaryFiles.indices {
      let (isTaken, _) = temporaryFiles[slot].compareExchange(
        expected: 0, desired: address, ordering: .sequentiallyConsistent)
      if isTaken { return TemporaryFile(slot: slot) }
    }
    // More files at once than slots: this one would be left over, which is better than to stop here.
    return TemporaryFile(slot: nil)
  }

  /// Lets the signals that end programs clean up first. Those that whoever started the program has
  /// switched off (nohup, a shell's background jobs) stay off.
  package static func install() {
    // A write to a closed pipe, or past a file-size limit, is an error that writers report.
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
    // Globals are initialised on first use, which must not happen in the handler.
    _ = temporaryFiles[0].load(ordering: .relaxed)
    _ = mutedTerminal.load(ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP] {
      var old = sigaction()
      unsafe sigaction(number, nil, &old)
      guard unsafe unsafeBitCast(old.__sigaction_handler, to: Int.self) != ignored else { continue }
      set(number, number == SIGTSTP ? stopProgram : endProgram)
    }
  }

  private static let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)

  private static func set(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handler
    action.sa_flags = SA_RESTART
    // Nothing interrupts a handler; SIGTTOU among them, or tcsetattr from the background would stop us.
    unsafe sigfillset(&action.sa_mask)
    unsafe sigaction(number, &action, nil)
  }

  /// Remembers how `descriptor`'s terminal was before its echo was switched off, and how it is now.
  static func terminalIsMuted(_ descriptor: Int32, before: termios, now: termios) {
    let entry = MutedTerminal(descriptor: descriptor, before: before, now: now)
    mutedTerminal.store(publishable(entry), ordering: .sequentiallyConsistent)
  }

  /// The echo is back.
  static func terminalIsRestored() {
    mutedTerminal.store(0, ordering: .sequentiallyConsistent)
  }
}

@unsafe private struct TemporaryEntry {
  let directory: Int32
  let path: UnsafeMutablePointer<CChar>
}

private struct MutedTerminal {
  let descriptor: Int32
  var before: termios
  var now: termios
}

/// Addresses of `TemporaryEntry`s; 0 where a slot is free.
private let temporaryFiles = InlineArray<16, Atomic<UInt>> { _ in Atomic(0) }

/// Address of a `MutedTerminal`; 0 while the echo is on.
private let mutedTerminal = Atomic<UInt>(0)

/// The address of a copy of `value` that is never given back: a handler, on another thread even, may
/// read it at any time. A run makes few of them.
private func publishable<Value>(_ value: Value) -> UInt {
  let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  unsafe pointer.initialize(to: value)
  return UInt(bitPattern: pointer)
}

/// SIGINT, SIGTERM, SIGHUP.
private func endProgram(_ number: Int32) {
  let address = mutedTerminal.load(ordering: .sequentiallyConsistent)
  if let terminal = unsafe UnsafeMutablePointer<MutedTerminal>(bitPattern: address) {
    unsafe tcsetattr(terminal.pointee.descriptor, TCSAFLUSH, &terminal.pointee.before)
    var lineFeed = UInt8(ascii: "\n")
    _ = unsafe write(terminal.pointee.descriptor, &lineFeed, 1)
  }
  for slot in 0..<16 {
    let address = temporaryFiles[slot].load(ordering: .sequentiallyConsistent)
    if let entry = unsafe UnsafeMutablePointer<TemporaryEntry>(bitPattern: address) {
      _ = unsafe unlinkat(entry.pointee.directory, entry.pointee.path, 0)
    }
  }
  _exit(number == SIGTERM ? ExitStatus.terminated.rawValue : ExitStatus.interrupted.rawValue)
}

/// SIGTSTP, Ctrl-Z: the shell gets its echo, and ours is off again when the program goes on.
private func stopProgram(_ number: Int32) {
  let savedError = errno
  let address = mutedTerminal.load(ordering: .sequentiallyConsistent)
  let terminal = unsafe UnsafeMutablePointer<MutedTerminal>(bitPattern: address)
  if let terminal = unsafe terminal {
    unsafe tcsetattr(terminal.pointee.descriptor, TCSADRAIN, &terminal.pointee.before)
  }
  // To this thread, so that it stops right here.
  raise(SIGSTOP)
  if let terminal = unsafe terminal {
    unsafe tcsetattr(terminal.pointee.descriptor, TCSADRAIN, &terminal.pointee.now)
  }
  errno = savedError
}
