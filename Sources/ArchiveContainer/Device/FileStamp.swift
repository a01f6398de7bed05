// Whether the file of a name is still the one that was read: one system call instead of reading it again.

internal import Glibc

/// What tells a file from another, and a state of it from a later one. An archive's file grows with each commit,
/// so two states are not told apart only if a crash left the one at the very length of the other within the
/// clock's step.
package struct FileStamp: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let byteCount: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// The stamp of the file that has the name `path` now.
  package init(_ path: [UInt8]) throws(DeviceError) {
    var status = stat()
    guard unsafe stat(terminated(path), &status) == 0 else {
      throw DeviceError(operation: "opening", number: errno)
    }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    byteCount = Int64(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
