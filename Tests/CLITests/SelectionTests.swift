// Items by class, access group and accessibility: in `pack`, `restore`, `list`, `get` and `delete`. And those that
// are bound to their device.

import Testing

@Suite("Items by access group and accessibility")
struct SelectionTests {
  private static let opening = """
    cat > items.jsonl << 'END'
    {"class":"genp","service":"one","account":"a","accessGroup":"T1.app","accessible":"ak","value":{"utf8":"1"}}
    {"class":"genp","service":"two","account":"a","accessGroup":"T1.shared","accessible":"ck","value":{"utf8":"2"}}
    {"class":"inet","server":"three","account":"a","accessGroup":"T1.app","accessible":"aku","value":{"utf8":"3"}}
    {"class":"genp","service":"four","account":"a","accessible":"akpu","value":{"utf8":"4"}}
    {"class":"genp","service":"five","account":"a","value":{"utf8":"5"}}
    END
    echo hello > note.txt
    names() { grep -o '"s[a-z]*":"[a-z]*"' | cut -d'"' -f4 | tr '\\n' ' '; }

    """

  @Test(
    "Only items for which all options hold are packed, and how many were left out is a note",
    arguments: [
      ("", "one two three four five", 1, 0), ("-c genp", "one two four five", 0, 2),
      ("-c inet -c file", "three", 1, 4), ("--access-group T1.app", "one three", 0, 4),
      ("--access-group T1.app --access-group T1.shared", "one two three", 0, 3),
      ("--access-group ''", "four five", 1, 3), ("--accessible ck", "two", 0, 5),
      ("--accessible aku --accessible akpu", "three four", 0, 4),
      ("-c genp --access-group T1.app --accessible ak", "one", 0, 5), ("-c cert", "", 0, 6),
    ])
  func pack(_ options: String, _ expected: String, _ files: Int, _ leftOut: Int) {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive pack -o a.kca items.jsonl note.txt \(options) $KEY; echo $?
        kcarchive list a.kca --json $KEY | names; echo
        kcarchive list a.kca -c file $KEY | wc -l
        """)
    #expect(outcome.lines.first == "0")
    #expect(
      outcome.text.split(separator: "\n", omittingEmptySubsequences: false)[1]
        .split(separator: " ").joined(separator: " ") == expected)
    #expect(outcome.lines.last == "\(files)")
    #expect(outcome.errors.contains("left out") == (leftOut > 0))
    if leftOut > 0 {
      #expect(outcome.errors.contains("note: \(leftOut) item"), "\(outcome.errors)")
    }
  }

  @Test(
    "Only items for which all options hold are restored",
    arguments: [
      ("-c inet", "three"), ("--access-group T1.shared --access-group T1.app", "one two three"),
      ("--accessible akpu", "four"), ("-c genp --access-group ''", "four five"),
    ])
  func restore(_ options: String, _ expected: String) {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive pack -o a.kca items.jsonl note.txt $KEY 2> /dev/null
        kcarchive restore a.kca --to jsonl -o - \(options) $KEY | names; echo
        mkdir out; kcarchive restore a.kca -C out \(options) $KEY 2> /dev/null; ls out | wc -l
        mkdir all; kcarchive restore a.kca -C all -c file $KEY 2> /dev/null; ls all
        """)
    #expect(
      outcome.lines.map { $0.split(separator: " ").joined(separator: " ") }
        == [expected, "0", "note.txt"])
  }

  @Test("A file that is not selected stands in nobody's way")
  func unselectedFile() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive pack -o a.kca items.jsonl note.txt $KEY 2> /dev/null
        kcarchive restore a.kca -c genp $KEY; echo $?
        kcarchive restore a.kca -c file $KEY; echo $?
        """)
    #expect(outcome.lines == ["0", "18"])
  }

  @Test("list, get and delete take an accessibility; a code that is none is status 2")
  func queries() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive pack -o a.kca items.jsonl $KEY 2> /dev/null
        kcarchive list a.kca --accessible aku $KEY
        kcarchive get a.kca --accessible ck $KEY; echo
        kcarchive delete a.kca --accessible akpu $KEY 2> /dev/null; echo $?
        kcarchive list a.kca --accessible akpu $KEY | wc -l
        for verb in 'list a.kca' 'pack -o b.kca items.jsonl' 'restore a.kca'; do
          kcarchive $verb --accessible xx $KEY 2> /dev/null; echo $?
        done
        """)
    #expect(
      outcome.lines == [
        "inet three / a  1 byte  group T1.app", "2", "0", "0", "2", "2", "2",
      ], "\(outcome.text)")
  }

  @Test("A list of items is without those that are bound to their device, and says which and why")
  func thisDeviceOnly() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive pack -o a.kca items.jsonl $KEY 2> /dev/null
        kcarchive list a.kca $KEY | wc -l
        kcarchive restore a.kca --to plist -o out.plist $KEY; echo $?
        python3 -c '
        import plistlib
        d = plistlib.load(open("out.plist", "rb"))
        print([i.get("svce", i.get("srvr")) for k in d for i in d[k]])'
        kcarchive restore a.kca --to plist -o all.plist --include-this-device-only $KEY 2> /dev/null; echo $?
        python3 -c '
        import plistlib
        d = plistlib.load(open("all.plist", "rb"))
        print([i.get("svce", i.get("srvr")) for k in d for i in d[k]])'
        kcarchive restore a.kca --to jsonl -o - $KEY 2> /dev/null | wc -l
        """)
    #expect(
      outcome.lines == [
        "5", "3", "['one', 'two', 'five']", "0", "['one', 'two', 'four', 'five', 'three']", "5",
      ], "\(outcome.text)")
    #expect(outcome.errors.contains("inet three / a"))
    #expect(outcome.errors.contains("genp four / a"))
    #expect(outcome.errors.contains("accessible akpu"))
    #expect(outcome.errors.contains("'--include-this-device-only' takes it along"))
    #expect(outcome.errors.contains("2 losses"))
  }

  @Test("The report in JSON lists the items that are bound to their device")
  func thisDeviceOnlyJSON() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive pack -o a.kca items.jsonl $KEY 2> /dev/null
        kcarchive restore a.kca --to plist -o out.plist --json $KEY 2> /dev/null | python3 -c '
        import json, sys
        report = json.load(sys.stdin)["restore"]
        print(report["items"], [l["item"] for l in report["losses"]])'
        kcarchive restore a.kca --to json -o b.json --include-this-device-only $KEY; echo $?
        """)
    #expect(outcome.lines == ["3 ['inet three / a', 'genp four / a']", "2"])
  }

  @Test("A key of a list goes back into its list, whatever its accessibility")
  func keyOfList() {
    let outcome = Folder().run(
      """
      cat > org.example.plist << 'END'
      <plist version="1.0"><dict><key>password</key><string>s3cret</string><key>x</key><true/></dict></plist>
      END
      echo '{"version":1,"rules":[{"key":"password","attributes":{"accessible":"aku"}}]}' > rules.json
      kcarchive migrate org.example.plist -o a.kca --all --rules rules.json $KEY > /dev/null 2>&1
      kcarchive list a.kca --accessible aku $KEY
      kcarchive restore a.kca --to plist -o out.plist $KEY 2> /dev/null; echo $?
      cmp out.plist org.example.plist; echo $?
      """)
    #expect(outcome.lines == ["genp org.example / password  6 bytes", "0", "0"], "\(outcome.text)")
  }

  @Test("The reference that an application keeps finds its item, by UUID and by row")
  func references() {
    let outcome = Folder().run(
      """
      ref() { python3 -c "
      import base64, sys
      print(base64.b64encode(sys.argv[1].encode() + bytes.fromhex(sys.argv[2])).decode())" "$1" "$2"; }
      U=0f0e0d0c0b0a490887060504030201ff
      cat > items.jsonl << END
      {"class":"genp","service":"one","account":"a","persistref":{"base64":"$(ref '' $U)"},"value":{"utf8":"by uuid"}}
      {"class":"inet","server":"two","account":"a","rowid":258,"value":{"utf8":"by row"}}
      END
      kcarchive pack -o a.kca items.jsonl $KEY 2> /dev/null
      kcarchive get a.kca --where persistentReference=$(ref genp $U) $KEY; echo
      kcarchive get a.kca --where persistref=$(ref inet 0000000000000102) $KEY; echo
      kcarchive list a.kca --where persistref=$(ref genp 0000000000000102) $KEY | wc -l
      kcarchive list a.kca -c inet --where persistref=$(ref genp $U) $KEY 2> /dev/null; echo $?
      kcarchive list a.kca -c genp --where persistref=$(ref genp $U) $KEY
      kcarchive list a.kca --where persistref=text $KEY | wc -l
      """)
    #expect(
      outcome.lines == ["by uuid", "by row", "0", "2", "genp one / a  7 bytes", "0"],
      "\(outcome.text)\(outcome.errors)")
  }
}
