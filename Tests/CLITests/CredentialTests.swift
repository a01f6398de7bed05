// Every way to give a credential, several on one archive, and what is said when none fits.

import Testing

@Suite("Credentials")
struct CredentialTests {
  private static let item = #"""
    {"class":"genp","service":"web","account":"alice","value":{"utf8":"s3cret"}}

    """#

  private func folder() -> Folder {
    let here = Folder()
    here.write("in.jsonl", Self.item)
    here.write("one", "first passphrase\n")
    here.write("two", "zwe\u{ef}te\r\n")
    here.write("wrong", "neither\n")
    here.write("key", [UInt8](repeating: 7, count: 32))
    here.write("other-key", [UInt8](repeating: 8, count: 32))
    return here
  }

  @Test("Each of several credentials opens the archive by itself")
  func several() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl --passphrase-file one --key-file key \\
        --passphrase-command 'printf "zwe\\303\\257te"' --label 'for work' $FAST || exit
      for words in "--passphrase-file one" "--passphrase-file two" "--key-file key" \\
        "--passphrase-file wrong --key-file other-key --passphrase-file two"; do
        kcarchive get a.kca $words && echo
      done
      kcarchive get a.kca --passphrase-fd 5 5< one && echo
      kcarchive inspect a.kca --key-file key | grep -A 2 credentials
      """)
    #expect(
      outcome.lines == [
        "s3cret", "s3cret", "s3cret", "s3cret", "s3cret",
        "  credentials       1  passphrase   Argon2id 19 MiB, 2 passes, 1 lane   'for work'",
        "                    2  key-file   'for work'",
        "                    3  passphrase   Argon2id 19 MiB, 2 passes, 1 lane   'for work'",
      ], "\(outcome.errors)")
  }

  @Test("A passphrase typed with decomposed letters opens what composed ones sealed")
  func normalization() {
    let here = folder()
    here.write("decomposed", "zwei\u{308}te")
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl --passphrase-file two $FAST || exit
      kcarchive get a.kca --passphrase-file decomposed
      """)
    #expect(outcome.text == "s3cret", "\(outcome.errors)")
  }

  @Test("The Spec's worked example opens, and its passphrase is said to be easy to guess")
  func workedExample() {
    let reader = #filePath.replacing("Tests/CLITests/CredentialTests.swift", with: "Spec/reader")
    let outcome = folder().run(
      """
      python3 -c 'import cryptography, argon2' || { echo skipped; exit; }
      python3 '\(reader)/worked_example.py' example.kca || exit
      printf 'correct horse battery staple' > p
      kcarchive list example.kca --passphrase-file p
      """)
    guard outcome.text != "skipped\n" else { return }
    #expect(outcome.status == 0)
    #expect(outcome.lines.last?.hasPrefix("genp com.example.app / alice") == true)
    #expect(outcome.errors.contains("credential 1 is easy to guess: Argon2id memory below 19 MiB"))
  }

  @Test("Slots that cost less than they should are pointed out, with what mends it")
  func weak() {
    let vector = #filePath.replacing(
      "Tests/CLITests/CredentialTests.swift",
      with: "Fixtures/vectors/container/slot_passphrase_pbkdf2_1000.txt")
    let outcome = folder().run(
      """
      printf 'correct horse battery staple' > weak
      python3 - '\(vector)' > a.kca <<'END' || exit
      import base64, sys, zlib
      body = open(sys.argv[1]).read().split("\\n\\n", 1)[1]
      sys.stdout.buffer.write(zlib.decompress(base64.b64decode(body)))
      END
      kcarchive slot list a.kca
      kcarchive slot list a.kca --json 2> warning; tail -1 warning | cut -c 1-28
      kcarchive verify a.kca --passphrase-file weak; echo $?
      kcarchive slot add a.kca --passphrase-file weak --new-passphrase-file one $FAST 2>&-; echo $?
      kcarchive slot remove a.kca 1 --passphrase-file one 2>&-; echo $?
      echo mended >&2; kcarchive slot list a.kca; kcarchive verify a.kca --passphrase-file one > report; echo $?
      """)
    let weakness = "fewer than 600,000 PBKDF2 iterations"
    #expect(
      outcome.lines == [
        "1  passphrase   PBKDF2 1000 iterations   weak: \(weakness)",
        #"{"version":1,"slots":[{"id":1,"kind":"passphrase","kdf":{"name":"pbkdf2","time":1000},"#
          + #""weakness":"\#(weakness)","withKeyFile":false}]}"#,
        #"{"version":1,"warning":{"sta"#, "a.kca: sound; 1 item, 5 frames, 1 session", "0", "0",
        "0",
        "2  passphrase   Argon2id 19 MiB, 2 passes, 1 lane", "0",
      ], "\(outcome.text)\(outcome.errors)")
    let parts = outcome.errors.split(separator: "mended\n", omittingEmptySubsequences: false)
    #expect(
      parts.first?.contains(
        "a.kca: credential 1 is easy to guess: \(weakness)\n"
          + "kcarchive: hint: 'kcarchive slot add a.kca' makes a stronger one, 'kcarchive slot remove "
          + "a.kca 1' takes this one away; copies of the archive keep it\n") == true)
    #expect(parts.count == 2 && parts.last == "", "\(outcome.errors)")
  }

  @Test("With a key file mixed in, it takes both")
  func mixed() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl --passphrase-file one --with-key-file key $FAST || exit
      for words in "--passphrase-file one --with-key-file key" "--passphrase-file one" \\
        "--passphrase-file one --with-key-file other-key" "--key-file key" \\
        "--key-file key --with-key-file key"; do
        kcarchive get a.kca $words; echo " $?"
      done
      """)
    #expect(outcome.lines == ["s3cret 0", " 12", " 12", " 12", " 2"], "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "hint: the file itself is sound; slot 1 takes a passphrase together with a key file "
          + "(--with-key-file FILE)"))
  }

  @Test("A wrong credential is said to be wrong, and what would fit")
  func wrong() {
    let here = folder()
    let one = here.run(
      """
      kcarchive pack -o a.kca in.jsonl --passphrase-file one $FAST 2>&- || exit
      kcarchive list a.kca --passphrase-file wrong
      """)
    #expect(one.status == 12 && one.output.isEmpty)
    #expect(
      one.errors == """
        kcarchive: error: a.kca: the passphrase does not open its credential
        kcarchive: hint: the file itself is sound

        """)
    let several = here.run(
      """
      kcarchive pack -o b.kca in.jsonl --passphrase-file one --key-file key $FAST 2>&- || exit
      kcarchive restore b.kca --passphrase-file wrong --json -C out
      """)
    #expect(several.status == 12)
    #expect(
      several.errors == #"""
        {"version":1,"error":{"status":12,"name":"wrong-credential","message":"the passphrase does not open any of its 2 credentials","hint":"the file itself is sound; slot 2 takes a key file (--key-file FILE)","place":{"file":"b.kca"}}}

        """#)
  }

  @Test("The environment counts where nothing else is given")
  func environment() {
    let outcome = folder().run(
      """
      export KCARCHIVE_PASSPHRASE='first passphrase'
      kcarchive pack -o a.kca in.jsonl $FAST || exit
      kcarchive get a.kca; echo " $?"
      KCARCHIVE_PASSPHRASE='first passphrase ' kcarchive get a.kca; echo " $?"
      kcarchive get a.kca --passphrase-file wrong; echo " $?"
      kcarchive get a.kca $KEY; echo " $?"
      unset KCARCHIVE_PASSPHRASE
      KCARCHIVE_PASSPHRASE_FILE=one kcarchive get a.kca; echo " $?"
      KCARCHIVE_PASSPHRASE=x KCARCHIVE_PASSPHRASE_FILE=one kcarchive get a.kca; echo " $?"
      KCARCHIVE_PASSPHRASE= kcarchive get a.kca; echo " $?"
      kcarchive get a.kca; echo " $?"
      """)
    #expect(
      outcome.lines == [
        "s3cret 0", " 12", " 12", " 12", "s3cret 0", "s3cret 0", " 2", " 2",
      ], "\(outcome.errors)")
  }

  @Test("What gives no credential is said, with the status that fits")
  func sources() {
    let here = folder()
    here.write("short", [UInt8](repeating: 7, count: 31))
    here.write("empty", "\n")
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl --passphrase-file one $FAST 2>&- || exit
      for words in "--passphrase-file missing" "--passphrase-file empty" "--passphrase-fd 77" \\
        "--key-file short" "--key-file ." "--key-file /dev/zero" "--with-key-file key" ""; do
        kcarchive list a.kca $words; echo $?
      done
      kcarchive list a.kca --passphrase-command 'echo s3cret; exit 3'; echo $?
      kcarchive list - --passphrase-fd 0 < a.kca; echo $?
      """)
    #expect(
      outcome.lines == ["10", "2", "2", "2", "2", "2", "2", "2", "1", "2"], "\(outcome.errors)")
    #expect(!outcome.errors.contains("s3cret"), "neither a command nor what it prints is told")
  }

  @Test("'verify' without a credential checks what it can and says so")
  func withoutCredential() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      kcarchive verify a.kca
      """)
    #expect(outcome.status == 0)
    #expect(outcome.text == "a.kca: sound; 5 frames, 1 session\n")
    #expect(
      outcome.errors
        == "kcarchive: note: without a credential only checksums and structure are checked\n")
  }

  @Test("On a terminal the passphrase is asked for, twice where it is new, and never shown")
  func prompts() {
    let outcome = folder().run(
      #"""
      printf 'on screen\non screen\n' | terminal kcarchive pack -o a.kca in.jsonl $FAST; echo "$?"
      printf 'on screen\nin scream\n' | terminal kcarchive pack -o b.kca in.jsonl $FAST; echo "$?"
      printf 'on screen\n' | terminal kcarchive list a.kca; echo "$?"
      printf 'off screen\n' | terminal kcarchive list a.kca; echo "$?"
      terminal kcarchive inspect a.kca < /dev/null > /dev/null; echo "$?"
      ls -A
      """#)
    let text = outcome.text
    #expect(text.hasPrefix("passphrase: \nagain: \npacked 1 item"), "\(text)")
    #expect(text.contains("\n1\npassphrase: \ngenp web / alice  6 bytes\n0\n"), "\(text)")
    #expect(text.contains("the passphrase does not open its credential"))
    #expect(
      text.hasSuffix("\n12\n0\na.kca\nin.jsonl\nkey\none\nother-key\ntwo\nwrong\n"), "\(text)")
    #expect(!text.contains("screen") && !text.contains("scream"))
  }
}
