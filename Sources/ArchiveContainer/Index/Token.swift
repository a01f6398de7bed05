// What the index is sorted by: two halves of a keyed hash, of an item's lookup and of its primary key.

internal import ArchiveCrypto
internal import ByteCoding

/// 16 bytes, compared as bytes.
package struct Token: Hashable, Comparable, Sendable {
  static let byteCount = 16

  /// Big-endian, so that numbers compare as the bytes do.
  package let lookup: UInt64
  package let primary: UInt64

  package init(lookup: UInt64, primary: UInt64) {
    self.lookup = lookup
    self.primary = primary
  }

  init(_ bytes: RawSpan, at offset: Int) {
    lookup = bytes.u64(at: offset).byteSwapped
    primary = bytes.u64(at: offset + 8).byteSwapped
  }

  func store(in target: inout MutableRawSpan, at offset: Int) {
    target.store(lookup.byteSwapped, at: offset)
    target.store(primary.byteSwapped, at: offset + 8)
  }

  @inlinable package static func < (left: Token, right: Token) -> Bool {
    left.lookup != right.lookup ? left.lookup < right.lookup : left.primary < right.primary
  }
}

/// Makes tokens: H(K_token, L("lookup" | "primary") ‖ key)[0 ..< 8]. Not for several threads at once.
package final class TokenMaker {
  private let mac: HMACSHA256
  private let lookupLabel = Format.label("lookup")
  private let primaryLabel = Format.label("primary")

  package init(_ keys: ArchiveKeys) throws(ContainerError) {
    do {
      mac = try keys.tokenKey.withBytes { key throws(CryptoError) in try HMACSHA256(key: key) }
    } catch {
      throw ContainerError(error)
    }
  }

  /// The token of canonical keys, as the item model makes them.
  package func token(lookupKey: RawSpan, primaryKey: RawSpan) -> Token {
    Token(lookup: lookup(lookupKey), primary: primary(primaryKey))
  }

  /// The token's first half.
  package func lookup(_ key: RawSpan) -> UInt64 {
    half(lookupLabel, key)
  }

  /// The token's second half.
  package func primary(_ key: RawSpan) -> UInt64 {
    half(primaryLabel, key)
  }

  private func half(_ label: [UInt8], _ key: RawSpan) -> UInt64 {
    mac.begin()
    mac.update(label.bytes)
    mac.update(key)
    var code = InlineArray<32, UInt8>(repeating: 0)
    var elements = code.mutableSpan
    var bytes = unsafe elements.mutableBytes
    mac.finish(into: &bytes)
    return bytes.bytes.u64(at: 0).byteSwapped
  }
}
