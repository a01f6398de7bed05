// What migrating a property list will do with each of its keys, before anything is done.

package import PropertyListCodec

/// A value of a list that is taken or left as a whole.
package struct PlannedKey: Sendable {
  /// What is done with it.
  package enum Choice: Hashable, Sendable {
    case take(Reason)
    /// Neither taken nor kept in the redacted copy, by the rule of this number.
    case drop(rule: Int)
    case leave
    /// Its name looks secret; but it is a flag, a date or nothing.
    case leaveFlag
    /// It names items of a keychain, which are not in the list.
    case leaveReference
  }

  /// Why it is taken.
  package enum Reason: Hashable, Sendable {
    /// Its key looks secret, or that of a container that it is in.
    case name
    /// Something in it has a key that looks secret.
    case content
    case rule(Int)
    /// Everything is taken.
    case everything
  }

  package let path: KeyPath
  package let node: PropertyListNode
  /// Where in its container it stands; nil for the root.
  package let place: PropertyListDocument.Place?
  package internal(set) var choice: Choice

  package var isTaken: Bool {
    if case .take = choice { true } else { false }
  }

  package var isLeft: Bool {
    switch choice {
    case .leave, .leaveFlag, .leaveReference: true
    case .take, .drop: false
    }
  }

  /// Whether the redacted copy is without it: what everything else is taken along with is not a secret.
  package var isRedacted: Bool {
    switch choice {
    case .take(.everything), .leave, .leaveFlag, .leaveReference: false
    case .take, .drop: true
    }
  }
}

/// What will be done with a list.
package struct MigrationPlan: Sendable {
  package let list: SourceList
  package let keys: [PlannedKey]
  /// Rules by their numbers.
  let rules: MigrationRules
  /// Whether the list itself is taken as a file, too.
  package let takesFile: Bool

  /// - Parameter takesEverything: whether keys that nothing chooses are taken, too, and the list as a file.
  /// - Throws: where the list contains itself, or is beyond the reader's limits.
  package init(
    _ list: SourceList, rules: MigrationRules, takingEverything takesEverything: Bool
  ) throws(PropertyListError) {
    try list.document.checkTree(list.document.root)
    var walk = PlanWalk(list, rules: rules)
    walk.run(takesEverything: takesEverything)
    guard !walk.isOverBudget else {
      throw PropertyListError(
        .tooManyVisits, offset: list.document.range(of: list.document.root).lowerBound,
        reason: "its key paths together are longer than the limit")
    }
    var keys = walk.keys
    if takesEverything {
      for index in keys.indices where keys[index].isLeft {
        keys[index].choice = .take(.everything)
      }
    }
    let document = list.document
    for index in keys.indices where keys[index].choice == .leave {
      let node = keys[index].node
      if document.isPersistentReference(node) || document.isArrayOfReferences(node) {
        keys[index].choice = .leaveReference
      }
    }
    self.list = list
    self.rules = rules
    self.keys = keys
    takesFile = takesEverything
  }

  /// Whether keys can be chosen by rules.
  package var hasRules: Bool { !rules.rules.isEmpty }

  package var takenCount: Int { keys.count(where: \.isTaken) }

  /// How many keys are taken because they look secret or a rule says so.
  package var secretCount: Int { keys.count { $0.isTaken && $0.choice != .take(.everything) } }
}

/// Walks a list whose tree has been checked, so that it may recur. A container is entered only where something in
/// it is chosen; which containers that can be is found once for each, however often it is referred to.
private struct PlanWalk {
  private let document: PropertyListDocument
  private let isAutomatic: Bool
  private let rules: [MigrationRule]
  private(set) var keys: [PlannedKey] = []
  private var path = KeyPath()
  /// The memory of all paths so far, and how much there may be: long keys, deeply nested, make paths that are far
  /// longer than the list.
  private var pathCost = 0
  private let maximumPathCost: Int
  private var pathByteCount = 0
  /// How often a rule has matched.
  private var matchCount = 0
  /// By node, where it was asked: whether a key looks secret, and whether a value holds secrets.
  private var secretKeys: [Bool?]
  private var secretValues: [Bool?]

  /// By node, the text of a key, and a number that all keys of the same text have.
  private var keyNumbers: [Int: (text: [UInt8], number: Int)] = [:]
  private var numbersByText: [[UInt8]: Int] = [:]

  /// What was found in a container.
  private enum Finding {
    case nothing
    /// Keys in it, which are in `keys`.
    case keys
    /// Something that can only be taken with all of the container.
    case whole(PlannedKey.Choice)
  }

