// Command lines and what the tables make of them.

import Testing

@testable import KCArchiveCLI

/// Parses the words of `line`, which are separated by single spaces.
private func parse(_ line: String) throws(CommandError) -> Invocation {
  let words = line.split(separator: " ", omittingEmptySubsequences: false).map { Array($0.utf8) }
  return try ArgumentParser(CommandSpec.all).parse(line.isEmpty ? [] : words)
}

private func arguments(_ line: String) throws -> ParsedArguments {
  guard case .run(let arguments) = try parse(line) else {
    Issue.record("\(line) is no run of a verb")
    throw CommandError.usage("no run")
  }
  return arguments
}

/// A command line that is refused.
struct Refusal: Sendable, CustomTestStringConvertible {
  let line: String
  let message: String
  let hint: String?

  init(_ line: String, _ message: String, _ hint: String? = nil) {
    self.line = line
    self.message = message
    self.hint = hint
  }

  var testDescription: String { line }
}

@Suite struct ArgumentParserTests {
  @Test("Options, their values and operands may stand in any order")
  func order() throws {
    let parsed = try arguments("pack certs --label=work -o out.kcarchive --no-compress items.jsonl")
    #expect(parsed.operands == ["certs", "items.jsonl"])
    #expect(parsed.path(.output) == "out.kcarchive")
    #expect(parsed.text(.label) == "work")
    #expect(parsed.has(.noCompress))
    #expect(!parsed.has(.force))
  }

  @Test("'--' ends the options and '-' is an operand")
  func endOfOptions() throws {
    let parsed = try arguments("pack -o out - -- --force -x")
    #expect(parsed.operands == ["-", "--force", "-x"])
    #expect(!parsed.has(.force))
    #expect(parsed.readsStandardInput)
  }

