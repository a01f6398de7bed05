// Apple's item digest, on an item that an iPhone wrote in 2019.

import Foundation
import KeychainModel
import Testing

@testable import KeychainArchive

private let folder = URL(filePath: #filePath).deletingLastPathComponent()
private let samples = folder.appending(path: "../../../shared/samples/data-protection-items")
  .standardized

@Suite("The digest of an item")
struct ItemDigestTests {
  @Test(
    "The digest of a real item is the one that it came with",
    .enabled(
      if: FileManager.default.fileExists(atPath: samples.path),
      "the samples (../shared/samples) are not there"))
  func realItem() throws {
    let (item, value) = try openedSample()
    guard case .bytes(let stored) = item[.sha1] else {
      Issue.record("the item has no digest")
      return
    }
    #expect(item.digest(value: value) == stored)
    // Everything that is hashed counts; what differs from device to device does not.
    for key: AttributeKey in [
      .account, .service, .accessGroup, .accessible, .creationDate, .synchronizable,
    ] {
      var changed = item
      changed[key] =
        key == .creationDate ? .date(0) : key == .synchronizable ? .integer(0) : .text("x")
      #expect(changed.digest(value: value) != stored, "\(key)")
    }
    for key: AttributeKey in [.sha1, .multiUser, .persistentReference, .uuid, .accessControl] {
      var changed = item
      changed[key] = nil
      #expect(changed.digest(value: value) == stored, "\(key)")
    }
    #expect(item.digest(value: Array("other".utf8)) != stored)
  }

  private func openedSample() throws -> (KeychainItem, [UInt8]) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [
      folder.appending(path: "../Samples/data_protection_item.py").path,
      samples.appending(path: "real-v7-item1.bin").path,
      samples.appending(path: "real-v7-item1.keys.txt").path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    let read = try JSONSerialization.jsonObject(with: output)
    let columns = try #require(read as? [String: [Any]])
    var item = KeychainItem(.genericPassword)
    var value: [UInt8] = []
    for (column, pair) in columns {
      let attribute: AttributeValue
      switch (pair[0] as? String, pair[1]) {
      case ("text", let text as String): attribute = .text(text)
      case ("integer", let number as NSNumber): attribute = .integer(number.int64Value)
      case ("date", let seconds as NSNumber): attribute = .date(seconds.doubleValue)
      case (_, let digits as String): attribute = .bytes(bytes(digits))
      default: throw CocoaError(.coderReadCorrupt)
      }
      if column == "v_Data", case .bytes(let bytes) = attribute {
        value = bytes
      } else {
        item[AttributeKey(column: column)] = attribute
      }
    }
    return (item, value)
  }

  private func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }
}
