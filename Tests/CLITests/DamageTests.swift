// What happened to a file is told apart: damaged, changed on purpose, cut, too costly, too old.

import Testing

@Suite("Damage and limits")
struct DamageTests {
  /// An archive `a.kca` of three small items and a file, with a passphrase from `p` and the key file.
  private func folder() throws -> Folder {
    let here = Folder()
    here.write("p", "a passphrase")
    here.write(
      "in.jsonl",
      (1...3).map { #"{"class":"genp","service":"s\#($0)","value":{"utf8":"v\#($0)"}}"# + "\n" }
        .joined())
    let outcome = here.run(
      """
      head -c 200000 /dev/urandom > long
      kcarchive pack -o a.kca long in.jsonl $KEY --passphrase-file p $FAST
      """)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return here
  }

  @Test(
    "A flipped byte is damage, and tampering when its checks were repaired",
    arguments: [("", 13, "damaged"), ("repaired-", 14, "tampered")])
  func flipped(_ repair: String, _ status: Int32, _ name: String) throws {
    let here = try folder()
    let outcome = here.run("damage a.kca b.kca \(repair)flip-item; kcarchive verify b.kca $KEY")
    #expect(outcome.status == status)
    #expect(outcome.lines.count == 3 && outcome.lines[1] == "b.kca: 1 finding", "\(outcome.text)")
    #expect(outcome.lines[2].hasPrefix("  \(name)"))
    #expect(outcome.lines[2].contains(", at \(outcome.lines[0])"), "with its place")
    #expect(outcome.errors.contains("hint: the items that are whole can still be listed"))

    let reading = here.run("kcarchive list b.kca $KEY; echo $?; kcarchive get b.kca $KEY -s s3")
    #expect(
      reading.lines == [
        "genp s1  2 bytes", "genp s2  2 bytes", "genp s3  2 bytes", "\(status)", "v3",
      ],
      "the others are still there: \(reading.errors)")
    #expect(reading.errors.contains(outcome.lines[0]))
  }

