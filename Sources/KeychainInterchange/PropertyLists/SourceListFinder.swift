// The lists that an operand of `migrate` names: a file, or all below a folder that are called as lists are.

internal import ArchiveContainer
internal import ByteCoding
internal import Glibc
internal import KeychainModel
package import PropertyListCodec

/// What is at a place where a list was looked for.
package enum FoundList: Sendable {
  case list(SourceList)
  /// Not a list, or a malformed one.
  case unreadable(file: [UInt8], PropertyListError)
  /// Named like a list, and no file.
  case skipped(SkippedFile)
}

/// Finds and reads lists.
package enum SourceListFinder {
  /// All lists that `operand` names, in the order of their paths' bytes.
  package static func lists(
    of operand: [UInt8], options: PropertyListDocument.Options
  ) throws(FileError) -> (found: [FoundList], isFolder: Bool) {
    var status = stat()
    guard unsafe stat(terminated(operand), &status) == 0 else {
      throw FileError(path: operand, operation: "reading", number: errno)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      let name = operand.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? operand
      let bytes = try content(of: operand)
      return ([read(bytes, operand, path: name, item(name, status), options)], false)
    }
    let prefix = PathName(archiving: operand).map { $0.bytes + [UInt8(ascii: "/")] } ?? []
    var tree = FileTreeReader(operand, writing: nil, replacing: nil)
    var found: [(path: [UInt8], list: FoundList)] = []
    while let entry = try tree.next() {
      switch entry {
      case .file(let item, let source):
        guard let path = path(of: item, below: prefix), isList(path) else { continue }
        let file = operand + [UInt8(ascii: "/")] + path
        let bytes = try content(of: source, file)
        found.append((path, read(bytes, file, path: path, item, options)))
      case .item(let item):
        guard let path = path(of: item, below: prefix), isList(path), item[.link] != nil else {
          continue
        }
        let file = operand + [UInt8(ascii: "/")] + path
        found.append((path, .skipped(SkippedFile(path: file, reason: "a link", isLoss: true))))
      case .skipped(let skipped):
        if isList(skipped.path) { found.append((skipped.path, .skipped(skipped))) }
      }
    }
    found.sort { $0.path.lexicographicallyPrecedes($1.path) }
    return (found.map(\.list), true)
  }

  /// The bytes of a file.
  package static func content(of file: [UInt8]) throws(FileError) -> [UInt8] {
    let descriptor = unsafe open(terminated(file), O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw FileError(path: file, operation: "opening", number: errno)
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      close(descriptor)
      throw FileError(path: file, operation: "reading", number: EISDIR)
    }
    return try content(
      of: FileSource(descriptor: descriptor, byteCount: UInt64(max(0, status.st_size))), file)
  }

  private static func content(
    of source: FileSource, _ file: [UInt8]
  ) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    // One byte more than there should be, to see the end.
    bytes.reserveCapacity(Int(clamping: source.byteCount ?? 0) + 1)
    var part = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count: Int
      do throws(ContainerError) {
        var target = part.mutableBytes
        count = try source.read(into: &target)
      } catch {
        throw FileError(path: file, operation: "reading", number: EIO)
      }
      if count == 0 { return bytes }
      bytes.append(contentsOf: part[..<count])
    }
  }

  private static func read(
    _ bytes: [UInt8], _ file: [UInt8], path: [UInt8], _ item: KeychainItem,
    _ options: PropertyListDocument.Options
  ) -> FoundList {
    do throws(PropertyListError) {
      let isSigned = ContentKind(bytes) == .signedList
      let list = isSigned ? try SignedList.content(of: bytes) : bytes
      let document = try PropertyListDocument(list, options: options)
      guard document.format != .typedStream else {
        throw PropertyListError(
          .unsupportedFormat, offset: 0,
          reason: "a typed stream (NSArchiver), which holds objects and no preferences")
      }
      return .list(
        SourceList(
          file: file, path: path, document: document, signedMessage: isSigned ? bytes : nil,
          fileItem: item))
    } catch {
      return .unreadable(file: file, error)
    }
  }

  private static func item(_ name: [UInt8], _ status: stat) -> KeychainItem {
    KeychainItem(
      .file,
      attributes: [
        Attribute(.kind, .text(FileKind.file.rawValue)),
        Attribute(.mode, .integer(Int64(status.st_mode & 0o7777))),
        Attribute(.modificationTime, .date(FileTime.seconds(status.st_mtim))),
        Attribute(.path, .bytesOrText(name)),
      ])
  }

  /// The path of an item behind `prefix`.
  private static func path(of item: KeychainItem, below prefix: [UInt8]) -> [UInt8]? {
    guard let path = PathName(restoring: item)?.bytes, path.starts(with: prefix) else { return nil }
    return Array(path.dropFirst(prefix.count))
  }

  /// Whether a list is called so: `.plist`, in capitals too, or GNUstep's file of all domains.
  private static func isList(_ path: [UInt8]) -> Bool {
    let name = path.split(separator: UInt8(ascii: "/")).last ?? []
    if name.elementsEqual(".GNUstepDefaults".utf8) { return true }
    return path.count > 6
      && path.suffix(6).map { 65...90 ~= $0 ? $0 | 0x20 : $0 } == Array(".plist".utf8)
  }
}
