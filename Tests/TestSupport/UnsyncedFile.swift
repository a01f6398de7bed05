// What a disk may hold of a file when the power goes: everything that was synced, and of the rest any part.

/// What was done to a file, in order.
package enum DeviceOperation: Sendable {
  case write([UInt8], at: Int)
  case truncate(to: Int)
  case sync
}

/// A file that is written, cut and synced.
package struct UnsyncedFile: Sendable {
  /// The bytes that survive a crash for certain.
  package private(set) var synced: [UInt8]
  /// What was done since, oldest first.
  private var pending: [DeviceOperation] = []

  package init(_ bytes: [UInt8] = []) { synced = bytes }

  package mutating func perform(_ operation: DeviceOperation) {
    guard case .sync = operation else {
      pending.append(operation)
      return
    }
    synced = contents
    pending = []
  }

  /// What programs read: all of it.
  package var contents: [UInt8] { Self.applying(pending, to: synced) }

  /// The states of a last write that is torn between two sectors of 512 bytes of the file, all before it being
  /// there: its first part has reached the disk, or, of a short one, its last part.
  package var torn: [[UInt8]] {
    guard case .write(let bytes, let offset) = pending.last else { return [] }
    let before = Self.applying(pending.dropLast(), to: synced)
    let end = offset + bytes.count
    return stride(from: (offset / 512 + 1) * 512, to: end, by: 512).flatMap { sector in
      var parts: [DeviceOperation] = [.write(Array(bytes[..<(sector - offset)]), at: offset)]
      if bytes.count <= 8192 {
        parts.append(.write(Array(bytes[(sector - offset)...]), at: sector))
      }
      return parts.map { Self.applying([$0], to: before) }
    }
  }

  /// A state with some of what is not synced on the disk and some not, in blocks of 4 KiB. In one of four
  /// the file has its new length though not its new bytes, which then are zeros.
  package func remains(using random: inout SeededGenerator) -> [UInt8] {
    var state = synced
    for block in pending.flatMap(Self.blocks) where random.next() & 1 == 1 {
      state = Self.applying([block], to: state)
    }
    let count = contents.count
    if state.count < count, random.next() & 3 == 0 { Self.resize(&state, to: count) }
    return state
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

  private static func applying(
    _ operations: some Sequence<DeviceOperation>, to start: [UInt8]
  ) -> [UInt8] {
    var bytes = start
    for operation in operations {
      switch operation {
      case .sync: break
      case .truncate(let count): resize(&bytes, to: count)
      case .write(let written, let offset):
        if bytes.count < offset + written.count { resize(&bytes, to: offset + written.count) }
        bytes.replaceSubrange(offset..<(offset + written.count), with: written)
      }
    }
    return bytes
  }

  private static func resize(_ bytes: inout [UInt8], to count: Int) {
    if count <= bytes.count {
      bytes.removeSubrange(count...)
    } else {
      bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
    }
  }
}
