// Archives of several sessions, as later versions write them: which state is read, and what can't come back.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Sessions")
struct SessionTests {
  private let packed: PackedArchive
  /// Items 0 … 3; then 1 is replaced and 2 deleted, then 4 is added.
  private let bytes: [UInt8]
  private let second: [FramePlace]
  private let third: [FramePlace]
  private let replaced = PackedItem(PackedItem(1).token, attributes: [99], value: [7, 7])
  private let added = PackedItem(4, value: [8])

  init() throws {
    packed = try PackedArchive((0..<4).map { PackedItem($0, value: [UInt8($0)]) })
    let items = try packed.open().listing().items
    var builder = try SessionBuilder(packed)
    try builder.append([.replace(items[1], replaced), .delete(items[2])])
    second = builder.frames
    try builder.append([.add(added)])
    third = builder.frames
    bytes = builder.bytes
  }

  private var tokens: [Token] { packed.items.map(\.token) + [added.token] }

  /// The values that lookups give, by item.
  private func values(_ archive: OpenedArchive) throws -> [[[UInt8]?]] {
    try tokens.map { try archive.get($0) }
  }

  private static let state: [[[UInt8]?]] = [[[0]], [[7, 7]], [], [[3]], [[8]]]

  private func attributes(_ listing: Listing) -> Set<[UInt8]> {
    Set(listing.items.map(\.attributes))
  }

  @Test("the newest session's state is listed, found and verified")
  func state() throws {
    let archive = try packed.open(bytes)
    #expect(archive.findings.isEmpty)
    #expect(archive.commit.number == 3 && archive.commit.liveItems == 4)
    let listing = try archive.listing()
    #expect(listing.findings.isEmpty && listing.items.count == 4)
    #expect(attributes(listing) == [[0], [99], [3], [4]])
    #expect(try values(archive) == Self.state)
    let report = try archive.verify()
    #expect(report.findings.isEmpty && report.sessionCount == 3)
    #expect(try StructureCheck.run(MemoryDevice(bytes), checksBodies: true).findings.isEmpty)
  }

  @Test("cut behind an end mark, an archive is the older sound state")
  func older() throws {
    let archive = try packed.open(Array(bytes[..<packed.bytes.count]))
    #expect(archive.findings.isEmpty && archive.commit.number == 1)
    #expect(try archive.listing().items.count == 4)
  }

  @Test("cut anywhere in the last session, it is the state before and a warning")
  func cut() throws {
    let start = try #require(third.first).place
    let commit = bytes.count - 512
    for count in start..<bytes.count {
      let archive = try packed.open(Array(bytes[..<count]))
      let isWhole = count >= commit + 240
      #expect(archive.commit.number == (isWhole ? 3 : 2))
      #expect(archive.findings.map(\.error.code) == (count == start ? [] : [.truncated]))
      #expect(archive.findings.allSatisfy { !$0.isLoss })
    }
  }

  @Test("a damaged new revision does not bring the old one back")
  func damagedRevision() throws {
    var changed = bytes
    changed[second[0].place + 60] ^= 1
    let archive = try packed.open(changed)
    let listing = try archive.listing()
    #expect(listing.worst == .damaged && listing.outdated.isEmpty)
    #expect(attributes(listing) == [[0], [3], [4]])
    #expect(family { _ = try archive.get(tokens[1]) } == .damaged)
    #expect(try archive.verify().worst == .damaged)
  }

  @Test("a damaged tombstone does not bring the item back", arguments: [0, 5, 60])
  func damagedTombstone(offset: Int) throws {
    let tombstone = second[2]
    #expect(tombstone.type == FrameType.item)
    var changed = bytes
    changed[tombstone.place + offset] ^= 1
    let archive = try packed.open(changed)
    let listing = try archive.listing()
    #expect(listing.worst == .damaged && listing.outdated.isEmpty)
    #expect(attributes(listing) == [[0], [99], [3], [4]])
    #expect(try values(archive) == Self.state)
    #expect(try archive.verify().worst == .damaged)
  }

  @Test(
    "a tombstone that passes for another frame does not bring the item back",
    arguments: [2, 3, 5, 128] as [UInt8])
  func retypedTombstone(type: UInt8) throws {
    var changed = bytes
    changed[second[2].place + 4] = type
    changed.repairFrame(at: second[2].place)
    let archive = try packed.open(changed)
    let listing = try archive.listing()
    #expect(listing.worst == .tampered)
    #expect(attributes(listing) == [[0], [99], [3], [4]])
    #expect(try archive.verify().worst == .tampered)
  }

