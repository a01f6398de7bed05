// The shape of the tables in Arguments/Tables: one table a verb drives the parser, the help text and
// what else needs to know a verb's options.

/// An option of a verb.
package struct OptionSpec: Sendable {
  package let key: OptionKey
  /// What the option's value is called in the help, `SIZE`; nil for a flag.
  package let placeholder: String?
  /// nil for a flag.
  package let form: ValueForm?
  /// Whether it may be given more than once.
  package let repeats: Bool
  /// One sentence without a full stop, shown by `-h`.
  package let summary: String
  /// More of it, shown by `--help`.
  package let detail: String?

  /// An option without a value.
  package static func flag(
    _ key: OptionKey, _ summary: String, detail: String? = nil
  ) -> OptionSpec {
    OptionSpec(
      key: key, placeholder: nil, form: nil, repeats: false, summary: summary, detail: detail)
  }

  /// An option with a value.
  package static func value(
    _ key: OptionKey, _ placeholder: String, _ form: ValueForm, _ summary: String,
    detail: String? = nil, repeats: Bool = false
  ) -> OptionSpec {
    OptionSpec(
      key: key, placeholder: placeholder, form: form, repeats: repeats, summary: summary,
      detail: detail)
  }
}

/// Options under a common title of the help.
package struct OptionSection: Sendable {
  package let title: String
  package let options: [OptionSpec]

  package init(_ title: String, _ options: [OptionSpec]) {
    self.title = title
    self.options = options
  }
}

/// The words of a command line that are no options.
package struct OperandSpec: Sendable {
  package enum Count: Sendable { case one, optional, any, oneOrMore }

  package let placeholder: String
  package let count: Count
  package let summary: String
  /// Whether `-` here means that the standard input is read.
  package let readsStandardInput: Bool

  package init(
    _ placeholder: String, _ count: Count, _ summary: String, readsStandardInput: Bool = false
  ) {
    self.placeholder = placeholder
    self.count = count
    self.summary = summary
    self.readsStandardInput = readsStandardInput
  }
}

/// Everything the command line knows about a verb.
package struct CommandSpec: Sendable {
  package let name: String
  /// What the verb does, in one line.
  package let overview: String
  /// Paragraphs for `--help`.
  package let discussion: [String]
  package let operand: OperandSpec?
  package let sections: [OptionSection]
  /// Options that have to be there.
  package let required: [OptionKey]
  /// Of each of these groups, one option at most.
  package let exclusive: [[OptionKey]]
  /// `(a, b)`: `a` makes no sense without `b`.
  package let needs: [(OptionKey, OptionKey)]
  /// What the lists above cannot say; called when all of them hold.
  package let check: @Sendable (ParsedArguments) throws(CommandError) -> Void
  /// Shell lines that work as they stand in an empty directory.
  package let example: [String]

  package init(
    _ name: String, _ overview: String, discussion: [String] = [], operand: OperandSpec? = nil,
    sections: [OptionSection] = [], required: [OptionKey] = [], exclusive: [[OptionKey]] = [],
    needs: [(OptionKey, OptionKey)] = [],
    check: @escaping @Sendable (ParsedArguments) throws(CommandError) -> Void = { _ in },
    example: [String]
  ) {
    self.name = name
    self.overview = overview
    self.discussion = discussion
    self.operand = operand
    self.sections = sections
    self.required = required
    self.exclusive = exclusive
    self.needs = needs
    self.check = check
    self.example = example
  }

  /// All options in the order of the help.
  package var options: [OptionSpec] { sections.flatMap(\.options) }

  /// The option that is spelled `name`.
  package func option(spelled name: String) -> OptionSpec? {
    options.first { $0.key.rawValue.utf8.elementsEqual(name.utf8) }
  }
}
