// Credentials of every kind through the built program: recipients, recovery codes, and slots changed in place.

import Testing

@Suite("Slots")
struct SlotTests {
  private static let item =
    #"{"class":"genp","service":"web","account":"a","value":{"utf8":"one"}}"#

  private func folder() -> Folder {
    let here = Folder()
    here.write("in.jsonl", Self.item + "\n")
    return here
  }

  @Test("What is packed for a recipient opens with its identity and with nothing else")
  func recipients() {
    let outcome = folder().run(
      """
      kcarchive keygen -o me 2>told; kcarchive keygen -o you --json | sed 's/age1.*"/AGE"/'
      stat -c %a me; sed -n 's/^public key: //p' told > public
      kcarchive pack -o a.kca in.jsonl -r $(cat public) 2>&-; echo $?
      kcarchive pack -o b.kca in.jsonl -R public 2>&-; echo $?
      for archive in a b; do kcarchive get $archive.kca -i me -s web; echo " $?"; done
      kcarchive get a.kca -i you -s web; echo $?
      kcarchive get a.kca $KEY -s web; echo $?
      kcarchive inspect a.kca | grep '  credentials '
      """)
    #expect(
      outcome.lines == [
        #"{"version":1,"keygen":{"file":"you","recipient":"AGE"}}"#, "600", "0", "0", "one 0",
        "one 0",
        "12", "12", "  credentials       1  recipient",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("takes an age identity (-i FILE)"))
  }

