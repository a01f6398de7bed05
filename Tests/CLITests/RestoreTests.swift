// What an archive from somebody else may do to a folder: nothing outside of it, nothing over what is there.

import Testing

@Suite("Restoring files")
struct RestoreTests {
  /// Items of class `file` that nobody's `pack` makes: their JSON, and why they are refused.
  static let hostile = [
    (#""path":"../x","value":{"utf8":"x"}"#, "its path leads out of the folder, or is none"),
    (#""path":"/x","value":{"utf8":"x"}"#, "its path leads out of the folder, or is none"),
    (#""path":"a/../../x","value":{"utf8":"x"}"#, "its path leads out of the folder, or is none"),
    (#""path":"a/./x","value":{"utf8":"x"}"#, "its path leads out of the folder, or is none"),
    (#""path":"a//x","value":{"utf8":"x"}"#, "its path leads out of the folder, or is none"),
    (#""path":".","kind":"directory","mode":511"#, "its path leads out of the folder, or is none"),
    (#""path":"","value":{"utf8":"x"}"#, "its path leads out of the folder, or is none"),
    (#""path":"nul\u0000x","value":{"utf8":"x"}"#, "its path leads out of the folder, or is none"),
    (#""path":"l","kind":"link","link":"/etc/passwd""#, "the link leads out of the folder"),
    (#""path":"l","kind":"link","link":"..""#, "the link leads out of the folder"),
    (#""path":"a/l","kind":"link","link":"../../x""#, "the link leads out of the folder"),
    (#""path":"a/l","kind":"link","link":"b/../../../x""#, "the link leads out of the folder"),
    // Were `b` a link to the folder itself, `b/..` would be above it.
    (#""path":"a/l","kind":"link","link":"b/../x""#, "the link leads out of the folder"),
    (#""path":"l","kind":"link","link":"""#, "the link leads out of the folder"),
    (#""path":"l","kind":"link""#, "the link leads out of the folder"),
    (#""path":"d","kind":"device","mode":511"#, "its kind is not known"),
  ]

  @Test("What leads out of the folder is refused, and the rest restored", arguments: hostile)
  func leadingOut(_ attributes: String, _ reason: String) {
    let here = Folder()
    here.write(
      "in.jsonl",
      #"{"class":"file",\#(attributes)}"# + "\n"
        + #"{"class":"file","path":"good","value":{"utf8":"x"}}"#
        + "\n")
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      for force in "" --force; do
        kcarchive restore a.kca -C out/in $force $KEY; echo $?
      done
      mkdir -p out/in
      for force in "" --force; do
        rm -rf out/in/*; kcarchive restore a.kca -C out/in $force $KEY; echo $?
      done
      find . | sort
      """)
    #expect(
      outcome.lines == [
        "1", "1", "3", "3", ".", "./a.kca", "./in.jsonl", "./out", "./out/in", "./out/in/good",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.errors.contains("kcarchive: warning: not restored: \(reason) (file"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("restored 1 file, 1 byte; 1 loss\n"))
  }

  @Test("No link is followed, neither the archive's own nor one that is there")
  func links() {
    let here = Folder()
    here.write(
      "in.jsonl",
      [
        #"{"class":"file","path":"inside","kind":"link","link":"d"}"#,
        #"{"class":"file","path":"inside/x","value":{"utf8":"x"}}"#,
        #"{"class":"file","path":"there/x","value":{"utf8":"x"}}"#,
        #"{"class":"file","path":"file","value":{"utf8":"new"}}"#,
        #"{"class":"file","path":"d/up","kind":"link","link":"../file"}"#,
      ].joined(separator: "\n"))
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      mkdir -p outside out; echo mine > outside/f
      ln -s ../outside out/there; ln -s ../outside/f out/file
      kcarchive restore a.kca -C out $KEY; echo $?; ls -A out
      kcarchive restore a.kca -C out --force $KEY; echo $?
      ls -A outside; cat outside/f out/file; echo
      find out -type l | sort; find out -type f; cat out/d/up; echo
      """)
    #expect(
      outcome.lines == [
        "18", "file", "there", "3", "f", "mine", "new", "out/d/up", "out/inside", "out/there",
        "out/file", "new",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.errors.components(of: "not restored: a part of its path is no directory (file ")
        == 2, "\(outcome.errors)")
  }

  @Test("Set-id bits are dropped, other modes are kept")
  func setIDs() {
    let outcome = Folder().run(
      """
      mkdir in; for mode in 4755 2755 6711 1644 400; do echo x > in/$mode; chmod $mode in/$mode; done
      chmod 2750 in
      kcarchive pack -o a.kca in $KEY && kcarchive restore a.kca -C out $KEY
      stat -c '%n %a' out/in out/in/* | sed 's:.*/::'
      """)
    #expect(
      outcome.lines == ["in 750", "1644 1644", "2755 755", "400 400", "4755 755", "6711 711"],
      "\(outcome.errors)")
  }

  @Test("A file that is there stops the run before anything is written, and --force replaces it")
  func existing() {
    let outcome = Folder().run(
      """
      mkdir -p in/a; echo one > in/a/one; echo two > in/two
      kcarchive pack -o a.kca in $KEY 2>&- || exit
      mkdir -p out/in; echo mine > out/in/two
      kcarchive restore a.kca -C out $KEY; echo $?; find out -type f; cat out/in/two
      kcarchive restore a.kca -C out --force $KEY; echo $?; cat out/in/a/one out/in/two
      kcarchive restore a.kca -C out --force $KEY; echo $?
      rm out/in/two; mkdir out/in/two; echo mine > out/in/two/x
      kcarchive restore a.kca -C out --force $KEY; echo $?; cat out/in/two/x
      cd out; rm -r in; kcarchive restore ../a.kca $KEY; echo $?; cat in/two
      kcarchive restore ../a.kca $KEY; echo $?
      """)
    #expect(
      outcome.lines == [
        "18", "out/in/two", "mine", "0", "one", "two", "0", "18", "mine", "0", "two", "18",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.errors.hasPrefix(
        "kcarchive: error: out/in/two: something is there already\n"
          + "kcarchive: hint: --force replaces files, but no folders\n"), "\(outcome.errors)")
    #expect(outcome.errors.contains("error: in/a/one: something is there already\n"))
  }

  @Test("Items that are no files are counted in a note")
  func otherClasses() {
    let here = Folder()
    here.write(
      "in.jsonl",
      #"{"class":"genp","service":"a","value":{"utf8":"s3cret"}}"# + "\n"
        + #"{"class":"file","path":"f","value":{"utf8":"x"}}"#)
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      kcarchive restore a.kca -C out $KEY; echo $?; ls -A out
      kcarchive restore a.kca -C out2 $KEY --json
      """)
    #expect(
      outcome.lines == [
        "0", "f",
        #"{"version":1,"restore":{"to":"files","items":0,"files":1,"bytes":1,"losses":[]}}"#,
      ])
    #expect(
      outcome.errors == """
        kcarchive: note: 1 item of other classes is no file; '--to jsonl -o FILE' writes it
        restored 1 file, 1 byte
        {"version":1,"note":{"message":"1 item of other classes is no file; '--to jsonl -o FILE' writes it"}}

        """)
  }
}

extension String {
  /// How often `part` is in the text.
  fileprivate func components(of part: String) -> Int {
    var count = 0
    var rest = Substring(self)
    while let range = rest.firstRange(of: part) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
