// Real archives: that each is read whole, as an independent reader finds it, and that hostile ones end.

import Glibc
import PropertyListCodec
import Testing

extension Corpus {
  static let archives = files(
    ofKinds: ["keyed-bplist", "keyed-nib", "keyed-xcuserstate", "keyed-xml", "keyed-nib-xml"])

  static let malformedArchives = files(ofKinds: ["keyed-invalid"])

  /// By name of the file: the lines that Fixtures/keyed_graphs.py prints for it.
  static let graphs: [String: [String]] = {
    let script = packageFolder + "/Fixtures/keyed_graphs.py"
    let names = (archives + malformedArchives).map { "'\($0.name)'" }.joined(separator: " ")
    let command = "cd '\(folder)' && /usr/bin/python3 '\(script)' \(names)"
    guard let pipe = unsafe popen(command, "r") else { return [:] }
    defer { unsafe _ = pclose(pipe) }
    var output: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe fread(&part, 1, part.count, pipe)
      guard count > 0 else { break }
      output += part[..<count]
    }
    var graphs: [String: [String]] = [:]
    var name = ""
    for line in output.split(separator: UInt8(ascii: "\n")) {
      let line = String(decoding: line, as: UTF8.self)
      if line.hasPrefix(#"["file","#) {
        name = String(line.dropFirst(9).dropLast(2))
        graphs[name] = []
      } else {
        graphs[name]?.append(line)
      }
    }
    return graphs
  }()

  /// …/Tests/PropertyListCodecTests/KeyedArchives/ArchiveCorpusTests.swift in the checkout.
  static let packageFolder: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(4).joined(separator: "/")
  }()
}

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct ArchiveCorpusTests {
  /// UUIDs of more or fewer than 16 bytes: names in these files were replaced.
  static let malformedUUIDs: Set<String> = [
    "open/imessage-exporter/ApplePayRecurring.plist",
    "open/imessage-exporter/CheckinEnded.plist", "open/imessage-exporter/Sent265.plist",
  ]

  @Test("every sound archive reads whole, with nothing irregular", arguments: Corpus.archives)
  func sound(file: Corpus.File) throws {
    let document = try PropertyListDocument(file.bytes)
    #expect(KeyedArchive.isArchive(document))
    var options = KeyedArchive.Options()
    options.isStrict = !Self.malformedUUIDs.contains(file.name)
    let archive = try KeyedArchive(document, options: options)
    #expect(archive.version == 100_000)
    #expect(archive.irregularityCount == 0)
    for number in 0..<archive.objectCount {
      let object = KeyedArchive.Object(number: number)
      // Nothing gets lost: a record has all fields.
      if case .record(_, let fields) = try archive.value(of: .object(object)) {
        #expect(fields == archive.fields(of: object))
      }
    }
  }

  @Test(
    "archives are the graphs that another reader finds in them",
    arguments: Corpus.archives + Corpus.malformedArchives)
  func graphs(file: Corpus.File) throws {
    let lines = try #require(Corpus.graphs[file.name])
    guard lines != [#"["unreadable"]"#],
      let archive = try? KeyedArchive(PropertyListDocument(file.bytes))
    else {
      #expect(file.kind == "keyed-invalid")
      return
    }
    let ours = ArchivedGraph(archive: archive).lines
    #expect(ours.count == lines.count)
    for (our, line) in zip(ours, lines) where our != line {
      Issue.record("\(our) and \(line)")
      break
    }
  }
}
