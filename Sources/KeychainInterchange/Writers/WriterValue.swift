// Values as their writers mean them (Spec/item-model.md, section 10): what the bytes alone do not show.

internal import ByteCoding
package import KeychainModel
internal import PropertyListCodec

/// A value whose form only its item tells. All others are what their bytes show.
package enum WriterValue: Hashable, Sendable {
  /// The whole `otpauth:` URL, with the secret.
  case oneTimePassword(url: String)
  /// A key of SQLCipher, 32 bytes, and a salt, 16 bytes.
  case databaseKey(key: [UInt8], salt: [UInt8])
  case boolean(Bool)

  /// - Parameter origin: who wrote the item.
  package init?(_ item: KeychainItem, value: [UInt8], from origin: ItemOrigin) {
    switch origin.form {
    case .oneTimePasswordSeed:
      guard let url = OneTimePasswordURL.url(of: item, seed: value) else { return nil }
      self = .oneTimePassword(url: url)
    case .databaseKey where value.count == 48:
      self = .databaseKey(key: Array(value[..<32]), salt: Array(value[32...]))
    case .boolean where value == [0] || value == [1]: self = .boolean(value == [1])
    default: return nil
    }
  }
}

extension ItemOrigin {
  private static let archiving: Set<ItemWriter> = [.simpleKeychain, .samKeychain, .locksmith]

  /// What the attributes and the value tell.
  package init?(_ item: KeychainItem, value: [UInt8]) {
    let isArchive = SecretContent.list(value).map { KeyedArchive.isArchive($0) } ?? false
    guard let origin = WriterMarks(item, isNoArchive: !isArchive).match else { return nil }
    var writers = origin.writers
    var form = origin.form
    if isArchive {
      let archiving = writers.filter(Self.archiving.contains)
      if !archiving.isEmpty { writers = archiving }
      if form == .textOrKeyedArchive || form == .textOrData { form = .keyedArchive }
    } else if writers == [.keychainSwift], value == [0] || value == [1] {
      form = .boolean
    }
    self.init(writers, origin.certainty, form)
  }
}

/// The URLs that OneTimePassword keeps beside its seeds.
enum OneTimePasswordURL {
  private static let scheme = Array("otpauth:".utf8)
  private static let name = Array("secret=".utf8)

  /// The URL of the item with the secret in it; nil where the item has none.
  static func url(of item: KeychainItem, seed: [UInt8]) -> String? {
    let bytes: [UInt8]
    switch item[.generic] {
    case .text(let text): bytes = Array(text.utf8)
    case .bytes(let data): bytes = data
    default: return nil
    }
    guard bytes.count > scheme.count,
      bytes[..<scheme.count].map({ 65...90 ~= $0 ? $0 | 0x20 : $0 }) == scheme
    else { return nil }
    let fragment = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    let query = bytes[..<fragment].firstIndex(of: UInt8(ascii: "?")) ?? fragment
    var parameters = bytes[query..<fragment].dropFirst().split(separator: UInt8(ascii: "&"))
      .filter { !$0.starts(with: name) }.map(Array.init)
    parameters.append(name + Base32.encode(seed.bytes))
    let whole =
      bytes[..<query] + [UInt8(ascii: "?")] + parameters.joined(separator: [UInt8(ascii: "&")])
      + bytes[fragment...]
    return String(validating: whole, as: UTF8.self)
  }
}