  @Test("A value may begin with '-' and hold '='")
  func oddValues() throws {
    let parsed = try arguments("list a.kcarchive -s --x --where=desc=a=b --where comment=")
    #expect(parsed.text(.service) == "--x")
    #expect(
      ItemQuery(parsed).attributes == [
        AttributeMatch(name: "desc", value: "a=b"), AttributeMatch(name: "comment", value: ""),
      ])
  }

  @Test("A file's name need not be UTF-8, other values must be")
  func bytes() throws {
    let parser = ArgumentParser(CommandSpec.all)
    let name: [UInt8] = [0x66, 0xFC]
    let list = Array("list".utf8)
    guard case .run(let parsed) = try parser.parse([list, name]) else {
      Issue.record("not parsed")
      return
    }
    #expect(parsed.operands == [FilePath(bytes: name)])
    let error = #expect(throws: CommandError.self) {
      try parser.parse([list, Array("a".utf8), Array("-s".utf8), name])
    }
    #expect(error?.message == #"'-s' has a value that is not UTF-8: 'f\xfc'"#)
  }

  @Test("Repeated options keep the order of the command line, also between kinds")
  func repeated() throws {
    let parsed = try arguments(
      "list a --key-file k1 --passphrase-fd 3 --key-file k2 --passphrase-file p")
    #expect(
      parsed.options.map(\.key) == [.keyFile, .passphraseDescriptor, .keyFile, .passphraseFile])
    #expect(parsed.values(.keyFile) == [.path("k1"), .path("k2")])
  }

  @Test("Groups of options come as one value")
  func groups() throws {
    let parsed = try arguments(
      "list a -c genp -s S -a A --access-group G --server H --kdf-max-memory 2GiB"
        + " --kdf-max-time 9 --require-commit 7:00112233445566FF --accept-old-header")
    let query = ItemQuery(parsed)
    #expect(query.itemClass == "genp" && query.service == "S" && query.account == "A")
    #expect(query.accessGroup == "G" && query.server == "H" && query.attributes.isEmpty)
    let limits = ReadingLimits(parsed)
    #expect(limits.kdfMaxMemoryByteCount == 2 << 30 && limits.kdfMaxTime == 9)
    #expect(limits.requiredCommit == CommitPin(number: 7, hash: "00112233445566ff"))
    #expect(limits.acceptsOldHeader)
    let kdf = try KDFRequest(try arguments("pack -o o --kdf scrypt --kdf-memory 64MiB"))
    #expect(kdf.algorithm == .scrypt && kdf.memoryByteCount == 64 << 20 && kdf.time == nil)
    #expect(try KDFRequest(try arguments("pack -o o")).algorithm == .argon2id)
    #expect(ProgressMode(try arguments("pack -o o")) == .auto)
    #expect(ProgressMode(try arguments("verify a --progress json")) == .json)
  }

  @Test("Help and version are asked for in the usual ways")
  func helpAndVersion() throws {
    func kind(_ line: String) throws -> String {
      switch try parse(line) {
      case .run(let arguments): "run \(arguments.command.name)"
      case .help(let command, let isLong): "help \(command?.name ?? "-") \(isLong)"
      case .version: "version"
      case .nothing: "nothing"
      }
    }
    #expect(try kind("") == "nothing")
    #expect(try kind("--version") == "version")
    #expect(try kind("version --json") == "run version")
    #expect(try kind("-h") == "help - false")
    #expect(try kind("--help") == "help - true")
    #expect(try kind("pack -h") == "help pack false")
    #expect(try kind("list --help") == "help list true")
    #expect(try kind("help exit-codes") == "run help")
  }

  static let refusals = [
    Refusal("lsit a", "unknown verb 'lsit'", "did you mean 'list'?"),
    Refusal("frobnicate", "unknown verb 'frobnicate'", "'kcarchive help' lists the verbs"),
    Refusal("frobnicate a -o b", "unknown verb 'frobnicate'", "'kcarchive help' lists the verbs"),
    Refusal(
      "slot", "'slot' needs to know what to do",
      "one of: 'slot list', 'slot add', 'slot remove', 'slot test'"),
    Refusal("\u{1B}[2J", #"unknown verb '\u{1b}[2J'"#, "'kcarchive help' lists the verbs"),
    Refusal(
      "--json list a", "'--json' stands where the verb belongs",
      "the verb comes first: 'kcarchive VERB [OPTION ...]'; 'kcarchive help' lists them"),
    Refusal(
      "pack -o a --pasphrase-file p", "unknown option '--pasphrase-file' for pack",
      "did you mean '--passphrase-file'?"),
    Refusal(
      "pack -o a --force=yes", "'--force' takes no value",
      "'kcarchive help pack' lists what it takes"),
    Refusal(
      "pack -o a -x", "unknown option '-x' for pack", "'kcarchive help pack' lists what it takes"),
    Refusal(
      "list a -output b", "unknown option '-output' for list",
      "'kcarchive help list' lists what it takes"),
    Refusal(
      "list a --rebuild", "unknown option '--rebuild' for list",
      "'kcarchive help list' lists what it takes"),
    Refusal(
      "pack -o a -q", "unknown option '-q' for pack",
      "'kcarchive help pack' lists what it takes"),
    Refusal("list", "list needs ARCHIVE", "'kcarchive help list' lists what it takes"),
    Refusal("inspect", "inspect needs FILE", "'kcarchive help inspect' lists what it takes"),
    Refusal(
      "list a b", "list takes one ARCHIVE, and 'b' is a second",
      "'kcarchive help list' lists what it takes"),
    Refusal(
      "version now", "version takes no operand, not 'now'",
      "'kcarchive help version' lists what it takes"),
    Refusal("list ", "an empty ARCHIVE is given; is a shell variable unset?"),
    Refusal("pack a", "pack needs '-o OUT'", "'kcarchive help pack' lists what it takes"),
    Refusal(
      "pack -o", "'-o' needs a value: -o OUT", "'kcarchive help pack' lists what it takes"),
    Refusal("pack -o ", "'-o' needs a file's name", "'kcarchive help pack' lists what it takes"),
    Refusal("pack -o a -o b", "'-o' is given twice", "'kcarchive help pack' lists what it takes"),
    Refusal("pack -o a - -", "the standard input is named twice: it can be read only once"),
    Refusal("pack -o a --verify --no-verify", "'--verify' and '--no-verify' exclude each other"),
    Refusal("pack -o - --json", "'-o -' and '--json' both write to standard output"),
    Refusal(
      "pack -o - --verify", "'--verify' reads the archive back, and a pipe can't be read back"),
    Refusal(
      "pack -o a --label 123456789012345678901234567890123",
      "'--label' takes at most 32 bytes, not 33"),
    Refusal(
      "pack -o a --kdf argon2i", "'--kdf' takes 'argon2id', 'scrypt' or 'pbkdf2', not 'argon2i'",
      "did you mean 'argon2id'?"),
    Refusal(
      "pack -o a --kdf pbkdf2 --kdf-memory 1GiB", "'--kdf-memory' has no meaning for pbkdf2"),
    Refusal(
      "pack -o a --kdf scrypt --kdf-parallelism 2", "'--kdf-parallelism' has no meaning for scrypt"),
    Refusal(
      "pack -o a --kdf-memory 64MB", "'--kdf-memory' takes a size, not '64MB'",
      "sizes are written 512KiB, 64MiB, 1GiB or in bytes"),
    Refusal(
      "pack -o a --kdf-time 0", "'--kdf-time' must be 1 or more",
      "'kcarchive help pack' lists what it takes"),
    Refusal(
      "list a --passphrase-fd -1", "'--passphrase-fd' takes a number, not '-1'",
      "'kcarchive help list' lists what it takes"),
    Refusal("list a --json --jsonl", "'--json' and '--jsonl' exclude each other"),
    Refusal(
      "list a --where =x", "'--where' takes NAME=VALUE, not '=x'",
      "'kcarchive help list' lists what it takes"),
    Refusal(
      "list a -c gemp", "'-c' takes 'genp', 'inet', 'cert', 'keys', 'idnt' or 'file', not 'gemp'",
      "did you mean 'genp'?"),
    Refusal("get a --force", "'--force' is of use only with '-o'"),
    Refusal("restore a -C d --to json -o x", "'-C' and '--to' exclude each other"),
    Refusal("restore a --to json", "'--to' is of use only with '-o'"),
    Refusal("restore a -o x", "'-o' is of use only with '--to'"),
  ]

  @Test("What a table does not allow is status 2, with a hint", arguments: refusals)
  func refused(_ refusal: Refusal) throws {
    let error = try #require(throws: CommandError.self) { try parse(refusal.line) }
    #expect(error.status == .usage)
    #expect(error.message == refusal.message)
    #expect(error.hint == refusal.hint)
  }

  @Test(
    "Sizes are digits with a binary unit",
    arguments: [
      ("1", 1), ("512KiB", 512 << 10), ("64MiB", 64 << 20), ("1GiB", 1 << 30), ("3TiB", 3 << 40),
      ("9223372036854775807", Int64.max),
    ])
  func sizes(_ text: String, _ expected: Int64) throws {
    #expect(try ValueForm.size.value(of: Array(text.utf8)) == .number(UInt64(expected)))
  }

  @Test(
    "What is no size is refused",
    arguments: [
      "", "0", "0MiB", "-1", "+1", "1.5MiB", "64mib", "64 MiB", "MiB", "64MiBs", "1e3",
      "9223372036854775808", "18446744073709551616", "8388608TiB", "１",
    ])
  func notSizes(_ text: String) {
    #expect(throws: ValueForm.Problem.self) { try ValueForm.size.value(of: Array(text.utf8)) }
  }

  @Test(
    "A commit is a number, with at least 16 digits of its hash",
    arguments: [
      ("1", true), ("18446744073709551615", true), ("1:0123456789abcdef", true), ("0", false),
      ("1:", false), ("1:0123456789abcde", false), ("1:0123456789abcdeg", false), (":", false),
      ("1:" + String(repeating: "a", count: 64), true),
      ("1:" + String(repeating: "a", count: 65), false), ("18446744073709551616", false),
    ])
  func commits(_ text: String, _ isCommit: Bool) {
    let value = try? ValueForm.commit.value(of: Array(text.utf8))
    #expect((value != nil) == isCommit)
  }

  @Test("Whether errors are to be JSON is known without parsing")
  func jsonErrors() {
    func asks(_ words: String...) -> Bool { asksForJSON(words.map { Array($0.utf8) }) }
    #expect(asks("nonsense", "--json"))
    #expect(asks("list", "--jsonl", "--"))
    #expect(!asks("list", "--", "--json"))
    #expect(!asks("list", "--jso"))
  }
}

