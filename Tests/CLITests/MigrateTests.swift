// Secrets out of property lists, and back. The lists are those of Fixtures/plists; Python's plistlib judges.

import Glibc
import Testing

private let fixtures =
  #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/plists"

/// Lists that are not ours to copy, beside the checkout where they are there.
private let corpus =
  #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/shared/corpus"
private let isCorpusThere = unsafe access(corpus + "/MANIFEST.tsv", R_OK) == 0

@Suite("Migrating property lists")
struct MigrateTests {
  /// Variables and functions of the scripts: the lists, and what compares them.
  static let opening = """
    mkdir plists; cp -r \(fixtures)/{Preferences,Containers,items.plist,rules.json} plists
    P=plists/Preferences/org.example.garden.plist
    X=plists/Preferences/org.example.shed.plist
    cat > lists.py << 'END'
    import plistlib, sys
    def load(name):
        with open(name, "rb") as file: return plistlib.load(file)
    def leaves(value, path=""):
        if isinstance(value, dict):
            for key, child in value.items(): yield from leaves(child, path + "/" + key)
        elif isinstance(value, list):
            for index, child in enumerate(value): yield from leaves(child, path + "/" + str(index))
        else: yield path, repr(value)
    END

    """

  /// What the words and the contents of the sample's preferences make of it.
  static let secrets = [
    "password", "OAuthToken", "account.refreshToken", "pin", "savedLogin", "state", "backup",
    "exported", "profiles[0].secret",
  ]

