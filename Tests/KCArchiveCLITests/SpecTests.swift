// Spec/cli.md and the tables of the program say the same.

import Testing

@testable import KCArchiveCLI

private let specification: String = {
  let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  return readFile(root + "/Spec/cli.md") ?? ""
}()

/// The text of the section whose heading holds `title`, up to the next heading.
private func section(_ title: String) -> Substring? {
  let parts = specification.split(separator: "\n#", omittingEmptySubsequences: true)
  return parts.first { $0.prefix { $0 != "\n" }.hasSuffix(title) }
}

@Suite struct SpecTests {
  @Test("Every exit status is in its table with its name")
  func statuses() throws {
    let text = try #require(section("Exit statuses"))
    for status in KCArchiveCLI.ExitStatus.allCases {
      #expect(text.contains("| \(status.rawValue) | `\(status.name)` |"))
    }
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains("`") }
    #expect(rows.count == KCArchiveCLI.ExitStatus.allCases.count)
  }

  @Test("Every option of a verb is in the verb's section or in a shared one")
  func options() throws {
    let shared = try #require(section(" Limits")) + #require(section(" Credentials"))
    let query = try #require(section(" list"))
    for command in CommandSpec.all where command.name != "help" && command.name != "version" {
      let text = try #require(section(" \(command.name)"))
      for option in command.options {
        let spellings = ["`\(option.key.rawValue)`", "`\(option.key.rawValue) "]
        let isThere = [text, shared, command.name == "get" ? query : ""].contains { text in
          spellings.contains { text.contains($0) }
        }
        #expect(isThere, "\(command.name) \(option.label)")
      }
    }
  }

  @Test("Reserved verbs and options are unknown to this release")
  func reserved() throws {
    let text = try #require(specification.split(separator: "\n## ").first)
    let reserved = try #require(text.split(separator: "Reserved for later releases").last)
    let words = reserved.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
    #expect(words.count > 6)
    for (_, word) in words {
      #expect(!CommandSpec.all.contains { $0.name == word })
      #expect(OptionKey(rawValue: String(word)) == nil)
    }
  }

  @Test("The version is the one that the text is about")
  func version() {
    #expect(specification.contains("`kcarchive \(Program.version)`"))
    #expect(specification.contains("{\"version\":\(jsonVersion),\"error\":"))
  }
}
