// An archive in memory: for tests, and for small archives that never touch a disk.

internal import ByteCoding
internal import Glibc
internal import Synchronization

package final class MemoryDevice: Device {
  private let storage: Mutex<[UInt8]>
  /// Where a pipe stands for reading, and for writing.
  private let stands = Mutex<(read: UInt64, write: UInt64)>((0, 0))
  package let isSeekable: Bool

  /// - Parameter isSeekable: false makes it behave like a pipe that can be read and written once,
  ///   from its start to its end.
  package init(_ bytes: [UInt8] = [], isSeekable: Bool = true) {
    storage = Mutex(bytes)
    self.isSeekable = isSeekable
  }

  /// A copy of the bytes.
  package var contents: [UInt8] {
    storage.withLock { $0 }
  }

  package func byteCount() throws(DeviceError) -> UInt64 {
    guard isSeekable else { throw DeviceError(operation: "seeking", number: ESPIPE) }
    return storage.withLock { UInt64($0.count) }
  }

  package func read(
    into target: inout MutableRawSpan, at offset: UInt64
  ) throws(DeviceError) -> Int {
    let bytes = storage.withLock { $0 }
    if !isSeekable {
      guard stands.withLock({ $0.read }) == offset else {
        throw DeviceError(operation: "seeking", number: ESPIPE)
      }
    }
    guard offset < UInt64(bytes.count) else { return 0 }
    let start = Int(offset)
    let count = min(target.byteCount, bytes.count - start)
    target.store(bytes.bytes.extracting(start..<(start + count)), at: 0)
    stands.withLock { $0.read = offset + UInt64(count) }
    return count
  }

  package func write(_ source: RawSpan, at offset: UInt64) throws(DeviceError) {
    // Tests hold small archives; an offset beyond memory is a caller's error.
    let start = Int(offset)
    let added = source.array(at: 0, count: source.byteCount)
    if !isSeekable {
      guard stands.withLock({ $0.write }) == offset else {
        throw DeviceError(operation: "seeking", number: ESPIPE)
      }
      stands.withLock { $0.write = offset + UInt64(added.count) }
    }
    storage.withLock { bytes in
      if bytes.count < start + added.count {
        bytes.append(contentsOf: repeatElement(0, count: start + added.count - bytes.count))
      }
      bytes.replaceSubrange(start..<(start + added.count), with: added)
    }
  }

  package func sync() throws(DeviceError) {}

  package func truncate(to count: UInt64) throws(DeviceError) {
    let count = Int(count)
    storage.withLock { bytes in
      if count < bytes.count {
        bytes.removeSubrange(count...)
      } else {
        bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
      }
    }
  }
}
