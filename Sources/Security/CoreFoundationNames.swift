// The names of Core Foundation that keychain code writes, as far as Foundation on Linux has none for them.
//
// `query as CFDictionary`, `kSecClass as String`, `data as CFData` and `result as? Data` then mean here what
// they mean on Apple's platforms: the first three are the types themselves, the last one is a cast from an object.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// What `SecItemCopyMatching` gives back, and any value whose type is not known.
public typealias CFTypeRef = AnyObject

public typealias CFDictionary = [String: Any]
public typealias CFArray = [Any]
public typealias CFString = String
public typealias CFData = Data
public typealias CFDate = Date
public typealias CFNumber = Int
public typealias CFBoolean = Bool
public typealias CFError = NSError

/// A domain of errors, as `CFErrorGetDomain` gives it.
public typealias CFErrorDomain = CFString

public typealias CFIndex = Int
public typealias CFOptionFlags = UInt
public typealias CFTimeInterval = TimeInterval

public typealias OSStatus = Int32

public let noErr: OSStatus = 0

/// Who allocates memory: there is nothing to choose here.
public final class CFAllocator: Sendable {
  private init() {}
}

public let kCFAllocatorDefault: CFAllocator! = nil

public let kCFBooleanTrue: CFBoolean! = true
public let kCFBooleanFalse: CFBoolean! = false

public func CFErrorGetDomain(_ error: CFError!) -> CFErrorDomain! { error.domain }

public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error.code }

public func CFErrorCopyUserInfo(_ error: CFError!) -> CFDictionary! { error.userInfo }

public func CFErrorCopyDescription(_ error: CFError!) -> CFString! { error.localizedDescription }

/// Hands `status` to a caller that gave a place for an error.
func give(
  _ status: OSStatus, to error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ reason: String
) {
  let made = NSError(
    domain: NSOSStatusErrorDomain, code: Int(status),
    userInfo: [NSLocalizedDescriptionKey: reason])
  unsafe error?.pointee = Unmanaged.passRetained(made)
}
