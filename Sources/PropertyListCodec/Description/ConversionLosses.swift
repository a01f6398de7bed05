// What a list says that another format cannot: told before it is written, each value by its path.

/// A value that does not go into another format as it is.
public struct ConversionLoss: Hashable, Sendable {
  /// Where it is, as `PropertyListPath` writes it; empty for the root.
  public let path: String
  /// What cannot be said, never the value itself.
  public let reason: String
  /// Whether a part of the value goes over; otherwise the format has no word for it, and writing fails.
  public let isPartial: Bool
}

/// The losses of a conversion: the first 100, and how many there are of each sort.
public struct ConversionLosses: Hashable, Sendable {
  public private(set) var found: [ConversionLoss] = []
  public private(set) var partialCount = 0
  /// How many values the format has no word for.
  public private(set) var refusedCount = 0

  private static let maximumCount = 100

  public init() {}

  /// Adds those of another conversion, which come behind these.
  public mutating func add(_ others: ConversionLosses) {
    found = Array((found + others.found).prefix(Self.maximumCount))
    partialCount += others.partialCount
    refusedCount += others.refusedCount
  }

  /// What is signed has no signature once it is written anew.
  public mutating func addSignature() { add([], "the signature (CMS)", isPartial: true) }

  mutating func add(_ path: [PropertyListPath.Step], _ reason: String, isPartial: Bool) {
    if isPartial { partialCount += 1 } else { refusedCount += 1 }
    // What is refused is what has to be known.
    if found.count == Self.maximumCount {
      guard !isPartial, let partial = found.lastIndex(where: \.isPartial) else { return }
      found.remove(at: partial)
    }
    found.append(
      ConversionLoss(
        path: PropertyListPath(path).description, reason: reason, isPartial: isPartial))
  }
}

/// A format that lists are written in.
public enum ListTarget: Hashable, Sendable {
  case binary
  case xml
  /// `usesTypedValues`: with GNUstep's values for booleans, numbers and dates. `isStringsFile`: a dictionary without
  /// braces.
  case openStep(usesTypedValues: Bool, isStringsFile: Bool)
  case json(PropertyListJSONForm)

  /// Why a value cannot be written, and whether a part of it can; nil where all of it can.
  fileprivate func loss(
    _ kind: PropertyListNode.Kind, _ value: () -> PropertyListValue
  ) -> (reason: String, isPartial: Bool)? {
    switch self {
    case .binary, .json: return nil
    case .openStep(let usesTypedValues, _):
      switch kind {
      case .boolean, .integer, .real, .date:
        if !usesTypedValues { return ("\(kind.title), which OpenStep lists do not have", false) }
      case .uid: return ("\(kind.title), which OpenStep lists do not have", false)
      // Half a surrogate pair is an escape there.
      case .string: return nil
      default: break
      }
    case .xml: break
    }
    switch kind {
    case .null, .set, .orderedSet, .url, .uuid, .unknown:
      return ("\(kind.title), which only binary lists have", false)
    case .string, .integer, .uid, .date: return Self.loss(value())
    default: return nil
    }
  }

  private static func loss(_ value: PropertyListValue) -> (reason: String, isPartial: Bool)? {
    switch value {
    case .unpairedString: return ("half a surrogate pair in a string", false)
    case .integer(let value) where value < Int128(Int64.min) || value > Int128(UInt64.max):
      return ("an integer of over 64 bits", false)
    case .uid(let value) where value > UInt128(UInt64.max):
      return ("a UID of over 64 bits", false)
    case .date(let seconds):
      if XMLDate.fields(seconds) == nil { return ("a date that no calendar has", false) }
      return seconds == seconds.rounded(.down) ? nil : ("a fraction of a second of a date", true)
    default: return nil
    }
  }
}

extension PropertyListNode.Kind {
  fileprivate var title: String {
    switch self {
    case .null: "a null"
    case .set, .orderedSet: "a set"
    case .url: "a URL"
    case .uuid: "a UUID"
    case .unknown: "an unknown object"
    case .uid: "a UID"
    case .integer: "an integer"
    default: "a \(self)"
    }
  }
}

extension PropertyListDocument {
  /// What `target` cannot say of the list, each object at the first place that refers to it. Throws as `checkTree`
  /// does.
  public func losses(writing target: ListTarget) throws(PropertyListError) -> ConversionLosses {
    try checkTree(root)
    var walk = LossWalk(document: self, target: target)
    if case .openStep(_, isStringsFile: true) = target, kind(of: root) != .dictionary {
      walk.losses.add([], "a value that is no dictionary, in a strings file", isPartial: false)
    }
    walk.visit(root)
    return walk.losses
  }
}

private struct LossWalk {
  let document: PropertyListDocument
  let target: ListTarget
  var losses = ConversionLosses()
  private var path: [PropertyListPath.Step] = []
  private var isSeen: [Bool]

  init(document: PropertyListDocument, target: ListTarget) {
    self.document = document
    self.target = target
    isSeen = Array(repeating: false, count: document.nodeCount)
  }

  /// Recurs no deeper than the tree that was checked before.
  mutating func visit(_ node: PropertyListNode) {
    guard !isSeen[node.index] else { return }
    isSeen[node.index] = true
    let kind = document.kind(of: node)
    if let loss = target.loss(kind, { document.scalar(node) }) {
      losses.add(path, loss.reason, isPartial: loss.isPartial)
    }
    guard kind == .dictionary else {
      for (position, child) in document.children(of: node).enumerated() {
        path.append(.position(position))
        visit(child)
        path.removeLast()
      }
      return
    }
    let values = document.values(of: node)
    for (position, key) in document.keys(of: node).enumerated() {
      guard let text = document.string(of: key) else {
        if target != .binary, target != .json(.tagged), target != .json(.plain) {
          losses.add(path, "a key that is not a string", isPartial: false)
        }
        continue
      }
      path.append(.key(text))
      visit(values[position])
      path.removeLast()
    }
  }
}
