// Where credentials come from, and what is refused.

import ArchiveContainer
import ArchiveCrypto
import ByteCoding
import Glibc
import Testing

@testable import KCArchiveCLI

private func sources(_ words: String...) throws(CommandError) -> CredentialSources {
  let invocation = try ArgumentParser(CommandSpec.all).parse(words.map { Array($0.utf8) })
  guard case .run(let arguments) = invocation else { fatalError("no run") }
  return try CredentialSources(arguments)
}

/// What was read, as text: `passphrase secret from source` or `key file path`.
private func described(_ credentials: Credentials) -> [String] {
  credentials.all.map {
    switch $0 {
    case .passphrase(let passphrase):
      "\(text(passphrase.bytes)) from \(passphrase.source)"
    case .keyFile(let file): "key file " + String(decoding: file.path.lastComponent, as: UTF8.self)
    case .recipient(let recipient): "recipient " + recipient.text
    case .identity(let identity): "identity of " + identity.recipient.text
    case .recoveryCode(let code): "recovery code " + text(code.text)
    }
  }
}

private func text(_ secret: borrowing SecretBytes) -> String {
  String(decoding: bytes(secret), as: UTF8.self)
}

private func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
  secret.bytes.array(at: 0, count: secret.count)
}

private let nowhere: FilePath = "/nonexistent/tty"
private let longEnough = [UInt8](repeating: 7, count: 32)

@Suite struct CredentialSourceTests {
  let folder = TemporaryFolder()

  @Test("Files, descriptors, commands and key files are read in the order of the command line")
  func order() throws {
    let descriptor = pipeHolding(Array("from a pipe\n".utf8))
    defer { close(descriptor) }
    let credentials = try sources(
      "list", "a", "--key-file", folder.file("k", longEnough), "--passphrase-command",
      "printf 'from a command\\n'", "--passphrase-file", folder.file("p", "from a file\r\n"),
      "--passphrase-fd", "\(descriptor)"
    ).read(.opening, terminal: nowhere)
    #expect(
      described(credentials) == [
        "key file k", "from a command from '--passphrase-command'",
        "from a file from '--passphrase-file'",
        "from a pipe from '--passphrase-fd \(descriptor)'",
      ])
    #expect(credentials.mixedKeyFile == nil)
  }

  @Test(
    "One LF or CRLF at the end is dropped, and nothing else",
    arguments: [
      ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a\r", "a\r"), (" a ", " a "),
      ("a\nb\n", "a\nb"), ("\n\n", "\n"), ("pässe\n", "pässe"),
    ])
  func lineEnds(_ content: String, _ expected: String) throws {
    let credentials = try sources("list", "a", "--passphrase-file", folder.file("p", content))
      .read(.opening)
    #expect(described(credentials) == ["\(expected) from '--passphrase-file'"])
  }

  @Test("Bytes that are no text are a passphrase too")
  func anyBytes() throws {
    let content: [UInt8] = [0, 0xFF, 0x80, 0x0A, 0x0A]
    let credentials = try sources("list", "a", "--passphrase-file", folder.file("p", content))
      .read(.opening)
    guard case .passphrase(let passphrase) = credentials.all.first else {
      Issue.record("no passphrase")
      return
    }
    #expect(bytes(passphrase.bytes) == [0, 0xFF, 0x80, 0x0A])
  }

  @Test("An empty passphrase is refused", arguments: ["", "\n", "\r\n"])
  func empty(_ content: String) throws {
    let path = folder.file("p", content)
    let error = #expect(throws: CommandError.self) {
      try sources("list", "a", "--passphrase-file", path).read(.opening)
    }
    #expect(error?.status == .usage)
    #expect(error?.text == "\(path): the passphrase from '--passphrase-file' is empty")
  }

  @Test("The longest passphrase has 65,536 bytes", arguments: [(65_536, true), (65_537, false)])
  func longest(_ count: Int, _ isUsable: Bool) throws {
    let content = [UInt8](repeating: 0x61, count: count) + [0x0D, 0x0A]
    let sources = try sources("list", "a", "--passphrase-file", folder.file("p", content))
    guard !isUsable else {
      #expect(try sources.read(.opening).all.count == 1)
      return
    }
    let error = #expect(throws: CommandError.self) { try sources.read(.opening) }
    #expect(error?.status == .usage)
    #expect(error?.hint == "'--key-file' takes a file of any size")
  }

  @Test("A file that is not there is status 10, with its name")
  func missing() throws {
    for option in ["--passphrase-file", "--key-file", "--with-key-file"] {
      let error = #expect(throws: CommandError.self) {
        try sources("list", "a", option, "\(folder.path)/none").read(.opening, terminal: nowhere)
      }
      #expect(error?.status == .notFound)
      #expect(error?.text == "\(folder.path)/none: no such file or directory")
    }
  }

  @Test("A descriptor that is not open is a usage error")
  func closedDescriptor() throws {
    let error = #expect(throws: CommandError.self) {
      try sources("list", "a", "--passphrase-fd", "987").read(.opening)
    }
    #expect(error?.status == .usage)
    #expect(error?.message == "'--passphrase-fd 987' is not open for reading")
  }

  @Test(
    "A command that fails, or prints nothing, is an error that does not show it",
    arguments: [
      (
        "echo s3cret; exit 3", KCArchiveCLI.ExitStatus.failed,
        "'--passphrase-command': the command ended with status 3"
      ),
      ("exit 1", .failed, "'--passphrase-command': the command ended with status 1"),
      (
        "echo s3cret; kill -9 $$", .failed,
        "'--passphrase-command': the command was ended by signal 9"
      ),
      ("true # s3cret", .usage, "the passphrase from '--passphrase-command' is empty"),
      ("yes s3cret", .usage, "is longer than 65,536 bytes"),
    ])
  func commands(_ command: String, _ status: KCArchiveCLI.ExitStatus, _ part: String) throws {
    let error = #expect(throws: CommandError.self) {
      try sources("list", "a", "--passphrase-command", command).read(.opening)
    }
    #expect(error?.status == status)
    #expect(error?.message.contains(part) == true)
    #expect(error?.message.contains("s3cret") == false)
  }

  @Test("A command reads nothing and inherits no descriptor")
  func commandSurroundings() throws {
    let inherited = pipeHolding(Array("leaked".utf8))
    defer { close(inherited) }
    let command = "cat; cat /dev/fd/\(inherited) 2>/dev/null || echo closed"
    let credentials = try sources("list", "a", "--passphrase-command", command).read(.opening)
    #expect(described(credentials) == ["closed from '--passphrase-command'"])
  }

  @Test("Sources that contradict each other are refused before anything is read")
  func contradictions() {
    func message(_ words: [String]) -> String? {
      do {
        let invocation = try ArgumentParser(CommandSpec.all).parse(words.map { Array($0.utf8) })
        if case .run(let arguments) = invocation { _ = try CredentialSources(arguments) }
        return nil
      } catch {
        return error.message
      }
    }
    #expect(
      message(["list", "-", "--passphrase-fd", "0"])
        == "'-' and '--passphrase-fd 0' both read standard input")
    #expect(
      message(["list", "a", "--passphrase-fd", "4", "--passphrase-fd", "4"])
        == "'--passphrase-fd 4' is given twice: it can be read only once")
    #expect(
      message(["list", "a", "--passphrase-file", "-"])
        == "'--passphrase-file' takes a file, not '-'")
    #expect(
      message(["list", "a", "--key-file", "k", "--with-key-file", "w"])
        == "'--with-key-file' mixes a file into a passphrase, and none is given")
    #expect(
      message(["list", "a", "--passphrase-fd", "2147483648"])
        == "'--passphrase-fd' 2147483648 is no file descriptor")
  }

  @Test("Without a source and a terminal, only verbs that can do without go on")
  func noTerminal() throws {
    for need in [CredentialSources.Need.creating, .opening] {
      let error = #expect(throws: CommandError.self) {
        try sources("list", "a").read(need, terminal: nowhere)
      }
      #expect(error?.status == .usage)
      #expect(error?.hint?.contains("kcarchive help credentials") == true)
    }
    #expect(try sources("list", "a").read(.openingIfPossible, terminal: nowhere).isEmpty)
    #expect(try sources("list", "a").read(.given, terminal: nowhere).isEmpty)
  }
}

