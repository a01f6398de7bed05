// What is written comes back: values of every awkward size, indexes of every awkward size.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

/// How a value gets into the archive.
enum Way: CaseIterable {
  case inMemory, knownLength, unknownLength
}

/// Bytes that deflate well, or not at all.
func sampleValue(_ count: Int, shrinks: Bool) -> [UInt8] {
  if shrinks {
    let line = Array("the same line again and again\n".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + line.count)
    while bytes.count < count { bytes += line }
    return Array(bytes[..<count])
  }
  return (try? Randomness.bytes(count: count)) ?? []
}

@Suite("Round trips")
struct RoundTripTests {
  private static let chunk = Format.chunkByteCount

  /// Packs `values`, each in its own way, and reads all of them back in every way there is.
  private func roundTrip(
    _ values: [[UInt8]], way: Way, compresses: Bool, isSeekable: Bool
  ) throws -> [UInt8] {
    let keys = try ArchiveKeys.fresh()
    let credential = try Credential.sampleKeyFile(1)
    let slot = try Slot.make(for: credential, id: 1, cost: .standard, label: "", keys: keys)
    let device = MemoryDevice(isSeekable: isSeekable)
    var writer = try SessionWriter(to: device, keys: keys, slots: [slot], compresses: compresses)
    let items = values.indices.map { PackedItem($0) }
    for (item, value) in zip(items, values) {
      switch way {
      case .inMemory:
        try writer.append(
          attributes: item.attributes, token: item.token, value: value.bytes, origin: 0)
      case .knownLength, .unknownLength:
        let source = ArraySource(value, claimed: way == .knownLength ? value.count : nil)
        try writer.append(
          attributes: item.attributes, token: item.token, source: source, origin: 0)
      }
    }
    let summary = try writer.finish()
    let bytes = device.contents
    #expect(summary.commit.end == UInt64(bytes.count))
    #expect(summary.commit.liveBytes + summary.commit.deadBytes == summary.commit.place - 8192)
    #expect(summary.commit.deadBytes == 0)

    let archive = try OpenedArchive.open(
      MemoryDevice(bytes), credentials: [credential], options: OpenOptions())
    #expect(archive.findings.isEmpty)
    try OpenedArchive.readBack(
      MemoryDevice(bytes), keys: keys, expecting: summary, openedValueLimit: 2 << 20)
    let report = try archive.verify()
    #expect(report.findings.isEmpty)
    #expect(report.wholeItems == UInt64(values.count))
    #expect(report.valueByteCount == UInt64(values.map(\.count).reduce(0, +)))
    #expect(report.frameCount == summary.frameCount)
    let structure = try StructureCheck.run(MemoryDevice(bytes), checksBodies: true)
    #expect(structure.findings.isEmpty && structure.frameCount == summary.frameCount)

    var scan = ItemScan(archive)
    var read = SecretBytes(count: 0)
    var number = 0
    while let item = try scan.next() {
      let isKnown = way != .unknownLength
      #expect(item.valueByteCount == (isKnown ? UInt64(values[number].count) : nil))
      // Every other value is left to be passed over.
      if isKnown, number.isMultiple(of: 2) {
        let isRead = try scan.readValue(of: item, into: &read, limit: .max)
        #expect(isRead)
        let isEqual = read.bytes.array(at: 0, count: read.count) == values[number]
        #expect(isEqual, "value \(number) of \(values[number].count) bytes")
      }
      number += 1
    }
    #expect(number == values.count)
    #expect(scan.findings.isEmpty)
    for (item, value) in zip(items, values) {
      let found = try archive.get(item.token)
      let isEqual = found == [value]
      #expect(isEqual, "\(value.count) bytes")
    }
    return bytes
  }

  static let small = [0, 1, 55, 56, 57, 119, 120, 121, 4095, 4096, 4097, 16_383, 16_384, 16_385]

  @Test(
    "small values come back, however they are given, deflated or not, through files and pipes",
    arguments: Way.allCases, [false, true])
  func small(way: Way, shrinks: Bool) throws {
    let values = Self.small.map { sampleValue($0, shrinks: shrinks) }
    for flag in [false, true] {
      _ = try roundTrip(values, way: way, compresses: flag, isSeekable: flag)
    }
  }

