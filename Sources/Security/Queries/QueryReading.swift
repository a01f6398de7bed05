// The grammar of the dictionaries that SecItem… takes (Spec/security.md, "Dictionaries").
//
// Source: query_applier and its neighbours in SecDbQuery.c of Apple's published Security project.

internal import Foundation
internal import KeychainModel

/// A query dictionary that was read.
struct GivenQuery {
  var query = ItemQuery()
  /// `kSecValueRef`
  var reference: GivenReference?

  /// - Throws: `errSecParam` for a key or a value of a kind that no query has, `errSecNoSuchAttr`.
  init(_ dictionary: CFDictionary) throws(KeychainError) {
    var attributes: [Attribute] = []
    attributes.reserveCapacity(dictionary.count)
    for (key, value) in dictionary {
      switch try KeyKind(key) {
      case .attribute: attributes.append(try Attribute(given: key, value))
      case .passedOver: break
      case .class: query.itemClass = ItemClass(rawValue: try text(value, of: key))
      case .match: try readMatch(key, GivenValue(value))
      case .return: try readReturn(key, value)
      case .use: try readUse(key, value)
      case .value: try readValue(key, value)
      }
    }
    query = query.with(attributes)
  }

  private mutating func readReturn(_ key: String, _ value: Any) throws(KeychainError) {
    let kind: ReturnKinds =
      switch key {
      case kSecReturnData: .data
      case kSecReturnAttributes: .attributes
      case kSecReturnRef: .reference
      case kSecReturnPersistentRef: .persistentReference
      default: throw .unknownKey
      }
    if try boolean(value, of: key) { query.returns.insert(kind) }
  }

  private mutating func readValue(_ key: String, _ value: Any) throws(KeychainError) {
    switch key {
    case kSecValueData: query.value = try bytes(value, of: key)
    case kSecValuePersistentRef: query.persistentReference = try bytes(value, of: key)
    case kSecValueRef:
      guard let given = GivenReference(value) else { throw .wrongType(key) }
      reference = given
    default: throw .unknownKey
    }
  }

  private mutating func readUse(_ key: String, _ value: Any) throws(KeychainError) {
    switch key {
    case kSecUseAuthenticationUI:
      switch try text(value, of: key) {
      case kSecUseAuthenticationUIAllow: query.authenticationUI = .allow
      case kSecUseAuthenticationUIFail: query.authenticationUI = .fail
      case kSecUseAuthenticationUISkip: query.authenticationUI = .skip
      default: throw .wrongType(key)
      }
    case kSecUseNoAuthenticationUI:
      if try boolean(value, of: key) { query.authenticationUI = .fail }
    // Nobody is asked: there is nothing to prompt with.
    case kSecUseOperationPrompt, kSecUseAuthenticationContext: break
    default: throw .unknownKey
    }
  }

  private mutating func readMatch(_ key: String, _ value: GivenValue) throws(KeychainError) {
    switch (key, value) {
    case (kSecMatchLimit, .text(kSecMatchLimitOne)): query.limit = .one
    case (kSecMatchLimit, .text(kSecMatchLimitAll)): query.limit = .all
    case (kSecMatchLimit, .integer(let count)): query.limit = .count(Int(count))
    case (kSecMatchTrustedOnly, .boolean(let isTrue)): query.match.trustedOnly = isTrue
    case (kSecMatchPolicy, _): query.match.hasPolicy = true
    case (kSecMatchHostOrSubdomainOfHost, .text(let host)): query.match.hostOrSubdomain = host
    case (kSecMatchValidOnDate, .date(let seconds)): query.match.validOnDate = seconds
    // No date stands for now.
    case (kSecMatchValidOnDate, .null):
      query.match.validOnDate = Date().timeIntervalSinceReferenceDate
    case (kSecMatchIssuers, .other(let list)):
      guard let issuers = list as? [Data] else { throw .wrongType(key) }
      query.match.issuers = issuers.map { [UInt8]($0) }
    case (kSecMatchLimit, _), (kSecMatchTrustedOnly, _), (kSecMatchHostOrSubdomainOfHost, _),
      (kSecMatchValidOnDate, _), (kSecMatchIssuers, _):
      throw .wrongType(key)
    default: query.match.ignoredKeys.append(key)
    }
  }
}

extension ItemChanges {
  /// - Throws: `errSecNoSuchAttr` for anything but attributes and a value.
  init(_ dictionary: CFDictionary) throws(KeychainError) {
    var attributes: [Attribute] = []
    var value: [UInt8]?
    for (key, given) in dictionary {
      switch try KeyKind(key) {
      case .attribute: attributes.append(try Attribute(given: key, given))
      case .passedOver: break
      case .value where key == kSecValueData: value = try bytes(given, of: key)
      default:
        throw KeychainError(.noSuchAttribute, "an update changes attributes and the value only")
      }
    }
    self.init(attributes: attributes, value: value)
  }
}

/// What a key is about: four characters are an attribute, else its first letter says it.
private enum KeyKind {
  case attribute, `class`, match, `return`, use, value
  /// `kSecUseDataProtectionKeychain`: there is but one keychain.
  case passedOver

  init(_ key: String) throws(KeychainError) {
    if key.utf8.count == 4 {
      self = key == kSecUseDataProtectionKeychain ? .passedOver : .attribute
      return
    }
    switch key.utf8.first {
    case UInt8(ascii: "c") where key == kSecClass: self = .class
    case UInt8(ascii: "m"): self = .match
    case UInt8(ascii: "r"): self = .return
    case UInt8(ascii: "u"): self = .use
    case UInt8(ascii: "v"): self = .value
    default: throw .unknownKey
    }
  }
}

extension Attribute {
  fileprivate init(given key: String, _ value: Any) throws(KeychainError) {
    let column = AttributeKey(column: key)
    // An attribute that no class has is refused before its value is.
    guard KnownAttribute(column) != nil else {
      throw KeychainError(.noSuchAttribute, "a key of four characters that is no attribute")
    }
    guard let converted = GivenValue(value).attributeValue(of: column) else {
      throw .wrongType(key)
    }
    self.init(column, converted)
  }
}

private func text(_ value: Any, of key: String) throws(KeychainError) -> String {
  guard case .text(let text) = GivenValue(value) else { throw .wrongType(key) }
  return text
}

private func bytes(_ value: Any, of key: String) throws(KeychainError) -> [UInt8] {
  guard case .bytes(let data) = GivenValue(value) else { throw .wrongType(key) }
  return [UInt8](data)
}

private func boolean(_ value: Any, of key: String) throws(KeychainError) -> Bool {
  guard case .boolean(let isTrue) = GivenValue(value) else { throw .wrongType(key) }
  return isTrue
}

extension KeychainError {
  fileprivate static var unknownKey: KeychainError {
    KeychainError(.parameter, "a key of a kind that no query has")
  }

  fileprivate static func wrongType(_ key: String) -> KeychainError {
    KeychainError(.parameter, "\(key): a value of a type that it does not have")
  }
}

extension ItemQuery {
  /// This query with other attributes.
  fileprivate func with(_ attributes: [Attribute]) -> ItemQuery {
    var query = ItemQuery(
      itemClass, attributes: attributes, value: value, limit: limit, returns: returns)
    query.persistentReference = persistentReference
    query.match = match
    query.authenticationUI = authenticationUI
    return query
  }
}
