// Files that a JSON item names as its value: below the JSON's folder, never through a link.

internal import ArchiveContainer
internal import Glibc

extension FileSource {
  /// Opens `path` below `folder`, one directory after the other, following no link: nothing that leads
  /// out can be read into an archive.
  package convenience init(
    below folder: [UInt8], _ path: [UInt8]
  ) throws(FileError) {
    let parts = path.split(separator: UInt8(ascii: "/"))
    var directory = unsafe open(
      terminated(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0, let name = parts.last else {
      throw FileError(path: folder, operation: "opening", number: directory < 0 ? errno : EISDIR)
    }
    for part in parts.dropLast() {
      let next = unsafe openat(
        directory, terminated(Array(part)), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      let number = errno
      close(directory)
      guard next >= 0 else { throw FileError(path: path, operation: "opening", number: number) }
      directory = next
    }
    defer { close(directory) }
    let descriptor = unsafe openat(
      directory, terminated(Array(name)), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw FileError(path: path, operation: "opening", number: errno)
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileError(path: path, operation: "opening", number: EINVAL)
    }
    self.init(descriptor: descriptor, byteCount: UInt64(status.st_size))
  }
}
