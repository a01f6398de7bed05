// Brings `file` items back below a folder, and nowhere else.
//
// Every directory on the way is opened without following links, starting from the folder's own
// descriptor: neither a path nor a link that the archive made can lead out.

package import ArchiveContainer
internal import ByteCoding
internal import CLinux
internal import Glibc
package import KeychainModel

/// Why an item did not become a file.
package struct RestoreRefusal: Error, Sendable {
  package enum Kind: Sendable {
    /// Its path, link or kind is one that is never followed; others go on.
    case refused
    /// Something is there already.
    case exists
    /// A system call failed.
    case failed
  }

  package let kind: Kind
  package let reason: String
}

package final class FileTreeWriter {
  private let root: CInt
  private let replaces: Bool
  private let observer: (any TemporaryFileObserver)?

  /// Opens the folder, which is created where it is missing.
  ///
  /// - Parameter replaces: whether files that are there may be replaced.
  package init(
    below folder: [UInt8], replacing replaces: Bool, observer: (any TemporaryFileObserver)?
  ) throws(FileError) {
    self.replaces = replaces
    self.observer = observer
    let path = terminated(folder)
    if unsafe mkdir(path, 0o777) != 0, errno != EEXIST {
      throw FileError(path: folder, operation: "creating", number: errno)
    }
    root = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard root >= 0 else { throw FileError(path: folder, operation: "opening", number: errno) }
  }

  deinit {
    close(root)
  }

  /// Says why `item` could not be restored, without writing anything: what can be known beforehand.
  package func check(_ item: KeychainItem) throws(RestoreRefusal) {
    let (path, kind) = try Self.pathAndKind(item)
    var parent = root
    defer { if parent != root { close(parent) } }
    for part in path.parts.dropLast() {
      let next = unsafe openat(
        parent, terminated(Array(part)), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      if next < 0 {
        // A directory that is not there yet has nothing in it.
        if errno == ENOENT { return }
        throw Self.failure("a directory on the way", errno)
      }
      if parent != root { close(parent) }
      parent = next
    }
    var status = stat()
    guard
      unsafe fstatat(
        parent, terminated(Array(path.parts[path.parts.count - 1])), &status,
        AT_SYMLINK_NOFOLLOW) == 0
    else { return }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    if kind == .directory, isDirectory { return }
    guard replaces, !isDirectory, kind != .directory else {
      throw RestoreRefusal(kind: .exists, reason: "something is there already")
    }
  }

  /// Restores a file; `fill` writes its bytes to the sink that it is given.
  package func restore<E: Error>(
    _ item: KeychainItem, fill: (any ValueSink) throws(E) -> Void
  ) throws(E) -> RestoreRefusal? {
    let place: (parent: CInt, name: [CChar])
    let kind: FileKind
    do {
      let path: PathName
      (path, kind) = try Self.pathAndKind(item)
      place = try openParent(of: path)
    } catch {
      return error
    }
    defer { if place.parent != root { close(place.parent) } }
    do {
      switch kind {
      case .directory: try makeDirectory(item, place.parent, place.name)
      case .link: try makeLink(item, place.parent, place.name)
      case .file:
        let file = try TemporaryEntry(in: place.parent, for: place.name, observer: observer)
        let sink = DescriptorSink(file.descriptor)
        do throws(E) {
          try fill(sink)
        } catch {
          throw Interruption(error: error)
        }
        try finish(file, item, place.name)
      }
      return nil
    } catch let error as RestoreRefusal {
      return error
    } catch let error as Interruption<E> {
      throw error.error
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
  }

  /// What `fill` threw, on its way through our own errors.
  private struct Interruption<E: Error>: Error {
    let error: E
  }

  private func finish(
    _ file: TemporaryEntry, _ item: KeychainItem, _ name: [CChar]
  ) throws(RestoreRefusal) {
    try Self.setTimeAndMode(of: file.descriptor, item)
    try file.publish(as: name, replacing: replaces)
  }

  private static func pathAndKind(
    _ item: KeychainItem
  ) throws(RestoreRefusal) -> (PathName, FileKind) {
    guard let path = PathName(restoring: item) else {
      throw RestoreRefusal(kind: .refused, reason: "its path leads out of the folder, or is none")
    }
    let kind: FileKind
    switch item[.kind] {
    case nil: kind = .file
    case .text(let text):
      guard let known = FileKind(rawValue: text) else { fallthrough }
      kind = known
    default: throw RestoreRefusal(kind: .refused, reason: "its kind is not known")
    }
    if kind == .link {
      guard let target = linkTarget(item), path.linkStaysInside(target) else {
        throw RestoreRefusal(kind: .refused, reason: "the link leads out of the folder")
      }
    }
    return (path, kind)
  }

  private static func linkTarget(_ item: KeychainItem) -> [UInt8]? {
    let target: [UInt8]
    switch item[.link] {
    case .text(let text): target = Array(text.utf8)
    case .bytes(let bytes): target = bytes
    default: return nil
    }
    return target.isEmpty || target.contains(0) ? nil : target
  }

  /// Opens the directory that `path` is in, making what is missing.
  private func openParent(
    of path: PathName
  ) throws(RestoreRefusal) -> (parent: CInt, name: [CChar]) {
    let parts = path.parts
    var parent = root
    for part in parts.dropLast() {
      let name = terminated(Array(part))
      if unsafe mkdirat(parent, name, 0o700) != 0, errno != EEXIST {
        let number = errno
        if parent != root { close(parent) }
        throw Self.failure("creating a directory", number)
      }
      let next = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      let number = errno
      if parent != root { close(parent) }
      guard next >= 0 else {
        throw number == ENOTDIR || number == ELOOP
          ? RestoreRefusal(kind: .refused, reason: "a part of its path is no directory")
          : Self.failure("opening a directory", number)
      }
      parent = next
    }
    return (parent, terminated(Array(parts[parts.count - 1])))
  }

  private func makeDirectory(
    _ item: KeychainItem, _ parent: CInt, _ name: [CChar]
  ) throws(RestoreRefusal) {
    if unsafe mkdirat(parent, name, 0o700) != 0, errno != EEXIST {
      throw Self.failure("creating", errno)
    }
    let descriptor = unsafe openat(
      parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw RestoreRefusal(kind: .exists, reason: "something is there already")
    }
    defer { close(descriptor) }
    try Self.setTimeAndMode(of: descriptor, item)
  }

  private func makeLink(
    _ item: KeychainItem, _ parent: CInt, _ name: [CChar]
  ) throws(RestoreRefusal) {
    guard let target = Self.linkTarget(item) else {
      throw RestoreRefusal(kind: .refused, reason: "the link leads nowhere")
    }
    if replaces { unsafe unlinkat(parent, name, 0) }
    guard unsafe symlinkat(terminated(target), parent, name) == 0 else {
      throw errno == EEXIST
        ? RestoreRefusal(kind: .exists, reason: "something is there already")
        : Self.failure("creating the link", errno)
    }
    if let time = Self.time(item) {
      let times = [Glibc.timespec(tv_sec: 0, tv_nsec: Int(TIME_OMITTED)), time]
      unsafe utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW)
    }
  }

  private static func time(_ item: KeychainItem) -> Glibc.timespec? {
    guard case .date(let seconds) = item[.modificationTime] else { return nil }
    return FileTime.timespec(seconds)
  }

  private static func setTimeAndMode(
    of descriptor: CInt, _ item: KeychainItem
  ) throws(RestoreRefusal) {
    // Never a set-id bit: an archive does not make programs that run as someone else.
    if case .integer(let mode) = item[.mode],
      fchmod(descriptor, mode_t(truncatingIfNeeded: mode) & 0o1777) != 0
    {
      throw failure("setting the mode", errno)
    }
    if let time = time(item) {
      let times = [Glibc.timespec(tv_sec: 0, tv_nsec: Int(TIME_OMITTED)), time]
      guard unsafe futimens(descriptor, times) == 0 else {
        throw failure("setting the time", errno)
      }
    }
  }

  static func failure(_ operation: String, _ number: CInt) -> RestoreRefusal {
    RestoreRefusal(
      kind: .failed, reason: "\(operation) failed: \(SystemMessage.text(number))")
  }
}

/// A file that gets its name when it is whole.
private final class TemporaryEntry {
  let descriptor: CInt
  private let parent: CInt
  private let name: [CChar]
  private let observer: (any TemporaryFileObserver)?
  private var isPublished = false

  init(
    in parent: CInt, for final: [CChar], observer: (any TemporaryFileObserver)?
  ) throws(RestoreRefusal) {
    self.parent = parent
    self.observer = observer
    for _ in 0..<100 {
      let random = String(UInt32.random(in: 0 ... .max), radix: 36)
      let name = Array(".kcarchive.\(random).partial".utf8)
      observer?.willCreate(name, in: parent)
      let descriptor = unsafe openat(
        parent, terminated(name), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor >= 0 {
        self.descriptor = descriptor
        self.name = terminated(name)
        return
      }
      let number = errno
      observer?.isGone()
      guard number == EEXIST else { throw FileTreeWriter.failure("creating", number) }
    }
    throw FileTreeWriter.failure("creating", EEXIST)
  }

  deinit {
    close(descriptor)
    if !isPublished {
      unsafe unlinkat(parent, name, 0)
      observer?.isGone()
    }
  }

  func publish(as final: [CChar], replacing replaces: Bool) throws(RestoreRefusal) {
    if !replaces {
      let flags = UInt32(RENAME_WITHOUT_REPLACING)
      if unsafe renameat2(parent, name, parent, final, flags) != 0 {
        // Where the file system can't do it in one step, what `check` saw stands.
        guard errno == EINVAL || errno == ENOSYS, unsafe faccessat(parent, final, F_OK, 0) != 0
        else { throw RestoreRefusal(kind: .exists, reason: "something is there already") }
        try rename(final)
      }
    } else {
      try rename(final)
    }
    isPublished = true
    observer?.isGone()
  }

  private func rename(_ final: [CChar]) throws(RestoreRefusal) {
    guard unsafe renameat(parent, name, parent, final) == 0 else {
      throw errno == EISDIR || errno == ENOTEMPTY
        ? RestoreRefusal(kind: .exists, reason: "a directory is there already")
        : FileTreeWriter.failure("renaming", errno)
    }
  }
}

/// Writes a value to a file in order.
private final class DescriptorSink: ValueSink {
  private let device: FileDevice
  private var position: UInt64 = 0

  init(_ descriptor: CInt) {
    device = FileDevice(descriptor: descriptor, isOwned: false)
  }

  func write(_ bytes: RawSpan) throws(ContainerError) {
    do {
      try device.write(bytes, at: position)
    } catch {
      throw ContainerError(
        .ioFailed, "\(error.operation) failed: \(SystemMessage.text(error.number))")
    }
    position += UInt64(bytes.byteCount)
  }
}
