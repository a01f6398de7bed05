// The copy of a list that is without the secrets that were moved.

package import PropertyListCodec

extension MigrationPlan {
  /// The list without the keys that were taken as secrets or dropped; everything else as it is in the list. A list that was
  /// taken as a whole is empty then.
  ///
  /// - Throws: also where the copy is not what it should be, which only a container that stands at several
  ///   places, and is chosen at some of them, can bring about.
  package func redacted() throws(PropertyListError) -> [UInt8] {
    var removals: Set<PropertyListDocument.Place> = []
    var replacements: [PropertyListNode: PropertyListValue] = [:]
    for key in keys where key.isRedacted {
      if let place = key.place {
        removals.insert(place)
      } else {
        let isArray = list.document.kind(of: key.node) != .dictionary
        replacements[key.node] = isArray ? .array([]) : .dictionary([])
      }
    }
    let bytes = try list.document.bytes(replacing: replacements, removing: removals)
    try check(bytes, isEmptied: !replacements.isEmpty)
    return bytes
  }

  /// Reads the copy and goes through it beside the list.
  private func check(_ bytes: [UInt8], isEmptied: Bool) throws(PropertyListError) {
    let copy = try PropertyListDocument(bytes, options: list.document.options)
    if isEmptied {
      guard copy.children(of: copy.root).isEmpty else { throw Self.differs }
      return
    }
    let comparison = RedactionComparison(
      list: list.document, copy: copy,
      removed: Set(keys.lazy.filter(\.isRedacted).map(\.path)))
    guard try comparison.isAsPlanned() else { throw Self.differs }
  }

  private static let differs = PropertyListError(
    .notRepresentable, offset: 0,
    reason: "the list can't be redacted: a container of it stands at several places")
}

/// Compares two lists, one of which is without some paths.
private struct RedactionComparison {
  let list: PropertyListDocument
  let copy: PropertyListDocument
  let removed: Set<KeyPath>
  /// The paths of containers that something was removed from, or from something in them.
  private let touched: Set<KeyPath>

  init(list: PropertyListDocument, copy: PropertyListDocument, removed: Set<KeyPath>) {
    self.list = list
    self.copy = copy
    self.removed = removed
    var touched: Set<KeyPath> = []
    for path in removed {
      var path = path
      while !path.components.isEmpty {
        path.components.removeLast()
        guard touched.insert(path).inserted else { break }
      }
    }
    self.touched = touched
  }

  func isAsPlanned() throws(PropertyListError) -> Bool {
    var listTree = try list.value()
    if !removed.isEmpty { listTree = remove(from: listTree, KeyPath()) }
    return try copy.value() == listTree
  }

  private func remove(from value: PropertyListValue, _ path: KeyPath) -> PropertyListValue {
    guard touched.contains(path) else { return value }
    switch value {
    case .dictionary(let entries):
      return .dictionary(
        entries.compactMap { entry in
          guard case .string(let key) = entry.key else { return entry }
          let path = KeyPath(path.components + [.key(Array(key.utf8))])
          if removed.contains(path) { return nil }
          return .init(entry.key, remove(from: entry.value, path))
        })
    case .array(let elements):
      return .array(
        elements.enumerated().map { index, element in
          remove(from: element, KeyPath(path.components + [.position(index)]))
        })
    default: return value
    }
  }
}