  init(_ list: SourceList, rules: MigrationRules) {
    document = list.document
    let (scaled, overflow) = document.bytes.count.multipliedReportingOverflow(by: 16)
    maximumPathCost = max(64 << 20, overflow ? .max : scaled)
    isAutomatic = rules.isAutomatic
    self.rules = rules.rules.filter { $0.domain?.matches(list.domain) ?? true }
    secretKeys = Array(repeating: nil, count: document.nodeCount)
    secretValues = secretKeys
  }

  mutating func run(takesEverything: Bool) {
    let root = document.root
    let states = rules.map(\.key.start)
    guard document.kind(of: root) == .dictionary else {
      // A `**` matches the root, too.
      choose(root, nil, .notByName, states)
      return
    }
    switch enter(root, states, isSecret: false) {
    case .keys: break
    case .whole(let choice): append(root, nil, choice)
    case .nothing:
      if takesEverything && !hasDistinctKeys(root) { return append(root, nil, .leave) }
      // The root's keys are told one by one, also where none of them is chosen.
      for (position, key) in document.keys(of: root).enumerated() {
        let place = PropertyListDocument.Place(container: root, position: position)
        step(into: .key(keyText(key) ?? []))
        leave(document.values(of: root)[position], place, key)
        stepOut()
      }
    }
  }

  // MARK: Values

  /// How a value's own key and those of the containers around it look.
  private enum Name {
    case notByName
    case secret
    case insideSecret
  }

  /// Decides about a value. Returns whether something in it, or all of it, is chosen.
  @discardableResult
  private mutating func choose(
    _ node: PropertyListNode, _ place: PropertyListDocument.Place?, _ name: Name,
    _ states: [KeyPattern.State]
  ) -> Finding {
    if let index = rules.indices.first(where: { rules[$0].key.accepts(states[$0]) }) {
      matchCount += 1
      let rule = rules[index]
      return take(
        node, place, rule.drops ? .drop(rule: rule.number) : .take(.rule(rule.number)))
    }
    let kind = document.kind(of: node)
    guard kind.isContainer else {
      switch (name, kind) {
      case (.secret, .boolean), (.secret, .date), (.secret, .null):
        append(node, place, .leaveFlag)
        return .nothing
      case (.secret, _), (.insideSecret, _): return take(node, place, .take(.name))
      case (.notByName, _):
        if isAutomatic, isSecretValue(node) { return take(node, place, .take(.content)) }
        append(node, place, .leave)
        return .nothing
      }
    }
    let before = (matches: matchCount, keys: keys.count)
    let finding = enter(node, states, isSecret: name != .notByName)
    if name != .notByName, matchCount == before.matches {
      // No rule is about anything in it: it is taken whole.
      keys.removeLast(keys.count - before.keys)
      return take(node, place, .take(.name))
    }
    switch finding {
    case .keys: return .keys
    case .whole(let choice): return take(node, place, choice)
    case .nothing:
      append(node, place, .leave)
      return .nothing
    }
  }

  private mutating func take(
    _ node: PropertyListNode, _ place: PropertyListDocument.Place?, _ choice: PlannedKey.Choice
  ) -> Finding {
    append(node, place, choice)
    return .whole(choice)
  }

  private mutating func append(
    _ node: PropertyListNode, _ place: PropertyListDocument.Place?, _ choice: PlannedKey.Choice
  ) {
    pathCost += pathByteCount + path.components.count * MemoryLayout<KeyPath.Component>.stride
    // The list is refused then: what is found from here on is of no use.
    guard !isOverBudget else { return }
    keys.append(PlannedKey(path: path, node: node, place: place, choice: choice))
  }

  /// Whether the paths are longer than they may be. The keys are not complete then.
  var isOverBudget: Bool { pathCost > maximumPathCost }

  private mutating func step(into component: KeyPath.Component) {
    path.components.append(component)
    if case .key(let key) = component { pathByteCount += key.count }
  }

  private mutating func stepOut() {
    if case .key(let key) = path.components.removeLast() { pathByteCount -= key.count }
  }

  private mutating func leave(
    _ node: PropertyListNode, _ place: PropertyListDocument.Place, _ key: PropertyListNode
  ) {
    let isFlag = isAutomatic && isSecretKey(key) && !document.kind(of: node).isContainer
    append(node, place, isFlag ? .leaveFlag : .leave)
  }

  // MARK: Containers

  /// Looks at what is in a container. `keys` has more than before only where the finding is `keys`.
  private mutating func enter(
    _ node: PropertyListNode, _ states: [KeyPattern.State], isSecret: Bool
  ) -> Finding {
    let hasRules = states.contains { $0 != 0 }
    guard hasRules || (isAutomatic && isSecretValue(node)), !isOverBudget else { return .nothing }
    let before = keys.count
    let finding: Finding
    switch document.kind(of: node) {
    case .dictionary: finding = enterDictionary(node, states, isSecret: isSecret)
    case .array: finding = enterArray(node, states, isSecret: isSecret)
    default:
      // Elements of sets have no place of their own.
      finding = isAutomatic && isSecretValue(node) ? .whole(.take(.content)) : .nothing
    }
    if case .keys = finding { return finding }
    keys.removeLast(keys.count - before)
    return finding
  }