@Suite struct SuggestionTests {
  @Test(
    "The edit distance counts a swap as one",
    arguments: [
      ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("lsit", "list", 1),
      ("kitten", "sitting", 3),
    ])
  func distance(_ left: String, _ right: String, _ expected: Int) {
    #expect(editDistance(Array(left.utf8), Array(right.utf8)) == expected)
  }

  @Test("Only what is near, or begins alike, is suggested")
  func near() {
    let words = CommandSpec.all.map(\.name)
    #expect(nearest(to: "verfy", in: words) == "verify")
    #expect(nearest(to: "insp", in: words) == "inspect")
    #expect(nearest(to: "xyz", in: words) == nil)
    #expect(nearest(to: String(repeating: "list", count: 100), in: words) == nil)
  }
}

@Suite struct TableTests {
  @Test("Each table is consistent with itself", arguments: CommandSpec.all.map(\.name))
  func consistent(_ name: String) throws {
    let command = try #require(CommandSpec.all.first { $0.name == name })
    let keys = command.options.map(\.key)
    #expect(Set(keys).count == keys.count)
    let mentioned =
      command.required + command.exclusive.flatMap(\.self)
      + command.needs.flatMap { [$0.0, $0.1] }
    for key in mentioned { #expect(keys.contains(key), "\(key.rawValue)") }
  }

  @Test("Every option is in some table")
  func used() {
    let used = Set(CommandSpec.all.flatMap { $0.options.map(\.key) })
    #expect(Set(OptionKey.allCases).subtracting(used) == [.help, .shortHelp])
  }
}
