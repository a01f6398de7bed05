// Persistent references: bytes that name an item for as long as it is there (`kSecValuePersistentRef`).
//
// Source: SecItem.m of Apple's published Security project.

internal import ByteCoding

/// A reference as applications keep it: 4 bytes of class, then 8 bytes of a row's number, or 16 bytes of a UUID.
public struct PersistentReference: Sendable, Hashable {
  /// What names the item within its class.
  public enum Name: Sendable, Hashable {
    /// The row in the keychain's database, from 1: 12 bytes in all, as before iOS 15.
    case row(UInt64)
    /// A UUID, 16 bytes: 20 bytes in all.
    case uuid([UInt8])
  }

  public let itemClass: ItemClass
  public let name: Name

  public init(_ itemClass: ItemClass, _ name: Name) {
    self.itemClass = itemClass
    self.name = name
  }

  /// The reference that `bytes` are; nil where they are none: another length, no class of Apple's, or
  /// row 0.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 12 || bytes.count == 20,
      let code = String(utf8: bytes.bytes.extracting(0..<4)),
      let itemClass = ItemClass(known: code), itemClass != .file
    else { return nil }
    self.itemClass = itemClass
    if bytes.count == 20 {
      name = .uuid(Array(bytes[4...]))
    } else {
      let row = bytes[4...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard row > 0, row <= UInt64(Int64.max) else { return nil }
      name = .row(row)
    }
  }

  /// The 12 or 20 bytes; nil for a class whose code has not four bytes, or a UUID that has not 16.
  public var bytes: [UInt8]? {
    let code = Array(itemClass.rawValue.utf8)
    guard code.count == 4 else { return nil }
    switch name {
    case .row(let row):
      return code + (0..<8).map { UInt8(truncatingIfNeeded: row >> (56 - 8 * UInt64($0))) }
    case .uuid(let uuid):
      return uuid.count == 16 ? code + uuid : nil
    }
  }
}

extension AttributeKey {
  /// The row that an item had in Apple's database: kept for the references that name it.
  public static let row = AttributeKey(column: "rowid")
}

extension KeychainItem {
  /// What names the item in references that it came with: the UUID of `persistref`, then its row.
  public var storedReferences: [PersistentReference.Name] {
    var names: [PersistentReference.Name] = []
    if case .bytes(let uuid) = self[.persistentReference], uuid.count == 16 {
      names.append(.uuid(uuid))
    }
    if case .integer(let row) = self[.row], row > 0 { names.append(.row(UInt64(row))) }
    return names
  }
}
