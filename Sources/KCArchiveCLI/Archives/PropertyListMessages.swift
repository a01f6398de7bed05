// Errors of property lists, and of what is made of them, as messages and statuses of the program.

internal import KeychainInterchange
internal import PropertyListCodec

extension CommandError {
  /// What is wrong with the property list `file`.
  init(_ error: PropertyListError, file: FilePath) {
    let status: ExitStatus =
      switch error.code {
      case .unrecognizedFormat: .notFound
      case .unsupportedVersion, .unsupportedEncoding, .unsupportedFormat: .unsupported
      case .nestingTooDeep, .tooManyObjects, .tooManyVisits: .refusedByLimit
      default: .damaged
      }
    var place = Place(file: file, line: error.line, column: error.column)
    // What is not read at all has no place in it.
    if error.line == nil, status != .notFound, error.code != .unsupportedFormat {
      place.offset = UInt64(clamping: error.offset)
    }
    let reason =
      error.code == .unrecognizedFormat ? "is no property list" : error.reason
    self.init(status, reason, place: place)
  }

  /// An item that can't be read from the list of items `file`.
  init(_ error: ItemListError, file: FilePath) {
    let what = "item \(error.position + 1) of '\(escaped(error.itemClass))'"
    self.init(
      .damaged,
      what + (error.attribute.map { ", \(quoted($0))" } ?? "") + ": " + error.reason,
      place: Place(file: file, offset: UInt64(clamping: error.offset)))
  }

  /// A file of rules that is refused.
  init(_ error: MigrationRuleError, file: FilePath) {
    self.init(
      .usage, "\(quoted(error.place)) \(error.reason)",
      hint: "the rules are described in Spec/item-model.md", place: Place(file: file))
  }

  /// A file of rules that is no JSON.
  init(_ error: JSONError, file: FilePath) {
    self.init(
      .damaged, error.reason, place: Place(file: file, line: error.line, column: error.column))
  }
}

extension Console {
  /// Tells the first irregularities of a list one by one, and of the others how many they are.
  func warn(_ irregularities: [DescriptionError], of count: Int, file: FilePath) {
    warn(irregularities.prefix(3).map { CommandError($0, file: file) }, of: count, file: file)
  }

  /// Tells some warnings about a file, and how many more there would be.
  func warn(_ warnings: [CommandError], of count: Int, file: FilePath) {
    for error in warnings { warning(error) }
    if count > warnings.count {
      note("\(escaped(file.bytes)): \(grouped(UInt64(count - warnings.count))) more of the kind")
    }
  }
}
