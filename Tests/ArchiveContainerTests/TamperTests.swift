// Changes by someone who knows the format and has no key: unkeyed checks made right again, frames moved.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Tampering")
struct TamperTests {
  private let packed: PackedArchive
  private let frames: [FramePlace]
  private let places: [UInt64]

  init() throws {
    packed = try PackedArchive([
      PackedItem(0), PackedItem(1, value: [1, 2, 3]), PackedItem(2), PackedItem(3, value: [4]),
    ])
    frames = packed.frames
    places = frames.filter { $0.type == FrameType.item }.map { UInt64($0.place) }
  }

  /// The numbers of the items that can be got with their values.
  private func gettable(_ archive: OpenedArchive) -> [Int] {
    packed.items.indices.filter { number in
      family {
        guard try archive.get(packed.items[number].token) == [packed.items[number].value] else {
          throw ContainerError(.duplicateItem, "another value")
        }
      } == nil
    }
  }

  @Test("a changed bit with repaired checks is tampering, and costs one item through the index")
  func repairedBits() async throws {
    let (packed, frames, places) = (packed, frames, places)
    var cases: [(frame: Int, bit: Int)] = []
    for (number, frame) in frames.enumerated() {
      for byte in 4..<frame.count where !(24..<32).contains(byte) {
        // All bits of the header and the first of the body, one bit of each byte behind.
        for bit in byte < 40 ? Array(0..<8) : [byte % 8] { cases.append((number, 8 * byte + bit)) }
      }
    }
    let all = cases
    let said = try await onAllCores(0..<all.count) { number -> String? in
      let frame = frames[all[number].frame]
      var bytes = packed.bytes.flipping(8 * frame.place + all[number].bit)
      bytes.repairFrame(at: frame.place)
      let archive = try packed.open(bytes)
      let warnings = archive.findings.map(\.error.code)
      let isCommit = frame.type == FrameType.commit
      let listing = try archive.listing()
      let listed = Set(listing.places)
      let verify = try archive.verify().worst
      var isRight = verify == .tampered && warnings == (isCommit ? [.tampered] : [])
      isRight = isRight && listed.isSubset(of: places)
      isRight = isRight && listing.outdated.isEmpty == (frame.type != FrameType.index)
      let isHeader = all[number].bit < 8 * 32
      switch frame.type {
      case FrameType.commit: isRight = isRight && listing.findings.isEmpty && listed.count == 4
      case FrameType.value where !isHeader:
        isRight = isRight && listing.findings.isEmpty && listed.count == 4
      // Values are not opened by a scan: a wrong length shows where the next frame does not begin.
      case FrameType.value: isRight = isRight && listing.worst != nil
      case FrameType.item:
        isRight = isRight && listing.worst == .tampered && !listed.contains(UInt64(frame.place))
      default: isRight = isRight && listing.worst == .tampered
      }
      for (item, place) in zip(packed.items, places) {
        let isOwn =
          frame.type == FrameType.index || UInt64(frame.place) == place
          || frame.type == FrameType.value && UInt64(frame.place) == place + 176
        let code = family { _ = try archive.get(item.token) }
        isRight = isRight && code == (isOwn ? .tampered : nil)
      }
      return isRight
        ? nil
        : "type \(frame.type) bit \(all[number].bit): \(warnings) \(listing.findings) \(verify as Any)"
    }
    #expect(said == [])
  }

  @Test("a changed body check alone is seen by verify, and keeps nobody from reading")
  func bodyCheckAlone() throws {
    for frame in frames {
      var bytes = packed.bytes
      bytes[frame.place + 25] ^= 4
      bytes.repairCRC(at: frame.place)
      let archive = try packed.open(bytes)
      #expect(try archive.verify().worst == .damaged)
      #expect(archive.findings.isEmpty)
      #expect(try archive.listing().places == places)
      #expect(gettable(archive) == [0, 1, 2, 3])
    }
  }

  @Test("an end mark with a good CRC and another content is told; a bad one is damage")
  func endMark() throws {
    let mark = packed.bytes.count - 32
    for (offset, repairs, code) in [
      (8, true, ContainerError.Code.tampered), (16, true, .tampered), (24, true, .tampered),
      (8, false, .damaged), (28, false, .damaged), (0, false, .damaged),
    ] {
      var bytes = packed.bytes
      bytes[mark + offset] ^= 1
      if repairs { bytes.repairCRC(at: mark) }
      let archive = try packed.open(bytes)
      #expect(archive.findings.map(\.error.code) == [code])
      #expect(archive.findings.allSatisfy { !$0.isLoss })
      #expect(try archive.verify().worst == code)
      #expect(try archive.listing().places == places)
    }
  }

  /// Lists and verifies `bytes`: both are tampering, and what can still be had is what it should be.
  private func expectTampering(
    _ bytes: [UInt8], gets expected: [Int], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let archive = try packed.open(bytes)
    let listing = try archive.listing()
    #expect(listing.worst == .tampered, sourceLocation: sourceLocation)
    #expect(listing.places == expected.map { places[$0] }, sourceLocation: sourceLocation)
    #expect(try archive.verify().worst == .tampered, sourceLocation: sourceLocation)
    #expect(gettable(archive) == expected, sourceLocation: sourceLocation)
  }

