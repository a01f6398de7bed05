// CMUUIDManager: an identifier of the device that outlives the application.

import Foundation
import PropertyListCodec
import Security

struct CMUUIDManager {
  private static let key = "org.example.device.uuid"
  private let keychain = CMKeyChain()

  func saveUUID(_ uuid: String) throws {
    try keychain.save(
      service: Self.key, data: .dictionary([.init(Self.key, .string(uuid))]))
  }

  func readUUID() -> String? {
    guard case .string(let uuid)? = keychain.load(service: Self.key)?[Self.key] else { return nil }
    return uuid
  }

  func deleteUUID() { keychain.delete(service: Self.key) }

  /// The identifier; made at the first call.
  func identifier() throws -> String {
    if let known = readUUID() { return known }
    let new = UUID().uuidString
    try saveUUID(new)
    return new
  }
}
