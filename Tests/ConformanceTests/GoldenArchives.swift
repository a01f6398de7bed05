// The archives of Fixtures/vaults/golden, with what opens them and what is expected in them.

import ArchiveContainer
import ArchiveCrypto
import ByteCoding
import KeychainArchive
import KeychainInterchange
import KeychainModel
import PropertyListCodec

/// The folder of the package.
let packageFolder: String = {
  // …/Tests/ConformanceTests/GoldenArchives.swift
  let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
  return parts.dropLast(3).joined(separator: "/")
}()

/// A line of MANIFEST.tsv: an archive and one way to open it.
struct GoldenArchive: CustomStringConvertible, Sendable {
  private static let folder = packageFolder + "/Fixtures/vaults/golden"

  let name: String
  private let passphrase: String?
  private let keyFile: String?
  private let mixedKeyFile: String?
  private let expected: String

  /// All lines.
  static func all() throws -> [GoldenArchive] {
    let manifest = String(decoding: try content(of: folder + "/MANIFEST.tsv"), as: UTF8.self)
    return manifest.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: "\t").map { $0 == "-" ? nil : String($0) }
      return GoldenArchive(
        name: fields[0]!, passphrase: fields[1], keyFile: fields[2], mixedKeyFile: fields[3],
        expected: fields[4]!)
    }
  }

  /// The name, and the means of opening it.
  var description: String {
    let means = [
      passphrase.map { "passphrase \($0.unicodeScalars.count) scalars" }, keyFile, mixedKeyFile,
    ]
    return "\(name) (\(means.compactMap { $0 }.joined(separator: ", ")))"
  }

  var path: String { "\(Self.folder)/\(name)" }

  func open() throws -> KeychainArchive {
    try KeychainArchive.open(path: path, credentials: [try credential()])
  }

  private func credential() throws -> ArchiveCredential {
    if let keyFile { return .init(try keyFileCredential(keyFile)) }
    let bytes = Array((passphrase ?? "").utf8)
    guard let mixedKeyFile else { return try .passphrase(bytes) }
    let content = try content(of: "\(Self.folder)/\(mixedKeyFile)")
    return .init(
      .passphrase(
        SecretBytes(copying: bytes.bytes),
        mixedWith: try Credential.keyFileDigest(of: content.bytes), origin: "a test"))
  }

  private func keyFileCredential(_ name: String) throws -> Credential {
    let content = try content(of: "\(Self.folder)/\(name)")
    return .keyFile(digest: try Credential.keyFileDigest(of: content.bytes), origin: name)
  }

  /// The items that it has, in their order.
  func expectedItems() throws -> [ExpectedItem] {
    let device = try FileDevice(reading: "\(Self.folder)/\(expected)")
    var stream = ItemJSONStream(device, layout: .lines)
    var value = SecretBytes(count: 0)
    var items: [ExpectedItem] = []
    while let element = try stream.next(value: &value) {
      items.append(
        ExpectedItem(element.item, element.value == .inMemory ? SHA256.hash(value.bytes) : nil))
    }
    return items
  }
}

/// An item and its value's SHA-256, nil where it has no value.
struct ExpectedItem: Equatable {
  private static let digestKey = AttributeKey(column: "valueSHA256")

  let item: KeychainItem
  let digest: [UInt8]?

  /// - Parameter item: may have the digest as an attribute, for a value that is too long to be kept
  ///   as a fixture.
  init(_ item: KeychainItem, _ digest: [UInt8]?) {
    var item = item
    var digest = digest
    if case .text(let text) = item[Self.digestKey] {
      digest = try? Hex.decode(Array(text.utf8).bytes)
      item[Self.digestKey] = nil
    }
    self.item = item
    self.digest = digest
  }

  init(_ stored: StoredItem, of archive: KeychainArchive) throws {
    let value = try archive.value(of: stored)
    self.init(stored.item, value.map { SHA256.hash($0.bytes) })
  }
}

/// All bytes of a file.
private func content(of path: String) throws -> [UInt8] {
  let device = try FileDevice(reading: path)
  var bytes = [UInt8](repeating: 0, count: Int(try device.byteCount()))
  var elements = bytes.mutableSpan
  // Every byte pattern is a UInt8.
  var target = unsafe elements.mutableBytes
  let count = try device.read(into: &target, at: 0)
  return Array(bytes[..<count])
}
