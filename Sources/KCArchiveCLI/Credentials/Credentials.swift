// Which credentials a run uses: those of the command line in their order, else those of the
// environment, else what is typed at the terminal.

package import ArchiveContainer
package import ArchiveCrypto
internal import ByteCoding
internal import Glibc

/// A passphrase and where it came from.
package final class Passphrase: Sendable {
  package let bytes: SecretBytes
  /// For messages: `'--passphrase-file'`, `the terminal`.
  package let source: String

  init(_ bytes: consuming SecretBytes, source: String) {
    self.bytes = bytes
    self.source = source
  }
}

/// Something that may open an archive.
package enum Credential: Sendable {
  case passphrase(Passphrase)
  case keyFile(KeyFile)
  case recipient(Recipient)
  case identity(Identity)
  case recoveryCode(RecoveryCode)
}

/// The credentials of a run.
package struct Credentials: Sendable {
  /// In the order in which they were given. When writing, each becomes a slot.
  package let all: [Credential]
  /// The file that is mixed into the passphrases: `--with-key-file`.
  package let mixedKeyFile: KeyFile?

  init(all: [Credential], mixedKeyFile: KeyFile? = nil) {
    self.all = all
    self.mixedKeyFile = mixedKeyFile
  }

  package var isEmpty: Bool { all.isEmpty }
}

