// What goes wrong, as a person and a program are told about it: a status, a sentence, what to do, and
// where it was found.

/// A failure that ends a run, or one finding among several.
///
/// `message` and `hint` are in lower case, have no full stop, and hold foreign text only through
/// `quoted(_:)`, so that nothing in a file name or an attribute can steer a terminal.
package struct CommandError: Error, Sendable {
  package var status: ExitStatus
  package var message: String
  package var hint: String?
  package var place: Place

  /// Where something was found; what is not known stays nil.
  package struct Place: Sendable {
    package var file: FilePath?
    /// Bytes from the start of `file`.
    package var offset: UInt64?
    /// Both from 1; the column counts bytes.
    package var line: Int?
    package var column: Int?
    /// The item's class and name, never its value.
    package var item: String?

    package init(
      file: FilePath? = nil, offset: UInt64? = nil, line: Int? = nil, column: Int? = nil,
      item: String? = nil
    ) {
      self.file = file
      self.offset = offset
      self.line = line
      self.column = column
      self.item = item
    }

    package var isEmpty: Bool {
      file == nil && offset == nil && line == nil && column == nil && item == nil
    }
  }

  package init(
    _ status: ExitStatus, _ message: String, hint: String? = nil, place: Place = Place()
  ) {
    self.status = status
    self.message = message
    self.hint = hint
    self.place = place
  }

  /// A wrong command line.
  package static func usage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(.usage, message, hint: hint)
  }

  /// A system call on `file` that failed with `code`. A missing file is `notFound`, everything else
  /// `failed`.
  package static func system(
    _ file: FilePath, _ code: Int32, doing action: String? = nil
  ) -> CommandError {
    let reason = systemReason(code)
    return CommandError(
      isNotFound(code) ? .notFound : .failed, action.map { "\($0): \(reason)" } ?? reason,
      place: Place(file: file))
  }

  /// Whoever read the standard output has closed it. Nobody is told, as they have seen what they
  /// wanted.
  package static let closedPipe = CommandError(.done, "")

  /// The message with its place, in the order in which compilers have made people read it.
  package var text: String {
    var text = ""
    if let file = place.file {
      text += escaped(file.bytes)
      if let line = place.line {
        text += ":\(line)"
        if let column = place.column { text += ":\(column)" }
      }
      text += ": "
    } else if let line = place.line {
      text += "line \(line): "
    }
    text += message
    if let offset = place.offset { text += ", at byte \(grouped(offset))" }
    if let item = place.item { text += " (\(escaped(Array(item.utf8))))" }
    return text
  }
}
