// The lines of a tree: what stands in front of each, and how far labels are padded.

internal import ByteCoding

struct TreeLines {
  var bytes: [UInt8] = []
  /// What stands in front of the lines below the container that is being written.
  private var indent: [UInt8] = []
  /// How many containers are around the line.
  private(set) var depth = 0
  let byteLimit: Int
  /// How many bytes of data have been looked into for lists.
  private var openedByteCount = 0

  /// Longer labels do not push the values of their neighbours to the right.
  private static let widestColumn = 40

  private static let branch = Array("\u{251c}\u{2500} ".utf8)
  private static let lastBranch = Array("\u{2514}\u{2500} ".utf8)
  private static let stem = Array("\u{2502}  ".utf8)
  private static let noStem = Array("   ".utf8)

  /// - Parameter expected: about how many bytes there will be.
  init(byteLimit: Int, expected: Int = 0) {
    self.byteLimit = byteLimit
    bytes.reserveCapacity(min(byteLimit, expected))
  }

  /// Labels of a container's lines, each written once.
  struct Labels {
    var bytes: [UInt8] = []
    fileprivate var ends: [Int] = []
    fileprivate var widths: [Int] = []

    /// Ends a label, which is what was appended to `bytes` since the last one.
    mutating func end() {
      let start = ends.last ?? 0
      ends.append(bytes.count)
      widths.append(TerminalText.width(bytes, from: start))
    }

    mutating func reserve(_ count: Int) {
      ends.reserveCapacity(count)
      widths.reserveCapacity(count)
      bytes.reserveCapacity(16 * count)
    }

    /// A key: as it is, or in quotation marks where it could be taken for something else.
    mutating func add(key: String) {
      Self.append(key: key, to: &bytes)
      end()
    }

    /// Adds `[12]`.
    mutating func add(position: Int) {
      bytes.append(UInt8(ascii: "["))
      bytes.append(contentsOf: position.description.utf8)
      bytes.append(UInt8(ascii: "]"))
      end()
    }

    mutating func add(_ text: String) {
      bytes.append(contentsOf: text.utf8)
      end()
    }

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
    var column = 0
    for width in labels.widths where width <= Self.widestColumn { column = max(column, width) }
    let outer = indent.count
    depth += 1
    var start = 0
    for (index, end) in labels.ends.enumerated() {
      let isLast = index == labels.ends.count - 1
      bytes.append(contentsOf: indent)
      bytes.append(contentsOf: isLast ? Self.lastBranch : Self.branch)
      bytes.append(copying: labels.bytes.bytes.extracting(start..<end))
      if end > start {
        for _ in 0..<max(0, column - labels.widths[index]) + 3 { bytes.append(0x20) }
      }
      start = end
      indent.append(contentsOf: isLast ? Self.noStem : Self.stem)
      try write(&self, index)
      indent.removeLast(indent.count - outer)
    }
    depth -= 1
  }

  /// Whether data of so many bytes may be looked into: overlapping objects can be far more than the file.
  mutating func mayOpen(_ byteCount: Int) -> Bool {
    openedByteCount += byteCount
    return openedByteCount <= byteLimit
  }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func endLine() throws(PropertyListError) {
    bytes.append(0x0a)
    try check(bytes.count)
  }

  /// Throws where so many bytes are over the limit.
  func check(_ byteCount: Int) throws(PropertyListError) {
    guard byteCount <= byteLimit else {
      throw PropertyListError(
        .tooManyVisits, offset: 0, reason: "shared objects stand for more text than the limit")
    }
  }
}
