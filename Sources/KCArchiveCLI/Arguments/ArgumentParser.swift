// Turns the words of a command line into what a verb's table allows, or into a message that says what
// was probably meant.

/// What a command line asks for.
package enum Invocation: Sendable {
  case run(ParsedArguments)
  /// Help on a verb, or on the program where there is none; `isLong` for `--help`.
  case help(CommandSpec?, isLong: Bool)
  case version
  /// Nothing was given.
  case nothing
}

/// Reads command lines by the tables of `commands`.
package struct ArgumentParser {
  package let commands: [CommandSpec]

  package init(_ commands: [CommandSpec]) {
    self.commands = commands
  }

  /// What `words`, without the program's own name, ask for.
  ///
  /// - Throws: `usage` for everything that the verb's table does not allow.
  package func parse(_ words: [[UInt8]]) throws(CommandError) -> Invocation {
    guard let first = words.first else { return .nothing }
    let name = String(decoding: first, as: UTF8.self)
    switch name {
    case OptionKey.help.rawValue: return .help(nil, isLong: true)
    case OptionKey.shortHelp.rawValue: return .help(nil, isLong: false)
    case "--version": return .version
    default: break
    }
    if let (command, rest) = command(words) { return try parse(rest, of: command) }
    let group = commands.filter { $0.name.utf8.starts(with: first + Array(" ".utf8)) }
    guard group.isEmpty else {
      throw .usage(
        "'\(name)' needs to know what to do",
        hint: "one of: " + group.map { "'\($0.name)'" }.joined(separator: ", "))
    }
    do {
      if first.first == UInt8(ascii: "-") {
        throw .usage(
          "\(quoted(name)) stands where the verb belongs",
          hint: "the verb comes first: 'kcarchive VERB [OPTION ...]'; 'kcarchive help' lists them")
      }
      throw .usage(
        "unknown verb \(quoted(name))",
        hint: nearest(to: name, in: commands.map(\.name)).map { "did you mean '\($0)'?" }
          ?? "'kcarchive help' lists the verbs")
    }
  }

  /// The verb that `words` begin with, which may have two words itself, and what follows.
  private func command(_ words: [[UInt8]]) -> (CommandSpec, ArraySlice<[UInt8]>)? {
    for count in [2, 1] where words.count >= count {
      let name = words[..<count].joined(separator: [UInt8(ascii: " ")])
      if let command = commands.first(where: { $0.name.utf8.elementsEqual(name) }) {
        return (command, words.dropFirst(count))
      }
    }
    return nil
  }

  private func parse(
    _ words: ArraySlice<[UInt8]>, of command: CommandSpec
  ) throws(CommandError) -> Invocation {
    var arguments = ParsedArguments(command)
    var rest = words
    var areOptionsOver = false
    while let word = rest.popFirst() {
      // An empty word is an operand too: a shell variable that was not set, refused as a file later.
      guard !areOptionsOver, word.count > 1, word[0] == UInt8(ascii: "-") else {
        arguments.operands.append(FilePath(bytes: word))
        continue
      }
      if word.elementsEqual("--".utf8) {
        areOptionsOver = true
        continue
      }
      let (spelled, attached) = Self.split(word)
      if attached == nil {
        if spelled == OptionKey.help.rawValue { return .help(command, isLong: true) }
        if spelled == OptionKey.shortHelp.rawValue { return .help(command, isLong: false) }
      }
      let option = try option(spelled, of: command)
      guard option.repeats || !arguments.has(option.key) else {
        throw .usage("'\(spelled)' is given twice", hint: seeHelp(command))
      }
      guard let form = option.form else {
        guard attached == nil else {
          throw .usage("'\(spelled)' takes no value", hint: seeHelp(command))
        }
        arguments.append(option.key, .flag)
        continue
      }
      guard let argument = attached ?? rest.popFirst() else {
        throw .usage(
          "'\(spelled)' needs a value: \(spelled) \(option.placeholder ?? "")",
          hint: seeHelp(command))
      }
      do {
        arguments.append(option.key, try form.value(of: argument))
      } catch {
        throw .usage("'\(spelled)' \(error.reason)", hint: error.hint ?? seeHelp(command))
      }
    }
    try check(arguments)
    return .run(arguments)
  }

  /// `--name=value` as its two parts. Short options are spelled apart from their value, so that a long
  /// option with one `-` too few (`-output`) is an error and not an `-o` that writes to `utput`.
  private static func split(_ word: [UInt8]) -> (spelled: String, attached: [UInt8]?) {
    guard word.starts(with: "--".utf8), let equals = word.firstIndex(of: UInt8(ascii: "=")) else {
      return (String(decoding: word, as: UTF8.self), nil)
    }
    return (String(decoding: word[..<equals], as: UTF8.self), Array(word[(equals + 1)...]))
  }

  private func option(
    _ spelled: String, of command: CommandSpec
  ) throws(CommandError) -> OptionSpec {
    if let option = command.option(spelled: spelled) { return option }
    let known = command.options.map(\.key.rawValue) + [OptionKey.help.rawValue]
    let long = known.filter { $0.utf8.count > 2 }
    // One letter is near every other letter, so short ones are never guessed at.
    let meant = spelled.utf8.count > 2 ? nearest(to: spelled, in: long) : nil
    throw .usage(
      "unknown option \(quoted(spelled)) for \(command.name)",
      hint: meant.map { "did you mean '\($0)'?" } ?? seeHelp(command))
  }

  private func check(_ arguments: ParsedArguments) throws(CommandError) {
    let command = arguments.command
    for key in command.required where !arguments.has(key) {
      let placeholder = command.option(spelled: key.rawValue)?.placeholder.map { " " + $0 } ?? ""
      throw .usage("\(command.name) needs '\(key.rawValue)\(placeholder)'", hint: seeHelp(command))
    }
    for group in command.exclusive {
      let given = group.filter(arguments.has)
      guard given.count < 2 else {
        throw .usage("'\(given[0].rawValue)' and '\(given[1].rawValue)' exclude each other")
      }
    }
    for (key, other) in command.needs where arguments.has(key) && !arguments.has(other) {
      throw .usage("'\(key.rawValue)' is of use only with '\(other.rawValue)'")
    }
    try checkOperands(arguments)
    try command.check(arguments)
  }

  private func checkOperands(_ arguments: ParsedArguments) throws(CommandError) {
    let command = arguments.command
    let operands = arguments.operands
    guard let operand = command.operand else {
      guard let first = operands.first else { return }
      throw .usage("\(command.name) takes no operand, not \(quoted(first))", hint: seeHelp(command))
    }
    if operands.contains(where: \.bytes.isEmpty) {
      throw .usage("an empty \(operand.placeholder) is given; is a shell variable unset?")
    }
    switch operand.count {
    case .one where operands.isEmpty, .oneOrMore where operands.isEmpty:
      throw .usage("\(command.name) needs \(operand.placeholder)", hint: seeHelp(command))
    case .one where operands.count > 1, .optional where operands.count > 1:
      throw .usage(
        "\(command.name) takes one \(operand.placeholder), and \(quoted(operands[1])) is a second",
        hint: seeHelp(command))
    default: break
    }
    if operand.readsStandardInput, operands.filter(\.isStandardStream).count > 1 {
      throw .usage("the standard input is named twice: it can be read only once")
    }
  }

  private func seeHelp(_ command: CommandSpec) -> String {
    "'kcarchive help \(command.name)' lists what it takes"
  }
}

/// Whether errors are to be JSON: known before the command line was read, as it may be what is wrong.
package func asksForJSON(_ words: [[UInt8]]) -> Bool {
  words.prefix { !$0.elementsEqual("--".utf8) }.contains {
    $0.elementsEqual(OptionKey.json.rawValue.utf8)
      || $0.elementsEqual(OptionKey.jsonLines.rawValue.utf8)
  }
}
