// Archives of more than one session's frames, which only a small limit makes in a test: the reader in Python, which
// knows of no limit, finds in them what was packed.

import ArchiveContainer
import ByteCoding
import Glibc
import KeychainArchive
import KeychainModel
import Testing

@Suite("Sessions that are full")
struct LongSessionTests {
  private static let limits = SessionLimits(frames: 40, bytes: .max)

  private func item(_ number: Int) -> KeychainItem {
    KeychainItem(
      .genericPassword, [.account: .text("account \(number)"), .service: .text("service")])
  }

  @Test(
    "packed into a file or a pipe and appended to, they are sound to both readers",
    .enabled(
      if: run("python3 -c 'import cryptography, argon2'").status == 0,
      "needs python3 with cryptography and argon2-cffi"),
    arguments: [true, false])
  func bothReaders(isSeekable: Bool) throws {
    let key = [UInt8](repeating: 5, count: 40)
    let credential = try ArchiveCredential.keyFile(key)
    let packed = MemoryDevice(isSeekable: isSeekable)
    var options = WriteOptions()
    options.limits = Self.limits
    var writer = try ArchiveWriter(to: packed, credentials: [credential], options: options)
    for number in 0..<100 {
      try writer.append(item(number), value: [UInt8(number)].bytes, origin: UInt32(number))
    }
    let readBack = writer.readBack
    let summary = try writer.finish()
    #expect(summary.itemCount == 100 && summary.commitNumber > 5)
    if isSeekable { try readBack.run(summary, depth: .everything) }
    try agree(packed.contents, key: key, itemCount: 100)

    let device = MemoryDevice(packed.contents)
    let archive = try KeychainArchive.open(
      device, credentials: [credential], options: OpenOptions())
    let editor = try ArchiveEditor(archive, limits: Self.limits)
    for number in 90..<130 {
      try editor.put(
        item(number), value: [1, 2].bytes, replacing: try editor.item(like: item(number)),
        origin: UInt32(number))
    }
    for number in 0..<5 {
      let old = try #require(try editor.item(like: item(number)))
      try editor.delete(old, shredding: true)
    }
    let commit = try editor.commit()
    #expect(commit > summary.commitNumber + 2)
    try agree(device.contents, key: key, itemCount: 125)

    // And with its history, compacted.
    let changed = try KeychainArchive.open(
      device, credentials: [credential], options: OpenOptions())
    let compacted = MemoryDevice()
    let rewritten = try changed.compactWithHistory(to: compacted, limits: Self.limits)
    try rewritten.readBack.run(rewritten.summary, depth: .everything)
    try agree(compacted.contents, key: key, itemCount: 125)
  }

  /// Has the second reader verify an archive, and count its items by the index and without it.
  private func agree(_ bytes: [UInt8], key: [UInt8], itemCount: Int) throws {
    let name = "/tmp/kcarchive-sessions-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    defer {
      _ = unsafe unlink(name)
      _ = unsafe unlink(name + ".key")
    }
    for (path, content) in [(name, bytes), (name + ".key", key)] {
      guard let file = unsafe fopen(path, "w") else {
        Issue.record("can't write \(path)")
        return
      }
      let count = unsafe fwrite(content, 1, content.count, file)
      unsafe fclose(file)
      #expect(count == content.count)
    }
    let folder = packageFolder.replacing("'", with: #"'\''"#)
    let reader = "python3 '\(folder)/Spec/reader/kcarchive_reader.py' --key-file \(name).key"
    let verified = run("\(reader) --verify \(name)")
    #expect(verified.status == 0 && verified.output == "", "\(verified.output)")
    for way in ["", "--scan"] {
      let listed = run("\(reader) \(way) \(name)")
      #expect(listed.status == 0, "\(listed.output)")
      #expect(listed.output.split(separator: "\n").count == itemCount)
    }
  }
}
