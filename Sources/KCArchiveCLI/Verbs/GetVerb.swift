// `kcarchive get`: the value of one item.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

extension Verb {
  static let get = Verb(.get) { arguments, console throws(CommandError) in
    let query = try ItemQuery(arguments).attributeQuery()
    let isJSON = arguments.has(.json)
    let outputPath = arguments.path(.output) ?? "-"
    if outputPath.isStandardStream {
      try console.output.refuseSecret(isRevealed: arguments.has(.reveal))
    }
    try arguments.refuseOutput(among: arguments.operands)
    let input = try ArchiveInput(arguments.operands[0], arguments, spools: true)
    let (archive, status) = try input.open(try input.credentials(.opening), console)
    var gravest = Gravest()
    gravest.note(status)

    let result: SearchResult
    do throws(ArchiveError) {
      if let number = arguments.number(.revision) {
        result = try archive.search(query, revision: number)
      } else {
        result = try archive.search(query)
      }
    } catch {
      throw CommandError(error, file: input.path)
    }
    for loss in result.losses {
      let warning = CommandError(loss, file: input.path)
      console.warning(warning)
      gravest.note(warning.status)
    }
    guard let item = result.items.first else {
      if gravest.status != .done { return gravest.status }
      throw .noItem(in: input.path)
    }
    guard result.items.count == 1 else {
      return try refuseSeveral(result.items, input.path, console)
    }
    let value = ItemValue(item, of: archive, input.path)
    if arguments.has(.decode) || arguments.has(.plist) {
      let form = DecodedValue(
        of: item.item, try value.inMemory(), place: CommandError.Place(item, input.path))
      let text = try form.text(isDecoded: arguments.has(.decode), isJSON: isJSON)
      try deliver(
        to: outputPath, replacing: arguments.has(.force), console
      ) { sink throws(CommandError) in try sink.put(text.bytes) }
    } else if isJSON {
      try value.writeJSON(
        to: outputPath, revision: arguments.number(.revision), replacing: arguments.has(.force),
        console)
    } else {
      try value.write(to: outputPath, replacing: arguments.has(.force), console)
    }
    return gravest.status
  }
}

extension CommandError.Place {
  /// An item of an archive.
  fileprivate init(_ item: StoredItem, _ path: FilePath) {
    self.init(file: path, item: item.item.displayName)
  }
}

/// One item's value on its way to a file or to standard output.
private struct ItemValue {
  /// Longer values are not held in memory, and always base64 in JSON.
  private static let memoryLimit: UInt64 = 64 << 20

  private let item: StoredItem
  private let archive: KeychainArchive
  private let path: FilePath

  init(_ item: StoredItem, of archive: KeychainArchive, _ path: FilePath) {
    self.item = item
    self.archive = archive
    self.path = path
  }

  func write(
    to output: FilePath, replacing replaces: Bool, _ console: Console
  ) throws(CommandError) {
    let isForTerminal = output.isStandardStream && console.output.isTerminal
    if let count = item.valueByteCount, count <= Self.memoryLimit {
      // Shown when all of it has opened, not before.
      let value = try read(Int(count))
      if isForTerminal, !value.withBytes(ItemJSON.isText) {
        try console.output.refuseBinary("the value")
      }
      try value.withBytes { bytes throws(CommandError) in
        try deliver(to: output, replacing: replaces, console) { sink throws(CommandError) in
          try sink.put(bytes)
        }
      }
    } else {
      if isForTerminal { try console.output.refuseBinary("a value of this size") }
      try deliver(to: output, replacing: replaces, console) { sink throws(CommandError) in
        try stream(into: sink)
      }
    }
  }

  /// - Parameter revision: the number that was asked for.
  func writeJSON(
    to output: FilePath, revision: UInt64?, replacing replaces: Bool, _ console: Console
  ) throws(CommandError) {
    let number = revision.map { "\"revision\":\($0)," } ?? ""
    try deliver(to: output, replacing: replaces, console) { sink throws(CommandError) in
      try sink.put(Array("{\"version\":\(jsonVersion),\(number)\"item\":".utf8).bytes)
      try putJSON(item, of: archive, path, memoryLimit: Self.memoryLimit, to: sink)
      try sink.put(Array("}\n".utf8).bytes)
    }
  }

