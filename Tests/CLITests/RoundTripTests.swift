// What goes in comes out: items of every class, awkward text and sizes, and trees of files.

import Testing

@Suite("Round trips")
struct RoundTripTests {
  /// One of each class, and the values and attributes that formats like to lose.
  private static let items = #"""
    {"class":"genp","service":"com.example.app","account":"alice","accessGroup":"ABCDE12345.com.example","accessible":"ck","synchronizable":false,"label":"Example","created":"2024-05-01T12:00:00Z","modified":"2024-05-02T08:30:00.25Z","value":{"utf8":"s3cret"}}
    {"class":"genp","service":"com.example.app","account":"caf\u00e9","value":{"utf8":"composed"}}
    {"class":"genp","service":"com.example.app","account":"cafe\u0301","value":{"utf8":"decomposed"}}
    {"class":"genp","service":"\u05e9\u05dc\u05d5\u05dd","account":"\ud83d\udc69\u200d\ud83d\ude80","value":{"utf8":"tab\tand\r\nlines \ud83d\ude00"}}
    {"class":"genp","service":"red \u001b[31m\u202eneerg","account":"line\nbreak","value":{"base64":"AAEC/w=="}}
    {"class":"genp","service":"empty","value":{"utf8":""}}
    {"class":"genp","service":"none"}
    {"class":"inet","server":"example.com","account":"bob","protocol":"htps","port":443,"path":"/","value":{"utf8":"p\u00e4ss"}}
    {"class":"cert","label":"c","subject":{"base64":"MAA="},"issuer":{"base64":"MAE="},"serialNumber":{"base64":"AQ=="},"certificateType":3,"value":{"base64":"MIIB"}}
    {"class":"keys","label":"k","applicationLabel":{"base64":"AQI="},"keyClass":"1","value":{"base64":"MIIC"}}
    {"class":"idnt","label":"i"}
    {"class":"file","path":"notes/a.txt","kind":"file","mode":420,"modificationTime":"2024-05-01T12:00:00Z","value":{"utf8":"text"}}

