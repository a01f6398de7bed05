// `convert`: lists in other formats, and lists with changes.

import Glibc
import Testing

/// Lists that are not ours to copy, beside the checkout where they are there.
private let corpusFolder =
  #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/shared/corpus"
private let isCorpusThere = unsafe access(corpusFolder + "/MANIFEST.tsv", R_OK) == 0

@Suite("Lists in other formats, and changes of them")
struct ConvertTests {
  private static let script = #"""
    cat > list.plist <<'END'
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    	<!-- the server -->
    	<key>server</key>
    	<string>a.example</string>
    	<key>ports</key>
    	<array>
    		<integer>80</integer>
    		<integer>0x1bb</integer>
    	</array>
    	<key>token</key>
    	<data>
    	AAEC
    	</data>
    </dict>
    </plist>
    END
    printf '// kept\n"greeting" = "Hello";  /* said first */\n"parting" = "Bye";\n' > a.strings

    """#

  @Test("Without anything to do, the file is written back byte for byte")
  func untouched() {
    let outcome = Folder().run(
      Self.script
        + """
        kcarchive convert list.plist --to binary -o list.bin
        for f in list.plist a.strings list.bin; do
          kcarchive convert $f | cmp - $f || exit
          kcarchive convert - < $f | cmp - $f || exit
        done
        kcarchive convert list.plist --to xml | cmp - list.plist
        """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("There and back again: each format says the same")
  func formats() {
    let outcome = Folder().run(
      Self.script
        + """
        kcarchive convert list.plist --to json > 1.json
        kcarchive convert list.plist --to binary -o 1.bin
        kcarchive convert 1.bin --to openstep --typed > 1.ostep
        kcarchive convert 1.ostep --to xml > 1.xml
        kcarchive convert 1.json --to xml > 2.xml
        for f in 1.bin 1.ostep 1.xml 2.xml; do kcarchive convert $f --to json | cmp - 1.json || exit; done
        cat 1.json 1.ostep
        """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.text == """
        {"server":"a.example","ports":[80,443],"token":{"$data":"AAEC"}}
        {
            server = a.example;
            ports = (
                <*I80>,
                <*I443>
            );
            token = <000102>;
        }

        """)
  }

  @Test("Changes of XML leave every other character as it is")
  func changedXML() {
    let outcome = Folder().run(
      Self.script
        + #"""
        kcarchive convert list.plist --set 'ports[1]=8080' --set 'ports[2]=1' --set 'name="<x>"' \
          --delete token > new.plist
        diff list.plist new.plist
        """#)
    #expect(
      outcome.text == """
        11c11,12
        < \t\t<integer>0x1bb</integer>
        ---
        > \t\t<integer>8080</integer>
        > \t\t<integer>1</integer>
        13,16c14,15
        < \t<key>token</key>
        < \t<data>
        < \tAAEC
        < \t</data>
        ---
        > \t<key>name</key>
        > \t<string>&lt;x&gt;</string>

        """, "\(outcome.errors)")
  }

  @Test("Changes of OpenStep text leave comments, encodings and layout as they are")
  func changedOpenStep() {
    let outcome = Folder().run(
      Self.script
        + #"""
        kcarchive convert a.strings --set 'greeting="Servus"' --set 'more="x"' --delete parting
        iconv -f utf-8 -t utf-16 a.strings > wide.strings
        kcarchive convert wide.strings --set 'greeting="Servus"' | iconv -f utf-16 -t utf-8 | diff a.strings -
        printf '{a = (1, 2);}' | kcarchive convert - --set 'a[2]="3"' --set 'b={}'
        """#)
    #expect(
      outcome.text == """
        // kept
        "greeting" = "Servus";  /* said first */
        "more" = "x";
        2c2
        < "greeting" = "Hello";  /* said first */
        ---
        > "greeting" = "Servus";  /* said first */
        {a = (1, 2, 3); b = {};}
        """, "\(outcome.errors)")
  }

  @Test("A binary list with a change keeps all other objects, and what is shared")
  func changedBinary() {
    let outcome = Folder().run(
      #"""
      cat > make.py <<'END'
      import plistlib as p
      inner = p.dumps({"k": "v"}, fmt=p.FMT_BINARY)
      # 0x11 0001: an integer in two bytes, which would fit in one.
      open("list", "wb").write(b"bplist00" b"\xd3\x01\x02\x03\x04\x05\x04" b"Qa" b"Qb" b"Qc" b"\x11\x00\x01" b"\x10\x02"
        b"\x08\x0f\x11\x13\x15\x18" + bytes(6) + b"\x01\x01" + (6).to_bytes(8, "big") + bytes(8) + (26).to_bytes(8, "big"))
      open("nested", "wb").write(p.dumps({"d": inner}, fmt=p.FMT_BINARY))
      END
      /usr/bin/python3 make.py
      kcarchive convert list --set b=7 > new && xxd -p new | head -c 52 && echo
      kcarchive convert new --to json
      kcarchive convert nested --set 'd.k=["w"]' | kcarchive inspect - --depth 2 --path d
      """#)
    #expect(
      outcome.text == """
        62706c6973743030d30102030405045161516251631100011007
        {"a":1,"b":7,"c":1}
        dictionary, 1 key
        └─ k   array, 1 element
           └─ [0]   "w"

