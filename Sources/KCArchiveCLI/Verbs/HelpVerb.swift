// `kcarchive help`.

extension Verb {
  /// `help` on the program, a verb or a topic.
  static let help = Verb(.help) { arguments, console throws(CommandError) in
    let commands = Program.verbs.map(\.command)
    guard let subject = arguments.operands.first else {
      try console.output.write(HelpText.program(commands, isLong: true))
      return .done
    }
    if let command = commands.first(where: { $0.name.utf8.elementsEqual(subject.bytes) }) {
      try console.output.write(HelpText.verb(command, isLong: true))
      return .done
    }
    if let topic = HelpTopic.allCases.first(where: {
      $0.rawValue.utf8.elementsEqual(subject.bytes)
    }) {
      try console.output.write(topic.text)
      return .done
    }
    let subjects = commands.map(\.name) + HelpTopic.allCases.map(\.rawValue)
    throw .usage(
      "there is no help on \(quoted(subject))",
      hint: nearest(to: String(decoding: subject.bytes, as: UTF8.self), in: subjects).map {
        "did you mean '\($0)'?"
      } ?? "'kcarchive help' lists verbs and topics")
  }
}
