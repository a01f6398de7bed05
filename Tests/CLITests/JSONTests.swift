// What programs read: every verb's JSON has the shape of Spec/cli.md, errors and progress among it.

import Testing

@Suite("JSON of the verbs")
struct JSONTests {
  private func folder() -> Folder {
    let here = Folder()
    here.write(
      "in.jsonl",
      #"{"class":"genp","service":"web","account":"alice","value":{"utf8":"s3cret"}}"# + "\n"
        + #"{"class":"cert","label":"c","serialNumber":{"base64":"AQ=="},"value":{"base64":"MIIB"}}"#
        + "\n")
    here.write("p", "a passphrase")
    return here
  }

  /// `shape` prints JSON with strings and numbers replaced by their types, but not what is named.
  private static let shape = #"""
    cat > ../shape.py <<'END'
    import json, sys
    kept = {"version", "status", "name", "kind", "checked", "to", "readBack", "activity"}
    def shape(value, key=None):
        if key in kept: return value
        if isinstance(value, dict): return {k: shape(v, k) for k, v in value.items()}
        if isinstance(value, list): return [shape(v) for v in value]
        return {str: "T", bool: "B", int: "N", float: "N"}[type(value)]
    for line in sys.stdin:
        print(json.dumps(shape(json.loads(line)), separators=(",", ":")))
    END
    shape() { python3 ../shape.py; }
    kcarchive pack -o a.kca in.jsonl --passphrase-file p $KEY --label mine $FAST 2>&- || exit

