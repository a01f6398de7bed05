// A short run of the stress test (Tests/Stress); `make stress` is the long one.

import Foundation
import Testing

@Suite("Many threads of many processes on one archive")
struct StressTests {
  @Test("nothing is lost and nothing is torn in five seconds")
  func short() throws {
    let stress = Process()
    stress.executableURL = LegacySettingsTests.program.deletingLastPathComponent()
      .appendingPathComponent("keychain-stress")
    stress.arguments = ["--processes", "3", "--threads", "8", "--seconds", "5"]
    let output = Pipe()
    stress.standardOutput = output
    try stress.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    stress.waitUntilExit()
    #expect(stress.terminationStatus == 0, "\(text)")
  }
}
