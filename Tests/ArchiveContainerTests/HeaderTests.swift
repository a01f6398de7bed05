// The two copies of the header: which one is taken, and what is said of the other.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Header copies")
struct HeaderTests {
  private let archive: PackedArchive

  init() throws {
    archive = try PackedArchive([PackedItem(0, value: [1, 2, 3]), PackedItem(1)])
  }

  /// Opens and lists; the codes of what was odd.
  private func warnings(_ bytes: [UInt8]) throws -> [ContainerError.Code] {
    let opened = try archive.open(bytes)
    #expect(try opened.listing().items.count == 2)
    #expect(opened.findings.allSatisfy { !$0.isLoss })
    return opened.findings.map(\.error.code)
  }

  /// A header copy over the one at `place`, of the archive's own slots.
  private func put(
    _ bytes: inout [UInt8], at place: Int, sequence: UInt64 = 1, keys: ArchiveKeys? = nil,
    slots: [Slot]? = nil
  ) throws {
    let own = try #require(HeaderCopy(Array(archive.bytes[..<4096]), at: 0)).slots()
    let copy = try HeaderCopy.make(
      keys: keys ?? archive.keys, slots: slots ?? own, sequence: sequence)
    bytes.replaceSubrange(place..<(place + 4096), with: copy)
  }

  @Test("both copies of a new archive are equal, and nothing is odd")
  func sound() throws {
    #expect(Array(archive.bytes[..<4096]) == Array(archive.bytes[4096..<8192]))
    #expect(try warnings(archive.bytes) == [])
  }

  @Test("either copy may be gone", arguments: [0, 4096])
  func oneDamaged(place: Int) throws {
    var bytes = archive.bytes
    for offset in 0..<4096 { bytes[place + offset] = 0xAA }
    #expect(try warnings(bytes) == [.damaged])
    #expect(try archive.open(bytes).verify().worst == .damaged)
  }

  @Test("with both copies damaged it is damage, and no archive where no magic is left")
  func bothDamaged() throws {
    var bytes = archive.bytes
    bytes[100] ^= 1
    bytes[4196] ^= 1
    #expect(family { _ = try archive.open(bytes) } == .damaged)
    for offset in 0..<8192 { bytes[offset] = 0 }
    #expect(family { _ = try archive.open(bytes) } == .damaged, "a frame's magic is at 8192")
    bytes[8192] = 0
    #expect(family { _ = try archive.open(bytes) } == .notAnArchive)
  }

  @Test("a file without a sign of the format is none", arguments: [0, 1, 7, 8, 100, 5000, 600_000])
  func notAnArchive(count: Int) throws {
    let bytes = [UInt8](repeating: 0x20, count: count)
    #expect(family { _ = try archive.open(bytes) } == .notAnArchive)
  }

  @Test("a file that is cut in its header is cut, whatever its first copy looks like")
  func cutHeader() throws {
    for count in [8, 27, 28, 4095, 4096, 8191] {
      var bytes = Array(archive.bytes[..<count])
      #expect(family { _ = try archive.open(bytes) } == .truncated, "\(count) bytes")
      if count > 100 {
        bytes[100] ^= 1
        #expect(family { _ = try archive.open(bytes) } == .truncated, "\(count) bytes, damaged")
      }
    }
  }

  @Test("copy B is found although copy A claims another size")
  func claimedSize() throws {
    for size in [UInt32(8192), 262_144, 5000, 0] {
      var bytes = archive.bytes
      bytes.store(size, at: 24)
      #expect(try warnings(bytes) == [.damaged])
    }
  }

  @Test(
    "sizes grow with the slots, and copy B is found at each",
    arguments: [1, 20, 21, 22, 42, 43, 44, 64])
  func sizes(slots: Int) throws {
    let big = try PackedArchive([PackedItem(0, value: [7])], slots: slots)
    let size = big.firstSession / 2
    #expect(size >= 160 + 184 * slots)
    #expect(size == 4096 || size / 2 < 160 + 184 * (slots + 2))
    var bytes = big.bytes
    #expect(try big.open(bytes).header.slots.count == slots)
    #expect(try big.open(bytes).header.slotID == UInt32(slots))
    bytes[50] ^= 1
    let opened = try big.open(bytes)
    #expect(opened.findings.map(\.error.code) == [.damaged])
    #expect(try opened.get(big.items[0].token) == [[7]])
    bytes[size + 50] ^= 1
    #expect(family { _ = try big.open(bytes) } == .damaged)
  }

  @Test("the higher sequence is taken, the other is an unfinished change", arguments: [0, 4096])
  func unfinishedChange(place: Int) throws {
    var bytes = archive.bytes
    try put(&bytes, at: place, sequence: 2)
    #expect(try warnings(bytes) == [.truncated])
    let opened = try archive.open(bytes)
    #expect(opened.header.copy.sequence == 2)
    #expect(try opened.verify().worst == .truncated)
  }

