// Where the tests of the built program run: a fresh folder each, with scripts as a user would type them.

import Glibc
import Testing

/// How a script ended, and what it wrote.
struct Outcome {
  /// As the shell has it; 124 where the script took too long.
  let status: Int32
  let output: [UInt8]
  let errors: String

  /// Standard output as text.
  var text: String { String(decoding: output, as: UTF8.self) }
  /// The lines of standard output.
  var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// A folder that goes with everything in it when the value goes.
///
/// Scripts run in its `work`. They find `kcarchive` and the tools of this target in their PATH, a
/// key file's option in `$KEY`, and the cheapest key derivation's in `$FAST`. There is no terminal.
final class Folder {
  private let root: String

  init() {
    var template = Array("/tmp/kcarchive-script-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { fatalError("mkdtemp: error \(errno)") }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    for name in ["bin", "work", "tmp", "log"] { unsafe mkdir("\(root)/\(name)", 0o755) }
    guard unsafe symlink(Self.program, "\(root)/bin/kcarchive") == 0 else {
      fatalError("symlink: error \(errno)")
    }
    for tool in Tool.all {
      Self.write(Array(tool.text.utf8), to: "\(root)/bin/\(tool.name)")
      unsafe chmod("\(root)/bin/\(tool.name)", 0o755)
    }
    Self.write((0..<64).map { _ in UInt8.random(in: 0...255) }, to: "\(root)/log/key")
  }

  deinit {
    // Folders that a test made unreadable go too.
    _ = Self.spawn(
      ["/bin/sh", "-c", "chmod -R u+rwX \"$0\" && rm -rf \"$0\"", root], output: 1, errors: 2)
  }

  /// The program under test: `KCARCHIVE_PROGRAM`, or what was built along with these tests.
  static let program: String = {
    if let given = unsafe getenv("KCARCHIVE_PROGRAM") { return unsafe String(cString: given) }
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = max(0, unsafe readlink("/proc/self/exe", &buffer, buffer.count))
    let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/kcarchive"
  }()

  /// Runs `script` with bash.
  func run(_ script: String) -> Outcome {
    let opening = """
      unset KCARCHIVE_PASSPHRASE KCARCHIVE_PASSPHRASE_FILE NO_COLOR
      export PATH="$0/bin:$PATH" TMPDIR="$0/tmp" LC_ALL=C.UTF-8 KEY="--key-file $0/log/key"
      export FAST="--kdf argon2id --kdf-memory 19MiB --kdf-time 2 --kdf-parallelism 1"
      cd "$0/work"

      """
    let output = Self.create("\(root)/log/output")
    let errors = Self.create("\(root)/log/errors")
    defer {
      close(output)
      close(errors)
    }
    let status = Self.spawn(
      [
        "/usr/bin/setsid", "-w", "/usr/bin/timeout", "-k", "5", "60", "/bin/bash", "-c",
        opening + script,
        root,
      ],
      output: output, errors: errors)
    return Outcome(
      status: status, output: Self.content(of: output),
      errors: String(decoding: Self.content(of: errors), as: UTF8.self))
  }

  /// Makes a file in `work`.
  func write(_ name: String, _ content: [UInt8]) {
    Self.write(content, to: "\(root)/work/\(name)")
  }

  func write(_ name: String, _ content: String) {
    write(name, Array(content.utf8))
  }

  private static func create(_ path: String) -> Int32 {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { fatalError("\(path): error \(errno)") }
    return descriptor
  }

  private static func write(_ content: [UInt8], to path: String) {
    let descriptor = create(path)
    defer { close(descriptor) }
    var start = 0
    while start < content.count {
      let count = unsafe content.withUnsafeBytes { bytes in
        unsafe Glibc.write(
          descriptor, bytes.baseAddress!.advanced(by: start), bytes.count - start)
      }
      guard count > 0 else { fatalError("\(path): error \(errno)") }
      start += count
    }
  }

  private static func content(of descriptor: Int32) -> [UInt8] {
    var content: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe pread(descriptor, &part, part.count, off_t(content.count))
      guard count > 0 else { return content }
      content += part[..<count]
    }
  }

  /// Runs a program with an empty input.
  private static func spawn(_ words: [String], output: Int32, errors: Int32) -> Int32 {
    unsafe ChildProcess(words, environment: nil) { actions in
      unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
      unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
    }.wait()
  }
}

/// Whether a script can do what a test needs; asked once.
enum Ability {
  static let mounting = Folder.canRun(
    "unshare -rm mount -t tmpfs none . || unshare -m mount -t tmpfs none .")
  static let age = Folder.canRun("age-keygen --version && age --version")
  static let signing = Folder.canRun("openssl cms -help")
  /// The program lets nobody look into it but root.
  static let tracing = Folder.canRun("[ $(id -u) = 0 ] && strace -f -o trace true")
}

extension Folder {
  fileprivate static func canRun(_ script: String) -> Bool {
    Folder().run(script).status == 0
  }
}
