// The table of `migrate`.

extension CommandSpec {
  package static let migrate = CommandSpec(
    "migrate", "Move secrets out of property lists into an archive",
    discussion: [
      "SOURCE is a preferences list, binary, XML or OpenStep, or a folder that is searched for files ending in "
        + ".plist. Keys that look secret become items of the archive: generic passwords whose service is "
        + "the list's domain and whose account is the key's path. Sources are never changed.",
      "What will be taken and what will be left is listed before anything is written; no value is shown. What "
        + "was written is read back and compared with the sources. 'restore --to plist' is the way back.",
    ],
    operand: OperandSpec("SOURCE", .oneOrMore, "Property lists, and folders of them"),
    sections: [
      OptionSection(
        "OPTIONS",
        [
          .value(.output, "OUT", .path, "The archive to make; '-' is standard output"),
          .flag(.dryRun, "Show what would be done, and do nothing"),
          .flag(
            .all, "Take every key, and each list as a file",
            detail: "'restore --to plist' then gives the lists back byte for byte."),
          .value(
            .rules, "FILE", .path, "Let the rules in FILE decide first",
            detail: "A property list or JSON: Spec/item-model.md, section 7."),
          .value(
            .redact, "OUT.plist", .path, "Write a copy of the source without what was moved",
            detail:
              "A folder of copies for several sources. Of keys taken by --all only, the copy keeps "
              + "them."),
          .flag(
            .strict, "Stop before writing at any loss or irregularity",
            detail: "An irregularity is something in a list that Apple's parsers let pass."),
          .force,
          .flag(.noCompress, "Store values as they are"),
          .value(
            .label, "TEXT", .text, "A name for the credential, shown to who has one",
            detail: "At most 32 bytes of UTF-8."),
          .progress,
          .json,
        ]),
      .newCredentials,
      .keyDerivation,
    ],
    check: { arguments throws(CommandError) in
      try refuseTwoStreams(arguments)
      try checkLabel(arguments)
      if !arguments.has(.dryRun), !arguments.has(.output) {
        throw .usage("'migrate' needs '-o OUT' or '--dry-run'")
      }
      if let copy = arguments.path(.redact), copy.isStandardStream {
        throw .usage("'--redact' takes the name of a file")
      }
      _ = try KDFRequest(arguments)
    },
    example: [
      "cat > com.example.app.plist << END",
      "<plist version=\"1.0\"><dict><key>password</key><string>s3cret</string></dict></plist>",
      "END",
      "kcarchive migrate com.example.app.plist --dry-run",
    ])
}

/// Refuses a label that no slot can hold.
func checkLabel(_ arguments: ParsedArguments) throws(CommandError) {
  if let label = arguments.text(.label), label.utf8.count > 32 {
    throw .usage("'--label' takes at most 32 bytes, not \(label.utf8.count)")
  }
}
