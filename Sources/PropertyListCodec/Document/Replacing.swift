// Edits: a few values of a list are others or gone, and everything else stays as the file says it.

internal import ByteCoding

extension PropertyListDocument {
  /// A value by where it stands: the same object can stand at several places.
  public struct Place: Hashable, Sendable {
    /// A dictionary, array or set.
    public let container: PropertyListNode
    /// From 0, among the keys of a dictionary or the elements of another container.
    public let position: Int

    public init(container: PropertyListNode, position: Int) {
      self.container = container
      self.position = position
    }
  }

  /// A value that a container gets, behind those that it has.
  public struct Addition: Hashable, Sendable {
    public let container: PropertyListNode
    /// Of a dictionary the key, which it has not yet; nil for other containers.
    public let key: String?
    public let value: PropertyListValue

    public init(to container: PropertyListNode, key: String?, value: PropertyListValue) {
      self.container = container
      self.key = key
      self.value = value
    }
  }

  /// The value at a place. Nil where the container has no such position.
  public func node(at place: Place) -> PropertyListNode? {
    let children =
      kind(of: place.container) == .dictionary
      ? values(of: place.container) : children(of: place.container)
    return children.indices.contains(place.position) ? children[place.position] : nil
  }

  /// The file with other values for some nodes or at some places, and without those at others (of dictionaries,
  /// the key goes too). With none of it, it is the file as it is.
  ///
  /// A binary list is laid out anew as Apple's writer does; every object that is not replaced keeps its own
  /// bytes, and what is shared stays shared. A node is replaced wherever it is referred to, a place is one place
  /// (of a container that is itself referred to from several, all the same). What is referred to no more is not in the new file. In a list of text only
  /// the values' text changes, and what is removed is cut out with its lines. What is inside of
  /// something replaced or removed goes with it. A node that is a dictionary's key is not for replacing in text.
  ///
  /// Throws what the writers throw, `unsupportedEncoding` for XML that is not UTF-8 and for OpenStep lists whose rest
  /// would be taken for another encoding, and `notRepresentable` for a
  /// typed stream and for XML in which elements stand for others (`IDREF`).
  public func bytes(
    replacing replacements: [PropertyListNode: PropertyListValue],
    at places: [Place: PropertyListValue] = [:], removing removals: Set<Place> = []
  ) throws(PropertyListError) -> [UInt8] {
    try bytes(ListChanges(replacements: replacements, places: places, removals: removals))
  }

  /// The file with more values in some containers, behind those that are there. The rest is as `bytes(replacing:)` has
  /// it. In a list of text a value stands on a line of its own where the one before does; a container that was empty
  /// has the writer's form.
  public func bytes(adding additions: [Addition]) throws(PropertyListError) -> [UInt8] {
    try bytes(ListChanges(additions: additions))
  }

  private func bytes(_ changes: ListChanges) throws(PropertyListError) -> [UInt8] {
    guard !changes.isEmpty else { return bytes }
    switch format {
    case .binary: return try binary(changes)
    case .xml: return try xmlFile(changes)
    case .openStep: return try openStepFile(changes)
    case .typedStream:
      throw PropertyListError(
        .notRepresentable, offset: 0, reason: "typed streams are read and not written")
    }
  }
}

/// What is other in a new file.
struct ListChanges {
  var replacements: [PropertyListNode: PropertyListValue] = [:]
  var places: [PropertyListDocument.Place: PropertyListValue] = [:]
  var removals: Set<PropertyListDocument.Place> = []
  var additions: [PropertyListDocument.Addition] = []

  var isEmpty: Bool {
    replacements.isEmpty && places.isEmpty && removals.isEmpty && additions.isEmpty
  }

  /// The additions by container.
  var additionsByContainer: [PropertyListNode: [PropertyListDocument.Addition]] {
    Dictionary(grouping: additions, by: \.container)
  }
}

extension PropertyListDocument {
  /// Of text: the additions to containers that are empty, as replacements of those.
  func fillingEmpty(_ changes: ListChanges) -> ListChanges {
    var changes = changes
    for (container, additions) in changes.additionsByContainer
    where children(of: container).isEmpty {
      changes.replacements[container] =
        kind(of: container) == .dictionary
        ? .dictionary(additions.map { .init($0.key ?? "", $0.value) })
        : .array(additions.map(\.value))
      changes.additions.removeAll { $0.container == container }
    }
    return changes
  }
}

extension [UInt8] {
  /// The blanks that a line begins with, if nothing but them comes before `offset` on its line.
  func linePrefix(before offset: Int) -> [UInt8]? {
    var start = offset
    while start > 0, self[start - 1] == UInt8(ascii: " ") || self[start - 1] == UInt8(ascii: "\t") {
      start -= 1
    }
    guard start > 0, self[start - 1] == UInt8(ascii: "\n") else { return nil }
    return Array(self[start..<offset])
  }

  /// `range` of a text with the white space around it, where nothing else stands on its lines; else as it is.
  func lines(around range: Range<Int>) -> Range<Int> {
    func isBlank(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
    var start = range.lowerBound
    while start > 0, isBlank(self[start - 1]) { start -= 1 }
    var end = range.upperBound
    while end < count, isBlank(self[end]) { end += 1 }
    guard start == 0 || self[start - 1] == UInt8(ascii: "\n"), end < count,
      self[end] == UInt8(ascii: "\n")
    else { return range }
    return start..<end + 1
  }
}
