// The topics of `kcarchive help`: what concerns more than one verb.

package enum HelpTopic: String, Sendable, CaseIterable {
  case credentials
  case formats
  case exitCodes = "exit-codes"

  var overview: String {
    switch self {
    case .credentials: "What opens an archive, and where it is read from"
    case .formats: "What kcarchive reads and writes"
    case .exitCodes: "What the exit status tells"
    }
  }

  /// The topic's page.
  package var text: String {
    var help = HelpText()
    help.paragraph("TOPIC: " + overview)
    switch self {
    case .credentials: Self.addCredentials(to: &help)
    case .formats: Self.addFormats(to: &help)
    case .exitCodes:
      help.section(
        "EXIT STATUS",
        ExitStatus.allCases.map { ("\($0.rawValue)  \($0.name)", $0.meaning) })
    }
    return help.text
  }

  private static func addCredentials(to help: inout HelpText) {
    help.paragraph(
      "An archive has one or more credentials, each of which opens it by itself: passphrases, key "
        + "files, age identities, recovery codes. When an archive is made, every credential that is given becomes one of its own. When "
        + "one is read, all that are given are tried, the cheapest first.")
    help.section(
      "IN THIS ORDER",
      [
        ("--passphrase-fd N", "What file descriptor N gives up to its end"),
        ("--passphrase-file FILE", "The content of FILE"),
        ("--passphrase-command CMD", "What CMD prints"),
        ("--key-file FILE", "FILE itself, 32 bytes or more"),
        ("-i FILE", "The age identities in FILE; -r and -R name recipients when writing"),
        ("KCARCHIVE_PASSPHRASE", "This variable, if nothing of the above is given"),
        ("KCARCHIVE_PASSPHRASE_FILE", "The file that this variable names, likewise"),
        ("a prompt", "On the terminal, if there is nothing else"),
      ])
    help.paragraph(
      "One line feed at the end of a file, a descriptor or a command's output does not belong to the "
        + "passphrase. --with-key-file FILE mixes FILE into the passphrase: it then takes both. A "
        + "passphrase is never an argument, as other users can see those.")
    help.paragraph(
      "With --recovery-code, what is read or typed as passphrase is a recovery code. 'slot add' makes "
        + "one, and 'slot list' shows what an archive has.")
    help.lines(
      "EXAMPLE",
      [
        "head -c 64 /dev/urandom > demo.key",
        "kcarchive pack -o demo.kcarchive --force --key-file demo.key /etc/hostname",
        "kcarchive list demo.kcarchive --key-file demo.key",
      ])
  }

  private static func addFormats(to help: inout HelpText) {
    help.section(
      "FORMATS",
      [
        ("archive", "kcarchive's own, known by its content whatever its name"),
        ("property list", "Binary, XML or OpenStep text, known by its content: 'inspect' shows it"),
        ("keyed archive", "Of objects, in binary or XML: 'inspect' shows them"),
        ("typed stream", "Of objects, from NSArchiver: 'inspect' shows them"),
        (".json", "Items: an array of objects, or {\"version\":1,\"items\":[...]}"),
        (".jsonl", "Items: one object a line"),
        ("any file", "An item of class file, with its path, mode and time of change"),
      ])
    help.paragraph("An item in JSON, on one line in .jsonl:")
    help.lines(
      "ITEM",
      [
        "{\"class\":\"genp\",\"service\":\"com.example.app\",\"account\":\"alice\",",
        " \"accessGroup\":\"ABCDE12345.com.example\",\"accessible\":\"ck\",",
        " \"created\":\"2024-05-01T12:00:00Z\",\"value\":{\"utf8\":\"s3cret\"}}",
      ])
    help.section(
      "VALUE",
      [
        ("{\"utf8\":TEXT}", "Text"),
        ("{\"base64\":TEXT}", "Bytes"),
        ("{\"plist\":VALUE}", "A property list as JSON"),
        ("{\"file\":PATH}", "The content of a file below the folder of the JSON file"),
      ])
  }
}