  @Test("damage in a dead item is not seen at random, and told by verify; the live ones are listed")
  func deadItem() throws {
    let dead = packed.frames.filter { $0.type == FrameType.item }[2]
    var changed = bytes
    changed[dead.place + 70] ^= 1
    let archive = try packed.open(changed)
    #expect(try values(archive) == Self.state)
    #expect(attributes(try archive.listing()) == [[0], [99], [3], [4]])
    #expect(try archive.verify().worst == .damaged)
  }

  @Test("with index and an item damaged, what may be outdated is marked")
  func outdated() throws {
    let index = try #require(third.first { $0.type == FrameType.index })
    var changed = bytes
    changed[index.place + 50] ^= 1
    changed[second[0].place + 60] ^= 1
    let archive = try packed.open(changed)
    let listing = try archive.listing()
    #expect(listing.worst == .damaged)
    // The old revision of the replaced item is among them, and marked.
    #expect(attributes(listing) == [[0], [1], [3], [4]])
    let marked = Set(listing.items.filter { listing.outdated.contains($0.place) }.map(\.attributes))
    #expect(marked.isSuperset(of: [[0], [1], [3]]))
    #expect(family { _ = try archive.get(tokens[0]) } == .damaged)
  }

  @Test("a lost older commit costs no item")
  func lostCommit() throws {
    let commit = second.filter { $0.type == FrameType.commit }
    var changed = bytes
    for copy in commit { changed[copy.place + 100] ^= 1 }
    let archive = try packed.open(changed)
    #expect(archive.findings.isEmpty)
    let listing = try archive.listing()
    #expect(listing.worst == .damaged && listing.outdated.isEmpty)
    #expect(attributes(listing) == [[0], [99], [3], [4]])
    #expect(try values(archive) == Self.state)
    #expect(try archive.verify().worst == .damaged)
  }

  @Test("one copy of an older commit is enough", arguments: [0, 1])
  func olderCopy(copy: Int) throws {
    let commits = second.filter { $0.type == FrameType.commit }
    var changed = bytes
    changed[commits[copy].place + 100] ^= 1
    let archive = try packed.open(changed)
    #expect(try archive.listing().findings.isEmpty)
    #expect(try archive.verify().worst == .damaged)
  }

  @Test(
    "both copies of the newest commit damaged: the state before, told as a loss",
    arguments: [false, true])
  func lostNewest(repairs: Bool) throws {
    var changed = bytes
    for place in [bytes.count - 512, bytes.count - 272] {
      changed[place + 100] ^= 1
      if repairs { changed.repairFrame(at: place) }
    }
    let code = repairs ? ContainerError.Code.tampered : .damaged
    let archive = try packed.open(changed)
    #expect(archive.commit.number == 2)
    #expect(archive.findings.map(\.error.code) == [code] && archive.findings[0].isLoss)
    #expect(try archive.verify().worst == code)
  }

  @Test("an old commit put at the end is no state, and tampering")
  func replayed() throws {
    let end = packed.bytes.count
    let archive = try packed.open(bytes + bytes[(end - 512)..<end])
    #expect(archive.commit.number == 3)
    #expect(archive.findings.map(\.error.code) == [.tampered] && archive.findings[0].isLoss)
  }

  @Test("an end mark behind an old state names no state")
  func forgedMark() throws {
    var changed = bytes
    changed +=
      [UInt8](repeating: 0, count: 480) + bytes[(packed.bytes.count - 32)..<packed.bytes.count]
    let archive = try packed.open(changed)
    #expect(archive.commit.number == 3)
    #expect(archive.findings.map(\.error.code) == [.truncated])
  }

