// `kcarchive slot add` and `slot remove`: the credentials of an archive are changed in place, 8 KiB and 512 bytes
// whatever its size.

internal import ArchiveContainer
internal import KeychainArchive
internal import PropertyListCodec

extension Verb {
  static let slotAdd = Verb(.slotAdd) { arguments, console throws(CommandError) in
    let cost = try KDFRequest(arguments).cost()
    if arguments.has(.newRecoveryCode) {
      try console.output.refuseSecret(isRevealed: arguments.has(.reveal))
    }
    var change = try SlotChange(arguments, console)
    let new = try NewCredentials(arguments, asks: true)
    var added: [Slot] = []
    for credential in new.all {
      added.append(
        try change.add(credential, cost: cost, label: arguments.text(.label) ?? ""))
    }
    let replaced = try arguments.values(.replacedSlot).map { value throws(CommandError) in
      guard case .number(let number) = value, let id = UInt32(exactly: number) else {
        throw .usage("'--replace' takes a slot's number", hint: "'kcarchive slot list' shows them")
      }
      return id
    }
    for id in replaced { try change.remove(id) }
    let commit = try change.commit()
    if arguments.wantsJSON {
      try console.output.write(
        slotReport(
          "add", change.path, added.map(\.id), removed: replaced, commit, code: new.codeText))
      return .done
    }
    // Shown only now that it opens the archive.
    if let code = new.codeText { try console.output.writeLine(code) }
    for slot in added {
      console.summary(
        "added \(slot.line(label: arguments.text(.label))) to \(escaped(change.path.bytes))")
    }
    tellRemoved(replaced, change.path, console)
    return .done
  }

  static let slotRemove = Verb(.slotRemove) { arguments, console throws(CommandError) in
    let words = arguments.operands[1...]
    var ids: [UInt32] = []
    for word in words {
      guard let id = UInt32(String(decoding: word.bytes, as: UTF8.self)) else {
        throw .usage(
          "\(quoted(word)) is no slot's number", hint: "'kcarchive slot list' shows them")
      }
      ids.append(id)
    }
    var change = try SlotChange(arguments, console)
    for id in ids { try change.remove(id) }
    let commit = try change.commit()
    if arguments.wantsJSON {
      try console.output.write(
        slotReport("remove", change.path, ids, removed: [], commit, code: nil))
    } else {
      tellRemoved(ids, change.path, console)
    }
    return .done
  }

  private static func tellRemoved(_ ids: [UInt32], _ path: FilePath, _ console: Console) {
    guard !ids.isEmpty else { return }
    for id in ids { console.summary("removed slot \(id) from \(escaped(path.bytes))") }
    console.note(
      "who has had that credential may have kept the file key; copies of the old file still open "
        + "with it")
  }

  private static func slotReport(
    _ action: String, _ path: FilePath, _ ids: [UInt32], removed: [UInt32], _ commit: UInt64,
    code: String?
  ) -> [UInt8] {
    JSONWriter.report("slot") { json in
      json.key("action")
      json.string(action)
      json.file("file", path)
      json.key("ids")
      json.beginArray()
      for id in ids { json.integer(Int64(id)) }
      json.endArray()
      if !removed.isEmpty {
        json.key("removed")
        json.beginArray()
        for id in removed { json.integer(Int64(id)) }
        json.endArray()
      }
      json.key("commit")
      json.integer(commit)
      if let code {
        json.key("recoveryCode")
        json.string(code)
      }
    }
  }
}

/// A change of an archive's slots, under the write lock.
private struct SlotChange {
  let path: FilePath
  private var change: HeaderChange

  init(_ arguments: ParsedArguments, _ console: Console) throws(CommandError) {
    path = arguments.operands[0]
    let archive = try LockedArchive(path, arguments).archive
    do {
      change = try HeaderChange(archive.opened)
    } catch {
      throw CommandError(error, file: path)
    }
    for repair in change.repairs { console.note("\(escaped(path.bytes)): \(repair)") }
  }

  mutating func add(
    _ credential: ArchiveCredential, cost: KDFCost, label: String
  ) throws(CommandError) -> Slot {
    do {
      return try change.add(credential.credential, cost: cost, label: label)
    } catch {
      throw CommandError(error, file: path)
    }
  }

  mutating func remove(_ id: UInt32) throws(CommandError) {
    guard change.slots.contains(where: { $0.id == id }) else {
      throw CommandError(
        .noSuchItem, "there is no slot \(id)", hint: "'kcarchive slot list' shows them",
        place: CommandError.Place(file: path))
    }
    do {
      try change.remove(id)
    } catch {
      throw CommandError(error, file: path)
    }
  }

  func commit() throws(CommandError) -> UInt64 {
    do {
      return try change.commit().number
    } catch {
      throw CommandError(error, file: path)
    }
  }
}
