// Big values: a file of the archive, in frames of its own, and an item that says where it is.

import ArchiveContainer
import ByteCoding
import Foundation
import KeychainArchive
import KeychainModel
import Security
import Testing

/// Bytes that are made while they are read.
private final class MadeBytes: ValueSource {
  let byteCount: UInt64?
  private var offset: UInt64 = 0
  private let total: UInt64

  init(_ total: UInt64) {
    byteCount = total
    self.total = total
  }

  static func byte(at offset: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: (offset &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  func read(into target: inout MutableRawSpan) throws(ContainerError) -> Int {
    let count = Int(min(UInt64(target.byteCount), total - offset))
    for index in 0..<count {
      target.storeBytes(
        of: Self.byte(at: offset + UInt64(index)), toByteOffset: index, as: UInt8.self)
    }
    offset += UInt64(count)
    return count
  }
}

/// Compares while it is read.
private final class ComparedBytes: ValueSink {
  private(set) var byteCount: UInt64 = 0
  private(set) var isEqual = true
  private(set) var largestPart = 0

  func write(_ part: RawSpan) throws(ContainerError) {
    for index in 0..<part.byteCount
    where part.u8(at: index) != MadeBytes.byte(at: byteCount + UInt64(index)) { isEqual = false }
    byteCount += UInt64(part.byteCount)
    largestPart = max(largestPart, part.byteCount)
  }
}

@Suite("A big value as a file")
struct FileTests {
  @Test("it goes in and out in parts, and its key is in the keychain")
  func bigValue() throws {
    let device = try Device()
    let byteCount: UInt64 = 20_000_000
    let path = "drawings/plan.png"
    try device.run {
      let item: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: "drawings",
        kSecAttrAccount as String: "plan",
        kSecValueData as String: Data(path.utf8),
      ]
      #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }
    let file = KeychainItem(.file, [.path: .text(path), .kind: .text("file")])
    let credential = try ArchiveCredential.keyFile(Device.keyFile)
    do {
      let archive = try KeychainArchive.open(
        try FileDevice.locked(Array(device.path.utf8), waits: true), credentials: [credential],
        options: OpenOptions())
      let editor = try ArchiveEditor(archive)
      try editor.put(file, source: MadeBytes(byteCount), origin: 0)
      _ = try editor.commit()
    }
    let found = try device.run { () -> String in
      let item = try #require(attributes(service: "drawings", account: "plan"))
      return String(decoding: try #require(item[kSecValueData] as? Data), as: UTF8.self)
    }
    let archive = try KeychainArchive.open(path: device.path, credentials: [credential])
    let stored = try #require(
      try archive.items(matching: AttributeQuery(.file, [.path: .text(found)])).first)
    #expect(stored.valueByteCount == byteCount)
    let sink = ComparedBytes()
    try archive.writeValue(of: stored, to: sink)
    #expect(sink.isEqual && sink.byteCount == byteCount)
    #expect(sink.largestPart < 2 << 20)
    // For SecItem…, it is an item of the class `file`, which is in no group.
    try device.run(as: ["*"]) {
      let query = [kSecClass: "file", kSecAttrPath: path, kSecReturnData: true] as CFDictionary
      var result: CFTypeRef?
      #expect(unsafe SecItemCopyMatching(query, &result) == errSecSuccess)
      #expect((result as? Data)?.count == Int(byteCount))
      #expect(
        SecItemDelete([kSecClass: "file", kSecAttrPath: path] as CFDictionary) == errSecSuccess)
    }
    try device.run { #expect(attributes(service: "drawings", account: "plan") != nil) }
  }
}