        """, "\(outcome.errors)")
  }

  @Test("What a format has no word for is named, and nothing is written; what it cuts is a loss")
  func losses() {
    let outcome = Folder().run(
      #"""
      printf '{"a":[null,{"$uid":3}],"when":{"$date":7.25},"n":1}' > in.json
      kcarchive convert in.json --to xml -o out.plist; echo $?; ls out.plist
      kcarchive convert in.json --to openstep --typed -o out; echo $?
      kcarchive convert in.json --to xml --set 'a=[]' -o out.plist --json; echo $?
      """#)
    #expect(
      outcome.text == """
        1
        1
        {"version":1,"convert":{"file":"out.plist","to":"xml","changes":1,"losses":1,"lost":[{"path":"when","reason":"a fraction of a second of a date"}]}}
        3

        """, "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "kcarchive: warning: in.json: 'a[0]': a null, which only binary lists have\n"
          + "kcarchive: error: in.json: 1 value cannot be written in this format, and nothing was written\n"
      ))
    #expect(outcome.errors.contains("'a[1]': a UID, which OpenStep lists do not have"))
  }

  @Test(
    "A wrong command line, path or file is told as what it is",
    arguments: [
      ("list.plist --set server=a", 2, "needs a JSON value"),
      ("list.plist --set '=='", 2, "needs a JSON value"),
      ("list.plist --set 'a[='", 2, "needs a path and a value"),
      ("list.plist --delete ''", 2, "no path"),
      ("list.plist --delete nothing", 19, "nothing is at the path 'nothing'"),
      ("list.plist --set 'ports[3]=1'", 19, "it leads up to 'ports'"),
      ("list.plist --set 'server.a=1'", 19, "it leads up to 'server'"),
      ("list.plist --set server=null", 1, "cannot be changed: a null in an XML list"),
      ("a.strings --set 'greeting=1'", 1, "cannot be changed"),
      ("roman.plist --delete a", 15, "'kcarchive convert --rebuild' writes the list in UTF-8"),
      ("list.plist -o list.plist --force", 2, "both input and output"),
      ("list.plist -o a.strings", 18, "is there already"),
      ("list.plist --plain", 2, "'--plain' is for"),
      ("list.plist --to json --sort-keys", 2, "'--sort-keys' is for"),
      ("list.plist --json", 2, "both go to standard output"),
      ("nothing.plist", 10, "no such file"),
      ("/dev/null", 10, "is no property list"),
      ("words", 10, "no property list"),
      ("broken.json", 13, "broken.json:1:"),
    ])
  func errors(arguments: String, status: Int32, message: String) {
    let outcome = Folder().run(
      Self.script + "echo some words > words; printf '{\"a\":' > broken.json\n"
        + #"printf '{ a = "\377"; b = "\303\251"; }' > roman.plist"# + "\n"
        + "kcarchive convert \(arguments)")
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  @Test("A list within data that is not read is not told to be in another encoding")
  func unreadWithin() {
    let outcome = Folder().run(
      """
      printf '{ d = <62706c69 73743135 00000000 00000000>; }' | kcarchive convert - --set 'd.x=1'
      """)
    #expect(outcome.status == 15, "\(outcome.errors)")
    #expect(outcome.errors.contains("'d.x' cannot be changed"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("UTF-8"), "\(outcome.errors)")
  }

  @Test("--rebuild and --sort-keys write anew")
  func anew() {
    let outcome = Folder().run(
      Self.script
        + """
        kcarchive convert list.plist --sort-keys | grep key
        kcarchive convert list.plist --rebuild | grep -c -e '<!--' -e 0x
        kcarchive convert a.strings --rebuild
        printf '{ a = "\\377"; b = "\\303\\251"; }' | kcarchive convert --rebuild - | kcarchive convert --delete a -
        """)
    #expect(
      outcome.text == """
        \t<key>ports</key>
        \t<key>server</key>
        \t<key>token</key>
        0
        "greeting" = "Hello";
        "parting" = "Bye";
        {
            b = "√©";
        }

