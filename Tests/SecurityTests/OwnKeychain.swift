// A keychain of a test's own, so that tests can run at the same time.

import Foundation
import KeychainArchive
import Security

/// Calls `body` with an empty keychain that is gone afterwards.
func withOwnKeychain(_ body: () throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("kcarchive-security-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let keychain = try Keychain.openOrCreate(
    path: folder.appendingPathComponent("keychain.kcarchive").path,
    credentials: [.keyFile([UInt8](repeating: 7, count: 32))])
  try SecDefaultKeychain.withKeychain(keychain, body)
}

/// What `SecItemCopyMatching` gives.
func copy(_ query: [String: Any]) -> (status: OSStatus, result: AnyObject?) {
  var result: AnyObject?
  let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
  return (status, result)
}

extension Data {
  var hexadecimal: String {
    map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
  }
}
