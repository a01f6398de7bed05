// Credentials added and removed in place.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Changes of credentials")
struct HeaderChangeTests {
  private let packed: PackedArchive

  init() throws {
    packed = try PackedArchive((0..<3).map { PackedItem($0, value: [UInt8($0)]) })
  }

  private func open(
    _ device: any Device, _ credential: Credential, options: OpenOptions = OpenOptions()
  ) throws -> OpenedArchive {
    try OpenedArchive.open(device, credentials: [credential], options: options)
  }

  private func expectSound(_ bytes: [UInt8], _ credential: Credential) throws {
    let archive = try open(MemoryDevice(bytes), credential)
    #expect(archive.findings.isEmpty)
    #expect(try archive.listing().items.count == 3)
    #expect(try archive.verify().findings.isEmpty)
  }

  /// A credential of each kind that costs nothing to try.
  private static func credentials() throws -> [Credential] {
    [
      .identity(try Identity.fresh(), origin: "an identity"),
      .recoveryCode(try RecoveryCode.fresh(), origin: "a code"),
      try .sampleKeyFile(55),
    ]
  }

  @Test("a credential of any kind that is added opens the archive, and the others still do")
  func adding() throws {
    var bytes = packed.bytes
    let added = try Self.credentials()
    for credential in added {
      let device = RecordingDevice(bytes)
      var change = try HeaderChange(try open(device, packed.credentials[0]))
      let slot = try change.add(credential, cost: .standard, label: "new")
      _ = try change.commit()
      bytes = device.contents
      // 8 KiB of header and 512 bytes, and nothing but those.
      #expect(device.writtenByteCount == 8192 + 512)
      #expect(slot.label(keys: packed.keys) == "new")
    }
    for credential in packed.credentials + added { try expectSound(bytes, credential) }
    #expect(try open(MemoryDevice(bytes), added[0]).commit.number == 4)
  }

  @Test("what is made for a recipient opens with its identity only")
  func recipient() throws {
    let identity = try Identity.fresh()
    let device = RecordingDevice(packed.bytes)
    var change = try HeaderChange(try open(device, packed.credentials[0]))
    _ = try change.add(
      .recipient(identity.recipient, origin: "a recipient"), cost: .standard, label: "")
    _ = try change.commit()
    try expectSound(device.contents, .identity(identity, origin: "its identity"))
    for other in [
      Credential.identity(try Identity.fresh(), origin: "another"),
      .recipient(identity.recipient, origin: "no identity"),
    ] {
      #expect(family { _ = try open(device, other) } == .wrongCredential)
    }
  }

  @Test("a credential that is removed opens nothing, also when the old header is put back")
  func removing() throws {
    let device = RecordingDevice(packed.bytes)
    let other = try Credential.sampleKeyFile(55)
    var adding = try HeaderChange(try open(device, packed.credentials[0]))
    _ = try adding.add(other, cost: .standard, label: "")
    _ = try adding.commit()
    let before = device.contents
    var removing = try HeaderChange(try open(device, other))
    try removing.remove(1)
    _ = try removing.commit()
    #expect(family { _ = try open(device, packed.credentials[0]) } == .wrongCredential)
    try expectSound(device.contents, other)
    // The last one stays.
    var last = try HeaderChange(try open(device, other))
    #expect(family { try last.remove(2) } == .refusedByLimit)
    #expect(family { try last.remove(9) } == .refusedByLimit)

    var restored = device.contents
    restored.replaceSubrange(0..<8192, with: before[0..<8192])
    #expect(family { _ = try open(MemoryDevice(restored), packed.credentials[0]) } == .rollback)
    var options = OpenOptions()
    options.acceptsOldHeader = true
    let archive = try open(MemoryDevice(restored), packed.credentials[0], options: options)
    #expect(family { _ = try HeaderChange(archive) } == .rollback)
  }

  @Test("a header takes as many credentials as it has room for, and says so")
  func full() throws {
    let device = RecordingDevice(packed.bytes)
    var change = try HeaderChange(try open(device, packed.credentials[0]))
    for number in 1..<21 {
      _ = try change.add(try .sampleKeyFile(UInt8(100 + number)), cost: .standard, label: "")
    }
    _ = try change.commit()
    try expectSound(device.contents, try .sampleKeyFile(120))
    var more = try HeaderChange(try open(device, packed.credentials[0]))
    _ = try more.add(try .sampleKeyFile(200), cost: .standard, label: "")
    let before = device.contents
    #expect(family { _ = try more.commit() } == .refusedByLimit)
    #expect(device.contents == before)
  }

  @Test("after any crash the old credentials or the new ones open, and no item is lost")
  func crash() throws {
    let device = RecordingDevice(packed.bytes)
    let new = try Credential.sampleKeyFile(55)
    var change = try HeaderChange(try open(device, packed.credentials[0]))
    _ = try change.add(new, cost: .standard, label: "")
    try change.remove(1)
    _ = try change.commit()
    var opened: [Bool: Int] = [:]
    for crashed in device.crashStates(subsets: 24) {
      // The newer header is tried first, so it decides; the next writer finishes the change.
      let isNew = family { _ = try open(MemoryDevice(crashed), new) } == nil
      let device = RecordingDevice(crashed)
      let credential = isNew ? new : packed.credentials[0]
      var next = try HeaderChange(try open(device, credential))
      _ = try next.add(try .sampleKeyFile(77), cost: .standard, label: "")
      _ = try next.commit()
      try expectSound(device.contents, credential)
      if isNew {
        #expect(family { _ = try open(device, packed.credentials[0]) } == .wrongCredential)
      }
      opened[isNew, default: 0] += 1
    }
    #expect(opened[true, default: 0] > 0 && opened[false, default: 0] > 0)
  }
}
