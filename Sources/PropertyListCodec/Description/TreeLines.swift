// The lines of a tree: what stands in front of each, and how far labels are padded.

internal import ByteCoding

struct TreeLines {
  private(set) var bytes: [UInt8] = []
  /// What stands in front of the lines below the container that is being written.
  private var indent: [UInt8] = []
  /// How many containers are around the line.
  private(set) var depth = 0
  let byteLimit: Int

  /// Longer labels do not push the values of their neighbours to the right.
  private static let widestColumn = 40

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// Labels of a container's lines, each written once.
  struct Labels {
    fileprivate var bytes: [UInt8] = []
    fileprivate var ends: [Int] = []
    fileprivate var widths: [Int] = []

    /// Adds the label that `write` appends.
    mutating func add(_ write: (inout [UInt8]) -> Void) {
      let start = bytes.count
      write(&bytes)
      ends.append(bytes.count)
      widths.append(TerminalText.width(bytes[start...]))
    }

    mutating func reserve(_ count: Int) {
      ends.reserveCapacity(count)
      widths.reserveCapacity(count)
      bytes.reserveCapacity(16 * count)
    }

    /// A key: as it is, or in quotation marks where it could be taken for something else.
    mutating func add(key: String) {
      add { Self.append(key: key, to: &$0) }
    }

    mutating func add(_ text: String) { add { $0.append(contentsOf: text.utf8) } }

    static func append(key: String, to bytes: inout [UInt8]) {
      let text = key.utf8
      let isPlain =
        text.first.map { $0 != 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "[") }
        == true && text.last != 0x20
      TerminalText.append(key, isQuoted: !isPlain, to: &bytes)
    }
  }

  /// Writes the lines of a container: each has its label and what `write` appends, which is at least a line's
  /// rest and its end.
  mutating func writeChildren<E>(
    _ labels: Labels, _ write: (inout TreeLines, Int) throws(E) -> Void
  ) throws(E) {
    let column = labels.widths.lazy.filter { $0 <= Self.widestColumn }.max() ?? 0
    let outer = indent.count
    depth += 1
    var start = 0
    for (index, end) in labels.ends.enumerated() {
      let isLast = index == labels.ends.count - 1
      bytes.append(contentsOf: indent)
      bytes.append(contentsOf: (isLast ? "\u{2514}\u{2500} " : "\u{251c}\u{2500} ").utf8)
      bytes.append(contentsOf: labels.bytes[start..<end])
      if end > start {
        let padding = max(0, column - labels.widths[index]) + 3
        bytes.append(contentsOf: repeatElement(0x20, count: padding))
      }
      start = end
      indent.append(contentsOf: (isLast ? "   " : "\u{2502}  ").utf8)
      try write(&self, index)
      indent.removeLast(indent.count - outer)
    }
    depth -= 1
  }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ write: (inout [UInt8]) -> Void) { write(&bytes) }

  mutating func endLine() throws(PropertyListError) {
    bytes.append(0x0a)
    guard bytes.count <= byteLimit else {
      throw PropertyListError(
        .tooManyVisits, offset: 0, reason: "shared objects stand for more text than the limit")
    }
  }
}
