// `kcarchive restore`: files back below a folder, or all items as JSON or property lists.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

extension Verb {
  static let restore = Verb(.restore) { arguments, console throws(CommandError) in
    let format = arguments.text(.to)
    if let output = arguments.path(.output), output.isStandardStream {
      try console.output.refuseSecret(isRevealed: arguments.has(.reveal))
    }
    try arguments.refuseOutput(among: arguments.operands)
    let input = try ArchiveInput(arguments.operands[0], arguments, spools: true)
    let (archive, status) = try input.open(try input.credentials(.opening), console)
    var restoration = Restoration(archive, input, console, arguments)
    restoration.gravest.note(status)
    if let format, let output = arguments.path(.output) {
      if format == "plist" {
        try restoration.writeLists(to: output)
      } else {
        try restoration.writeItems(as: format, to: output)
      }
    } else {
      try restoration.writeFiles(below: arguments.path(.directory) ?? ".")
    }
    return try restoration.report(format ?? "files")
  }
}

/// One run of `restore`, and what it comes across.
private struct Restoration: ~Copyable {
  /// Values up to this length are read along with their item.
  private static let valueLimit = 4 << 20

  private let archive: KeychainArchive
  private let path: FilePath
  private let isSpooled: Bool
  private let console: Console
  private let arguments: ParsedArguments
  private let selection: CarriedItems
  private let progress: Progress

  var gravest = Gravest()
  private var itemCount: UInt64 = 0
  private var fileCount: UInt64 = 0
  private var byteCount: UInt64 = 0
  private var otherCount: UInt64 = 0
  private var leftOutCount: UInt64 = 0
  private var losses: [(item: String, reason: String)] = []

  init(
    _ archive: KeychainArchive, _ input: ArchiveInput, _ console: Console,
    _ arguments: ParsedArguments
  ) {
    self.archive = archive
    path = input.path
    isSpooled = input.isSpooled
    self.console = console
    self.arguments = arguments
    selection = CarriedItems(arguments)
    progress = console.showProgress(
      "restoring", ProgressMode(arguments), totalByteCount: archive.opened.commit.liveBytes,
      totalItemCount: archive.itemCount)
  }

  // MARK: Files

  mutating func writeFiles(below folder: FilePath) throws(CommandError) {
    let replaces = arguments.has(.force)
    let writer = try FileTreeWriter(folder: folder, replacing: replaces)
    try checkFiles(writer, folder)
    var stream = ItemStream(archive, valueLimit: Self.valueLimit, opensValues: isSpooled)
    var value = SecretBytes(count: 0)
    while let item = try next(&stream, &value) {
      guard item.item.item.itemClass == .file else {
        otherCount += 1
        continue
      }
      try writeFile(item, value, writer, folder)
    }
    losses(of: stream.losses)
    if otherCount > 0 {
      let what =
        otherCount == 1
        ? "is no file; '--to jsonl -o FILE' writes it"
        : "are no files; '--to jsonl -o FILE' writes them"
      console.note("\(counted(otherCount, "item")) of other classes \(what)")
    }
  }

  /// Looks at all files before the first is written, so that a file that is there stops the run with
  /// nothing done.
  private func checkFiles(
    _ writer: FileTreeWriter, _ folder: FilePath
  ) throws(CommandError) {
    var problem: CommandError?
    do {
      _ = try archive.forEachItem { item, _ in
        guard item.item.itemClass == .file, selection.includes(item.item) else { return true }
        do throws(RestoreRefusal) {
          try writer.check(item.item)
        } catch {
          if error.kind == .exists {
            problem = CommandError(error, folder, item.item.pathBytes)
            return false
          }
        }
        return true
      }
    } catch {
      throw CommandError(error, file: path)
    }
    if let problem { throw problem }
  }

  private mutating func writeFile(
    _ streamed: StreamedItem, _ value: borrowing SecretBytes, _ writer: FileTreeWriter,
    _ folder: FilePath
  ) throws(CommandError) {
    let item = streamed.item
    let archive = archive
    var written: UInt64 = 0
    let refusal: RestoreRefusal?
    do throws(ArchiveError) {
      refusal = try writer.restore(item.item) { sink throws(ArchiveError) in
        if streamed.hasValueAtHand {
          try value.withBytes { bytes throws(ArchiveError) in
            do throws(ContainerError) {
              try sink.write(bytes)
            } catch {
              throw ArchiveError(error)
            }
          }
          written = UInt64(value.count)
        } else if item.hasValue {
          let counting = CountingSink(sink)
          try archive.writeValue(of: item, to: counting)
          written = counting.byteCount
        }
      }
    } catch  where error.code == .ioFailed {
      throw CommandError(error, file: path)
    } catch {
      // The file is not there: its temporary name is gone again.
      losses(of: [error])
      return
    }
    if let refusal {
      switch refusal.kind {
      case .exists, .failed: throw CommandError(refusal, folder, item.item.pathBytes)
      case .refused:
        lose(item.item.displayName, refusal.reason)
      }
      return
    }
    fileCount += 1
    byteCount += written
    progress.advance(bytes: written, items: 1)
  }

