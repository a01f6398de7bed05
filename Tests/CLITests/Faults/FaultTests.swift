// Disks that are full or broken, and calls that do only a part: the built program under each, at every call.

import Glibc
import TestSupport
import Testing

@Suite("Faults")
struct FaultTests {
  /// A way in which calls go wrong, from the n-th on.
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let makePlan: @Sendable (Int) -> CallPlan

    var testDescription: String { name }

    static let all = [
      Kind(name: "one call fails") { CallPlan(fault: .error(EIO), numbers: $0...$0) },
      Kind(name: "all calls fail from one on") {
        CallPlan(fault: .error(EIO), numbers: $0...Int.max)
      },
      Kind(name: "the disk is full from one call on") {
        CallPlan(
          kinds: [.write, .sync, .allocate], fault: .error(ENOSPC), numbers: $0...Int.max)
      },
      Kind(name: "killed at a call") { CallPlan(fault: .kill, numbers: $0...$0) },
    ]
  }

  @Test(
    "Whichever call fails, the archive is the old one or the new one, nothing is left behind, and a second run succeeds"
  )
  func everyCall() async throws {
    for kind in Kind.all {
      let counts = try await withThrowingTaskGroup(of: (String, Int).self) { group in
        for run in DisturbedRun.all { group.addTask { (run.name, try Self.disturb(run, kind)) } }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      let parts = DisturbedRun.all.map { "\($0.name) \(counts[$0.name] ?? 0)" }
      print("\(kind.name): \(parts.joined(separator: ", "))")
      #expect(counts.values.allSatisfy { $0 > 2 })
    }
  }

  /// - Returns: how many calls were made to fail.
  private static func disturb(_ run: DisturbedRun, _ kind: Kind) throws -> Int {
    let folder = FaultFolder()
    run.writeInputs(folder)
    var number = 1
    while true {
      let place = "\(run.name), \(kind.name), call \(number)"
      folder.reset(run.before)
      let plan = kind.makePlan(number)
      let status = folder.program(run.words, plan: plan).run()
      let said = folder.errors
      let failed = try folder.calls().contains { if case .failed = $0 { true } else { false } }
      if !failed {
        #expect(status == run.status, "\(place): \(said)")
        return number - 1
      }
      var expected: Set<Int32> = [1, run.status]
      if case .kill = plan.fault { expected = [128 + SIGKILL] }
      let isExpected = expected.contains(status)
      #expect(isExpected, "\(place): status \(status): \(said)")
      // A file that a crash leaves is nobody's: the program was not there any more to remove it.
      let names = folder.work.names.filter { status != 128 + SIGKILL || !$0.hasSuffix(".partial") }
      #expect(Set(names).subtracting(run.before.keys).subtracting([run.target]).isEmpty, "\(place)")
      let state = try check(folder, run, place)
      if status == run.status { #expect(state == run.new, "\(place)") }

      let again = folder.program(run.words).run()
      #expect(
        again == run.status || state != nil && again == run.again,
        "\(place), again: status \(again): \(folder.errors)")
      let bytes = try #require(folder.work.read(run.target), "\(place)")
      let reading = try Vault.read(bytes)
      #expect(reading.state == run.new && reading.verify == nil, "\(place), again: \(reading)")
      number += 1
    }
  }

  /// - Returns: the state of the target; nil where it is untouched or opens as little as before.
  private static func check(
    _ folder: FaultFolder, _ run: DisturbedRun, _ place: String
  ) throws -> VaultState? {
    for (name, content) in run.before where name != run.target {
      #expect(folder.work.read(name) == content, "\(place): \(name)")
    }
    guard let bytes = folder.work.read(run.target) else {
      #expect(run.before[run.target] == nil, "\(place): the archive is gone")
      return nil
    }
    if bytes == run.before[run.target] { return nil }
    guard let reading = try run.read(bytes) else { return nil }
    if run.replaces {
      #expect(reading.state == run.new && reading.verify == nil, "\(place)")
    } else {
      try run.expectOldOrNew(bytes, reading)
    }
    return reading.state
  }

  @Test(
    "Reads and writes that move fewer bytes than they were asked to are gone on with",
    arguments: [1, 7, 512, 4095])
  func partialTransfers(most: Int) throws {
    for run in DisturbedRun.all {
      let folder = FaultFolder()
      run.writeInputs(folder)
      folder.reset(run.before)
      let status = folder.program(run.words, plan: CallPlan(mostBytes: most)).run()
      #expect(status == run.status, "\(run.name): \(folder.errors)")
      let reading = try Vault.read(try #require(folder.work.read(run.target)))
      #expect(reading.state == run.new && reading.verify == nil, "\(run.name)")
      #expect(Set(folder.work.names) == Set(run.before.keys).union([run.target]), "\(run.name)")
    }
  }
}