/// What a command line says about credentials, before any of them is read.
package struct CredentialSources: Sendable {
  /// What a verb needs.
  package enum Need: Sendable {
    /// A credential for something new: a prompt asks twice.
    case creating
    /// One that opens what is there: a prompt asks once.
    case opening
    /// As `opening`, but goes on without one where nobody can be asked.
    case openingIfPossible
    /// Those that were given; never asks.
    case given
  }

  private let given: [(key: OptionKey, value: OptionValue)]
  private let mixedKeyFile: FilePath?
  /// Whether what is read as a passphrase is a recovery code.
  private let isRecoveryCode: Bool

  private static let keys: Set<OptionKey> = [
    .passphraseDescriptor, .passphraseFile, .passphraseCommand, .keyFile, .identityFile,
    .recipient, .recipientsFile,
  ]

  private static let passphraseKeys: [OptionKey] = [
    .passphraseDescriptor, .passphraseFile, .passphraseCommand,
  ]

  /// - Throws: `usage` where sources contradict each other.
  package init(_ arguments: ParsedArguments) throws(CommandError) {
    given = arguments.options.filter { Self.keys.contains($0.key) }
    isRecoveryCode = arguments.has(.recoveryCode)
    mixedKeyFile = arguments.path(.withKeyFile)
    if mixedKeyFile != nil, given.contains(where: { $0.key == .keyFile }),
      !given.contains(where: { Self.passphraseKeys.contains($0.key) })
    {
      throw .usage(
        "'--with-key-file' mixes a file into a passphrase, and none is given",
        hint: "a file that opens by itself is '--key-file'")
    }
    try Self.checkDescriptors(arguments)
  }

  private static func checkDescriptors(_ arguments: ParsedArguments) throws(CommandError) {
    var seen: Set<UInt64> = []
    for case .number(let number) in arguments.values(.passphraseDescriptor) {
      guard number <= Int32.max else {
        throw .usage("'--passphrase-fd' \(number) is no file descriptor")
      }
      guard seen.insert(number).inserted else {
        throw .usage("'--passphrase-fd \(number)' is given twice: it can be read only once")
      }
      if number == 0 && arguments.readsStandardInput {
        throw .usage("'-' and '--passphrase-fd 0' both read standard input")
      }
    }
    for case .path(let path) in arguments.values(.passphraseFile) where path.isStandardStream {
      throw .usage(
        "'--passphrase-file' takes a file, not '-'",
        hint: "'--passphrase-fd 0' reads standard input")
    }
  }

  /// Reads all credentials. Call it once in a run, and late: when it is clear that they are needed.
  ///
  /// - Parameter terminal: where to ask.
  /// - Throws: `usage` where there is none and nobody can be asked, or one is empty; `notFound` for
  ///   files that are not there; `failed`.
  package func read(
    _ need: Need, terminal: FilePath = "/dev/tty"
  ) throws(CommandError) -> Credentials {
    // Taken in any case, so that a passphrase command does not get it.
    let environment = try Self.takeEnvironment(isNeeded: given.isEmpty)
    var all = environment
    for (key, value) in given { all += try Self.read(key, value) }
    let mixedKeyFile = try mixedKeyFile.map { path throws(CommandError) in try KeyFile(path) }
    if all.isEmpty && need != .given {
      let label = isRecoveryCode ? "recovery code: " : "passphrase: "
      if let passphrase = try Self.ask(need, label, terminal: terminal) {
        all.append(.passphrase(passphrase))
      }
    }
    if isRecoveryCode {
      all = try all.map { credential throws(CommandError) in try Self.asRecoveryCode(credential) }
    }
    return Credentials(all: all, mixedKeyFile: mixedKeyFile)
  }

  /// What was read as a passphrase, taken as a recovery code.
  private static func asRecoveryCode(
    _ credential: Credential
  ) throws(CommandError) -> Credential {
    guard case .passphrase(let passphrase) = credential else { return credential }
    guard let code = passphrase.bytes.withBytes({ RecoveryCode.read($0) }) else {
      throw .usage(
        "the recovery code from \(passphrase.source) is mistyped",
        hint: "it has six groups of five letters and digits")
    }
    return .recoveryCode(code)
  }

  /// The new passphrases of `slot add`; asked for where there is none and `asks` is set.
  static func newPassphrases(
    _ arguments: ParsedArguments, asks: Bool
  ) throws(CommandError) -> Credentials {
    var all: [Credential] = []
    for (key, value) in arguments.options {
      let plain: OptionKey? =
        switch key {
        case .newPassphraseDescriptor: .passphraseDescriptor
        case .newPassphraseFile: .passphraseFile
        case .newPassphraseCommand: .passphraseCommand
        default: nil
        }
      if let plain { all += try read(plain, value) }
    }
    if all.isEmpty, asks,
      let passphrase = try ask(.creating, "new passphrase: ", terminal: "/dev/tty")
    {
      all.append(.passphrase(passphrase))
    }
    return Credentials(all: all)
  }

  private static func read(
    _ key: OptionKey, _ value: OptionValue
  ) throws(CommandError) -> [Credential] {
    switch (key, value) {
    case (.keyFile, .path(let path)): return [.keyFile(try KeyFile(path))]
    case (.identityFile, .path(let path)):
      return try identities(in: path).map { .identity($0) }
    case (.recipient, .text(let text)):
      return [.recipient(try ArchiveContainer.Recipient(commandLine: text))]
    case (.recipientsFile, .path(let path)):
      return try recipients(in: path).map { .recipient($0) }
    case (.passphraseFile, .path(let path)):
      return [.passphrase(try passphrase(in: path, source: "'\(key.rawValue)'"))]
    case (.passphraseCommand, .text(let command)):
      return [
        .passphrase(
          Passphrase(try runPassphraseCommand(command), source: "'\(key.rawValue)'"))
      ]
    case (.passphraseDescriptor, .number(let number)):
      let source = "'\(key.rawValue) \(number)'"
      return [
        .passphrase(
          Passphrase(try readPassphrase(from: Int32(number), source: source), source: source))
      ]
    default: preconditionFailure("no source of credentials: \(key.rawValue)")
    }
  }

  private static func passphrase(
    in path: FilePath, source: String
  ) throws(CommandError) -> Passphrase {
    let descriptor = try Descriptor.reading(path)
    do {
      return Passphrase(
        try readPassphrase(from: descriptor.number, source: source), source: source)
    } catch {
      var error = error
      error.place.file = path
      throw error
    }
  }

  /// The credentials of the environment, whose copies there are wiped and removed.
  private static func takeEnvironment(isNeeded: Bool) throws(CommandError) -> [Credential] {
    var all: [Credential] = []
    let name = "KCARCHIVE_PASSPHRASE"
    if let characters = unsafe getenv(name) {
      let count = unsafe strlen(characters)
      let bytes = unsafe SecretBytes(
        copying: RawSpan(_unsafeStart: UnsafeRawPointer(characters), byteCount: count))
      unsafe explicit_bzero(characters, count)
      unsafe unsetenv(name)
      if isNeeded {
        all.append(
          .passphrase(Passphrase(try usablePassphrase(bytes, source: name), source: name)))
      }
    }
    let fileName = name + "_FILE"
    if isNeeded, let path = environmentValue(fileName) {
      guard !path.isEmpty else { throw .usage("\(fileName) is empty; it takes a file's name") }
      all.append(.passphrase(try passphrase(in: FilePath(bytes: path), source: fileName)))
    }
    return all
  }

  private static func ask(
    _ need: Need, _ label: String, terminal: FilePath
  ) throws(CommandError) -> Passphrase? {
    guard let prompt = PassphrasePrompt(terminal) else {
      if need == .openingIfPossible { return nil }
      throw .usage(
        "no credential is given, and there is no terminal to ask for a passphrase",
        hint: "'--passphrase-file FILE' names one; 'kcarchive help credentials' shows all ways")
    }
    return Passphrase(
      try need == .creating ? prompt.askForNew(label) : prompt.ask(label),
      source: "the terminal")
  }
}
