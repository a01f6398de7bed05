// Finding items: what `list` and `get` take, and what they say where one is wanted and none or several match.

import Testing

@Suite("Finding items")
struct QueryTests {
  private static let items = #"""
    {"class":"genp","service":"web","account":"alice","accessGroup":"A","label":"first","synchronizable":false,"created":"2024-05-01T12:00:00Z","value":{"utf8":"one"}}
    {"class":"genp","service":"web","account":"bob","accessGroup":"B","synchronizable":true,"value":{"utf8":"two"}}
    {"class":"genp","service":"mail","account":"alice","value":{"utf8":"three"}}
    {"class":"inet","server":"example.com","account":"alice","protocol":"htps","port":443,"value":{"utf8":"four"}}

    """#

  private func folder() -> Folder {
    let here = Folder()
    here.write("in.jsonl", Self.items)
    return here
  }

  @Test("Queries are by class and exact attributes")
  func queries() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      for words in "" "-c genp" "-c inet" "-c cert" "-s web" "-s we" "-s web -a bob" "-a alice" \\
        "--access-group B" "--server example.com" "--where label=first" "--where port=443" \\
        "--where protocol=htps" "--where ptcl=htps" "--where synchronizable=true" \\
        "--where created=2024-05-01T12:00:00Z" "--where created=2024-05-01T14:00:00+02:00" \\
        "--where account=alice --where service=mail" "--where nobody=knows"; do
        echo "$words: $(kcarchive list a.kca $KEY $words --jsonl | wc -l)"
      done
      """)
    #expect(
      outcome.lines == [
        ": 4", "-c genp: 3", "-c inet: 1", "-c cert: 0", "-s web: 2", "-s we: 0",
        "-s web -a bob: 1", "-a alice: 3", "--access-group B: 1", "--server example.com: 1",
        "--where label=first: 1", "--where port=443: 1", "--where protocol=htps: 1",
        "--where ptcl=htps: 1", "--where synchronizable=true: 1",
        "--where created=2024-05-01T12:00:00Z: 1", "--where created=2024-05-01T14:00:00+02:00: 1",
        "--where account=alice --where service=mail: 1", "--where nobody=knows: 0",
      ], "\(outcome.errors)")
  }

  @Test("'get' gives the value of one item, with nothing added")
  func one() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      kcarchive get a.kca $KEY -s web -a bob | od -An -c
      kcarchive get a.kca $KEY --server example.com --json
      kcarchive get a.kca $KEY -s mail -o out; cat out; ls -A
      """)
    #expect(
      outcome.lines == [
        "   t   w   o",
        #"{"version":1,"item":{"class":"inet","server":"example.com","account":"alice","port":443,"#
          + #""protocol":"htps","value":{"utf8":"four"}}}"#,
        "threea.kca", "in.jsonl", "out",
      ], "\(outcome.text)\(outcome.errors)")
    #expect(!outcome.errors.contains("kcarchive:"))
  }

  @Test("Several matches are status 1 and listed without values")
  func several() {
    let here = folder()
    let outcome = here.run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      kcarchive get a.kca $KEY -s web -o out; echo $?; ls -A
      """)
    #expect(outcome.lines == ["1", "a.kca", "in.jsonl"])
    #expect(
      outcome.errors == """
        kcarchive: error: a.kca: 2 items match
        kcarchive: hint: narrow it down with '-c', '--access-group' or '--where'
          genp web / alice  3 bytes  group A
          genp web / bob  3 bytes  group B

        """)
    let json = here.run("kcarchive get a.kca $KEY -s web --json")
    #expect(json.status == 1)
    #expect(json.text.hasPrefix(#"{"version":1,"items":[{"class":"genp","#))
    #expect(!json.text.contains("value"))
    #expect(json.errors.hasPrefix(#"{"version":1,"error":{"status":1,"name":"failed","#))
  }

  @Test("No match is status 19 for 'get' and an empty list for 'list'")
  func none() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      kcarchive get a.kca $KEY -s none -o out; echo $?
      kcarchive list a.kca $KEY -s none; echo $?
      kcarchive list a.kca $KEY -s none --json; echo $?
      kcarchive list a.kca $KEY -s none --jsonl; echo $?
      ls -A
      """)
    #expect(
      outcome.lines == [
        "19", "0", #"{"version":1,"items":[]}"#, "0", "0", "a.kca", "in.jsonl",
      ])
    #expect(
      outcome.errors == """
        kcarchive: error: a.kca: no item matches
        kcarchive: hint: 'kcarchive list' shows what there is

        """)
  }

  @Test("Wrong queries are status 2")
  func wrong() {
    let outcome = folder().run(
      """
      kcarchive pack -o a.kca in.jsonl $KEY 2>&- || exit
      for words in "-c password" "--where port" "--where =x" "--where synchronizable=perhaps" \\
        "--where created=yesterday" "--json --jsonl" "-s a -s b"; do
        kcarchive list a.kca $KEY $words; echo $?
      done
      """)
    #expect(outcome.lines == ["2", "2", "2", "2", "2", "2", "2"], "\(outcome.errors)")
  }
}
