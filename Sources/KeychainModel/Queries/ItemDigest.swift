// What Apple's item digest (`sha1`) is made over: the hashed attributes of an item as a dictionary in DER.
//
// Source: SecDbItem.c and SecItemSchema.c (flag H) of Apple's published Security project; reproduced on an item of
// 2019 that an iPhone wrote.

internal import ByteCoding

extension KeychainItem {
  /// The DER over which SHA-1 gives the item's digest, its value included; nil for classes that have none, and
  /// for dates that DER can't hold.
  ///
  /// Columns that must have a value stand with their default where the item lacks them.
  package func digestForm(value: [UInt8]?) -> [UInt8]? {
    guard itemClass != .file, itemClass != .identity, itemClass.isKnown else { return nil }
    let defaults = itemClass.requiredDefaults
    var entries: [(key: String, value: [UInt8])] = []
    for known in KnownAttribute.all
    where known.classes.contains(itemClass) && !Self.unhashed.contains(known.key) {
      guard
        let value = self[known.key] ?? defaults.first(where: { $0.key == known.key })?.value
      else { continue }
      guard let encoded = known.digestForm(value) else { return nil }
      entries.append((known.key.column, encoded))
    }
    if let value { entries.append(("v_Data", DER.bytes(value))) }
    return DER.set(entries)
  }

  /// Not hashed: what differs from device to device, and what the digest itself depends on.
  private static let unhashed: Set<AttributeKey> = [
    .accessControl, .multiUser, .sharingGroup, .appClipItem, .uuid, .persistentReference, .sha1,
  ]
}

extension KnownAttribute {
  fileprivate func digestForm(_ value: AttributeValue) -> [UInt8]? {
    switch value {
    case .text(let text): DER.text(text)
    case .bytes(let bytes): DER.bytes(bytes)
    case .integer(let number): DER.integer(number)
    case .boolean(let value): DER.integer(value ? 1 : 0)
    case .date(let seconds): DER.date(seconds)
    case .real, .propertyList, .unknown: nil
    }
  }
}
