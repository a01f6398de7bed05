// A file, block device or pipe behind a descriptor.
//
// Files are read with pread(2) into our own buffers and never mapped: a mapped file that someone
// else cuts is a SIGBUS, and its bytes can change between a check and their use.

internal import CLinux
internal import Glibc
internal import Synchronization

package final class FileDevice: Device {
  package let descriptor: CInt
  package let isSeekable: Bool
  private let ownsDescriptor: Bool
  /// Where a pipe stands for reading and writing.
  private let pipeOffset = Mutex<UInt64>(0)
  /// Up to where the disk was asked to start writing.
  private let syncStarted = Mutex<UInt64>(0)

  /// How much is handed to the disk at a time.
  private static let syncStep: UInt64 = 16 << 20

  /// - Parameters:
  ///   - descriptor: open; closed with the device when it is owned.
  ///   - isOwned: whether the device closes it.
  ///   - isStream: reads and writes go on where the descriptor stands, as with a pipe: standard input
  ///     and output may be files in whose middle someone else has left off.
  package init(descriptor: CInt, isOwned: Bool = true, isStream: Bool = false) {
    self.descriptor = descriptor
    ownsDescriptor = isOwned
    var status = stat()
    let isRegular =
      unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    isSeekable = isRegular && !isStream
  }

  /// Opens `path` for reading.
  package convenience init(reading path: String) throws(DeviceError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw DeviceError(operation: "opening", number: errno) }
    self.init(descriptor: descriptor)
  }

  deinit {
    if ownsDescriptor { close(descriptor) }
  }

  package func byteCount() throws(DeviceError) -> UInt64 {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw DeviceError(operation: "reading the size", number: errno)
    }
    guard isSeekable, let count = UInt64(exactly: status.st_size) else {
      throw DeviceError(operation: "seeking", number: ESPIPE)
    }
    return count
  }

  package func read(
    into target: inout MutableRawSpan, at offset: UInt64
  ) throws(DeviceError) -> Int {
    guard let start = off_t(exactly: offset) else {
      throw DeviceError(operation: "reading", number: EOVERFLOW)
    }
    if !isSeekable { try checkPipe(at: offset) }
    let result = unsafe target.withUnsafeMutableBytes { bytes -> (count: Int, number: Int32) in
      var done = 0
      while done < bytes.count {
        let next = unsafe bytes.baseAddress!.advanced(by: done)
        let count =
          isSeekable
          ? unsafe pread(descriptor, next, bytes.count - done, start + off_t(done))
          : unsafe Glibc.read(descriptor, next, bytes.count - done)
        if count < 0 {
          if errno == EINTR { continue }
          return (done, errno)
        }
        if count == 0 { break }
        done += count
      }
      return (done, 0)
    }
    guard result.number == 0 else {
      throw DeviceError(operation: "reading", number: result.number)
    }
    if !isSeekable { pipeOffset.withLock { $0 += UInt64(result.count) } }
    return result.count
  }

  package func write(_ source: RawSpan, at offset: UInt64) throws(DeviceError) {
    guard let start = off_t(exactly: offset) else {
      throw DeviceError(operation: "writing", number: EOVERFLOW)
    }
    if !isSeekable { try checkPipe(at: offset) }
    let number = unsafe source.withUnsafeBytes { bytes -> Int32 in
      var done = 0
      while done < bytes.count {
        let next = unsafe bytes.baseAddress!.advanced(by: done)
        let count =
          isSeekable
          ? unsafe pwrite(descriptor, next, bytes.count - done, start + off_t(done))
          : unsafe Glibc.write(descriptor, next, bytes.count - done)
        if count < 0 {
          if errno == EINTR { continue }
          return errno
        }
        done += count
      }
      return 0
    }
    guard number == 0 else { throw DeviceError(operation: "writing", number: number) }
    if !isSeekable { pipeOffset.withLock { $0 += UInt64(source.byteCount) } }
  }

  package func sync() throws(DeviceError) {
    guard fdatasync(descriptor) == 0 else {
      // Pipes and some devices have nothing to sync.
      if errno == EINVAL || errno == EROFS { return }
      throw DeviceError(operation: "syncing", number: errno)
    }
  }

  package func startSync(below offset: UInt64) {
    guard isSeekable else { return }
    let range = syncStarted.withLock { started -> Range<UInt64>? in
      guard offset >= started + Self.syncStep else { return nil }
      defer { started = offset }
      return started..<offset
    }
    guard let range, let start = off_t(exactly: range.lowerBound),
      let count = off_t(exactly: range.upperBound - range.lowerBound)
    else { return }
    // What it can't do, `sync` does.
    _ = sync_file_range(descriptor, start, count, UInt32(SYNC_RANGE_START_WRITING))
  }

  package func truncate(to count: UInt64) throws(DeviceError) {
    guard let count = off_t(exactly: count) else {
      throw DeviceError(operation: "cutting", number: EFBIG)
    }
    guard ftruncate(descriptor, count) == 0 else {
      throw DeviceError(operation: "cutting", number: errno)
    }
  }

  private func checkPipe(at offset: UInt64) throws(DeviceError) {
    guard pipeOffset.withLock({ $0 }) == offset else {
      throw DeviceError(operation: "seeking", number: ESPIPE)
    }
  }
}
