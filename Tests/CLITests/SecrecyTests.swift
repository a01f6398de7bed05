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
    .enabled(if: Ability.tracing, "needs root and strace"), arguments: ["", "--no-compress"])
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

  @Test(
    "When it ends, the program has no secret left in its memory",
    .enabled(if: Ability.tracing, "needs root"))
  func memory() {
    let reader = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    let outcome = folder().run(
      """
      export PYTHONPATH="\(reader)/Spec/reader" PYTHONDONTWRITEBYTECODE=1
      export KCARCHIVE_PASSPHRASE_FILE=p
      printf 'the-value-is-a-s3cret-of-some-length' > v
      printf '%s' '{"class":"genp","service":"long","value":{"utf8":"' "$(cat v)" '"}}' > long.jsonl
      kcarchive keygen -o id 2>/dev/null && R=$(sed -n 's/.*\\(age1.*\\)/\\1/p' id)
      kcarchive pack -o a.kca long.jsonl --passphrase-file p $KEY -r $R $FAST 2>/dev/null || exit
      ends() { memory-at-exit a.kca v "${with[@]}" -- kcarchive "$@" 2>/dev/null; }
      ends get a.kca -s long
      ends get a.kca -s long --json
      ends get a.kca -s long --passphrase-command 'cat p'
      KCARCHIVE_PASSPHRASE=$(cat p) ends get a.kca -s long
      cat a.kca | ends get - -s long
      with=($KEY); ends get a.kca -s long $KEY
      with=(-i id); ends get a.kca -s long -i id
      with=()
      ends list a.kca
      ends restore a.kca --to jsonl -o out.jsonl
      ends put a.kca -s other < v
      ends pack -o new.kca long.jsonl $FAST
      ends slot add a.kca $KEY -r $R
      # What the tool would say of a program that keeps its secrets.
      memory-at-exit a.kca v -- bash -c 'IFS= read -r kept < p; true'
      """)
    var expected: [String] = []
    for _ in 0..<12 { expected += ["none of", "status 0"] }
    let lines = outcome.lines.map { $0.hasPrefix("none of") ? "none of" : $0 }
    #expect(lines.prefix(24) == expected[...], "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.lines.dropFirst(24).contains("credential in [heap]"),
      "\(outcome.text)\(outcome.errors)")
  }

  @Test(
    "No core is dumped, and short secrets are never swapped",
    .enabled(if: Ability.tracing, "needs root and strace"))
  func dumps() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>/dev/null || exit
      strace -f -e trace=prctl,mlock,mlock2,madvise -o ../log/trace kcarchive get a.kca -s web $KEY
      grep -o -e 'PR_SET_DUMPABLE, SUID_DUMP_DISABLE' -e 'mlock2*(0x[0-9a-f]*, 65536' \\
        -e 'DONTDUMP' ../log/trace | sed 's/(.*,/,/'
      """)
    #expect(
      outcome.lines == [
        "s3cret-value" + "PR_SET_DUMPABLE, SUID_DUMP_DISABLE", "mlock2, 65536", "DONTDUMP",
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
