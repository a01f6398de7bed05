// Names of files are bytes on Linux. Turning them into text and back would lose those that are not
// UTF-8, so they stay bytes from the command line to the system call.

/// A file's name as the system takes it: any bytes but zero.
package struct FilePath: Hashable, Sendable, ExpressibleByStringLiteral {
  package let bytes: [UInt8]

  /// `bytes` end before the first zero byte, as every system call would read them.
  package init(bytes: some Collection<UInt8>) {
    self.bytes = Array(bytes.prefix { $0 != 0 })
  }

  package init(_ text: String) {
    self.init(bytes: text.utf8)
  }

  package init(stringLiteral text: String) {
    self.init(text)
  }

  /// `-`: the standard input or output.
  package var isStandardStream: Bool { bytes == [UInt8(ascii: "-")] }

  /// What follows the last `/`.
  package var lastComponent: ArraySlice<UInt8> {
    bytes.suffix(from: bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)
  }

  /// Whether the name ends in `suffix`, such as `.jsonl`; letters of ASCII match in either case.
  package func hasSuffix(_ suffix: String) -> Bool {
    bytes.count >= suffix.utf8.count
      && zip(bytes.suffix(suffix.utf8.count), suffix.utf8).allSatisfy { lowered($0) == lowered($1) }
  }

  /// Calls `body` with the name as a C string.
  package func withCString<R, E: Error>(
    _ body: (UnsafePointer<CChar>) throws(E) -> R
  ) throws(E) -> R {
    let characters = bytes.map { CChar(bitPattern: $0) } + [0]
    return try unsafe characters.withUnsafeBufferPointer { buffer throws(E) -> R in
      try unsafe body(buffer.baseAddress!)
    }
  }
}

private func lowered(_ byte: UInt8) -> UInt8 {
  byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}
