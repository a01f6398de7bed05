// The one protocol under all input and output of archives: files, pipes, memory, and the devices that
// tests make fail.

internal import ByteCoding
internal import Glibc

/// What went wrong below the archive: the call and the system's error number.
package struct DeviceError: Error, Equatable, Sendable {
  package let operation: String
  package let number: Int32

  package init(operation: String, number: Int32) {
    self.operation = operation
    self.number = number
  }
}

/// Bytes at offsets. A device that can't seek takes only the offset where it stands.
package protocol Device: AnyObject, Sendable {
  /// Whether any offset can be read.
  var isSeekable: Bool { get }

  /// Whether another writer is at work on it at this moment.
  var isBeingWritten: Bool { get }

  /// The number of bytes, where that is known before they are read.
  func byteCount() throws(DeviceError) -> UInt64

  /// Reads into the front of `target` and returns how many bytes; less than asked only at the end.
  func read(
    into target: inout MutableRawSpan, at offset: UInt64
  ) throws(DeviceError) -> Int

  /// Writes all of `source`.
  func write(_ source: RawSpan, at offset: UInt64) throws(DeviceError)

  /// Makes what was written survive a crash.
  func sync() throws(DeviceError)

  /// Tells that nothing below `offset` will be written again, so that it may go to the disk while more
  /// is made: `sync` has less to wait for then. A hint that a device may ignore.
  func startSync(below offset: UInt64)

  /// Cuts or extends to `count` bytes.
  func truncate(to count: UInt64) throws(DeviceError)
}

extension Device {
  package var isBeingWritten: Bool { false }

  package func startSync(below offset: UInt64) {}
}

extension ContainerError {
  /// A device's error as the container reports it.
  package init(_ error: DeviceError, at offset: UInt64? = nil) {
    self.init(
      .ioFailed, "\(error.operation) failed: \(SystemMessage.text(error.number))", at: offset)
  }
}

extension Device {
  /// `byteCount` with the container's error.
  func fetchByteCount() throws(ContainerError) -> UInt64 {
    do {
      return try byteCount()
    } catch {
      throw ContainerError(error)
    }
  }

  /// `write` with the container's error.
  func put(_ source: RawSpan, at offset: UInt64) throws(ContainerError) {
    do {
      try write(source, at: offset)
    } catch {
      throw ContainerError(error, at: offset)
    }
  }

  /// `read` with the container's error.
  func fetch(into target: inout MutableRawSpan, at offset: UInt64) throws(ContainerError) -> Int {
    do {
      return try read(into: &target, at: offset)
    } catch {
      throw ContainerError(error, at: offset)
    }
  }

  /// `sync` with the container's error.
  func flushToDisk() throws(ContainerError) {
    do {
      try sync()
    } catch {
      throw ContainerError(error)
    }
  }

  /// `fetch` into a part of an array.
  func fetch(
    into bytes: inout [UInt8], _ range: Range<Int>, at offset: UInt64
  ) throws(ContainerError) -> Int {
    var target = bytes.mutableBytes
    var part = target._mutatingExtracting(range)
    return try fetch(into: &part, at: offset)
  }
}

extension DeviceError {
  /// EEXIST: a file is there that must not be replaced.
  package static let fileExists = EEXIST
}
