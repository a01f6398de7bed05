// Where secrets never are: other programs' view of the process, files, messages, terminals.

import Testing

@Suite("Secrecy")
struct SecrecyTests {
  private func folder() -> Folder {
    let here = Folder()
    here.write(
      "in.jsonl",
      #"{"class":"genp","service":"web","account":"alice","value":{"utf8":"s3cret-value"}}"# + "\n"
        + #"{"class":"genp","service":"blob","value":{"base64":"AAECAwQFBgc="}}"# + "\n")
    here.write("p", "s3cret-passphrase\n")
    return here
  }

  @Test(
    "No system call passes a secret on, but the one that gives it out where it was asked for",
    .enabled(if: Ability.tracing, "needs strace"), arguments: ["", "--no-compress"])
  func systemCalls(_ option: String) {
    let outcome = folder().run(
      """
      trace() { strace -f -qq -s 9999999 -e trace='!read,pread64' -o ../log/trace "$@"; }
      told() { grep -c -e s3cret -e 'c3MzY3JldA' ../log/trace; }
      trace kcarchive pack -o a.kca in.jsonl --passphrase-file p $FAST \(option) || exit; told
      trace kcarchive pack -o - in.jsonl --passphrase-file p $FAST \(option) > b.kca; told
      trace kcarchive list a.kca --passphrase-file p > /dev/null; told
      trace kcarchive verify a.kca --passphrase-file p > /dev/null; told
      trace kcarchive list a.kca --passphrase-command 'cat p' > /dev/null; grep -v '^[0-9 ]*write(1' \\
        ../log/trace | grep -c s3cret
      cat a.kca | trace kcarchive list - --passphrase-file p > /dev/null; told
      trace kcarchive get a.kca --passphrase-file p -s web > /dev/null; told
      grep -e s3cret ../log/trace | tr -s ' ' | cut -d ' ' -f 2-
      grep -c -a s3cret a.kca b.kca
      """)
    #expect(
      outcome.lines == [
        "0", "0", "0", "0", "0", "0", "1", #"write(1, "s3cret-value", 12) = 12"#, "a.kca:0",
        "b.kca:0",
      ], "\(outcome.text)\(outcome.errors)")
  }

  @Test("The passphrase in the environment is gone from it while the program works")
  func environment() {
    let outcome = folder().run(
      """
      mkfifo pipe
      KCARCHIVE_PASSPHRASE=s3cret-passphrase kcarchive pack -o a.kca - $FAST < pipe &
      exec 4> pipe; until ls -A | grep -q partial; do sleep 0.01; done; sleep 0.2
      tr '\\0' '\\n' < /proc/$!/environ | grep -c -e '^PATH=' -e s3cret
      cat in.jsonl >&4; exec 4>&-; wait
      kcarchive get a.kca -s web --passphrase-file p
      """)
    #expect(outcome.lines == ["1", "s3cret-value"], "\(outcome.errors)")
  }

  @Test("A terminal gets a secret only with --reveal, bytes and archives never")
  func terminals() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      for words in "get a.kca -s web" "get a.kca -s web --json" "restore a.kca --to jsonl -o -" \\
        "get a.kca -s blob --reveal" "pack -o - in.jsonl"; do
        terminal kcarchive $words $KEY < /dev/null; echo "= $?"
      done
      terminal kcarchive get a.kca -s web --reveal $KEY < /dev/null; echo " $?"
      terminal kcarchive get a.kca -s blob --reveal --json $KEY < /dev/null; echo "$?"
      terminal kcarchive restore a.kca --to jsonl -o - --reveal $KEY < /dev/null | grep -c value
      """)
    #expect(outcome.lines.filter { $0 == "= 2" }.count == 5, "\(outcome.text)")
    #expect(outcome.text.contains("\ns3cret-value 0\n"), "\(outcome.text)")
    #expect(outcome.text.contains(#""value":{"base64":"AAECAwQFBgc="}}}"#))
    #expect(outcome.lines.last == "2")
  }

  @Test("Colours and escapes go to terminals only, and not where they are not wanted")
  func colours() {
    let outcome = folder().run(
      """
      terminal kcarchive list missing $KEY < /dev/null | od -An -c | grep -c 033
      NO_COLOR=1 terminal kcarchive list missing $KEY < /dev/null | od -An -c | grep -c 033
      TERM=dumb terminal kcarchive list missing $KEY < /dev/null | od -An -c | grep -c 033
      kcarchive list missing $KEY 2>&1 | od -An -c | grep -c 033
      terminal kcarchive list $'\\e[31mx' $KEY < /dev/null
      """)
    #expect(outcome.lines.count == 5)
    #expect(outcome.lines.first.map { $0 != "0" } == true, "\(outcome.text)")
    #expect(outcome.lines[1...3] == ["0", "0", "0"])
    #expect(outcome.lines[4].contains("\\u{1b}[31mx: no such file or directory"))
  }

  @Test("No message has a secret, whatever goes wrong")
  func messages() {
    let here = folder()
    here.write(
      "bad.jsonl",
      #"{"class":"genp","service":"a","value":{"utf8":"s3cret-value"}"# + "\n")
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl --passphrase-file p $FAST
      kcarchive pack -o b.kca bad.jsonl --passphrase-file p $FAST
      kcarchive pack -o b.kca in.jsonl in.jsonl --passphrase-file p $FAST
      kcarchive get a.kca -c genp --passphrase-file p
      kcarchive get a.kca -c genp --passphrase-file p --json
      kcarchive get a.kca -s none --passphrase-file p
      echo s3cret-other > q; kcarchive get a.kca -c genp --passphrase-file q --json
      """)
    #expect(!outcome.text.contains("s3cret") && !outcome.errors.contains("s3cret"))
    #expect(outcome.errors.split(separator: "\n").count > 9, "\(outcome.errors)")
  }
}
