// Edits of XML lists: the text of what is not changed stays as it is, with its comments and white space.

internal import ByteCoding

extension PropertyListDocument {
  /// The file with changes.
  func xmlFile(_ changes: ListChanges) throws(PropertyListError) -> [UInt8] {
    guard content == bytes else {
      throw PropertyListError(
        .unsupportedEncoding, offset: 0, reason: "only lists in UTF-8 can be changed")
    }
    guard !table.hasReferences else {
      throw PropertyListError(
        .notRepresentable, offset: 0,
        reason: "a list in which elements stand for others cannot be changed, only written anew")
    }
    let changes = fillingEmpty(changes)
    var edits = changes.replacements.map {
      XMLEdit(range: range(of: $0.key), content: .value($0.value))
    }
    for (place, value) in changes.places {
      // In XML, a place is an element of its own.
      if let node = node(at: place) {
        edits.append(XMLEdit(range: range(of: node), content: .value(value)))
      }
    }
    for place in changes.removals {
      guard let node = node(at: place) else { continue }
      var range = range(of: node)
      if kind(of: place.container) == .dictionary {
        let key = self.range(of: keys(of: place.container)[place.position])
        range = key.lowerBound..<range.upperBound
      }
      edits.append(XMLEdit(range: bytes.lines(around: range), content: .nothing))
    }
    for (container, additions) in changes.additionsByContainer {
      edits.append(try addition(of: additions, to: container))
    }
    return try applied(edits)
  }

  /// Puts elements behind the last one of a container that has some.
  private func addition(
    of additions: [Addition], to container: PropertyListNode
  ) throws(PropertyListError) -> XMLEdit {
    let isDictionary = kind(of: container) == .dictionary
    let last = isDictionary ? values(of: container) : children(of: container)
    let lastNode = last[last.count - 1]
    let first = isDictionary ? keys(of: container)[last.count - 1] : lastNode
    // Each on a line of its own where the last one is.
    let prefix = bytes.linePrefix(before: range(of: first).lowerBound)
    let depth = prefix.map { $0.allSatisfy { $0 == UInt8(ascii: "\t") } ? $0.count : 0 } ?? 0
    var text: [UInt8] = []
    func separate() {
      guard let prefix else { return }
      text.append(UInt8(ascii: "\n"))
      text.append(contentsOf: prefix)
    }
    for addition in additions {
      separate()
      if isDictionary {
        var key = XMLOutput(capacity: 256)
        key.string(unsafe (addition.key ?? "").utf8Span.span.bytes, isKey: true, 0)
        text.append(contentsOf: key.array().dropLast())
        separate()
      }
      text.append(contentsOf: try addition.value.xmlElement(depth: depth))
    }
    let place = range(of: lastNode).upperBound
    return XMLEdit(range: place..<place, content: .text(text))
  }

  private func applied(_ edits: [XMLEdit]) throws(PropertyListError) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var reached = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      // What lies inside of an element that was replaced or cut is gone.
      guard edit.range.lowerBound >= reached else { continue }
      text.append(copying: bytes.bytes.extracting(reached..<edit.range.lowerBound))
      reached = edit.range.upperBound
      switch edit.content {
      case .nothing: break
      case .text(let new): text.append(contentsOf: new)
      case .value(let value):
        var depth = 0
        while depth < options.maximumDepth, text.count > depth,
          text[text.count - 1 - depth] == UInt8(ascii: "\t")
        {
          depth += 1
        }
        text.append(contentsOf: try value.xmlElement(depth: depth))
      }
    }
    text.append(copying: bytes.bytes.extracting(reached..<bytes.count))
    return text
  }
}

/// A part of an XML list's text, and what takes its place.
private struct XMLEdit {
  enum Content {
    case value(PropertyListValue)
    case text([UInt8])
    case nothing
  }

  let range: Range<Int>
  let content: Content
}