@Suite struct KeyFileTests {
  let folder = TemporaryFolder()

  @Test("A key file comes whole, and again when it is asked for again")
  func whole() throws {
    let content = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let file = try KeyFile(FilePath(folder.file("k", content)))
    for _ in 0..<2 {
      var seen: [UInt8] = []
      try file.forEachChunk { chunk throws(CommandError) in
        seen += chunk.array(at: 0, count: chunk.byteCount)
      }
      #expect(seen == content)
    }
  }

  @Test("A file of fewer than 32 bytes, a directory and an endless device are refused")
  func refused() throws {
    let short = folder.file("k", Array(longEnough.dropLast()))
    for (path, reason) in [
      (short, "has 31 bytes, a key file needs 32"),
      (folder.path, "is a directory, not a key file"),
      ("/dev/zero", "is a device without an end, not a key file"),
    ] {
      let error = #expect(throws: CommandError.self) { try KeyFile(FilePath(path)) }
      #expect(error?.status == .usage)
      #expect(error?.text == "\(path): \(reason)")
    }
  }

  @Test("A pipe that is too short is found out when it is read")
  func pipes() throws {
    let descriptor = pipeHolding(Array(longEnough.dropLast()))
    defer { close(descriptor) }
    let file = try KeyFile(FilePath("/dev/fd/\(descriptor)"))
    let error = #expect(throws: CommandError.self) {
      try file.forEachChunk { _ throws(CommandError) in }
    }
    #expect(error?.message == "has 31 bytes, a key file needs 32")
  }
}