  @Test(
    "values around a chunk's size come back",
    arguments: [
      (Way.inMemory, true), (.knownLength, true), (.unknownLength, true), (.unknownLength, false),
    ])
  func chunks(way: Way, shrinks: Bool) throws {
    let sizes = [Self.chunk - 1, Self.chunk, Self.chunk + 1, 2 * Self.chunk]
    let values = sizes.map { sampleValue($0, shrinks: shrinks) }
    let bytes = try roundTrip(values, way: way, compresses: true, isSeekable: shrinks)
    let frames = FramePlace.walk(bytes, from: 8192)
    // A value of exactly one chunk is one frame, and no value ends with an empty one.
    #expect(frames.count { $0.type == FrameType.value } == 1 + 1 + 2 + 2)
    #expect((bytes.count < 100_000) == shrinks)
  }

  @Test(
    "values of many chunks use all cores and come back in order",
    arguments: [Way.knownLength, .unknownLength])
  func longValues(way: Way) throws {
    // Chunks that shrink and chunks that don't, in turn, the last one short.
    var value: [UInt8] = []
    for number in 0..<5 { value += sampleValue(Self.chunk, shrinks: number.isMultiple(of: 2)) }
    value += [1, 2, 3]
    _ = try roundTrip([value, [5]], way: way, compresses: true, isSeekable: true)
  }

  @Test("only chunks from 4,096 bytes that save a sixteenth are deflated")
  func deflates() throws {
    let packed = try PackedArchive(
      [4095, 4096].enumerated().map {
        PackedItem($0.offset, value: sampleValue($0.element, shrinks: true))
      })
    let sizes = packed.frames.filter { $0.type == FrameType.value }.map(\.count)
    #expect(sizes[0] > 4095 && sizes[1] < 1000)
    let plain = try PackedArchive(
      [PackedItem(0, value: sampleValue(4096, shrinks: true))], compresses: false)
    #expect(plain.frames.contains { $0.type == FrameType.value && $0.count > 4096 })
    let random = try PackedArchive([PackedItem(0, value: sampleValue(4096, shrinks: false))])
    #expect(random.frames.contains { $0.type == FrameType.value && $0.count > 4096 })
    #expect(DeflateProbe.limit(for: 4096) == 3840 && DeflateProbe.limit(for: 4097) == 3840)
  }

  @Test("a probe that misses skips the next 15 long chunks")
  func probe() throws {
    var probe = DeflateProbe()
    let deflater = try Deflater()
    let (random, lines) = (sampleValue(40_000, shrinks: false), sampleValue(40_000, shrinks: true))
    var scratch = [UInt8](repeating: 0, count: 1 << 20)
    func wants(_ bytes: [UInt8]) -> Bool {
      var target = scratch.mutableBytes
      return probe.wants(bytes.bytes, deflater: deflater, scratch: &target)
    }
    #expect(wants(lines))
    #expect(!wants(random))
    for _ in 0..<15 { #expect(!wants(lines)) }
    #expect(wants(lines))
    #expect(!wants(Array(lines[..<4095])))
    #expect(wants(Array(random[..<16_384])), "as long as the probe: it is tried at once")
  }

  @Test("items without a value have none, and an empty value is one")
  func noValue() throws {
    let packed = try PackedArchive([
      PackedItem(0), PackedItem(1, value: []), PackedItem(2, value: [9]),
    ])
    let archive = try packed.open()
    let items = try archive.listing().items
    #expect(items.map(\.hasValue) == [false, true, true])
    #expect(items.map(\.valueByteCount) == [0, 0, 1])
    #expect(try packed.items.map { try archive.get($0.token) } == [[nil], [[]], [[9]]])
    #expect(packed.frames.map(\.type) == [1, 1, 2, 1, 2, 3, 4, 4])
  }

  @Test("an archive without items is one empty session")
  func empty() throws {
    let packed = try PackedArchive([])
    #expect(packed.bytes.count == 8192 + 512)
    let archive = try packed.open()
    #expect(archive.commit.root == nil && archive.commit.liveItems == 0)
    #expect(archive.commit.firstFrame == 8192 && archive.commit.place == 8192)
    #expect(try archive.listing().items.isEmpty)
    #expect(try archive.get(PackedItem(0).token).isEmpty)
    #expect(try archive.verify().findings.isEmpty)
  }

  @Test("attributes fill a frame to its last byte, and not more")
  func attributes() throws {
    let most = Format.chunkByteCount - Format.itemHeaderByteCount
    var item = PackedItem(0, value: [1])
    item.attributes = [UInt8](repeating: 3, count: most)
    let archive = try PackedArchive([item]).open()
    let isEqual = try archive.listing().items.map(\.attributes) == [item.attributes]
    #expect(isEqual)
    item.attributes.append(3)
    #expect(family { _ = try PackedArchive([item]) } == .refusedByLimit)
  }

  @Test(
    "every item is found by its token, at index sizes around a node's",
    arguments: [1, 2, 408, 409, 410, 818, 819, 5000])
  func lookups(count: Int) throws {
    let packed = try PackedArchive((0..<count).map { PackedItem($0) })
    let archive = try packed.open()
    #expect(archive.commit.root?.level == (count <= 409 ? 0 : 1))
    var index = IndexReader(archive)
    var entries = 0
    for item in packed.items {
      let found = try index.items(in: item.token...item.token)
      if found.count == 1, found[0].token == item.token, found[0].attributes == item.attributes {
        entries += 1
      }
      let byHalf = try index.items(lookup: item.token.lookup)
      if byHalf.count != 1 { entries = -count }
    }
    #expect(entries == count)
    for number in 0..<50 {
      #expect(
        try index.items(
          in: PackedItem(count + 1 + number).token...PackedItem(count + 1 + number).token
        ).isEmpty)
    }
    #expect(try archive.listing().items.count == count)
    #expect(try archive.verify().findings.isEmpty)
  }

