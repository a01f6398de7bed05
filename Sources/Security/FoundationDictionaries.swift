// The functions of SecItem.swift for code that keeps its queries in `NSDictionary` or `NSMutableDictionary`: without
// Objective-C these are not `CFDictionary`.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

@discardableResult
public func SecItemAdd(
  _ attributes: NSDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  guard let attributes = attributes.query else { return errSecParam }
  return unsafe SecItemAdd(attributes, result)
}

public func SecItemCopyMatching(
  _ query: NSDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  guard let query = query.query else { return errSecParam }
  return unsafe SecItemCopyMatching(query, result)
}

@discardableResult
public func SecItemUpdate(
  _ query: NSDictionary, _ attributesToUpdate: NSDictionary
) -> OSStatus {
  guard let query = query.query, let changes = attributesToUpdate.query else { return errSecParam }
  return SecItemUpdate(query, changes)
}

@discardableResult
public func SecItemDelete(_ query: NSDictionary) -> OSStatus {
  guard let query = query.query else { return errSecParam }
  return SecItemDelete(query)
}

extension NSDictionary {
  /// The dictionary with keys of Swift; nil where a key is no text.
  fileprivate var query: CFDictionary? { (self as AnyObject) as? [String: Any] }
}
