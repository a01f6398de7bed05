// Both ends of a pipe, devices, and readers that leave early.

import Testing

@Suite("Pipes and devices")
struct PipeTests {
  private static let item =
    #"{"class":"genp","service":"web","account":"alice","value":{"utf8":"s3cret"}}"#

  @Test("An archive goes from one program to the other", arguments: ["", "--no-compress"])
  func ends(_ option: String) {
    let here = Folder()
    here.write("in.jsonl", Self.item + "\n")
    let outcome = here.run(
      """
      set -e -o pipefail
      mkdir d; head -c 300000 /dev/urandom > d/f; head -c 300000 /dev/zero > d/zero
      kcarchive pack -o - in.jsonl d $KEY \(option) | kcarchive list - $KEY -c genp
      kcarchive pack -o - in.jsonl d $KEY \(option) | kcarchive get - $KEY -s web; echo
      kcarchive pack -o - in.jsonl d $KEY \(option) | kcarchive verify - $KEY
      kcarchive pack -o - in.jsonl d $KEY \(option) | kcarchive verify -
      kcarchive pack -o - in.jsonl d $KEY \(option) | kcarchive inspect - --summary
      kcarchive pack -o - in.jsonl d $KEY \(option) | kcarchive restore - $KEY -C out
      diff -r d out/d
      kcarchive pack -o - in.jsonl d $KEY \(option) | kcarchive restore - $KEY --to jsonl -o - \\
        | kcarchive pack -o again.kca - $KEY
      kcarchive list again.kca $KEY -c file
      ls -A "$TMPDIR"
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines.count == 8, "\(outcome.text)")
    #expect(outcome.lines[0] == "genp web / alice  6 bytes")
    #expect(outcome.lines[1] == "s3cret")
    #expect(outcome.lines[2].hasPrefix("-: sound; 4 items, "))
    #expect(outcome.lines[3].hasPrefix("-: sound; "))
    #expect(outcome.lines[4].hasPrefix("-    kcarchive archive, version 1, "))
    #expect(outcome.lines[5] == "file d/f  293.0 KiB")
    #expect(outcome.errors.contains("into standard output ("))
  }

  @Test("Standard input may be a file, and an archive a FIFO")
  func otherInputs() {
    let here = Folder()
    here.write("in.jsonl", Self.item + "\n")
    let outcome = here.run(
      """
      kcarchive pack -o a.kca - $KEY < in.jsonl || exit
      kcarchive list - $KEY < a.kca
      kcarchive verify - $KEY < a.kca
      mkfifo pipe
      for verb in list verify; do cat a.kca > pipe & kcarchive $verb pipe $KEY; wait; done
      kcarchive list <(cat a.kca) $KEY
      """)
    #expect(
      outcome.lines == [
        "genp web / alice  6 bytes", "-: sound; 1 item, 5 frames, 1 session",
        "genp web / alice  6 bytes", "pipe: sound; 1 item, 5 frames, 1 session",
        "genp web / alice  6 bytes",
      ], "\(outcome.errors)")
  }

  @Test("A cut pipe is told from a whole one, by 'verify' and by readers")
  func cutPipe() {
    let here = Folder()
    here.write("in.jsonl", Self.item + "\n")
    let outcome = here.run(
      """
      head -c 300000 /dev/urandom > f
      kcarchive pack -o a.kca in.jsonl f $KEY || exit
      size=$(stat -c %s a.kca)
      for part in 1 2 50 90 200 500 900 998 999; do
        cut=$((size * part / 1000))
        for words in "verify - $KEY" "verify - $KEY --json" "verify -" "list - $KEY"; do
          head -c $cut a.kca | kcarchive $words > out; status=$?
          [ $status = 4 ] || { echo "$words, cut at $cut: status $status"; cat out; }
        done
      done
      """)
    #expect(outcome.output.isEmpty, "\(outcome.text)\(outcome.errors)")
  }

  @Test("A device that is written through stays a device")
  func devices() {
    let here = Folder()
    here.write("in.jsonl", Self.item + "\n")
    let outcome = here.run(
      """
      kcarchive pack -o /dev/null in.jsonl $KEY || exit
      kcarchive pack -o a.kca in.jsonl $KEY || exit
      kcarchive get a.kca $KEY -o /dev/null || exit
      kcarchive restore a.kca $KEY --to json -o /dev/null || exit
      test -c /dev/null || exit
      mkfifo pipe; kcarchive list pipe $KEY & kcarchive pack -o pipe in.jsonl $KEY; wait
      test -p pipe || exit
      kcarchive pack -o /dev/full in.jsonl $KEY; echo $?
      kcarchive list a.kca $KEY > /dev/full; echo $?
      kcarchive get a.kca $KEY > /dev/full; echo $?
      """)
    #expect(
      outcome.lines == ["genp web / alice  6 bytes", "1", "1", "1"], "\(outcome.errors)")
    #expect(outcome.errors.contains("no space left on device"))
  }

  @Test("A reader that leaves ends the run quietly, but not while an archive is written")
  func closedPipes() {
    let here = Folder()
    here.write(
      "in.jsonl",
      (0..<20_000).map {
        #"{"class":"genp","service":"a service with a long name","account":"\#($0)"}"# + "\n"
      }.joined())
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      for words in "list a.kca" "list a.kca --jsonl" "restore a.kca --to jsonl -o -"; do
        kcarchive $words $KEY | head -n 1 > first; echo ${PIPESTATUS[0]}
      done
      """)
    #expect(outcome.lines == ["0", "0", "0"])
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")

    let packing = here.run("kcarchive pack -o - in.jsonl $KEY | true; echo ${PIPESTATUS[0]}")
    #expect(packing.lines == ["1"])
    #expect(packing.errors.contains("broken pipe"))
  }
}
