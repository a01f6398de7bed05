// A look at all that hangs from a list's root, before a line of it is written: how deep it is, what several
// places refer to, how many of each kind there are. Each object is looked at once.

/// What a list consists of.
public struct ListCounts: Hashable, Sendable {
  /// Objects by kind, shared ones once.
  public internal(set) var kinds: [PropertyListNode.Kind: Int] = [:]
  /// How deep containers are nested.
  public internal(set) var depth = 0
  /// Whether a container contains itself.
  public internal(set) var hasCycle = false
}

struct ListSurvey {
  private(set) var counts = ListCounts()
  /// By node: whether more than one place refers to it.
  private(set) var isShared: [Bool]

  private enum State { static let unseen: UInt8 = 0, open: UInt8 = 1, done: UInt8 = 2 }

  /// Looks at what hangs from `root`. Throws `nestingTooDeep` where the lines that are written would be
  /// nested deeper than `maximumDepth`.
  init(
    _ document: PropertyListDocument, from root: PropertyListNode, maximumDepth: Int
  ) throws(PropertyListError) {
    let table = document.table
    isShared = Array(repeating: false, count: table.records.count)
    var states = [UInt8](repeating: State.unseen, count: table.records.count)
    var kinds = [Int](repeating: 0, count: PropertyListNode.Kind.allCases.count)
    var path: [(node: Int, next: Int, end: Int)] = []

    func open(_ node: Int) throws(PropertyListError) {
      let record = table.records[node]
      kinds[Int(record.kind.rawValue)] += 1
      guard record.kind.isContainer else {
        states[node] = State.done
        return
      }
      guard path.count < maximumDepth else {
        throw PropertyListError(
          .nestingTooDeep, offset: Int(record.start),
          reason: "containers are nested deeper than \(maximumDepth)")
      }
      states[node] = State.open
      path.append((node, record.links.lowerBound, record.links.upperBound))
      counts.depth = max(counts.depth, path.count)
    }

    try open(root.index)
    while let (node, next, end) = path.last {
      guard next < end else {
        states[node] = State.done
        path.removeLast()
        continue
      }
      path[path.count - 1].next += 1
      let child = Int(table.links[next])
      if states[child] == State.unseen {
        try open(child)
      } else {
        isShared[child] = true
        if states[child] == State.open { counts.hasCycle = true }
      }
    }
    for kind in PropertyListNode.Kind.allCases where kinds[Int(kind.rawValue)] > 0 {
      counts.kinds[kind] = kinds[Int(kind.rawValue)]
    }
  }
}
