// Writing a new archive: what `pack` and `migrate` have in common. Options, credentials, the output, reading back.

internal import ArchiveContainer
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel

/// An archive that is being written, and what its items come from.
struct NewArchive: ~Copyable, ItemTarget {
  let target: NewOutput
  var origins = Origins()
  private var writer: ArchiveWriter

  init(
    _ target: NewOutput, _ credentials: [ArchiveCredential], _ options: WriteOptions
  ) throws(CommandError) {
    self.target = target
    do {
      writer = try ArchiveWriter(to: target.device, credentials: credentials, options: options)
    } catch {
      throw CommandError(error, file: target.path)
    }
  }

  var path: FilePath { target.path }
  var ownFile: FileTreeReader.Identity? {
    FileTreeReader.Identity(descriptor: target.device.descriptor)
  }
  var replacedFile: FileTreeReader.Identity? {
    path.isStandardStream ? nil : FileTreeReader.Identity(path: path.bytes)
  }

  /// Appends an item with a value that is at hand; nil for none.
  mutating func append(
    _ item: KeychainItem, value: RawSpan?, origin: UInt32
  ) throws(ArchiveError) {
    try writer.append(item, value: value, origin: origin)
  }

  /// Appends an item whose value is read from `source`.
  mutating func append(
    _ item: KeychainItem, source: any ValueSource, origin: UInt32
  ) throws(ArchiveError) {
    try writer.append(item, source: source, origin: origin)
  }

  /// Completes the archive, syncs it, reads it back and gives it its name.
  ///
  /// - Parameters:
  ///   - depth: how much is read back; nil for nothing.
  ///   - compare: gets the archive once it has been read back, before it has its name.
  /// - Throws: `duplicateItem` with the places of both.
  consuming func finish(
    depth: ReadBack.Depth?,
    comparing compare: (KeychainArchive) throws(CommandError) -> Void = { _ in }
  ) throws(CommandError) -> WriteSummary {
    let (target, origins) = (target, origins)
    let readBack = writer.readBack
    let summary: WriteSummary
    do {
      summary = try writer.finish()
    } catch  where error.code == .duplicateItem {
      throw origins.duplicate(error)
    } catch {
      throw CommandError(error, file: target.path)
    }
    try target.sync()
    if let depth {
      let archive: KeychainArchive
      do {
        try readBack.run(summary, depth: depth)
        archive = try readBack.open()
      } catch {
        throw CommandError(error, file: target.path)
      }
      try compare(archive)
    }
    try target.publish()
    return summary
  }
}

extension WriteOptions {
  /// What the options of a verb that writes an archive say.
  init(_ arguments: ParsedArguments) throws(CommandError) {
    self.init()
    cost = try KDFRequest(arguments).cost()
    label = arguments.text(.label) ?? ""
    compresses = !arguments.has(.noCompress)
  }
}

extension KDFRequest {
  /// The cost of new passphrase slots. Numbers that make no slot are refused here, before any work.
  func cost() throws(CommandError) -> KDFCost {
    func number(_ value: UInt64, _ option: OptionKey) throws(CommandError) -> UInt32 {
      guard let number = UInt32(exactly: value) else {
        throw CommandError(.refusedByLimit, "'\(option.rawValue)' is too large: \(value)")
      }
      return number
    }
    let cost: KDFCost
    switch algorithm {
    case .argon2id:
      cost = .argon2id(
        memory: try number((memoryByteCount ?? 256 << 20) >> 10, .kdfMemory),
        passes: try number(time ?? 3, .kdfTime),
        lanes: try number(parallelism ?? 4, .kdfParallelism))
    case .scrypt:
      // r is 8, as everywhere; N follows from the memory, 128·r·N.
      let n = (memoryByteCount ?? 128 << 20) >> 10
      guard n > 0, n & (n - 1) == 0 else {
        throw .usage(
          "'--kdf-memory' for scrypt is a power of two, in KiB or more",
          hint: "for example '--kdf-memory 128MiB'")
      }
      cost = .scrypt(
        logN: UInt32(n.trailingZeroBitCount), r: 8, p: try number(time ?? 1, .kdfTime))
    case .pbkdf2:
      cost = .pbkdf2(iterations: try number(time ?? 600_000, .kdfTime))
    }
    if let violation = cost.boundViolation ?? cost.floorViolation {
      throw CommandError(
        .refusedByLimit, "the key derivation asked for is out of bounds: \(violation)",
        hint: "change '--kdf-memory', '--kdf-time' or '--kdf-parallelism'")
    }
    return cost
  }
}

extension ReadBack.Depth {
  /// How much is read back; nil for nothing.
  init?(_ arguments: ParsedArguments, isFile: Bool) {
    guard isFile, !arguments.has(.noVerify) else { return nil }
    self = arguments.has(.verify) ? .everything : .standard
  }
}

/// What items were read from, by the numbers that the writer keeps of them.
struct Origins {
  private struct Input {
    let path: FilePath
    let countsLines: Bool
    let first: UInt32
  }

  private var inputs: [Input] = []
  private var last: UInt32 = 0

  mutating func begin(_ path: FilePath, countsLines: Bool) {
    inputs.append(Input(path: path, countsLines: countsLines, first: last))
  }

  /// The number of the next item. Beyond four billion they are all the same: only the message about a
  /// duplicate would tell them apart.
  mutating func next(line: Int) -> UInt32 {
    guard let input = inputs.last else { return 0 }
    let number =
      input.countsLines
      ? UInt32(clamping: Int(input.first) + line) : last == .max ? last : last + 1
    last = max(last, number)
    return number
  }

  /// `items.jsonl, line 3`, `certs, file 2`.
  func name(of origin: UInt32) -> String {
    guard let input = inputs.last(where: { $0.first < origin }) else { return "an item" }
    let number = grouped(UInt64(origin - input.first))
    return "\(quoted(input.path)), \(input.countsLines ? "line" : "item") \(number)"
  }

  /// Both places of an item that is there twice.
  func duplicate(_ error: ArchiveError) -> CommandError {
    let places = error.origins.map { name(of: $0) }
    return CommandError(
      .duplicateItem,
      "the same item twice: " + places.joined(separator: " and ")
        + " have one primary key",
      hint: "nothing was written",
      place: CommandError.Place(item: error.item))
  }
}
