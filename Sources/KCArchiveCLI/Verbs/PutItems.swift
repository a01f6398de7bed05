// `kcarchive put ARCHIVE INPUT ...`: adds items and files to an archive, or changes those that are there, in one commit.

internal import ArchiveContainer
internal import ByteCoding
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

/// Puts the items of all operands but the first into the archive that this one names.
func putItems(
  _ arguments: ParsedArguments, _ console: Console
) throws(CommandError) -> ExitStatus {
  let inputs = try arguments.operands.dropFirst().map { path throws(CommandError) in
    try ItemInput(path, asFile: arguments.has(.asFile))
  }
  let change = try ArchiveChange(arguments, console, compresses: !arguments.has(.noCompress))
  let progress = console.showProgress(
    "putting", ProgressMode(arguments), totalByteCount: inputs.totalByteCount)
  var target = PutTarget(change)
  var reading = ItemReading(console, progress)
  try reading.run(inputs, into: &target)
  let report = PutReport(
    path: target.path, added: target.addedCount, changed: target.changedCount,
    valueByteCount: reading.valueByteCount, commit: try target.commit())
  progress.finish()
  if arguments.wantsJSON {
    try console.output.write(report.json)
  } else {
    console.summary(report.line)
  }
  return reading.lossCount > 0 ? .doneWithLosses : .done
}

/// An archive that items are put into.
private struct PutTarget: ~Copyable, ItemTarget {
  private let change: ArchiveChange
  var origins = Origins()
  private(set) var addedCount: UInt64 = 0
  private(set) var changedCount: UInt64 = 0

  init(_ change: consuming ArchiveChange) {
    self.change = change
  }

  var path: FilePath { change.path }
  var ownFile: FileTreeReader.Identity? { nil }
  var replacedFile: FileTreeReader.Identity? { FileTreeReader.Identity(path: path.bytes) }

  /// An item that comes without a value keeps the one that it has; a file is what it is now.
  mutating func append(
    _ item: KeychainItem, value: RawSpan?, origin: UInt32
  ) throws(ArchiveError) {
    let (merged, old) = try merge(item)
    if let old, value == nil, item.itemClass != .file {
      try change.editor.put(merged, keepingValueOf: old, origin: origin)
    } else if let value {
      try change.editor.put(merged, value: value, replacing: old, origin: origin)
    } else {
      try change.editor.put(merged, value: nil, replacing: old, origin: origin)
    }
    count(old)
  }

  mutating func append(
    _ item: KeychainItem, source: any ValueSource, origin: UInt32
  ) throws(ArchiveError) {
    let (merged, old) = try merge(item)
    try change.editor.put(merged, source: source, replacing: old, origin: origin)
    count(old)
  }

  private mutating func count(_ old: StoredItem?) {
    if old == nil { addedCount += 1 } else { changedCount += 1 }
  }

  /// The item as it will be. A file is as its input has it.
  private func merge(
    _ item: KeychainItem
  ) throws(ArchiveError) -> (merged: KeychainItem, old: StoredItem?) {
    let old = try change.editor.item(like: item)
    return (item.itemClass == .file ? item : item.merged(into: old), old)
  }

  /// Commits.
  ///
  /// - Returns: the number of the commit.
  /// - Throws: `duplicateItem` with the places of both.
  consuming func commit() throws(CommandError) -> UInt64 {
    do {
      return try change.editor.commit()
    } catch  where error.code == .duplicateItem {
      throw origins.duplicate(error)
    } catch {
      throw CommandError(error, file: path)
    }
  }
}

extension KeychainItem {
  /// This item with the attributes of `old` that it does not name, and with its dates.
  func merged(into old: StoredItem?) -> KeychainItem {
    let now = AttributeValue.date(ReferenceTime.now())
    var merged = KeychainItem(
      itemClass, attributes: (old?.item.attributes ?? []) + attributes)
    if old == nil, merged[.creationDate] == nil { merged[.creationDate] = now }
    if self[.modificationDate] == nil { merged[.modificationDate] = now }
    return merged
  }
}

/// What was put.
private struct PutReport {
  let path: FilePath
  let added: UInt64
  let changed: UInt64
  let valueByteCount: UInt64
  let commit: UInt64

  /// `put 1,204 items, 48.2 MiB, into backup.kcarchive: 1,200 added, 4 changed`
  var line: String {
    "put \(counted(added + changed, "item")), \(sizeText(valueByteCount)), into "
      + "\(escaped(path.bytes)): \(grouped(added)) added, \(grouped(changed)) changed"
  }

  var json: [UInt8] {
    JSONWriter.report("put") { json in
      json.file("file", path)
      for (name, number) in [
        ("added", added), ("changed", changed), ("valueBytes", valueByteCount), ("commit", commit),
      ] {
        json.key(name)
        json.integer(number)
      }
    }
  }
}
