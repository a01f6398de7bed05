// The reader in Python, which was written from the Spec alone, looks at the same archives.

import Glibc
import Testing

struct SecondReaderTests {
  @Test(
    "the second reader finds the same in all golden archives",
    .enabled(
      if: run("python3 -c 'import cryptography, argon2'").status == 0,
      "needs python3 with cryptography and argon2-cffi"))
  func golden() throws {
    let folder = packageFolder.replacing("'", with: #"'\''"#)
    let (status, output) = run("python3 '\(folder)/Fixtures/second_reader.py'")
    #expect(status == 0, "\(output)")
    // That it has looked at all of them is not taken on trust.
    let lines = output.split(separator: "\n").filter { $0.hasSuffix(": the same") }
    #expect(try lines.count == GoldenArchive.all().count)
  }
}

/// Runs a command of the shell: its status (-1 if it could not be run) and all that it wrote.
func run(_ command: String) -> (status: Int32, output: String) {
  guard let pipe = unsafe popen("\(command) 2>&1", "r") else { return (-1, "") }
  var output: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = unsafe fread(&part, 1, part.count, pipe)
    guard count > 0 else { break }
    output += part[..<count]
  }
  return (unsafe pclose(pipe), String(decoding: output, as: UTF8.self))
}
