// What the tests of this module share: temporary folders, pipes, pseudo-terminals.

import ByteCoding
import Glibc

@testable import KCArchiveCLI

/// A folder that goes with its files when the value goes.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/kcarchive-cli-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { fatalError("mkdtemp: error \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    guard let folder = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { unsafe unlink("\(path)/\(name)") }
    }
    unsafe closedir(folder)
    unsafe rmdir(path)
  }

  /// Makes a file with `content` and gives its path.
  func file(_ name: String, _ content: [UInt8]) -> String {
    writeFile("\(path)/\(name)", content)
    return "\(path)/\(name)"
  }

  func file(_ name: String, _ content: String) -> String {
    file(name, Array(content.utf8))
  }
}

func writeFile(_ path: String, _ content: [UInt8]) {
  let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  guard descriptor >= 0 else { fatalError("\(path): error \(errno)") }
  try? writeAll(content.bytes, to: descriptor)
  close(descriptor)
}

/// All that can be read from `descriptor`.
func readToEnd(_ descriptor: Int32) -> [UInt8] {
  var all: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = unsafe read(descriptor, &part, part.count)
    guard count > 0 else { return all }
    all += part[..<count]
  }
}

func readFile(_ path: String) -> String? {
  let descriptor = unsafe open(path, O_RDONLY)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  return String(decoding: readToEnd(descriptor), as: UTF8.self)
}

/// A pipe: what was written to `writing` can be read from `reading`.
func makePipe() -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [0, 0]
  guard unsafe pipe(&ends) == 0 else { fatalError("pipe: error \(errno)") }
  return (ends[0], ends[1])
}

/// The reading end of a pipe that holds `content` and then ends.
func pipeHolding(_ content: [UInt8]) -> Int32 {
  let (reading, writing) = makePipe()
  try? writeAll(content.bytes, to: writing)
  close(writing)
  return reading
}

/// What `body` writes to a console, standard output and standard error apart.
func captured(
  isJSON: Bool = false, _ body: (Console) -> Void
) -> (output: String, errors: String) {
  let (output, outputEnd) = makePipe()
  let (errors, errorsEnd) = makePipe()
  body(Console(isJSON: isJSON, output: OutputStream(descriptor: outputEnd), errors: errorsEnd))
  close(outputEnd)
  close(errorsEnd)
  defer {
    close(output)
    close(errors)
  }
  return (
    String(decoding: readToEnd(output), as: UTF8.self),
    String(decoding: readToEnd(errors), as: UTF8.self)
  )
}

/// A terminal that nobody sits at: what is written to `master` was typed.
final class PseudoTerminal: Sendable {
  let master: Int32
  let slave: Int32
  let path: String

  init() {
    var (master, slave): (Int32, Int32) = (0, 0)
    guard unsafe openpty(&master, &slave, nil, nil, nil) == 0 else {
      fatalError("openpty: error \(errno)")
    }
    (self.master, self.slave) = (master, slave)
    // Not `ttyname`, whose buffer all threads share.
    var name = [CChar](repeating: 0, count: 128)
    guard unsafe ttyname_r(slave, &name, name.count) == 0 else {
      fatalError("ttyname_r: error \(errno)")
    }
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    close(master)
    close(slave)
  }

  var echoes: Bool { echoIsOn(slave) }

  /// On a thread of its own: waits for each question and types its answer. `join` gives all that was
  /// shown until the last answer.
  func typing(_ script: [(question: String, answer: String)]) -> Typist {
    Typist(self, script)
  }
}

func echoIsOn(_ descriptor: Int32) -> Bool {
  var attributes = termios()
  guard unsafe tcgetattr(descriptor, &attributes) == 0 else { return false }
  return attributes.c_lflag & tcflag_t(ECHO) != 0
}

/// Somebody who sits at a terminal.
final class Typist {
  private var thread: pthread_t = 0
  private let box: Box

  private final class Box {
    let terminal: PseudoTerminal
    let script: [(question: String, answer: String)]
    var shown: [UInt8] = []
    var sawEcho = false

    init(_ terminal: PseudoTerminal, _ script: [(question: String, answer: String)]) {
      self.terminal = terminal
      self.script = script
    }

    func run() {
      for (question, answer) in script {
        var part = [UInt8](repeating: 0, count: 256)
        var seen: [UInt8] = []
        while !String(decoding: seen, as: UTF8.self).hasSuffix(question) {
          let count = unsafe read(terminal.master, &part, part.count)
          guard count > 0 else { return }
          seen += part[..<count]
        }
        shown += seen
        if terminal.echoes { sawEcho = true }
        try? writeAll(Array(answer.utf8).bytes, to: terminal.master)
      }
    }
  }

  fileprivate init(_ terminal: PseudoTerminal, _ script: [(question: String, answer: String)]) {
    box = Box(terminal, script)
    let argument = unsafe Unmanaged.passRetained(box).toOpaque()
    unsafe pthread_create(
      &thread, nil,
      { argument in
        unsafe Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, argument)
  }

  /// Waits until all is typed.
  func join() -> (shown: String, sawEcho: Bool) {
    pthread_join(thread, nil)
    return (String(decoding: box.shown, as: UTF8.self), box.sawEcho)
  }
}