  // MARK: Items

  mutating func writeItems(as format: String, to output: FilePath) throws(CommandError) {
    let isDocument = format == "json"
    try console.output.flush()
    let target = try NewOutput(output, replacing: arguments.has(.force), console)
    let sink = BufferedSink(OutputSink(target))
    if isDocument { try sink.put(Array("{\"version\":\(jsonVersion),\"items\":[".utf8).bytes) }

    var stream = ItemStream(archive, valueLimit: Self.valueLimit, opensValues: isSpooled)
    var value = SecretBytes(count: 0)
    var buffer = SecretBytes(count: 0, capacity: 4096)
    var writer = ItemJSONWriter()
    while let streamed = try next(&stream, &value) {
      let item = streamed.item
      let isAtHand = streamed.hasValueAtHand || !item.hasValue
      // A line that is begun can't be taken back: all of a long value has to open first.
      if !isAtHand, let loss = try damage(of: item) {
        losses(of: [loss])
        continue
      }
      if isDocument, itemCount > 0 { try sink.put([UInt8(ascii: ",")].bytes) }
      if isAtHand {
        buffer.resize(to: 0)
        if item.hasValue {
          writer.append(item.item, value: value.bytes, to: &buffer)
        } else {
          writer.append(item.item, value: nil, to: &buffer)
        }
        try sink.put(buffer.bytes)
      } else {
        try sink.flush()
        try putJSON(item, of: archive, path, memoryLimit: 64 << 20, to: sink.target)
      }
      if !isDocument { try sink.put([UInt8(ascii: "\n")].bytes) }
      itemCount += 1
      if item.item.itemClass == .file { fileCount += 1 }
      byteCount += item.valueByteCount ?? 0
      progress.advance(bytes: UInt64(item.record.frameByteCount), items: 1)
    }
    losses(of: stream.losses)
    if isDocument { try sink.put(Array("]}\n".utf8).bytes) }
    try sink.flush()
    if target.file != nil {
      try target.sync()
      try target.publish()
    }
  }

  // MARK: Lists

  /// Items that were keys of lists go back into lists, others into a list of items.
  mutating func writeLists(to output: FilePath) throws(CommandError) {
    var gathered = GatheredLists()
    var stream = ItemStream(archive, valueLimit: Self.valueLimit, opensValues: isSpooled)
    var value = SecretBytes(count: 0)
    while let streamed = try next(&stream, &value) {
      let item = streamed.item
      var bytes: [UInt8]?
      do throws(ArchiveError) {
        bytes =
          streamed.hasValueAtHand
          ? value.bytes.array(at: 0, count: value.count) : try archive.value(of: item)
      } catch  where error.code == .ioFailed {
        throw CommandError(error, file: path)
      } catch {
        losses(of: [error])
        continue
      }
      let isBound = item.item.isThisDeviceOnly && !arguments.has(.includeThisDeviceOnly)
      if isBound, GatheredLists.isOfNoList(item.item) {
        lose(
          item.item.displayName,
          "it is bound to its device (accessible \(item.item.accessible?.rawValue ?? "")), and a list of items "
            + "is for others; '--include-this-device-only' takes it along")
        continue
      }
      if gathered.add(item.item, bytes) { itemCount += 1 }
      byteCount += UInt64(bytes?.count ?? 0)
      progress.advance(bytes: UInt64(item.record.frameByteCount), items: 1)
    }
    losses(of: stream.losses)
    if gathered.otherFileCount > 0 {
      console.note(
        "\(counted(gathered.otherFileCount, "file")) \(gathered.otherFileCount == 1 ? "is" : "are")"
          + " no list; 'restore -C FOLDER' restores files")
    }
    let (files, lost) = try gathered.files()
    for loss in lost { lose(loss.item, loss.reason) }
    fileCount = UInt64(files.count)
    try write(files, to: output, isFolder: gathered.makesFolder)
  }

