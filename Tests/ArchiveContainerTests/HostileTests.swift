// Input made to hurt: everything authentic (someone with the file key wrote it), and none of it legal.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Hostile input")
struct HostileTests {
  private let packed: PackedArchive
  private let token = PackedItem(50).token

  init() throws {
    packed = try PackedArchive([PackedItem(0, value: [1])])
  }

  /// An archive of these changes behind the packed one's session.
  private func archive(
    _ changes: [SessionChange], adjust: (inout Commit) -> Void = { _ in }
  ) throws -> OpenedArchive {
    var builder = try SessionBuilder(packed)
    try builder.append(changes, adjust: adjust)
    return try packed.open(builder.bytes)
  }

  /// What listing, lookup and verify say of it.
  private func families(_ archive: OpenedArchive) throws -> [ContainerError.Code?] {
    [
      try archive.listing().worst, family { _ = try archive.get(token) },
      try archive.verify().worst,
    ]
  }

  private static func item(_ change: (inout ItemContent) -> Void) -> [UInt8] {
    var content = ItemContent(token: PackedItem(50).token)
    change(&content)
    return content.bytes
  }

  private static func changing(_ offset: Int, _ value: UInt8) -> [UInt8] {
    var bytes = item { _ in }
    bytes[offset] = value
    return bytes
  }

  static let items: [(String, UInt8, [UInt8])] = [
    ("code", 2, item { _ in }), ("revision 0", 0, item { $0.revision = 0 }),
    ("a length without a value", 0, item { $0.length = 1 }),
    ("value 2", 0, changing(56, 2)), ("reserved bytes", 0, changing(57, 1)),
    ("reserved bytes", 0, changing(63, 1)), ("too short", 0, Array(item { _ in }[..<63])),
    ("over 8 TiB", 0, item { ($0.hasValue, $0.length) = (true, 1 << 43 + 1) }),
    ("far over", 0, item { ($0.hasValue, $0.length) = (true, .max - 1) }),
    ("a first revision that replaces", 0, item { $0.replaces = 8192 }),
    ("a place that is no frame's", 0, item { ($0.revision, $0.replaces) = (2, 8200) }),
    ("a place before all sessions", 0, item { ($0.revision, $0.replaces) = (2, 4096) }),
    ("a place beyond", 0, item { ($0.revision, $0.replaces) = (2, .max - 15) }),
  ]

  @Test("malformed items are tampering", arguments: items)
  func malformedItem(what: String, code: UInt8, content: [UInt8]) throws {
    let archive = try archive([.rawItem(code: code, content: content)])
    #expect(try archive.listing().worst == .tampered, "\(what)")
    #expect(try archive.verify().worst == .tampered, "\(what)")
    // The item that was there before is not lost by it.
    #expect(try archive.get(packed.items[0].token) == [[1]])
  }

  @Test("what an item replaces is an earlier revision of it")
  func replacesAnother() throws {
    let content = Self.item { ($0.revision, $0.replaces) = (2, 8192) }
    #expect(try archive([.rawItem(code: 0, content: content)]).verify().worst == .tampered)
  }

  static let tombstones: [(String, [UInt64])] = [
    ("no whole extent", [8192]), ("length 0", [8192, 0]), ("before the sessions", [4096, 16]),
    ("not aligned", [8200, 16]), ("a length not aligned", [8192, 8]),
    ("into its own session", [8192, 1 << 20]), ("over the end of all numbers", [8192, .max - 15]),
  ]

  @Test("extents of a tombstone cover frames of earlier sessions only", arguments: tombstones)
  func extents(what: String, words: [UInt64]) throws {
    var rest: [UInt8] = []
    for word in words { rest.append(littleEndian: word) }
    let content = Self.item { ($0.revision, $0.replaces, $0.rest) = (2, 8192, rest) }
    let archive = try archive([.frame(type: FrameType.item, code: 1, content: content)])
    #expect(try archive.listing().worst == .tampered, "\(what)")
    #expect(try archive.verify().worst == .tampered, "\(what)")
  }

  private static let full = [UInt8](repeating: 0, count: Format.chunkByteCount)

