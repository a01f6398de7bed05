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

  func run() -> Int32 { start().wait() }

  func start() -> ChildProcess {
    unsafe ChildProcess(words, environment: ["LC_ALL=C.UTF-8"] + variables) { actions in
      unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
      unsafe posix_spawn_file_actions_addopen(
        &actions, 2, errors ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
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
