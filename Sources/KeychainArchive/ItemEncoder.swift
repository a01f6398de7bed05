// What the container needs of an item: its attributes as bytes, and its token. The buffers are kept from item to
// item.

internal import ArchiveContainer
internal import ByteCoding
internal import KeychainModel

struct ItemEncoder {
  private let tokens: TokenMaker
  /// The attributes of the item that was encoded last.
  private(set) var attributes: [UInt8] = []
  private var lookupKey: [UInt8] = []
  private(set) var primaryKey: [UInt8] = []

  init(_ keys: ArchiveKeys) throws(ContainerError) {
    tokens = try TokenMaker(keys)
  }

  /// Encodes `item`.
  ///
  /// - Throws: `.invalidItem` where the format can't hold it.
  mutating func encode(_ item: KeychainItem) throws(ArchiveError) -> Token {
    attributes.removeAll(keepingCapacity: true)
    lookupKey.removeAll(keepingCapacity: true)
    primaryKey.removeAll(keepingCapacity: true)
    do {
      try item.encodedAttributes(into: &attributes)
    } catch {
      throw ArchiveError(.invalidItem, "\(error)", item: item.displayName)
    }
    item.appendLookupKey(to: &lookupKey)
    item.appendPrimaryKey(to: &primaryKey)
    return tokens.token(lookupKey: lookupKey.bytes, primaryKey: primaryKey.bytes)
  }
}
