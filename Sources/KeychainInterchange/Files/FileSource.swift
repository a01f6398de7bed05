// A file's bytes on their way into an archive.

package import ArchiveContainer
package import ArchiveCrypto
internal import ByteCoding
internal import Glibc

/// Reads a file from its start to its end, once.
package final class FileSource: ValueSource {
  /// Nil for pipes and devices.
  package let byteCount: UInt64?
  private let device: FileDevice
  private var position: UInt64 = 0
  /// What was read before, and comes first; empty once it has been given.
  private var start = SecretBytes(count: 0)

  /// Opens the regular file at `path` if it is still the one that was looked at.
  init(_ path: [UInt8], expecting status: stat) throws(FileError) {
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (isRegular ? O_NOFOLLOW : 0)
    let descriptor = unsafe open(terminated(path), flags)
    guard descriptor >= 0 else {
      throw FileError(path: path, operation: "opening", number: errno)
    }
    device = FileDevice(descriptor: descriptor)
    var now = stat()
    guard unsafe fstat(descriptor, &now) == 0, now.st_ino == status.st_ino,
      now.st_dev == status.st_dev
    else { throw FileError(path: path, operation: "opening", number: ESTALE) }
    byteCount = isRegular ? UInt64(now.st_size) : nil
  }

  /// Takes over a descriptor.
  ///
  /// - Parameter byteCount: nil for what is no regular file: it is read from where it stands.
  package init(descriptor: CInt, byteCount: UInt64?) {
    device = FileDevice(descriptor: descriptor, isStream: byteCount == nil)
    self.byteCount = byteCount
  }

  /// Takes over a descriptor whose first bytes were read.
  package convenience init(
    descriptor: CInt, byteCount: UInt64?, behind start: consuming SecretBytes
  ) {
    self.init(descriptor: descriptor, byteCount: byteCount)
    self.start = start
  }

  package func read(into target: inout MutableRawSpan) throws(ContainerError) -> Int {
    let first = min(start.count, target.byteCount)
    if first > 0 {
      start.withBytes { target.store($0.extracting(0..<first), at: 0) }
      start.removeFirst(first)
    }
    guard first < target.byteCount else { return first }
    var rest = target._mutatingExtracting(first..<target.byteCount)
    do {
      let count = try device.read(into: &rest, at: position)
      position += UInt64(count)
      return first + count
    } catch {
      throw ContainerError(
        .sourceFailed, "\(error.operation) failed: \(SystemMessage.text(error.number))")
    }
  }
}