  @Test("A value that is not what was written is never given out", arguments: ["", "repaired-"])
  func flippedValue(_ repair: String) throws {
    let here = try folder()
    let outcome = here.run(
      """
      damage a.kca b.kca \(repair)flip-value > /dev/null
      kcarchive get b.kca $KEY -c file; echo $?
      kcarchive get b.kca $KEY -c file -o copy; echo $?
      kcarchive restore b.kca $KEY -C out; echo $?
      kcarchive restore b.kca $KEY --to jsonl -o out.jsonl; echo $?
      ls -A . out; wc -l < out.jsonl
      kcarchive verify b.kca $KEY --json
      """)
    let status = repair.isEmpty ? "13" : "14"
    #expect(
      outcome.lines.prefix(4) == [status, status, status, status], "\(outcome.text.prefix(200))")
    #expect(
      outcome.lines[4...12] == [
        ".:", "a.kca", "b.kca", "in.jsonl", "long", "out", "out.jsonl", "p", "out:",
      ],
      "nothing is left of what failed: \(outcome.text)")
    #expect(outcome.lines[13] == "3")
    #expect(outcome.lines[14].contains(#""item":"file long""#), "\(outcome.lines[14])")
  }

  @Test("Wherever a bit flips, 'verify' finds it")
  func everywhere() throws {
    let here = try folder()
    // The header, the frames behind it, and the end.
    let outcome = here.run(
      """
      size=$(stat -c %s a.kca)
      for at in $(seq 0 800 9600) $(seq $((size - 1200)) 97 $((size - 1))); do
        { head -c $at a.kca
          printf "\\x$(printf %x $(($(od -An -tu1 -j $at -N 1 a.kca) ^ 16)))"
          tail -c +$((at + 2)) a.kca; } > b.kca
        kcarchive verify b.kca $KEY > found; status=$?
        [ $status = 13 -o $status = 14 ] || { echo "byte $at: status $status"; cat found; }
      done
      cmp -l a.kca b.kca | wc -l
      """)
    #expect(outcome.text == "1\n", "\(outcome.errors)")
  }

  @Test("A file that was cut says how many whole items it has")
  func cut() throws {
    let here = try folder()
    let outcome = here.run(
      """
      head -c 100000 a.kca > b.kca
      for verb in verify list "restore -C out"; do kcarchive $verb b.kca $KEY; echo $?; done
      head -c 2600 a.kca > c.kca; kcarchive list c.kca $KEY; echo $?
      head -c -512 a.kca > d.kca; kcarchive list d.kca $KEY; echo $?
      head -c -16 a.kca > e.kca; kcarchive verify e.kca $KEY; echo $?
      kcarchive inspect d.kca; echo $?
      ls -A
      """)
    #expect(outcome.lines.filter { $0 == "4" }.count == 7, "\(outcome.text)\(outcome.errors)")
    #expect(
      outcome.errors.contains("b.kca: the archive is cut or was never finished: 0 whole items"))
    #expect(
      outcome.errors.contains("c.kca: the file ends in its header; 0 whole items, at byte 2,600"))
    #expect(
      outcome.errors.contains("d.kca: the archive is cut or was never finished: 4 whole items"))
    #expect(outcome.text.contains("no commit; "), "\(outcome.text)")
    #expect(!outcome.lines.contains("out"), "no folder is made for nothing")
  }

  @Test("A damaged copy of the header is a warning, and a finding for 'verify'")
  func header() throws {
    let outcome = try folder().run(
      """
      cp a.kca b.kca; printf x | dd of=b.kca bs=1 seek=100 conv=notrunc status=none
      kcarchive get b.kca $KEY -s s1; echo " $?"
      kcarchive verify b.kca $KEY; echo $?
      kcarchive inspect b.kca --json; echo $?
      """)
    #expect(outcome.lines[0] == "v1 0", "\(outcome.errors)")
    #expect(outcome.lines[2] == "  damaged     header copy A is damaged, at byte 0")
    #expect(outcome.lines[3] == "13")
    #expect(outcome.lines[4].contains(#""copies":["damaged","sound"]"#))
    #expect(outcome.lines[5] == "0")
    #expect(outcome.errors.contains("warning: b.kca: header copy A is damaged, at byte 0"))
  }

  @Test("A key derivation that asks for too much is refused at once, and other credentials are not")
  func hostileCost() throws {
    let outcome = try folder().run(
      """
      damage a.kca b.kca kdf
      time kcarchive list b.kca --passphrase-file p; echo $?
      """)
    #expect(outcome.lines == ["16"])
    #expect(outcome.errors.contains("hint: --kdf-max-memory lifts the limit"), "\(outcome.errors)")
    #expect(outcome.errors.contains("slot 2 asks for 4096 MiB of memory"), "\(outcome.errors)")
    #expect(outcome.errors.contains("real\t0m0."))
  }

  @Test("Limits can be lowered and lifted")
  func limits() throws {
    let outcome = try folder().run(
      """
      for words in "--kdf-max-memory 16MiB" "--kdf-max-time 37" \\
        "--kdf-max-memory 19MiB --kdf-max-time 38"; do
        kcarchive get a.kca --passphrase-file p -s s2 $words; echo " $?"
      done
      kcarchive get a.kca $KEY -s s2 --kdf-max-memory 1KiB --kdf-max-time 1; echo " $?"
      """)
    #expect(outcome.lines == [" 16", " 16", "v2 0", "v2 0"], "\(outcome.errors)")
  }

  @Test("An archive older than it has to be is status 17")
  func requiredCommit() throws {
    let outcome = try folder().run(
      """
      for commit in 1 2 1:0123456789abcdef; do
        kcarchive get a.kca $KEY -s s2 --require-commit $commit; echo " $?"
      done
      """)
    #expect(outcome.lines == ["v2 0", " 17", " 17"])
    #expect(outcome.errors.contains("a.kca: the newest commit is 1, 2 is required"))
  }

  @Test(
    "What is no archive is status 10, for every verb",
    arguments: ["list", "get", "verify", "inspect", "restore"])
  func noArchive(_ verb: String) {
    let outcome = Folder().run(
      """
      : > empty; echo 'plain text that is not an archive at all' > text; head -c 99999 /dev/urandom > noise
      mkdir folder
      for file in empty text noise folder missing; do kcarchive \(verb) $file $KEY; echo $?; done
      ls -A
      """)
    #expect(
      outcome.lines == ["10", "10", "10", "10", "10", "empty", "folder", "noise", "text"],
      "\(outcome.errors)")
    let errors = outcome.errors.split(separator: "\n").filter { !$0.contains("kcarchive: hint: ") }
    #expect(errors.count == 5, "\(outcome.errors)")
  }
}
