// How tests start programs: with an empty input, and with signals as a shell leaves them.

import Glibc

/// A program that runs.
struct ChildProcess {
  private let process: pid_t

  /// - Parameters:
  ///   - words: the program's path and its arguments.
  ///   - environment: nil for that of the tests.
  ///   - open: what its standard output and error are.
  init(
    _ words: [String], environment: [String]?,
    _ open: (inout posix_spawn_file_actions_t) -> Void
  ) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe open(&actions)
    // Threads of tests run with all signals blocked, which a child would inherit.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables = unsafe (environment ?? []).map { unsafe strdup($0) } + [nil]
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe variables.indices { unsafe free(variables[index]) }
    }
    var child: pid_t = 0
    let number =
      environment == nil
      ? unsafe posix_spawn(&child, words[0], &actions, &attributes, &arguments, environ)
      : unsafe posix_spawn(&child, words[0], &actions, &attributes, &arguments, &variables)
    guard number == 0 else { fatalError("\(words[0]): error \(number)") }
    process = child
  }

  func kill() { Glibc.kill(process, SIGKILL) }

  /// - Returns: the status as a shell has it: 128 and the signal's number for a killed one.
  func wait() -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
