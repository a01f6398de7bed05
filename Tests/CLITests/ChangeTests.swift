// Archives changed in place by the built program: `put` and `delete`.

import Testing

@Suite("Changing archives")
struct ChangeTests {
  private static let items = #"""
    {"class":"genp","service":"web","account":"alice","label":"first","created":"2024-05-01T12:00:00Z","value":{"utf8":"one"}}
    {"class":"genp","service":"web","account":"bob","value":{"utf8":"two"}}

    """#

  private func folder() -> Folder {
    let here = Folder()
    here.write("in.jsonl", Self.items)
    return here
  }

  @Test("'put' adds, changes, and keeps what it does not name; both readers agree")
  func put() {
    let outcome = folder().run(
      #"""
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      printf n3w | kcarchive put a.kca $KEY -s web -a alice --attribute comment=hi 2>&1
      printf '\0\377' > v; kcarchive put a.kca $KEY --server s.example -a carol --value-file v --json
      kcarchive get a.kca $KEY -s web -a alice --json | sed 's/,"modified":"[^"]*"//'
      kcarchive get a.kca $KEY --server s.example | od -An -tx1
      kcarchive list a.kca $KEY --jsonl | grep -c '"modified":"20'
      kcarchive verify a.kca $KEY
      """#)
    #expect(
      outcome.lines == [
        "changed genp web / alice in a.kca",
        #"{"version":1,"put":{"file":"a.kca","item":"inet s.example / carol","outcome":"added","commit":3}}"#,
        #"{"version":1,"item":{"class":"genp","service":"web","account":"alice","label":"first","comment":"hi","created":"2024-05-01T12:00:00Z","value":{"utf8":"n3w"}}}"#,
        " 00 ff", "2", "a.kca: sound; 3 items, 17 frames, 3 sessions",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.status == 0)
  }

  @Test("'delete' takes out one item; '--shred' leaves none of its frames")
  func delete() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      kcarchive delete a.kca $KEY -s web; echo $?
      kcarchive delete a.kca $KEY -s none; echo $?
      kcarchive delete a.kca $KEY; echo $?
      kcarchive delete a.kca $KEY -s web -a bob --json; echo $?
      kcarchive delete a.kca $KEY -s web -a alice --shred; echo $?
      kcarchive list a.kca $KEY | wc -l
      kcarchive verify a.kca $KEY
      """)
    #expect(
      outcome.lines == [
        "1", "19", "2",
        #"{"version":1,"delete":{"file":"a.kca","item":"genp web / bob","shredded":false,"commit":2}}"#,
        "0", "0", "0", "a.kca: sound; 0 items, 14 frames, 3 sessions",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("2 items match"))
    #expect(outcome.errors.contains("shredded genp web / alice in a.kca"))
    #expect(outcome.errors.contains("copies, snapshots"))
  }

  @Test("A wrong use of 'put' is told before anything is written")
  func usage() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      before=$(sha256sum a.kca)
      printf x | kcarchive put a.kca $KEY -a alice; echo $?
      printf x | kcarchive put a.kca $KEY -c genp; echo $?
      printf x | kcarchive put a.kca $KEY -c file -a x; echo $?
      printf x | kcarchive put - $KEY -s x; echo $?
      printf x | kcarchive put a.kca --passphrase-fd 0 -s x; echo $?
      printf x | kcarchive put a.kca $KEY -s x --accept-old-header; echo $?
      printf x | kcarchive put a.kca $KEY -s x --attribute synchronizable=perhaps; echo $?
      printf x | kcarchive put none.kca $KEY -s x; echo $?
      kcarchive put a.kca $KEY -s x --value-file .; echo $?
      [ "$before" = "$(sha256sum a.kca)" ] && echo same
      """)
    #expect(
      outcome.lines == ["2", "2", "2", "2", "2", "2", "2", "10", "2", "same"], "\(outcome.errors)")
  }

  @Test("While one writer is at work, another has status 11, or waits; readers go on reading")
  func lock() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      python3 -c '
      import fcntl, struct, time
      archive = open("a.kca", "r+b")
      # F_OFD_SETLK, a write lock on all of it.
      fcntl.fcntl(archive, 37, struct.pack("hh4xqqi4x", 1, 0, 0, 0, 0))
      print("held", flush=True)
      time.sleep(5)' > held &
      until [ -s held ]; do sleep 0.05; done
      printf x | kcarchive put a.kca $KEY -s web -a second; echo $?
      kcarchive delete a.kca $KEY -s web -a bob; echo $?
      kcarchive list a.kca $KEY | wc -l
      printf x | kcarchive put a.kca $KEY -s web -a third --wait 2>&-; echo $?
      kcarchive list a.kca $KEY | wc -l
      kcarchive verify a.kca $KEY
      """)
    #expect(
      outcome.lines == ["11", "11", "2", "0", "3", "a.kca: sound; 3 items, 12 frames, 2 sessions"],
      "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("another writer is at work"))
  }

  @Test("'compact' drops old revisions and deleted items, and keeps everything else")
  func compact() {
    let outcome = folder().run(
      """
      head -c 3000000 /dev/urandom > big; mkdir files; seq 200000 > files/numbers
      kcarchive pack -o a.kca in.jsonl files $KEY 2>&- || exit
      kcarchive put a.kca $KEY -s web -a big --value-file big 2>&-
      kcarchive delete a.kca $KEY -s web -a big 2>&-
      printf n3w | kcarchive put a.kca $KEY -s web -a bob 2>&-
      pin=$(kcarchive inspect a.kca $KEY --json | grep -o '"commit":[0-9]*' | cut -d: -f2)
      kcarchive restore a.kca $KEY --to jsonl -o before 2>&-
      chmod 640 a.kca; ln -s a.kca link; before=$(stat -c %s a.kca)
      kcarchive compact link $KEY --json | sed 's/"bytes[A-Za-z]*":[0-9]*,//g'
      [ $(stat -c %s a.kca) -lt $((before - 3000000)) ] && echo smaller
      stat -c '%a %F' a.kca link
      kcarchive restore a.kca $KEY --to jsonl -o after 2>&-; cmp <(sort before) <(sort after) && echo equal
      kcarchive verify a.kca $KEY
      kcarchive list a.kca $KEY --require-commit $pin | wc -l
      kcarchive put a.kca $KEY -s web -a again --value-file in.jsonl 2>&-; kcarchive verify a.kca $KEY
      kcarchive compact a.kca $KEY -o b.kca 2>&-; kcarchive list b.kca $KEY | wc -l
      """)
    #expect(
      outcome.lines.dropFirst() == [
        "smaller", "640 regular file", "777 symbolic link", "equal",
        "a.kca: sound; 4 items, 11 frames, 1 session", "4",
        "a.kca: sound; 5 items, 16 frames, 2 sessions", "5",
      ], "\(outcome.text)\(outcome.errors)")
    let report = outcome.lines.first ?? ""
    #expect(report.hasSuffix(#"/a.kca","items":4,"commit":5,"dropped":[]}}"#), "\(report)")
  }

  @Test("'rekey' leaves what is given or named new, lists what it drops, and keeps every item")
  func rekey() {
    let outcome = folder().run(
      """
      head -c 64 /dev/urandom > other; head -c 64 /dev/urandom > third
      kcarchive pack -o a.kca in.jsonl $KEY --key-file other 2>&- || exit
      kcarchive restore a.kca $KEY --to jsonl -o before 2>&-; cp a.kca old.kca
      kcarchive rekey a.kca $KEY; echo $?
      kcarchive list a.kca --key-file other; echo $?
      kcarchive restore a.kca $KEY --to jsonl -o after 2>&-; cmp before after && echo equal
      kcarchive get a.kca $KEY -s web -a bob; echo
      kcarchive rekey a.kca $KEY --new-key-file third -o b.kca 2>&-; echo $?
      kcarchive list b.kca $KEY; echo $?
      kcarchive verify b.kca --key-file third
      [ "$(kcarchive inspect a.kca | grep ' id ')" != "$(kcarchive inspect old.kca | grep ' id ')" ] && echo new
      """)
    #expect(
      outcome.lines == [
        "0", "12", "equal", "two", "0", "12", "b.kca: sound; 2 items, 7 frames, 1 session", "new",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("dropped: 2  key-file"))
  }
}
