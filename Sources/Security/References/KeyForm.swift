// What a key's bytes say about it: its size, and the hash of its public half, by which certificates are found.

internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainModel

/// An RSA key in PKCS #1 (RFC 8017, appendix A.1), or a point of a curve (ANSI X9.63), with the private
/// number behind it.
struct KeyForm {
  /// Size, type, class, label and uses.
  let attributes: [Attribute]

  /// - Parameter item: says type and class of the key. Nil where the bytes are no such key.
  init?(_ bytes: [UInt8], _ item: KeychainItem) {
    guard let type = item.number(.keyType), let keyClass = item.number(.keyClass),
      keyClass == Self.publicClass || keyClass == Self.privateClass
    else { return nil }
    let isPrivate = keyClass == Self.privateClass
    let publicHalf: [UInt8]
    let bitCount: Int
    switch type {
    case 42:
      guard let (modulus, exponent) = Self.numbers(bytes, isPrivate: isPrivate) else { return nil }
      publicHalf = DER.element(
        DER.sequence, DER.element(DER.integer, modulus) + DER.element(DER.integer, exponent))
      let digits = modulus.drop { $0 == 0 }
      bitCount = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
    case 73:
      guard let width = Self.coordinateWidth(bytes, isPrivate: isPrivate) else { return nil }
      publicHalf = Array(bytes.prefix(1 + 2 * width))
      bitCount = width == 66 ? 521 : width * 8
    default: return nil
    }
    let signs: [AttributeKey] = [.canDecrypt, .canSign, .canUnwrap]
    let verifies: [AttributeKey] = [.canEncrypt, .canVerify, .canWrap]
    attributes =
      [
        Attribute(.keyType, .integer(type)), Attribute(.keyClass, .integer(keyClass)),
        Attribute(.keySizeInBits, .integer(Int64(bitCount))),
        Attribute(.effectiveKeySize, .integer(Int64(bitCount))),
        Attribute(.applicationLabel, .bytes(Self.label(publicHalf))),
        Attribute(.canDerive, .boolean(true)),
      ]
      + signs.map { Attribute($0, .boolean(isPrivate)) }
      + verifies.map { Attribute($0, .boolean(!isPrivate)) }
  }

  /// What `kSecAttrApplicationLabel` of both halves of a pair is, and `kSecAttrPublicKeyHash` of its certificate.
  private static func label(_ publicHalf: [UInt8]) -> [UInt8] { SHA1.hash(publicHalf.bytes) }

  /// `kSecAttrKeyClassPublic`, `kSecAttrKeyClassPrivate`
  private static let publicClass: Int64 = 0
  private static let privateClass: Int64 = 1

  /// Modulus and exponent of an RSA key, as INTEGERs have them.
  private static func numbers(
    _ bytes: [UInt8], isPrivate: Bool
  ) -> (modulus: [UInt8], exponent: [UInt8])? {
    guard let key = DER.Element(bytes[...]), key.tag == DER.sequence, key.rest.isEmpty else {
      return nil
    }
    var rest = key.content
    if isPrivate {
      guard let version = DER.Element(rest), version.integer == 0 else { return nil }
      rest = version.rest
    }
    guard let modulus = DER.Element(rest), modulus.tag == DER.integer, !modulus.content.isEmpty,
      let exponent = DER.Element(modulus.rest), exponent.tag == DER.integer,
      isPrivate != exponent.rest.isEmpty
    else { return nil }
    return (Array(modulus.content), Array(exponent.content))
  }

  /// How many bytes a coordinate has: of P-256, P-384, P-521.
  private static func coordinateWidth(_ bytes: [UInt8], isPrivate: Bool) -> Int? {
    let parts = isPrivate ? 3 : 2
    // 4 stands for a point that is not compressed.
    guard bytes.first == 4, (bytes.count - 1) % parts == 0 else { return nil }
    let width = (bytes.count - 1) / parts
    return [32, 48, 66].contains(width) ? width : nil
  }
}

extension KeychainItem {
  /// A number that may be given as its decimal text.
  fileprivate func number(_ key: AttributeKey) -> Int64? {
    switch self[key] {
    case .integer(let number): number
    case .text(let text): Int64(text)
    default: nil
    }
  }
}