  @Test("a forged copy of a higher sequence is set aside and told", arguments: [0, 4096])
  func forged(place: Int) throws {
    var bytes = archive.bytes
    bytes.store(UInt64(9), at: place + 48)
    bytes.repairHeader(at: place)
    #expect(try warnings(bytes) == [.tampered])
    let opened = try archive.open(bytes)
    #expect(opened.header.copy.sequence == 1)
    #expect(try opened.verify().worst == .tampered)
  }

  @Test("a copy of another archive does not open this one's commits", arguments: [0, 4096])
  func otherArchive(place: Int) throws {
    var bytes = archive.bytes
    let foreign = try ArchiveKeys.fresh()
    let slot = try Slot.make(
      for: archive.credentials[0], id: 1, cost: .standard, label: "", keys: foreign)
    try put(&bytes, at: place, sequence: 9, keys: foreign, slots: [slot])
    #expect(try warnings(bytes) == [.tampered])
    #expect(try archive.open(bytes).header.copy.archiveID == archive.keys.archiveID)
  }

  @Test("two different headers of one sequence are tampering")
  func oneSequence() throws {
    var bytes = archive.bytes
    let slot = try Slot.make(
      for: archive.credentials[0], id: 8, cost: .standard, label: "", keys: archive.keys)
    try put(&bytes, at: 4096, slots: [slot])
    #expect(family { _ = try archive.open(bytes) } == .tampered)
  }

  @Test("a header older than the newest commit is a rollback, unless it is accepted")
  func oldHeader() throws {
    var builder = try SessionBuilder(archive)
    builder.headerSequence = 2
    try builder.append([])
    #expect(family { _ = try archive.open(builder.bytes) } == .rollback)
    var options = OpenOptions()
    options.acceptsOldHeader = true
    let opened = try archive.open(builder.bytes, options: options)
    #expect(try opened.listing().items.count == 2)
    #expect(try opened.verify().worst == nil)
    var newer = builder.bytes
    try put(&newer, at: 0, sequence: 2)
    try put(&newer, at: 4096, sequence: 2)
    #expect(try warnings(newer) == [])
  }

  /// Changes both copies in one way, checks repaired; what opening says.
  private func opening(
    sized size: Int = 4096, _ change: (inout [UInt8], Int) -> Void
  ) -> ContainerError.Code? {
    var bytes = archive.bytes
    for place in [0, size] {
      change(&bytes, place)
      bytes.repairHeader(at: place, size: size)
    }
    return family { _ = try archive.open(bytes) }
  }

  static let fields: [(String, Int, UInt8, ContainerError.Code)] = [
    ("major", 8, 2, .unsupported), ("major", 9, 1, .unsupported),
    ("an incompatible feature", 12, 1, .unsupported), ("another one", 15, 0x80, .unsupported),
    ("reserved bytes", 56, 1, .tampered), ("reserved bytes", 63, 1, .tampered),
    ("the sequence is 0", 48, 0, .tampered), ("the slot area", 28, 0, .tampered),
    ("the slot area", 29, 0x40, .tampered), ("bytes behind the slots", 1000, 1, .tampered),
    ("the file key's commitment", 64, 0x5A, .tampered), ("the MAC", 4040, 0x5A, .tampered),
    ("minor is under the MAC", 10, 1, .tampered),
    ("compatible features are under the MAC", 20, 1, .tampered),
    ("the slot's commitment", 96 + 60, 0x5A, .wrongCredential),
    ("the slot's salt", 96 + 30, 0x5A, .wrongCredential),
    ("the archive id", 33, 0x5A, .wrongCredential), ("the wrapped key", 96 + 90, 0x5A, .tampered),
    ("the slot's id", 96 + 5, 1, .tampered), ("the slot's kind", 96, 2, .wrongCredential),
  ]

  @Test(
    "a changed field with a repaired checksum is what the order of checks says", arguments: fields)
  func field(what: String, offset: Int, value: UInt8, code: ContainerError.Code) {
    let found = opening { bytes, place in
      if value == 0x5A { bytes[place + offset] ^= 0x5A } else { bytes[place + offset] = value }
    }
    #expect(found == code, "\(what)")
  }

  @Test("no slot at all is tampering")
  func noSlot() {
    let found = opening { bytes, place in
      for offset in 96..<(4096 - 64) { bytes[place + offset] = 0 }
      bytes.store(UInt32(0), at: place + 28)
    }
    #expect(found == .tampered)
  }

