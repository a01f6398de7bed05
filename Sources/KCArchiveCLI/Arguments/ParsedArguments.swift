// What a command line said, as the verbs ask for it.

/// The options and operands of one verb, checked against its table.
package struct ParsedArguments: Sendable {
  package let command: CommandSpec
  package internal(set) var operands: [FilePath] = []

  /// In the order of the command line, which is the order in which credentials are tried.
  package private(set) var options: [(key: OptionKey, value: OptionValue)] = []

  init(_ command: CommandSpec) {
    self.command = command
  }

  mutating func append(_ key: OptionKey, _ value: OptionValue) {
    options.append((key, value))
  }

  /// Whether `key` was given.
  package func has(_ key: OptionKey) -> Bool {
    options.contains { $0.key == key }
  }

  /// The value of `key`; nil where it was not given.
  package func value(_ key: OptionKey) -> OptionValue? {
    options.first { $0.key == key }?.value
  }

  /// All values of an option that repeats.
  package func values(_ key: OptionKey) -> [OptionValue] {
    options.compactMap { $0.key == key ? $0.value : nil }
  }

  /// The text of `key`, whose form is text or a choice.
  package func text(_ key: OptionKey) -> String? {
    guard case .text(let text) = value(key) else { return nil }
    return text
  }

  /// The file named by `key`, whose form is a path.
  package func path(_ key: OptionKey) -> FilePath? {
    guard case .path(let path) = value(key) else { return nil }
    return path
  }

  /// The number of `key`, whose form is a count or a size (then in bytes).
  package func number(_ key: OptionKey) -> UInt64? {
    guard case .number(let number) = value(key) else { return nil }
    return number
  }

  /// Whether one operand is `-` and the verb reads the standard input for it.
  package var readsStandardInput: Bool {
    command.operand?.readsStandardInput == true && operands.contains { $0.isStandardStream }
  }

  /// Whether results are to be JSON: `--json` or `--jsonl`.
  package var wantsJSON: Bool { has(.json) || has(.jsonLines) }
}
