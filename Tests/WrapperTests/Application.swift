// An application of a device: its entitlements, and a keychain that it opens anew each time it runs.

import Foundation
import KeychainArchive
import KeychainModel
import Security

/// A device with one keychain, gone when the test is.
final class Device: Sendable {
  let folder: URL
  static let keyFile = [UInt8](repeating: 7, count: 32)

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("kcarchive-device-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var path: String { folder.appendingPathComponent("keychain.kcarchive").path }

  /// Runs an application once: the archive is opened before `body` and let go of behind it.
  ///
  /// - Parameter groups: `keychain-access-groups` of its entitlements.
  @discardableResult
  func run<Result>(
    as groups: [String] = ["TEAM.org.example.app"], _ body: () throws -> Result
  ) throws -> Result {
    let keychain = try Keychain.openOrCreate(
      path: path, credentials: [.keyFile(Self.keyFile)], accessGroups: AccessGroups(groups))
    return try SecDefaultKeychain.withKeychain(keychain, body)
  }
}

/// What tests look for behind a wrapper's back: the attributes of one generic password.
func attributes(service: String, account: String) -> [String: Any]? {
  let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: service,
    kSecAttrAccount as String: account,
    kSecReturnAttributes as String: true,
    kSecReturnData as String: true,
  ]
  var result: CFTypeRef?
  guard unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else {
    return nil
  }
  return result as? [String: Any]
}
