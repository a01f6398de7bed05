// The four functions of Keychain Services, over the default keychain (DefaultKeychain.swift).

// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import Foundation
internal import KeychainArchive
internal import KeychainModel

/// Adds an item.
///
/// - Parameters:
///   - attributes: class, attributes and value (`kSecValueData` or `kSecValueRef`), and what comes back.
///   - result: takes what `kSecReturn…` asks for; untouched where nothing is asked for.
/// - Returns: `errSecSuccess`, `errSecDuplicateItem`, `errSecParam`, `errSecNoSuchClass`, `errSecNoSuchAttr`,
///   `errSecMissingEntitlement`, `errSecInteractionNotAllowed`, or why the keychain could not be used.
@discardableResult
public func SecItemAdd(
  _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  status { () throws(KeychainError) in
    let given = try GivenQuery(attributes)
    let hasPlace = unsafe result != nil
    try given.checkReturns(hasPlace)
    guard let found = try given.add(to: try SecDefaultKeychain.current()) else { return }
    unsafe result?.pointee = found.result(given.query.returns)
  }
}

/// Finds items: one, unless `kSecMatchLimit` says otherwise.
///
/// - Parameter result: takes an object, or with `kSecMatchLimitAll` or a number an array of them.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecParam`, `errSecNoSuchClass`, `errSecNoSuchAttr`,
///   `errSecMissingEntitlement`, `errSecUnimplemented`, `errSecInteractionNotAllowed`, `errSecDecode`, or why
///   the keychain could not be used.
public func SecItemCopyMatching(
  _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  status { () throws(KeychainError) in
    let given = try GivenQuery(query)
    let hasPlace = unsafe result != nil
    try given.checkReturns(hasPlace)
    let found = try SecDefaultKeychain.current().copyMatching(given.condition)
    let returns = given.query.returns
    guard !returns.isEmpty else { return }
    if given.asksForSeveral {
      let results: CFArray = found.compactMap { $0.result(returns) }
      // Called by name, so that a program that is linked statically has what casts an array back.
      unsafe result?.pointee = results._bridgeToObjectiveC()
    } else if let first = found.first {
      unsafe result?.pointee = first.result(returns)
    }
  }
}

/// Changes all items that `query` means, or none of them.
///
/// - Parameter attributesToUpdate: attributes and `kSecValueData`, nothing else.
/// - Returns: as `SecItemCopyMatching`, and `errSecDuplicateItem`.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  status { () throws(KeychainError) in
    let given = try GivenQuery(query)
    let changes = try ItemChanges(attributesToUpdate)
    try SecDefaultKeychain.current().update(given.condition, with: changes)
  }
}

/// Deletes all items that `query` means.
///
/// - Returns: as `SecItemCopyMatching`.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  status { () throws(KeychainError) in
    try GivenQuery(query).delete(from: try SecDefaultKeychain.current())
  }
}

/// What `status` says, in English.
///
/// - Parameter reserved: nil.
public func SecCopyErrorMessageString(
  _ status: OSStatus, _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
  KeychainStatus(rawValue: status).message ?? "OSStatus \(status)"
}

private func status(_ body: () throws(KeychainError) -> Void) -> OSStatus {
  do {
    try body()
    return errSecSuccess
  } catch {
    return error.status.rawValue
  }
}

extension GivenQuery {
  /// Whether an array comes back.
  fileprivate var asksForSeveral: Bool {
    switch query.limit {
    case nil, .one, .count(1): false
    case .all, .count: true
    }
  }

  /// What is asked for needs a place.
  fileprivate func checkReturns(_ hasPlace: Bool) throws(KeychainError) {
    guard query.returns.isEmpty || hasPlace else {
      throw KeychainError(.parameter, "there is no place for what is asked for (kSecReturn…)")
    }
  }
}
