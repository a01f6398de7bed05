// A device that remembers every write and sync, and gives back each state that a crash could have left.

package import ArchiveContainer
internal import ByteCoding
internal import Synchronization

package final class RecordingDevice: Device {
  private let memory: MemoryDevice
  /// The bytes before the first operation.
  package let start: [UInt8]
  private let log = Mutex<[DeviceOperation]>([])

  package init(_ bytes: [UInt8]) {
    start = bytes
    memory = MemoryDevice(bytes)
  }

  package var operations: [DeviceOperation] { log.withLock { $0 } }
  package var contents: [UInt8] { memory.contents }

  /// How many bytes were written.
  package var writtenByteCount: Int {
    operations.reduce(0) { sum, operation in
      if case .write(let bytes, _) = operation { return sum + bytes.count }
      return sum
    }
  }

  package let isSeekable = true

  package func byteCount() throws(DeviceError) -> UInt64 { try memory.byteCount() }

  package func read(
    into target: inout MutableRawSpan, at offset: UInt64
  ) throws(DeviceError) -> Int {
    try memory.read(into: &target, at: offset)
  }

  package func write(_ source: RawSpan, at offset: UInt64) throws(DeviceError) {
    let bytes = source.array(at: 0, count: source.byteCount)
    log.withLock { $0.append(.write(bytes, at: Int(offset))) }
    try memory.write(source, at: offset)
  }

  package func sync() throws(DeviceError) {
    log.withLock { $0.append(.sync) }
  }

  package func truncate(to count: UInt64) throws(DeviceError) {
    log.withLock { $0.append(.truncate(to: Int(count))) }
    try memory.truncate(to: count)
  }

  /// The states that a crash could have left: after each operation; torn between two sectors of a write; and
  /// with some of what was not synced on the disk and some not, by a generator with a fixed seed.
  package func crashStates(subsets: Int = 8) -> [[UInt8]] {
    var states = [start]
    var file = UnsyncedFile(start)
    var random = SeededGenerator(seed: 42)
    for operation in operations {
      file.perform(operation)
      states += file.torn + [file.contents]
      if case .sync = operation { continue }
      for _ in 0..<subsets { states.append(file.remains(using: &random)) }
    }
    return states
  }
}

/// The same numbers in every run (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
