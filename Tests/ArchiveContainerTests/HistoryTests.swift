// Older revisions: found from the newest frame of their item on, and kept by compacting where that is asked for.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Revisions")
struct HistoryTests {
  /// What is left of an item's past: states by revision number, with the values of those that have attributes.
  private struct History: Hashable {
    var isDeleted: Bool
    var revisions: [UInt64: [UInt8]]
  }

  /// An archive that has been changed many times, and its states after each commit.
  private struct Changed {
    let packed: PackedArchive
    let device: RecordingDevice
    var states: Set<[Token: [UInt8]]> = []

    init(seed: UInt64, commits: Int, shreds: Bool) throws {
      var random = SeededGenerator(seed: seed)
      packed = try PackedArchive((0..<6).map { PackedItem($0, value: [UInt8($0)]) })
      device = RecordingDevice(packed.bytes)
      try note()
      for commit in 0..<commits {
        let update = try ArchiveUpdate(try open())
        let live = try update.archive.listing().items.shuffled(using: &random)
        for old in live.prefix(Int.random(in: 0...3, using: &random)) {
          switch random.next() % 4 {
          case 0: try update.delete(old, shredding: shreds && random.next() % 2 == 0)
          case 1:
            try update.append(
              attributes: [1], token: old.token, keepingValueOf: old, origin: 0)
          default:
            let count = random.next() % 8 == 0 ? 2_200_000 : Int(random.next() % 6000)
            let value = [UInt8](repeating: UInt8(commit), count: count)
            try update.append(
              attributes: [2], token: old.token, value: value.bytes, replacing: old, origin: 0)
          }
        }
        for number in 0..<Int.random(in: 0...2, using: &random) {
          try update.append(
            attributes: [3], token: PackedItem(100 + 10 * commit + number).token,
            value: [7, UInt8(commit)].bytes, origin: 0)
        }
        _ = try update.commit()
        try note()
      }
    }

    func open(_ bytes: [UInt8]? = nil) throws -> OpenedArchive {
      try OpenedArchive.open(
        bytes.map { MemoryDevice($0) } ?? device, credentials: packed.credentials,
        options: OpenOptions())
    }

    private mutating func note() throws {
      states.insert(try HistoryTests.state(try open()))
    }
  }

  private static func state(_ archive: OpenedArchive) throws -> [Token: [UInt8]] {
    var state: [Token: [UInt8]] = [:]
    for item in try archive.listing().items { state[item.token] = try archive.value(of: item) }
    return state
  }

  /// The histories of all items of which anything is left, by uuid.
  private static func histories(_ archive: OpenedArchive) throws -> [ItemID: History] {
    var histories: [ItemID: History] = [:]
    var scan = ItemScan(archive, .newest)
    var frames = ItemFrames(archive)
    while let newest = try scan.next() {
      var history = History(isDeleted: newest.isTombstone, revisions: [:])
      var current: ItemRecord? = newest
      while let record = current {
        if !record.isTombstone {
          history.revisions[record.revision] = try archive.value(of: record)
        }
        current = try frames.revision(before: record)
      }
      #expect(histories[newest.id] == nil)
      histories[newest.id] = history.revisions.isEmpty ? nil : history
    }
    #expect(scan.findings.isEmpty, "\(scan.findings)")
    return histories
  }

  @Test("every revision is found, with its value", arguments: [false, true])
  func finding(shreds: Bool) throws {
    let changed = try Changed(seed: 5, commits: 30, shreds: shreds)
    let histories = try Self.histories(try changed.open())
    let live = histories.values.filter { !$0.isDeleted }.count
    #expect(try UInt64(live) == changed.open().commit.liveItems)
    #expect(histories.values.contains { $0.revisions.count > 2 })
    #expect(histories.values.contains { $0.isDeleted })
    // Nothing is missing between the first revision and the newest.
    for history in histories.values {
      #expect(history.revisions.keys.sorted() == Array(1...UInt64(history.revisions.count)))
    }
  }

  @Test(
    "compacting with the history keeps every revision that is left, and makes no state that was not",
    arguments: [1, 2, 3], [false, true])
  func compacting(seed: UInt64, shreds: Bool) throws {
    let changed = try Changed(seed: seed, commits: 30, shreds: shreds)
    let source = try changed.open()
    let target = MemoryDevice()
    let summary = try HistoryCopier(source, to: target).run()
    let bytes = target.contents
    try OpenedArchive.readBack(
      target, keys: source.keys, expecting: summary, openedValueLimit: .max)
    let copy = try changed.open(bytes)
    #expect(try copy.verify().findings.isEmpty)
    #expect(try Self.state(copy) == Self.state(source))
    #expect(try Self.histories(copy) == Self.histories(source))

    var commits: [Commit] = []
    var chain = CommitChain(copy)
    while let (commit, _, _) = try chain.next() { commits.append(commit) }
    #expect(commits.count < Int(source.commit.number) && commits.count > 2)
    #expect(commits.last?.number == source.commit.number + 1)
    for commit in commits {
      let older = try changed.open(Array(bytes[..<Int(commit.end)]))
      #expect(try older.verify().findings.isEmpty)
      let state = try Self.state(older)
      // What was shredded since is in none of its states any more.
      #expect(shreds || changed.states.contains(state), "commit \(commit.number)")
    }
    // A pin on the newest commit of the source still holds, and it can be done again.
    var options = OpenOptions()
    options.requirement = CommitRequirement(
      number: source.commit.number, hash: try SessionStart(after: source).previousHash)
    _ = try OpenedArchive.open(
      MemoryDevice(bytes), credentials: changed.packed.credentials, options: options)
    let again = MemoryDevice()
    _ = try HistoryCopier(copy, to: again).run()
    #expect(try Self.histories(try changed.open(again.contents)) == Self.histories(source))
    #expect(again.contents.count == bytes.count)
  }

  @Test("compacting with the history goes on in another session where one is full")
  func limits() throws {
    let changed = try Changed(seed: 9, commits: 12, shreds: true)
    let source = try changed.open()
    let target = MemoryDevice()
    let limits = SessionLimits(frames: 25, bytes: Format.mostBytesInSession)
    _ = try HistoryCopier(source, to: target, limits: limits).run()
    let copy = try changed.open(target.contents)
    #expect(try copy.verify().findings.isEmpty)
    #expect(try Self.histories(copy) == Self.histories(source))
  }

  @Test("what is damaged is not passed over, wherever it is")
  func damage() throws {
    let changed = try Changed(seed: 4, commits: 6, shreds: false)
    let bytes = changed.device.contents
    let frames = changed.packed.frames
    for frame in frames where frame.type != FrameType.commit {
      var damaged = bytes
      damaged[frame.place + 40] ^= 1
      let source = try changed.open(damaged)
      let refused = family { _ = try HistoryCopier(source, to: MemoryDevice()).run() }
      #expect(refused == .damaged, "type \(frame.type)")
    }
  }

  @Test("a plain compacted archive has each item's last revision only, and says which that is")
  func plain() throws {
    let changed = try Changed(seed: 6, commits: 10, shreds: false)
    let source = try changed.open()
    let target = MemoryDevice()
    var copier = try ArchiveCopier(compacting: source, to: target)
    for item in try source.listing().items { try copier.append(item, token: item.token) }
    _ = try copier.finish()
    let histories = try Self.histories(try changed.open(target.contents))
    #expect(histories.values.allSatisfy { $0.revisions.count == 1 && !$0.isDeleted })
    #expect(histories.values.contains { $0.revisions.keys.contains { $0 > 1 } })
  }
}
