// Archives changed in place: the state after each session is what a model says, and nothing else is touched.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Updates")
struct UpdateTests {
  /// Opens `bytes` on a device that records, and changes them.
  private func update(
    _ packed: PackedArchive, _ bytes: [UInt8], _ body: (ArchiveUpdate) throws -> Void
  ) throws -> RecordingDevice {
    let device = RecordingDevice(bytes)
    let update = try ArchiveUpdate(
      try OpenedArchive.open(
        device, credentials: packed.credentials, options: OpenOptions()))
    try body(update)
    _ = try update.commit()
    return device
  }

  private func add(
    _ item: PackedItem, to update: ArchiveUpdate, replacing old: ItemRecord? = nil
  ) throws {
    if let value = item.value {
      try update.append(
        attributes: item.attributes, token: item.token, value: value.bytes, replacing: old,
        origin: 1)
    } else {
      try update.append(
        attributes: item.attributes, token: item.token, value: nil, replacing: old, origin: 1)
    }
  }

  /// What an archive gives by lookups, scan, pipe and verification; all have to agree.
  private func state(
    _ packed: PackedArchive, _ bytes: [UInt8]
  ) throws -> [Token: [UInt8]?] {
    let archive = try packed.open(bytes)
    #expect(archive.findings.isEmpty)
    let listing = try archive.listing()
    #expect(listing.findings.isEmpty)
    var state: [Token: [UInt8]?] = [:]
    for item in listing.items {
      let value = try archive.value(of: item)
      state[item.token] = .some(value)
      #expect(try archive.get(item.token) == [value])
    }
    #expect(state.count == listing.items.count)
    #expect(UInt64(state.count) == archive.commit.liveItems)
    let report = try archive.verify()
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(try StructureCheck.run(MemoryDevice(bytes), checksBodies: true).findings.isEmpty)
    return state
  }

  /// The frames of all sessions.
  private func frames(_ packed: PackedArchive, _ bytes: [UInt8]) -> [FramePlace] {
    var frames: [FramePlace] = []
    var place = packed.firstSession
    while place < bytes.count {
      let session = FramePlace.walk(bytes, from: place)
      frames += session
      place = (session.last?.end ?? place) + 32
    }
    return frames
  }

