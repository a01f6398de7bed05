// From a path to what is there, one step at a time, through lists and archives within data.

/// What a path leads to.
enum DescribedPlace {
  /// The root of a list, or all that is at the top of an archive.
  case root
  case node(PropertyListNode)
  case reference(KeyedArchive.Reference, KeyedArchive)
  /// A part of a value that the archive's reader has made: the bytes of it are nowhere.
  case value(PropertyListValue)
}

extension OpenedList {
  /// What `path` leads to, and the list that it is in; of data that holds a list, that list. Throws `notThere`, with the part of the path that leads
  /// somewhere.
  func place(
    at path: PropertyListPath, options: DescriptionOptions
  ) throws(DescriptionError) -> (list: OpenedList, place: DescribedPlace) {
    var list = self
    var place = DescribedPlace.root
    func open() {
      if let data = list.data(at: place), let inner = try? OpenedList(data, options: options) {
        (list, place) = (inner, .root)
      }
    }
    for (index, step) in path.steps.enumerated() {
      open()
      guard let next = list.step(step, from: place) else {
        throw DescriptionError(
          .notThere, "nothing is there",
          path: PropertyListPath(Array(path.steps[..<index])).description)
      }
      place = next
    }
    open()
    return (list, place)
  }

  private func data(at place: DescribedPlace) -> [UInt8]? {
    switch place {
    case .root: return nil
    case .node(let node): return document.kind(of: node) == .data ? document.data(of: node) : nil
    case .reference(let reference, let archive):
      guard case .scalar(.data(let data))? = try? archive.value(of: reference) else { return nil }
      return data
    case .value(let value):
      guard case .data(let data) = value else { return nil }
      return data
    }
  }

  private func step(_ step: PropertyListPath.Step, from place: DescribedPlace) -> DescribedPlace? {
    switch place {
    case .root:
      guard let archive else { return self.step(step, from: .node(document.root)) }
      guard case .key(let key) = step else { return nil }
      return archive.top.last { $0.name.utf8.elementsEqual(key.utf8) }
        .map { .reference($0.value, archive) }
    case .node(let node):
      switch step {
      case .key(let key): return document.value(for: key, in: node).map { .node($0) }
      case .position(let position):
        guard document.kind(of: node) != .dictionary else { return nil }
        let children = document.children(of: node)
        return position < children.count ? .node(children[position]) : nil
      }
    case .reference(let reference, let archive):
      guard let value = try? archive.value(of: reference) else { return nil }
      return Self.step(step, from: value, of: archive)
    case .value(let value):
      switch step {
      case .key(let key): return value[key].map { .value($0) }
      case .position(let position): return value[position].map { .value($0) }
      }
    }
  }

  private static func step(
    _ step: PropertyListPath.Step, from value: ArchivedValue, of archive: KeyedArchive
  ) -> DescribedPlace? {
    func element(_ references: [KeyedArchive.Reference]) -> DescribedPlace? {
      guard case .position(let position) = step, position < references.count else { return nil }
      return .reference(references[position], archive)
    }
    switch value {
    case .null, .scalar: return nil
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      return element(elements)
    case .countedSet(let elements): return element(elements.map(\.element))
    case .attributedString(let text, let runs):
      if case .key(let key) = step, key.utf8.elementsEqual("string".utf8) {
        return .value(.string(text))
      }
      return element(runs.map(\.attributes))
    case .url(let base, let relative):
      guard case .key(let key) = step else { return nil }
      if key.utf8.elementsEqual("base".utf8) { return .reference(base, archive) }
      return key.utf8.elementsEqual("relative".utf8) ? .value(.string(relative)) : nil
    case .dictionary(let entries):
      guard case .key(let key) = step else { return nil }
      return entries.last { entry in
        guard case .scalar(.string(let text))? = try? archive.value(of: entry.key) else {
          return false
        }
        return text.utf8.elementsEqual(key.utf8)
      }.map { .reference($0.value, archive) }
    case .described(let description):
      guard case .key(let key) = step else { return nil }
      guard let part = description.parts.last(where: { $0.name.utf8.elementsEqual(key.utf8) })
      else { return nil }
      switch part.value {
      case .value(let value): return .value(value)
      case .reference(let reference): return .reference(reference, archive)
      }
    case .record(_, let fields):
      guard case .key(let key) = step else { return nil }
      return fields.last { $0.name.utf8.elementsEqual(key.utf8) }
        .map { .reference($0.value, archive) }
    }
  }
}
