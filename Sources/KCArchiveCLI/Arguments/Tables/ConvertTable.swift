// The table of `convert`.

extension CommandSpec {
  package static let convert = CommandSpec(
    "convert", "Write a property list in another format, or change values in it",
    discussion: [
      "Reads binary, XML and OpenStep lists, .strings files, keyed archives in any of them, typed "
        + "streams, signed lists and JSON. Without --to and changes the file is written back byte for byte.",
      "A change leaves everything else as it is: comments, order and white space of text, every "
        + "object's bytes in binary lists. What the new format has no word for is listed by its "
        + "path, and nothing is written; what it can say in part is listed, and the status is 3.",
    ],
    operand: OperandSpec(
      "IN", .one, "The property list; '-' is standard input", readsStandardInput: true),
    sections: [
      OptionSection(
        "OPTIONS",
        [
          .value(
            .output, "OUT", .path, "Where it is written; without it, to standard output"),
          .value(
            .to, "FORMAT", .choice(["binary", "xml", "openstep", "strings", "json"]),
            "Write binary, xml, openstep, strings or json; without it, the format of IN"),
          .value(
            .set, "PATH=JSON", .text, "Set the value at PATH; can be repeated",
            detail:
              "PATH is as for 'kcarchive inspect --path'; in a keyed archive it is that of the "
              + "list ('$objects[2]'). A key that is not there is added, an element behind the last one, too. "
              + "JSON is as 'kcarchive inspect --json' has it: a string has quotation marks.",
            repeats: true),
          .value(
            .deletePath, "PATH", .text, "Take out the value at PATH; can be repeated",
            repeats: true),
          .flag(
            .rebuild, "Write all of it anew, as Apple's writer would",
            detail: "Binary lists keep each object and what is shared; text is laid out anew, "
              + "without comments."),
          .flag(
            .sortKeys, "Write the keys of xml, openstep and strings in Apple's order",
            detail: "Without it, in the order of IN."),
          .flag(
            .typed, "Let openstep have booleans, numbers and dates, in GNUstep's form"),
          .flag(
            .plain, "Write json for other programs, without tags and with what that loses"),
          .flag(.strict, "Refuse what Apple's readers let pass"),
          .force,
          .json,
        ])
    ],
    needs: [(.force, .output)],
    check: checkConversion,
    example: [
      "printf '{ name = \"demo\"; }' | kcarchive convert - --to xml",
      "printf '{ name = \"demo\"; }' | kcarchive convert - --set 'name=\"other\"'",
    ])
}

private func checkConversion(_ arguments: ParsedArguments) throws(CommandError) {
  let format = arguments.text(.to)
  if arguments.has(.plain), format != "json" { throw .usage("'--plain' is for '--to json'") }
  if arguments.has(.typed), format != "openstep", format != "strings" {
    throw .usage("'--typed' is for '--to openstep' and '--to strings'")
  }
  if arguments.has(.sortKeys), format == "binary" || format == "json" {
    throw .usage("'--sort-keys' is for xml, openstep and strings")
  }
  if arguments.wantsJSON, arguments.path(.output)?.isStandardStream ?? true {
    throw .usage(
      "'--json' and the list would both go to standard output", hint: "'-o OUT' names a file")
  }
}