  @Test("Identities are age's: what age-keygen made is read, and what it can't be is said by name")
  func foreign() {
    let outcome = folder().run(
      """
      echo AGE-SECRET-KEY-15ZS69GAY5KN2029F4246ETDW47CTRV4NKJ6MDDACHXATH09AH6LSSSLT45 > key
      recipient=age1vpd8yhf2ft07avdznct7m43pcxm4j0hgek7yftrvf2mw97q96g7qz68n63
      kcarchive pack -o a.kca in.jsonl -r $recipient 2>&-
      kcarchive get a.kca -i key -s web; echo " $?"
      kcarchive pack -o x.kca in.jsonl -r ${recipient}x; echo $?
      kcarchive pack -o x.kca in.jsonl -r "ssh-ed25519 AAAA"; echo $?
      echo AGE-PLUGIN-YUBIKEY-1AAAA > plugin; kcarchive list a.kca -i plugin; echo $?
      echo "# none" > none; kcarchive list a.kca -i none; echo $?
      ls *.kca
      """)
    #expect(
      outcome.lines == ["one 0", "2", "15", "15", "2", "a.kca"], "\(outcome.text)\(outcome.errors)")
    // A secret is not repeated in a message.
    #expect(!outcome.errors.contains("AAAA\n") && !outcome.errors.contains("YUBIKEY"))
  }

  @Test(
    "What age-keygen makes serves a whole round trip, and age takes what keygen makes",
    .enabled(if: Ability.age, "needs age"))
  func age() {
    let outcome = folder().run(
      """
      age-keygen -o id 2>/dev/null && age-keygen -y id > public
      kcarchive pack -o a.kca in.jsonl -R public 2>&-; echo $?
      printf two | kcarchive put a.kca -i id -s more -a b 2>&-; echo $?
      kcarchive slot add a.kca -i id -r $(cat public) --label again 2>&-; echo $?
      kcarchive slot remove a.kca 1 -i id 2>&-; echo $?
      kcarchive verify a.kca -i id > report; echo $?
      kcarchive get a.kca -i id -s more; echo
      kcarchive restore a.kca -i id --to jsonl -o - | wc -l
      kcarchive keygen -o mine 2>&-
      echo secret | age -r "$(age-keygen -y mine)" > sealed && age -d -i mine sealed
      """)
    #expect(
      outcome.lines == ["0", "0", "0", "0", "0", "two", "2", "secret"],
      "\(outcome.text)\(outcome.errors)")
  }

  @Test("A passphrase is changed in one step of 8,704 bytes")
  func replaced() {
    let outcome = folder().run(
      """
      echo old > p; echo new > q
      kcarchive pack -o a.kca in.jsonl --passphrase-file p $FAST 2>&-; before=$(stat -c %s a.kca)
      kcarchive slot add a.kca --passphrase-file p --new-passphrase-file q --replace 7 $FAST; echo $?
      strace -f -e trace=pwrite64 -o ../log/trace \\
        kcarchive slot add a.kca --passphrase-file p --new-passphrase-file q --replace 1 $FAST --json
      sed -n 's/.* = //p' ../log/trace | awk '{ sum += $1 } END { print sum }'; echo $(($(stat -c %s a.kca) - before))
      kcarchive list a.kca --passphrase-file p; echo $?
      kcarchive get a.kca --passphrase-file q -s web; echo
      kcarchive slot list a.kca | cut -c 1-14
      kcarchive slot add a.kca --passphrase-file q -r age1vpd8yhf2ft07avdznct7m43pcxm4j0hgek7yftrvf2mw97q96g7qz68n63 --replace 2
      """)
    #expect(
      outcome.lines == [
        "19",
        #"{"version":1,"slot":{"action":"add","file":"a.kca","ids":[2],"removed":[1],"commit":2}}"#,
        "8704", "512", "12", "one", "2  passphrase ",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("removed slot 2 from a.kca"))
  }

  @Test("Slots are added, listed, tested and removed; a recovery code opens what it was made for")
  func slots() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY --label mine 2>&- || exit
      printf 'pass word' > pw
      kcarchive slot add a.kca $KEY --new-passphrase-file pw --label other $FAST 2>&-; echo $?
      kcarchive slot add a.kca $KEY --new-recovery-code > code 2>&-; echo $?
      grep -cE '^([0-9A-HJKMNP-TV-Z]{5}-){5}[0-9A-HJKMNP-TV-Z]{5}$' code
      kcarchive slot list a.kca
      kcarchive slot list a.kca $KEY --json
      kcarchive slot test a.kca --passphrase-file pw
      tr A-Z a-z < code > typed
      kcarchive get a.kca --recovery-code --passphrase-file typed -s web; echo " $?"
      sed 's/^./#/' code > wrong; kcarchive list a.kca --recovery-code --passphrase-file wrong; echo $?
      kcarchive slot remove a.kca 1 3 $KEY 2>&-; echo $?
      kcarchive list a.kca $KEY; echo $?
      kcarchive slot remove a.kca 2 --passphrase-file pw; echo $?
      kcarchive slot remove a.kca 9 --passphrase-file pw; echo $?
      kcarchive slot remove a.kca two --passphrase-file pw; echo $?
      kcarchive verify a.kca --passphrase-file pw
      """)
    #expect(
      outcome.lines == [
        "0", "0", "1", "1  key-file", "2  passphrase   Argon2id 19 MiB, 2 passes, 1 lane",
        "3  recovery-code",
        #"{"version":1,"slots":[{"id":1,"kind":"key-file","label":"mine"},{"id":2,"kind":"passphrase","#
          + #""label":"other","kdf":{"name":"argon2id","memory":19922944,"time":2,"parallelism":1},"#
          + #""withKeyFile":false},{"id":3,"kind":"recovery-code","label":""}]}"#,
        "2  passphrase   Argon2id 19 MiB, 2 passes, 1 lane   'other'   opens it",
        "one 0", "2", "0", "12", "16", "19", "2", "a.kca: sound; 1 item, 11 frames, 4 sessions",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(outcome.errors.contains("is mistyped"))
    #expect(outcome.errors.contains("slot 2 is the last one"))
  }

  @Test("A change of credentials writes 8 KiB of header and 512 bytes, whatever the archive's size")
  func size() {
    let outcome = folder().run(
      """
      head -c 20000000 /dev/urandom > big
      kcarchive pack -o a.kca big $KEY 2>&- || exit
      before=$(stat -c %s a.kca); head -c 64 /dev/urandom > other
      kcarchive slot add a.kca $KEY --new-key-file other 2>&-
      echo $(($(stat -c %s a.kca) - before))
      """)
    #expect(outcome.lines == ["512"], "\(outcome.errors)")
  }
}