  @Test("levels of the index grow as they should, without an archive around them")
  func levels() throws {
    for (count, level) in [(409, 0), (410, 1), (409 * 409, 1), (409 * 409 + 1, 2)] {
      var levels = IndexLevels()
      var nodes: [Int: [[IndexEntry]]] = [:]
      var place: UInt64 = 1 << 30
      func write(_ level: UInt8, _ entries: [IndexEntry]) -> IndexEntry {
        nodes[Int(level), default: []].append(entries)
        place += 16
        return IndexEntry(
          token: entries[0].token, place: place, segment: entries[0].segment, sequence: 0)
      }
      let segment = Segment([UInt8](repeating: 1, count: 12).bytes, at: 0)
      for number in 0..<count {
        let token = Token(lookup: UInt64(number), primary: 0)
        let leaf = IndexEntry(token: token, place: 16, segment: segment, sequence: 0)
        try levels.add(leaf) { level, entries in write(level, entries) }
      }
      try levels.finish { level, entries in write(level, entries) }
      #expect(levels.root?.level == UInt8(level), "\(count) entries")
      #expect(nodes[0]?.map(\.count).reduce(0, +) == count)
      for depth in 0...level {
        #expect(nodes[depth]?.allSatisfy { (1...409).contains($0.count) } == true)
        let children = depth == 0 ? count : nodes[depth - 1]?.count
        #expect(nodes[depth]?.map(\.count).reduce(0, +) == children)
      }
      #expect(nodes[level]?.count == 1)
    }
  }

  @Test("items of one lookup half are all found, over several leaves")
  func equalHalves() throws {
    let crowd = (0..<1000).map { PackedItem(Token(lookup: 77 << 40, primary: UInt64($0) * 3)) }
    let others = (0..<600).map { PackedItem(Token(lookup: UInt64($0) << 40, primary: 5)) }
      .filter { $0.token.lookup != 77 << 40 }
    let packed = try PackedArchive(others + crowd)
    var index = IndexReader(try packed.open())
    let found = try index.items(lookup: 77 << 40)
    #expect(found.map(\.token) == crowd.map(\.token))
    #expect(try index.items(lookup: 76 << 40).count == 1)
    #expect(try index.items(lookup: 76 << 40 + 1).isEmpty)
    let middle = try index.items(in: crowd[400].token...crowd[830].token)
    #expect(middle.map(\.token) == crowd[400...830].map(\.token))
  }

  @Test("two items of one token are refused, with what the caller knows them by")
  func duplicates() throws {
    let item = PackedItem(3, value: [1])
    do {
      _ = try PackedArchive([PackedItem(0), item, PackedItem(1), item])
      Issue.record("it was packed")
    } catch let error as ContainerError {
      #expect(error.code == .duplicateItem && error.origins == [1, 3])
    }
  }

  @Test(
    "a source that gives another length than it said has changed", arguments: [0, 9, 11, 2_000_000])
  func changedSource(claimed: Int) throws {
    let keys = try ArchiveKeys.fresh()
    var writer = try SessionWriter(
      to: MemoryDevice(), keys: keys, slots: [], compresses: true)
    let item = PackedItem(0)
    let source = ArraySource([UInt8](repeating: 1, count: 10), claimed: claimed)
    let code: ContainerError.Code?
    do {
      try writer.append(attributes: [], token: item.token, source: source, origin: 0)
      code = nil
    } catch {
      code = error.code
    }
    #expect(code == .sourceFailed)
  }
}
