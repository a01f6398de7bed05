// The process that goes through mutants. Its limits are its own: it ends at the first mutant that takes too long or too
// much memory, or traps, and what it has noted before tells which one that was.

internal import Glibc

/// What a worker tells: in a file that lasts when it does not.
struct Progress {
  /// The mutant that is being gone through.
  var number: Int
  /// By outcome, of the mutants before it.
  var outcomes = [Int](repeating: 0, count: Exercise.Outcome.allCases.count)
  /// The most memory that was resident so far, in KiB.
  var peak = 0
  /// The most of the processor's time that one took, in ms, and which one that was.
  var slowest = 0
  var slowestNumber = 0

  init(number: Int) { self.number = number }

  init?(path: String) {
    guard let file = unsafe fopen(path, "rb") else { return nil }
    defer { unsafe _ = fclose(file) }
    var fields = [Int](repeating: 0, count: 4 + outcomes.count)
    let read = unsafe fread(&fields, MemoryLayout<Int>.stride, fields.count, file)
    guard read == fields.count else { return nil }
    number = fields[0]
    peak = fields[1]
    (slowest, slowestNumber) = (fields[2], fields[3])
    outcomes = Array(fields[4...])
  }

  func write(to descriptor: CInt) {
    let fields = [number, peak, slowest, slowestNumber] + outcomes
    let count = fields.count * MemoryLayout<Int>.stride
    let written = unsafe fields.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, count, 0)
    }
    guard written == count else { fail("cannot write the progress") }
  }
}

enum Worker {
  /// The processor's time for one mutant, in seconds.
  static let secondLimit = 2
  /// The resident memory, in KiB.
  static let peakLimit = 256 << 10
  /// The status of a worker that took more.
  static let peakStatus: CInt = 3

  static func run(
    _ numbers: Range<Int>, seed: UInt64, of corpus: SeedFiles, progress path: String
  ) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { fail("cannot make the progress file") }
    defer { close(descriptor) }
    // Threads of tests run with all signals blocked, which a child inherits.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigprocmask(SIG_SETMASK, &signals, nil)
    // Before memory without end has the machine swap. Arrays reserve more addresses than they use.
    var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    var progress = Progress(number: numbers.lowerBound)
    for number in numbers {
      progress.number = number
      progress.write(to: descriptor)
      limitTime()
      let start = clock()
      let outcome = Exercise.run(Mutator.mutant(number, seed: seed, of: corpus))
      let time = (clock() - start) / 1000
      if time > progress.slowest { (progress.slowest, progress.slowestNumber) = (time, number) }
      var usage = rusage()
      unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      progress.peak = usage.ru_maxrss
      guard progress.peak <= peakLimit else {
        progress.write(to: descriptor)
        exit(peakStatus)
      }
      progress.outcomes[outcome.rawValue] += 1
    }
    progress.number = numbers.upperBound
    progress.write(to: descriptor)
  }

  /// From here on the process has so much of the processor's time until the signal SIGPROF ends it.
  private static func limitTime() {
    var timer = itimerval()
    timer.it_value.tv_sec = secondLimit
    unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  }
}