        """, "\(outcome.errors)")
  }

  @Test(
    "A typed stream becomes a keyed archive where that is asked for, and is not written otherwise",
    .enabled(if: isCorpusThere, "the corpus (../shared/corpus) is not there"))
  func typedStream() {
    let outcome = Folder().run(
      """
      f="\(corpusFolder)/open/cenon.app/English-DTP.nib-objects.nib"
      kcarchive convert "$f" | cmp - "$f"; echo $?
      kcarchive convert "$f" --set "a=1" -o out; echo $?
      kcarchive convert "$f" --rebuild -o out; echo $?; ls
      kcarchive convert "$f" --to binary -o out && kcarchive inspect out --path root > new; echo $?
      kcarchive inspect "$f" --path root | cmp - new; echo $?
      """)
    #expect(outcome.text == "0\n1\n1\n0\n0\n", "\(outcome.errors)")
    #expect(outcome.errors.contains("nib: typed streams are read and not written\n"))
  }

  @Test("What is only known by name has no place in an error", arguments: ["book", "alis"])
  func unread(signature: String) {
    let outcome = Folder().run(
      #"""
      printf '\#(signature)\100\000\000\000\000\000\000\000\060\000\000\000%48s' x > mark
      kcarchive convert mark --to xml
      """#)
    #expect(outcome.status == 15)
    #expect(outcome.errors.hasSuffix("inspect the list that it is from\n"), "\(outcome.errors)")
  }

  @Test(
    "Every sound list of the corpus goes through JSON and comes back; untouched and rebuilt ones are the same file",
    .enabled(if: isCorpusThere, "the corpus (../shared/corpus) is not there"),
    arguments: 0..<6)
  func corpus(part: Int) {
    let outcome = Folder().run(
      #"""
      cat > run.py <<'END'
      import csv, subprocess, sys
      corpus, part = sys.argv[1:]
      kinds = {"bplist", "keyed-bplist", "keyed-nib", "keyed-nib-xml", "keyed-xcuserstate", "keyed-xml", "openstep", "xml", "xml-nested-keyed"}
      # Zeros from its first lines on.
      broken = {"open/dd-plist/test2-ascii-null-char-in-string.plist"}
      # Not written by Apple's writer.
      foreign = {"open/bpylist2/nsmutabledata_archive.plist", "open/libs-base/eszett2.plist", "open/mvt/ios_backup_Info.plist",
        "open/rust-plist/binary_three_byte_integer_offset_table.plist"}
      def run(*arguments, data=None):
        done = subprocess.run(["kcarchive", "convert", *arguments], input=data, capture_output=True)
        return done.stdout if done.returncode == 0 else done.returncode
      rows = csv.DictReader(open(corpus + "/MANIFEST.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE)
      rows = [row["file"] for row in rows if row["kind"] in kinds]
      for name in rows[int(part)::6]:
        file = corpus + "/" + name
        if name in broken:
          if run(file) != 13: print(name, "is read")
          continue
        content = open(file, "rb").read()
        if run(file) != content: print(name, "is another file")
        json = run(file, "--to", "json")
        again = isinstance(json, bytes) and run("-", "--to", "binary", data=json)
        if not again or run("-", "--to", "json", data=again) != json: print(name, "is another list")
        if content[:8] == b"bplist00" and (run(file, "--rebuild") == content) == (name in foreign):
          print(name, "is not laid out as expected")
      print(len(rows))
      END
      /usr/bin/python3 run.py "\#(corpusFolder)" \#(part)
      """#)
    #expect(outcome.text == "254\n", "\(outcome.errors)")
  }
}