  /// The bytes with the frame `from` of `source` where frame `to` is.
  private func moving(_ from: FramePlace, of source: [UInt8], over to: FramePlace) -> [UInt8] {
    var bytes = packed.bytes
    bytes.replaceSubrange(to.range, with: source[from.range])
    return bytes
  }

  @Test("two exchanged frames are tampering")
  func exchanged() throws {
    let (a, b) = (frames[0], frames[3])
    #expect(a.count == b.count && a.type == 1 && b.type == 1)
    var bytes = moving(a, of: packed.bytes, over: b)
    bytes.replaceSubrange(a.range, with: packed.bytes[b.range])
    try expectTampering(bytes, gets: [1, 3])
  }

  @Test("a frame put over another of its session is tampering")
  func repeated() throws {
    try expectTampering(moving(frames[0], of: packed.bytes, over: frames[3]), gets: [0, 1, 3])
    let values = frames.filter { $0.type == FrameType.value }
    let bytes = moving(values[1], of: packed.bytes, over: values[0])
    let archive = try packed.open(bytes)
    #expect(gettable(archive) == [0, 2, 3])
    #expect(try archive.verify().worst == .tampered)
  }

  @Test("a frame of another archive or another session at its very place is tampering")
  func spliced() throws {
    let other = try PackedArchive(packed.items)
    try expectTampering(moving(frames[3], of: other.bytes, over: frames[3]), gets: [0, 1, 3])
    let sameKey = try PackedArchive(packed.items, keys: packed.keys)
    try expectTampering(moving(frames[3], of: sameKey.bytes, over: frames[3]), gets: [0, 1, 3])
  }

  @Test("the items of one session behind the header of another archive do not open")
  func foreignHeader() throws {
    let other = try PackedArchive(packed.items)
    let bytes = Array(other.bytes[..<8192]) + packed.bytes[8192...]
    #expect(
      family {
        _ = try OpenedArchive.open(
          MemoryDevice(bytes), credentials: other.credentials, options: OpenOptions())
      } == .tampered)
  }

  @Test("a frame that is inserted or removed moves the commit, which is then lost")
  func moved() throws {
    var inserted = packed.bytes
    inserted.insert(contentsOf: packed.bytes[frames[0].range], at: frames[0].end)
    #expect(family { _ = try packed.open(inserted) } == .damaged)
    var removed = packed.bytes
    removed.removeSubrange(frames[0].range)
    #expect(family { _ = try packed.open(removed) } == .damaged)
  }

  @Test(
    "an item that passes for another type of frame is not passed over in silence",
    arguments: [2, 3, 5, 128, 6] as [UInt8])
  func retyped(type: UInt8) throws {
    for number in [0, 3] {
      var bytes = packed.bytes
      bytes[frames[number].place + 4] = type
      bytes.repairFrame(at: frames[number].place)
      let expected = number == 0 ? [1, 2, 3] : [0, 1, 3]
      try expectTampering(bytes, gets: expected)
    }
  }

  @Test("an item behind a value of unknown length that passes for its chunk is missed by the count")
  func retypedBehindUnknownLength() throws {
    let keys = try ArchiveKeys.fresh()
    let credential = try Credential.sampleKeyFile(1)
    let slot = try Slot.make(for: credential, id: 1, cost: .standard, label: "", keys: keys)
    let device = MemoryDevice()
    var writer = try SessionWriter(to: device, keys: keys, slots: [slot], compresses: true)
    try writer.append(
      attributes: [], token: PackedItem(0).token, source: ArraySource([1, 2], claimed: nil),
      origin: 0)
    try writer.append(attributes: [], token: PackedItem(1).token, value: nil, origin: 0)
    _ = try writer.finish()
    var bytes = device.contents
    let hidden = FramePlace.walk(bytes, from: 8192)[2]
    bytes[hidden.place + 4] = FrameType.value
    bytes.repairFrame(at: hidden.place)
    let archive = try OpenedArchive.open(
      MemoryDevice(bytes), credentials: [credential], options: OpenOptions())
    let listing = try archive.listing()
    #expect(listing.items.count == 1 && listing.worst == .tampered)
    // The value itself is whole: its last chunk says so.
    #expect(try archive.get(PackedItem(0).token) == [[1, 2]])
    #expect(family { _ = try archive.get(PackedItem(1).token) } == .tampered)
  }

  @Test(
    "a frame whose repaired length reaches over the commit is tampering, at random and in a scan")
  func overTheCommit() throws {
    for frame in frames where frame.type != FrameType.commit {
      var bytes = packed.bytes
      bytes[frame.place + 6] = 0x40
      bytes.repairCRC(at: frame.place)
      let archive = try packed.open(bytes)
      #expect(try archive.listing().worst == .tampered)
      #expect(try archive.verify().worst == .tampered)
      #expect(gettable(archive).count == (frame.type == FrameType.index ? 0 : 3))
    }
  }
}
