// What `migrate` says: the plan, what is lost, what was done. Values are in none of it.

internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

/// A list with its plan.
struct PlannedList {
  let plan: MigrationPlan
  /// The access group of its items, where another list has the same domain.
  let group: String?

  /// Gives every item of the list to `body`, in the order in which they are written.
  func forEachItem(
    _ body: (KeychainItem, [UInt8]) throws(CommandError) -> Void
  ) throws(CommandError) {
    for key in plan.keys where key.isTaken {
      let item: ListItem
      do {
        item = try plan.item(for: key, group: group)
      } catch {
        throw CommandError(error, file: FilePath(bytes: plan.list.file))
      }
      try body(item.item, item.value)
    }
    if plan.takesFile { try body(plan.fileItem, plan.list.fileBytes) }
  }
}

/// All that a run of `migrate` has to tell.
struct MigrationReport {
  /// What is not carried over, or not as it was asked for.
  struct Loss {
    let file: FilePath
    let key: String?
    let reason: String
  }

  /// The archive that was made.
  struct Archive {
    let file: FilePath
    let byteCount: UInt64
    /// Whether it was read back and compared with the sources.
    let isCompared: Bool
  }

  var plans: [PlannedList] = []
  private(set) var losses: [Loss] = []
  var archive: Archive?
  var redacted: [FilePath] = []

  var status: ExitStatus { losses.isEmpty ? .done : .doneWithLosses }
  var takenCount: Int { plans.reduce(0) { $0 + $1.plan.takenCount + ($1.plan.takesFile ? 1 : 0) } }

  mutating func lose(_ file: FilePath, _ key: String?, _ reason: String) {
    losses.append(Loss(file: file, key: key, reason: reason))
  }

  // MARK: Text

  /// - Parameter aside: on standard error.
  func write(_ console: Console, aside: Bool) throws(CommandError) {
    func say(_ line: String) throws(CommandError) {
      if aside { console.summary(line) } else { try console.output.writeLine(line) }
    }
    for planned in plans {
      for line in lines(planned) { try say(line) }
    }
    if losses.isEmpty { try say("lost: nothing") }
    for loss in losses {
      let key = loss.key.map { ": " + escaped($0) } ?? ""
      try say("lost: \(escaped(loss.file.bytes))\(key): \(loss.reason)")
    }
    try console.output.flush()
  }

  private func lines(_ planned: PlannedList) -> [String] {
    let plan = planned.plan
    let file = escaped(plan.list.file)
    let all = counted(UInt64(plan.keys.count), "key")
    let secrets = grouped(UInt64(plan.secretCount))
    var lines = ["\(file): \(secrets) of \(all) \(plan.secretCount == 1 ? "looks" : "look") secret"]
    if plan.hasRules { lines[0] += ", or a rule takes \(plan.secretCount == 1 ? "it" : "them")" }
    if plan.list.signedMessage != nil {
      lines.append(
        "  a signed list (CMS): the list in it is taken; nobody has checked the signature")
    }
    if let group = planned.group {
      lines.append(
        "  another list has the domain too: these items get the access group '\(escaped(group))'")
    }
    let shown = plan.keys.filter { $0.choice != .leave && $0.choice != .take(.everything) }
    let names = shown.map { escaped($0.path.text.isEmpty ? "(the whole list)" : $0.path.text) }
    let nameWidth = min(40, names.map(\.unicodeScalars.count).max() ?? 0)
    let kinds = shown.map { plan.kindName(of: $0) }
    let kindWidth = kinds.map(\.unicodeScalars.count).max() ?? 0
    for (index, key) in shown.enumerated() {
      let columns =
        padded(names[index], nameWidth) + "   " + padded(kinds[index], kindWidth) + "   "
      switch key.choice {
      case .take: lines.append("  take   " + columns + destination(key, plan))
      case .drop(let rule): lines.append("  drop   " + columns + "by rule \(rule)")
      case .leaveReference:
        lines.append("  leave  " + columns + "what it names is in a keychain, not in the list")
      case .leave, .leaveFlag: lines.append("  leave  " + columns + "not a secret by its kind")
      }
    }
    let rest = plan.keys.count { $0.choice == .take(.everything) }
    if rest > 0 {
      lines.append("  take   \(counted(UInt64(rest), "other key")), and the list as a file")
    }
    let left = plan.keys.count { $0.choice == .leave }
    if left > 0 {
      lines.append("  leave  \(counted(UInt64(left), "key")) (--all takes them, --rules chooses)")
    }
    return lines
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.unicodeScalars.count))
  }

  private func destination(_ key: PlannedKey, _ plan: MigrationPlan) -> String {
    guard let item = try? plan.item(for: key, group: nil) else { return "" }
    if item.item[.listEncoding] == nil, item.item[.listType] == .text("data"),
      plan.kindName(of: key) != "data"
    {
      return "kept as it is, \(sizeText(UInt64(item.value.count)))"
    }
    func text(_ key: AttributeKey) -> String {
      guard case .text(let text) = item.item[key] else { return "" }
      return escaped(text)
    }
    return item.item.itemClass == .internetPassword
      ? "internet password \(text(.server)) / \(text(.account))"
      : "generic password \(text(.service)) / \(text(.account))"
  }

  /// `migrated 5 items into secrets.kcarchive; compared with the source: equal`
  var summary: String {
    let items = plans.reduce(0) { $0 + $1.plan.takenCount }
    let files = plans.count { $0.plan.takesFile }
    var what = counted(UInt64(items), "item")
    if files > 0 { what += " and " + counted(UInt64(files), "list") }
    let place = archive.map {
      $0.file.isStandardStream ? "standard output" : escaped($0.file.bytes)
    }
    var line = "migrated \(what) into \(place ?? "nothing")"
    let source = plans.count == 1 ? "source" : "sources"
    line +=
      archive?.isCompared == true
      ? "; compared with the \(source): equal" : "; not read back, as it went into a pipe"
    if let first = redacted.first {
      let copies =
        redacted.count == 1 ? escaped(first.bytes) : counted(UInt64(redacted.count), "file")
      line += "; copy without them in \(copies)"
    }
    return line
  }
}
