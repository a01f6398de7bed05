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
  /// Throws what the writers throw, `unsupportedEncoding` for XML that is not UTF-8, and `notRepresentable` for a
  /// typed stream.
  public func bytes(
    replacing replacements: [PropertyListNode: PropertyListValue],
    at places: [Place: PropertyListValue] = [:], removing removals: Set<Place> = []
  ) throws(PropertyListError) -> [UInt8] {
    guard !replacements.isEmpty || !places.isEmpty || !removals.isEmpty else { return bytes }
    switch format {
    case .binary: return try binary(replacing: replacements, at: places, removing: removals)
    case .xml: return try text(replacing: replacements, at: places, removing: removals)
    case .openStep:
      return try openStepFile(replacing: replacements, at: places, removing: removals)
    case .typedStream:
      throw PropertyListError(
        .notRepresentable, offset: 0, reason: "typed streams are read and not written")
    }
  }

  /// A part of an XML list's text, and the value that takes its place; nil where it is cut out.
  private struct Edit {
    let range: Range<Int>
    let value: PropertyListValue?
  }

  private func text(
    replacing replacements: [PropertyListNode: PropertyListValue],
    at places: [Place: PropertyListValue], removing removals: Set<Place>
  ) throws(PropertyListError) -> [UInt8] {
    guard content == bytes else {
      throw PropertyListError(
        .unsupportedEncoding, offset: 0, reason: "only lists in UTF-8 can be changed")
    }
    var edits = replacements.map { Edit(range: range(of: $0.key), value: $0.value) }
    for (place, value) in places {
      // In XML, a place is an element of its own.
      if let node = node(at: place) { edits.append(Edit(range: range(of: node), value: value)) }
    }
    for place in removals {
      guard let node = node(at: place) else { continue }
      var range = range(of: node)
      if kind(of: place.container) == .dictionary {
        let key = self.range(of: keys(of: place.container)[place.position])
        range = key.lowerBound..<range.upperBound
      }
      edits.append(Edit(range: bytes.lines(around: range), value: nil))
    }
    edits.sort { $0.range.lowerBound < $1.range.lowerBound }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var reached = 0
    for edit in edits {
      // What lies inside of an element that was replaced or cut is gone.
      guard edit.range.lowerBound >= reached else { continue }
      text.append(copying: bytes.bytes.extracting(reached..<edit.range.lowerBound))
      reached = edit.range.upperBound
      guard let value = edit.value else { continue }
      var depth = 0
      while depth < options.maximumDepth, text.count > depth,
        text[text.count - 1 - depth] == UInt8(ascii: "\t")
      {
        depth += 1
      }
      text.append(contentsOf: try value.xmlElement(depth: depth))
    }
    text.append(copying: bytes.bytes.extracting(reached..<bytes.count))
    return text
  }
}

extension [UInt8] {
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
