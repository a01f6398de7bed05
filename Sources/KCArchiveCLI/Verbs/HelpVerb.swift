// `kcarchive help`.

extension Verb {
  /// `help` on the program, a verb or a topic.
  static let help = Verb(.help) { arguments, console throws(CommandError) in
    let commands = Program.verbs.map(\.command)
    let words = arguments.operands.map(\.bytes)
    let subject = FilePath(bytes: Array(words.joined(separator: [UInt8(ascii: " ")])))
    guard !words.isEmpty else {
      try console.output.write(HelpText.program(commands, isLong: true))
      return .done
    }
    if let command = commands.first(where: { $0.name.utf8.elementsEqual(subject.bytes) }) {
      try console.output.write(HelpText.verb(command, isLong: true))
      return .done
    }
    let group = commands.filter { $0.name.utf8.starts(with: subject.bytes + Array(" ".utf8)) }
    if !group.isEmpty {
      for (index, command) in group.enumerated() {
        if index > 0 { try console.output.writeLine("") }
        try console.output.write(HelpText.verb(command, isLong: false))
      }
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
