// A device that fails when it is told to: full disks and broken ones.

package import ArchiveContainer
internal import Synchronization

/// Memory whose n-th read, write or sync fails, and every one after it.
package final class FaultDevice: Device {
  private let memory: MemoryDevice
  private let number: Int32
  private let remaining: Mutex<Int>

  /// - Parameters:
  ///   - count: how many calls succeed before the first that fails.
  ///   - number: the system's error number.
  package init(_ bytes: [UInt8] = [], failingAfter count: Int, number: Int32) {
    memory = MemoryDevice(bytes)
    remaining = Mutex(count)
    self.number = number
  }

  package let isSeekable = true

  package func byteCount() throws(DeviceError) -> UInt64 {
    try memory.byteCount()
  }

  package func read(
    into target: inout MutableRawSpan, at offset: UInt64
  ) throws(DeviceError) -> Int {
    try spend("reading")
    return try memory.read(into: &target, at: offset)
  }

  package func write(_ source: RawSpan, at offset: UInt64) throws(DeviceError) {
    try spend("writing")
    try memory.write(source, at: offset)
  }

  package func sync() throws(DeviceError) {
    try spend("syncing")
  }

  package func truncate(to count: UInt64) throws(DeviceError) {
    try spend("cutting")
    try memory.truncate(to: count)
  }

  private func spend(_ operation: String) throws(DeviceError) {
    let fails = remaining.withLock { rest in
      rest -= 1
      return rest < 0
    }
    if fails { throw DeviceError(operation: operation, number: number) }
  }
}
