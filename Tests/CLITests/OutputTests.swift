// Outputs appear whole or not at all, never in the place of something else, and for their owner only.

import Testing

@Suite("Outputs")
struct OutputTests {
  private static let item = #"""
    {"class":"genp","service":"web","account":"alice","value":{"utf8":"s3cret"}}

    """#

  private func folder() -> Folder {
    let here = Folder()
    here.write("in.jsonl", Self.item)
    return here
  }

  @Test("A file that exists is not touched without --force, which replaces it whole")
  func force() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      echo mine > x; ln -s missing link
      for words in "pack -o x in.jsonl" "get a.kca -o x" "restore a.kca --to json -o x" \\
        "pack -o link in.jsonl"; do
        kcarchive $words $KEY; echo $?
      done
      cat x; readlink link
      kcarchive pack -o x in.jsonl --force $KEY && kcarchive verify x $KEY
      kcarchive get a.kca -o x --force $KEY && cat x && echo
      kcarchive restore a.kca --to jsonl -o x --force $KEY && same in.jsonl x; echo $?
      kcarchive pack -o link in.jsonl --force $KEY && test -f link -a ! -e missing; echo $?
      ls -A
      """)
    #expect(
      outcome.lines == [
        "18", "18", "18", "18", "mine", "missing", "x: sound; 1 item, 5 frames, 1 session",
        "s3cret", "1", "0", "a.kca", "in.jsonl", "link", "x",
      ], "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "kcarchive: error: x: a file is there already\nkcarchive: hint: --force replaces it\n"))
  }

  @Test("Archives and what comes out of them are for their owner only, whatever the umask")
  func modes() {
    let outcome = folder().run(
      """
      umask 0
      kcarchive pack -o a.kca in.jsonl $KEY && kcarchive get a.kca -o b $KEY
      kcarchive restore a.kca --to json -o c $KEY
      stat -c %a a.kca b c
      """)
    #expect(outcome.lines == ["600", "600", "600"], "\(outcome.errors)")
  }

  @Test("An output that is also read is refused, also by another name, and left as it is")
  func sameFile() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      echo a passphrase > p; head -c 32 /dev/urandom > key
      ln in.jsonl hard; ln -s a.kca soft; ln -s in.jsonl soft.jsonl
      sha256sum * > ../before
      for words in "pack -o in.jsonl in.jsonl" "pack -o in.jsonl ./in.jsonl" "pack -o hard in.jsonl" \\
        "pack -o in.jsonl soft.jsonl" "pack -o p in.jsonl --passphrase-file p" \\
        "pack -o key in.jsonl --key-file key" "get a.kca -o a.kca" "get a.kca -o soft" \\
        "restore a.kca --to json -o a.kca" "get soft -o a.kca"; do
        kcarchive $words --force $KEY; echo $?
      done
      kcarchive restore - --to json -o a.kca --force $KEY < a.kca; echo $?
      sha256sum * | diff - ../before; ls -A
      """)
    #expect(outcome.lines.filter { $0 == "2" }.count == 11, "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.lines.suffix(7)
        == ["a.kca", "hard", "in.jsonl", "key", "p", "soft", "soft.jsonl"])
    #expect(
      outcome.errors.contains("kcarchive: error: 'in.jsonl' is both input and output\n"))
  }

  @Test("An archive within a folder that it packs leaves itself out")
  func withinItself() {
    let outcome = folder().run(
      """
      mkdir d; echo x > d/x
      kcarchive pack -o d/a.kca d $KEY; kcarchive list d/a.kca $KEY
      kcarchive pack -o d/a.kca d --force $KEY; kcarchive list d/a.kca $KEY
      kcarchive pack -o - d $KEY > d/b.kca; kcarchive list d/b.kca $KEY -c file | wc -l
      """)
    #expect(
      outcome.lines == [
        "file d/x  2 bytes", "file d  directory", "file d/x  2 bytes", "file d  directory", "3",
      ], "\(outcome.errors)")
    #expect(
      outcome.errors.contains("note: 'd/a.kca' is left out: it is the archive\n"))
  }

  @Test(
    "Where there is no room nothing is touched and nothing left",
    .enabled(if: Ability.mounting, "needs to mount a small file system"))
  func fullDisk() {
    let here = folder()
    let outcome = here.run(
      """
      head -c 3000000 /dev/urandom > long; mkdir d; mv long d
      kcarchive pack -o a.kca d $KEY 2>&- || exit
      mkdir full
      cat > script <<'END'
      mount -t tmpfs -o size=1m none full && echo mine > full/x || exit
      for words in "pack -o full/new d" "pack -o full/x d --force" "pack -o full/new d/long" \\
        "get a.kca -o full/x --force -c file --where kind=file" \\
        "restore a.kca --to json -o full/new"; do
        kcarchive $words $KEY; echo $?
      done
      cat full/x; ls -A full
      kcarchive restore a.kca -C full $KEY; echo $?
      find full -type f
      END
      if [ $(id -u) = 0 ]; then unshare -m bash script; else unshare -rm bash script; fi
      """)
    #expect(
      outcome.lines == ["1", "1", "1", "1", "1", "mine", "x", "1", "full/x"],
      "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("no space left on device"))
  }

  @Test("A folder that takes no files is status 1")
  func unwritable() {
    let outcome = folder().run(
      """
      mkdir locked && chmod 500 locked
      target=locked; [ $(id -u) != 0 ] || target=/sys
      kcarchive pack -o $target/a.kca in.jsonl $KEY; echo $?
      kcarchive pack -o missing/a.kca in.jsonl $KEY; echo $?
      kcarchive pack -o locked in.jsonl $KEY; echo $?
      kcarchive pack -o locked in.jsonl $KEY --force; echo $?
      kcarchive pack -o a.kca in.jsonl $KEY && kcarchive restore a.kca -C $target/x $KEY; echo $?
      ls -A locked
      """)
    #expect(outcome.lines == ["1", "1", "1", "1", "1"], "\(outcome.errors)")
    #expect(outcome.errors.contains("missing/a.kca: creating failed: no such file or directory"))
  }

  /// Items that can't be read: the text, where it goes wrong, and what is said.
  static let malformedItems = [
    (
      "in.jsonl", #"{"class":"genp","service":"a"}"# + "\n\n" + #"{"class":"genp" "x"}"# + "\n",
      "3:17: expected ',' or '}'"
    ),
    ("in.json", #"[{"class":"genp","value":{"utf8":1}}]"#, "1:34: 'value': "),
    ("in.json", "[\n  {\"class\":\"genp\"},\n  ", "3:3: the text ends"),
    ("in.json", #"{"items":3}"#, "1:"),
    ("in.json", "", "1:1: the text is empty"),
    ("in.jsonl", #"{"class":"genp","value":{"file":"../x"}}"#, "1:33: 'value': "),
    ("in.jsonl", #"{"class":"genp","value":{"base64":"A"}}"#, "1:37: 'value': "),
    ("in.jsonl", #"{"class":"genp","class":"inet"}"#, "1:17: "),
  ]

  @Test(
    "Malformed items are status 13 with line and column, and no archive", arguments: malformedItems)
  func malformed(_ name: String, _ text: String, _ message: String) {
    let here = Folder()
    here.write(name, text)
    let outcome = here.run("kcarchive pack -o a.kca \(name) $KEY; echo $?; ls -A")
    #expect(outcome.lines == ["13", name], "\(outcome.errors)")
    #expect(
      outcome.errors.hasPrefix("kcarchive: error: \(name):\(message)"), "\(outcome.errors)")
  }

  @Test("The same primary key twice is status 20 with both places, and no archive")
  func duplicates() {
    let here = folder()
    here.write(
      "more.jsonl",
      #"{"class":"genp","service":"mail"}"# + "\n\n"
        + #"{"account":"alice","class":"genp","service":"web","#
        + #""value":{"utf8":"other"}}"# + "\n")
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl more.jsonl $KEY; echo $?
      cat more.jsonl in.jsonl | kcarchive pack -o a.kca - $KEY --json; echo $?
      ls -A
      """)
    #expect(outcome.lines == ["20", "20", "in.jsonl", "more.jsonl"])
    #expect(
      outcome.errors.contains(
        "the same item twice: 'in.jsonl', line 1 and 'more.jsonl', line 3"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("s3cret") && !outcome.errors.contains("other"))
  }

  @Test(
    "A signal while packing leaves nothing",
    arguments: [("INT", "130"), ("HUP", "130"), ("TERM", "143")])
  func signals(_ signal: String, _ status: String) {
    let outcome = folder().run(
      """
      set -m; mkfifo pipe; echo mine > b.kca
      for target in a.kca b.kca; do
        kcarchive pack -o $target - --force $KEY < pipe &
        exec 4> pipe; cat in.jsonl >&4
        until ls -A | grep -q partial; do sleep 0.01; done
        kill -\(signal) $!; wait $!; echo $?; exec 4>&-
      done 2> ../log/jobs
      cat b.kca; ls -A
      """)
    #expect(
      outcome.lines == [status, status, "mine", "b.kca", "in.jsonl", "pipe"], "\(outcome.errors)")
  }

  @Test("A signal that is ignored when the program starts stays ignored")
  func ignoredSignal() {
    let outcome = folder().run(
      """
      mkfifo pipe; trap '' HUP
      kcarchive pack -o a.kca - $KEY < pipe &
      exec 4> pipe; until ls -A | grep -q partial; do sleep 0.01; done
      kill -HUP $!; cat in.jsonl >&4; exec 4>&-; wait $!; echo $?
      """)
    #expect(outcome.lines == ["0"], "\(outcome.errors)")
  }

  @Test("What can't be packed is a warning each and status 3; what is missing is status 10")
  func inputs() {
    let outcome = folder().run(
      """
      mkdir d; mkfifo d/fifo; echo x > d/x
      kcarchive pack -o a.kca d $KEY; echo $?
      kcarchive list a.kca $KEY | wc -l
      kcarchive pack -o b.kca d/x missing $KEY; echo $?
      kcarchive pack -o b.kca <(echo from a pipe) d/fifo $KEY & (sleep 0.1; echo y > d/fifo); wait $!; echo $?
      kcarchive list b.kca $KEY | wc -l
      """)
    #expect(outcome.lines == ["3", "2", "10", "0", "2"], "\(outcome.errors)")
    #expect(outcome.errors.contains("warning: d/fifo: not packed: it is a FIFO\n"))
    #expect(outcome.errors.contains("error: missing: no such file or directory\n"))
  }

  @Test("Read back: all, sampled or not at all")
  func readBack() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY --json | sed 's/"bytes":[0-9]*/"bytes":N/'
      kcarchive pack -o b.kca in.jsonl $KEY --json --verify | grep -o '"readBack.*'
      kcarchive pack -o c.kca in.jsonl $KEY --json --no-verify | grep -o '"readBack.*'
      kcarchive pack -o d.kca in.jsonl $KEY --no-verify
      """)
    #expect(
      outcome.lines == [
        #"{"version":1,"pack":{"file":"a.kca","bytes":N,"items":1,"files":0,"valueBytes":6,"#
          + #""commit":1,"readBack":"sampled"}}"#,
        #""readBack":"all"}}"#, #""readBack":"none"}}"#,
      ])
    #expect(outcome.errors.contains("packed 1 item, 6 bytes, into d.kca ("))
    #expect(!outcome.errors.contains("read back"), "\(outcome.errors)")
  }
}