    """#

  static let shapes = [
    (
      "pack -o b.kca in.jsonl p",
      #"{"version":1,"pack":{"file":"T","bytes":"N","items":"N","files":"N","valueBytes":"N","#
        + #""commit":"N","readBack":"sampled"}}"#
    ),
    (
      "inspect a.kca",
      #"{"version":1,"files":[{"file":"T","kind":"archive","bytes":"N","formatVersion":"T","id":"T","#
        + #""header":{"sequence":"N","copies":["T","T"]},"slots":[{"id":"N","kind":"passphrase","#
        + #""label":"T","kdf":{"name":"argon2id","memory":"N","time":"N","parallelism":"N"},"#
        + #""withKeyFile":"B"},{"id":"N","kind":"key-file","label":"T"}],"sessions":"N","frames":"N","#
        + #""commit":"N","tailBytes":"N","holes":[],"items":{"count":"N","valueBytes":"N","#
        + #""classes":{"genp":"N","cert":"N"},"writers":[]}}]}"#
    ),
    (
      "list a.kca",
      #"{"version":1,"items":[{"class":"T","service":"T","account":"T"},"#
        + #"{"class":"T","label":"T","serialNumber":{"base64":"T"}}]}"#
    ),
    (
      "get a.kca -s web",
      #"{"version":1,"item":{"class":"T","service":"T","account":"T","value":{"utf8":"T"}}}"#
    ),
    (
      "restore a.kca -C out",
      #"{"version":1,"restore":{"to":"files","items":"N","files":"N","bytes":"N","losses":[]}}"#
    ),
    (
      "restore a.kca --to json -o out",
      #"{"version":1,"restore":{"to":"json","items":"N","files":"N","bytes":"N","losses":[]}}"#
    ),
    (
      "verify a.kca",
      #"{"version":1,"verify":{"file":"T","checked":"everything","status":0,"sessions":"N","#
        + #""frames":"N","items":"N","findings":[]}}"#
    ),
  ]

  @Test("Each verb's object has its fields", arguments: shapes)
  func objects(_ words: String, _ expected: String) {
    let outcome = folder().run(Self.shape + "kcarchive \(words) $KEY --json 2>&- | shape")
    #expect(outcome.lines == [expected], "\(outcome.errors)")
  }

  @Test("Without a credential there are no labels, items or 'everything'")
  func withoutCredential() {
    let outcome = folder().run(
      Self.shape
        + """
        kcarchive inspect a.kca --json | shape | grep -c -e label -e items
        kcarchive verify a.kca --json 2>&- | shape
        kcarchive version --json
        """)
    #expect(
      outcome.lines == [
        "0",
        #"{"version":1,"verify":{"file":"T","checked":"structure","status":0,"sessions":"N","#
          + #""frames":"N","findings":[]}}"#,
        #"{"version":1,"program":{"name":"kcarchive","version":"0.1.0"}}"#,
      ], "\(outcome.errors)")
  }

  @Test("Findings and losses have status, name, message and place")
  func findings() {
    let outcome = folder().run(
      Self.shape
        + """
        damage a.kca b.kca flip-value > place
        kcarchive verify b.kca $KEY --json | shape
        kcarchive restore b.kca $KEY --to json -o out.json --json 2> messages | shape
        shape < messages
        """)
    #expect(
      outcome.lines == [
        #"{"version":1,"verify":{"file":"T","checked":"everything","status":13,"sessions":"N","#
          + #""frames":"N","items":"N","findings":[{"status":13,"name":"damaged","message":"T","#
          + #""offset":"N","item":"T"}]}}"#,
        #"{"version":1,"restore":{"to":"json","items":"N","files":"N","bytes":"N","#
          + #""losses":[{"item":"T","reason":"T"}]}}"#,
        #"{"version":1,"warning":{"status":13,"name":"damaged","message":"T","#
          + #""place":{"file":"T","offset":"N","item":"T"}}}"#,
      ], "\(outcome.errors)")
  }

  @Test("A finding's file is named in bytes where its name is no text")
  func byteNames() {
    let outcome = folder().run(
      Self.shape
        + #"""
        cp a.kca $'\xff.kca'
        kcarchive verify $'\xff.kca' $KEY --json
        kcarchive list $'none\xff' $KEY --json 2>&1
        """#)
    #expect(
      outcome.text.hasPrefix(
        #"{"version":1,"verify":{"file":"\\xff.kca","fileBase64":"/y5rY2E=","#),
      "\(outcome.text)")
    #expect(outcome.text.contains(#""place":{"file":"none\\xff","fileBase64":"bm9uZf8="}"#))
  }

  static let failures: [(words: String, status: Int32, name: String)] = [
    ("pack -o missing/x in.jsonl $KEY", 1, "failed"),
    ("list", 2, "usage"),
    ("lisst a.kca", 2, "usage"),
    ("list a.kca", 2, "usage"),
    ("pack -o - in.jsonl $KEY", 2, "usage"),
    ("list cut.kca $KEY", 4, "truncated"),
    ("inspect in.jsonl", 10, "not-found"),
    ("list a.kca --key-file a.kca", 12, "wrong-credential"),
    ("pack -o x bad.json $KEY", 13, "damaged"),
    ("list a.kca --passphrase-file p --kdf-max-memory 1MiB", 16, "refused-by-limit"),
    ("list a.kca $KEY --require-commit 7", 17, "rolled-back"),
    ("pack -o a.kca in.jsonl $KEY", 18, "would-overwrite"),
    ("get a.kca -s none $KEY", 19, "no-such-item"),
    ("pack -o x in.jsonl in.jsonl $KEY", 20, "duplicate-item"),
  ]

  @Test("An error is one line of JSON with status and name", arguments: failures)
  func errors(_ words: String, _ status: Int32, _ name: String) {
    let here = folder()
    here.write("bad.json", "[3]")
    let outcome = here.run(
      Self.shape
        + """
        head -c 9000 a.kca > cut.kca
        kcarchive \(words) --json 2> ../message; status=$?
        shape < ../message; exit $status
        """)
    #expect(outcome.status == status, "\(outcome.text)\(outcome.errors)")
    #expect(outcome.lines.count == 1)
    #expect(
      outcome.text.hasPrefix(
        #"{"version":1,"error":{"status":\#(status),"name":"\#(name)","message":"T""#),
      "\(outcome.text)")
  }

  @Test("Several files of 'inspect': each is shown, and the first failure is the status")
  func severalFiles() {
    let here = folder()
    let outcome = here.run(
      Self.shape + "kcarchive inspect in.jsonl a.kca missing a.kca; echo $?")
    #expect(
      outcome.lines.filter { $0.hasPrefix("a.kca    kcarchive archive, version 1, ") }.count == 2)
    #expect(outcome.lines.last == "10")
    #expect(
      outcome.errors.hasSuffix(
        "kcarchive: error: missing: no such file or directory\n"), "\(outcome.errors)")
    let json = here.run(
      "kcarchive inspect in.jsonl a.kca missing --json > out 2> errors; echo $?; wc -l < errors; "
        + "python3 -c 'import json; print(len(json.load(open(\"out\"))[\"files\"]))'")
    #expect(json.lines == ["10", "2", "1"], "\(json.errors)")
  }

  @Test(
    "Progress is JSON lines where asked for, the last one done",
    arguments: ["pack -o b.kca long", "verify a.kca", "restore a.kca -C out", "inspect a.kca"])
  func progress(_ words: String) {
    let outcome = folder().run(
      """
      head -c 600000 /dev/urandom > long
      kcarchive pack -o a.kca long $KEY 2>&- || exit
      kcarchive \(words) $KEY --progress json 2> messages > /dev/null || exit
      grep progress messages | python3 -c '
      import json, sys
      all = [json.loads(line)["progress"] for line in sys.stdin]
      assert all[-1]["done"] and not any(p["done"] for p in all[:-1])
      assert all[-1]["bytes"] > 599000 and len({p["activity"] for p in all}) == 1
      assert [p["bytes"] for p in all] == sorted(p["bytes"] for p in all)
      print(sorted(all[-1]))'
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.hasPrefix("['activity', 'bytes', "), "\(outcome.text)")
  }
}