  private mutating func enterDictionary(
    _ node: PropertyListNode, _ states: [KeyPattern.State], isSecret: Bool
  ) -> Finding {
    let values = document.values(of: node)
    var isChosen = false
    var choice = PlannedKey.Choice.take(.content)
    for (position, key) in document.keys(of: node).enumerated() {
      let component = KeyPath.Component.key(keyText(key) ?? [])
      step(into: component)
      defer { stepOut() }
      let name: Name =
        isSecret ? .insideSecret : isAutomatic && isSecretKey(key) ? .secret : .notByName
      let finding = choose(
        values[position], PropertyListDocument.Place(container: node, position: position), name,
        advance(states, component))
      if case .nothing = finding { continue }
      isChosen = true
      if case .whole(.take(let reason)) = finding { choice = .take(reason) }
    }
    guard isChosen else { return .nothing }
    // A path stands for one key: where keys are no texts, or there twice, the dictionary is taken as it is.
    return hasDistinctKeys(node) ? .keys : .whole(choice)
  }

  private mutating func enterArray(
    _ node: PropertyListNode, _ states: [KeyPattern.State], isSecret: Bool
  ) -> Finding {
    var isChosen = false
    var whole: PlannedKey.Choice?
    for (position, element) in document.children(of: node).enumerated() {
      step(into: .position(position))
      defer { stepOut() }
      let finding = choose(
        element, PropertyListDocument.Place(container: node, position: position),
        isSecret ? .insideSecret : .notByName, advance(states, .position(position)))
      switch finding {
      case .nothing: break
      case .keys: isChosen = true
      // Were an element taken out, those behind it would move. And what is beside a dropped one is not dropped.
      case .whole(.drop(let rule)): whole = whole ?? .take(.rule(rule))
      case .whole(let choice): whole = whole ?? choice
      }
    }
    if let whole { return .whole(whole) }
    return isChosen ? .keys : .nothing
  }

  private func advance(
    _ states: [KeyPattern.State], _ component: KeyPath.Component
  ) -> [KeyPattern.State] {
    rules.indices.map { rules[$0].key.advance(states[$0], over: component) }
  }

  /// A key's text. Made once for each node, for a long key can stand in many dictionaries.
  private mutating func keyText(_ key: PropertyListNode) -> [UInt8]? { keyNumber(key)?.text }

  private mutating func keyNumber(_ key: PropertyListNode) -> (text: [UInt8], number: Int)? {
    if let known = keyNumbers[key.index] { return known }
    guard let text = document.string(of: key).map({ Array($0.utf8) }) else { return nil }
    let number = numbersByText[text] ?? numbersByText.count
    numbersByText[text] = number
    keyNumbers[key.index] = (text, number)
    return (text, number)
  }

  private mutating func hasDistinctKeys(_ node: PropertyListNode) -> Bool {
    var seen: Set<Int> = []
    for key in document.keys(of: node) {
      guard let number = keyNumber(key)?.number, seen.insert(number).inserted else { return false }
    }
    return true
  }

  // MARK: What looks secret

  private mutating func isSecretKey(_ key: PropertyListNode) -> Bool {
    if let known = secretKeys[key.index] { return known }
    let isSecret = document.string(of: key).map { SecretWords.isSecret(Array($0.utf8)) } ?? false
    secretKeys[key.index] = isSecret
    return isSecret
  }

  /// Whether something in the value looks secret by its key or its content.
  private mutating func isSecretValue(_ node: PropertyListNode) -> Bool {
    if let known = secretValues[node.index] { return known }
    let isSecret = looksSecret(node)
    secretValues[node.index] = isSecret
    return isSecret
  }

  private mutating func looksSecret(_ node: PropertyListNode) -> Bool {
    switch document.kind(of: node) {
    case .string:
      return document.string(of: node).map {
        SecretContent.kind(ofSecret: Array($0.utf8)) != nil
      } ?? false
    case .data:
      return document.data(of: node).map { SecretContent.kind(ofSecret: $0) != nil } ?? false
    case .array, .set, .orderedSet:
      for child in document.children(of: node) where isSecretValue(child) { return true }
      return false
    case .dictionary:
      for (key, value) in zip(document.keys(of: node), document.values(of: node)) {
        if isSecretKey(key) {
          switch document.kind(of: value) {
          case .boolean, .date, .null: break
          default: return true
          }
        }
        if isSecretValue(value) { return true }
      }
      return false
    default: return false
    }
  }
}
