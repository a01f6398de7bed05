// The tables of `slot list`, `slot add`, `slot remove`, `slot test`, `keygen`, `compact`, `rekey`, `salvage`,
// `header export` and `header import`.

/// Lines that make a small archive for the examples.
private let demo = [
  "head -c 64 /dev/urandom > demo.key",
  "kcarchive pack -o demo.kcarchive --force --key-file demo.key /etc/hostname",
]

/// What `slot add` and `rekey` make slots for.
private let newCredential = OptionSection(
  "NEW CREDENTIAL",
  OptionSection.recipients + [
    .value(.newKeyFile, "FILE", .path, "Let FILE open the archive by itself"),
    .flag(.newRecoveryCode, "Draw a recovery code and print it"),
    .value(.newPassphraseFile, "FILE", .path, "Read the new passphrase from FILE"),
    .value(
      .newPassphraseDescriptor, "N", .count(least: 0),
      "Read the new passphrase from file descriptor N"),
    .value(.newPassphraseCommand, "CMD", .text, "Read the new passphrase from what CMD prints"),
    .value(
      .label, "TEXT", .text, "A name for it, shown to who has a credential",
      detail: "At most 32 bytes of UTF-8."),
    .flag(.reveal, "Let a recovery code go to a terminal"),
  ])

private func checkNewCredential(_ arguments: ParsedArguments) throws(CommandError) {
  try refuseOldHeader(arguments)
  if let label = arguments.text(.label), label.utf8.count > 32 {
    throw .usage("'--label' takes at most 32 bytes, not \(label.utf8.count)")
  }
  _ = try KDFRequest(arguments)
}

extension CommandSpec {
  package static let compact = CommandSpec(
    "compact", "Drop what an archive holds in vain",
    discussion: [
      "Older revisions and deleted items are left behind; credentials stay as they are, and commits go "
        + "on counting. The new file is read back whole before it takes the old one's place.",
      "With --keep-history, older revisions and deletions are kept, and only what nothing needs any "
        + "more is dropped: old nodes of the index, and what was shredded.",
    ],
    operand: .changedArchive,
    sections: [
      OptionSection(
        "OPTIONS",
        [
          .flag(.keepHistory, "Keep older revisions and deletions, too"),
          .newArchive, .force, .wait, .json,
        ]),
      .credentials, .limits,
    ],
    needs: [(.force, .output)],
    check: refuseOldHeader,
    example: demo + ["kcarchive compact demo.kcarchive --key-file demo.key"])

  package static let rekey = CommandSpec(
    "rekey", "Encrypt an archive anew under another file key",
    discussion: [
      "For when somebody may know the file key: a credential that was lost, or taken away. The "
        + "credentials named as new open the new archive; where none is, those that are given and open "
        + "the old one. All others are dropped and listed. The new file is read back whole before it "
        + "takes the old one's place."
    ],
    operand: .changedArchive,
    sections: [
      newCredential,
      OptionSection("OPTIONS", [.newArchive, .force, .wait, .json]),
      .credentials, .keyDerivation, .limits,
    ],
    needs: [(.force, .output), (.reveal, .newRecoveryCode)],
    check: checkNewCredential,
    example: demo + ["kcarchive rekey demo.kcarchive --key-file demo.key"])

  package static let salvage = CommandSpec(
    "salvage", "Take what still opens out of a damaged archive",
    discussion: [
      "Looks at every byte for what opens, wherever it stands, and writes the newest revision of each "
        + "item to a new archive with the same credentials. Everything that is lost or doubtful is "
        + "listed, and the status is then 3. The damaged archive is only read."
    ],
    operand: .archive,
    sections: [
      OptionSection(
        "OPTIONS",
        [
          .value(.output, "OUT", .path, "The archive to make"),
          .value(
            .savedHeader, "FILE", .path,
            "A header that 'header export' saved, where both copies are lost"),
          .force, .progress, .json,
        ]),
      .credentials, .limits,
    ],
    required: [.output],
    example: demo + [
      "kcarchive salvage demo.kcarchive -o mended.kcarchive --force --key-file demo.key"
    ])

  package static let headerExport = CommandSpec(
    "header export", "Save the header of an archive",
    discussion: [
      "4 KiB in most archives. Without both copies of it nothing opens; with a saved one everything "
        + "does. Save it again after a change of credentials."
    ],
    operand: .archive,
    sections: [
      OptionSection(
        "OPTIONS",
        [
          .value(.output, "OUT", .path, "Write to OUT; standard output is no terminal"),
          .flag(.force, "Replace OUT if it is there"),
        ])
    ],
    needs: [(.force, .output)],
    example: demo + ["kcarchive header export demo.kcarchive -o demo.header --force"])

