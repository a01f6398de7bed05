// The help texts, compared with those in Fixtures/cli/help. After a wanted change:
// KCARCHIVE_UPDATE_FIXTURES=1 swift test --filter HelpTests

import Glibc
import Testing

@testable import KCArchiveCLI

private let folder =
  #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/cli/help"

/// Every page of help by the name of its fixture.
private let pages: [String: String] = {
  var pages = [
    "program": HelpText.program(CommandSpec.all, isLong: true),
    "program-short": HelpText.program(CommandSpec.all, isLong: false),
  ]
  for command in CommandSpec.all {
    pages[command.name] = HelpText.verb(command, isLong: true)
    pages[command.name + "-short"] = HelpText.verb(command, isLong: false)
  }
  for topic in HelpTopic.allCases { pages["topic-" + topic.rawValue] = topic.text }
  return pages
}()

@Suite struct HelpTests {
  @Test("Each page is as its fixture has it", arguments: pages.keys.sorted())
  func fixture(_ name: String) throws {
    let page = try #require(pages[name])
    let path = "\(folder)/\(name).txt"
    if environmentValue("KCARCHIVE_UPDATE_FIXTURES") != nil { writeFile(path, Array(page.utf8)) }
    #expect(readFile(path) == page)
  }

  @Test("No line is longer than 80 columns, but those of examples", arguments: pages.keys.sorted())
  func width(_ name: String) throws {
    let page = try #require(pages[name])
    let text = page.split(separator: "\n").prefix { $0 != "EXAMPLE:" }
    for line in text { #expect(line.utf8.count <= 80, "\(line)") }
  }

  @Test("Every option of a verb is in both of its pages", arguments: CommandSpec.all.map(\.name))
  func complete(_ name: String) throws {
    let command = try #require(CommandSpec.all.first { $0.name == name })
    for page in [name, name + "-short"].compactMap({ pages[$0] }) {
      for option in command.options { #expect(page.contains("\n  " + option.label)) }
    }
  }

  @Test(
    "Summaries begin in upper case and have no full stop", arguments: CommandSpec.all.map(\.name))
  func tone(_ name: String) throws {
    let command = try #require(CommandSpec.all.first { $0.name == name })
    for text in [command.overview] + command.options.map(\.summary) {
      #expect(text.first?.isUppercase == true && text.last != ".", "\(text)")
    }
  }

  @Test("The command lines of the examples are valid", arguments: CommandSpec.all.map(\.name))
  func examples(_ name: String) throws {
    let command = try #require(CommandSpec.all.first { $0.name == name })
    #expect(!command.example.isEmpty)
    var names: [String] = []
    for line in command.example {
      // Only the words of a pipeline's part that calls the program; no example quotes among those.
      for part in line.split(separator: "|") {
        let words = part.split(separator: " ").map { Array($0.utf8) }
        guard words.first == Array("kcarchive".utf8) else { continue }
        guard
          case .run(let arguments) = try ArgumentParser(CommandSpec.all).parse(
            Array(words.dropFirst()))
        else {
          Issue.record("\(line)")
          continue
        }
        names.append(arguments.command.name)
      }
    }
    #expect(names.last == name)
  }
}
