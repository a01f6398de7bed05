// A small archive cut at every byte and with every bit flipped, each with the result that the Spec says.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

/// Where a byte of an archive lies, and so what its damage costs.
enum Region: Equatable {
  case headerCopy
  /// The ITEM frame of the item with this number.
  case item(Int)
  /// A VALUE frame of that item, and whether the byte is in its header.
  case value(Int, isHeader: Bool)
  case index
  case endOfSession

  /// Every byte's region, by the frames as they stand.
  static func map(_ packed: PackedArchive) -> [Region] {
    var regions = [Region](repeating: .headerCopy, count: packed.firstSession)
    var number = -1
    for frame in packed.frames {
      if frame.type == FrameType.item { number += 1 }
      for offset in 0..<frame.count {
        switch frame.type {
        case FrameType.item: regions.append(.item(number))
        case FrameType.value: regions.append(.value(number, isHeader: offset < 32))
        case FrameType.index: regions.append(.index)
        default: regions.append(.endOfSession)
        }
      }
    }
    return regions + [Region](repeating: .endOfSession, count: packed.bytes.count - regions.count)
  }
}

/// What readers have to say of an archive with damage in one place.
struct Outcome: Equatable {
  /// Families of what opening warns of; nothing of it is a loss.
  var warnings: [ContainerError.Code] = []
  /// Numbers of the items that a scan lists.
  var listed: [Int]
  /// Families of what the scan finds.
  var scan: Set<ContainerError.Code> = []
  /// For each item the family of the error that its lookup and its value give.
  var get: [ContainerError.Code?]
  var verify: ContainerError.Code?

  /// The rule: one region costs one item at most; what the scan does not open it can't miss.
  static func expected(_ region: Region, items: Int, code: ContainerError.Code) -> Outcome {
    let all = Array(0..<items)
    var outcome = Outcome(
      listed: all, get: [ContainerError.Code?](repeating: nil, count: items), verify: code)
    switch region {
    case .headerCopy, .endOfSession: outcome.warnings = [code]
    case .item(let number):
      outcome.listed.remove(at: number)
      outcome.scan = [code]
      outcome.get[number] = code
    case .value(let number, let isHeader):
      if isHeader { outcome.scan = [code] }
      outcome.get[number] = code
    case .index:
      outcome.scan = [code]
      outcome.get = outcome.get.map { _ in code }
    }
    return outcome
  }

  /// What the readers do say.
  init(of bytes: [UInt8], _ packed: PackedArchive, places: [UInt64]) throws {
    let archive = try packed.open(bytes)
    warnings = archive.findings.map(\.error.code)
    if archive.findings.contains(where: \.isLoss) { warnings.append(.rollback) }
    let listing = try archive.listing()
    listed = listing.places.map { places.firstIndex(of: $0) ?? -1 }
    if !listing.outdated.isEmpty { listed.append(-2) }
    scan = Set(listing.findings.map(\.code))
    get = packed.items.map { item in
      family {
        guard try archive.get(item.token) == [item.value] else {
          throw ContainerError(.duplicateItem, "another value")
        }
      }
    }
    verify = try archive.verify().worst
  }

  init(
    listed: [Int], get: [ContainerError.Code?], verify: ContainerError.Code?
  ) {
    self.listed = listed
    self.get = get
    self.verify = verify
  }
}

/// Runs `body` for parts of `range` on both cores; the first few things it has to say.
func onAllCores<T: Sendable>(
  _ range: Range<Int>, _ body: @escaping @Sendable (Int) throws -> T?
) async throws -> [T] {
  let workers = 4
  return try await withThrowingTaskGroup(of: [T].self) { group in
    for worker in 0..<workers {
      group.addTask {
        var said: [T] = []
        for number in stride(from: range.lowerBound + worker, to: range.upperBound, by: workers) {
          if let one = try body(number), said.count < 3 { said.append(one) }
        }
        return said
      }
    }
    return try await group.reduce(into: []) { $0 += $1 }
  }
}

@Suite("Damage")
struct DamageTests {
  /// Items with every kind of value that fits a few bytes.
  private static func small() throws -> PackedArchive {
    try PackedArchive([
      PackedItem(0), PackedItem(1, value: [1, 2, 3]), PackedItem(2, value: []),
    ])
  }

  /// A value of two frames that takes little room.
  private static func deflated() throws -> PackedArchive {
    try PackedArchive([
      PackedItem(0, value: [8]),
      PackedItem(1, value: [UInt8](repeating: 0, count: Format.chunkByteCount + 3)),
      PackedItem(2, value: [9]),
    ])
  }

