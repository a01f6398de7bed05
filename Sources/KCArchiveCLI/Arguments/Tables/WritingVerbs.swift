// The table of `pack`.

extension CommandSpec {
  package static let pack = CommandSpec(
    "pack", "Make an archive from items and files",
    discussion: [
      "INPUT that ends in .json or .jsonl holds items; '-' reads items as JSON lines from standard "
        + "input. One that ends in .plist does if it is a dictionary of arrays genp, inet, cert, keys. Any "
        + "other file becomes an item of class file, a directory becomes one for each "
        + "file in it; links stay links. Without INPUT the archive is empty.",
      "The archive appears when it is complete, or not at all. With '-' as OUT it goes to standard "
        + "output while it is made.",
    ],
    operand: OperandSpec(
      "INPUT", .any, "Items (.json, .jsonl, .plist, '-'), files and directories",
      readsStandardInput: true),
    sections: [
      .selection,
      OptionSection(
        "OPTIONS",
        [
          .value(.output, "OUT", .path, "The archive to make; '-' is standard output"),
          .flag(.asFile, "Take .json, .jsonl and .plist as plain files, too"),
          .force,
          .flag(.noCompress, "Store values as they are"),
          .flag(.verify, "Read all of the archive back when it is written"),
          .flag(
            .noVerify, "Read nothing back",
            detail: "By default everything but the middle of large values is read back."),
          .value(
            .label, "TEXT", .text, "A name for the credential, shown to who has one",
            detail: "At most 32 bytes of UTF-8."),
          .progress,
          .json,
        ]),
      .newCredentials,
      .keyDerivation,
    ],
    required: [.output],
    exclusive: [[.verify, .noVerify]],
    check: { arguments throws(CommandError) in
      try refuseTwoStreams(arguments)
      if arguments.path(.output)?.isStandardStream == true, arguments.has(.verify) {
        throw .usage("'--verify' reads the archive back, and a pipe can't be read back")
      }
      try checkLabel(arguments)
      _ = try KDFRequest(arguments)
    },
    example: [
      "export KCARCHIVE_PASSPHRASE='for this example only'",
      "echo '{\"class\":\"genp\",\"service\":\"web\",\"account\":\"alice\",\"value\":{\"utf8\":\"s3cret\"}}' \\",
      "  | kcarchive pack -o demo.kcarchive --force -",
    ])
}

/// Refuses a report on the standard output where the data already goes there.
func refuseTwoStreams(_ arguments: ParsedArguments) throws(CommandError) {
  if arguments.path(.output)?.isStandardStream == true, arguments.has(.json) {
    throw .usage("'-o -' and '--json' both write to standard output")
  }
}