  @Test("after any changes in any order, the archive is what a model is", arguments: 1...4)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let packed = try PackedArchive((0..<5).map { PackedItem($0, value: [UInt8($0)]) })
    var bytes = packed.bytes
    var model: [Token: [UInt8]?] = [:]
    for item in packed.items { model[item.token] = .some(item.value) }
    var next = 5
    for _ in 0..<25 {
      let live = try packed.open(bytes).listing().items.shuffled(using: &random)
      let changed = live.prefix(Int.random(in: 0...3, using: &random))
      let addedCount = Int.random(in: 0...40, using: &random)
      let device = try update(packed, bytes) { update in
        for old in changed {
          switch random.next() % 3 {
          case 0:
            try update.delete(old, shredding: false)
            model[old.token] = nil
          case 1:
            try update.delete(old, shredding: true)
            model[old.token] = nil
          default:
            let count = Int.random(in: 0...5000, using: &random)
            let value = [UInt8](repeating: UInt8(count % 251), count: count)
            try add(
              PackedItem(old.token, attributes: [1], value: value), to: update, replacing: old)
            model[old.token] = .some(value)
          }
        }
        for _ in 0..<addedCount {
          let item = PackedItem(next, value: next % 3 == 0 ? nil : [UInt8(next % 256), 1])
          try add(item, to: update)
          model[item.token] = .some(item.value)
          next += 1
        }
      }
      // Shredded frames are all that changes in front.
      var front = Array(device.contents[..<bytes.count])
      for frame in frames(packed, front) where frame.type == 5 {
        front.replaceSubrange(frame.range, with: bytes[frame.range])
      }
      #expect(front == bytes)
      bytes = device.contents
      #expect(try state(packed, bytes) == model)
    }
  }

  @Test("one item more costs a node a level, however many there are")
  func copyOnWrite() throws {
    let packed = try PackedArchive((0..<20_000).map { PackedItem($0) })
    let device = try update(packed, packed.bytes) { update in
      try add(PackedItem(20_000, value: [1, 2, 3]), to: update)
    }
    // Two levels of at most 17 KiB, the item, and 512 bytes.
    #expect(device.writtenByteCount < 40_000)
    #expect(device.contents.starts(with: packed.bytes))
    let archive = try packed.open(device.contents)
    #expect(archive.commit.liveItems == 20_001 && archive.commit.number == 2)
    #expect(try archive.get(PackedItem(20_000).token) == [[1, 2, 3]])
    #expect(try archive.verify().findings.isEmpty)
  }

  @Test("an index that fills up splits, to three levels")
  func splitting() throws {
    let packed = try PackedArchive((0..<410).map { PackedItem($0) })
    let device = try update(packed, packed.bytes) { update in
      for number in 410..<180_000 { try add(PackedItem(number), to: update) }
    }
    let archive = try packed.open(device.contents)
    #expect(archive.commit.root?.level == 2)
    #expect(archive.commit.liveItems == 180_000)
    #expect(try archive.verify().findings.isEmpty)
  }

  @Test("all items can be deleted, and others added after that")
  func emptying() throws {
    let packed = try PackedArchive((0..<500).map { PackedItem($0) })
    let items = try packed.open().listing().items
    let emptied = try update(packed, packed.bytes) { update in
      for item in items { try update.delete(item, shredding: false) }
    }
    #expect(try state(packed, emptied.contents).isEmpty)
    #expect(try packed.open(emptied.contents).commit.root == nil)
    let refilled = try update(packed, emptied.contents) { try add(PackedItem(7), to: $0) }
    #expect(try state(packed, refilled.contents).keys.elementsEqual([PackedItem(7).token]))
  }

  @Test("an item that is there already is a duplicate, and nothing is left of the attempt")
  func duplicate() throws {
    let packed = try PackedArchive((0..<3).map { PackedItem($0) })
    let device = RecordingDevice(packed.bytes)
    func attempt() throws {
      let update = try ArchiveUpdate(
        try OpenedArchive.open(
          device, credentials: packed.credentials, options: OpenOptions()))
      try add(PackedItem(1), to: update)
      _ = try update.commit()
    }
    #expect(family(attempt) == .duplicateItem)
    #expect(device.contents == packed.bytes)
  }

  @Test("shredding overwrites every revision, and only those")
  func shredding() throws {
    let secret = [UInt8](repeating: 0x5A, count: 300)
    let packed = try PackedArchive([PackedItem(0, value: secret), PackedItem(1, value: [1])])
    let token = PackedItem(0).token
    let revised = try update(packed, packed.bytes) { update in
      let old = try packed.open().listing().items[0]
      try add(PackedItem(token, value: secret + secret), to: update, replacing: old)
    }
    let bytes = revised.contents
    let shredded = try update(packed, bytes) { update in
      let item = try packed.open(bytes).listing().items.first { $0.token == token }!
      try update.delete(item, shredding: true)
    }
    // An ITEM and a VALUE in each of two sessions.
    #expect(frames(packed, shredded.contents).filter { $0.type == 5 }.count == 4)
    #expect(try state(packed, shredded.contents).count == 1)
  }

  /// The kinds of damage that a writer mends, and how.
  private static let mendable: [(name: String, damage: @Sendable (inout [UInt8], Int) -> Void)] = [
    ("header copy A", { bytes, _ in bytes[100] ^= 1 }),
    ("header copy B", { bytes, _ in bytes[4096 + 100] ^= 1 }),
    ("commit copy 1", { bytes, commit in bytes[commit + 40] ^= 1 }),
    ("commit copy 2", { bytes, commit in bytes[commit + 240 + 40] ^= 1 }),
    ("end mark", { bytes, commit in bytes[commit + 480] ^= 1 }),
    ("end cut", { bytes, commit in bytes.removeSubrange((commit + 300)...) }),
    ("tail", { bytes, _ in bytes += [UInt8](repeating: 3, count: 777) }),
  ]

  @Test("a writer mends what lost nothing", arguments: 0..<7)
  func mending(index: Int) throws {
    let packed = try PackedArchive((0..<3).map { PackedItem($0, value: [UInt8($0)]) })
    var bytes = packed.bytes
    Self.mendable[index].damage(&bytes, Int(packed.summary.commit.place))
    let device = RecordingDevice(bytes)
    let update = try ArchiveUpdate(
      try OpenedArchive.open(device, credentials: packed.credentials, options: OpenOptions()))
    #expect(update.repairs.count == 1, "\(Self.mendable[index].name)")
    #expect(device.contents == packed.bytes)
    try add(PackedItem(9), to: update)
    _ = try update.commit()
    #expect(try state(packed, device.contents).count == 4)
  }

  @Test("a writer refuses what may be somebody's doing", arguments: ["mark", "joined", "copy"])
  func refusing(what: String) throws {
    let packed = try PackedArchive((0..<3).map { PackedItem($0) })
    var bytes = packed.bytes
    let commit = Int(packed.summary.commit.place)
    switch what {
    case "mark":
      bytes.replaceSubrange(
        (commit + 480)...,
        with: EndMark.make(
          place: 8192, number: 9, archiveID: packed.keys.archiveID))
    case "joined": bytes += packed.bytes
    default:
      // Checks repaired, tag not.
      bytes[commit + 240 + 40] ^= 1
      bytes.repairFrame(at: commit + 240)
    }
    let device = RecordingDevice(bytes)
    let refused = family {
      _ = try ArchiveUpdate(
        try OpenedArchive.open(
          device, credentials: packed.credentials, options: OpenOptions()))
    }
    #expect(refused == (what == "joined" ? .damaged : .tampered))
    #expect(device.contents == bytes)
  }

  @Test("every state that a crash can leave is the old archive or the new one")
  func crash() throws {
    let packed = try PackedArchive((0..<4).map { PackedItem($0, value: [UInt8($0)]) })
    let before = try state(packed, packed.bytes)
    // A damaged header copy and a tail, so that mending is among what is interrupted.
    var bytes = packed.bytes
    bytes[4096 + 100] ^= 1
    bytes += [1, 2, 3]
    let device = try update(packed, bytes) { update in
      let items = try packed.open().listing().items
      try update.delete(items[0], shredding: true)
      try add(PackedItem(items[1].token, value: [9]), to: update, replacing: items[1])
      for number in 10..<60 { try add(PackedItem(number, value: [UInt8(number)]), to: update) }
    }
    let after = try state(packed, device.contents)
    var seen: Set<Int> = []
    for crashed in device.crashStates() {
      let opened = RecordingDevice(crashed)
      let reopened = try ArchiveUpdate(
        try OpenedArchive.open(
          opened, credentials: packed.credentials, options: OpenOptions()))
      _ = try reopened.commit()
      let found = try state(packed, opened.contents)
      #expect(found == before || found == after)
      seen.insert(found.count)
    }
    #expect(seen == [before.count, after.count])
  }
}