    """#

  @Test(
    "Items of all classes come back as they were, through both JSON forms and both readings",
    arguments: ["json", "jsonl"])
  func allClasses(_ form: String) {
    let here = Folder()
    here.write("in.jsonl", Self.items)
    let outcome = here.run(
      """
      set -e
      kcarchive pack -o a.kca in.jsonl $KEY
      kcarchive verify a.kca $KEY
      kcarchive restore a.kca --to \(form) -o out.\(form) $KEY
      same in.jsonl out.\(form)
      kcarchive pack -o b.kca out.\(form) $KEY
      kcarchive restore b.kca --to jsonl -o - $KEY > again.jsonl
      same in.jsonl again.jsonl
      stat -c %a out.\(form)
      """)
    #expect(outcome.status == 0, "\(outcome.errors)\(outcome.text)")
    #expect(outcome.lines.first == "a.kca: sound; 12 items, 25 frames, 1 session")
    #expect(outcome.lines.last == "600")
    #expect(
      outcome.errors.contains(
        "packed 11 items and 1 file, 62 bytes, into a.kca ("))
  }

  @Test("Composed and decomposed letters are two accounts, and each gets its own value")
  func normalization() {
    let here = Folder()
    here.write("in.jsonl", Self.items)
    let outcome = here.run(
      #"""
      set -e
      kcarchive pack -o a.kca in.jsonl $KEY 2>&-
      kcarchive get a.kca $KEY -a $'caf\u00e9'; echo
      kcarchive get a.kca $KEY -a $'cafe\u0301'; echo
      kcarchive get a.kca $KEY --where account=$'\U1f469\u200d\U1f680' | od -An -tx1 | head -1
      """#)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.lines == [
        "composed", "decomposed", " 74 61 62 09 61 6e 64 0d 0a 6c 69 6e 65 73 20 f0",
      ])
  }

  @Test("A listing shows control characters written out, JSON has them as they are")
  func escapedNames() {
    let here = Folder()
    here.write("in.jsonl", Self.items)
    let outcome = here.run(
      """
      set -e
      kcarchive pack -o a.kca in.jsonl $KEY 2>&-
      kcarchive list a.kca $KEY -c genp
      kcarchive list a.kca $KEY -c genp --jsonl > list.jsonl
      python3 -c 'import json; print([json.loads(l)["account"] for l in open("list.jsonl") if "break" in l])'
      grep -c value list.jsonl
      """)
    #expect(outcome.status == 1, "no value in a list: \(outcome.errors)")
    #expect(outcome.text.contains("genp red \\u{1b}[31m\\u{202e}neerg / line\\nbreak  4 bytes\n"))
    #expect(outcome.text.contains("genp empty  0 bytes\n"))
    #expect(outcome.text.contains("genp none\n"))
    #expect(outcome.text.hasSuffix("['line\\nbreak']\n0\n"))
    #expect(!outcome.output.contains(0x1B))
  }

  @Test(
    "Values of every length come back byte for byte",
    arguments: [
      (0, ""), (1, "--no-compress"), (1_048_567, ""), (1_048_568, "--no-compress"),
      (1_048_569, ""), (2_100_000, "--no-compress"),
    ])
  func lengths(_ length: Int, _ option: String) {
    let here = Folder()
    let outcome = here.run(
      """
      set -e
      head -c $((\(length) / 2)) /dev/urandom > value
      head -c $((\(length) - \(length) / 2)) /dev/zero >> value
      echo '{"class":"genp","service":"s","value":{"file":"value"}}' > in.jsonl
      kcarchive pack -o a.kca in.jsonl $KEY \(option)
      kcarchive get a.kca $KEY -s s | cmp - value
      kcarchive get a.kca $KEY -s s -o copy && cmp copy value
      kcarchive restore a.kca $KEY --to json -o out.json
      kcarchive pack -o b.kca out.json $KEY
      kcarchive get b.kca $KEY | cmp - value
      """)
    #expect(outcome.status == 0, "\(outcome.errors)\(outcome.text)")
  }

  @Test("Files, folders and links come back with names, modes and times")
  func trees() {
    let here = Folder()
    let outcome = here.run(
      #"""
      set -e
      mkdir -p in/deep/er in/empty && cd in
      echo text > plain; : > zero; head -c 200000 /dev/urandom > deep/er/long
      echo x > $'bytes \xff\xfe'; echo x > $'line\nbreak'; echo x > $'\u00e9'; echo x > $'e\u0301'
      ln -s ../plain deep/link; ln -s missing broken
      chmod 640 plain; chmod 755 zero; chmod 1777 empty; chmod 500 deep/er
      # An archive's dates have about a tenth of a microsecond: times of now would differ now and then.
      find . -exec touch -h -d '2020-01-02 03:04:05 UTC' {} +
      touch -d '1969-07-20 20:17:40.123456 UTC' plain; touch -d '2106-02-07 UTC' zero
      touch -h -d '2001-02-03 UTC' broken; touch -d '2002-03-04 05:06:07.5 UTC' deep
      cd ..
      tree-of in > before
      kcarchive pack -o a.kca in $KEY
      kcarchive restore a.kca -C out $KEY
      tree-of out/in > after
      diff before after
      kcarchive list a.kca $KEY
      """#)
    #expect(outcome.status == 0, "\(outcome.errors)\(outcome.text)")
    #expect(outcome.text.contains("file in/bytes \\xff\\xfe  2 bytes\n"))
    #expect(outcome.text.contains("file in/line\\nbreak  2 bytes\n"))
    #expect(outcome.text.contains("file in/broken  link\n"))
    #expect(outcome.errors.hasSuffix("restored 13 files, 195.3 KiB\n"))
  }

  @Test("A file keeps its path as tar would have it, whatever it was called on the command line")
  func pathsOnTheCommandLine() {
    let here = Folder()
    let outcome = here.run(
      #"""
      mkdir -p a/b && echo x > a/b/c && echo y > ../outside
      kcarchive pack -o a.kca ./a/b/c ../outside "$PWD/a//b/" . $KEY --json | grep -o '"files":[0-9]*'
      kcarchive list a.kca $KEY --jsonl | grep -o '"path":"[^"]*"' | sed "s:${PWD#/}:HERE:"
      """#)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains(#""item":"file a/b/c""#), "twice: itself and in .")
    let single = here.run(
      #"""
      kcarchive pack -o a.kca ./a/b/c ../outside "$PWD/a//b/" $KEY --json | grep -o '"files":[0-9]*'
      kcarchive list a.kca $KEY --jsonl | grep -o '"path":"[^"]*"' | sed "s:${PWD#/}:HERE:"
      """#)
    #expect(
      single.lines == [
        #""files":4"#, #""path":"a/b/c""#, #""path":"outside""#, #""path":"HERE/a/b/c""#,
        #""path":"HERE/a/b""#,
      ], "\(single.errors)")
  }

  @Test("A .json file is items, unless it is to be a file")
  func asFile() {
    let here = Folder()
    let outcome = here.run(
      """
      echo '[{"class":"genp","service":"s"}]' > ITEMS.JSON
      kcarchive pack -o a.kca ITEMS.JSON $KEY && kcarchive list a.kca $KEY
      kcarchive pack -o b.kca ITEMS.JSON --as-file $KEY && kcarchive list b.kca $KEY
      mkdir d && cp ITEMS.JSON d
      kcarchive pack -o c.kca d $KEY && kcarchive list c.kca $KEY
      """)
    #expect(
      outcome.lines == [
        "genp s", "file ITEMS.JSON  33 bytes", "file d/ITEMS.JSON  33 bytes", "file d  directory",
      ], "\(outcome.errors)")
  }

  @Test("An archive of nothing is an archive")
  func empty() {
    let outcome = Folder().run(
      """
      set -e
      kcarchive pack -o a.kca $KEY
      kcarchive verify a.kca $KEY
      kcarchive list a.kca $KEY
      kcarchive list a.kca $KEY --json
      kcarchive restore a.kca --to json -o - $KEY
      kcarchive restore a.kca --to jsonl -o - $KEY
      kcarchive restore a.kca -C out $KEY && ls -A out
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.lines == [
        "a.kca: sound; 0 items, 2 frames, 1 session", #"{"version":1,"items":[]}"#,
        #"{"version":1,"items":[]}"#,
      ])
  }
}
