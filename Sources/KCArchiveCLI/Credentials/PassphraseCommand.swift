// A passphrase from what a program prints: password managers, agents, scripts.

internal import ArchiveCrypto
internal import Glibc

/// Runs `command` with /bin/sh and reads the passphrase that it prints.
///
/// It reads nothing (the archive may come from our standard input), inherits no descriptor but
/// standard error, and gets the signals' default actions.
///
/// - Throws: `failed` if it can't be run or ends with a status other than 0; `usage` if what it prints
///   is empty or too long. The command itself is in no message, as people put secrets there.
func runPassphraseCommand(_ command: String) throws(CommandError) -> SecretBytes {
  let source = OptionKey.passphraseCommand.rawValue
  var ends: [Int32] = [0, 0]
  guard unsafe pipe(&ends) == 0 else {
    throw CommandError(.failed, "'\(source)': \(systemReason(errno))")
  }
  keepDescriptorsFromChildren()
  let child = Child(try spawnShell(command, writingTo: Descriptor(owning: ends[1])))
  // Goes before the child is waited for, so that one with more to say ends by SIGPIPE.
  let reading = Descriptor(owning: ends[0])
  let passphrase: SecretBytes
  do {
    passphrase = try readPassphrase(from: reading.number, source: "'\(source)'")
  } catch {
    // A command that failed says more than that it printed nothing.
    _ = consume reading
    try child.end(source)
    throw error
  }
  _ = consume reading
  try child.end(source)
  return passphrase
}

/// A shell that runs and has to be waited for.
private struct Child: ~Copyable {
  let process: pid_t

  init(_ process: pid_t) {
    self.process = process
  }

  /// Waits for the end, which has to be a good one.
  consuming func end(_ source: String) throws(CommandError) {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return }
    }
    // As the macros of <sys/wait.h> have it: the signal in seven bits, the status in the next eight.
    let signal = status & 0x7F
    let number = status >> 8 & 0xFF
    // We stop reading only what is too long, and say so. A shell tells of a signal in its status.
    if signal == SIGPIPE || (signal == 0 && number == 128 + SIGPIPE) { return }
    if signal != 0 {
      throw CommandError(.failed, "'\(source)': the command was ended by signal \(signal)")
    }
    if number != 0 {
      throw CommandError(.failed, "'\(source)': the command ended with status \(number)")
    }
  }
}

/// Marks every descriptor but the standard ones, also those that we were started with, as not for
/// children. Swift can't see closefrom(3), and this process never replaces itself by another.
private func keepDescriptorsFromChildren() {
  // No shell hands on descriptors with numbers in the thousands.
  for number in (STDERR_FILENO + 1)..<Int32(min(4096, max(3, sysconf(Int32(_SC_OPEN_MAX))))) {
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
  }
}

/// Starts `/bin/sh -c command` with nothing to read and `output` as its standard output.
private func spawnShell(
  _ command: String, writingTo output: consuming Descriptor
) throws(CommandError) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  unsafe posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)

  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var defaults = sigset_t()
  unsafe sigemptyset(&defaults)
  unsafe sigaddset(&defaults, SIGPIPE)
  unsafe sigaddset(&defaults, SIGXFSZ)
  unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
  unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

  var words = unsafe [strdup("sh"), strdup("-c"), strdup(command), nil]
  defer { for index in unsafe words.indices { unsafe free(words[index]) } }
  var process: pid_t = 0
  let code = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, environ)
  guard code == 0 else {
    throw CommandError(
      .failed, "'\(OptionKey.passphraseCommand.rawValue)': \(systemReason(code))")
  }
  return process
}
