// What people and programs are told on standard error, and the statuses.

import Testing

@testable import KCArchiveCLI

@Suite struct MessageTests {
  static let error = CommandError(
    .damaged, "the frame does not open", hint: "try salvage",
    place: CommandError.Place(
      file: "a\u{1B}.kcarchive", offset: 1_048_720, item: "genp com.example\n / alice"))

  @Test("An error is one line with its place, its hint another")
  func text() {
    let (output, errors) = captured { $0.error(Self.error) }
    #expect(output.isEmpty)
    #expect(
      errors == #"""
        kcarchive: error: a\u{1b}.kcarchive: the frame does not open, at byte 1,048,720 (genp com.example\n / alice)
        kcarchive: hint: try salvage

        """#)
  }

  @Test("With --json the same is an object")
  func json() {
    let (_, errors) = captured(isJSON: true) { $0.error(Self.error) }
    #expect(
      errors == #"""
        {"version":1,"error":{"status":13,"name":"damaged","message":"the frame does not open","hint":"try salvage","place":{"file":"a\u001b.kcarchive","offset":1048720,"item":"genp com.example\n / alice"}}}

        """#)
  }

  @Test("Places in texts are written as compilers write them")
  func lines() {
    func text(_ place: CommandError.Place) -> String {
      CommandError(.damaged, "a comma is missing", place: place).text
    }
    #expect(text(.init(file: "i.jsonl", line: 3, column: 7)) == "i.jsonl:3:7: a comma is missing")
    #expect(text(.init(file: "i.jsonl", line: 3)) == "i.jsonl:3: a comma is missing")
    #expect(text(.init(line: 3)) == "line 3: a comma is missing")
    #expect(text(.init()) == "a comma is missing")
  }

  @Test("A file's name that is not UTF-8 survives in JSON")
  func bytes() {
    let (_, errors) = captured(isJSON: true) {
      $0.error(CommandError(.notFound, "gone", place: .init(file: FilePath(bytes: [0x66, 0xFC]))))
    }
    #expect(
      errors == #"{"version":1,"error":{"status":10,"name":"not-found","message":"gone","#
        + #""place":{"file":"f\\xfc","fileBase64":"Zvw="}}}"# + "\n")
  }

  @Test("Warnings, notes, hints and summaries")
  func others() {
    func say(_ console: Console) {
      console.warning(CommandError(.truncated, "a tail is there", hint: "verify it"))
      console.note("3 items are no files")
      console.hint("look again")
      console.summary("packed 1 item")
    }
    #expect(
      captured(say).errors == """
        kcarchive: warning: a tail is there
        kcarchive: hint: verify it
        kcarchive: note: 3 items are no files
        kcarchive: hint: look again
        packed 1 item

        """)
    #expect(
      captured(isJSON: true, say).errors == """
        {"version":1,"warning":{"status":4,"name":"truncated","message":"a tail is there","hint":"verify it"}}
        {"version":1,"note":{"message":"3 items are no files"}}

        """)
  }

  @Test("A failed system call is told by its reason, and a missing file has its own status")
  func system() {
    let missing = CommandError.system("x", 2)
    #expect(missing.status == .notFound && missing.text == "x: no such file or directory")
    let denied = CommandError.system("x", 13, doing: "reading")
    #expect(denied.status == .failed && denied.text == "x: reading: permission denied")
  }
}

@Suite struct ExitStatusTests {
  @Test("The numbers are those that scripts rely on")
  func numbers() {
    #expect(
      KCArchiveCLI.ExitStatus.allCases.map { "\($0.rawValue) \($0.name)" } == [
        "0 done", "1 failed", "2 usage", "3 done-with-losses", "4 truncated", "10 not-found",
        "11 locked", "12 wrong-credential", "13 damaged", "14 tampered", "15 unsupported",
        "16 refused-by-limit", "17 rolled-back", "18 would-overwrite", "19 no-such-item",
        "20 duplicate-item", "130 interrupted", "143 terminated",
      ])
  }
}

@Suite struct ProgramTests {
  private func run(_ words: String...) -> (status: Int32, output: String, errors: String) {
    var status: Int32 = -1
    let words = words.map { Array($0.utf8) }
    let (output, errors) = captured(isJSON: asksForJSON(words)) {
      status = Program.run(words, $0).rawValue
    }
    return (status, output, errors)
  }

  @Test("The version is told in text and in JSON")
  func version() {
    #expect(run("version") == (0, "kcarchive 0.1.0\n", ""))
    #expect(run("--version") == (0, "kcarchive 0.1.0\n", ""))
    #expect(
      run("version", "--json")
        == (0, "{\"version\":1,\"program\":{\"name\":\"kcarchive\",\"version\":\"0.1.0\"}}\n", ""))
  }

  @Test("Help goes to standard output with status 0")
  func help() {
    #expect(run("--help") == run("help"))
    #expect(run("help").status == 0)
    #expect(run("help", "version").output == HelpText.verb(.version, isLong: true))
    #expect(run("version", "-h").output == HelpText.verb(.version, isLong: false))
    for topic in HelpTopic.allCases {
      #expect(run("help", topic.rawValue) == (0, topic.text, ""))
    }
  }

  @Test("A wrong command line is status 2, in JSON where JSON was asked for")
  func wrong() {
    #expect(
      run() == (
        2, "",
        "kcarchive: error: no verb is given\nkcarchive: hint: 'kcarchive help' lists the verbs\n"
      ))
    #expect(
      run("help", "exit-code") == (
        2, "",
        "kcarchive: error: there is no help on 'exit-code'\n"
          + "kcarchive: hint: did you mean 'exit-codes'?\n"
      ))
    let (status, output, errors) = run("version", "--jsn", "--json")
    #expect(status == 2 && output.isEmpty)
    #expect(
      errors
        == #"{"version":1,"error":{"status":2,"name":"usage","message":"unknown option '--jsn' "#
        + #"for version","hint":"did you mean '--json'?"}}"# + "\n")
  }
}
