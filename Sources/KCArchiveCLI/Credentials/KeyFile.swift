// Key files: any file of 32 bytes or more, all of which counts.

internal import ArchiveCrypto
internal import Glibc

/// A key file that is open and long enough, as far as that can be seen without reading it.
package final class KeyFile: Sendable {
  /// The fewest bytes that make a key.
  package static let leastByteCount = 32

  package let path: FilePath
  private let descriptor: Descriptor

  /// - Throws: `notFound`; `usage` for what is too short, a directory or a device without an end.
  init(_ path: FilePath) throws(CommandError) {
    descriptor = try .reading(path)
    self.path = path
    var status = stat()
    guard unsafe fstat(descriptor.number, &status) == 0 else { throw .system(path, errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG where status.st_size < Self.leastByteCount: throw tooShort(Int(status.st_size))
    case S_IFDIR: throw refusal("is a directory, not a key file")
    case S_IFCHR: throw refusal("is a device without an end, not a key file")
    default: break
    }
  }

  /// Gives the whole content to `body`, in pieces of at most 64 KiB. A regular file can be read again
  /// and again, a pipe once.
  ///
  /// - Throws: `usage` if a pipe turns out to be too short, `failed` if reading fails.
  package func forEachChunk(
    _ body: (RawSpan) throws(CommandError) -> Void
  ) throws(CommandError) {
    // A pipe has no place to go back to, and needs none.
    lseek(descriptor.number, 0, SEEK_SET)
    var buffer = SecretBytes(count: 0, capacity: 1 << 16)
    var total = 0
    while true {
      buffer.resize(to: buffer.capacity)
      do {
        buffer.resize(to: try readSome(from: descriptor.number, into: &buffer, at: 0))
      } catch {
        throw .system(path, error.code)
      }
      if buffer.count == 0 { break }
      total += buffer.count
      try body(buffer.bytes)
    }
    guard total >= Self.leastByteCount else { throw tooShort(total) }
  }

  private func tooShort(_ byteCount: Int) -> CommandError {
    refusal("has \(counted(UInt64(byteCount), "byte")), a key file needs \(Self.leastByteCount)")
  }

  private func refusal(_ reason: String) -> CommandError {
    CommandError(.usage, reason, place: CommandError.Place(file: path))
  }
}
