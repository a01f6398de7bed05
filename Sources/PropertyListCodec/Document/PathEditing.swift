// Edits by paths: what `convert --set` and `--delete` do. Each finds its place in what the one before has left.

/// A change of a list.
public enum PropertyListEdit: Hashable, Sendable {
  /// Another value at a path. Where nothing is there, a dictionary gets the path's last key, and an array an element,
  /// if the last position is how many it has.
  case set(PropertyListPath, PropertyListValue)
  /// No value at a path. Nothing there is an error.
  case delete(PropertyListPath)

  public var path: PropertyListPath {
    switch self {
    case .set(let path, _), .delete(let path): path
    }
  }
}

extension PropertyListDocument {
  /// The file with one change; all else is as `bytes(replacing:)` and `bytes(adding:)` have it.
  ///
  /// Paths are those of the list as it stands in the file, of keyed archives, too: `$objects[2]`. Lists within data
  /// are walked through, and the data then holds the changed list. Throws `notThere` with the part of the path that
  /// leads somewhere, and what those throw.
  public func bytes(applying edit: PropertyListEdit) throws(DescriptionError) -> [UInt8] {
    try edited(edit, edit.path.steps[...])
  }

  private func edited(
    _ edit: PropertyListEdit, _ steps: ArraySlice<PropertyListPath.Step>
  ) throws(DescriptionError) -> [UInt8] {
    var node = root
    var place: Place?
    for index in steps.indices {
      let isLast = index == steps.endIndex - 1
      if kind(of: node) == .data {
        return try changed(node, at: place, to: .data(try editedList(node, edit, steps[index...])))
      }
      let places = places(steps[index], in: node)
      if isLast { return try edited(edit, node, places, steps[index]) }
      guard let next = places.last, let inner = self.node(at: next) else {
        throw notThere(edit, steps[index...])
      }
      (node, place) = (inner, next)
    }
    guard case .set(_, let value) = edit else {
      throw DescriptionError(.notThere, "the root of a list cannot be deleted", path: "")
    }
    return try changed(root, at: nil, to: value)
  }

  /// The change at the last step of the path, which leads from `container` to `places`.
  private func edited(
    _ edit: PropertyListEdit, _ container: PropertyListNode, _ places: [Place],
    _ step: PropertyListPath.Step
  ) throws(DescriptionError) -> [UInt8] {
    switch edit {
    case .set(_, let value):
      if let place = places.last { return try changed(container, at: place, to: value) }
      guard let addition = addition(of: value, step, to: container) else {
        throw notThere(edit, [step])
      }
      return try describing { () throws(PropertyListError) in try bytes(adding: [addition]) }
    case .delete:
      guard !places.isEmpty else { throw notThere(edit, [step]) }
      return try describing { () throws(PropertyListError) in
        try bytes(replacing: [:], removing: Set(places))
      }
    }
  }

  private func changed(
    _ node: PropertyListNode, at place: Place?, to value: PropertyListValue
  ) throws(DescriptionError) -> [UInt8] {
    try describing { () throws(PropertyListError) in
      if let place { return try bytes(replacing: [:], at: [place: value]) }
      return try bytes(replacing: [node: value])
    }
  }

  /// The list within data, changed.
  private func editedList(
    _ node: PropertyListNode, _ edit: PropertyListEdit,
    _ steps: ArraySlice<PropertyListPath.Step>
  ) throws(DescriptionError) -> [UInt8] {
    guard let data = data(of: node), Self.markedFormat(of: data) != nil else {
      throw notThere(edit, steps)
    }
    do {
      let inner = try describing { () throws(PropertyListError) in
        try PropertyListDocument(data, options: options)
      }
      return try inner.edited(edit, steps)
    } catch {
      // Places of the inner list mean nothing in the file.
      throw error.inside(leading(edit, steps))
    }
  }

  /// Where a step leads; of a key that a dictionary has twice, to both.
  private func places(
    _ step: PropertyListPath.Step, in container: PropertyListNode
  ) -> [Place] {
    switch (step, kind(of: container)) {
    case (.key(let key), .dictionary):
      let keys = keys(of: container)
      return keys.indices.filter { text(of: keys[$0], equals: key) }
        .map { Place(container: container, position: $0) }
    case (.position(let position), .array), (.position(let position), .set),
      (.position(let position), .orderedSet):
      guard position < children(of: container).count else { return [] }
      return [Place(container: container, position: position)]
    default: return []
    }
  }

  /// Nil where a step can't lead to something new.
  private func addition(
    of value: PropertyListValue, _ step: PropertyListPath.Step, to container: PropertyListNode
  ) -> Addition? {
    switch (step, kind(of: container)) {
    case (.key(let key), .dictionary): Addition(to: container, key: key, value: value)
    case (.position(children(of: container).count), .array),
      (.position(children(of: container).count), .set),
      (.position(children(of: container).count), .orderedSet):
      Addition(to: container, key: nil, value: value)
    default: nil
    }
  }

  /// `rest` leads to nothing.
  private func notThere(
    _ edit: PropertyListEdit, _ rest: ArraySlice<PropertyListPath.Step>
  ) -> DescriptionError {
    DescriptionError(.notThere, "nothing is there", path: leading(edit, rest))
  }

  /// The part of the path before `rest`.
  private func leading(
    _ edit: PropertyListEdit, _ rest: ArraySlice<PropertyListPath.Step>
  ) -> String {
    PropertyListPath(Array(edit.path.steps.dropLast(rest.count))).description
  }

  private func describing<Result>(
    _ make: () throws(PropertyListError) -> Result
  ) throws(DescriptionError) -> Result {
    do {
      return try make()
    } catch {
      throw DescriptionError(error)
    }
  }
}
