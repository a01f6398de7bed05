// A keychain as a file among others: what is said of files that are no keychain, and what happens when others
// change, damage or replace it.

import ArchiveContainer
import ByteCoding
import Foundation
import KeychainModel
import TestSupport
import Testing

@testable import KeychainArchive

/// A folder with a keychain in it.
private final class KeychainFolder {
  let folder = FileManager.default.temporaryDirectory.appending(path: "kc-\(UUID().uuidString)")
  let path: String
  let credentials: [ArchiveCredential]

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "keychain.kcarchive").path
    credentials = [try PackedKeychain.keyFile()]
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open() throws -> Keychain {
    try Keychain.openOrCreate(path: path, credentials: credentials)
  }

  var bytes: [UInt8] {
    get throws { [UInt8](try Data(contentsOf: URL(filePath: path))) }
  }

  func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

  /// Puts another archive in the keychain's place, as `compact` and `rekey` do.
  func replace(_ rewrite: (KeychainArchive, MemoryDevice) throws -> Void) throws {
    let device = MemoryDevice()
    try rewrite(try KeychainArchive.open(path: path, credentials: credentials), device)
    let new = folder.appending(path: "new")
    try Data(device.contents).write(to: new)
    let renamed = unsafe rename(new.path, path)
    #expect(renamed == 0)
  }
}

private func password(_ account: String, _ value: String? = nil) -> ItemQuery {
  ItemQuery(
    .genericPassword, [.account: .text(account), .service: .text("s")],
    value: value.map { Array($0.utf8) }, returns: .data)
}

private func status(_ body: () throws -> Void) -> KeychainStatus? {
  do {
    try body()
    return nil
  } catch {
    return (error as? KeychainError)?.status
  }
}

