// What SecItem… gives back: data, a reference, or a dictionary (Spec/security.md, "What comes back").

internal import Foundation
internal import KeychainArchive
internal import KeychainModel

extension FoundItem {
  /// The item as far as `returns` asks for it; nil where that is nothing, as for references to passwords.
  func result(_ returns: ReturnKinds) -> CFTypeRef? {
    switch returns {
    case .data: return NSData(data: Data(value ?? []))
    case .persistentReference: return persistentReference.map { NSData(data: Data($0)) }
    case .reference: return reference
    default: return dictionary(returns)._bridgeToObjectiveC()
    }
  }

  private func dictionary(_ returns: ReturnKinds) -> [String: Any] {
    var result: [String: Any] = [:]
    if let item {
      result.reserveCapacity(item.attributes.count + 4)
      for attribute in item.attributes where attribute.key != .row {
        result[attribute.key.column] = attribute.given
      }
      result[kSecAttrAccessControl] = item.accessControl
      if returns.contains(.reference) { result[kSecClass] = item.itemClass.rawValue }
      // kSecAttrIdentityCertificateData, which Apple does not publish.
      if let certificate { result["certdata"] = Data(certificate) }
    }
    if returns.contains(.data), let value { result[kSecValueData] = Data(value) }
    if returns.contains(.reference) { result[kSecValueRef] = reference }
    if let persistentReference {
      result[kSecValuePersistentRef] = Data(persistentReference)
    }
    return result
  }
}

extension Attribute {
  /// As applications get it: booleans are the numbers 0 and 1, which are read both as `Int` and as `Bool`.
  var given: Any {
    switch value {
    case .text(let text): text
    case .bytes(let bytes), .propertyList(let bytes), .unknown(_, let bytes): Data(bytes)
    case .integer(let number): NSNumber(value: number)
    case .boolean(let isTrue): NSNumber(value: isTrue ? Int64(1) : 0)
    case .real(let number): NSNumber(value: number)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    }
  }
}

extension KeychainItem {
  /// Every item has one: where none is stored, `kSecAttrAccessible` says what it is.
  fileprivate var accessControl: SecAccessControl? {
    if case .bytes(let bytes) = self[.accessControl], let control = AccessControl(bytes) {
      return SecAccessControl(control)
    }
    return accessible.map { SecAccessControl(AccessControl($0)) }
  }
}
