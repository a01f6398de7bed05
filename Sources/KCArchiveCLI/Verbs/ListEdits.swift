// The changes that `convert` is asked for, out of the command line.

internal import PropertyListCodec

enum ListEdits {
  /// The changes: those of `--set`, then those of `--delete`, each in their order.
  static func parse(_ arguments: ParsedArguments) throws(CommandError) -> [PropertyListEdit] {
    var edits: [PropertyListEdit] = []
    for case .text(let text) in arguments.values(.set) { edits.append(try setting(text)) }
    for case .text(let text) in arguments.values(.deletePath) {
      guard let path = PropertyListPath(parsing: text), !path.steps.isEmpty else {
        throw .usage(
          "'--delete' has a value that is no path in a list: \(quoted(text))",
          hint: PropertyListPath.explanation)
      }
      edits.append(.delete(path))
    }
    return edits
  }

  /// `PATH=JSON`. A key can have a `=`, too: it is the first one between a path and a JSON text.
  private static func setting(_ text: String) throws(CommandError) -> PropertyListEdit {
    let bytes = Array(text.utf8)
    var hasPath = false
    for index in bytes.indices where bytes[index] == UInt8(ascii: "=") {
      let left = String(decoding: bytes[..<index], as: UTF8.self)
      guard let path = PropertyListPath(parsing: left) else { continue }
      hasPath = true
      if let value = try? PropertyListValue(json: Array(bytes[(index + 1)...])) {
        return .set(path, value)
      }
    }
    // The value can be a secret; it is not repeated.
    throw hasPath
      ? .usage(
        "'--set' needs a JSON value behind the '='",
        hint: "a string has quotation marks: --set 'name=\"value\"'")
      : .usage(
        "'--set' needs a path and a value, PATH=JSON", hint: PropertyListPath.explanation)
  }
}

extension PropertyListPath {
  static let explanation =
    "keys are joined by '.', positions stand in brackets: 'accounts[0].name'; "
    + "a dot, '[' or backslash in a key has a backslash before it"
}

extension CommandError {
  /// Why `edit` cannot be made in `file`.
  init(_ error: DescriptionError, edit: PropertyListEdit, file: FilePath) {
    self.init(error, file: file)
    let path = quoted(edit.path.description)
    guard error.family == .notThere else {
      // The list has been read: what is wrong is what is to be written, and has no place in the file.
      switch error.family {
      case .damaged:
        status = .failed
        hint = "'--to' names a format that may have room for it"
      // Of the file itself, which has been read, that is its encoding; of a list within data it can be its format.
      case .unsupported where error.path == nil:
        hint = "'kcarchive convert --rebuild' writes the list in UTF-8 first"
      default: hint = nil
      }
      message = "\(path) cannot be changed: \(error.reason)"
      place.offset = nil
      return
    }
    if edit.path.steps.isEmpty {
      message = error.reason
      hint = nil
    } else {
      message = "nothing is at the path \(path)"
      hint =
        error.path.map {
          $0.isEmpty ? "its first key is not there" : "it leads up to \(quoted($0))"
        }
    }
  }
}
