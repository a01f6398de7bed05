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

    for root in roots {
      var next: KeyedArchive.Reference? = root
      while true {
        if let reference = next, let place = archive.place(reference) {
          if states[place] == State.unseen {
            let children = archive.children(of: reference)
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

  /// What an object refers to, in the order in which it is written.
  func children(of reference: Reference) -> [Reference] {
    guard let value = try? value(of: reference) else { return [] }
    switch value {
    case .null, .scalar: return []
    case .array(let elements), .set(let elements), .orderedSet(let elements): return elements
    case .countedSet(let elements): return elements.map(\.element)
    case .dictionary(let entries):
      return entries.flatMap { isLabel($0.key) ? [$0.value] : [$0.key, $0.value] }
    case .url(let base, _): return base == .null ? [] : [base]
    case .attributedString(_, let runs): return runs.map(\.attributes)
    case .described(let description):
      return description.parts.compactMap { part in
        if case .reference(let reference) = part.value { reference } else { nil }
      }
    case .record(_, let fields): return fields.map(\.value)
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
