// Power failures: the program's calls are remembered once, and every state that a crash could have left of them is
// opened. Real disks lose what was not synced, in any order, and so does the model here.

import ArchiveContainer
import ByteCoding
import TestSupport
import Testing

@Suite("Crashes")
struct CrashTests {
  /// The states of one run: how many there were, and how many different ones of its target.
  private struct Count {
    let name: String
    var states = 0
    var targets = 0
  }

  @Test(
    "Whatever a crash leaves of what any verb was writing is the old archive or the new one, and the next writer goes on with it"
  )
  func replay() async throws {
    let counts = try await withThrowingTaskGroup(of: Count.self) { group in
      for run in DisturbedRun.all { group.addTask { try Self.replay(run) } }
      return try await group.reduce(into: [Count]()) { $0.append($1) }
    }
    let parts = DisturbedRun.all.compactMap { run in counts.first { $0.name == run.name } }
      .map { "\($0.name) \($0.states) (\($0.targets) different)" }
    print("crash states replayed: \(parts.joined(separator: ", "))")
    #expect(counts.reduce(0) { $0 + $1.states } > 4000)
  }

  private static func replay(_ run: DisturbedRun) throws -> Count {
    let folder = FaultFolder()
    run.writeInputs(folder)
    folder.reset(run.before)
    let status = folder.program(run.words, plan: CallPlan()).run()
    try #require(status == run.status, "\(run.name): \(folder.errors)")
    let after = folder.files
    var disk = UnsyncedFolder(run.before)
    var random = SeededGenerator(seed: 7)
    var count = Count(name: run.name)
    var seen: Set<[UInt8]?> = []
    for call in try folder.calls() {
      disk.perform(call)
      for state in disk.crashStates(subsets: 24, using: &random) {
        count.states += 1
        // What is only read stays as it is.
        for (name, content) in run.before where name != run.target && state[name] != content {
          Issue.record("\(run.name): \(name) has changed")
        }
        guard seen.insert(state[run.target]).inserted else { continue }
        do {
          try check(state[run.target], of: run, final: after[run.target])
        } catch {
          Issue.record("\(run.name), state \(count.states): \(error)")
        }
      }
    }
    count.targets = seen.count
    // The model knows of every call: it ends with what is there.
    #expect(disk.contents == after, "\(run.name)")
    #expect(
      seen.contains(run.before[run.target]) && seen.contains(after[run.target]), "\(run.name)")
    // And what the program has said is done lasts.
    let lasting = disk.crashStates(subsets: 4, using: &random)
    #expect(lasting.allSatisfy { $0[run.target] == after[run.target] }, "\(run.name)")
    return count
  }

  private static func check(
    _ bytes: [UInt8]?, of run: DisturbedRun, final: [UInt8]?
  ) throws {
    if run.replaces {
      #expect(bytes == run.before[run.target] || bytes == final, "\(run.name): half a file")
      if bytes == final { #expect(try Vault.read(bytes ?? []).state == run.new) }
      return
    }
    let bytes = try #require(bytes, "\(run.name): no file")
    if let reading = try run.read(bytes) { try run.expectOldOrNew(bytes, reading) }
  }
}

extension DisturbedRun {
  /// Reads what is there of the target; nil where nothing opened it before and nothing does now.
  func read(_ bytes: [UInt8]) throws -> Vault.Reading? {
    do {
      return try Vault.read(bytes)
    } catch  where old == nil && !replaces {
      return nil
    }
  }

  /// Whether an archive is in the old state or the new one, and the next writer makes it sound.
  func expectOldOrNew(_ bytes: [UInt8], _ reading: Vault.Reading) throws {
    let isOldOrNew = reading.state.items == old?.items || reading.state.items == new.items
    #expect(isOldOrNew, "\(name): other items")
    // Between two copies of the header the credentials of both open.
    let either = (old?.opening ?? []).union(new.opening)
    #expect(reading.state.opening.isSubset(of: either), "\(name)")
    #expect(reading.state.opening.contains("first"), "\(name)")
    #expect(reading.verify != .tampered, "\(name): \(reading.findings)")
    let mended = try Vault.read(try Vault.mended(bytes, with: "first"))
    #expect(mended.verify == nil, "\(name)")
    #expect(mended.state.items == reading.state.items, "\(name)")
    // Where the old header and the new one are both there, the next writer leaves the new one.
    let removes = old.map { new.opening.isStrictSubset(of: $0.opening) } ?? false
    let isEither = removes && reading.state.opening == old?.opening
    let isDecided =
      mended.state.opening == reading.state.opening
      || isEither && mended.state.opening == new.opening
    #expect(isDecided, "\(name)")
    // A header that a commit has sealed is the only one.
    if reading.sealedHeader > 1 { #expect(reading.state.opening == new.opening, "\(name)") }
  }
}
