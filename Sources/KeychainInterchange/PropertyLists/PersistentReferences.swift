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
    switch PersistentReference(bytes)?.name {
    // Text of twelve characters is a number beyond all databases.
    case .row(let row): return row <= UInt64(UInt32.max)
    // The variant that all systems make. Text of ASCII has not that bit.
    case .uuid(let uuid): return uuid[8] & 0xc0 == 0x80
    case nil: return false
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
