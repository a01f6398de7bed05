// Goes through a number of mutants in workers, one after the other, and keeps those at which one of them ended.

internal import Glibc

struct Run {
  let program: String
  let seed: UInt64
  let paths: [String]
  let corpus: SeedFiles

  private static let batchCount = 5_000
  /// With so many the run ends.
  private static let maximumFailureCount = 10

  /// Prints what came of it. Returns how many mutants failed.
  func go(through numbers: Range<Int>) -> Int {
    let progressPath = "mutations-\(getpid()).progress"
    defer { unsafe _ = unlink(progressPath) }
    var total = Progress(number: numbers.lowerBound)
    var failureCount = 0
    while total.number < numbers.upperBound, failureCount < Self.maximumFailureCount {
      let end = min(total.number + Self.batchCount, numbers.upperBound)
      let status = work(total.number..<end, progressPath)
      guard let progress = Progress(path: progressPath) else { fail("a worker told nothing") }
      unsafe unlink(progressPath)
      total.peak = max(total.peak, progress.peak)
      if progress.slowest > total.slowest {
        (total.slowest, total.slowestNumber) = (progress.slowest, progress.slowestNumber)
      }
      for index in total.outcomes.indices { total.outcomes[index] += progress.outcomes[index] }
      total.number = progress.number
      if status != 0 {
        failureCount += 1
        keep(progress.number, status)
        total.number += 1
      }
    }
    let counts = Exercise.Outcome.allCases.map { "\($0) \(total.outcomes[$0.rawValue])" }
    print(
      "\(total.number - numbers.lowerBound) mutants: \(counts.joined(separator: ", ")),",
      "failed \(failureCount); peak \(total.peak >> 10) MiB,",
      "slowest \(total.slowest) ms (mutant \(total.slowestNumber))")
    return failureCount
  }

  private func keep(_ number: Int, _ status: CInt) {
    let path = "mutant-\(seed)-\(number)"
    let bytes = Mutator.mutant(number, seed: seed, of: corpus)
    guard let file = unsafe fopen(path, "wb") else { fail("cannot write \(path)") }
    let written = unsafe fwrite(bytes, 1, bytes.count, file)
    guard unsafe fclose(file) == 0, written == bytes.count else { fail("cannot write \(path)") }
    let what =
      switch status {
      case Worker.peakStatus << 8: "more than \(Worker.peakLimit >> 10) MiB"
      case SIGPROF: "more than \(Worker.secondLimit) s"
      case _ where status & 0x7f != 0: "signal \(status & 0x7f)"
      default: "status \(status >> 8)"
      }
    print("seed \(seed), mutant \(number): \(what); written to \(path)")
    // At once, also into a file.
    fflush(nil)
  }

  /// Runs a worker. Returns its status as wait(2) has it.
  private func work(_ numbers: Range<Int>, _ progressPath: String) -> CInt {
    let words =
      [
        program, "--worker", progressPath, "\(numbers.lowerBound)", "\(numbers.upperBound)",
        "\(seed)",
      ] + paths
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    // A backtrace takes longer than all the rest.
    var variables = unsafe [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe variables.indices { unsafe free(variables[index]) }
    }
    var child: pid_t = 0
    let number = unsafe posix_spawn(&child, program, nil, nil, &arguments, &variables)
    guard number == 0 else { fail("cannot start a worker: error \(number)") }
    var status: CInt = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
