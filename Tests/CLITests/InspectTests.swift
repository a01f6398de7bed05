// `inspect` of property lists and keyed archives, and `get` of values that are such.

import Glibc
import Testing

@Suite("Property lists and keyed archives")
struct InspectTests {
  private static let script = #"""
    cat > make.py <<'END'
    import datetime, plistlib as p
    U = p.UID
    inner = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": U(1)},
      "$objects": ["$null", {"name": U(2), "owner": U(1), "$class": U(3)}, "alice",
        {"$classname": "App.Person", "$classes": ["App.Person", "NSObject"]}]}
    archive = p.dumps(inner, fmt=p.FMT_BINARY, sort_keys=False)
    list = {"user": "alice", "a.b": [1, 2.5, True], "when": datetime.datetime(2024, 5, 1, 12),
      "session": archive, "blob": bytes(range(5)), "\u202e": "\x1b[2J" if False else "x"}
    open("archive", "wb").write(archive)
    open("list.bin", "wb").write(p.dumps(list, fmt=p.FMT_BINARY, sort_keys=False))
    open("list.xml", "wb").write(p.dumps(list, sort_keys=False))
    END
    /usr/bin/python3 make.py

    """#

  @Test("Content tells what a file is, and all of a list is shown")
  func kinds() {
    let outcome = Folder().run(
      Self.script + "kcarchive inspect list.bin list.xml && kcarchive inspect - < archive")
    let tree = """
      dictionary, 6 keys
      ├─ user       "alice"
      ├─ a.b        array, 3 elements
      │  ├─ [0]   1
      │  ├─ [1]   2.5
      │  └─ [2]   true
      ├─ when       2024-05-01 12:00:00 UTC
      ├─ session    data, 237 bytes   keyed archive inside (--depth 2)
      ├─ blob       data, 5 bytes   00010203 04
      └─ \\u{202e}   "x"

      """
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.text == """
        list.bin    binary property list, 16 objects
        \(tree)list.xml    XML property list, 16 objects
        \(tree)-    keyed archive in a binary property list, 2 objects of 1 class
        root  App.Person #1   class not known, shown as stored
        ├─ name    "alice"
        └─ owner   <cycle to #1>

        """)
  }

  @Test("Depth, path, table and summary show more or less of it")
  func options() {
    let outcome = Folder().run(
      Self.script
        + #"""
        kcarchive inspect list.bin --depth 2 | grep -c 'name    "alice"'
        kcarchive inspect list.xml --path 'a\.b[1]'
        kcarchive inspect list.bin --path session.root.name
        kcarchive inspect archive list.xml --path user; echo $?
        kcarchive inspect list.bin --path session.root.nobody; echo $?
        kcarchive inspect archive --raw | grep -c '@'
        kcarchive inspect list.bin list.xml --summary | sed 's/objects, [^:]*:/objects, SIZE:/'
        kcarchive inspect list.bin --path 'a['; echo $?
        kcarchive inspect list.bin --path a --raw; echo $?
        """#)
    #expect(
      outcome.lines
        == [
          "1", "2.5", #""alice""#, "list.xml", #""alice""#, "19", "19", "8",
          "list.bin    binary property list, 16 objects, SIZE: 1 boolean, 1 integer, 1 real, 1 date, "
            + "2 data, 8 strings, 1 array, 1 dictionary; depth 2; nothing irregular",
          "list.xml    XML property list, 16 objects, SIZE: 1 boolean, 1 integer, 1 real, 1 date, "
            + "2 data, 8 strings, 1 array, 1 dictionary; depth 2; nothing irregular",
          "2", "2",
        ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("hint: it leads up to 'session.root'; "), "\(outcome.errors)")
  }

  @Test("Several files with a list at the path of one: the others are listed as errors")
  func failures() {
    let outcome = Folder().run(
      Self.script
        + #"""
        printf 'bplist00 and no more' > broken
        printf '<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>' > twice
        printf '<plist><array><tru/></array></plist>' > wrong
        printf 'nothing known' > other; : > empty
        for file in broken twice wrong other empty missing .; do
          kcarchive inspect $file > out; echo $? $(wc -l < out)
        done
        kcarchive inspect twice --strict; echo $?
        kcarchive inspect broken archive | tail -n 1
        kcarchive pack -o a.kca $KEY $FAST list.bin 2> /dev/null
        kcarchive inspect a.kca --raw; echo $?
        kcarchive inspect other --raw; echo $?
        """#)
    #expect(
      outcome.lines == [
        "13 0", "0 4", "13 0", "10 0", "10 0", "10 0", "10 0", "13", "└─ owner   <cycle to #1>",
        "1",
        "10",
      ], "\(outcome.errors)")
    #expect(
      outcome.errors.contains("warning: twice:1:33: a dictionary has a key twice\n"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("error: wrong:1:15: "), "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "other: neither an archive nor a property list that kcarchive knows"))
  }

  @Test("OpenStep text is shown as other lists are, and damage in it has its place")
  func openStep() {
    let outcome = Folder().run(
      #"""
      printf '// !$*UTF8*$!\n{\n\ta = (b, <0aff>);\n\t"c d" = "\\U00e9";\n}\n' > p.pbxproj
      printf '\376\377\0"\0k\0"\0;\0\n' > s.strings
      printf '/* c */\n"k" = "v";\n"l" "m";\n' > bad.strings
      printf '{ "a": 1 }' > list.json
      kcarchive inspect p.pbxproj s.strings; kcarchive inspect p.pbxproj --path 'a[1]'
      kcarchive inspect p.pbxproj --json | grep -c '"content":{"a":\["b",{"$data":"Cv8="}\],"c d":"é"}'
      kcarchive inspect bad.strings; echo $?
      kcarchive inspect list.json; echo $?
      """#)
    #expect(
      outcome.lines == [
        "p.pbxproj    OpenStep property list, UTF-8, 7 objects", "dictionary, 2 keys",
        "├─ a     array, 2 elements", "│  ├─ [0]   \"b\"", "│  └─ [1]   data, 2 bytes   0aff",
        "└─ c d   \"é\"", "s.strings    strings file, UTF-16, 3 objects", "dictionary, 1 key",
        "└─ k   \"k\"", "data, 2 bytes   0aff", "1", "13", "10",
      ], "\(outcome.errors)")
    #expect(outcome.errors.contains("bad.strings:3:4: a key without '=' or ';' behind it"))
  }

  @Test("JSON has kind, counts and content")
  func json() {
    let outcome = Folder().run(
      Self.script
        + #"""
        kcarchive inspect list.xml archive --json | /usr/bin/python3 -c '
        import json, sys
        list, archive = json.load(sys.stdin)["files"]
        print(list["kind"], list["format"], list["objects"], list["depth"], list["counts"]["string"])
        print(list["content"]["when"], list["content"]["a.b"], list["content"]["blob"])
        print(archive["kind"], archive["archiver"], archive["classes"], archive["containsItself"])
        print(json.dumps(archive["content"]))'
        kcarchive inspect list.bin --json --path session.root.name | grep -o '"path".*'
        kcarchive inspect archive --json --raw | grep -c '"table":\[{"number":0,"offset":8,'
        """#)
    #expect(
      outcome.lines == [
        "property-list xml 16 2 8",
        "{'$date': '2024-05-01T12:00:00Z'} [1, 2.5, True] {'$data': 'AAECAwQ='}",
        "keyed-archive NSKeyedArchiver [{'name': 'App.Person', 'count': 1}] True",
        #"{"root": {"$class": "App.Person", "$id": 1, "fields": {"name": "alice", "#
          + #""owner": {"$ref": 1}}}}"#,
        #""path":"session.root.name","content":"alice"}]}"#, "1",
      ], "\(outcome.errors)")
  }

  @Test("A value is shown decoded, or as a property list")
  func values() {
    let outcome = Folder().run(
      Self.script
        + #"""
        kcarchive pack -o a.kca $KEY $FAST --as-file list.bin archive 2> /dev/null
        printf 'bplist00 and no more' > broken; printf 'some text' > text; printf '\0\1' > data
        echo '{"class":"genp","service":"json","value":{"plist":{"n":{"$integer":"5"}}}}' > in.jsonl
        kcarchive pack -o b.kca $KEY $FAST broken text data in.jsonl 2> /dev/null
        kcarchive get a.kca $KEY --where path=archive --decode
        kcarchive get a.kca $KEY --where path=list.bin --plist > back.xml
        /usr/bin/python3 -c '
        import plistlib
        read = lambda name: plistlib.load(open(name, "rb"))
        print(read("back.xml") == read("list.bin"))'
        kcarchive get a.kca $KEY --where path=archive --decode --json | grep -o '"decoded".*'
        kcarchive get b.kca $KEY --where path=text --decode
        kcarchive get b.kca $KEY --where path=data --decode
        kcarchive get b.kca $KEY -s json --plist --json
        kcarchive get b.kca $KEY --where path=text --plist; echo $?
        kcarchive get b.kca $KEY --where path=broken --plist; echo $?
        kcarchive get b.kca $KEY --where path=broken --decode; echo $?
        terminal kcarchive get b.kca $KEY --where path=text --decode < /dev/null > shown; echo $?
        kcarchive get b.kca $KEY -s json --decode -o new && cat new && stat -c %a new
        """#)
    #expect(
      outcome.lines == [
        "root  App.Person #1   class not known, shown as stored", #"├─ name    "alice""#,
        "└─ owner   <cycle to #1>", "True",
        #""decoded":{"kind":"keyed-archive","content":{"root":{"$class":"App.Person","$id":1,"#
          + #""fields":{"name":"alice","owner":{"$ref":1}}}}}}"#,
        "some text", "data, 2 bytes   0001",
        #"{"version":1,"item":{"class":"genp","service":"json","value":{"plist":{"n":5}}}}"#,
        "1", "13", "13", "2", "dictionary, 1 key", "└─ n   5", "600",
      ], "\(outcome.errors)")
  }
}

/// What lists come in, or hold, that are older or are not read.
@Suite("Typed streams, signed lists and what is only recognised")
struct InspectOtherFormatsTests {
  private static let script = #"""
    cat > make.py <<'END'
    import plistlib as p
    # An array of a text, twice, and of a number.
    stream = (b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x07NSArray\x00"
      b"\x84\x84\x08NSObject\x00\x85\x84\x01i\x03"
      b"\x92\x84\x84\x84\x08NSString\x01\x94\x84\x01+\x05alice\x86\x92\x95"
      b"\x92\x84\x84\x84\x08NSNumber\x00\x94\x84\x01*\x84\x95\x95\x07\x86\x86")
    open("stream", "wb").write(stream)
    bookmark = b"book" + bytes([48, 0, 0, 0, 0, 0, 4, 16, 48]) + bytes(35)
    open("bookmark", "wb").write(bookmark)
    open("message", "wb").write(b"bplist15" + bytes(30))
    open("list", "wb").write(p.dumps({"body": stream, "place": bookmark}))
    END
    /usr/bin/python3 make.py

    """#

  @Test("A typed stream is shown by its objects, also in data")
  func typedStream() {
    let outcome = Folder().run(
      Self.script
        + #"""
        kcarchive inspect stream; kcarchive inspect list --depth 2
        kcarchive inspect list --path 'body.root[1]'; kcarchive inspect stream --raw | grep -c alice
        kcarchive inspect stream --summary | grep -o 'little-endian, .*'
        kcarchive inspect stream --json | grep -o '"kind":"typed-stream","bytes":[0-9]*,"format":"[a-zA-Z]*"'
        kcarchive inspect stream --json | grep -o '"content":.*'
        head -c 50 stream > cut; kcarchive inspect cut; echo $?
        """#)
    #expect(
      outcome.lines == [
        "stream    typed stream (NSArchiver), little-endian, 3 objects of 1 class",
        "root  NSArray, 3 elements", #"├─ [0]   "alice""#, #"├─ [1]   "alice""#, "└─ [2]   7",
        "list    XML property list, 5 objects", "dictionary, 2 keys",
        "├─ body    data, 99 bytes   typed stream (NSArchiver), little-endian, 3 objects of 1 class",
        "│  └─ root   NSArray, 3 elements", #"│     ├─ [0]   "alice""#, #"│     ├─ [1]   "alice""#,
        "│     └─ [2]   7", "└─ place   data, 48 bytes   bookmark data", #""alice""#, "1",
        "little-endian, 3 objects of 1 class, 99 bytes: 8 integers, 19 strings, 5 UIDs, 10 arrays, "
          + "7 dictionaries; depth 1; nothing irregular",
        #""kind":"typed-stream","bytes":99,"format":"typedStream""#,
        #""content":{"root":{"$class":"NSArray","elements":["alice","alice",7]}}}]}"#, "13",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.errors.contains("error: cut: the typed stream ends within a value, at byte 50"),
      "\(outcome.errors)")
  }

  @Test("What is only recognised is named")
  func recognised() {
    let outcome = Folder().run(
      Self.script
        + #"""
        for file in message bookmark; do kcarchive inspect $file; echo $?; done
        kcarchive inspect bookmark --json 2>&1 | grep -c '"unsupported"'
        """#)
    #expect(outcome.lines == ["15", "15", "1"], "\(outcome.errors)")
    #expect(
      outcome.errors.contains("error: message: a property list in the form of messages between "),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("error: bookmark: bookmark data "), "\(outcome.errors)")
  }

  @Test("A signed list is shown, and that nobody has checked it", .enabled(if: Ability.signing))
  func signed() {
    let outcome = Folder().run(
      Self.script
        + #"""
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key \
          -out certificate -days 1 -subj /CN=example 2> /dev/null
        openssl cms -sign -binary -nodetach -outform DER -signer certificate -inkey key \
          -in list -out signed
        openssl cms -sign -binary -nodetach -stream -outform DER -signer certificate -inkey key \
          -in list -out pieces
        openssl cms -sign -binary -outform DER -signer certificate -inkey key -in list -out alone
        for file in signed pieces alone; do kcarchive inspect $file --depth 1 | head -n 2; done
        kcarchive inspect pieces --json | grep -o '"signed":true'
        kcarchive inspect alone; echo $?
        """#)
    #expect(
      outcome.lines == [
        "signed    XML property list, 5 objects, signed (CMS)", "dictionary, 2 keys",
        "pieces    XML property list, 5 objects, signed (CMS)", "dictionary, 2 keys",
        #""signed":true"#, "13",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.errors.contains("note: signed: signed (CMS); the signature is not checked"),
      "\(outcome.errors)")
  }
}

/// The folder of real lists beside the checkout.
private let corpus =
  #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
  .joined(separator: "/") + "/shared/corpus"

@Suite(
  "Real lists",
  .enabled(
    if: unsafe access(corpus + "/MANIFEST.tsv", R_OK) == 0,
    "the corpus of real lists (../shared/corpus) is not there"))
struct InspectCorpusTests {
  private static let script = #"""
    cat > look.py <<'END'
    import os, resource, subprocess, sys, time
    folder, part, *options = sys.argv[1:]
    def look(name):
        # Seconds of the child's own, as others work on the machine too.
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (2, 3))
            null = os.open("/dev/null", os.O_WRONLY)
            os.dup2(null, 1); os.dup2(null, 2)
            os.execvp("kcarchive", ["kcarchive", "inspect", os.path.join(folder, name), *options])
        _, status, usage = os.wait4(child, 0)
        if usage.ru_maxrss > 256 << 10: print(name, usage.ru_maxrss, "KiB")
        return os.waitstatus_to_exitcode(status)
    sound = {"bplist", "xml", "keyed-bplist", "keyed-xml", "xml-nested-keyed", "keyed-nib",
             "keyed-nib-xml", "keyed-xcuserstate", "typedstream", "cms-xml"}
    rows = [line.rstrip("\n").split("\t") for line in open(folder + "/MANIFEST.tsv")][1:]
    files = [(row[0], row[5] in sound) for row in rows if os.path.isfile(folder + "/" + row[0])]
    files += [("hostile/" + name, False) for name in os.listdir(folder + "/hostile")]
    # A part of them, so that many parts run beside each other.
    for name, is_sound in files[int(part)::6]:
        status = look(name)
        if status not in ([0] if is_sound and options != ["--strict"] else [0, 10, 13, 15, 16]): print(name, status)
    print(len(files) > 300)
    END
    /usr/bin/python3 look.py
    """#

  @Test(
    "Each is shown whole or refused, in two seconds and 256 MiB",
    arguments: Array(0..<6).flatMap { part in ["", "--json"].map { (part, $0) } } + [
      (0, "--depth 5"), (1, "--raw"), (2, "--summary"), (3, "--json --raw"), (4, "--strict"),
    ])
  func all(_ part: Int, _ options: String) {
    let outcome = Folder().run(Self.script + " \(corpus) \(part) \(options)")
    #expect(outcome.lines == ["True"], "\(outcome.text)\(outcome.errors)")
  }

  @Test("What JSON says of a list is what another reader finds in it")
  func values() {
    let outcome = Folder().run(
      #"""
      cat > compare.py <<'END'
      import base64, datetime, json, math, os, plistlib, struct, subprocess, sys
      folder = sys.argv[1]
      def made(value):
          if isinstance(value, list): return [made(element) for element in value]
          if not isinstance(value, dict): return value
          if len(value) == 1 and next(iter(value)).startswith("$"):
              (tag, content), = value.items()
              if tag == "$data": return base64.b64decode(content)
              if tag == "$uid": return plistlib.UID(int(content))
              if tag in ("$integer",): return int(content)
              if tag == "$real32": return struct.unpack("f", struct.pack("f", content))[0]
              if tag == "$date" and isinstance(content, str):
                  return datetime.datetime.fromisoformat(content[:-1][:26])
              if tag == "$dictionary":
                  return {key: made(element) for key, element in content}
              raise ValueError(tag)
          return {key: made(element) for key, element in value.items()}
      def same(left, right):
          if type(left) is not type(right): return False
          if isinstance(left, list):
              return len(left) == len(right) and all(map(same, left, right))
          if isinstance(left, dict):
              return set(left) == set(right) and all(same(left[k], right[k]) for k in left)
          if isinstance(left, datetime.datetime):
              return abs((left - right).total_seconds()) < 1e-5
          return left == right
      compared = 0
      for line in list(open(folder + "/MANIFEST.tsv"))[1:]:
          name, kind = (line.split("\t")[index] for index in (0, 5))
          if kind not in ("bplist", "xml"): continue
          try:
              expected = plistlib.load(open(os.path.join(folder, name), "rb"))
          except Exception:
              continue
          text = subprocess.run(["kcarchive", "inspect", "--json", os.path.join(folder, name)],
                                capture_output=True, check=True).stdout
          file = json.loads(text)["files"][0]
          if file["kind"] != "property-list": continue
          if not same(made(file["content"]), expected): print(name)
          compared += 1
      print(compared > 50)
      END
      /usr/bin/python3 compare.py
      """# + " \(corpus)")
    #expect(outcome.lines == ["True"], "\(outcome.text)\(outcome.errors)")
  }
}
