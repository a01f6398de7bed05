// Queries with a reference (`kSecValueRef`), and references to what was found.

internal import KeychainArchive
internal import KeychainModel

/// What `kSecValueRef` names.
enum GivenReference {
  case certificate(SecCertificate)
  case key(SecKey)
  case identity(SecIdentity)

  init?(_ value: Any) {
    switch value {
    case let certificate as SecCertificate: self = .certificate(certificate)
    case let key as SecKey: self = .key(key)
    case let identity as SecIdentity: self = .identity(identity)
    default: return nil
    }
  }

  private var itemClass: ItemClass {
    switch self {
    case .certificate: .certificate
    case .key: .key
    case .identity: .identity
    }
  }

  /// Adds the class and what names the item to a query.
  func complete(_ query: ItemQuery) throws(KeychainError) -> ItemQuery {
    var query = query
    guard query.itemClass == nil || query.itemClass == itemClass else {
      throw KeychainError(.parameter, "the reference is to an item of another class")
    }
    query.itemClass = itemClass
    switch self {
    case .certificate(let certificate): query.complete(certificate.item, [.issuer, .serialNumber])
    case .key(let key): query.complete(key.item, [.applicationLabel, .keyClass])
    case .identity(let identity):
      query.complete(identity.certificate.item, [.issuer, .serialNumber])
    }
    return query
  }
}

extension ItemQuery {
  /// Takes attributes of `item`, where the query does not say them.
  fileprivate mutating func complete(_ item: KeychainItem, _ keys: [AttributeKey]) {
    for key in keys where self[key] == nil { self[key] = item[key] }
  }
}

extension GivenQuery {
  /// The query with what its reference stands for.
  var condition: ItemQuery {
    get throws(KeychainError) { try reference?.complete(query) ?? query }
  }

  /// Adds the item; an identity as its key and its certificate.
  ///
  /// - Throws: for an identity `errSecDuplicateItem` only where both are there.
  func add(to keychain: Keychain) throws(KeychainError) -> FoundItem? {
    switch reference {
    case nil: return try keychain.add(query)
    case .certificate(let certificate): return try keychain.add(addition(certificate))
    case .key(let key): return try keychain.add(addition(key))
    case .identity(let identity):
      var parts = self
      parts.query.returns = []
      parts.query.itemClass = nil
      let isKeyNew = try keychain.isNew(parts.addition(identity.key))
      let isCertificateNew = try keychain.isNew(parts.addition(identity.certificate))
      guard isKeyNew || isCertificateNew else {
        throw KeychainError(.duplicateItem, "the identity's certificate and key are there already")
      }
      guard !query.returns.isEmpty else { return nil }
      return try keychain.copyMatching(condition).first
    }
  }

  /// Deletes what is meant; of an identity the certificate and its key.
  func delete(from keychain: Keychain) throws(KeychainError) {
    guard case .identity(let identity) = reference else {
      return try keychain.delete(condition)
    }
    var parts = self
    parts.query.itemClass = nil
    parts.reference = .certificate(identity.certificate)
    let wasCertificate = try keychain.wasThere(parts.condition)
    parts.reference = .key(identity.key)
    let wasKey = try keychain.wasThere(parts.condition)
    guard wasCertificate || wasKey else {
      throw KeychainError(.itemNotFound, "neither the identity's certificate nor its key is there")
    }
  }

  private func addition(_ certificate: SecCertificate) throws(KeychainError) -> ItemQuery {
    var query = try GivenReference.certificate(certificate).complete(query)
    query.value = certificate.der
    return query
  }

  private func addition(_ key: SecKey) throws(KeychainError) -> ItemQuery {
    var query = try GivenReference.key(key).complete(query)
    query.complete(key.item, key.item.attributes.map(\.key))
    query.value = key.bytes
    return query
  }
}

extension Keychain {
  /// Adds an item, and says whether it was not there.
  fileprivate func isNew(_ query: ItemQuery) throws(KeychainError) -> Bool {
    do throws(KeychainError) {
      try add(query)
      return true
    } catch  where error.status == .duplicateItem {
      return false
    }
  }

  /// Deletes an item, and says whether it was there.
  fileprivate func wasThere(_ query: ItemQuery) throws(KeychainError) -> Bool {
    do throws(KeychainError) {
      try delete(query)
      return true
    } catch  where error.status == .itemNotFound {
      return false
    }
  }
}

extension FoundItem {
  /// The reference that stands for the item: of passwords there is none.
  var reference: CFTypeRef? {
    guard let item, let value else { return nil }
    switch item.itemClass {
    case .certificate: return SecCertificate(value)
    case .key: return SecKey(value, item)
    case .identity:
      guard let certificate = certificate.flatMap({ SecCertificate($0) }) else { return nil }
      let attributes = item.attributes.filter {
        KnownAttribute($0.key)?.classes.contains(.key) ?? true
      }
      return SecIdentity(certificate, SecKey(value, KeychainItem(.key, attributes: attributes)))
    default: return nil
    }
  }
}