  private static func flips(
    _ packed: PackedArchive, bits: [Int], code: ContainerError.Code = .damaged
  ) async throws -> [String] {
    let regions = Region.map(packed)
    let places = packed.frames.filter { $0.type == FrameType.item }.map { UInt64($0.place) }
    return try await onAllCores(0..<bits.count) { number in
      let bit = bits[number]
      let expected = Outcome.expected(regions[bit / 8], items: packed.items.count, code: code)
      let found = try Outcome(of: packed.bytes.flipping(bit), packed, places: places)
      return found == expected ? nil : "bit \(bit): \(found) and not \(expected)"
    }
  }

  @Test("a flip of any bit behind the header costs one item at most, and is told as damage")
  func everyBit() async throws {
    let packed = try Self.small()
    let bits = Array((8 * packed.firstSession)..<(8 * packed.bytes.count))
    let said = try await Self.flips(packed, bits: bits)
    #expect(said == [])
  }

  @Test("a flip in the header costs nothing: a bit of every byte of the fields")
  func headerBits() async throws {
    let packed = try PackedArchive([PackedItem(0, value: [1])])
    let bits = (0..<8192).filter { $0 % 4096 < 300 || $0.isMultiple(of: 29) }.map {
      8 * $0 + $0 % 8
    }
    let said = try await Self.flips(packed, bits: bits)
    #expect(said == [])
  }

  @Test("every bit of both copies is under a checksum")
  func headerChecksums() async throws {
    let packed = try Self.small()
    let said = try await onAllCores(0..<(8 * 8192)) { bit in
      let copies = try HeaderReader.read(from: MemoryDevice(packed.bytes.flipping(bit)))
      let place: UInt64 = bit < 8 * 4096 ? 4096 : 0
      let isRight =
        copies.sound.map(\.place) == [place] && copies.findings.map(\.code) == [.damaged]
      return isRight ? nil : bit
    }
    #expect(said == [])
  }

  @Test("a flip in a value of several frames costs that value")
  func severalFrames() async throws {
    let packed = try Self.deflated()
    #expect(packed.frames.count { $0.type == FrameType.value } == 4)
    #expect(packed.bytes.count < 12_000)
    let bits = (packed.firstSession..<packed.bytes.count).filter { $0 % 11 == 0 }.map {
      8 * $0 + $0 % 8
    }
    let said = try await Self.flips(packed, bits: bits)
    #expect(said == [])
  }

  @Test(
    "an archive cut at any byte is cut, with the count of its whole items; behind a COMMIT nothing is lost"
  )
  func everyCut() async throws {
    let packed = try Self.small()
    let frames = packed.frames
    let firstCopyEnd = Int(packed.summary.commit.place) + 240
    // An item is whole behind its last frame.
    var wholeEnds: [Int] = []
    for frame in frames where frame.type == FrameType.item || frame.type == FrameType.value {
      if frame.type == FrameType.value { wholeEnds.removeLast() }
      wholeEnds.append(frame.end)
    }
    #expect(wholeEnds.count == 3)
    let ends = wholeEnds
    let said = try await onAllCores(0..<packed.bytes.count) { count -> String? in
      let bytes = Array(packed.bytes[..<count])
      let expected: ContainerError.Code? =
        count < 8 ? .notAnArchive : count < firstCopyEnd ? .truncated : nil
      do {
        let archive = try packed.open(bytes)
        guard expected == nil, archive.findings.map(\.error.code) == [.truncated],
          try archive.listing().items.count == 3, try archive.listing().findings.isEmpty,
          try packed.items.allSatisfy({ try archive.get($0.token) == [$0.value] }),
          try archive.verify().worst == .truncated
        else { return "\(count) bytes: \(archive.findings)" }
      } catch let error as ContainerError {
        let whole = ends.count { $0 <= count }
        let isCounted =
          count < 8 || error.reason.contains("\(count < 8192 ? 0 : whole) whole items")
        if error.code != expected || !isCounted { return "\(count) bytes: \(error)" }
      }
      return nil
    }
    #expect(said == [])
  }

  @Test("without a credential the unkeyed checks see every flip")
  func structure() async throws {
    let packed = try Self.small()
    let said = try await onAllCores(0..<packed.bytes.count) { byte -> String? in
      let device = MemoryDevice(packed.bytes.flipping(8 * byte + byte % 8))
      let structure = try StructureCheck.run(device, checksBodies: true)
      return structure.findings.worst == .damaged ? nil : "byte \(byte): \(structure.findings)"
    }
    #expect(said == [])
  }

  @Test("without a credential every cut is seen")
  func structureCuts() async throws {
    let packed = try Self.small()
    let said = try await onAllCores(8192..<packed.bytes.count) { count -> String? in
      let structure = try StructureCheck.run(
        MemoryDevice(Array(packed.bytes[..<count])), checksBodies: true)
      return structure.findings.worst == .truncated ? nil : "\(count): \(structure.findings)"
    }
    #expect(said == [])
  }
}
