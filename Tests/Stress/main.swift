// Many threads of many processes add, read, change and delete items of one archive; then the archive has to hold
// exactly what they know of it.
//
//   keychain-stress [--processes 8] [--threads 100] [--seconds 60]
//
// Ends with 1 and says why where an item is lost, a value is torn, a call has a status that it can't have, or a
// counter has missed one.

import Foundation
import Security
import Synchronization

/// The threads of one process.
func runThreads(_ plan: Plan, process: Int) throws -> Report {
  try plan.openKeychain()
  let report = Mutex(Report())
  let done = DispatchSemaphore(value: 0)
  for number in 0..<plan.threads {
    Thread {
      var worker = Worker(process: process, thread: number, plan: plan)
      var violation: String?
      do {
        try worker.run()
      } catch {
        violation = "process \(process), thread \(number): \(error)"
      }
      report.withLock { report in
        report.held.merge(worker.held.mapValues(\.data)) { first, _ in first }
        report.counted.merge(worker.counted, uniquingKeysWith: +)
        report.callCount += worker.callCount
        if let violation { report.violations.append(violation) }
      }
      done.signal()
    }.start()
  }
  for _ in 0..<plan.threads { done.wait() }
  return report.withLock { $0 }
}

/// Starts the processes, waits for them, and gathers what they tell.
func runProcesses(_ plan: Plan) throws -> Report {
  var running: [Process] = []
  for number in 0..<plan.processes {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = plan.arguments(number)
    try process.run()
    running.append(process)
  }
  var report = Report()
  for (number, process) in running.enumerated() {
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      report.violations.append("process \(number) ended with \(process.terminationStatus)")
      continue
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: plan.reportPath(number)))
    let part = try JSONDecoder().decode(Report.self, from: data)
    report.held.merge(part.held) { first, _ in first }
    report.counted.merge(part.counted, uniquingKeysWith: +)
    report.callCount += part.callCount
    report.violations += part.violations
  }
  return report
}

/// What of the archive is not as the threads left it.
func compare(_ report: Report) throws -> [String] {
  var violations: [String] = []
  var expected = report.held
  for number in 0..<Plan.counters {
    let name = Plan.counterName(number)
    let count = report.counted[number] ?? 0
    expected[name] = Value(name: name, sequence: count, fillerByteCount: 0).data
  }
  let names = try Items.names()
  for name in names.symmetricDifference(expected.keys).sorted() {
    violations.append(names.contains(name) ? "\(name) should be gone" : "\(name) is lost")
  }
  for (name, data) in expected where names.contains(name) {
    let (status, found) = Items.read(name)
    if status != errSecSuccess || found != data {
      violations.append("\(name): status \(status), another value at the end")
    }
  }
  return violations
}

func run() throws -> [String] {
  var plan = try Plan(Array(CommandLine.arguments.dropFirst()))
  if let process = plan.process {
    let report = try runThreads(plan, process: process)
    try JSONEncoder().encode(report)
      .write(to: URL(fileURLWithPath: plan.reportPath(process)))
    return []
  }
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("kcarchive-stress-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  plan.folder = folder.path
  try plan.openKeychain()
  for number in 0..<Plan.counters {
    let name = Plan.counterName(number)
    let status = Items.add(name, Value(name: name, sequence: 0, fillerByteCount: 0).data)
    guard status == errSecSuccess else { throw Violation("add \(name): status \(status)") }
  }
  plan.deadline = Date(timeIntervalSinceNow: plan.seconds)
  let report = try runProcesses(plan)
  let violations = try report.violations + compare(report)
  let counted = report.counted.values.reduce(0, +)
  print(
    "\(report.callCount) calls by \(plan.processes) processes of \(plan.threads) threads:"
      + " \(report.held.count) items, \(counted) counted, \(violations.count) violations")
  return violations
}

do {
  let violations = try run()
  for violation in violations.prefix(20) { print(violation) }
  exit(violations.isEmpty ? 0 : 1)
} catch {
  print("keychain-stress: \(error)")
  exit(1)
}