/// Each in a process of its own, as the environment belongs to all threads.
@Suite struct EnvironmentTests {
  @Test("The variable is used when the command line names nothing, and is wiped")
  func variable() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("KCARCHIVE_PASSPHRASE", "s3cret\n", 1)
      let characters = unsafe getenv("KCARCHIVE_PASSPHRASE")!
      let credentials = try sources("list", "a").read(.opening, terminal: nowhere)
      #expect(described(credentials) == ["s3cret\n from KCARCHIVE_PASSPHRASE"])
      let isUnset = unsafe getenv("KCARCHIVE_PASSPHRASE") == nil
      #expect(isUnset)
      let isWiped = (0..<7).allSatisfy { unsafe characters[$0] == 0 }
      #expect(isWiped)
    }
  }

  @Test("A source on the command line wins; the variable is wiped for the command all the same")
  func commandLineWins() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("KCARCHIVE_PASSPHRASE", "s3cret", 1)
      let credentials = try sources(
        "list", "a", "--passphrase-command", "echo \"<$KCARCHIVE_PASSPHRASE>\""
      ).read(.opening, terminal: nowhere)
      #expect(described(credentials) == ["<> from '--passphrase-command'"])
    }
  }

  @Test("The variable for a file is read like a file; both together are two credentials")
  func fileVariable() async {
    await #expect(processExitsWith: .success) {
      let folder = TemporaryFolder()
      unsafe setenv("KCARCHIVE_PASSPHRASE_FILE", folder.file("p", "in a file\n"), 1)
      let one = try sources("list", "a").read(.opening, terminal: nowhere)
      #expect(described(one) == ["in a file from KCARCHIVE_PASSPHRASE_FILE"])
      unsafe setenv("KCARCHIVE_PASSPHRASE", "s3cret", 1)
      let two = try sources("list", "a").read(.given, terminal: nowhere)
      #expect(
        described(two)
          == ["s3cret from KCARCHIVE_PASSPHRASE", "in a file from KCARCHIVE_PASSPHRASE_FILE"])
    }
  }

  @Test("An empty variable is refused, not taken for one that is not set")
  func emptyVariable() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("KCARCHIVE_PASSPHRASE", "", 1)
      let sources = try sources("list", "a")
      let error = #expect(throws: CommandError.self) {
        try sources.read(.opening, terminal: nowhere)
      }
      #expect(error?.message == "the passphrase from KCARCHIVE_PASSPHRASE is empty")
    }
  }
}

@Suite struct PromptTests {
  @Test("One prompt opens; what is typed is not shown, and the echo comes back")
  func once() throws {
    let terminal = PseudoTerminal()
    let typist = terminal.typing([("passphrase: ", "corréct horse\n")])
    let credentials = try sources("list", "a").read(
      .opening, terminal: FilePath(terminal.path))
    #expect(described(credentials) == ["corréct horse from the terminal"])
    let (shown, sawEcho) = typist.join()
    #expect(shown == "passphrase: ")
    #expect(!sawEcho)
    #expect(terminal.echoes)
  }

  @Test("A new passphrase is asked for twice")
  func twice() throws {
    let terminal = PseudoTerminal()
    let typist = terminal.typing([("passphrase: ", "one\n"), ("again: ", "one\n")])
    let credentials = try sources("pack", "-o", "a").read(
      .creating, terminal: FilePath(terminal.path))
    #expect(described(credentials) == ["one from the terminal"])
    #expect(typist.join().shown == "passphrase: \r\nagain: ")
    #expect(terminal.echoes)
  }

  @Test("Two that differ are refused, and so is an empty line; the echo comes back")
  func refused() throws {
    for (script, message) in [
      ([("passphrase: ", "one\n"), ("again: ", "two\n")], "the two passphrases differ"),
      ([("passphrase: ", "\n")], "the passphrase from the terminal is empty"),
      ([("passphrase: ", "\u{4}")], "the passphrase from the terminal is empty"),
    ] {
      let terminal = PseudoTerminal()
      let typist = terminal.typing(script)
      let error = #expect(throws: CommandError.self) {
        try sources("pack", "-o", "a").read(.creating, terminal: FilePath(terminal.path))
      }
      #expect(error?.message == message)
      _ = typist.join()
      #expect(terminal.echoes)
    }
  }

  @Test("What was typed ahead is not taken for the passphrase")
  func typedAhead() throws {
    let terminal = PseudoTerminal()
    try writeAll(Array("ls\n".utf8).bytes, to: terminal.master)
    // The kernel hands input on in its own time.
    var entry = pollfd(fd: terminal.slave, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&entry, 1, 10_000) == 1)
    let typist = terminal.typing([("passphrase: ", "later\n")])
    let credentials = try sources("list", "a").read(.opening, terminal: FilePath(terminal.path))
    #expect(described(credentials) == ["later from the terminal"])
    _ = typist.join()
  }

  @Test("A file is no terminal")
  func noTerminal() {
    let folder = TemporaryFolder()
    let path = FilePath(folder.file("tty", ""))
    #expect(throws: CommandError.self) { try sources("list", "a").read(.opening, terminal: path) }
  }
}