  /// All of it. Refuses what is too long to be decoded, and an item that has no value.
  func inMemory() throws(CommandError) -> SecretBytes {
    guard item.hasValue else {
      throw CommandError(
        .failed, "the item has no value", place: CommandError.Place(item, path))
    }
    guard let count = item.valueByteCount, count <= Self.memoryLimit else {
      throw CommandError(
        .refusedByLimit,
        "values over \(sizeText(Self.memoryLimit)), or of a size that is not recorded, are not decoded",
        hint: "without '--decode' and '--plist' the value comes out as it is",
        place: CommandError.Place(item, path))
    }
    return try read(Int(count))
  }

  private func read(_ count: Int) throws(CommandError) -> SecretBytes {
    let sink = MemorySink(capacity: count)
    try stream(into: sink)
    return sink.take()
  }

  private func stream(into sink: any ValueSink) throws(CommandError) {
    do {
      try archive.writeValue(of: item, to: sink)
    } catch {
      throw CommandError(error, file: path)
    }
  }
}

/// Makes an output, lets `body` write it, and gives it its name.
func deliver(
  to path: FilePath, replacing replaces: Bool, _ console: Console,
  _ body: (OutputSink) throws(CommandError) -> Void
) throws(CommandError) {
  try console.output.flush()
  let output = try NewOutput(path, replacing: replaces, console)
  try body(OutputSink(output))
  if output.file != nil {
    try output.sync()
    try output.publish()
  }
}

/// Writes an item with its value as JSON, the value read from the archive.
func putJSON(
  _ item: StoredItem, of archive: KeychainArchive, _ path: FilePath, memoryLimit: UInt64,
  to output: OutputSink
) throws(CommandError) {
  var writer = ItemJSONWriter()
  var buffer = SecretBytes(count: 0, capacity: 4096)
  do {
    guard item.hasValue else {
      writer.append(item.item, value: nil, to: &buffer)
      return try output.put(buffer.bytes)
    }
    if let count = item.valueByteCount, count <= memoryLimit {
      let sink = MemorySink(capacity: Int(count))
      try archive.writeValue(of: item, to: sink)
      let value = sink.take()
      writer.append(item.item, value: value.bytes, to: &buffer)
      return try output.put(buffer.bytes)
    }
    try output.put(writer.base64Opening(item.item).bytes)
    let sink = Base64Sink(output)
    try archive.writeValue(of: item, to: sink)
    try sink.finish()
    let closing = ItemJSONWriter.base64Closing
    try output.put(closing.bytes)
  } catch let error as ArchiveError {
    throw CommandError(error, file: path)
  } catch let error as CommandError {
    throw error
  } catch let error as ContainerError {
    throw CommandError(error, file: path)
  } catch {
    preconditionFailure("only the three errors above are thrown here")
  }
}

/// Collects a value in memory that is wiped.
final class MemorySink: ValueSink {
  private var bytes: SecretBytes

  init(capacity: Int) {
    // What the item says of its length is checked against its chunks; this is a start only.
    bytes = SecretBytes(count: 0, capacity: min(capacity, 1 << 20))
  }

  func write(_ part: RawSpan) throws(ContainerError) {
    if part.byteCount > bytes.capacity - bytes.count {
      bytes.grow(to: max(2 * bytes.capacity, bytes.count + part.byteCount))
    }
    bytes.append(part)
  }

  /// The value; nothing is left here.
  func take() -> SecretBytes {
    var taken = SecretBytes(count: 0)
    swap(&taken, &bytes)
    return taken
  }
}

/// Writes a value as Base64 text, piece by piece.
final class Base64Sink: ValueSink {
  private let output: OutputSink
  /// Bytes that wait for a group of three to be full.
  private var rest = SecretBytes(count: 0, capacity: 3)

  init(_ output: OutputSink) {
    self.output = output
  }

  func write(_ bytes: RawSpan) throws(ContainerError) {
    var all = SecretBytes(count: 0, capacity: rest.count + bytes.byteCount)
    rest.withBytes { all.append($0) }
    all.append(bytes)
    let whole = all.count / 3 * 3
    try encode(all.bytes.extracting(0..<whole))
    rest = SecretBytes(count: 0, capacity: 3)
    rest.append(all.bytes.extracting(whole..<all.count))
  }

  func finish() throws(ContainerError) {
    try rest.withBytes { last throws(ContainerError) in try encode(last) }
  }

  private func encode(_ bytes: RawSpan) throws(ContainerError) {
    var text = SecretBytes(count: (bytes.byteCount + 2) / 3 * 4)
    var target = text.mutableBytes
    _ = Base64.encode(bytes, into: &target, at: 0)
    try output.write(text.bytes)
  }
}
