// Where a run writes: data to standard output, everything else to standard error, as text for people or
// as JSON lines for programs.

internal import ByteCoding
internal import Glibc
internal import PropertyListCodec

/// The two outputs of a run.
package final class Console {
  /// Standard output: data only.
  package let output: OutputStream
  /// Whether messages are JSON.
  package let isJSON: Bool

  private let errors: Int32
  private let usesColor: Bool
  private var progress: Progress?

  package init(
    isJSON: Bool, output: OutputStream = OutputStream(), errors: Int32 = STDERR_FILENO
  ) {
    self.output = output
    self.isJSON = isJSON
    self.errors = errors
    usesColor = !isJSON && Terminal.wantsColor(errors)
  }

  /// Says why the run fails. A closed pipe is no news.
  package func error(_ error: CommandError) {
    guard error.status != .done else { return }
    report(error, kind: "error", color: "31")
  }

  /// Says what is wrong without ending the run; `status` is what it would end with elsewhere.
  package func warning(_ warning: CommandError) {
    report(warning, kind: "warning", color: "33")
  }

  /// Says something that is not wrong.
  package func note(_ text: String) {
    guard isJSON else { return say("note", text) }
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key("note")
    json.beginObject()
    json.key("message")
    json.string(text)
    json.endObject()
    json.endObject()
    json.endLine()
    write(json.bytes)
  }

  /// Says what to do next. In JSON a hint belongs to an error, so there it is left out.
  package func hint(_ text: String) {
    if !isJSON { say("hint", text) }
  }

  /// Says what was done, in a line of its own without a label. With `--json` the verb's object says it.
  package func summary(_ text: String) {
    if !isJSON { write(Array((text + "\n").utf8)) }
  }

  private func report(_ error: CommandError, kind: String, color: String) {
    guard !isJSON else { return write(error.jsonLine(kind: kind)) }
    say(kind, error.text, color: color)
    if let text = error.hint { hint(text) }
  }

  private func say(_ label: String, _ text: String, color: String? = nil) {
    let shown = color.map { usesColor ? "\u{1B}[\($0)m\(label):\u{1B}[0m" : label + ":" }
    write(Array("kcarchive: \(shown ?? label + ":") \(text)\n".utf8))
  }

  /// Writes in one call, so that lines of several programs don't mix. Nothing can be said about an
  /// error here.
  private func write(_ bytes: [UInt8]) {
    progress?.clear()
    // On one terminal, data and messages appear in the order in which they came up.
    if output.isTerminal { try? output.flush() }
    try? writeAll(bytes.bytes, to: errors)
  }

  /// Begins to show progress as `--progress` has it. End it with `finish`.
  package func showProgress(
    _ activity: String, _ mode: ProgressMode, totalByteCount: UInt64? = nil,
    totalItemCount: UInt64? = nil
  ) -> Progress {
    let errors = errors
    func write(_ bytes: [UInt8]) { try? writeAll(bytes.bytes, to: errors) }
    let form: Progress.Form =
      switch mode {
      case .auto where Terminal.movesCursor(errors) && !isJSON:
        .line(width: Terminal.width(errors)) { write(Array($0.utf8)) }
      case .json: .json(write: write)
      case .auto, .none: .hidden
      }
    let progress = Progress(
      activity, form: form, totalByteCount: totalByteCount, totalItemCount: totalItemCount)
    self.progress = progress
    return progress
  }
}
