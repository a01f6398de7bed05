// The built program, started without a shell: many hundred times, and to be killed.

import Glibc
import TestSupport

/// A program that is about to be started.
struct Program {
  var words: [String]
  /// Its environment, besides the locale.
  var variables: [String] = []
  /// The file that gets what it says on its standard error; nil for none.
  var errors: String?

  /// A program that runs.
  struct Started {
    let process: pid_t

    func kill() { Glibc.kill(process, SIGKILL) }

    /// - Returns: the status as a shell has it: 128 and the signal's number for a killed one.
    func wait() -> Int32 {
      var status: Int32 = 0
      while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
      return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
  }

  func run() -> Int32 { start().wait() }

  func start() -> Started {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addopen(
      &actions, 2, errors ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    // Threads of tests run with all signals blocked, which a child would inherit.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var environment =
      unsafe (["LC_ALL=C.UTF-8"] + variables)
      .map { unsafe strdup($0) } + [nil]
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe environment.indices { unsafe free(environment[index]) }
    }
    var child: pid_t = 0
    let number = unsafe posix_spawn(
      &child, words[0], &actions, &attributes, &arguments, &environment)
    guard number == 0 else { fatalError("\(words[0]): error \(number)") }
    return Started(process: child)
  }
}

/// Two folders: `work`, whose calls are counted, and `side` with everything else.
final class FaultFolder: Sendable {
  let work = TemporaryDirectory()
  let side = TemporaryDirectory()

  init() {
    for (name, byte) in Vault.keyFiles { side.write([UInt8](repeating: byte, count: 32), to: name) }
  }

  /// `kcarchive` with `words`, in which `@` stands for a file of `work` and `%` for one of `side`.
  func program(
    _ words: [String], plan: CallPlan? = nil, errors: String = "errors"
  ) -> Program {
    let words = words.map { word in
      word.hasPrefix("@")
        ? work.file(String(word.dropFirst()))
        : word.hasPrefix("%") ? side.file(String(word.dropFirst())) : word
    }
    return Program(
      words: [Folder.program] + words,
      variables: plan?.environment(root: work.path, log: side.file("calls")) ?? [],
      errors: side.file(errors))
  }

  /// What the program said last, to where it says it if it is not told otherwise.
  var errors: String { String(decoding: side.read("errors") ?? [], as: UTF8.self) }

  /// What the program called last, if it had a plan.
  func calls() throws -> [RecordedCall] {
    try RecordedCall.read(side.read("calls") ?? [], within: work.path)
  }

  /// Makes `work` hold `files` and nothing else.
  func reset(_ files: [String: [UInt8]]) {
    for name in work.names { unsafe unlink(work.file(name)) }
    for (name, content) in files { work.write(content, to: name, mode: 0o600) }
  }

  var files: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in work.names { files[name] = work.read(name) }
    return files
  }
}
