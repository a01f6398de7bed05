// The value at a path, for programs that want it and not how it is shown.

extension PropertyListDescription {
  /// The value at `path`, through lists and archives within data: a text, a number or another value with none in it.
  ///
  /// - Returns: nil where nothing is there, or a container or an archived object.
  package func scalar(at path: PropertyListPath) -> PropertyListValue? {
    guard let (list, place) = try? opened.place(at: path, options: options) else { return nil }
    switch place {
    case .root: return nil
    case .node(let node):
      return list.document.kind(of: node).isContainer ? nil : try? list.document.value(of: node)
    case .reference(let reference, let archive):
      guard case .scalar(let value)? = try? archive.value(of: reference) else { return nil }
      return value
    case .value(let value):
      switch value {
      case .array, .set, .orderedSet, .dictionary: return nil
      default: return value
      }
    }
  }
}