  /// Raw deflate of `bytes`.
  private static func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
    var target = [UInt8](repeating: 0, count: bytes.count + 1024)
    var span = target.mutableBytes
    let count = try #require(
      try Deflater().deflate(bytes.bytes, into: &span, at: 0, limit: bytes.count + 1024))
    return Array(target[..<count])
  }

  /// A value of known or unknown length in these chunks.
  private func value(
    _ length: UInt64, _ chunks: [(code: UInt8, content: [UInt8])]
  ) throws -> [ContainerError.Code?] {
    let content = Self.item { ($0.hasValue, $0.length) = (true, length) }
    let archive = try archive([.rawItem(code: 0, content: content), .chunks(chunks)])
    let random = family { _ = try archive.get(token) }
    let verify = try archive.verify().worst
    let scanned = family {
      var scan = ItemScan(archive)
      var bytes = SecretBytes(count: 0)
      while let item = try scan.next() {
        if item.token == token, item.valueByteCount != nil {
          _ = try scan.readValue(of: item, into: &bytes, limit: .max)
        }
      }
      if let finding = scan.findings.first { throw finding }
    }
    return length == .max ? [random, verify] : [random, verify, scanned]
  }

  @Test("malformed chunks are tampering for every reader")
  func chunks() throws {
    let bad: [(String, UInt64, [(code: UInt8, content: [UInt8])])] = [
      ("no chunk", 1, []), ("an unknown code", 1, [(5, [1])]),
      ("longer than said", 1, [(1, [1, 2])]),
      ("shorter than said", 3, [(1, [1, 2])]), ("an empty chunk of more", 1, [(1, [])]),
      ("a short chunk that is not the last", 3, [(0, [1]), (1, [2, 3])]),
      ("no last mark", 2, [(0, [1, 2])]), ("a second chunk", 1, [(1, [1]), (1, [2])]),
      ("an empty last chunk", UInt64(Self.full.count), [(0, Self.full), (1, [])]),
      ("no deflate", 4, [(3, [0xFF, 0xFF, 0xFF])]), ("an empty stream", 4, [(3, [])]),
      ("bytes behind the stream", 4, [(3, try Self.deflated([1, 2, 3, 4]) + [0])]),
      ("a cut stream", 4, [(3, try Self.deflated([1, 2, 3, 4]).dropLast())]),
      ("a length that no chunk can reach", 1 << 43, [(1, [1])]),
    ]
    for (what, length, chunks) in bad {
      let found = try value(length, chunks)
      let isSecond = what == "a second chunk"
      // The first last mark ends a value: whoever wants it gets it.
      #expect(found[0] == (isSecond ? nil : .tampered), "\(what)")
      #expect(found[1] == .tampered, "\(what)")
      #expect(found[2] == .tampered, "\(what)")
    }
    #expect(try value(.max, [(0, [1]), (1, [2])]) == [.tampered, .tampered])
    #expect(try value(.max, [(1, [2])]) == [nil, nil])
    let deflated = try Self.deflated([1, 2, 3, 4])
    #expect(try value(4, [(3, deflated)]) == [nil, nil, nil])
  }

  @Test("a deflate stream inflates to one chunk at most")
  func bomb() throws {
    let size = UInt64(Self.full.count)
    let exact = try Self.deflated(Self.full)
    #expect(try value(size, [(3, exact)]) == [nil, nil, nil])
    let more = try Self.deflated(Self.full + [0])
    #expect(try value(size + 1, [(3, more)]) == [.tampered, .tampered, .tampered])
    #expect(try value(.max, [(3, more)]) == [.tampered, .tampered])
    let bomb = try Self.deflated([UInt8](repeating: 0, count: 64 << 20))
    let start = ContinuousClock.now
    #expect(try value(.max, [(3, bomb)]) == [.tampered, .tampered])
    #expect(ContinuousClock.now - start < .seconds(2))
  }

  @Test("an index of nodes that are shared over and over is refused at the second leaf")
  func sharedNodes() throws {
    var nodes = [IndexNodeDraft(level: 0, [.item(0)])]
    for level in 1...5 {
      nodes.append(
        IndexNodeDraft(
          level: UInt8(level), [IndexNodeDraft.Child](repeating: .node(level - 1), count: 409)))
    }
    let archive = try archive([.index(nodes)])
    let start = ContinuousClock.now
    #expect(family { _ = try archive.get(packed.items[0].token) } == .tampered)
    #expect(try archive.verify().worst == .tampered)
    #expect(ContinuousClock.now - start < .seconds(2))
  }

  @Test("nodes of a wrong level, order or size are tampering")
  func malformedNodes() throws {
    let bad: [(String, [IndexNodeDraft])] = [
      ("level 6", [IndexNodeDraft(level: 6, [.item(0)])]),
      (
        "a leaf above a leaf",
        [IndexNodeDraft(level: 0, [.item(0)]), IndexNodeDraft(level: 2, [.node(0)])]
      ),
      ("items in an inner node", [IndexNodeDraft(level: 1, [.item(0)])]),
      ("an item twice", [IndexNodeDraft(level: 0, [.item(0), .item(0)])]),
      (
        "410 entries",
        [IndexNodeDraft(level: 0, [IndexNodeDraft.Child](repeating: .item(0), count: 410))]
      ),
      (
        "a node of two levels",
        [
          IndexNodeDraft(level: 0, [.item(0)]), IndexNodeDraft(level: 1, [.node(0)]),
          IndexNodeDraft(level: 2, [.node(0), .node(1)]),
        ]
      ),
    ]
    for (what, nodes) in bad {
      var builder = try SessionBuilder(packed)
      try builder.append([.index(nodes)])
      // A root of level 6 is the commit's fault already.
      guard let archive = try? packed.open(builder.bytes), archive.commit.number == 2 else {
        #expect(what == "level 6")
        continue
      }
      #expect(family { _ = try archive.get(packed.items[0].token) } == .tampered, "\(what)")
      #expect(try archive.verify().worst == .tampered, "\(what)")
    }
  }

  @Test(
    "frames of unknown types are passed over from 128 on, and tampering below",
    arguments: [0, 6, 127, 128, 255] as [UInt8])
  func unknownTypes(type: UInt8) throws {
    let archive = try archive([.frame(type: type, code: 9, content: [1, 2, 3])])
    let code: ContainerError.Code? = type < 128 ? .tampered : nil
    #expect(try archive.listing().worst == code)
    #expect(try archive.verify().worst == code)
    #expect(try archive.listing().items.count == 1)
  }

  @Test("a frame between an item and its value is tampering", arguments: [FrameType.index, 200])
  func between(type: UInt8) throws {
    let content = Self.item { ($0.hasValue, $0.length) = (true, 1) }
    let archive = try archive([
      .rawItem(code: 0, content: content), .frame(type: type, code: 0, content: [1]),
      .chunks([(1, [1])]),
    ])
    #expect(try families(archive) == [.tampered, .tampered, .tampered])
  }

  static let commits: [(String, @Sendable (inout Commit) -> Void)] = [
    ("number 0", { $0.number = 0 }), ("header sequence 0", { $0.headerSequence = 0 }),
    ("number 1 behind another", { $0.number = 1 }),
    ("another first place", { $0.firstFrame += 16 }),
    ("a first place beyond", { $0.firstFrame = .max - 15 }),
    ("no previous", { $0.previous = 0 }), ("a previous beyond", { $0.previous = .max - 511 }),
    ("items without a root", { $0.root = nil }), ("a root without items", { $0.liveItems = 0 }),
    (
      "a root beyond",
      {
        $0.root = Commit.Root(
          place: $0.place, segment: $0.root!.segment, sequence: 0, level: 0)
      }
    ),
  ]

  @Test("a commit at its own place that breaks a rule is tampering", arguments: commits)
  func commit(what: String, change: @Sendable (inout Commit) -> Void) throws {
    #expect(family { _ = try archive([], adjust: change) } == .tampered, "\(what)")
  }

  @Test("a commit that names a later place is lost", arguments: [16, 512, .max])
  func laterPlace(distance: UInt64) throws {
    let archive = try archive([]) { $0.place = distance == .max ? .max : $0.place + distance }
    #expect(archive.commit.number == 1)
    #expect(archive.findings.map(\.error.code) == [.damaged] && archive.findings[0].isLoss)
  }

  @Test("a root that is no node of its session is tampering")
  func wrongRoot() throws {
    let archive = try archive([]) {
      $0.root = Commit.Root(
        place: 8192, segment: $0.root!.segment, sequence: $0.root!.sequence, level: 0)
    }
    #expect(family { _ = try archive.get(packed.items[0].token) } == .tampered)
    #expect(try archive.verify().worst == .tampered)
    #expect(try archive.listing().items.count == 1)
  }

  @Test("random bytes behind a good header never stop the program")
  func noise() throws {
    for round in 0..<200 {
      var bytes = packed.bytes
      let noise = try Randomness.bytes(count: 600)
      for place in stride(from: 0, to: 592, by: 3) where noise[place] < 8 + UInt8(round / 20) {
        let target =
          8192 + (Int(noise[place + 1]) << 2 + Int(noise[place + 2])) % (bytes.count - 8192)
        bytes[target] = noise[place + 2]
        bytes.repairCRC(at: 8192)
      }
      _ = family {
        let archive = try packed.open(bytes)
        _ = try archive.listing()
        _ = try archive.verify()
        let values = try archive.get(packed.items[0].token)
        #expect(values == [[1]])
      }
      _ = try? StructureCheck.run(MemoryDevice(bytes), checksBodies: true)
    }
  }
}
