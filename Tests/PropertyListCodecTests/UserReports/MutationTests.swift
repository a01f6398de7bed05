// Damaged lists by the thousand, in processes of their own with limits of time and memory: what codec-mutations does
// (Tests/Fuzz/Mutations), a small part of it.

import Glibc
import Testing

struct MutationTests {
  /// The tool that was built along with these tests.
  private static let program: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = max(0, unsafe readlink("/proc/self/exe", &buffer, buffer.count))
    let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/codec-mutations"
  }()

  private struct NotStarted: Error {}

  /// What a script writes.
  private func output(of script: String) throws -> String {
    guard let pipe = unsafe popen(script, "r") else { throw NotStarted() }
    defer { unsafe _ = pclose(pipe) }
    var output: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe fread(&part, 1, part.count, pipe)
      guard count > 0 else { return String(decoding: output, as: UTF8.self) }
      output += part[..<count]
    }
  }

  @Test("20,000 damaged lists end in time and in the memory there is, and what is read comes back")
  func mutants() throws {
    var folders = ["'\(Corpus.packageFolder)/Fixtures/plists'"]
    if Corpus.isThere { folders += ["'\(Corpus.folder)/open'", "'\(Corpus.folder)/hostile'"] }
    let output = try output(
      of: """
        folder=$(mktemp -d) && cd "$folder" || exit
        '\(Self.program)' 20000 1 \(folders.joined(separator: " ")) 2>&1
        echo status $?
        for mutant in mutant-*; do [ -e "$mutant" ] && base64 "$mutant"; done
        cd / && rm -r "$folder"
        """)
    #expect(output.contains("20000 mutants: "), "\(output)")
    #expect(output.contains("failed 0;"), "\(output)")
    #expect(output.hasSuffix("status 0\n"), "\(output)")
  }
}
