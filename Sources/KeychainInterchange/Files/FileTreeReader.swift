// Reads files and directories into `file` items: path, mode, times; links as links.
//
// A directory's item follows those of its content, so that restoring can set its mode and time when
// nothing more is written into it.

internal import ArchiveContainer
internal import ByteCoding
internal import Glibc
package import KeychainModel

/// Something of a directory tree that does not go into the archive.
package struct SkippedFile: Sendable {
  package let path: [UInt8]
  /// `a socket`, `a FIFO`.
  package let reason: String
  /// Whether its owner would miss it: not so the file that the archive takes the place of.
  package let isLoss: Bool
}

/// A system call on a path that failed.
package struct FileError: Error, Sendable {
  package let path: [UInt8]
  package let operation: String
  package let number: Int32
}

/// What reading a tree gives, one after the other.
package enum FileEntry {
  /// An item without a value: a directory or a link.
  case item(KeychainItem)
  /// A file; its bytes come from the source.
  case file(KeychainItem, FileSource)
  case skipped(SkippedFile)
}

/// Walks over what one operand of a command line names.
package struct FileTreeReader {
  /// What tells a file from all others, whatever its name.
  package struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    /// The identity of what is open as `descriptor`.
    package init?(descriptor: CInt) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return nil }
      self.init(status)
    }

    /// The identity of what is at `path`, links followed.
    package init?(path: [UInt8]) {
      var status = stat()
      guard unsafe stat(terminated(path), &status) == 0 else { return nil }
      self.init(status)
    }

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  private struct Directory {
    let path: [UInt8]
    let name: PathName?
    let status: stat
    /// Names still to be visited, the next one last.
    var names: [[UInt8]]
  }

  private let root: [UInt8]
  private let written: Identity?
  private let replaced: Identity?
  private var open: [Directory] = []
  private var isStarted = false

  /// - Parameters:
  ///   - path: as it was given.
  ///   - written: the archive that is being written under another name, left out without a word.
  ///   - replaced: the file that it takes the place of, left out and told.
  package init(_ path: [UInt8], writing written: Identity?, replacing replaced: Identity?) {
    root = path
    self.written = written
    self.replaced = replaced
  }

  /// The next entry, or nil behind the last.
  package mutating func next() throws(FileError) -> FileEntry? {
    if !isStarted {
      isStarted = true
      if let entry = try visit(root, PathName(archiving: root), isOperand: true) { return entry }
    }
    while var directory = open.popLast() {
      guard let name = directory.names.popLast() else {
        // Its content is done. A folder without a name of its own (`.`) needs no item.
        guard let name = directory.name else { continue }
        return .item(Self.item(.directory, name, directory.status))
      }
      let path = directory.path + [UInt8(ascii: "/")] + name
      let child = directory.name?.appending(name) ?? PathName(archiving: name)
      open.append(directory)
      if let entry = try visit(path, child, isOperand: false) { return entry }
    }
    return nil
  }

  /// - Returns: nil for a directory, which is then open, and for the archive that is being written.
  private mutating func visit(
    _ path: [UInt8], _ name: PathName?, isOperand: Bool
  ) throws(FileError) -> FileEntry? {
    var status = stat()
    guard unsafe lstat(terminated(path), &status) == 0 else {
      throw FileError(path: path, operation: "reading", number: errno)
    }
    // A pipe that the shell names (/dev/fd/63) is a link to it: it is read, not kept as a link.
    if isOperand, status.st_mode & S_IFMT == S_IFLNK {
      var target = stat()
      if unsafe stat(terminated(path), &target) == 0,
        [S_IFIFO, S_IFCHR, S_IFSOCK].contains(target.st_mode & S_IFMT)
      {
        status = target
      }
    }
    let identity = Identity(status)
    if identity == written { return nil }
    if identity == replaced {
      return .skipped(SkippedFile(path: path, reason: "the output", isLoss: false))
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      open.append(
        Directory(path: path, name: name, status: status, names: try Self.names(in: path)))
      return nil
    case S_IFREG:
      guard let name else { break }
      let source = try FileSource(path, expecting: status)
      return .file(Self.item(.file, name, status), source)
    case S_IFLNK:
      guard let name else { break }
      var item = Self.item(.link, name, status)
      item[.link] = .bytesOrText(try Self.target(of: path))
      return .item(item)
    case S_IFIFO where isOperand, S_IFCHR where isOperand:
      guard let name else { break }
      return .file(Self.item(.file, name, status), try FileSource(path, expecting: status))
    default: break
    }
    return .skipped(
      SkippedFile(path: path, reason: Self.kindName(status.st_mode), isLoss: true))
  }

  private static func item(_ kind: FileKind, _ name: PathName, _ status: stat) -> KeychainItem {
    KeychainItem(
      .file,
      attributes: [
        Attribute(.kind, .text(kind.rawValue)),
        Attribute(.mode, .integer(Int64(status.st_mode & 0o7777))),
        Attribute(.modificationTime, .date(FileTime.seconds(status.st_mtim))),
        Attribute(.path, name.attributeValue),
      ])
  }

  private static func kindName(_ mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFIFO: "a FIFO"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "nothing that has a name"
    }
  }

  /// The names in a directory, the first in byte order last.
  private static func names(in path: [UInt8]) throws(FileError) -> [[UInt8]] {
    guard let directory = unsafe opendir(terminated(path)) else {
      throw FileError(path: path, operation: "reading", number: errno)
    }
    defer { unsafe closedir(directory) }
    var names: [[UInt8]] = []
    errno = 0
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes in
          unsafe Array(UnsafeBufferPointer(start: bytes, count: strnlen(name, 256)))
        }
      }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw FileError(path: path, operation: "reading", number: errno) }
    return names.sorted { $1.lexicographicallyPrecedes($0) }
  }

  private static func target(of path: [UInt8]) throws(FileError) -> [UInt8] {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(terminated(path), &buffer, buffer.count)
    guard count >= 0, count < buffer.count else {
      throw FileError(
        path: path, operation: "reading the link", number: count < 0 ? errno : ENAMETOOLONG)
    }
    return buffer[..<count].map { UInt8(bitPattern: $0) }
  }
}

/// Times of files as the archive has them: seconds since 2001-01-01 as Float64.
enum FileTime {
  private static let epoch = 978_307_200

  static func seconds(_ time: timespec) -> Double {
    Double(time.tv_sec - epoch) + Double(time.tv_nsec) / 1e9
  }

  /// - Returns: nil for what no file can have.
  static func timespec(_ seconds: Double) -> Glibc.timespec? {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
    let whole = seconds.rounded(.down)
    // Float64 has about 0.1 µs at today's dates: the nearest of those is what was meant.
    let nanoseconds = min(999_999_999, Int(((seconds - whole) * 1e9).rounded()))
    return Glibc.timespec(tv_sec: Int(whole) + epoch, tv_nsec: nanoseconds)
  }
}
