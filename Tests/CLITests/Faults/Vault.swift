// What is in an archive whose writer was disturbed, read within the tests: many thousand times.

import ArchiveContainer
import ByteCoding
import KeychainArchive
import KeychainModel
import TestSupport

/// Items with their values, and the credentials that open them.
struct VaultState: Equatable {
  var items: [String: [UInt8]] = [:]
  /// Names of key files.
  var opening: Set<String> = []
}

enum Vault {
  /// Names of key files, and the byte that each is made of.
  static let keyFiles: [String: UInt8] = ["first": 1, "second": 2, "third": 3]

  static func credential(_ name: String) throws -> ArchiveCredential {
    try .keyFile([UInt8](repeating: keyFiles[name, default: 0], count: 32))
  }

  static func password(_ account: String) -> KeychainItem {
    KeychainItem(.genericPassword, [.account: .text(account), .service: .text("web")])
  }

  /// Bytes that don't shrink, the same for each `seed`.
  static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// An archive of three items and two sessions, for the first two key files: the second session gives
  /// `alice` a new value, so that she has a frame to shred in each.
  ///
  /// - Parameter byteCount: of the longest value.
  static func sample(byteCount: Int) throws -> (bytes: [UInt8], state: VaultState) {
    let device = MemoryDevice()
    var writer = try ArchiveWriter(
      to: device, credentials: try [credential("first"), credential("second")],
      options: WriteOptions())
    let values = [
      ("alice", Array("older".utf8)), ("bob", noise(byteCount, seed: 1)),
      ("carol", Array("c".utf8)),
    ]
    for (account, value) in values {
      try writer.append(password(account), value: value.bytes, origin: 1)
    }
    _ = try writer.finish()
    let editor = try ArchiveEditor(try open(device, "first"))
    let newer = noise(300, seed: 2)
    try editor.put(
      password("alice"), value: newer.bytes,
      replacing: try editor.item(like: password("alice")), origin: 1)
    _ = try editor.commit()
    let state = VaultState(
      items: [
        "genp web / alice": newer, "genp web / bob": values[1].1, "genp web / carol": values[2].1,
      ], opening: ["first", "second"])
    return (device.contents, state)
  }

  private static func open(_ device: any Device, _ name: String) throws -> KeychainArchive {
    try KeychainArchive.open(
      device, credentials: [try credential(name)], options: OpenOptions())
  }

  struct Reading {
    let state: VaultState
    /// What verifying finds.
    let findings: [ContainerError]
    /// The gravest family of it.
    var verify: ContainerError.Code? { findings.worst }
    /// The number of the header that the newest commit knows.
    let sealedHeader: UInt64
    let commitNumber: UInt64
  }

  /// Reads an archive with each key file that opens it.
  ///
  /// - Throws: what keeps it from being opened by any, or an item from being read.
  static func read(_ bytes: [UInt8]) throws -> Reading {
    let device = MemoryDevice(bytes)
    var state = VaultState()
    var findings: [ContainerError] = []
    var (sealedHeader, commitNumber): (UInt64, UInt64) = (0, 0)
    var problem: ArchiveError?
    for name in keyFiles.keys.sorted() {
      do {
        let archive = try open(device, name)
        if state.opening.isEmpty {
          for item in try archive.items(matching: AttributeQuery()) {
            state.items[item.item.displayName] = try archive.value(of: item)
          }
          findings = try archive.opened.verify().findings.map(\.error)
          commitNumber = archive.commitNumber
          sealedHeader = archive.opened.commit.headerSequence
        }
        state.opening.insert(name)
      } catch let error as ArchiveError where error.code != .ioFailed {
        problem = problem ?? error
      }
    }
    if state.opening.isEmpty, let problem { throw problem }
    return Reading(
      state: state, findings: findings, sealedHeader: sealedHeader, commitNumber: commitNumber)
  }

  /// What the next writer makes of an archive: it mends what was left over, and commits.
  static func mended(_ bytes: [UInt8], with name: String) throws -> [UInt8] {
    let device = MemoryDevice(bytes)
    _ = try ArchiveEditor(try open(device, name)).commit()
    return device.contents
  }
}
