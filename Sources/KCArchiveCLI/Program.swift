// From the words of the command line to the exit status.

internal import CLinux
internal import Glibc

/// A verb: its table and what it does.
package struct Verb: Sendable {
  /// Does the work and says how it ended; what goes wrong on the way is thrown.
  package typealias Body =
    @Sendable (ParsedArguments, Console) throws(CommandError) -> ExitStatus

  package let command: CommandSpec
  package let body: Body

  package init(_ command: CommandSpec, _ body: @escaping Body) {
    self.command = command
    self.body = body
  }
}

/// The program `kcarchive`.
package enum Program {
  package static let version = "0.1.0"

  /// What the program can do, in the order of the help.
  package static let verbs: [Verb] = [
    .pack, .inspect, .migrate, .list, .get, .put, .delete, .restore, .verify, .slotList,
    .slotAdd, .slotRemove, .slotTest, .keygen, .compact, .rekey, .salvage, .headerExport,
    .headerImport, .convert, .help, .version,
  ]

  /// Runs the program on the arguments of the process.
  package static func main() -> Never {
    // A wish: where it is not granted, secrets are as safe as in any other program.
    _ = forbid_inspection()
    openStandardDescriptors()
    Interruption.install()
    let words = processArguments()
    exit(run(words, Console(isJSON: asksForJSON(words))).rawValue)
  }

  /// Runs the program on `words`, its arguments without its own name.
  package static func run(_ words: [[UInt8]], _ console: Console) -> ExitStatus {
    let status: ExitStatus
    do {
      status = try perform(words, console)
      try console.output.flush()
    } catch {
      // What was found before the failure is shown before it; that this fails too is no news.
      try? console.output.flush()
      console.error(error)
      return error.status
    }
    return status
  }

  private static func perform(
    _ words: [[UInt8]], _ console: Console
  ) throws(CommandError) -> ExitStatus {
    let commands = verbs.map(\.command)
    switch try ArgumentParser(commands).parse(words) {
    case .nothing:
      throw .usage("no verb is given", hint: "'kcarchive help' lists the verbs")
    case .version: return try Verb.version.body(ParsedArguments(.version), console)
    case .help(nil, let isLong):
      try console.output.write(HelpText.program(commands, isLong: isLong))
      return .done
    case .help(let command?, let isLong):
      try console.output.write(HelpText.verb(command, isLong: isLong))
      return .done
    case .run(let arguments):
      guard let verb = verbs.first(where: { $0.command.name == arguments.command.name }) else {
        preconditionFailure("a verb without a body: \(arguments.command.name)")
      }
      return try verb.body(arguments, console)
    }
  }

  /// The arguments of the process as bytes; `CommandLine.arguments` would repair those that are not
  /// UTF-8.
  private static func processArguments() -> [[UInt8]] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      guard let characters = unsafe CommandLine.unsafeArgv[index] else { return nil }
      return unsafe Array(UnsafeRawBufferPointer(start: characters, count: strlen(characters)))
    }
  }

  /// Where the program was started with a standard descriptor closed, the next file that it opens would
  /// take its place, and messages would be written into an archive.
  private static func openStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is this one.
      _ = unsafe open("/dev/null", O_RDWR)
    }
  }
}
