// How an item is protected (`kSecAttrAccessControl`).

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
internal import KeychainModel

/// An access control. Nobody is asked here for a face or a finger: conditions are kept, for the devices that
/// an item goes back to, and `kSecUseAuthenticationUI` heeds them.
public final class SecAccessControl: Hashable, Sendable {
  let control: AccessControl

  init(_ control: AccessControl) {
    self.control = control
  }

  public static func == (left: SecAccessControl, right: SecAccessControl) -> Bool {
    left.control == right.control
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(control.bytes)
  }
}

/// What a person has to do before an item is read. Source: SecAccessControl.h.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
  public let rawValue: CFOptionFlags

  public init(rawValue: CFOptionFlags) {
    self.rawValue = rawValue
  }

  public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
  public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
  public static let touchIDAny = biometryAny
  public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
  public static let touchIDCurrentSet = biometryCurrentSet
  public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
  public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)
  public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
  public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
  public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
  public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)
}

/// An access control.
///
/// - Parameters:
///   - protection: one of `kSecAttrAccessible…`, as text or as an object.
///   - error: takes `errSecParam` where it is none of them.
public func SecAccessControlCreateWithFlags(
  _ allocator: CFAllocator?, _ protection: Any, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  guard case .text(let text) = GivenValue(protection),
    Accessible.allKnown.contains(Accessible(rawValue: text))
  else {
    unsafe give(errSecParam, to: error, "the protection is none of kSecAttrAccessible…")
    return nil
  }
  return SecAccessControl(
    AccessControl(Accessible(rawValue: text), flags: UInt64(flags.rawValue)))
}
