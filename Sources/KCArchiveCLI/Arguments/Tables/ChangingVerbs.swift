// The tables of `put` and `delete`.

extension CommandSpec {
  package static let put = CommandSpec(
    "put", "Add items to an archive, or change them",
    discussion: [
      "The item that has the same primary key gets a new value and the attributes named here, and "
        + "keeps the others; if there is none, it is added. The value is standard input, byte for "
        + "byte, or is asked for on a terminal. A crash leaves the old state or the new one.",
      "With INPUT, all items of these files and folders, as 'pack' takes them, are put in one commit. Of "
        + "those that are there already the same holds; one without a value keeps the one that it has. Files "
        + "become as they are in INPUT.",
    ],
    operand: OperandSpec(
      "ARCHIVE [INPUT]", .oneOrMore,
      "The archive, changed in place; items (.json, .jsonl, .plist, '-'), files and directories"),
    sections: [
      OptionSection(
        "ITEM",
        [
          .value(
            .itemClass, "CLASS", .choice(ItemQuery.classes.filter { $0 != "file" }),
            "Its class: genp (with -s the default), inet (with --server), cert, keys or idnt"),
          .value(.service, "SERVICE", .text, "Its service"),
          .value(.account, "ACCOUNT", .text, "Its account"),
          .value(.accessGroup, "GROUP", .text, "Its access group"),
          .value(.server, "SERVER", .text, "Its server"),
          .value(
            .attribute, "NAME=VALUE", .attribute, "Its attribute NAME is VALUE; can be repeated",
            detail: "NAME is SecItem's name without kSecAttr, or the four letters of the column.",
            repeats: true),
          .value(.valueFile, "FILE", .path, "Its value is what FILE holds"),
        ]),
      OptionSection(
        "OPTIONS",
        [
          .flag(.asFile, "Take .json, .jsonl and .plist as plain files, too"),
          .flag(.noCompress, "Store values as they are"),
          .progress, .wait, .json,
        ]),
      .credentials, .limits,
    ],
    check: { arguments throws(CommandError) in
      try refuseOldHeader(arguments)
      try checkPutInputs(arguments)
      for case .number(0) in arguments.values(.passphraseDescriptor)
      where arguments.path(.valueFile) == nil && arguments.operands.count == 1 {
        throw .usage(
          "the value and '--passphrase-fd 0' both come from standard input",
          hint: "'--value-file FILE' takes the value from a file")
      }
    },
    example: demoArchive + [
      "printf '%s' 'n3w' | kcarchive put demo.kcarchive -s web -a alice"
    ])

  package static let delete = CommandSpec(
    "delete", "Take an item out of an archive",
    discussion: [
      "If several items match, they are listed without values, nothing is deleted and the status is "
        + "1. The encrypted bytes stay in the file unless --shred overwrites them."
    ],
    operand: .changedArchive,
    sections: [
      .query,
      OptionSection(
        "OPTIONS",
        [
          .flag(
            .shred, "Overwrite the bytes of all its revisions, too",
            detail: "That can't reach copies, snapshots or what a drive has put aside."),
          .wait, .json,
        ]),
      .credentials, .limits,
    ],
    check: { arguments throws(CommandError) in
      try refuseOldHeader(arguments)
      let queries: [OptionKey] = [
        .itemClass, .service, .account, .accessGroup, .server, .accessible, .matching,
      ]
      guard queries.contains(where: { !arguments.values($0).isEmpty }) else {
        throw .usage("'delete' needs to know which item", hint: "'-s SERVICE -a ACCOUNT' name it")
      }
    },
    example: demoArchive + ["kcarchive delete demo.kcarchive -s web -a alice"])
}

/// Options for one item, and operands for many, exclude each other.
private func checkPutInputs(_ arguments: ParsedArguments) throws(CommandError) {
  let inputs = arguments.operands.dropFirst()
  let forOne: [OptionKey] = [
    .itemClass, .service, .account, .accessGroup, .server, .attribute, .valueFile,
  ]
  let forMany: [OptionKey] = [.asFile, .noCompress, .progress]
  if let key = (inputs.isEmpty ? forMany : forOne).first(where: arguments.has) {
    throw .usage(
      inputs.isEmpty
        ? "'\(key.rawValue)' is for INPUT: files and folders behind ARCHIVE"
        : "'\(key.rawValue)' is for one item, and the items come from INPUT")
  }
  for case .number(0) in arguments.values(.passphraseDescriptor)
  where inputs.contains(where: \.isStandardStream) {
    throw .usage("items and '--passphrase-fd 0' both come from standard input")
  }
  guard inputs.filter(\.isStandardStream).count <= 1 else {
    throw .usage("'-' can be standard input only once")
  }
}

/// Who writes behind an old header would make it the true one.
func refuseOldHeader(_ arguments: ParsedArguments) throws(CommandError) {
  if arguments.has(.acceptOldHeader) {
    throw .usage(
      "'--accept-old-header' is for readers: an archive with an old header is not changed")
  }
}

extension OptionSpec {
  static let wait = flag(
    .wait, "Wait for another writer to end", detail: "Without it the status is 11.")
}