  private mutating func write(
    _ files: [GatheredLists.File], to output: FilePath, isFolder: Bool
  ) throws(CommandError) {
    guard isFolder else {
      try console.output.flush()
      let target = try NewOutput(output, replacing: arguments.has(.force), console)
      for file in files { try OutputSink(target).put(file.bytes.bytes) }
      guard target.file != nil else { return }
      try target.sync()
      return try target.publish()
    }
    guard !output.isStandardStream else {
      throw .usage(
        "the archive has keys of several lists, which go into a folder",
        hint: "name it with '-o FOLDER'")
    }
    let writer = try FileTreeWriter(folder: output, replacing: arguments.has(.force))
    var allowed: [GatheredLists.File] = []
    for file in files {
      do throws(RestoreRefusal) {
        try writer.check(file.item)
        allowed.append(file)
      } catch {
        guard error.kind == .refused else {
          throw CommandError(error, output, file.item.pathBytes)
        }
        fileCount -= 1
        lose(file.item.displayName, error.reason)
      }
    }
    for file in allowed { try writer.write(file.item, file.bytes, below: output) }
  }

  // MARK: Both

  /// The next item that is to be carried over.
  private mutating func next(
    _ stream: inout ItemStream, _ value: inout SecretBytes
  ) throws(CommandError) -> StreamedItem? {
    do {
      var next = try stream.next(value: &value)
      while let item = next, !selection.includes(item.item.item) {
        leftOutCount += 1
        next = try stream.next(value: &value)
      }
      guard let item = next else { return nil }
      if item.mayBeOutdated {
        console.warning(
          CommandError(
            .damaged, "may be outdated: the index is damaged",
            place: CommandError.Place(file: path, item: item.item.item.displayName)))
      }
      return item
    } catch {
      throw CommandError(error, file: path)
    }
  }

  /// Damage on the way: warned of, counted among the losses, and the status of the run.
  /// What keeps the value of `item` from being read; nil where nothing does.
  private func damage(of item: StoredItem) throws(CommandError) -> ArchiveError? {
    do {
      try archive.checkValue(of: item)
      return nil
    } catch  where error.code == .ioFailed {
      throw CommandError(error, file: path)
    } catch {
      return error
    }
  }

  private mutating func losses(of errors: [ArchiveError]) {
    for error in errors {
      let warning = CommandError(error, file: path)
      console.warning(warning)
      gravest.note(warning.status)
      losses.append((error.item ?? "", error.reason))
    }
  }

  /// An item that can't be carried over.
  private mutating func lose(_ item: String, _ reason: String) {
    console.warning(
      CommandError(
        .doneWithLosses, "not restored: \(reason)", place: CommandError.Place(item: item)))
    gravest.note(.doneWithLosses)
    losses.append((item, reason))
  }

  func report(_ format: String) throws(CommandError) -> ExitStatus {
    progress.finish()
    if let note = CarriedItems.note(leftOut: leftOutCount) { console.note(note) }
    guard arguments.wantsJSON else {
      let what =
        switch format {
        case "files": "\(counted(fileCount, "file")), \(sizeText(byteCount))"
        case "plist": "\(counted(itemCount, "item")) into \(counted(fileCount, "property list"))"
        default: counted(itemCount, "item")
        }
      let rest =
        losses.isEmpty ? "" : "; \(counted(UInt64(losses.count), "loss", plural: "losses"))"
      console.summary("restored \(what)\(rest)")
      return gravest.status
    }
    try console.output.write(
      JSONWriter.report("restore") { json in
        json.key("to")
        json.string(format)
        for (name, count) in [("items", itemCount), ("files", fileCount), ("bytes", byteCount)] {
          json.key(name)
          json.integer(count)
        }
        json.key("losses")
        json.beginArray()
        for loss in losses {
          json.beginObject()
          json.key("item")
          json.string(loss.item)
          json.key("reason")
          json.string(loss.reason)
          json.endObject()
        }
        json.endArray()
      })
    return gravest.status
  }
}

/// Counts what it hands on.
private final class CountingSink: ValueSink {
  private let target: any ValueSink
  private(set) var byteCount: UInt64 = 0

  init(_ target: any ValueSink) {
    self.target = target
  }

  func write(_ bytes: RawSpan) throws(ContainerError) {
    try target.write(bytes)
    byteCount += UInt64(bytes.byteCount)
  }
}

/// Gathers small pieces into large writes, in memory that is wiped.
private final class BufferedSink {
  let target: OutputSink
  private var buffer = SecretBytes(count: 0, capacity: 256 << 10)

  init(_ target: OutputSink) {
    self.target = target
  }

  func put(_ bytes: RawSpan) throws(CommandError) {
    if bytes.byteCount > buffer.capacity - buffer.count { try flush() }
    if bytes.byteCount > buffer.capacity {
      try target.put(bytes)
    } else {
      buffer.append(bytes)
    }
  }

  func flush() throws(CommandError) {
    try buffer.withBytes { bytes throws(CommandError) in try target.put(bytes) }
    buffer.resize(to: 0)
  }
}
