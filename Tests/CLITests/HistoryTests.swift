// Older revisions as the built program shows, gives and keeps them.

import Testing

@Suite("History")
struct HistoryTests {
  /// An archive whose item `web / alice` has three revisions, `web / bob` was deleted, `web / carol` shredded, and
  /// `web / dave` deleted and added again.
  private func folder() -> Folder {
    let here = Folder()
    here.write(
      "in.jsonl",
      #"""
      {"class":"genp","service":"web","account":"alice","label":"first","value":{"utf8":"one"}}
      {"class":"genp","service":"web","account":"bob","value":{"utf8":"two"}}
      {"class":"genp","service":"web","account":"carol","value":{"utf8":"three"}}
      {"class":"genp","service":"web","account":"dave","value":{"utf8":"four"}}

      """#)
    here.write(
      "make",
      """
      kcarchive pack -o a.kca in.jsonl $KEY
      printf uno | kcarchive put a.kca $KEY -s web -a alice --attribute label=second
      kcarchive delete a.kca $KEY -s web -a bob
      kcarchive delete a.kca $KEY -s web -a carol --shred
      kcarchive delete a.kca $KEY -s web -a dave
      printf eins | kcarchive put a.kca $KEY -s web -a alice --attribute label=third
      printf vier | kcarchive put a.kca $KEY -s web -a dave
      """)
    return here
  }

  /// Without the times.
  private static let listing = [
    "genp web / dave", "  1  commit 7  live  4 bytes",
    "genp web / alice", "  3  commit 6  live  4 bytes", "  2  commit 2  replaced  3 bytes",
    "  1  commit 1  replaced  3 bytes",
    "genp web / dave", "  2  commit 5  deleted", "  1  commit 1  replaced  4 bytes",
    "an item of which nothing is left", "  2  commit 4  shredded",
    "genp web / bob", "  2  commit 3  deleted", "  1  commit 1  replaced  3 bytes",
  ]

  @Test("'list --history' shows every revision, newest session first, with its time and its commit")
  func list() {
    let outcome = folder().run(
      """
      . ./make 2>&-
      kcarchive list a.kca $KEY --history > text; sed -E 's/  20[0-9-]{8} [0-9:]{8} UTC//' text
      grep -c UTC text
      cat a.kca | kcarchive list - $KEY --history | cmp - text && echo piped
      """)
    #expect(
      outcome.lines == Self.listing + ["9", "piped"], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors == "" && outcome.status == 0)
  }

  @Test("'list --history' takes conditions, of what was shredded those that the index answers")
  func conditions() {
    let outcome = folder().run(
      """
      . ./make 2>&-
      for words in "-a alice" "-s web -a carol" "-a carol" "--where label=third" "--where label=first" "-s none -a x"; do
        kcarchive list a.kca $KEY --history $words > text; echo $? $(wc -l < text) $(head -1 text)
      done
      """)
    #expect(
      outcome.lines == [
        "0 4 genp web / alice", "0 2 an item of which nothing is left", "0 0",
        "0 4 genp web / alice", "0 0", "0 0",
      ], "\(outcome.text)\(outcome.errors)")
  }

  @Test("'list --history --json' is the documented object, '--jsonl' a line each")
  func json() {
    let outcome = folder().run(
      #"""
      . ./make 2>&-
      kcarchive list a.kca $KEY --history --jsonl > lines; wc -l < lines
      kcarchive list a.kca $KEY --history --json > object
      python3 - <<'END'
      import json, re
      items = [json.loads(line) for line in open("lines")]
      assert json.load(open("object")) == {"version": 1, "items": items}
      for item in items:
          for revision in item["revisions"]:
              assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z", revision.pop("time"))
              for date in ("created", "modified"):
                  revision.get("item", {}).pop(date, None)
      print(json.dumps(items[1], separators=(",", ":")))
      print(json.dumps(items[3], separators=(",", ":")))
      END
      """#)
    #expect(
      outcome.lines == [
        "5",
        #"{"revisions":[{"revision":3,"state":"live","commit":6,"valueBytes":4,"item":"#
          + #"{"class":"genp","service":"web","account":"alice","label":"third"}},"#
          + #"{"revision":2,"state":"replaced","commit":2,"valueBytes":3,"item":"#
          + #"{"class":"genp","service":"web","account":"alice","label":"second"}},"#
          + #"{"revision":1,"state":"replaced","commit":1,"valueBytes":3,"item":"#
          + #"{"class":"genp","service":"web","account":"alice","label":"first"}}]}"#,
        #"{"revisions":[{"revision":2,"state":"shredded","commit":4}]}"#,
      ], "\(outcome.text)\(outcome.errors)")
  }

  /// What `get --revision` says, with the words that say which item.
  private static let questions = """
    ask() { printf '%s: ' "$*"; kcarchive get a.kca $KEY "$@" 2> said; echo " $?"; cat said; }
    ask -s web -a alice --revision 1
    ask -s web -a alice --revision 2
    ask -s web -a alice --revision 3
    ask -s web -a alice --revision 4
    ask -s web -a bob --revision 1
    ask -s web -a bob --revision 2
    ask -s web -a carol --revision 1
    ask -s web -a dave --revision 1
    ask -s web -a dave --revision 2
    ask -s web -a nobody --revision 1
    ask -s web --revision 1 | tail -1

    """

  @Test("'get --revision' gives the value of any revision that is left, and says which there are")
  func get() {
    let outcome = folder().run(
      """
      . ./make 2>&-
      \(Self.questions)
      kcarchive get a.kca $KEY -s web -a alice --revision 1 --json | sed -E 's/,"(created|modified)":"[^"]*"//g'
      kcarchive get a.kca $KEY -s web -a alice --revision 0; echo $?
      kcarchive get a.kca $KEY -s web -a alice --revision 2 -o out; cat out
      """)
    #expect(
      outcome.lines == [
        "-s web -a alice --revision 1: one 0", "-s web -a alice --revision 2: uno 0",
        "-s web -a alice --revision 3: eins 0", "-s web -a alice --revision 4:  19",
        "kcarchive: error: a.kca: there is no revision 4 (genp web / alice)",
        "kcarchive: hint: there are revisions 1 to 3",
        "-s web -a bob --revision 1: two 0", "-s web -a bob --revision 2:  19",
        "kcarchive: error: a.kca: revision 2 is its deletion (genp web / bob)",
        "kcarchive: hint: there is revision 1",
        "-s web -a carol --revision 1:  19",
        "kcarchive: error: a.kca: revision 1 was shredded", "kcarchive: hint: no revision is left",
        "-s web -a dave --revision 1: vier 0", "-s web -a dave --revision 2:  19",
        "kcarchive: error: a.kca: there is no revision 2 (genp web / dave)",
        "kcarchive: hint: there is revision 1",
        "-s web -a nobody --revision 1:  19", "kcarchive: error: a.kca: no item matches",
        "kcarchive: hint: 'kcarchive list' shows what there is",
        "  genp web / alice  4 bytes",
        #"{"version":1,"revision":1,"item":{"class":"genp","service":"web","account":"alice","label":"first","value":{"utf8":"one"}}}"#,
        "2", "uno",
      ], "\(outcome.text)\(outcome.errors)")
  }

  @Test("'compact --keep-history' keeps all of that, and the second reader finds the archive sound")
  func keepHistory() {
    let reader = #filePath.replacing("Tests/CLITests/HistoryTests.swift", with: "Spec/reader")
    let outcome = folder().run(
      """
      . ./make 2>&-
      states() { kcarchive list $1 $KEY --history | sed -E 's/  20.*commit [0-9]+//' | sort; }
      states a.kca | grep -v -e nothing -e shredded > before
      kcarchive compact a.kca $KEY --keep-history --json | sed 's/"file.*"items"/"items"/'
      states a.kca | cmp - before && echo kept
      kcarchive verify a.kca $KEY
      kcarchive list a.kca $KEY | sort
      kcarchive get a.kca $KEY -s web -a alice --revision 1; echo
      kcarchive get a.kca $KEY -s web -a bob --revision 1; echo
      kcarchive get a.kca $KEY -s web -a carol --revision 1; echo $?
      kcarchive list a.kca $KEY --require-commit 7 | wc -l
      python3 -c 'import cryptography, argon2' || { echo skipped; exit; }
      python3 '\(reader)/kcarchive_reader.py' $KEY --verify a.kca; echo $?
      python3 '\(reader)/kcarchive_reader.py' $KEY a.kca | wc -l
      python3 '\(reader)/kcarchive_reader.py' $KEY --scan a.kca | wc -l
      """)
    let lines = outcome.lines.filter { $0 != "skipped" }
    let expected = [
      #"{"version":1,"compact":{"items":2,"commit":10,"dropped":[]}}"#, "kept",
      "a.kca: sound; 2 items, 23 frames, 3 sessions", "genp web / alice  4 bytes",
      "genp web / dave  4 bytes", "one", "two", "19", "2", "0", "2", "2",
    ]
    #expect(lines == Array(expected.prefix(lines.count)), "\(outcome.text)\(outcome.errors)")
    #expect(lines.count >= 9)
  }

  @Test("After a plain 'compact', what is gone is said to be")
  func plainCompact() {
    let outcome = folder().run(
      """
      . ./make 2>&-
      kcarchive compact a.kca $KEY 2>&-
      kcarchive list a.kca $KEY --history -a alice | sed -E 's/  20.*commit/  commit/'
      kcarchive get a.kca $KEY -s web -a alice --revision 3; echo
      kcarchive get a.kca $KEY -s web -a alice --revision 1; echo $?
      kcarchive get a.kca $KEY -s web -a bob --revision 1; echo $?
      """)
    #expect(
      outcome.lines == [
        "genp web / alice", "  3  commit 8  live  4 bytes", "eins", "19", "19",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "a.kca: revision 1 is gone: the archive was compacted since (genp web / alice)\n"
          + "kcarchive: hint: there is revision 3"))
  }

  @Test("A damaged older revision costs nothing but itself and what is older, with status 13")
  func damage() {
    let outcome = folder().run(
      """
      . ./make 2>&-
      python3 - <<'END'
      archive = bytearray(open("a.kca", "rb").read())
      archive[8192 + 60] ^= 1  # the first ITEM: revision 1 of web / alice
      open("a.kca", "wb").write(archive)
      END
      kcarchive list a.kca $KEY --history -a alice | sed -E 's/  20.*commit/  commit/'; echo ${PIPESTATUS[0]}
      kcarchive get a.kca $KEY -s web -a alice --revision 2; echo " $?"
      kcarchive get a.kca $KEY -s web -a alice --revision 1; echo $?
      before=$(sha256sum a.kca); kcarchive compact a.kca $KEY --keep-history; echo $?
      [ "$before" = "$(sha256sum a.kca)" ] && echo same
      """)
    #expect(
      outcome.lines == [
        "genp web / alice", "  3  commit 6  live  4 bytes", "  2  commit 2  replaced  3 bytes",
        "13",
        "uno 0", "13", "13", "same",
      ], "\(outcome.text)\(outcome.errors)")
  }
}