  package static let headerImport = CommandSpec(
    "header import", "Put a saved header back",
    discussion: [
      "It has to be this archive's, and as new as the newest commit: an older one could bring back a "
        + "credential that was removed."
    ],
    operand: OperandSpec("ARCHIVE FILE", .oneOrMore, "The archive, and the saved header"),
    sections: [OptionSection("OPTIONS", [.wait, .json]), .credentials, .limits],
    check: refuseOldHeader,
    example: demo + [
      "kcarchive header export demo.kcarchive -o demo.header --force",
      "kcarchive header import demo.kcarchive demo.header --key-file demo.key",
    ])

  package static let slotList = CommandSpec(
    "slot list", "List the credentials of an archive",
    discussion: ["Never asks for one. With one given, the labels are shown, too."],
    operand: .archive,
    sections: [OptionSection("OPTIONS", [.json]), .credentials, .limits],
    example: demo + ["kcarchive slot list demo.kcarchive"])

  package static let slotAdd = CommandSpec(
    "slot add", "Let another credential open an archive",
    discussion: [
      "The new credential is named here or, if none is, a passphrase that is asked for. One that is "
        + "there already opens the archive. Only the header is written anew, whatever the archive's "
        + "size. A recovery code is printed once, to be written down."
    ],
    operand: .changedArchive,
    sections: [
      newCredential,
      OptionSection(
        "OPTIONS",
        [
          .value(
            .replacedSlot, "ID", .count(least: 1), "Remove this slot in the same step",
            detail: "So a passphrase is changed. 'slot list' shows the numbers.",
            repeats: true),
          .wait, .json,
        ]),
      .credentials, .keyDerivation, .limits,
    ],
    needs: [(.reveal, .newRecoveryCode)],
    check: checkNewCredential,
    example: demo + [
      "kcarchive keygen -o demo.identity --force",
      "grep -o 'age1.*' demo.identity > demo.recipients",
      "kcarchive slot add demo.kcarchive --key-file demo.key -R demo.recipients",
    ])

  package static let slotRemove = CommandSpec(
    "slot remove", "Take a credential's access away",
    discussion: [
      "The last one stays. Who has had the credential may have kept the file key, and copies of the "
        + "old file still open with it."
    ],
    operand: OperandSpec(
      "ARCHIVE ID", .oneOrMore, "The archive, and the numbers that 'slot list' shows"),
    sections: [OptionSection("OPTIONS", [.wait, .json]), .credentials, .limits],
    check: { arguments throws(CommandError) in
      try refuseOldHeader(arguments)
      guard arguments.operands.count > 1 else {
        throw .usage(
          "slot remove needs the slot's number", hint: "'kcarchive slot list' shows them")
      }
    },
    example: demo + [
      "head -c 64 /dev/urandom > other.key",
      "kcarchive slot add demo.kcarchive --key-file demo.key --new-key-file other.key",
      "kcarchive slot remove demo.kcarchive 1 --key-file other.key",
    ])

  package static let slotTest = CommandSpec(
    "slot test", "See whether a credential opens an archive",
    discussion: ["Opens it as every verb does, and says by which slot."],
    operand: .archive,
    sections: [OptionSection("OPTIONS", [.json]), .credentials, .limits],
    example: demo + ["kcarchive slot test demo.kcarchive --key-file demo.key"])

  package static let keygen = CommandSpec(
    "keygen", "Make an age identity",
    discussion: [
      "The file that is written opens, with -i, what is made for its recipient, which is told. age "
        + "takes it, too, and age-keygen's files are taken here."
    ],
    sections: [
      OptionSection(
        "OPTIONS",
        [
          .value(.output, "OUT", .path, "Write to OUT, readable by you only"),
          .flag(.force, "Replace OUT if it is there"),
          .flag(.reveal, "Show the identity on a terminal"),
          .json,
        ])
    ],
    needs: [(.force, .output)],
    check: { arguments throws(CommandError) in
      if arguments.has(.json), !arguments.has(.output) {
        throw .usage("'--json' is of use only with '-o': the identity goes to standard output")
      }
    },
    example: ["kcarchive keygen -o demo.identity --force"])
}

extension OptionSpec {
  fileprivate static let newArchive = value(
    .output, "OUT", .path, "Write the new archive to OUT and leave the old one as it is")
}
