// What can be wrong with a node that a type asks for, before anybody knows the way to it. Messages say which rule it
// was and no values, which can be secret.

enum NodeFault: Error {
  /// Null where a value has to be, or nothing at all.
  case null
  case mismatch
  /// A number that the type does not have.
  case doesNotFit
  /// A string with half a surrogate pair.
  case noText
  /// More values, or bytes, than the list may stand for.
  case tooManyVisits
  case nestingTooDeep

  /// The error for what Foundation's decoder would say.
  func error(
    _ expected: Any.Type, found kind: PropertyListNode.Kind, at path: [any CodingKey]
  ) -> DecodingError {
    func context(_ text: String, _ underlying: PropertyListError? = nil) -> DecodingError.Context {
      DecodingError.Context(
        codingPath: path, debugDescription: text, underlyingError: underlying)
    }
    switch self {
    case .null: return .valueNotFound(expected, context("null where \(expected) has to be"))
    case .mismatch:
      return .typeMismatch(expected, context("\(kind.article) where \(expected) has to be"))
    case .doesNotFit: return .dataCorrupted(context("a number that \(expected) does not have"))
    case .noText: return .dataCorrupted(context("a string with half a surrogate pair"))
    case .tooManyVisits:
      let reason = "shared objects stand for more values than the limit"
      return .dataCorrupted(
        context(reason, PropertyListError(.tooManyVisits, offset: 0, reason: reason)))
    case .nestingTooDeep:
      let reason = "containers are nested deeper than the limit"
      return .dataCorrupted(
        context(reason, PropertyListError(.nestingTooDeep, offset: 0, reason: reason)))
    }
  }
}

extension PropertyListNode.Kind {
  /// The kind with its article, for messages.
  fileprivate var article: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .real: "a real"
    case .date: "a date"
    case .data: "data"
    case .string: "a string"
    case .uid: "a UID"
    case .array: "an array"
    case .set: "a set"
    case .orderedSet: "an ordered set"
    case .dictionary: "a dictionary"
    case .url: "a URL"
    case .uuid: "a UUID"
    case .unknown: "an unknown object"
    }
  }
}