  @Test("A dry run shows the plan, asks for nothing and leaves no file")
  func dryRun() {
    let outcome = Folder().run(
      Self.opening + """
        ls -R > before
        kcarchive migrate $P --dry-run -o a.kca --redact r.plist; echo $?
        ls -R | diff before - | grep -v before; sha256sum $P | cut -c1-8
        """)
    #expect(
      outcome.lines.first == "plists/Preferences/org.example.garden.plist: 9 of 26 keys look secret"
    )
    let taken = outcome.lines.filter { $0.hasPrefix("  take   ") }
      .map { String($0.dropFirst(9).prefix { $0 != " " }) }
    #expect(taken == Self.secrets)
    #expect(outcome.lines.contains("  leave  15 keys (--all takes them, --rules chooses)"))
    #expect(outcome.lines.contains { $0.hasPrefix("  leave  showPassword ") })
    #expect(outcome.lines.contains("lost: nothing"))
    #expect(outcome.lines.contains("0"))
    #expect(outcome.errors == "", "\(outcome.errors)")
    for secret in ["four beds", "tok-5f2b", "ref-91aa", "4711", "marrow", "rose-1"] {
      #expect(!outcome.text.contains(secret))
    }
  }

  @Test(
    "Exactly the secrets are moved, byte for byte; the copy has the rest; the source is untouched",
    arguments: ["$P", "$X"])
  func migration(_ list: String) {
    let outcome = Folder().run(
      Self.opening + """
        L=\(list); cp $L before; chmod 400 $L
        kcarchive migrate $L -o a.kca --redact r.plist $KEY > plan; echo $?
        cmp before $L; stat -c '%a' a.kca r.plist
        kcarchive restore a.kca --to jsonl -o items.jsonl $KEY
        python3 - $L << 'END'
        import base64, json, plistlib, sys
        from lists import load, leaves
        source, copy = load(sys.argv[1]), load("r.plist")
        names = []
        for line in open("items.jsonl"):
            item = json.loads(line)
            value = item["value"]
            data = value["utf8"].encode() if "utf8" in value else base64.b64decode(value["base64"])
            names.append(item["account"])
            found = {"account.refreshToken": lambda: source["account"]["refreshToken"],
                     "profiles[0].secret": lambda: source["profiles"][0]["secret"]}.get(
                         item["account"], lambda: source[item["account"]])()
            expected = (found.encode() if isinstance(found, str) else found if isinstance(found, bytes)
                        else plistlib.dumps(found, fmt=plistlib.FMT_BINARY))
            assert data == expected, item["account"]
            assert item["service"] == sys.argv[1].split("/")[-1][:-6]
        print(" ".join(names))
        gone = {path for path, _ in set(leaves(source)) - set(leaves(copy))}
        assert not set(leaves(copy)) - set(leaves(source))
        print(" ".join(sorted(gone)))
        raw = open("r.plist", "rb").read()
        for secret in (b"four beds", b"tok-5f2b", b"ref-91aa", b"marrow", b"rose-1", b"key-0c4e"):
            assert secret not in raw
        assert b"rosa" in raw
        END
        """)
    #expect(
      outcome.lines == [
        "0", "600", "600", Self.secrets.joined(separator: " "),
        "/OAuthToken /account/refreshToken /backup /exported /password /pin /profiles/0/secret"
          + " /savedLogin /state",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.errors.hasPrefix(
        "migrated 9 items into a.kca; compared with the source: equal; copy without them in r.plist\n"
      ),
      "\(outcome.errors)")
  }

  @Test("Without --redact, a hint says that the source still has the secrets")
  func hint() {
    let outcome = Folder().run(Self.opening + "kcarchive migrate $P -o a.kca $KEY > plan")
    #expect(
      outcome.errors == """
        migrated 9 items into a.kca; compared with the source: equal
        kcarchive: hint: the source still holds them in plain text; --redact FILE writes a copy without

        """)
  }

  @Test("With --all and restore, lists come back byte for byte, with mode and time")
  func everything() {
    let outcome = Folder().run(
      Self.opening + """
        chmod 640 $P; touch -d 2020-02-02T02:02:02Z $X
        kcarchive migrate plists -o a.kca --all $KEY > plan; echo $?
        kcarchive restore a.kca --to plist -o out $KEY; echo $?
        diff -r plists out; stat -c '%a %Y' $P $X > one
        (cd out; stat -c '%a %Y' ${P#plists/} ${X#plists/}) | cmp - one && echo same
        kcarchive restore a.kca --to plist -o out $KEY; echo $?
        kcarchive restore a.kca --to plist -o out $KEY --force; echo $?
        kcarchive restore a.kca --to plist -o - $KEY --reveal; echo $?
        """)
    #expect(
      outcome.lines == ["0", "0", "Only in plists: rules.json", "same", "18", "0", "2"],
      "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("restored 62 items into 6 property lists\n"))
  }

  @Test("Two lists of one domain are both kept, told apart and reported")
  func oneDomain() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive migrate plists -o a.kca $KEY --json | python3 -c '
        import json, sys
        for l in json.load(sys.stdin)["migrate"]["lists"]: print(l["domain"], l["path"][:12], l.get("accessGroup"))'
        kcarchive list a.kca -s org.example.garden -a password --jsonl $KEY | wc -l
        kcarchive get a.kca -s org.example.garden -a password --access-group '' $KEY; echo
        kcarchive restore a.kca --to plist -o out $KEY; (cd out; find . -type f | sort)
        """)
    #expect(
      outcome.lines == [
        "org.example.garden Containers/o Containers/org.example.garden/Data/Library/Preferences",
        "org.example.garden Preferences/ Preferences/ByHost",
        "org.example.fence Preferences/ None", "org.example.garden Preferences/ None",
        "org.example.shed Preferences/ None", "items items.plist None", "2", "four beds, one pond",
        "./Containers/org.example.garden/Data/Library/Preferences/org.example.garden.plist",
        "./Preferences/ByHost/org.example.garden.0F0E0D0C-0B0A-0908-0706-050403020100.plist",
        "./Preferences/org.example.garden.plist", "./Preferences/org.example.shed.plist",
      ], "\(outcome.text)\(outcome.errors)")
  }

  @Test("Redacted copies of a folder go into a folder, and nothing is replaced unasked")
  func redactedFolder() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive migrate plists -o a.kca --redact copies $KEY > plan; echo $?
        (cd copies; find . -type f | wc -l); cmp copies/items.plist plists/items.plist
        kcarchive migrate plists -o b.kca --redact copies $KEY > plan; echo $?; ls b.kca
        kcarchive migrate $P -o a.kca $KEY > plan; echo $?
        kcarchive migrate $P -o $P $KEY --force > plan; echo $?
        kcarchive migrate $P -o b.kca --redact $P --force $KEY > plan; echo $?
        kcarchive migrate $P -o b.kca --redact a.kca $KEY > plan; echo $?; ls b.kca
        """)
    #expect(
      outcome.lines == ["0", "6", "18", "18", "2", "2", "18"], "\(outcome.text)\(outcome.errors)")
  }

  @Test(
    "Rules choose, rename, decode and drop; what they can't do is a loss",
    arguments: ["json", "plist"])
  func rules(_ form: String) {
    let outcome = Folder().run(
      Self.opening + """
        python3 -c '
        import json, plistlib
        rules = json.load(open("plists/rules.json"))
        rules["rules"].append({"key": "backup", "decode": "hex"})
        if "\(form)" == "json": json.dump(rules, open("rules", "w"))
        else: plistlib.dump(rules, open("rules", "wb"))'
        kcarchive migrate $P -o a.kca --rules rules --redact r.plist $KEY > plan; echo $?
        grep -E 'drop|lost' plan
        kcarchive get a.kca -c inet --server auth.garden.example -a rosa $KEY; echo
        kcarchive list a.kca -c inet --json $KEY | grep -o '"label":"[^"]*"'
        kcarchive get a.kca -a exported $KEY | head -c 8; echo
        kcarchive restore a.kca --to plist -o out.plist $KEY
        python3 -c '
        from lists import load
        s, c, o = load("'$P'"), load("r.plist"), load("out.plist")
        print("OAuthToken" in c, "OAuthToken" in o, "launches" in c, o["launches"], o["exported"] == s["exported"])
        print(o["account"])'
        kcarchive migrate $P -o b.kca --rules rules --strict $KEY > plan; echo $?; ls b.kca
        echo '{"version":1,"rules":[{"key":"a","clas":"genp"}]}' > bad
        kcarchive migrate $P --dry-run --rules bad; echo $?
        echo '{"version":1,' > bad; kcarchive migrate $P --dry-run --rules bad; echo $?
        kcarchive migrate $P --dry-run --rules none; echo $?
        """)
    #expect(
      outcome.lines == [
        "3", "  drop   OAuthToken             text                    by rule 4",
        "lost: plists/Preferences/org.example.garden.plist: backup: kept as it is: 'hex' of rule 5"
          + " could not be undone",
        "ref-91aa-gate", #""label":"org.example.garden: refreshToken""#, "bplist00",
        "False False False 112 True", "{'refreshToken': 'ref-91aa-gate'}", "3", "2", "13", "10",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("bad: 'rules[0].clas' is not known"))
  }

  @Test("Sources that are no lists stop the run alone, and are losses in a folder")
  func badSources() {
    let outcome = Folder().run(
      Self.opening + """
        mkdir in; cp $P in; echo hello > in/text.plist; head -c 300 $P > in/cut.plist
        ln -s ../$P in/link.plist; cp $P in/not-a-list.txt
        kcarchive migrate in -o a.kca $KEY > plan; echo $?; grep lost: plan | cut -d: -f1-3
        kcarchive list a.kca $KEY | wc -l
        kcarchive migrate in -o b.kca --strict $KEY > plan; echo $?
        kcarchive migrate in/text.plist -o b.kca $KEY; echo $?
        kcarchive migrate in/cut.plist -o b.kca $KEY; echo $?
        kcarchive migrate in/none.plist -o b.kca $KEY; echo $?
        kcarchive migrate $P $P -o b.kca $KEY; echo $?
        kcarchive migrate in/link.plist -o c.kca $KEY > plan; echo $?
        kcarchive migrate plists/Preferences/org.example.fence.plist -o b.kca $KEY; echo $?
        kcarchive migrate $P; echo $?
        mkdir empty; kcarchive migrate empty -o b.kca $KEY; echo $?; ls b.kca
        """)
    #expect(
      outcome.lines == [
        "3", "lost: in/cut.plist: offsets have 1 to 8 bytes",
        "lost: in/link.plist: it is a link",
        "lost: in/text.plist: is no property list",
        "9", "13", "10", "13", "10", "2", "0",
        "plists/Preferences/org.example.fence.plist: 0 of 3 keys look secret",
        "  leave  3 keys (--all takes them, --rules chooses)", "lost: nothing", "0", "2",
        "lost: nothing", "0",
      ], "\(outcome.text)\(outcome.errors)")
  }

  @Test("A strict run refuses what Apple's parsers let pass; others tell it")
  func irregular() {
    let here = Folder()
    here.write(
      "twice.plist",
      "<plist version=\"1.0\"><dict><key>pin</key><string>a</string><key>pin</key><string>b</string></dict></plist>"
    )
    let outcome = here.run(
      """
      kcarchive migrate twice.plist -o a.kca --strict $KEY; echo $?
      kcarchive migrate twice.plist -o a.kca $KEY --redact r.plist > plan; echo $?
      kcarchive restore a.kca --to plist -o out.plist $KEY; grep -c pin out.plist r.plist
      """)
    #expect(
      outcome.lines == ["13", "0", "out.plist:2", "r.plist:0"], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("irregularity"))
  }

  @Test("Lists that stand for far too much are refused at once")
  func hostile() {
    let outcome = Folder().run(
      """
      cat > make.py << 'END'
      import struct
      def write(name, objects):
          data, offsets = b"bplist00", []
          for o in objects:
              offsets.append(len(data)); data += o
          table = len(data)
          data += b"".join(struct.pack(">I", o) for o in offsets) + bytes(6) + bytes([4, 2])
          open(name, "wb").write(data + struct.pack(">QQQ", len(objects), 0, table))
      ref = lambda *n: b"".join(struct.pack(">H", i) for i in n)
      # Forty arrays, each twice in the one before it.
      write("laughs.plist", [b"\\xa2" + ref(i + 1, i + 1) for i in range(40)] + [b"\\xa0"])
      # A key of a mebibyte that 400 dictionaries in each other have, with a secret in each.
      key = b"\\x5f\\x12" + struct.pack(">I", 1 << 20) + b"k" * (1 << 20)
      write("keys.plist", [b"\\xd2" + ref(400, 401, i + 1, 402) for i in range(399)]
            + [b"\\xd1" + ref(401, 402), key, b"\\x53pin", b"\\x10\\x01"])
      END
      python3 make.py
      for list in laughs keys; do
        (ulimit -v 900000; timeout 5 kcarchive migrate $list.plist -o a.kca --all $KEY > plan); echo $?
      done
      ls a.kca
      """)
    #expect(outcome.lines == ["16", "16"], "\(outcome.text)\(outcome.errors)")
  }

  @Test(
    "Every file made to do harm ends within two seconds and 256 MiB",
    .enabled(if: isCorpusThere, "the corpus (../shared/corpus) is not there"))
  func harmless() {
    let outcome = Folder().run(
      """
      cat > run.py << 'END'
      import os, resource, subprocess, sys, glob
      key = sys.argv[1:]
      for name in sorted(glob.glob("\(corpus)/hostile/**", recursive=True)):
          if not os.path.isfile(name): continue
          if os.path.exists("a.kca"): os.remove("a.kca")
          run = subprocess.Popen(["kcarchive", "migrate", name, "--all", "-o", "a.kca", *key],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
          _, status, usage = os.wait4(run.pid, 0)
          code = os.waitstatus_to_exitcode(status)
          if code not in (0, 3, 10, 13, 15, 16) or usage.ru_utime > 2 or usage.ru_maxrss > 256 << 10:
              print(name, code, usage.ru_utime, usage.ru_maxrss)
      print("all")
      END
      python3 run.py $KEY
      """)
    #expect(outcome.lines == ["all"], "\(outcome.text)\(outcome.errors)")
  }

  @Test("An archive can go into a pipe; the report then stands aside")
  func pipe() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive migrate $P -o - $KEY 2> report | cat > a.kca; kcarchive verify a.kca $KEY > v; echo $?
        kcarchive list a.kca $KEY | wc -l; head -1 report; grep -c 'not read back' report
        kcarchive migrate $P -o - --json $KEY; echo $?
        """)
    #expect(
      outcome.lines == [
        "0", "9", "plists/Preferences/org.example.garden.plist: 9 of 26 keys look secret", "1", "2",
      ], "\(outcome.text)\(outcome.errors)")
  }

  @Test("A list of items is packed as items and comes back equal")
  func itemLists() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive pack -o a.kca plists/items.plist $KEY; echo $?
        kcarchive list a.kca -c genp $KEY | wc -l
        kcarchive restore a.kca --to plist -o one.plist $KEY; echo $?
        python3 -c '
        from lists import load
        print(load("one.plist") == load("plists/items.plist"))'
        kcarchive pack -o b.kca one.plist $KEY; kcarchive restore b.kca --to plist -o two.plist $KEY
        cmp one.plist two.plist && echo same
        kcarchive pack -o c.kca --as-file plists/items.plist $P $KEY; kcarchive list c.kca $KEY
        kcarchive restore c.kca --to plist -o empty.plist $KEY; echo $?
        sed 's/<key>v_Data/<key>svce/' plists/items.plist > bad.plist
        kcarchive pack -o d.kca bad.plist $KEY; echo $?; ls d.kca
        """)
    #expect(
      outcome.lines == [
        "0", "2", "0", "True", "same", "file plists/items.plist  1.6 KiB",
        "file plists/Preferences/org.example.garden.plist  1.8 KiB", "0", "13",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("bad.plist:"))
    #expect(outcome.errors.contains("item 1 of 'genp', 'svce': the attribute is there twice"))
    #expect(outcome.errors.contains("2 files are no list; 'restore -C FOLDER' restores files"))
  }

  @Test("Other items beside lists go into a list of items in the folder")
  func mixed() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive migrate $P -o a.kca --all $KEY > plan
        kcarchive restore a.kca --to jsonl -o a.jsonl $KEY
        kcarchive pack -o b.kca a.jsonl plists/items.plist $X $KEY; echo $?
        kcarchive restore b.kca --to plist -o out $KEY; echo $?; ls out
        cmp out/org.example.garden.plist $P
        sed 's/four beds, one pond/five beds/' a.jsonl > c.jsonl
        kcarchive pack -o c.kca c.jsonl $KEY; kcarchive restore c.kca --to plist -o c.plist $KEY
        python3 -c '
        from lists import load, leaves
        print(set(leaves(load("c.plist"))) - set(leaves(load("'$P'"))))'
        """)
    #expect(
      outcome.lines == [
        "0", "0", "items.plist", "org.example.garden.plist", #"{('/password', "'five beds'")}"#,
      ], "\(outcome.text)\(outcome.errors)")
  }

  @Test("A path in an archive that leads out of the folder is refused")
  func leadingOut() {
    let here = Folder()
    let item = #"{"class":"genp","service":"s","plistType":"string","value":{"utf8":"x"},"#
    here.write(
      "in.jsonl",
      "\(item)\"account\":\"a\",\"plistFile\":\"../out.plist\"}\n"
        + "\(item)\"account\":\"b\",\"plistFile\":\"good.plist\"}")
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY; kcarchive restore a.kca --to plist -o d $KEY; echo $?
      find . -name '*.plist'
      """)
    #expect(outcome.lines == ["3", "./d/good.plist"], "\(outcome.text)\(outcome.errors)")
  }
}
