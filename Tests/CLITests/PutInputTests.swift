// Many items and files put into an archive that is there, by the built program.

import Testing

@Suite("Putting many items")
struct PutInputTests {
  private func folder() -> Folder {
    let here = Folder()
    here.write(
      "in.jsonl",
      #"""
      {"class":"genp","service":"web","account":"alice","label":"first","created":"2024-05-01T12:00:00Z","value":{"utf8":"one"}}
      {"class":"genp","service":"web","account":"bob","value":{"utf8":"two"}}

      """#)
    here.write(
      "more.jsonl",
      #"""
      {"class":"genp","service":"web","account":"alice","comment":"hi"}
      {"class":"genp","service":"web","account":"bob","value":{"utf8":"deux"}}
      {"class":"genp","service":"web","account":"carol","value":{"utf8":"three"},"modified":"2024-05-02T12:00:00Z"}

      """#)
    return here
  }

  @Test("Items, lists and folders are put in one commit; both readers agree")
  func put() {
    let reader = #filePath.replacing("Tests/CLITests/PutInputTests.swift", with: "Spec/reader")
    let outcome = folder().run(
      #"""
      mkdir d; echo one > d/a; echo two > d/b
      kcarchive pack -o a.kca in.jsonl d $KEY 2>&- || exit
      echo new > d/a; rm d/b; ln -s a d/b; head -c 3000000 /dev/zero > d/c
      kcarchive put a.kca more.jsonl d $KEY; echo $?
      kcarchive get a.kca $KEY -s web -a alice --json | sed 's/,"modified":"[^"]*"//'
      kcarchive get a.kca $KEY -s web -a bob; echo
      kcarchive get a.kca $KEY -s web -a carol --json | sed 's/,"created":"[^"]*"//'
      mkdir back; kcarchive restore a.kca $KEY -C back 2>&-; (cd back/d && ls && cat a && readlink b && stat -c %s c)
      kcarchive verify a.kca $KEY
      echo '{"class":"genp","service":"web","account":"dora","value":{"utf8":"4"}}' \
        | kcarchive put a.kca - $KEY --json
      python3 -c 'import cryptography, argon2' || exit 0
      """# + "\npython3 '\(reader)/kcarchive_reader.py' $KEY --verify a.kca; echo $?\n"
        + "python3 '\(reader)/kcarchive_reader.py' $KEY --list a.kca | wc -l\n")
    let expected = [
      "0",
      #"{"version":1,"item":{"class":"genp","service":"web","account":"alice","label":"first","comment":"hi","created":"2024-05-01T12:00:00Z","value":{"utf8":"one"}}}"#,
      "deux",
      #"{"version":1,"item":{"class":"genp","service":"web","account":"carol","modified":"2024-05-02T12:00:00Z","value":{"utf8":"three"}}}"#,
      "a", "b", "c", "new", "a", "3000000",
    ]
    #expect(
      outcome.lines.prefix(expected.count) == expected[...], "\(outcome.text)\(outcome.errors)")
    let rest = outcome.lines.dropFirst(expected.count)
    #expect(rest.first?.hasPrefix("a.kca: sound; 7 items, ") == true)
    #expect(rest.first?.hasSuffix(" frames, 2 sessions") == true)
    #expect(
      rest.dropFirst().first
        == #"{"version":1,"put":{"file":"a.kca","added":1,"changed":0,"valueBytes":1,"commit":3}}"#)
    #expect(rest.count == 2 || rest.dropFirst(2).elementsEqual(["0", "8"]), "\(outcome.text)")
    #expect(
      outcome.errors.contains("put 7 items, 2.9 MiB, into a.kca: 2 added, 5 changed\n"),
      "\(outcome.errors)")
  }

  @Test("The same item twice is status 20 with both places, and nothing is left of the attempt")
  func duplicates() {
    let outcome = folder().run(
      #"""
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      echo '{"class":"genp","service":"web","account":"carol","value":{"utf8":"3"}}' > one.jsonl
      echo '{"class":"genp","service":"web","account":"bob","value":{"utf8":"3"}}' > two.jsonl
      before=$(sha256sum a.kca)
      kcarchive put a.kca more.jsonl one.jsonl $KEY; echo $?
      kcarchive put a.kca more.jsonl two.jsonl $KEY; echo $?
      echo '{"class":"genp"' > bad.jsonl; kcarchive put a.kca more.jsonl bad.jsonl $KEY; echo $?
      kcarchive put a.kca more.jsonl none.jsonl $KEY; echo $?
      [ "$before" = "$(sha256sum a.kca)" ] && echo same
      """#)
    #expect(outcome.lines == ["20", "20", "13", "10", "same"], "\(outcome.text)\(outcome.errors)")
    for (line, other) in [("3", "one"), ("2", "two")] {
      #expect(
        outcome.errors.contains(
          "the same item twice: 'more.jsonl', line \(line) and '\(other).jsonl', line 1 have one primary key"
        ),
        "\(outcome.errors)")
    }
  }

  @Test("The archive itself is left out of a folder, and what can't be packed is status 3")
  func folders() {
    let outcome = folder().run(
      """
      mkdir d; echo one > d/a; mkfifo d/f
      kcarchive pack -o d/a.kca in.jsonl $KEY 2>&- || exit
      kcarchive put d/a.kca d $KEY; echo $?
      kcarchive list d/a.kca $KEY -c file | cut -d' ' -f1-2 | sort
      """)
    #expect(
      outcome.lines == ["3", "file d", "file d/a"], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("note: 'd/a.kca' is left out: it is the archive\n"))
    #expect(outcome.errors.contains("d/f: not packed: it is "))
  }

  @Test("Options for one item and INPUT exclude each other")
  func usage() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      before=$(sha256sum a.kca)
      kcarchive put a.kca more.jsonl -s web $KEY; echo $?
      kcarchive put a.kca more.jsonl --value-file in.jsonl $KEY; echo $?
      kcarchive put a.kca --as-file -s web -a x $KEY; echo $?
      kcarchive put a.kca - --passphrase-fd 0; echo $?
      kcarchive put a.kca - - $KEY; echo $?
      [ "$before" = "$(sha256sum a.kca)" ] && echo same
      """)
    #expect(outcome.lines == ["2", "2", "2", "2", "2", "same"], "\(outcome.text)\(outcome.errors)")
  }

  @Test("A hundred thousand items go into an archive of as many, in bounded memory")
  func many() {
    let outcome = folder().run(
      #"""
      python3 - <<'END'
      for name, start in (("a", 0), ("b", 50000)):
          with open(name + ".jsonl", "w") as file:
              for n in range(start, start + 100000):
                  print('{"class":"genp","service":"web","account":"%d","value":{"utf8":"%d"}}' % (n, n + start), file=file)
      END
      kcarchive pack -o a.kca a.jsonl $KEY 2>&- || exit
      python3 -c '
      import resource, subprocess, sys
      status = subprocess.call(sys.argv[1:])
      print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 64 << 10)
      ' kcarchive put a.kca b.jsonl $KEY
      kcarchive list a.kca $KEY | wc -l
      kcarchive get a.kca $KEY -s web -a 70000; echo
      kcarchive verify a.kca $KEY | cut -d, -f1-2; cp a.kca before.kca
      kcarchive compact a.kca $KEY --keep-history 2>&-; echo $?
      kcarchive get a.kca $KEY -s web -a 70000 --revision 1; echo
      """#)
    #expect(
      outcome.lines == [
        "0 True", "150000", "120000", "a.kca: sound; 150,000 items", "0", "70000",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("50,000 added, 50,000 changed"))
  }
}
