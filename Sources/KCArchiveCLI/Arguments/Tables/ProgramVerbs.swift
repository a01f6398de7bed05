// The tables of the verbs about the program itself.

extension CommandSpec {
  package static let help = CommandSpec(
    "help", "Explain a verb or a topic",
    operand: OperandSpec("SUBJECT", .any, "A verb, or one of the topics"),
    sections: [OptionSection("OPTIONS", [])],
    example: ["kcarchive help exit-codes"])

  package static let version = CommandSpec(
    "version", "Print the program's version",
    sections: [OptionSection("OPTIONS", [.json])],
    example: ["kcarchive version"])

  /// Every verb's table, in the order of the help.
  package static let all: [CommandSpec] = [
    pack, inspect, migrate, list, get, put, delete, restore, verify, slotList, slotAdd, slotRemove,
    slotTest, keygen, compact, rekey, salvage, headerExport, headerImport, convert, help, version,
  ]
}
