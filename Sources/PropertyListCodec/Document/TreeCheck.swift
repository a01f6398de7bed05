// Trees out of tables. A table can hold lists that no tree can: containers inside of themselves, nesting without
// end, a few objects that stand for a thousand million values. They are found by one pass over the objects, each
// looked at once, before anything is built.

internal import ByteCoding

/// What a tree below a node is like.
public struct PropertyListTreeShape: Hashable, Sendable {
  /// How deep containers are nested; 0 for a value that is none.
  public let depth: Int
  /// How many values there are, keys included, shared ones counted at each place. `Int.max` when they are more.
  public let visitCount: Int
}

extension PropertyListDocument {
  /// The shape of the tree below `node`, which need not be a container. Throws `cycle` for a container that contains itself,
  /// `nestingTooDeep` and `tooManyVisits` over the limits of the options. Takes time for each object once,
  /// however often it is shared, and memory for all nodes of the document.
  @discardableResult
  public func checkTree(
    _ node: PropertyListNode
  ) throws(PropertyListError) -> PropertyListTreeShape {
    guard kind(of: node).isContainer else {
      return PropertyListTreeShape(depth: 0, visitCount: 1)
    }
    var walk = TreeWalk(table: table)
    let shape = try walk.measure(node.index, options: options)
    guard shape.visitCount <= visitLimit else {
      throw PropertyListError(
        .tooManyVisits, offset: range(of: node).lowerBound,
        reason: "shared objects stand for more values than the limit")
    }
    return shape
  }

  /// How many values a tree may stand for.
  var visitLimit: Int { visitLimit(atLeast: options.maximumVisitCount) }

  /// As above, with another option's minimum. Time for a value is some microseconds at most: with this, a hostile list
  /// takes as long as one that is a few times longer, or than one of a hundred thousand values.
  func visitLimit(atLeast minimum: Int) -> Int { max(minimum, times(16)) }

  /// How many bytes of text and data may be made of the list, which can stand for far more than it has: `minimum`, or 64
  /// times its bytes.
  func byteLimit(atLeast minimum: Int) -> Int { max(minimum, times(64)) }

  private func times(_ factor: Int) -> Int {
    let (scaled, overflow) = bytes.count.multipliedReportingOverflow(by: factor)
    return overflow ? .max : scaled
  }

  /// The value of the whole list, as a tree.
  public func value() throws(PropertyListError) -> PropertyListValue { try value(of: root) }

  /// The value of a node, as a tree. Throws as `checkTree` does. Shared containers share their storage.
  ///
  /// Of a container it takes memory and time for all nodes of the document, so ask for few containers: to
  /// go through a list, follow `children`.
  public func value(of node: PropertyListNode) throws(PropertyListError) -> PropertyListValue {
    guard kind(of: node).isContainer else { return scalar(node) }
    var builder = TreeBuilder(
      table: table, content: content.bytes, root: node.index, isTree: isTree,
      maximumDepth: options.maximumDepth)
    if builder.sharesContainers { try checkTree(node) }
    return try builder.value(node.index)
  }
}

extension PropertyListDocument {
  /// Whether each node stands at one place: in text, where no element stands for another one.
  var isTree: Bool {
    switch format {
    case .xml, .openStep: !table.hasReferences
    case .binary, .typedStream: false
    }
  }

  /// Whether several places, or none of the tree but itself, refer to one container: only such a list can contain
  /// itself or stand for many more values than it has objects.
  var sharesContainers: Bool {
    if isTree { return false }
    var isUsed = [Bool](repeating: false, count: nodeCount)
    for link in table.links where table.records[Int(link)].kind.isContainer {
      if isUsed[Int(link)] { return true }
      isUsed[Int(link)] = true
    }
    return isUsed[root.index]
  }
}

/// Measures trees, node by node, with a stack of its own.
private struct TreeWalk {
  private static let unseen: UInt32 = 0
  private static let onPath = UInt32.max

  let table: NodeTable
  /// By node: how deep containers are nested from it on, itself included, or one of the marks above.
  private var depths: [UInt32]
  private var visits: [Int]

  private struct Step {
    let node: Int
    var nextLink: Int
    let lastLink: Int
    /// Of the children so far.
    var depth: UInt32 = 0
    var visits = 1

    mutating func add(depth: UInt32, visits: Int) {
      self.depth = max(self.depth, depth)
      let (sum, overflow) = self.visits.addingReportingOverflow(visits)
      self.visits = overflow ? .max : sum
    }
  }

  init(table: NodeTable) {
    self.table = table
    depths = Array(repeating: Self.unseen, count: table.records.count)
    visits = Array(repeating: 1, count: table.records.count)
  }

  mutating func measure(
    _ root: Int, options: PropertyListDocument.Options
  ) throws(PropertyListError) -> PropertyListTreeShape {
    var path = [step(root)]
    while var step = path.popLast() {
      guard step.nextLink < step.lastLink else {
        depths[step.node] = step.depth + 1
        visits[step.node] = step.visits
        if path.isEmpty {
          return PropertyListTreeShape(depth: Int(step.depth) + 1, visitCount: step.visits)
        }
        path[path.count - 1].add(depth: step.depth + 1, visits: step.visits)
        continue
      }
      let child = Int(table.links[step.nextLink])
      step.nextLink += 1
      guard table.records[child].kind.isContainer else {
        step.add(depth: 0, visits: 1)
        path.append(step)
        continue
      }
      switch depths[child] {
      case Self.onPath:
        throw error(.cycle, child, "a container contains itself")
      case Self.unseen:
        guard path.count + 1 < options.maximumDepth else {
          throw error(.nestingTooDeep, child, "containers are nested deeper than the limit")
        }
        path.append(step)
        path.append(self.step(child))
      case let known:
        guard path.count + 1 + Int(known) <= options.maximumDepth else {
          throw error(.nestingTooDeep, child, "containers are nested deeper than the limit")
        }
        step.add(depth: known, visits: visits[child])
        path.append(step)
      }
    }
    preconditionFailure("the root is the last to leave the path")
  }

  private mutating func step(_ node: Int) -> Step {
    depths[node] = Self.onPath
    let links = table.records[node].links
    return Step(node: node, nextLink: links.lowerBound, lastLink: links.upperBound)
  }

  private func error(
    _ code: PropertyListError.Code, _ node: Int, _ reason: String
  ) -> PropertyListError {
    PropertyListError(code, offset: Int(table.records[node].start), reason: reason)
  }
}
