// Which access groups a caller is in: what its entitlements say on a device.

/// The access groups of a caller, as `keychain-access-groups` lists them.
public struct AccessGroups: Sendable, Equatable {
  /// In the order of the list; the first is that of items that are added without one.
  public let names: [String]

  /// - Parameter names: with `*` among them, all groups are allowed. None is no access at all
  ///   (`errSecMissingEntitlement`).
  public init(_ names: [String]) {
    self.names = names
    allowsAll = names.contains { $0.hasSameBytes(as: "*") }
    defaultGroup = names.first.map { $0.hasSameBytes(as: "*") ? "" : $0 }
  }

  /// Every group; items that are added without one are in the group that has no name.
  public static let all = AccessGroups(["*"])

  /// The group of an item that is added without one.
  let defaultGroup: String?

  /// Whether every group is allowed.
  public let allowsAll: Bool

  /// Whether the caller is in `group`.
  public func allow(_ group: String) -> Bool {
    allowsAll || names.contains { $0.hasSameBytes(as: group) }
  }

  func check() throws(KeychainError) {
    guard names.isEmpty else { return }
    throw KeychainError(.missingEntitlement, "the caller is in no access group")
  }

  func check(_ group: String) throws(KeychainError) {
    guard !allow(group) else { return }
    throw KeychainError(.missingEntitlement, "the caller is not in the access group asked for")
  }
}
