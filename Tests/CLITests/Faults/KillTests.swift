// The built program, killed at any moment: no call of the tests' choosing, but whatever the clock hits.

import ArchiveContainer
import Glibc
import TestSupport
import Testing

@Suite("Kills")
struct KillTests {
  private static let verbs = [
    "pack --force", "put", "put of a new value", "delete --shred", "slot add", "slot remove",
    "compact", "rekey",
  ]
  private static let killCount = 504

  /// How the archives were found after the kills.
  private struct Count {
    var kills = 0
    var old = 0
    var new = 0
    var unfinished = 0

    static func + (a: Count, b: Count) -> Count {
      Count(
        kills: a.kills + b.kills, old: a.old + b.old, new: a.new + b.new,
        unfinished: a.unfinished + b.unfinished)
    }
  }

  @Test("Killed at any moment, a writer leaves all that was committed, and the next one goes on")
  func anyMoment() async throws {
    let count = try await withThrowingTaskGroup(of: Count.self) { group in
      for verb in Self.verbs {
        let run = try #require(DisturbedRun.long.first { $0.name == verb })
        group.addTask { try Self.kill(run, Self.killCount / Self.verbs.count) }
      }
      return try await group.reduce(Count(), +)
    }
    print(
      "killed at random moments: \(count.kills) of \(Self.killCount) runs before they ended; found "
        + "\(count.old) old, \(count.new) new, \(count.unfinished) of them with something unfinished"
    )
    #expect(count.kills > Self.killCount / 3)
    #expect(count.old > 0 && count.new > 0 && count.unfinished > 0)
  }

  private static func kill(_ run: DisturbedRun, _ times: Int) throws -> Count {
    let folder = FaultFolder()
    run.writeInputs(folder)
    folder.side.write([1, 2, 3], to: "small")
    var random = SystemRandomNumberGenerator()
    var longest: UInt64 = 0
    for _ in 0..<2 {
      folder.reset(run.before)
      let start = microseconds()
      try #require(folder.program(run.words).run() == 0, "\(folder.errors)")
      longest = max(longest, microseconds() - start)
    }
    var count = Count()
    for number in 0..<times {
      folder.reset(run.before)
      let started = folder.program(run.words).start()
      usleep(UInt32(UInt64.random(in: 0...longest, using: &random)))
      started.kill()
      let status = started.wait()
      let place = "\(run.name), kill \(number)"
      #expect([0, 128 + SIGKILL].contains(status), "\(place): status \(status)")
      if status != 0 { count.kills += 1 }

      let bytes = try #require(folder.work.read(run.target), "\(place): the archive is gone")
      let found = try Vault.read(bytes)
      #expect(found.verify == nil || found.verify == .truncated, "\(place): \(found.findings)")
      try run.expectOldOrNew(bytes, found)
      if status == 0 { #expect(found.state == run.new, "\(place)") }
      if found.state.items == run.new.items { count.new += 1 } else { count.old += 1 }
      if found.verify != nil { count.unfinished += 1 }

      // The next writer mends and adds.
      let words = ["put", "@a.kca", "--key-file", "%first", "-s", "web", "-a", "next"]
      let next = folder.program(words + ["--value-file", "%small"]).run()
      #expect(next == 0, "\(place): \(folder.errors)")
      let mended = try Vault.read(try #require(folder.work.read(run.target)))
      var items = found.state.items
      items["genp web / next"] = [1, 2, 3]
      #expect(mended.state.items == items && mended.verify == nil, "\(place)")
    }
    return count
  }

  private static func microseconds() -> UInt64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
  }
}
