// The tables of `inspect`, `list`, `get`, `restore` and `verify`.

extension CommandSpec {
  package static let inspect = CommandSpec(
    "inspect", "Say what a file is and what is in it",
    discussion: [
      "Tells by content what each file is. Reads only, and never asks for a passphrase. Without a "
        + "credential an archive shows its version, credentials, cost of key derivation, sessions "
        + "and frames; with one its items and totals too. Values of archives stay hidden.",
      "A property list is shown as a tree, a keyed archive by its objects: what several places refer "
        + "to is written once and is '<shared #12>' elsewhere. These files are plain text to "
        + "everybody, so their values are shown.",
    ],
    operand: OperandSpec(
      "FILE", .oneOrMore, "The files to look at; '-' is standard input", readsStandardInput: true),
    sections: [
      OptionSection(
        "OPTIONS",
        [
          .flag(
            .summary, "Read all of it and print kind, encoding, counts and depth only"),
          .flag(
            .raw, "Show the table of objects of a list as it stands in the file",
            detail: "Each line has number, place and length in bytes, kind, and content; in keyed "
              + "archives also the number in $objects, as @3."),
          .value(
            .path, "PATH", .text, "Show only what is at PATH in a list: 'accounts[0].name'",
            detail:
              "In a key, '.', '[' and a backslash have a backslash before them; an empty key is "
              + "\\e. Lists within data are walked through."),
          .value(
            .depth, "N", .count(least: 1),
            "Open lists within data, N levels with the file itself (1)"
          ),
          .flag(.strict, "Refuse what Apple's readers let pass"),
          .progress,
          .json,
        ]),
      .credentials, .limits,
    ],
    exclusive: [[.summary, .raw, .path]],
    example: demoArchive + ["kcarchive inspect demo.kcarchive"])

  package static let list = CommandSpec(
    "list", "List the items of an archive",
    discussion: ["Values are neither shown nor decrypted."],
    operand: .archive,
    sections: [
      .query,
      OptionSection(
        "OPTIONS",
        [
          .flag(
            .history, "List all revisions of each item, newest first, and deleted items",
            detail: "What was shredded, or left behind by 'compact', is no longer there."),
          .flag(
            .long, "Say more of each item: accessibility, dates, and who wrote it",
            detail: "The writer is a guess by the marks that programs and libraries leave."),
          .json,
          .flag(.jsonLines, "Print one JSON object a line, an item each"),
        ]),
      .credentials, .limits,
    ],
    exclusive: [[.json, .jsonLines], [.history, .long]],
    example: demoArchive + ["kcarchive list demo.kcarchive -s web"])

  package static let get = CommandSpec(
    "get", "Print the value of one item",
    discussion: [
      "The value comes out as it is, without a line feed of ours. If several items match, they are "
        + "listed without values and the status is 1. A value goes to a terminal only with --reveal."
    ],
    operand: .archive,
    sections: [
      .query,
      OptionSection(
        "OPTIONS",
        [
          .value(.output, "OUT", .path, "Write to OUT, readable by you only"),
          .flag(.force, "Replace OUT if it is there"),
          .flag(.reveal, "Show the value on a terminal"),
          .value(
            .revision, "N", .count(least: 1), "Give revision N, also of an item that was deleted",
            detail: "'kcarchive list --history' shows which there are."),
          .flag(
            .decode, "Show the value decoded: a keyed archive, a property list, text",
            detail:
              "As 'kcarchive inspect' shows them, and as the item's writer means it: a seed of one-time "
              + "passwords as its otpauth: URL. With --json, the decoded value as JSON."),
          .flag(
            .plist, "Give a value that is a property list as an XML one",
            detail: "With --json, the value as a property list in JSON."),
          .flag(.json, "Give the item with its attributes and value as JSON"),
        ]),
      .credentials, .limits,
    ],
    exclusive: [[.decode, .plist]],
    needs: [(.force, .output)],
    example: demoArchive + ["kcarchive get demo.kcarchive -s web -a alice | wc -c"])

  package static let restore = CommandSpec(
    "restore", "Bring back what an archive holds",
    discussion: [
      "Without --to, items of class file become files again below DIR, and a note counts the others. "
        + "Paths that lead out of DIR are refused. With --to, all items are written to OUT."
    ],
    operand: .archive,
    sections: [
      .selection,
      OptionSection(
        "OPTIONS",
        [
          .value(.directory, "DIR", .path, "Restore files below DIR (the current directory)"),
          .value(
            .to, "FORMAT", .choice(["json", "jsonl", "plist"]),
            "Write items as json, jsonl or plist instead",
            detail:
              "plist gives back the lists that 'migrate' took keys of: one as OUT, several in a new "
              + "folder OUT. Items that are of no list go into one property list of items."),
          .value(.output, "OUT", .path, "Where --to writes; '-' is standard output"),
          .flag(
            .includeThisDeviceOnly, "Let --to plist write items that are bound to their device",
            detail: "Those are left out of the list of items otherwise, and named."),
          .force,
          .flag(.reveal, "Let --to write values to a terminal"),
          .progress,
          .json,
        ]),
      .credentials, .limits,
    ],
    exclusive: [[.directory, .to]],
    needs: [(.to, .output), (.output, .to), (.reveal, .to)],
    check: { arguments throws(CommandError) in
      try refuseTwoStreams(arguments)
      if arguments.has(.includeThisDeviceOnly), arguments.text(.to) != "plist" {
        throw .usage(
          "'--include-this-device-only' is for '--to plist'",
          hint: "files, json and jsonl leave no item out")
      }
    },
    example: demoArchive + ["kcarchive restore demo.kcarchive --to json -o demo.json --force"])

  package static let verify = CommandSpec(
    "verify", "Check every frame of an archive",
    discussion: [
      "Without a credential only what can be checked without one is: checksums and structure. "
        + "Each finding is listed; the status is that of the worst."
    ],
    operand: .archive,
    sections: [
      OptionSection("OPTIONS", [.progress, .json]),
      .credentials, .limits,
    ],
    example: demoArchive + ["kcarchive verify demo.kcarchive"])
}
