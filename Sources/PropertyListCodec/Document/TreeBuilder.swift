// Builds the tree of values below a node that has been checked: its depth is bounded, so this may recur.

struct TreeBuilder {
  let document: PropertyListDocument
  /// Values of strings and containers that several places refer to, made once.
  private var shared: [Int: PropertyListValue] = [:]
  /// By node: whether more than one link leads to it.
  private var isShared: [Bool]

  init(document: PropertyListDocument) {
    self.document = document
    var isReferred = Array(repeating: false, count: document.nodeCount)
    isShared = isReferred
    for link in document.table.links {
      if isReferred[Int(link)] { isShared[Int(link)] = true }
      isReferred[Int(link)] = true
    }
  }

  mutating func value(_ index: Int) -> PropertyListValue {
    guard isShared[index] else { return make(index) }
    if let value = shared[index] { return value }
    let value = make(index)
    shared[index] = value
    return value
  }

  private mutating func make(_ index: Int) -> PropertyListValue {
    let node = PropertyListNode(index: index)
    switch document.kind(of: node) {
    case .array: return .array(elements(index))
    case .set: return .set(elements(index))
    case .orderedSet: return .orderedSet(elements(index))
    case .dictionary:
      let links = document.table.records[index].links
      let count = links.count / 2
      var entries: [PropertyListValue.Entry] = []
      entries.reserveCapacity(count)
      for link in links.lowerBound..<links.lowerBound + count {
        entries.append(
          .init(
            value(Int(document.table.links[link])),
            value(Int(document.table.links[link + count]))))
      }
      return .dictionary(entries)
    default: return document.scalar(node)
    }
  }

  private mutating func elements(_ index: Int) -> [PropertyListValue] {
    let links = document.table.records[index].links
    var elements: [PropertyListValue] = []
    elements.reserveCapacity(links.count)
    for link in links { elements.append(value(Int(document.table.links[link]))) }
    return elements
  }
}

extension PropertyListDocument {
  /// The value of a node that is no container.
  func scalar(_ node: PropertyListNode) -> PropertyListValue {
    let value: PropertyListValue? =
      switch kind(of: node) {
      case .null: .null
      case .boolean: boolean(of: node).map { .boolean($0) }
      case .integer: integer(of: node).map { .integer($0) }
      case .real: real32(of: node).map { .real32($0) } ?? real(of: node).map { .real($0) }
      case .date: date(of: node).map { .date($0) }
      case .data: data(of: node).map { .data($0) }
      case .uuid: data(of: node).map { .uuid($0) }
      case .string:
        string(of: node).map { .string($0) } ?? utf16(of: node).map { .unpairedString($0) }
      case .uid: uid(of: node).map { .uid($0) }
      case .url: url(of: node).map { .url($0) }
      case .array, .set, .orderedSet, .dictionary, .unknown: nil
      }
    return value ?? .unknown(rawBytes(of: node))
  }
}
