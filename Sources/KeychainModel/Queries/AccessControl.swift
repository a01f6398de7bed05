// `kSecAttrAccessControl`: how an item is protected, and what a person has to do to read it.

internal import ByteCoding

/// An access control, in DER a set of `prot` (`kSecAttrAccessible…`) and, with conditions, `acl`.
///
/// Source of the outer form: SecAccessControl.c of Apple's published Security project. What Apple's keybag
/// writes into `acl` is kept as it is; where one is made here, `acl` holds the flags of
/// `SecAccessControlCreateFlags` under the key `flags`.
public struct AccessControl: Sendable, Equatable {
  public let accessible: Accessible
  /// `SecAccessControlCreateFlags`; of an `acl` that was not made here 0.
  public let flags: UInt64
  /// Whether a person's presence, a passcode or the like is asked for.
  public let hasConditions: Bool
  /// The DER.
  public let bytes: [UInt8]

  public init(_ accessible: Accessible, flags: UInt64 = 0) {
    self.accessible = accessible
    self.flags = flags
    hasConditions = flags != 0
    var entries = [("prot", DER.text(accessible.rawValue))]
    if flags != 0 {
      entries.append(("acl", DER.set([("flags", DER.integer(Int64(bitPattern: flags)))])))
    }
    bytes = DER.set(entries)
  }

  /// The access control whose DER is `bytes`; nil where it is none.
  public init?(_ bytes: [UInt8]) {
    guard let entries = DER.entries(of: bytes[...]),
      let protection = entries.first(where: { $0.key.hasSameBytes(as: "prot") }),
      let element = DER.Element(protection.value), element.tag == DER.utf8String,
      element.rest.isEmpty,
      let text = String(utf8: Array(element.content).bytes)
    else { return nil }
    accessible = Accessible(rawValue: text)
    var flags: UInt64 = 0
    var hasConditions = false
    if let acl = entries.first(where: { $0.key.hasSameBytes(as: "acl") }) {
      guard let conditions = DER.entries(of: acl.value) else { return nil }
      hasConditions = !conditions.isEmpty
      if let own = conditions.first(where: { $0.key.hasSameBytes(as: "flags") }),
        let number = DER.Element(own.value)?.integer
      {
        flags = UInt64(bitPattern: number)
      }
    }
    self.flags = flags
    self.hasConditions = hasConditions
    self.bytes = bytes
  }
}

extension KeychainItem {
  /// Whether reading the item asks for a person's presence on a device.
  public var asksForPresence: Bool {
    guard case .bytes(let bytes) = self[.accessControl] else { return false }
    return AccessControl(bytes)?.hasConditions ?? false
  }
}
