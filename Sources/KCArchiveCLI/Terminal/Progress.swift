// How far a long run is, on standard error: a line that is redrawn on a terminal, JSON lines for
// programs, nothing in pipes.

internal import Glibc

/// Counts bytes and items and shows them now and then.
package final class Progress {
  /// What is being done, `packing`.
  package let activity: String
  /// nil where it is not known beforehand.
  package let totalByteCount: UInt64?
  package let totalItemCount: UInt64?
  package private(set) var byteCount: UInt64 = 0
  package private(set) var itemCount: UInt64 = 0

  private let form: Form
  private let clock: () -> UInt64
  private let start: UInt64
  private var nextDrawing: UInt64
  private var isLineShown = false

  enum Form {
    case hidden
    /// Redraws one line of at most `width` columns.
    case line(width: Int, write: (String) -> Void)
    case json(write: ([UInt8]) -> Void)
  }

  /// Nanoseconds between two drawings, and before the first line appears at all.
  private static let interval: UInt64 = 100_000_000
  private static let patience: UInt64 = 500_000_000

  /// - Parameter clock: nanoseconds of a clock that never goes back.
  init(
    _ activity: String, form: Form, totalByteCount: UInt64? = nil, totalItemCount: UInt64? = nil,
    clock: @escaping () -> UInt64 = monotonicNanoseconds
  ) {
    self.activity = activity
    self.form = form
    self.totalByteCount = totalByteCount
    self.totalItemCount = totalItemCount
    self.clock = clock
    start = clock()
    nextDrawing = if case .line = form { start + Self.patience } else { start }
  }

  /// Counts what was done since the last call. Cheap enough for every item: it reads a clock.
  package func advance(bytes: UInt64 = 0, items: UInt64 = 0) {
    byteCount &+= bytes
    itemCount &+= items
    if case .hidden = form { return }
    let now = clock()
    guard now >= nextDrawing else { return }
    nextDrawing = now + Self.interval
    draw(now, isDone: false)
  }

  /// Takes the line away, or says in JSON that it is done.
  package func finish() {
    if case .json = form { draw(clock(), isDone: true) }
    clear()
  }

  /// Takes the line away for something else to be written; the next drawing brings it back.
  func clear() {
    guard isLineShown, case .line(_, let write) = form else { return }
    isLineShown = false
    write("\r\u{1B}[K")
  }

  private func draw(_ now: UInt64, isDone: Bool) {
    switch form {
    case .hidden: break
    case .line(let width, let write):
      isLineShown = true
      // One column stays free: many terminals wrap when the last one is written.
      write("\r" + String(line(now).prefix(max(0, width - 1))) + "\u{1B}[K")
    case .json(let write): write(jsonLine(now, isDone: isDone))
    }
  }

  /// `packing 48.2 MiB of 96.4 MiB, 1,204 items, 30.1 MiB/s, 0:02 left`.
  private func line(_ now: UInt64) -> String {
    var parts: [String] = []
    if byteCount > 0 || totalByteCount != nil {
      parts.append(sizeText(byteCount) + (totalByteCount.map { " of " + sizeText($0) } ?? ""))
    }
    if let totalItemCount {
      parts.append("\(grouped(itemCount)) of \(counted(totalItemCount, "item"))")
    } else if itemCount > 0 {
      parts.append(counted(itemCount, "item"))
    }
    if byteCount > 0, let rate = bytesPerSecond(now) { parts.append(sizeText(rate) + "/s") }
    if let left = secondsLeft(now) { parts.append(durationText(seconds: left) + " left") }
    return activity + " " + parts.joined(separator: ", ")
  }

  /// Mean rate since the start; nil in the first moments.
  func bytesPerSecond(_ now: UInt64) -> UInt64? {
    let milliseconds = (now - start) / 1_000_000
    guard milliseconds > 0 else { return nil }
    let (product, isTooLarge) = byteCount.multipliedReportingOverflow(by: 1000)
    return isTooLarge ? byteCount / max(1, milliseconds / 1000) : product / milliseconds
  }

  /// What remains at the mean rate, rounded up; by bytes where their total is known, else by items.
  func secondsLeft(_ now: UInt64) -> UInt64? {
    let (done, total): (UInt64, UInt64)
    if let totalByteCount {
      (done, total) = (byteCount, totalByteCount)
    } else if let totalItemCount {
      (done, total) = (itemCount, totalItemCount)
    } else {
      return nil
    }
    guard done > 0, total >= done else { return nil }
    // An estimate: the precision of Double is plenty, and 2^64 bytes can't overflow it.
    let seconds = Double(total - done) / Double(done) * Double(now - start) / 1e9
    return UInt64(min(seconds.rounded(.up), 359_999))
  }
}

/// Nanoseconds of a clock that never goes back.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
