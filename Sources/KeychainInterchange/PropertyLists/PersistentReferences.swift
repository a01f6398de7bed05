// Persistent references in lists: programs keep them in their preferences and the items that they name in a keychain
// (Spec/item-model.md, section 1). Source: Apple's Security project, SecItem.m.

internal import ByteCoding
internal import KeychainModel
internal import PropertyListCodec

/// Bytes that name an item of a keychain.
package enum PersistentReferences {
  /// Whether `bytes` are a persistent reference, of any form.
  package static func isOne(_ bytes: [UInt8]) -> Bool {
    if bytes.count > 5, bytes.starts(with: "tkpr".utf8) { return bytes[4] == 0x30 }
    guard let itemClass = ItemClass(known: String(decoding: bytes.prefix(4), as: UTF8.self)),
      itemClass != .file
    else { return false }
    switch bytes.count {
    // A row's number, the highest byte first. Text of twelve characters has no zeros there.
    case 12: return bytes[4..<8].allSatisfy { $0 == 0 }
    // A UUID of the variant that all systems make. Text of ASCII has not that bit.
    case 20: return bytes[12] & 0xc0 == 0x80
    default: return false
    }
  }

  /// Whether `text` is the Base64 of one.
  static func isOne(base64 text: [UInt8]) -> Bool {
    // `genp`, `inet`, `cert`, `keys`, `idnt` and `tkpr` begin so.
    guard text.count >= 8, beginnings.contains(where: { text.starts(with: $0) }),
      let bytes = try? Base64.decode(text.bytes)
    else { return false }
    return isOne(bytes)
  }

  private static let beginnings = ["Z2Vuc", "aW5ld", "Y2Vyd", "a2V5c", "aWRud", "dGtwc"].map {
    Array($0.utf8)
  }
}

extension PropertyListDocument {
  /// Whether the node is a persistent reference, as data or in Base64.
  func isPersistentReference(_ node: PropertyListNode) -> Bool {
    switch kind(of: node) {
    case .data:
      // Long data is none; what is short in a list of text can have white space around it.
      guard (6...4096).contains(range(of: node).count) else { return false }
      return data(of: node).map { PersistentReferences.isOne($0) } ?? false
    case .string:
      guard (8...4096).contains(range(of: node).count) else { return false }
      return string(of: node).map { PersistentReferences.isOne(base64: Array($0.utf8)) } ?? false
    default: return false
    }
  }

  /// Whether it is an array of nothing else.
  func isArrayOfReferences(_ node: PropertyListNode) -> Bool {
    let elements = children(of: node)
    return kind(of: node) == .array && !elements.isEmpty
      && elements.allSatisfy { isPersistentReference($0) }
  }
}
