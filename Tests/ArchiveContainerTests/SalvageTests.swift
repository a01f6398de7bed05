// What comes out of archives with holes, cuts and lost headers; and what is told of the rest.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Salvage")
struct SalvageTests {
  private let packed: PackedArchive

  init() throws {
    packed = try PackedArchive((0..<6).map { PackedItem($0, value: [UInt8($0), 7]) })
  }

  /// Salvages `bytes`; what comes out has to be sound.
  private func salvage(
    _ bytes: [UInt8], of other: PackedArchive? = nil, savedHeader: [UInt8]? = nil
  ) throws -> (values: [Token: [UInt8]?], findings: SalvageFindings, lost: [UInt64]) {
    let packed = other ?? packed
    let salvage = try Salvage(
      MemoryDevice(bytes), credentials: packed.credentials, limits: .standard,
      savedHeader: savedHeader)
    let target = MemoryDevice()
    let written = try salvage.write(to: target)
    let archive = try packed.open(target.contents)
    #expect(archive.findings.isEmpty)
    #expect(try archive.verify().findings.isEmpty)
    var values: [Token: [UInt8]?] = [:]
    for item in try archive.listing().items {
      values[item.token] = .some(try archive.value(of: item))
    }
    return (values, written.findings, written.lost.map(\.item.place))
  }

  private var all: [Token: [UInt8]?] {
    var all: [Token: [UInt8]?] = [:]
    for item in packed.items { all[item.token] = .some(item.value) }
    return all
  }

  @Test("of a sound archive everything comes out, and there is nothing to tell")
  func sound() throws {
    let result = try salvage(packed.bytes)
    #expect(result.values == all)
    #expect(result.findings.damage.isEmpty && result.lost.isEmpty)
    #expect(result.findings.items.allSatisfy { $0.isCommitted && !$0.isOutdated })
    #expect(result.findings.superseded.isEmpty)
    #expect(result.findings.newest?.commit == packed.summary.commit)
  }

  @Test("cut anywhere, the items before the cut come out, marked as not committed")
  func cut() throws {
    for end in stride(from: packed.firstSession, to: Int(packed.summary.commit.place), by: 37) {
      let result = try salvage(Array(packed.bytes[..<end]))
      // An item and its value are two frames.
      let whole = packed.frames.filter { $0.end <= end && $0.type == 2 }.count
      #expect(result.values.count == whole)
      #expect(result.findings.items.allSatisfy { !$0.isCommitted })
    }
  }

  @Test("a hole of any length costs the items in it, though everything behind has moved")
  func hole() throws {
    let frames = packed.frames
    for count in [1, 5, 16, 100, 333] {
      var bytes = packed.bytes
      let start = frames[2].place + 8
      bytes.removeSubrange(start..<(start + count))
      let result = try salvage(bytes)
      let hit = Set(frames.filter { $0.place < start + count && $0.end > start }.map(\.place))
      let expected = packed.items.indices.filter { index in
        !hit.contains(frames[2 * index].place) && !hit.contains(frames[2 * index + 1].place)
      }
      #expect(Set(result.values.keys) == Set(expected.map { packed.items[$0].token }))
      #expect(result.findings.items.allSatisfy { $0.isCommitted })
    }
  }

  @Test("whole frames that are taken out are told, though all that is left opens")
  func missing() throws {
    let (item, value) = (packed.frames[2], packed.frames[3])
    var bytes = packed.bytes
    bytes.removeSubrange(item.place..<value.end)
    let result = try salvage(bytes)
    #expect(result.values.count == 5)
    #expect(!result.findings.damage.isEmpty)
  }

  @Test("an item that the index lists and that is void is told as lost")
  func voided() throws {
    var bytes = packed.bytes
    let item = packed.frames[2]
    bytes[item.place + 4] = FrameType.void
    bytes.replaceSubrange(
      (item.place + 24)..<item.end, with: [UInt8](repeating: 0, count: item.count - 24))
    bytes.repairCRC(at: item.place)
    let result = try salvage(bytes)
    #expect(result.values.count == 5)
    #expect(result.findings.damage.contains { $0.offset == UInt64(item.place) })
  }

  @Test("a flipped bit costs one item at most, and its place is told")
  func flipped() throws {
    for frame in packed.frames where frame.type <= 2 {
      for offset in [0, 4, 9, 33, frame.count - 1] {
        var bytes = packed.bytes
        bytes[frame.place + offset] ^= 4
        let result = try salvage(bytes)
        #expect(result.values.count == 5)
        let isTold =
          result.lost.count == 1
          || result.findings.damage.contains { $0.offset == UInt64(frame.place) }
        #expect(isTold)
      }
    }
  }

