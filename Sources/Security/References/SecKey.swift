// Keys as references (`kSecReturnRef`, `kSecValueRef`): bytes and attributes. Nothing is signed or decrypted.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
internal import KeychainModel

/// A key in its external form: RSA as PKCS #1, elliptic curves as ANSI X9.63.
public final class SecKey: Hashable, Sendable {
  let bytes: [UInt8]
  /// What an item of the key has, its class among it.
  let item: KeychainItem

  init(_ bytes: [UInt8], _ item: KeychainItem) {
    self.bytes = bytes
    self.item = item
  }

  public static func == (left: SecKey, right: SecKey) -> Bool {
    left.bytes == right.bytes && left.item == right.item
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytes)
  }
}

/// A key of its external form.
///
/// - Parameters:
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass` are needed; any other attribute of keys.
///   - error: takes `errSecParam` where the type is not one of RSA and EC, or the bytes are no such key.
public func SecKeyCreateWithData(
  _ keyData: CFData, _ attributes: CFDictionary,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  let bytes = [UInt8](keyData)
  guard let given = try? ItemChanges(attributes.filter { $0.key.utf8.count == 4 }),
    let form = KeyForm(bytes, KeychainItem(.key, attributes: given.attributes))
  else {
    unsafe give(errSecParam, to: error, "the data is no key of that type and class")
    return nil
  }
  return SecKey(bytes, KeychainItem(.key, attributes: form.attributes + given.attributes))
}

/// The key in its external form.
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  Data(key.bytes)
}

/// The key's attributes, as `kSecReturnAttributes` gives them.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
  var attributes: CFDictionary = [kSecClass: kSecClassKey]
  for attribute in key.item.attributes { attributes[attribute.key.column] = attribute.given }
  return attributes
}
