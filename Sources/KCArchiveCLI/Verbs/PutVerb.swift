// `kcarchive put` with options for one item: adds it to an archive, or changes it, in place.

internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc
internal import KeychainArchive
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

extension Verb {
  static let put = Verb(.put) { arguments, console throws(CommandError) in
    guard arguments.operands.count == 1 else { return try putItems(arguments, console) }
    let item = try ItemQuery(arguments, attributes: .attribute).newItem()
    let value = try NewValue(arguments)
    let change = try ArchiveChange(arguments, console)
    let outcome = try change.put(item, value)
    let commit = try change.commit()
    let name = item.displayName
    if arguments.wantsJSON {
      try console.output.write(
        JSONWriter.report("put") { json in
          json.file("file", change.path)
          json.key("item")
          json.string(name)
          json.key("outcome")
          json.string(outcome)
          json.key("commit")
          json.integer(commit)
        })
    } else {
      console.summary("\(outcome) \(escaped(name)) in \(escaped(change.path.bytes))")
    }
    return .done
  }
}

extension ItemQuery {
  /// The item that the options describe.
  fileprivate func newItem() throws(CommandError) -> KeychainItem {
    let query = try attributeQuery()
    let implied: ItemClass? =
      service != nil ? .genericPassword : server != nil ? .internetPassword : nil
    guard let itemClass = query.itemClass ?? implied else {
      throw .usage("an item needs a class", hint: "'-c genp' is a generic password")
    }
    guard itemClass != .file else {
      throw .usage(
        "a file is not put into an archive as an item", hint: "'kcarchive pack' takes files")
    }
    guard !query.conditions.isEmpty else {
      throw .usage(
        "an item needs attributes to be known by", hint: "'-s SERVICE -a ACCOUNT' name it")
    }
    return KeychainItem(itemClass, attributes: query.conditions)
  }
}

/// Where an item's new value comes from.
private enum NewValue: ~Copyable {
  case atHand(SecretBytes)
  case read(FileSource)

  /// So much of standard input is read before the item is written: then its length is known.
  private static let memoryLimit = 1 << 20

  /// Asks on the terminal where standard input is one; else the value is standard input, or the file that
  /// is named.
  init(_ arguments: ParsedArguments) throws(CommandError) {
    guard let path = arguments.path(.valueFile) else {
      guard isatty(STDIN_FILENO) == 1 else {
        self = try Self.standardInput()
        return
      }
      guard let prompt = PassphrasePrompt() else {
        throw .usage("there is no value", hint: "pipe it in, or name a file: '--value-file FILE'")
      }
      self = .atHand(try prompt.askForValue())
      return
    }
    let descriptor = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .system(path, errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      close(descriptor)
      throw .usage("\(quoted(path)) is a directory, not a value")
    }
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    self = .read(
      FileSource(descriptor: descriptor, byteCount: isRegular ? UInt64(status.st_size) : nil))
  }

  private static func standardInput() throws(CommandError) -> NewValue {
    var start = SecretBytes(count: memoryLimit)
    var count = 0
    while count < start.count {
      let part: Int
      do {
        part = try readSome(from: STDIN_FILENO, into: &start, at: count)
      } catch {
        throw CommandError(.failed, "standard input: \(systemReason(error.code))")
      }
      if part == 0 {
        start.resize(to: count)
        return .atHand(start.copy())
      }
      count += part
    }
    return .read(FileSource(descriptor: dup(STDIN_FILENO), byteCount: nil, behind: start))
  }
}

extension ArchiveChange {
  /// Adds the item, or gives the one with its primary key these attributes and this value; what is not
  /// named stays.
  ///
  /// - Returns: `added` or `changed`.
  fileprivate func put(
    _ item: KeychainItem, _ value: borrowing NewValue
  ) throws(CommandError) -> String {
    do throws(ArchiveError) {
      let old = try editor.item(like: item)
      let merged = item.merged(into: old)
      switch value {
      case .atHand(let bytes):
        try editor.put(merged, value: bytes.bytes, replacing: old, origin: 0)
      case .read(let source):
        try editor.put(merged, source: source, replacing: old, origin: 0)
      }
      return old == nil ? "added" : "changed"
    } catch {
      throw CommandError(error, file: path)
    }
  }
}
