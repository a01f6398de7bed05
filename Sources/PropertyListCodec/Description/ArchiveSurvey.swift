// A look at all objects that hang from the top of a keyed archive, each once, before a line is written.

struct ArchiveSurvey {
  /// How deep objects are nested where each is written at the first place that refers to it.
  private(set) var depth = 0
  private(set) var hasCycle = false
  /// By place, as `place` numbers them: whether several refer to it.
  private(set) var isShared: [Bool]

  private enum State { static let unseen: UInt8 = 0, open: UInt8 = 1, done: UInt8 = 2 }

  init(
    _ archive: KeyedArchive, from roots: [KeyedArchive.Reference], maximumDepth: Int
  ) throws(PropertyListError) {
    let placeCount = archive.objectCount + archive.document.nodeCount
    isShared = Array(repeating: false, count: placeCount)
    var states = [UInt8](repeating: State.unseen, count: placeCount)
    var path: [(place: Int, children: [KeyedArchive.Reference], next: Int)] = []
    // Objects can be written with the same array or text, which then is decoded for each of them. What refers
    // to something takes a byte of the file at least, so sound archives stay far below.
    var budget = 1_000_000 + archive.document.bytes.count

    for root in roots {
      var next: KeyedArchive.Reference? = root
      while true {
        if let reference = next, let place = archive.place(reference) {
          if states[place] == State.unseen {
            let children = archive.children(of: reference, budget: &budget)
            guard budget >= 0 else {
              throw PropertyListError(
                .tooManyVisits, offset: archive.offset(of: reference),
                reason: "objects share what they are written with, more often than the limit")
            }
            if children.isEmpty {
              states[place] = State.done
            } else {
              guard path.count < maximumDepth else {
                throw PropertyListError(
                  .nestingTooDeep, offset: archive.offset(of: reference),
                  reason: "objects are nested deeper than \(maximumDepth)")
              }
              states[place] = State.open
              path.append((place, children, 0))
              depth = max(depth, path.count)
            }
          } else {
            isShared[place] = true
            if states[place] == State.open { hasCycle = true }
          }
        }
        guard let step = path.last else { break }
        if step.next < step.children.count {
          path[path.count - 1].next += 1
          next = step.children[step.next]
        } else {
          states[step.place] = State.done
          path.removeLast()
          next = nil
        }
      }
    }
  }
}

extension KeyedArchive {
  /// A number for what a reference leads to: the object's, or one behind all objects for what is written in
  /// place. Nil for nil.
  func place(_ reference: Reference) -> Int? {
    switch reference {
    case .null: nil
    case .object(let object): object.number
    case .inline(let node): objectCount + node.index
    }
  }

  func offset(of reference: Reference) -> Int {
    switch reference {
    case .null: 0
    case .object(let object): document.range(of: node(of: object)).lowerBound
    case .inline(let node): document.range(of: node).lowerBound
    }
  }

  /// What an object refers to, in the order in which it is written. Takes from the budget what decoding it
  /// costs: 1 for a reference, and for eight bytes of text or data. Nothing when that is more than is left.
  func children(of reference: Reference, budget: inout Int) -> [Reference] {
    guard let value = try? value(of: reference) else { return [] }
    switch value {
    case .null: return []
    case .scalar(let scalar):
      budget -= Self.cost(scalar)
      return []
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      budget -= elements.count
      return elements
    case .countedSet(let elements):
      budget -= elements.count
      return elements.map(\.element)
    case .dictionary(let entries):
      var children: [Reference] = []
      budget -= entries.count
      for entry in entries where budget >= 0 {
        if case .scalar(let key)? = try? self.value(of: entry.key) { budget -= Self.cost(key) }
        if !isLabel(entry.key) { children.append(entry.key) }
        children.append(entry.value)
      }
      return children
    case .url(let base, _): return base == .null ? [] : [base]
    case .attributedString(let text, let runs):
      budget -= runs.count + text.utf8.count / 8
      return runs.map(\.attributes)
    case .described(let description):
      budget -= description.parts.count + description.text.utf8.count / 8
      return description.parts.compactMap { part in
        if case .reference(let reference) = part.value { reference } else { nil }
      }
    case .record(_, let fields):
      budget -= fields.count
      return fields.map(\.value)
    }
  }

  private static func cost(_ scalar: PropertyListValue) -> Int {
    switch scalar {
    case .string(let text): text.utf8.count / 8
    case .data(let bytes), .unknown(let bytes): bytes.count / 8
    case .unpairedString(let units): units.count / 4
    default: 1
    }
  }

  /// Whether a dictionary's key fits into a label: it has no objects in it.
  func isLabel(_ key: Reference) -> Bool {
    switch try? value(of: key) {
    case .null, .scalar: true
    default: false
    }
  }
}
