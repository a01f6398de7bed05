// Recipients and identities as age's users have them: texts and files of texts.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc

extension Recipient {
  /// Reads `age1…` from the command line.
  init(commandLine text: String) throws(CommandError) {
    do {
      try self.init(Array(text.utf8))
    } catch {
      throw CommandError(error, quoted(text))
    }
  }
}

/// The recipients in a file, one a line; empty lines and those that begin with `#` are skipped.
func recipients(in path: FilePath) throws(CommandError) -> [Recipient] {
  var found: [Recipient] = []
  try forEachKey(in: path) { line, place throws(CommandError) in
    do throws(RecipientError) {
      found.append(try Recipient(line.array(at: 0, count: line.byteCount)))
    } catch {
      throw CommandError(error, "the line", place: place)
    }
  }
  guard !found.isEmpty else { throw noKey(path, "recipient") }
  return found
}

/// The identities in a file, likewise.
func identities(in path: FilePath) throws(CommandError) -> [Identity] {
  var found: [Identity] = []
  try forEachKey(in: path) { line, place throws(CommandError) in
    do throws(RecipientError) {
      found.append(try Identity.read(line))
    } catch {
      throw CommandError(error, "the line", place: place)
    }
  }
  guard !found.isEmpty else { throw noKey(path, "identity") }
  return found
}

private func noKey(_ path: FilePath, _ what: String) -> CommandError {
  CommandError(.usage, "has no \(what)", place: CommandError.Place(file: path))
}

/// The most bytes of a file of keys: some ten thousand of them.
private let keyFileLimit = 1 << 20

private func forEachKey(
  in path: FilePath, _ body: (RawSpan, CommandError.Place) throws(CommandError) -> Void
) throws(CommandError) {
  guard !path.isStandardStream else {
    throw .usage("a file of keys is named, and '-' is none")
  }
  let descriptor = try Descriptor.reading(path)
  var content = SecretBytes(count: keyFileLimit + 1)
  var count = 0
  while count < content.count {
    let part: Int
    do {
      part = try readSome(from: descriptor.number, into: &content, at: count)
    } catch {
      throw .system(path, error.code)
    }
    if part == 0 { break }
    count += part
  }
  guard count <= keyFileLimit else {
    throw CommandError(
      .usage, "is too long for a file of keys", place: CommandError.Place(file: path))
  }
  var start = 0
  var lineNumber = 1
  while start < count {
    var end = start
    while end < count, content.bytes.u8(at: end) != UInt8(ascii: "\n") { end += 1 }
    var last = end
    while last > start,
      [UInt8(ascii: "\r"), UInt8(ascii: " ")].contains(content.bytes.u8(at: last - 1))
    {
      last -= 1
    }
    if last > start, content.bytes.u8(at: start) != UInt8(ascii: "#") {
      try body(
        content.bytes.extracting(start..<last),
        CommandError.Place(file: path, line: lineNumber, column: 1))
    }
    start = end + 1
    lineNumber += 1
  }
}

extension CommandError {
  /// What is wrong with a recipient or an identity; its text is not repeated, for it may be a secret.
  fileprivate init(_ error: RecipientError, _ subject: String, place: Place = Place()) {
    let status: ExitStatus =
      switch error {
      case .malformed: .usage
      case .unsupported: .unsupported
      }
    self.init(status, "\(subject) \(error.reason)", place: place)
  }
}
