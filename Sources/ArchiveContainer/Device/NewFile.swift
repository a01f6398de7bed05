// How an output file comes to be: whole or not at all (Spec/container.md, "New files").
//
// A temporary sibling, made with O_EXCL and mode 0600, is written, synced, read back by the caller and
// renamed; then its directory is synced. Devices, FIFOs and sockets are written through.

internal import CLinux
internal import Glibc

/// Is told about a temporary file, so that a signal's handler can remove it.
package protocol TemporaryFileObserver: AnyObject {
  /// The file at `path`, relative to the directory open as `directory`, is about to be created.
  func willCreate(_ path: [UInt8], in directory: CInt)
  /// It is gone, or has its final name.
  func isGone()
}

package final class NewFile {
  /// Where the output goes; reads what was written where that is a file.
  package let device: FileDevice
  /// Whether the output is a device, FIFO or socket.
  package let isWrittenThrough: Bool

  /// Paths are bytes with a zero byte behind; they need not be text.
  private let path: [CChar]
  private let replaces: Bool
  private let temporaryPath: [CChar]?
  private let observer: (any TemporaryFileObserver)?
  private var isFinished = false

  /// - Parameters:
  ///   - pathBytes: of the output.
  ///   - replaces: whether a file that is there may be replaced.
  ///   - mode: permission bits of a new file.
  /// - Throws: `EEXIST` where a file is there and must not be replaced.
  package init(
    _ pathBytes: [UInt8], replacing replaces: Bool, mode: UInt32 = 0o600,
    observer: (any TemporaryFileObserver)? = nil
  ) throws(DeviceError) {
    let path = terminated(pathBytes)
    self.path = path
    self.replaces = replaces
    self.observer = observer
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK:
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw DeviceError(operation: "opening", number: errno) }
        device = FileDevice(descriptor: descriptor)
        isWrittenThrough = true
        temporaryPath = nil
        return
      case S_IFDIR:
        throw DeviceError(operation: "creating", number: EISDIR)
      default: break
      }
    }
    // A link counts as what is there, also one that leads nowhere: it is never followed.
    if !replaces, unsafe lstat(path, &status) == 0 {
      throw DeviceError(operation: "creating", number: EEXIST)
    }
    let (descriptor, temporary) = try Self.createSibling(
      of: pathBytes, mode: mode, observer: observer)
    device = FileDevice(descriptor: descriptor)
    isWrittenThrough = false
    temporaryPath = temporary
  }

  deinit {
    if !isFinished { removeTemporary() }
  }

  /// Asks the file system for room, without changing the size; what it can't promise it need not.
  ///
  /// - Throws: `ENOSPC` where there is certainly not enough.
  package func reserve(_ byteCount: UInt64) throws(DeviceError) {
    guard !isWrittenThrough, byteCount > 0, let length = off_t(exactly: byteCount) else { return }
    if fallocate(device.descriptor, Int32(FALLOCATE_KEEP_SIZE), 0, length) != 0,
      errno == ENOSPC
    {
      throw DeviceError(operation: "reserving space", number: ENOSPC)
    }
  }

  /// Gives the file its name. The caller has synced it.
  package func publish() throws(DeviceError) {
    guard let temporaryPath else {
      isFinished = true
      return
    }
    try rename(temporaryPath)
    isFinished = true
    observer?.isGone()
    try Self.syncDirectory(of: path)
  }

  /// Gives back room that was reserved and not used.
  package func trim() throws(DeviceError) {
    if !isWrittenThrough { try device.truncate(to: try device.byteCount()) }
  }

  private func rename(_ temporaryPath: [CChar]) throws(DeviceError) {
    if !replaces {
      let status = unsafe renameat2(
        AT_FDCWD, temporaryPath, AT_FDCWD, path, UInt32(RENAME_WITHOUT_REPLACING))
      if status == 0 { return }
      // Some file systems can't do it in one step; then what was looked up at the start stands.
      guard errno == EINVAL || errno == ENOSYS else {
        throw DeviceError(operation: "renaming", number: errno)
      }
    }
    guard unsafe Glibc.rename(temporaryPath, path) == 0 else {
      throw DeviceError(operation: "renaming", number: errno)
    }
  }

  private func removeTemporary() {
    guard let temporaryPath else { return }
    unsafe unlink(temporaryPath)
    observer?.isGone()
  }

  private static func createSibling(
    of path: [UInt8], mode: UInt32, observer: (any TemporaryFileObserver)?
  ) throws(DeviceError) -> (descriptor: CInt, path: [CChar]) {
    let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    let name = path[start...]
    guard !name.isEmpty else { throw DeviceError(operation: "creating", number: EISDIR) }
    for _ in 0..<100 {
      let random = String(UInt32.random(in: 0 ... .max), radix: 36)
      // Long names keep their start: 255 bytes are the most that file systems take.
      let sibling =
        path[..<start] + [UInt8(ascii: ".")] + name.prefix(200)
        + Array(".\(random).partial".utf8)
      let siblingPath = terminated(Array(sibling))
      observer?.willCreate(Array(sibling), in: AT_FDCWD)
      let descriptor = unsafe open(
        siblingPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
      if descriptor >= 0 { return (descriptor, siblingPath) }
      let number = errno
      observer?.isGone()
      guard number == EEXIST else { throw DeviceError(operation: "creating", number: number) }
    }
    throw DeviceError(operation: "creating", number: EEXIST)
  }

  /// Makes the new name survive a crash.
  private static func syncDirectory(of path: [CChar]) throws(DeviceError) {
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let directory =
      path.lastIndex(of: slash).map { path[...$0] + [0] } ?? [
        CChar(bitPattern: UInt8(ascii: ".")), 0,
      ]
    let descriptor = unsafe open(Array(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw DeviceError(operation: "syncing", number: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
      throw DeviceError(operation: "syncing", number: errno)
    }
  }
}