  @Test("what stands in a value that was changed and whose checks were mended is found")
  func planted() throws {
    let packed = try PackedArchive(
      (0..<4).map {
        PackedItem($0, value: [UInt8](repeating: UInt8($0), count: $0 == 1 ? 4096 : 9))
      }, compresses: false)
    let frames = packed.frames
    // Item 3 goes into the value of item 1, at an odd offset, and is gone where it was.
    let moved = frames[6].place..<frames[7].end
    var bytes = packed.bytes
    let target = frames[3].place + 333
    bytes.replaceSubrange(target..<(target + moved.count), with: packed.bytes[moved])
    bytes.replaceSubrange(moved, with: [UInt8](repeating: 0, count: moved.count))
    bytes.repairFrame(at: frames[3].place)
    let result = try salvage(bytes, of: packed)
    #expect(Set(result.values.keys) == Set([0, 2, 3].map { packed.items[$0].token }))
    #expect(result.values[packed.items[3].token] == .some(packed.items[3].value))
    #expect(result.lost == [UInt64(frames[2].place)])
    #expect(
      result.findings.damage.contains {
        $0.offset == UInt64(frames[3].place) && $0.code == .tampered
      })
  }

  @Test("a replaced value that does not open is told, though it is not taken and its checks hold")
  func replaced() throws {
    let items = try packed.open().listing().items
    var builder = try SessionBuilder(packed)
    try builder.append([.replace(items[0], PackedItem(items[0].token, value: [99]))])
    let value = Int(items[0].place) + items[0].frameByteCount
    var bytes = builder.bytes
    bytes[value + 40] ^= 1
    bytes.repairFrame(at: value)
    let result = try salvage(bytes)
    #expect(result.values.count == 6)
    #expect(result.values[items[0].token] == .some([99]))
    #expect(result.findings.damage.map(\.offset) == [UInt64(value)])
  }

  @Test("with one header copy gone the other serves; with both, a saved one")
  func header() throws {
    var bytes = packed.bytes
    bytes.replaceSubrange(0..<4096, with: [UInt8](repeating: 0, count: 4096))
    let one = try salvage(bytes)
    #expect(one.values == all)
    bytes.replaceSubrange(4096..<8192, with: [UInt8](repeating: 0, count: 4096))
    #expect(family { _ = try salvage(bytes) } == .damaged)
    let none = try salvage(bytes, savedHeader: Array(packed.bytes[..<4096]))
    #expect(none.values == all)
    // Without the header's bytes at all.
    let body = Array(packed.bytes[8192...])
    let bodyOnly = try salvage(body, savedHeader: Array(packed.bytes[..<4096]))
    #expect(bodyOnly.values == all)
    var saved = Array(packed.bytes[..<4096])
    saved[99] ^= 1
    #expect(family { _ = try salvage(bytes, savedHeader: saved) } == .damaged)
  }

  @Test("the newest revision comes out, a deleted item does not, and a lost tombstone is told")
  func revisions() throws {
    let items = try packed.open().listing().items
    var builder = try SessionBuilder(packed)
    let newer = PackedItem(items[0].token, value: [99])
    try builder.append([.replace(items[0], newer), .delete(items[1])])
    let result = try salvage(builder.bytes)
    #expect(result.values.count == 5)
    #expect(result.values[items[0].token] == .some([99]))
    #expect(result.values[items[1].token] == nil)
    // Without the tombstone the item is there again: the index, which is whole, says otherwise.
    let tombstone = try #require(builder.frames.last { $0.type == 1 })
    var bytes = builder.bytes
    bytes[tombstone.place + 40] ^= 1
    let lost = try salvage(bytes)
    #expect(lost.values.count == 6)
    #expect(lost.findings.items.filter(\.isOutdated).map(\.record.token) == [items[1].token])
  }

  @Test("a saved header is put back only where it belongs and is new enough")
  func putBack() throws {
    let saved = Array(packed.bytes[..<4096])
    var bytes = packed.bytes
    bytes.replaceSubrange(0..<8192, with: [UInt8](repeating: 0, count: 8192))
    func put(_ device: RecordingDevice, _ header: [UInt8]) throws {
      _ = try HeaderRepair.run(
        device, savedHeader: header, credentials: packed.credentials, options: OpenOptions())
    }
    let device = RecordingDevice(bytes)
    try put(device, saved)
    #expect(device.contents == packed.bytes)

    let other = try PackedArchive([], keyFile: 7)
    #expect(family { try put(device, Array(other.bytes[..<4096])) } != nil)
    var change = try HeaderChange(
      try OpenedArchive.open(device, credentials: packed.credentials, options: OpenOptions()))
    _ = try change.add(try .sampleKeyFile(44), cost: .standard, label: "")
    _ = try change.commit()
    let changed = device.contents
    #expect(family { try put(device, saved) } == .rollback)
    #expect(device.contents == changed)
  }
}
