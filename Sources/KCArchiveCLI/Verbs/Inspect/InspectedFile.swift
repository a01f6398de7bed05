// A file whose first bytes tell what it is. What comes through a pipe is read once: a list to memory, never to
// a file of ours, as it is plain text; an archive goes on from the bytes that were looked at.

internal import ArchiveContainer
internal import ByteCoding
internal import KeychainArchive
internal import PropertyListCodec

struct InspectedFile {
  /// As much as a list can have before its first element.
  private static let beginningCount = 1 << 16

  private let path: FilePath
  private let device: any Device
  private let beginning: [UInt8]

  init(_ path: FilePath) throws(CommandError) {
    self.path = path
    device = try ArchiveInput.open(path)
    beginning = try Self.read(device, Self.beginningCount, at: 0, path)
  }

  /// Whether it begins as a property list, or as something else that the codec knows at least by name.
  var isList: Bool { ContentKind(beginning) != nil }

  /// All of it.
  func bytes() throws(CommandError) -> [UInt8] {
    guard beginning.count == Self.beginningCount else { return beginning }
    var bytes = beginning
    if device.isSeekable, let count = try? device.byteCount(), count <= UInt64(Int.max) {
      bytes.reserveCapacity(Int(count))
    }
    while true {
      let part = try Self.read(device, 1 << 20, at: UInt64(bytes.count), path)
      bytes.append(contentsOf: part)
      guard part.count == 1 << 20 else { return bytes }
    }
  }

  /// It as an archive. Throws `notFound` where it is nothing that is known.
  func archiveInput(_ arguments: ParsedArguments) throws(CommandError) -> ArchiveInput {
    do throws(CommandError) {
      return try ArchiveInput(
        path, arguments,
        device: device.isSeekable ? device : ReplayedDevice(beginning, then: device),
        spools: true)
    } catch {
      throw Self.explained(error)
    }
  }

  /// Throws `notFound` where it is nothing that is known.
  func requireArchive() throws(CommandError) {
    guard beginning.starts(with: Format.magic) else {
      throw Self.explained(
        CommandError(.notFound, "", place: CommandError.Place(file: path)))
    }
  }

  private static func explained(_ error: CommandError) -> CommandError {
    var error = error
    if error.status == .notFound {
      error.message = "neither an archive nor a property list that kcarchive knows"
      error.hint = "'kcarchive help formats' lists what it knows"
    }
    return error
  }

  private static func read(
    _ device: any Device, _ count: Int, at offset: UInt64, _ path: FilePath
  ) throws(CommandError) -> [UInt8] {
    do {
      return try device.bytes(count, at: offset)
    } catch {
      throw CommandError(ArchiveError(error), file: path)
    }
  }
}

extension Device {
  /// Up to `count` bytes; fewer only at the end.
  fileprivate func bytes(_ count: Int, at offset: UInt64) throws(DeviceError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var target = bytes.mutableBytes
    let actual = try read(into: &target, at: offset)
    bytes.removeLast(count - actual)
    return bytes
  }
}

/// A pipe whose first bytes have been read already.
private final class ReplayedDevice: Device {
  private let beginning: [UInt8]
  private let rest: any Device

  init(_ beginning: [UInt8], then rest: any Device) {
    self.beginning = beginning
    self.rest = rest
  }

  var isSeekable: Bool { false }

  func byteCount() throws(DeviceError) -> UInt64 { try rest.byteCount() }

  func read(into target: inout MutableRawSpan, at offset: UInt64) throws(DeviceError) -> Int {
    // Spans are not lent from a class's own properties.
    let beginning = beginning
    let start = Int(clamping: offset)
    let count = max(0, min(target.byteCount, beginning.count - start))
    if count > 0 { target.store(beginning.bytes.extracting(start..<start + count), at: 0) }
    // Less than asked would mean the end.
    guard count < target.byteCount else { return count }
    let behind = try rest.bytes(target.byteCount - count, at: offset + UInt64(count))
    target.store(behind, at: count)
    return count + behind.count
  }

  func write(_ source: RawSpan, at offset: UInt64) throws(DeviceError) {
    try rest.write(source, at: offset)
  }

  func sync() throws(DeviceError) { try rest.sync() }

  func truncate(to count: UInt64) throws(DeviceError) { try rest.truncate(to: count) }
}
