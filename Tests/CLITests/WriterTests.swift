// Who wrote an item, as `list --long`, `inspect` and `get --decode` of the built program tell it.

import Testing

@Suite("Writers of items")
struct WriterTests {
  /// An archive `a.kca` of items as libraries leave them.
  private static let opening = """
    cat > items.jsonl << 'END'
    {"class":"genp","service":"VAL_VALValet_initWithIdentifier:accessibility:_v_AccessibleWhenUnlocked","account":"k","accessible":"ak","value":{"base64":"AAECAw=="}}
    {"class":"genp","service":"me.mattrubin.onetimepassword.token","account":"T-1","generic":{"base64":"b3RwYXV0aDovL3RvdHAvRXhhbXBsZTphbGljZT9pc3N1ZXI9RXhhbXBsZQ=="},"value":{"utf8":"12345678901234567890"}}
    {"class":"genp","service":"TSKeyChainService","account":"GRDBDatabaseCipherKeySpec","value":{"base64":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAQEBAQEBAQEBAQEBAQEB"}}
    {"class":"genp","account":"flag","accessible":"ak","modified":"2024-05-02T08:30:00.25Z","value":{"base64":"AQ=="}}
    {"class":"inet","server":"example.org","account":"alice","accessGroup":"com.apple.password-manager","value":{"plist":{"title":"Example","notes":"blue door"}}}
    {"class":"genp","service":"web","account":"alice","value":{"utf8":"s3cret"}}
    END
    kcarchive pack -o a.kca items.jsonl $KEY 2> /dev/null

    """

  @Test(
    "list --long says accessibility, dates and writer below each item; the short form is as before")
  func long() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive list a.kca $KEY | wc -l
        kcarchive list a.kca --long $KEY
        """)
    #expect(outcome.lines.first == "6")
    #expect(outcome.lines.contains("  accessible ak  by Valet"))
    #expect(outcome.lines.contains("  by OneTimePassword"))
    #expect(outcome.lines.contains("  by Session"))
    #expect(
      outcome.lines.contains(
        "  accessible ak  modified 2024-05-02 08:30:00 UTC  by KeychainSwift (likely)"))
    #expect(outcome.lines.contains("  by Apple Passwords"))
    // Nothing is known of the last one, so it has no second line.
    #expect(outcome.lines.last == "genp web / alice  6 bytes")
    #expect(outcome.errors == "", "\(outcome.errors)")
  }

  @Test("list --long gives items, sizes and writers as JSON, one object or a line each")
  func longJSON() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive list a.kca --long --json $KEY > long.json
        kcarchive list a.kca --long --jsonl $KEY > long.jsonl
        kcarchive list a.kca --json $KEY > short.json
        python3 - << 'END'
        import json
        long, short = json.load(open("long.json")), json.load(open("short.json"))
        assert [e["item"] for e in long["items"]] == short["items"], long
        assert [json.loads(l) for l in open("long.jsonl")] == long["items"]
        assert [e["valueBytes"] for e in long["items"]] == [4, 20, 48, 1, 80, 6], long
        print([e.get("writer", {}).get("names") for e in long["items"]])
        print(long["items"][3]["writer"], "writer" in long["items"][5])
        END
        kcarchive list a.kca --long --history $KEY; echo $?
        """)
    #expect(
      outcome.lines.first
        == "[['Valet'], ['OneTimePassword'], ['Session'], ['KeychainSwift'], ['Apple Passwords'], None]"
    )
    #expect(
      outcome.lines.dropFirst().first
        == "{'names': ['KeychainSwift'], 'certainty': 'likely', 'form': 'text-or-data'} False")
    #expect(outcome.lines.last == "2")
    #expect(!outcome.text.contains("s3cret"))
  }

  @Test("inspect with a credential counts writers, without one it knows none")
  func inspect() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive inspect a.kca $KEY | grep -A9 'written by'
        kcarchive inspect a.kca | grep -c 'written by'
        kcarchive inspect a.kca --json $KEY | python3 -c '
        import json, sys
        items = json.load(sys.stdin)["files"][0]["items"]
        print(sum(w["count"] for w in items["writers"]), items["writers"][-1])'
        """)
    let lines = outcome.lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.first?.hasPrefix("written by 1 item Apple Passwords: notes and codes") == true)
    #expect(lines.contains("1 item Valet: data"))
    #expect(lines.contains("1 item KeychainSwift (likely): text or data"))
    #expect(lines.contains("1 item OneTimePassword: one-time password seed"))
    #expect(lines.contains("0"))
    #expect(
      outcome.lines.last
        == "5 {'names': ['Valet'], 'certainty': 'certain', 'form': 'data', 'count': 1}")
  }

  @Test("get --decode makes of a value what its writer means by it")
  func decode() {
    let outcome = Folder().run(
      Self.opening + """
        kcarchive get a.kca -s me.mattrubin.onetimepassword.token --decode $KEY
        kcarchive get a.kca -s TSKeyChainService --decode $KEY
        kcarchive get a.kca -a flag --decode $KEY
        kcarchive get a.kca --server example.org --decode $KEY
        kcarchive get a.kca -s web --decode $KEY
        kcarchive get a.kca -a flag $KEY | od -An -tx1
        """)
    #expect(
      outcome.lines == [
        "otpauth://totp/Example:alice?issuer=Example&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
        "key   \(String(repeating: "00", count: 32))",
        "salt  \(String(repeating: "01", count: 16))",
        "true", "dictionary, 2 keys", "├─ title   \"Example\"", "└─ notes   \"blue door\"",
        "s3cret",
        " 01",
      ], "\(outcome.text)")
    #expect(outcome.errors == "", "\(outcome.errors)")
  }

  @Test("get --decode --json names the writer, and its kinds have their content")
  func decodeJSON() {
    let outcome = Folder().run(
      Self.opening + """
        for query in '-s me.mattrubin.onetimepassword.token' '-s TSKeyChainService' '-a flag' '-s web'; do
          kcarchive get a.kca $query --decode --json $KEY | python3 -c '
        import json, sys
        d = json.load(sys.stdin)
        print(d.get("writer", {}).get("form"), d["decoded"]["kind"], d["decoded"]["content"])'
        done
        """)
    #expect(
      outcome.lines == [
        "one-time-password-seed otpauth otpauth://totp/Example:alice?issuer=Example&secret="
          + "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
        "database-key database-key {'key': '\(String(repeating: "00", count: 32))', 'salt': '"
          + "\(String(repeating: "01", count: 16))'}",
        "boolean boolean True", "None text s3cret",
      ], "\(outcome.text)")
  }
}