  @Test("two archives in one file are damage, and the first one's state is read")
  func joined() throws {
    let other = try PackedArchive([PackedItem(9)])
    let archive = try packed.open(bytes + other.bytes)
    #expect(archive.commit.number == 3)
    #expect(archive.findings.map(\.error.code) == [.damaged] && archive.findings[0].isLoss)
    #expect(try values(archive) == Self.state)
    #expect(try archive.verify().worst == .damaged)
    let joinedCut = Array(packed.bytes[..<9000])
    #expect(
      family { _ = try packed.open(joinedCut + [UInt8](repeating: 0, count: 8) + other.bytes) }
        == .damaged)
  }

  @Test(
    "an unfinished append is a warning", arguments: [1, 15, 16, 100, 511, 512, 513, 3000])
  func tail(count: Int) throws {
    let archive = try packed.open(bytes + [UInt8](repeating: 0x41, count: count))
    #expect(archive.commit.number == 3)
    #expect(archive.findings.map(\.error.code) == [.truncated])
    #expect(archive.findings.allSatisfy { !$0.isLoss })
    #expect(try archive.verify().worst == .truncated)
  }

  @Test("a required commit has to be reached, by number and hash")
  func requirement() throws {
    func opening(_ number: UInt64, _ hash: [UInt8] = []) -> ContainerError.Code? {
      var options = OpenOptions()
      options.requirement = CommitRequirement(number: number, hash: hash)
      return family { _ = try packed.open(bytes, options: options) }
    }
    let commits = [packed.bytes.count - 512, second[second.count - 2].place, bytes.count - 512]
    for (number, place) in commits.enumerated() {
      let hash = SHA256.hash(Array(bytes[place..<(place + 240)]).bytes)
      #expect(opening(UInt64(number + 1)) == nil)
      #expect(opening(UInt64(number + 1), hash) == nil)
      #expect(opening(UInt64(number + 1), Array(hash[..<8])) == nil)
      #expect(opening(UInt64(number + 1), [hash[0] ^ 1] + hash[1..<8]) == .rollback)
    }
    #expect(opening(4) == .rollback)
    #expect(opening(0) == .rollback)
  }

  @Test("a compacted archive keeps the hash of what it was made from")
  func compacted() throws {
    var builder = try SessionBuilder(packed, afterHeaderOnly: true)
    let hash = [UInt8](repeating: 0xAB, count: 32)
    try builder.append([.add(added)]) { commit in
      commit.number = 8
      commit.previousHash = hash
    }
    var options = OpenOptions()
    for (number, required, code) in [
      (7, hash, nil as ContainerError.Code?), (7, [], nil), (7, [0xAC], .rollback),
      (6, [], .rollback), (8, [], nil), (9, [], .rollback),
    ] as [(UInt64, [UInt8], ContainerError.Code?)] {
      options.requirement = CommitRequirement(number: number, hash: required)
      #expect(family { _ = try packed.open(builder.bytes, options: options) } == code)
    }
    #expect(try packed.open(builder.bytes).verify().findings.isEmpty)
  }

  @Test("a broken chain of commits is tampering", arguments: ["hash", "number", "count"])
  func chain(what: String) throws {
    var builder = try SessionBuilder(packed)
    try builder.append([.add(added)]) { commit in
      switch what {
      case "hash": commit.previousHash[0] ^= 1
      case "number": commit.number += 1
      default: commit.liveItems += 1
      }
    }
    let archive = try packed.open(builder.bytes)
    #expect(try archive.verify().worst == .tampered)
    #expect(try archive.listing().worst == .tampered)
    if what != "count" {
      var options = OpenOptions()
      options.requirement = CommitRequirement(number: 1)
      #expect(family { _ = try packed.open(builder.bytes, options: options) } == .tampered)
    }
  }

  @Test("the segment of an earlier session is told")
  func segment() throws {
    var builder = try SessionBuilder(packed)
    let segment = Array(bytes[(packed.frames[0].place + 12)..<(packed.frames[0].place + 24)])
    try builder.append([.add(added)], segment: segment)
    #expect(try packed.open(builder.bytes).verify().worst == .tampered)
  }

  @Test("what a shredded item's tombstone covers is no finding; a void without one is tampering")
  func shredded() throws {
    let items = try packed.open().listing().items
    let victim = packed.frames[2]
    let extent = UInt64(victim.place)..<UInt64(packed.frames[3].end)
    var builder = try SessionBuilder(packed)
    try builder.append([.shred(items[1], [extent])])
    var changed = builder.bytes
    for frame in packed.frames[2...3] {
      changed[frame.place + 4] = FrameType.void
      changed.store(UInt32(0), at: frame.place + 24)
      for offset in (frame.place + 32)..<frame.end { changed[offset] = 0 }
      changed.repairCRC(at: frame.place)
    }
    let archive = try packed.open(changed)
    let listing = try archive.listing()
    #expect(listing.findings.isEmpty && listing.items.map(\.attributes) == [[0], [2], [3]])
    #expect(try archive.verify().findings.isEmpty)
    // A later session cut off gives itself away.
    let older = try packed.open(Array(changed[..<packed.bytes.count]))
    #expect(try older.listing().worst == .tampered)
    #expect(try older.verify().worst == .tampered)
    #expect(family { _ = try older.get(tokens[1]) } == .tampered)
    // A void with something in it, or with a body check: a shredding that is not finished.
    for (offset, repairsCRC) in [(40, false), (24, true)] {
      var broken = changed
      broken[victim.place + offset] = 1
      if repairsCRC { broken.repairCRC(at: victim.place) }
      #expect(try packed.open(broken).verify().worst == .truncated)
    }
  }
}
