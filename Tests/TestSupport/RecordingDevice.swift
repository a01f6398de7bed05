// A device that remembers every write and sync, and gives back each state that a crash could have left.

package import ArchiveContainer
internal import ByteCoding
internal import Synchronization

/// What was done to a device, in order.
package enum DeviceOperation: Sendable {
  case write([UInt8], at: Int)
  case truncate(to: Int)
  case sync
}

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

  /// The states that a crash could have left: after each operation; torn at each 512 bytes of a write; and
  /// with some of what was not synced on the disk and some not, in blocks of 4 KiB, by a generator with a
  /// fixed seed.
  package func crashStates(subsets: Int = 8) -> [[UInt8]] {
    var states = [start]
    var synced = start
    var pending: [DeviceOperation] = []
    var random = SeededGenerator(seed: 42)
    for operation in operations {
      switch operation {
      case .sync:
        for pending in pending { Self.apply(pending, to: &synced) }
        pending = []
        states.append(synced)
      case .truncate, .write:
        var before = synced
        for pending in pending { Self.apply(pending, to: &before) }
        if case .write(let bytes, let offset) = operation {
          for count in stride(from: 512, to: bytes.count, by: 512) {
            var torn = before
            Self.apply(.write(Array(bytes[..<count]), at: offset), to: &torn)
            states.append(torn)
          }
        }
        Self.apply(operation, to: &before)
        states.append(before)
        pending.append(operation)
        for _ in 0..<subsets {
          var state = synced
          for block in pending.flatMap(Self.blocks) where random.next() & 1 == 1 {
            Self.apply(block, to: &state)
          }
          states.append(state)
        }
      }
    }
    return states
  }

  /// A write in blocks of 4 KiB of the file, which reach the disk in any order.
  private static func blocks(_ operation: DeviceOperation) -> [DeviceOperation] {
    guard case .write(let bytes, let offset) = operation else { return [operation] }
    var blocks: [DeviceOperation] = []
    var position = 0
    while position < bytes.count {
      let count = min(bytes.count - position, 4096 - (offset + position) % 4096)
      blocks.append(.write(Array(bytes[position..<(position + count)]), at: offset + position))
      position += count
    }
    return blocks
  }

  private static func apply(_ operation: DeviceOperation, to bytes: inout [UInt8]) {
    switch operation {
    case .sync: break
    case .truncate(let count): resize(&bytes, to: count)
    case .write(let written, let offset):
      if bytes.count < offset + written.count { resize(&bytes, to: offset + written.count) }
      bytes.replaceSubrange(offset..<(offset + written.count), with: written)
    }
  }

  private static func resize(_ bytes: inout [UInt8], to count: Int) {
    if count <= bytes.count {
      bytes.removeSubrange(count...)
    } else {
      bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
    }
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
