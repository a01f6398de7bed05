// Options that several verbs have, so that they mean the same and read the same everywhere.

extension OptionSection {
  /// How a passphrase slot that is made now is to be stretched.
  static let keyDerivation = OptionSection(
    "KEY DERIVATION",
    [
      .value(
        .kdf, "NAME", .choice(KDFRequest.Algorithm.allCases.map(\.rawValue)),
        "How the passphrase is stretched: argon2id (default), scrypt or pbkdf2",
        detail: "argon2id needs memory, which is what makes guessing dear. The others are for "
          + "readers that have nothing better."),
      .value(
        .kdfMemory, "SIZE", .size, "Memory for argon2id and scrypt (256MiB)",
        detail: "For scrypt this is 128 * r * N bytes."),
      .value(
        .kdfTime, "N", .count(least: 1),
        "Passes of argon2id (3), p of scrypt, iterations of pbkdf2"),
      .value(.kdfParallelism, "N", .count(least: 1), "Lanes of argon2id (4)"),
    ])

  /// The credentials that open an archive.
  static let credentials = credentials(
    keyFile: "Try FILE as a key of its own; can be repeated",
    withKeyFile: "Mix FILE into the passphrase",
    others: [
      .value(
        .identityFile, "FILE", .path, "Try the age identities in FILE; can be repeated",
        repeats: true),
      .flag(
        .recoveryCode, "What is read or typed as passphrase is a recovery code",
        detail: "Letters of either case; hyphens and spaces don't count."),
    ])

  /// The credentials that an archive gets: each is a slot of its own.
  static let newCredentials = credentials(
    keyFile: "Let FILE open the archive by itself; can be repeated",
    withKeyFile: "Mix FILE into the passphrase: it takes both to open",
    others: recipients)

  /// Public keys that archives are made for.
  static let recipients: [OptionSpec] = [
    .value(
      .recipient, "RECIPIENT", .text,
      "Let the identity of this recipient (age1...) open the archive; can be repeated",
      repeats: true),
    .value(
      .recipientsFile, "FILE", .path, "Likewise for the recipients in FILE, one a line",
      repeats: true),
  ]

  private static func credentials(
    keyFile: String, withKeyFile: String, others: [OptionSpec]
  ) -> OptionSection {
    OptionSection(
      "CREDENTIALS",
      [
        .value(
          .passphraseDescriptor, "N", .count(least: 0),
          "Read a passphrase from file descriptor N", repeats: true),
        .value(
          .passphraseFile, "FILE", .path, "Read a passphrase from FILE",
          detail: "One line feed at its end is dropped.", repeats: true),
        .value(
          .passphraseCommand, "CMD", .text, "Read a passphrase from what CMD prints",
          detail: "CMD is run by /bin/sh.", repeats: true),
        .value(
          .keyFile, "FILE", .path, keyFile,
          detail: "Any file of 32 bytes or more; all of it counts.", repeats: true),
        .value(.withKeyFile, "FILE", .path, withKeyFile),
      ] + others)
  }

  /// What a reader refuses, and the options that lift it.
  static let limits = OptionSection(
    "LIMITS",
    [
      .value(
        .kdfMaxMemory, "SIZE", .size, "Memory that a key derivation may take (1GiB)"),
      .value(
        .kdfMaxTime, "N", .count(least: 1),
        "Work that all key derivations may take together (16384)",
        detail: "In units of one pass over 1 MiB: 256 MiB in 3 passes are 768."),
      .value(
        .requireCommit, "N[:HASH]", .commit,
        "Refuse an archive that has not reached commit N",
        detail: "With HASH, 16 to 64 hexadecimal digits of that commit's hash, also one whose "
          + "commit N is another."),
      .flag(
        .acceptOldHeader, "Read on although an old header was put back",
        detail: "A credential that was removed may then open the archive again."),
    ])

  /// Which items are meant.
  static let query = OptionSection(
    "ITEMS",
    [
      .value(
        .itemClass, "CLASS", .choice(ItemQuery.classes),
        "Only items of CLASS: genp, inet, cert, keys, idnt or file"),
      .value(.service, "SERVICE", .text, "Only items of this service"),
      .value(.account, "ACCOUNT", .text, "Only items of this account"),
      .value(.accessGroup, "GROUP", .text, "Only items of this access group"),
      .value(.server, "SERVER", .text, "Only items of this server"),
      accessible("Only items that are accessible so: ak, ck, dk, aku, cku, dku or akpu"),
      .value(
        .matching, "NAME=VALUE", .attribute,
        "Only items whose attribute NAME is VALUE; can be repeated",
        detail: "NAME is SecItem's name without kSecAttr, or the four letters of the column.",
        repeats: true),
    ])
}

extension OptionSection {
  /// Which items are carried over: all of those options that are given have to hold.
  static let selection = OptionSection(
    "ITEMS",
    [
      .value(
        .itemClass, "CLASS", .choice(ItemQuery.classes),
        "Only items of CLASS: genp, inet, cert, keys, idnt or file; can be repeated",
        repeats: true),
      .value(
        .accessGroup, "GROUP", .text, "Only items of this access group; can be repeated",
        repeats: true),
      accessible(
        "Only items that are accessible so: ak, ck, dk, aku, cku, dku or akpu; can be repeated",
        repeats: true),
    ])

  private static func accessible(_ summary: String, repeats: Bool = false) -> OptionSpec {
    .value(
      .accessible, "CODE", .choice(ItemQuery.accessibilities), summary,
      detail:
        "Apple's codes for when unlocked (ak), after the first unlock (ck) and always (dk); with u, on "
        + "this device only; akpu, only while a passcode is set.",
      repeats: repeats)
  }
}

extension OptionSpec {
  static let json = flag(.json, "Print one JSON object")

  static let progress = value(
    .progress, "WHEN", .choice(ProgressMode.allCases.map(\.rawValue)),
    "Progress on standard error: auto (default), none, or json for programs")

  static let force = flag(.force, "Replace what is there")
}

extension OperandSpec {
  /// The archive that a verb reads.
  static let archive = OperandSpec(
    "ARCHIVE", .one, "The archive; '-' reads it from standard input", readsStandardInput: true)

  /// The archive that a verb changes.
  static let changedArchive = OperandSpec("ARCHIVE", .one, "The archive, changed in place")
}

extension CommandSpec {
  /// Lines that make a small archive for the examples that need one.
  static let demoArchive = [
    "export KCARCHIVE_PASSPHRASE='for this example only'",
    "echo '{\"class\":\"genp\",\"service\":\"web\",\"account\":\"alice\",\"value\":{\"utf8\":\"s3cret\"}}' \\",
    "  | kcarchive pack -o demo.kcarchive --force -",
  ]
}