  @Test("two slots of one id are tampering, 65 slots are refused")
  func slotCounts() throws {
    let slot = Array(archive.bytes[96..<280])
    let twice = opening { bytes, place in
      bytes.replaceSubrange((place + 280)..<(place + 464), with: slot)
      bytes.store(UInt32(368), at: place + 28)
    }
    #expect(twice == .tampered)
    for (count, code) in [(63, nil as ContainerError.Code?), (64, .refusedByLimit)] {
      var slots = [try Slot(slot.bytes, at: 0)]
      for id in 2...(count + 1) {
        let bytes = [200, 0, 8, 0, UInt8(id), 0, 0, 0] as [UInt8]
        slots.append(try Slot(bytes.bytes, at: 0))
      }
      var bytes = archive.bytes
      // Made by hand, for the writer refuses it.
      let copy = try HeaderCopy.make(
        keys: archive.keys, slots: Array(slots.prefix(64)), sequence: 1)
      for place in [0, 4096] {
        bytes.replaceSubrange(place..<(place + 4096), with: copy)
        if count == 64 {
          let end = place + 96 + 184 + 63 * 8
          bytes.replaceSubrange(end..<(end + 8), with: slots[64].bytes)
          bytes.store(UInt32(184 + 64 * 8), at: place + 28)
          bytes.repairHeader(at: place)
        }
      }
      #expect(family { _ = try archive.open(bytes) } == code, "\(count + 1) slots")
    }
  }

  @Test("an unknown KDF sets the header aside, whatever else could open it")
  func unknownKDF() throws {
    let other = try Slot.make(
      for: try .samplePassphrase([0x61]), id: 2,
      cost: .argon2id(memory: 8, passes: 1, lanes: 1), label: "", keys: archive.keys)
    var changed = other.bytes
    changed[8] = 4
    var bytes = archive.bytes
    let own = try #require(HeaderCopy(Array(archive.bytes[..<4096]), at: 0)).slots()
    for place in [0, 4096] {
      try put(&bytes, at: place, slots: own + [try Slot(changed.bytes, at: 0)])
    }
    #expect(family { _ = try archive.open(bytes) } == .unsupported)
  }

  @Test("the first of tampered, unsupported, refused and wrong credential is told")
  func precedence() {
    let found = { (a: (Int, UInt8), b: (Int, UInt8)) in
      var number = 0
      return opening { bytes, place in
        let (offset, value) = number == 0 ? a : b
        bytes[place + offset] = value
        number += 1
      }
    }
    #expect(found((8, 2), (56, 1)) == .tampered)
    #expect(found((96 + 60, 0), (8, 2)) == .unsupported)
    #expect(found((96 + 60, 0), (96 + 60, 1)) == .wrongCredential)
    #expect(found((8, 2), (96 + 60, 1)) == .unsupported)
  }

  @Test("a wrong credential is no damage, and every slot's is right")
  func credentials() throws {
    let wrong = try Credential.sampleKeyFile(99)
    let device = MemoryDevice(archive.bytes)
    #expect(
      family {
        _ = try OpenedArchive.open(device, credentials: [wrong], options: OpenOptions())
      } == .wrongCredential)
    #expect(
      family { _ = try OpenedArchive.open(device, credentials: [], options: OpenOptions()) }
        == .wrongCredential)
    let opened = try OpenedArchive.open(
      device, credentials: [wrong, archive.credentials[0]], options: OpenOptions())
    #expect(opened.header.slotID == 1)
  }

  @Test("read-only features and later minors are read, under a good MAC", arguments: [10, 16, 20])
  func ignored(offset: Int) throws {
    var bytes = archive.bytes
    for place in [0, 4096] {
      bytes[place + offset] = 3
      let code = try archive.keys.headerCode(Array(bytes[place..<(place + 4032)]).bytes)
      bytes.replaceSubrange((place + 4032)..<(place + 4064), with: code)
      bytes.repairHeader(at: place)
    }
    #expect(try warnings(bytes) == [])
  }
}

@Suite("KDF limits")
struct KDFLimitTests {
  /// An archive with passphrase slots of these costs that were never made: nobody has to pay them.
  private func archive(_ costs: [KDFCost]) throws -> (archive: PackedArchive, bytes: [UInt8]) {
    let packed = try PackedArchive([])
    var slots = [try HeaderCopy(Array(packed.bytes[..<4096]), at: 0)!.slots()[0]]
    for (number, cost) in costs.enumerated() {
      var bytes = try Slot.make(
        for: try .samplePassphrase([0x61]), id: UInt32(number + 2),
        cost: .argon2id(memory: 8, passes: 1, lanes: 1), label: "", keys: packed.keys
      ).bytes
      bytes[8] = cost.identifier
      let (a, b, c) = cost.parameters
      bytes.store(a, at: 12)
      bytes.store(b, at: 16)
      bytes.store(c, at: 20)
      slots.append(try Slot(bytes.bytes, at: 0))
    }
    let copy = try HeaderCopy.make(keys: packed.keys, slots: slots, sequence: 1)
    var bytes = packed.bytes
    bytes.replaceSubrange(..<8192, with: copy + copy)
    return (packed, bytes)
  }

