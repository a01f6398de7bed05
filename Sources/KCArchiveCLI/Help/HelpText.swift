// Help as swift-argument-parser lays it out: overview, usage, sections with labels in a column of 26, 80
// columns in all. Everything comes from the verbs' tables.

/// A text of help, built section by section.
package struct HelpText {
  package private(set) var text = ""

  private static let width = 80
  private static let labelWidth = 26

  /// Help on one verb: `-h`, or the long form of `--help`.
  package static func verb(_ command: CommandSpec, isLong: Bool) -> String {
    var help = HelpText()
    help.paragraph("OVERVIEW: " + command.overview)
    if isLong { for text in command.discussion { help.paragraph(text) } }
    help.paragraph("USAGE: " + usage(command), indent: 7)
    if let operand = command.operand {
      help.section("ARGUMENTS", [(operand.placeholder, operand.summary)])
    }
    for section in command.sections {
      var rows = section.options.map { ($0.label, isLong ? $0.longText : $0.summary) }
      if section.title == "OPTIONS" { rows.append(("-h, --help", "Show help; --help shows more")) }
      help.section(section.title, rows)
    }
    if isLong { help.lines("EXAMPLE", command.example) }
    return help.text
  }

  /// Help on the program.
  package static func program(_ commands: [CommandSpec], isLong: Bool) -> String {
    var help = HelpText()
    help.paragraph("OVERVIEW: Put a keychain into one encrypted file, and take it out again")
    help.paragraph("USAGE: kcarchive VERB [OPTION ...]", indent: 7)
    help.section("VERBS", commands.map { ($0.name, $0.overview) })
    help.section("TOPICS", HelpTopic.allCases.map { ($0.rawValue, $0.overview) })
    if isLong, let example = commands.first?.example { help.lines("EXAMPLE", example) }
    help.paragraph("'kcarchive help VERB' and 'kcarchive help TOPIC' tell more.")
    return help.text
  }

  /// `kcarchive pack -o OUT [INPUT ...] [OPTION ...]`.
  static func usage(_ command: CommandSpec) -> String {
    var words = ["kcarchive", command.name]
    for key in command.required {
      words.append(command.option(spelled: key.rawValue)?.label ?? key.rawValue)
    }
    if let operand = command.operand { words.append(operand.usage) }
    if command.options.count > command.required.count { words.append("[OPTION ...]") }
    return words.joined(separator: " ")
  }

  /// Adds a paragraph; lines after the first are indented.
  mutating func paragraph(_ paragraph: String, indent: Int = 0) {
    separate()
    append(wrapped(paragraph, width: Self.width, indent: indent))
  }

  /// Adds a title and rows of a label and a text.
  mutating func section(_ title: String, _ rows: [(label: String, text: String)]) {
    separate()
    append(title + ":")
    for (label, text) in rows {
      let start = "  " + label
      let lines = wrapped(text, width: Self.width - Self.labelWidth, indent: 0)
      let indented = lines.split(separator: "\n").map {
        String(repeating: " ", count: Self.labelWidth) + $0
      }
      // A label that leaves no gap has a line of its own.
      guard start.utf8.count < Self.labelWidth else {
        append(([start] + indented).joined(separator: "\n"))
        continue
      }
      append(start + indented.joined(separator: "\n").dropFirst(start.utf8.count))
    }
  }

  /// Adds a title and lines as they are.
  mutating func lines(_ title: String, _ lines: [String]) {
    separate()
    append(title + ":")
    for line in lines { append("  " + line) }
  }

  private mutating func separate() {
    if !text.isEmpty { text += "\n" }
  }

  private mutating func append(_ line: String) {
    text += line + "\n"
  }
}

/// `text` in lines of at most `width` columns, those after the first indented. Our own texts are ASCII.
private func wrapped(_ text: String, width: Int, indent: Int) -> String {
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty && line.utf8.count + 1 + word.utf8.count > width {
      lines.append(line)
      line = String(repeating: " ", count: indent) + word
    } else {
      line += (line.isEmpty ? "" : " ") + word
    }
  }
  return (lines + [line]).joined(separator: "\n")
}

extension OperandSpec {
  /// `[INPUT ...]`.
  fileprivate var usage: String {
    switch count {
    case .one: placeholder
    case .optional: "[\(placeholder)]"
    case .any: "[\(placeholder) ...]"
    case .oneOrMore: "\(placeholder) ..."
    }
  }
}

extension OptionSpec {
  /// `--kdf-memory SIZE`.
  var label: String {
    placeholder.map { "\(key.rawValue) \($0)" } ?? key.rawValue
  }

  /// The summary, and the detail as sentences behind it.
  var longText: String {
    detail.map { "\(summary). \($0)" } ?? summary
  }
}
