// One writer at a time: an exclusive open-file-description lock on the archive (fcntl(2), F_OFD_SETLK). It goes
// with its descriptor, so a writer that is killed leaves none.

internal import CLinux
internal import Glibc

extension FileDevice {
  /// Opens the file at `path` for reading and writing and takes its write lock.
  ///
  /// - Parameter waits: whether to wait for another writer to end.
  /// - Throws: `DeviceError.locked` where another writer is at work and `waits` is false.
  package static func locked(
    _ path: [UInt8], waits: Bool
  ) throws(DeviceError) -> FileDevice {
    let path = terminated(path)
    while true {
      let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else { throw DeviceError(operation: "opening", number: errno) }
      let device = FileDevice(descriptor: descriptor)
      guard device.isSeekable else {
        throw DeviceError(operation: "changing in place", number: ESPIPE)
      }
      try device.lock(waits: waits)
      // Whoever replaced the file while this one waited has left it a lock on a file without a name.
      if device.isStill(at: path) { return device }
    }
  }

  private func lock(waits: Bool) throws(DeviceError) {
    while true {
      var range = flock()
      range.l_type = Int16(F_WRLCK)
      range.l_whence = Int16(SEEK_SET)
      if unsafe fcntl(descriptor, Int32(waits ? LOCK_WAITING : LOCK_AT_ONCE), &range) == 0 {
        return
      }
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: throw DeviceError.locked
      default: throw DeviceError(operation: "locking", number: errno)
      }
    }
  }

  private func isStill(at path: [CChar]) -> Bool {
    var own = stat()
    var named = stat()
    return unsafe fstat(descriptor, &own) == 0 && stat(path, &named) == 0
      && own.st_dev == named.st_dev && own.st_ino == named.st_ino
  }

  /// Whether somebody else holds the write lock.
  package var isBeingWritten: Bool {
    var range = flock()
    range.l_type = Int16(F_RDLCK)
    range.l_whence = Int16(SEEK_SET)
    return unsafe fcntl(descriptor, Int32(LOCK_ASKING), &range) == 0
      && range.l_type == Int16(F_WRLCK)
  }
}

extension DeviceError {
  /// Another writer is at work.
  package static let locked = DeviceError(operation: "locking", number: EAGAIN)
}
