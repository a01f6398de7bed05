// File descriptors that close themselves, and reads and writes that survive interruptions.

internal import Glibc

/// A file descriptor that is closed when it goes.
package struct Descriptor: ~Copyable, Sendable {
  package let number: Int32

  /// Takes over `number`.
  package init(owning number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Opens `path` for reading; children of ours don't inherit it.
  ///
  /// - Throws: `notFound` or `failed`, with the path as place.
  package static func reading(_ path: FilePath) throws(CommandError) -> Descriptor {
    try opening(path, flags: O_RDONLY)
  }

  /// Opens `path` with `flags` of open(2).
  static func opening(_ path: FilePath, flags: Int32) throws(CommandError) -> Descriptor {
    let number = unsafe path.withCString { unsafe open($0, flags | O_CLOEXEC) }
    guard number >= 0 else { throw .system(path, errno) }
    return Descriptor(owning: number)
  }
}

/// The error number of a failed system call.
struct SystemFailure: Error {
  let code: Int32
}

/// Fills `target` from its start with what one read(2) gives: 0 bytes at the end of the input.
func readSome(
  from descriptor: Int32, into target: UnsafeMutableRawBufferPointer
) throws(SystemFailure) -> Int {
  while true {
    let count = unsafe read(descriptor, target.baseAddress, target.count)
    if count >= 0 { return count }
    guard errno == EINTR else { throw SystemFailure(code: errno) }
  }
}

/// Writes all of `bytes`, in as many calls as it takes.
func writeAll(_ bytes: RawSpan, to descriptor: Int32) throws(SystemFailure) {
  try unsafe bytes.withUnsafeBytes { source throws(SystemFailure) in
    var rest = unsafe source[...]
    while unsafe !rest.isEmpty {
      let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
      let count = unsafe write(descriptor, part.baseAddress, part.count)
      if count >= 0 {
        unsafe rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Somebody made the pipe non-blocking, and that counts for us too: wait for room.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
      } else if errno != EINTR {
        throw SystemFailure(code: errno)
      }
    }
  }
}
