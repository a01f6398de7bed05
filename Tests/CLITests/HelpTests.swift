// Help that runs: every example is tried as it stands.

import Testing

@Suite("Help")
struct HelpTests {
  static let subjects = [
    "pack", "inspect", "list", "get", "restore", "verify", "help", "version", "credentials",
  ]

  @Test("The examples of the help run", arguments: subjects)
  func examples(_ subject: String) {
    let outcome = Folder().run(
      """
      kcarchive help \(subject) | sed -n '/^EXAMPLE:/,$ s/^  //p' > example
      # As it stands, but for the cost of the key derivation.
      kcarchive() {
        if [ "$1" = pack ]; then command kcarchive "$@" $FAST; else command kcarchive "$@"; fi
      }
      test -s example && set -e -o pipefail && . ./example
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.errors.contains("kcarchive: "), "\(outcome.errors)")
  }

  @Test("A verb's help is the same in every spelling, and short with -h")
  func spellings() {
    let outcome = Folder().run(
      """
      for verb in pack inspect list get restore verify help version; do
        diff <(kcarchive help $verb) <(kcarchive $verb --help) || echo $verb
        [ $(kcarchive $verb -h | wc -l) -le $(kcarchive $verb --help | wc -l) ] || echo $verb
      done
      diff <(kcarchive help) <(kcarchive --help)
      for topic in credentials formats exit-codes; do kcarchive help $topic > /dev/null || echo $topic; done
      kcarchive help nothing; echo $?
      kcarchive; echo $?
      kcarchive packk; echo $?
      """)
    #expect(outcome.lines == ["2", "2", "2"], "\(outcome.errors)")
    #expect(outcome.errors.contains("did you mean 'pack'?"))
  }

  @Test("The exit statuses of the help are those of the Spec's table")
  func exitStatuses() {
    let outcome = Folder().run(
      "kcarchive help exit-codes | grep -E '^  [0-9]' | awk '{print $1, $2}'")
    #expect(
      outcome.lines == [
        "0 done", "1 failed", "2 usage", "3 done-with-losses", "4 truncated", "10 not-found",
        "11 locked", "12 wrong-credential", "13 damaged", "14 tampered", "15 unsupported",
        "16 refused-by-limit", "17 rolled-back", "18 would-overwrite", "19 no-such-item",
        "20 duplicate-item", "130 interrupted", "143 terminated",
      ])
  }
}
