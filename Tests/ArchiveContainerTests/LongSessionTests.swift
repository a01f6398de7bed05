// What is more than a session can hold goes on in another one. Limits are small here; all else is as it always is.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("More than a session")
struct LongSessionTests {
  private static let key = try? Credential.sampleKeyFile(1)

  /// Packs items with a value of `count` bytes each.
  private func pack(
    _ itemCount: Int, valueByteCount count: Int?, way: Way = .inMemory, limits: SessionLimits,
    isSeekable: Bool = true
  ) throws -> (bytes: [UInt8], keys: ArchiveKeys, summary: SessionSummary) {
    let keys = try ArchiveKeys.fresh()
    let credential = try #require(Self.key)
    let slot = try Slot.make(for: credential, id: 1, cost: .standard, label: "", keys: keys)
    let device = MemoryDevice(isSeekable: isSeekable)
    var writer = try SessionWriter(
      to: device, keys: keys, slots: [slot], compresses: false, limits: limits)
    for number in 0..<itemCount {
      let item = PackedItem(number)
      guard let count else {
        try writer.append(
          attributes: item.attributes, token: item.token, value: nil, origin: UInt32(number))
        continue
      }
      let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: count)
      if way == .inMemory {
        try writer.append(
          attributes: item.attributes, token: item.token, value: value.bytes,
          origin: UInt32(number))
      } else {
        let source = ArraySource(value, claimed: way == .knownLength ? count : nil)
        try writer.append(
          attributes: item.attributes, token: item.token, source: source, origin: UInt32(number))
      }
    }
    let summary = try writer.finish()
    return (device.contents, keys, summary)
  }

  /// Checks that all agree on `items`, and that no session from the one of commit `first` on is over `limits`.
  ///
  /// - Returns: how many sessions there are.
  private func check(
    _ bytes: [UInt8], items: [Token: [UInt8]?], limits: SessionLimits, from first: UInt64 = 1
  ) throws -> UInt64 {
    let credential = try #require(Self.key)
    let archive = try OpenedArchive.open(
      MemoryDevice(bytes), credentials: [credential], options: OpenOptions())
    #expect(archive.findings.isEmpty)
    let report = try archive.verify()
    #expect(report.findings.isEmpty, "\(report.findings)")
    let listing = try archive.listing()
    #expect(listing.findings.isEmpty, "\(listing.findings)")
    #expect(Set(listing.items.map(\.token)) == Set(items.keys))
    for (token, value) in items { #expect(try archive.get(token) == [value]) }
    var chain = CommitChain(archive)
    while let (commit, _, sequence) = try chain.next(), commit.number >= first {
      #expect(sequence <= limits.frames)
      #expect(commit.end - commit.firstFrame <= limits.bytes)
      #expect(commit.liveBytes + commit.deadBytes == commit.place - archive.firstSession)
    }
    return report.sessionCount
  }

  private func expected(_ count: Int, valueByteCount: Int?) -> [Token: [UInt8]?] {
    var items: [Token: [UInt8]?] = [:]
    for number in 0..<count {
      items[PackedItem(number).token] = .some(
        valueByteCount.map { [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: $0) })
    }
    return items
  }

  @Test(
    "a new archive of more frames than a session can have is sound, also in a pipe",
    arguments: [true, false], [20, 21, 22, 50, 1000] as [UInt32])
  func frames(isSeekable: Bool, limit: UInt32) throws {
    let limits = SessionLimits(frames: limit, bytes: Format.mostBytesInSession)
    let (bytes, keys, summary) = try pack(
      700, valueByteCount: 3, limits: limits, isSeekable: isSeekable)
    let sessions = try check(bytes, items: expected(700, valueByteCount: 3), limits: limits)
    // Two frames an item; an index is at least a node.
    #expect(sessions >= 1400 / UInt64(limit))
    #expect(sessions <= 1400 / UInt64(limit - 12) + 1)
    #expect(summary.commit.number == sessions && summary.commit.liveItems == 700)
    try OpenedArchive.readBack(
      MemoryDevice(bytes), keys: keys, expecting: summary, openedValueLimit: .max)
  }

  @Test(
    "a new archive of more bytes than a session can have is sound, however its values come",
    arguments: Way.allCases, [0, 1000, 1_048_568, 2_500_000])
  func bytes(way: Way, valueByteCount: Int) throws {
    let limits = SessionLimits(frames: Format.mostFramesInSession, bytes: 6 << 20)
    let (bytes, _, _) = try pack(
      9, valueByteCount: valueByteCount, way: way, limits: limits)
    let sessions = try check(
      bytes, items: expected(9, valueByteCount: valueByteCount), limits: limits)
    switch way {
    // How long they are is not known: each of them might have 8 TiB.
    case .unknownLength: #expect(sessions == 9)
    default: #expect(sessions == (valueByteCount < 10_000 ? 1 : valueByteCount < 2 << 20 ? 3 : 5))
    }
  }

  @Test("appending more than a session can hold goes on in others, and each is sound by itself")
  func appending() throws {
    let limits = SessionLimits(frames: 60, bytes: Format.mostBytesInSession)
    let start = try pack(60, valueByteCount: 1, limits: .standard)
    let device = RecordingDevice(start.bytes)
    let credential = try #require(Self.key)
    func open() throws -> OpenedArchive {
      try OpenedArchive.open(device, credentials: [credential], options: OpenOptions())
    }
    var items = expected(60, valueByteCount: 1)
    let update = try ArchiveUpdate(try open(), limits: limits)
    let old = try update.archive.listing().items
    for number in 0..<60 {
      switch number % 4 {
      case 0:
        try update.delete(old[number], shredding: number % 8 == 0)
        items[old[number].token] = nil
      case 1:
        try update.append(
          attributes: [9], token: old[number].token, value: [8, 8].bytes, replacing: old[number],
          origin: 0)
        items[old[number].token] = .some([8, 8])
      default:
        let token = PackedItem(1000 + number).token
        try update.append(attributes: [9], token: token, value: nil, origin: 0)
        items[token] = .some(nil)
      }
    }
    let summary = try update.commit()
    let sessions = try check(device.contents, items: items, limits: limits, from: 2)
    #expect(sessions > 5 && summary.commit.number == sessions)

    // At every moment the state is that of one of its commits, with nothing shredded that is not deleted.
    let states = device.crashStates()
    for index in stride(from: 0, to: states.count, by: max(1, states.count / 60)) {
      let crashed = RecordingDevice(states[index])
      let reopened = try ArchiveUpdate(
        try OpenedArchive.open(crashed, credentials: [credential], options: OpenOptions()))
      _ = try reopened.commit()
      let archive = try OpenedArchive.open(
        crashed, credentials: [credential], options: OpenOptions())
      let report = try archive.verify()
      #expect(report.findings.isEmpty, "\(report.findings)")
      #expect(try archive.listing().findings.isEmpty)
    }
  }

  @Test("of an update that is dropped nothing is left, however many sessions it has written")
  func dropped() throws {
    let start = try pack(3, valueByteCount: 1, limits: .standard)
    let device = MemoryDevice(start.bytes)
    let credential = try #require(Self.key)
    func attempt() throws {
      let update = try ArchiveUpdate(
        try OpenedArchive.open(device, credentials: [credential], options: OpenOptions()),
        limits: SessionLimits(frames: 20, bytes: Format.mostBytesInSession))
      for number in 10..<40 {
        try update.append(
          attributes: [], token: PackedItem(number).token, value: nil, origin: 0)
      }
      #expect(device.contents.count > start.bytes.count)
      try update.append(attributes: [], token: PackedItem(11).token, value: nil, origin: 7)
      _ = try update.commit()
    }
    #expect(family(attempt) == .duplicateItem)
    #expect(device.contents == start.bytes)
  }

  @Test("two items of one primary key are duplicates over the end of a session, too")
  func duplicates() throws {
    let keys = try ArchiveKeys.fresh()
    for isSeekable in [true, false] {
      var writer = try SessionWriter(
        to: MemoryDevice(isSeekable: isSeekable), keys: keys, slots: [], compresses: false,
        limits: SessionLimits(frames: 20, bytes: Format.mostBytesInSession))
      for number in 0..<50 {
        try writer.append(
          attributes: [], token: PackedItem(number).token, value: nil, origin: UInt32(number))
      }
      try writer.append(attributes: [], token: PackedItem(3).token, value: nil, origin: 50)
      do {
        _ = try writer.finish()
        Issue.record("the same item twice")
      } catch {
        #expect(error.code == .duplicateItem && error.origins == [3, 50])
      }
    }
  }

  @Test("an item that a whole session can't hold is refused", arguments: Way.allCases)
  func tooLong(way: Way) throws {
    let refused = family {
      _ = try pack(
        2, valueByteCount: 3 * Format.chunkByteCount, way: way,
        limits: SessionLimits(frames: 3, bytes: Format.mostBytesInSession))
    }
    #expect(refused == .refusedByLimit)
  }
}