  private func opening(
    _ costs: [KDFCost], passphrases: Int = 1, limits: KDFLimits = .standard
  ) throws -> ContainerError.Code? {
    let (_, bytes) = try archive(costs)
    var credentials: [Credential] = []
    for _ in 0..<passphrases { credentials.append(try .samplePassphrase([0x62])) }
    var options = OpenOptions()
    options.limits = limits
    let start = ContinuousClock.now
    let code = family {
      _ = try OpenedArchive.open(
        MemoryDevice(bytes), credentials: credentials, options: options)
    }
    if code == .refusedByLimit { #expect(ContinuousClock.now - start < .milliseconds(50)) }
    return code
  }

  static let refused: [[KDFCost]] = [
    [.argon2id(memory: 4 << 20 + 1, passes: 1, lanes: 1)],
    [.argon2id(memory: .max, passes: .max, lanes: .max)],
    [.argon2id(memory: 1024, passes: 65, lanes: 1)],
    [.scrypt(logN: 25, r: 1, p: 1)], [.scrypt(logN: .max, r: .max, p: .max)],
    [.pbkdf2(iterations: .max)], [.pbkdf2(iterations: 0)],
    // Within bounds, over a run's limits.
    [.argon2id(memory: 1 << 20 + 1, passes: 1, lanes: 1)],
    [.argon2id(memory: 1 << 20, passes: 17, lanes: 1)],
    [.scrypt(logN: 20, r: 9, p: 1)], [.scrypt(logN: 20, r: 8, p: 9)],
    [.pbkdf2(iterations: 16_384 << 11 + 1)],
    // One by one within the limit, together over it, by half a unit.
    [KDFCost](repeating: .argon2id(memory: 1 << 20, passes: 8, lanes: 1), count: 3),
    [
      .pbkdf2(iterations: 8192 << 11 - 1024), .pbkdf2(iterations: 8192 << 11 - 512),
      .pbkdf2(iterations: 1537),
    ],
    [KDFCost](repeating: .scrypt(logN: 17, r: 8, p: 16), count: 64 - 1),
  ]

  @Test(
    "costs over the format's bounds or a run's limits are refused before any KDF",
    arguments: refused)
  func refuses(costs: [KDFCost]) throws {
    #expect(try opening(costs) == .refusedByLimit)
  }

  @Test("the sum counts every pair of slot and passphrase")
  func pairs() throws {
    let costs = [KDFCost.pbkdf2(iterations: 1000)]
    let one = KDFLimits(units: 1, memoryByteCount: 0)
    #expect(try opening(costs, passphrases: 2, limits: one) == .wrongCredential)
    #expect(try opening(costs, passphrases: 3, limits: one) == .refusedByLimit)
    #expect(try opening(costs + costs, passphrases: 2, limits: one) == .refusedByLimit)
  }

  @Test("what equals the limit passes")
  func equal() throws {
    let costs = [KDFCost.argon2id(memory: 1024, passes: 2, lanes: 1)]
    #expect(
      try opening(costs, limits: KDFLimits(units: 2, memoryByteCount: 1 << 20)) == .wrongCredential)
    #expect(
      try opening(costs, limits: KDFLimits(units: 1, memoryByteCount: 1 << 20)) == .refusedByLimit)
    #expect(
      try opening(costs, limits: KDFLimits(units: 2, memoryByteCount: 1 << 20 - 1))
        == .refusedByLimit)
  }

  @Test("sums are not rounded slot by slot")
  func sums() throws {
    // Four halves of a unit are two.
    let costs = [KDFCost](repeating: .pbkdf2(iterations: 1024), count: 4)
    #expect(try opening(costs, limits: KDFLimits(units: 2, memoryByteCount: 0)) == .wrongCredential)
    #expect(try opening(costs, limits: KDFLimits(units: 1, memoryByteCount: 0)) == .refusedByLimit)
  }

  @Test("a key file's slot costs nothing, however dear the others are within bounds")
  func keyFile() throws {
    let (packed, bytes) = try archive([.argon2id(memory: 4 << 20, passes: 64, lanes: 1)])
    #expect(try packed.open(bytes).header.slotID == 1)
  }

  @Test("the cheapest slot is tried first")
  func cheapest() throws {
    let (packed, bytes) = try archive([.argon2id(memory: 1 << 20, passes: 16, lanes: 1)])
    let start = ContinuousClock.now
    let opened = try OpenedArchive.open(
      MemoryDevice(bytes), credentials: [try .samplePassphrase([0x61])] + packed.credentials,
      options: OpenOptions())
    #expect(opened.header.slotID == 1)
    #expect(ContinuousClock.now - start < .milliseconds(500))
  }
}
