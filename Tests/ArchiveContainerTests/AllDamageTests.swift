// Every bit flipped and every length cut, through every reader, with what has to come out computed from where the
// frames stand and from nothing that the readers say.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("All damage")
struct AllDamageTests {
  /// Items with every kind of value that fits a few bytes, for two credentials.
  private static func small() throws -> PackedArchive {
    try PackedArchive(
      [PackedItem(0), PackedItem(1, value: [1, 2, 3]), PackedItem(2, value: [])], slots: 2)
  }

  /// A value of two frames that takes little room, between two others.
  private static func long() throws -> PackedArchive {
    let zeros = [UInt8](repeating: 0, count: Format.chunkByteCount + 3)
    return try PackedArchive(
      [PackedItem(0, value: [8]), PackedItem(1, value: zeros), PackedItem(2, value: [9])], slots: 2)
  }

  /// What salvaging gives: the items that come out by their numbers, and whether all are committed.
  private struct Salvaged: Equatable {
    var items: [Int]
    var isCommitted = true
  }

  private static func salvage(_ bytes: [UInt8], _ packed: PackedArchive) throws -> Salvaged {
    let salvage = try Salvage(
      MemoryDevice(bytes), credentials: packed.credentials, limits: .standard, savedHeader: nil)
    let target = MemoryDevice()
    let written = try salvage.write(to: target)
    let archive = try packed.open(target.contents)
    let found = try archive.listing().items
    var salvaged = Salvaged(items: [])
    for (number, item) in packed.items.enumerated() {
      let same = found.filter { $0.token == item.token }
      if try same.count == 1 && archive.value(of: same[0]) == item.value {
        salvaged.items.append(number)
      }
    }
    if found.count != salvaged.items.count { salvaged.items.append(-1) }
    let taken = written.findings.items.filter { item in found.contains { $0.id == item.record.id } }
    salvaged.isCommitted = taken.allSatisfy(\.isCommitted)
    return salvaged
  }

  /// The numbers of the items that a region's damage leaves.
  private static func survivors(_ region: Region, of packed: PackedArchive) -> [Int] {
    packed.items.indices.filter { number in
      switch region {
      case .item(let lost), .value(let lost, isHeader: _): number != lost
      case .headerCopy, .index, .endOfSession: true
      }
    }
  }

  /// Flips each of `bits`; what is said where a reader does not say what it should.
  private static func flip(_ packed: PackedArchive, bits: [Int]) async throws -> [String] {
    let regions = Region.map(packed)
    let places = packed.frames.filter { $0.type == FrameType.item }.map { UInt64($0.place) }
    return try await onAllCores(0..<bits.count) { number in
      let bit = bits[number]
      let region = regions[bit / 8]
      let survivors = survivors(region, of: packed)
      let bytes = packed.bytes.flipping(bit)
      let expected = Outcome.expected(region, items: packed.items.count, code: .damaged)
      let found = try Outcome(of: bytes, packed, places: places)
      if found != expected { return "bit \(bit): \(found) and not \(expected)" }
      let report = try packed.open(bytes).verify()
      if report.worst != .damaged || report.commit != packed.summary.commit
        || report.wholeItems != UInt64(survivors.count)
      {
        return "bit \(bit) verified: \(report.findings), \(report.wholeItems) items"
      }
      let salvaged = try salvage(bytes, packed)
      return salvaged == Salvaged(items: survivors)
        ? nil : "bit \(bit) salvaged: \(salvaged) and not \(survivors)"
    }
  }

  @Test(
    "with any bit flipped, all readers and the salvage give every item but the one that was hit")
  func flips() async throws {
    let small = try Self.small()
    let behind = Array((8 * small.firstSession)..<(8 * small.bytes.count))
    // Of the header a bit of every third byte: that each is under the checksum is another test's.
    let header = stride(from: 0, to: small.firstSession, by: 3).map { 8 * $0 + $0 % 8 }
    #expect(try await Self.flip(small, bits: behind + header) == [])
    // Every bit of the value of two frames; of the rest, which differs in nothing from the above, some.
    let long = try Self.long()
    let regions = Region.map(long)
    let bits = (8 * long.firstSession..<8 * long.bytes.count).filter { bit in
      switch regions[bit / 8] {
      case .item(1), .value(1, isHeader: _): true
      default: bit % 37 == 0
      }
    }
    #expect(try await Self.flip(long, bits: bits) == [])
    print(
      "bits flipped, through every reader and salvage: \(behind.count) behind a header, "
        + "\(header.count) in it, \(bits.count) around a value of two frames")
  }

  /// What there is of an archive that is cut.
  private struct Cut: Equatable {
    /// How it is opened at random, where it is not.
    var refused: ContainerError.Code?
    /// How many items can be got with their values.
    var items = 0
    /// How many items are told to be whole where no commit is left.
    var wholeItems: Int?
    var salvaged: Salvaged?

    /// By the lengths alone.
    static func expected(_ count: Int, of packed: PackedArchive) -> Cut {
      var whole: [Int] = []
      var ends: [Int] = []
      for frame in packed.frames {
        if frame.type == FrameType.item { ends.append(frame.end) }
        if frame.type == FrameType.value { ends[ends.count - 1] = frame.end }
      }
      whole = ends.indices.filter { ends[$0] <= count }
      if count < 8 { return Cut(refused: .notAnArchive) }
      if count < packed.firstSession { return Cut(refused: .truncated, wholeItems: 0) }
      let isCommitted = count >= Int(packed.summary.commit.place) + 240
      return Cut(
        refused: isCommitted ? nil : .truncated, items: isCommitted ? ends.count : 0,
        wholeItems: isCommitted ? nil : whole.count,
        salvaged: Salvaged(items: whole, isCommitted: isCommitted || whole.isEmpty))
    }

    init(_ bytes: [UInt8], of packed: PackedArchive) throws {
      do {
        let archive = try packed.open(bytes)
        items = try packed.items.count { try archive.get($0.token) == [$0.value] }
      } catch let error as ContainerError {
        refused = error.code
        // "…: 3 whole items, no commit"
        let words = error.reason.split(separator: " ")
        wholeItems = words.firstIndex(of: "whole").flatMap { Int(words[$0 - 1]) }
      }
      let code = family { salvaged = try salvage(bytes, packed) }
      if code != nil, code != refused { salvaged = Salvaged(items: [-2]) }
    }

    init(
      refused: ContainerError.Code?, items: Int = 0, wholeItems: Int? = nil,
      salvaged: Salvaged? = nil
    ) {
      self.refused = refused
      self.items = items
      self.wholeItems = wholeItems
      self.salvaged = salvaged
    }
  }

  @Test("cut at any length, what is whole comes out of the salvage, and behind a commit out of all")
  func cuts() async throws {
    var lengths = 0
    for packed in [try Self.small(), try Self.long()] {
      let said = try await onAllCores(0..<packed.bytes.count) { count -> String? in
        let found = try Cut(Array(packed.bytes[..<count]), of: packed)
        let expected = Cut.expected(count, of: packed)
        return found == expected ? nil : "\(count) bytes: \(found) and not \(expected)"
      }
      #expect(said == [])
      lengths += packed.bytes.count
    }
    print("lengths cut, through every reader and salvage: \(lengths)")
  }
}