@Suite("A keychain in a file")
struct KeychainTests {
  @Test("A keychain that is not there is made where that is wanted, and only for its owner")
  func creation() throws {
    let folder = try KeychainFolder()
    let (path, credentials) = (folder.path, folder.credentials)
    #expect(
      status { _ = try Keychain.open(path: path, credentials: credentials) } == .noSuchKeychain)
    let keychain = try folder.open()
    #expect(status { _ = try keychain.copyMatching(password("a")) } == .itemNotFound)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("What does not open says why")
  func opening() throws {
    let folder = try KeychainFolder()
    let (path, credentials) = (folder.path, folder.credentials)
    let other = try PackedKeychain.keyFile(2)
    _ = try folder.open()
    #expect(
      status { _ = try Keychain.open(path: path, credentials: [other]) } == .authenticationFailed)
    try folder.write(Array("no archive".utf8))
    #expect(
      status { _ = try Keychain.open(path: path, credentials: credentials) } == .invalidKeychain)
    #expect(
      status { _ = try Keychain.openOrCreate(path: path, credentials: credentials) }
        == .invalidKeychain)
    #expect(try folder.bytes == Array("no archive".utf8))
  }

  @Test("What one has changed, another sees at its next call")
  func sharing() throws {
    let folder = try KeychainFolder()
    let one = try folder.open()
    let two = try folder.open()
    for round in 0..<20 {
      let (writer, reader) = round.isMultiple(of: 2) ? (one, two) : (two, one)
      try writer.add(password("\(round)", "value \(round)"))
      #expect(
        try reader.copyMatching(password("\(round)")).first?.value == Array("value \(round)".utf8))
      try reader.update(password("\(round)").plain, with: ItemChanges(value: [UInt8(round)]))
      #expect(try writer.copyMatching(password("\(round)")).first?.value == [UInt8(round)])
    }
    try one.delete(ItemQuery(.genericPassword))
    #expect(status { _ = try two.copyMatching(password("3")) } == .itemNotFound)
  }

  @Test("An archive that was compacted or given new keys is the same keychain")
  func replacing() throws {
    let folder = try KeychainFolder()
    let keychain = try folder.open()
    var query = password("a", "x")
    query.returns = .persistentReference
    let reference = try keychain.add(query)?.persistentReference
    let credentials = folder.credentials
    try folder.replace { archive, device in _ = try archive.compact(to: device) }
    #expect(try keychain.copyMatching(password("a")).first?.value == Array("x".utf8))
    try keychain.add(password("b", "y"))
    try folder.replace { archive, device in
      _ = try archive.rekey(to: device, credentials: credentials, options: WriteOptions())
    }
    #expect(try keychain.copyMatching(password("b")).first?.value == Array("y".utf8))
    try keychain.add(password("c", "z"))
    var byReference = ItemQuery(returns: .data)
    byReference.persistentReference = reference
    #expect(try keychain.copyMatching(byReference).first?.value == Array("x".utf8))
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(status { _ = try keychain.copyMatching(password("a")) } == .noSuchKeychain)
  }

  @Test("A call that fails leaves the file as it was")
  func failing() throws {
    let folder = try KeychainFolder()
    let keychain = try folder.open()
    try keychain.add(password("a", "1"))
    try keychain.add(password("b", "2"))
    let before = try folder.bytes
    let all = ItemQuery(.genericPassword)
    #expect(status { try keychain.add(password("a", "3")) } == .duplicateItem)
    #expect(
      status { try keychain.update(all, with: ItemChanges([.account: .text("c")])) }
        == .duplicateItem)
    #expect(
      status { try keychain.update(password("x").plain, with: ItemChanges(value: [1])) }
        == .itemNotFound)
    #expect(status { try keychain.delete(password("x")) } == .itemNotFound)
    #expect(try folder.bytes == before)
  }

  @Test("Items that came with a row's number or a UUID are found by such references")
  func references() throws {
    let uuid = [UInt8](1...16)
    var row = KeychainItem.password("row", "s")
    row[.row] = .integer(0x0102_0304)
    var named = KeychainItem.password("uuid", "s")
    named[.persistentReference] = .bytes(uuid)
    let packed = try PackedKeychain([
      (row, Array("1".utf8)), (named, Array("2".utf8)),
      (KeychainItem.password("plain", "s"), Array("3".utf8)),
    ])
    let folder = try KeychainFolder()
    try folder.write(packed.device.contents)
    let keychain = try folder.open()
    let code = Array("genp".utf8)
    for (reference, value) in [
      (code + [0, 0, 0, 0, 1, 2, 3, 4], "1"), (code + uuid, "2"),
    ] {
      var query = ItemQuery(returns: [.data, .persistentReference])
      query.persistentReference = reference
      let found = try keychain.copyMatching(query)
      #expect(found.count == 1 && found[0].value == Array(value.utf8))
      #expect(found[0].persistentReference == reference)
    }
    var unknown = ItemQuery()
    unknown.persistentReference = code + [0, 0, 0, 0, 0, 0, 0, 9]
    #expect(status { _ = try keychain.copyMatching(unknown) } == .itemNotFound)
    #expect(PersistentReference(code + uuid)?.name == .uuid(uuid))
  }

  @Test("An item that is damaged is neither missing nor replaced")
  func damage() throws {
    let folder = try KeychainFolder()
    let keychain = try folder.open()
    try keychain.add(password("a", "first"))
    let start = try folder.bytes.count
    try keychain.add(password("b", "second"))
    // The sealed bytes of b's item frame, which is the first of its session.
    var bytes = try folder.bytes
    bytes[start + 64] ^= 1
    try folder.write(bytes)
    #expect(status { _ = try keychain.copyMatching(password("b")) } == .decode)
    #expect(status { try keychain.add(password("b", "third")) } == .decode)
    #expect(try keychain.copyMatching(password("a")).first?.value == Array("first".utf8))
    #expect(status { _ = try keychain.copyMatching(password("c")) } == .itemNotFound)
    // A search of everything finds what there is; one that finds nothing does not say so.
    #expect(try keychain.copyMatching(ItemQuery(.genericPassword, limit: .all)).count == 1)
    #expect(
      status {
        _ = try keychain.copyMatching(ItemQuery(.genericPassword, [.label: .text("none")]))
      } == .decode)
  }

  @Test("Threads that change one keychain lose nothing")
  func threads() throws {
    let folder = try KeychainFolder()
    let keychain = try folder.open()
    let other = try folder.open()
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      let mine = thread.isMultiple(of: 2) ? keychain : other
      for round in 0..<10 {
        let account = "\(thread)-\(round)"
        let value = Array("\(account) \(thread * round)".utf8)
        do {
          try mine.add(password(account, ""))
          try mine.update(password(account).plain, with: ItemChanges(value: value))
          guard try mine.copyMatching(password(account)).first?.value == value else {
            failures.note("another value of \(account)")
            continue
          }
          if round.isMultiple(of: 3) { try mine.delete(password(account)) }
        } catch {
          failures.note("\(account): \(error)")
        }
      }
    }
    #expect(failures.all.isEmpty)
    #expect(try keychain.copyMatching(ItemQuery(.genericPassword, limit: .all)).count == 8 * 6)
  }
}

extension ItemQuery {
  /// Without asking for anything, as an update has to be.
  fileprivate var plain: ItemQuery {
    var query = self
    query.returns = []
    return query
  }
}

private final class Failures: @unchecked Sendable {
  private let lock = NSLock()
  private var notes: [String] = []

  func note(_ text: String) { lock.withLock { notes.append(text) } }
  var all: [String] { lock.withLock { notes } }
}
