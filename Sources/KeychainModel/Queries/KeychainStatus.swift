// Apple's status codes, as keychain code compares them.

/// A result code of Keychain Services (`OSStatus`): the number that Apple's `SecBase.h` gives it.
public struct KeychainStatus: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }
}

extension KeychainStatus {
  /// `errSecSuccess`
  public static let success = KeychainStatus(rawValue: 0)
  /// `errSecUnimplemented`: a condition that the class does not have, or that is not evaluated here.
  public static let unimplemented = KeychainStatus(rawValue: -4)
  /// `errSecDiskFull`
  public static let diskFull = KeychainStatus(rawValue: -34)
  /// `errSecIO`
  public static let inputOutput = KeychainStatus(rawValue: -36)
  /// `errSecParam`: a query that no keychain could answer.
  public static let parameter = KeychainStatus(rawValue: -50)
  /// `errSecAllocate`
  public static let allocation = KeychainStatus(rawValue: -108)
  /// `errSecUserCanceled`
  public static let userCanceled = KeychainStatus(rawValue: -128)
  /// `errSecBadReq`
  public static let badRequest = KeychainStatus(rawValue: -909)
  /// `errSecNotAvailable`: there is no keychain.
  public static let notAvailable = KeychainStatus(rawValue: -25291)
  /// `errSecReadOnly`
  public static let readOnly = KeychainStatus(rawValue: -25292)
  /// `errSecAuthFailed`: no credential opens the archive.
  public static let authenticationFailed = KeychainStatus(rawValue: -25293)
  /// `errSecNoSuchKeychain`
  public static let noSuchKeychain = KeychainStatus(rawValue: -25294)
  /// `errSecInvalidKeychain`: the file is no archive, or is damaged.
  public static let invalidKeychain = KeychainStatus(rawValue: -25295)
  /// `errSecDuplicateItem`
  public static let duplicateItem = KeychainStatus(rawValue: -25299)
  /// `errSecItemNotFound`
  public static let itemNotFound = KeychainStatus(rawValue: -25300)
  /// `errSecNoSuchAttr`: the class has no such attribute.
  public static let noSuchAttribute = KeychainStatus(rawValue: -25303)
  /// `errSecInvalidItemRef`
  public static let invalidItemReference = KeychainStatus(rawValue: -25304)
  /// `errSecNoSuchClass`
  public static let noSuchClass = KeychainStatus(rawValue: -25306)
  /// `errSecInteractionNotAllowed`: the item is locked, or asks for a person's presence.
  public static let interactionNotAllowed = KeychainStatus(rawValue: -25308)
  /// `errSecDataNotAvailable`
  public static let dataNotAvailable = KeychainStatus(rawValue: -25316)
  /// `errSecDecode`: an item that can't be read.
  public static let decode = KeychainStatus(rawValue: -26275)
  /// `errSecMissingEntitlement`: an access group that the caller is not in.
  public static let missingEntitlement = KeychainStatus(rawValue: -34018)
  /// `errSecRestrictedAPI`
  public static let restrictedAPI = KeychainStatus(rawValue: -34020)
  /// `errSecInvalidRecord`
  public static let invalidRecord = KeychainStatus(rawValue: -67701)
  /// `errSecInvalidEncoding`
  public static let invalidEncoding = KeychainStatus(rawValue: -67853)

  /// Every code above with Apple's name for it, and what it says.
  public static let all: [(status: KeychainStatus, name: String, message: String)] = [
    (.success, "errSecSuccess", "No error."),
    (.unimplemented, "errSecUnimplemented", "The function or operation is not there."),
    (.diskFull, "errSecDiskFull", "The disk is full."),
    (.inputOutput, "errSecIO", "Reading or writing failed."),
    (.parameter, "errSecParam", "A parameter of the call is not valid."),
    (.allocation, "errSecAllocate", "There is not enough memory."),
    (.userCanceled, "errSecUserCanceled", "The user has canceled the operation."),
    (.badRequest, "errSecBadReq", "The request is not valid here."),
    (.notAvailable, "errSecNotAvailable", "No keychain is available."),
    (.readOnly, "errSecReadOnly", "The keychain can only be read."),
    (.authenticationFailed, "errSecAuthFailed", "The credential does not open the keychain."),
    (.noSuchKeychain, "errSecNoSuchKeychain", "There is no such keychain."),
    (.invalidKeychain, "errSecInvalidKeychain", "The file is no keychain, or is damaged."),
    (.duplicateItem, "errSecDuplicateItem", "The item is in the keychain already."),
    (.itemNotFound, "errSecItemNotFound", "The item is not in the keychain."),
    (.noSuchAttribute, "errSecNoSuchAttr", "The class has no such attribute."),
    (.invalidItemReference, "errSecInvalidItemRef", "The reference is to no item."),
    (.noSuchClass, "errSecNoSuchClass", "There is no such class of items."),
    (
      .interactionNotAllowed, "errSecInteractionNotAllowed",
      "The item needs a person's consent, or an unlocked keychain."
    ),
    (.dataNotAvailable, "errSecDataNotAvailable", "The item's data is not available."),
    (.decode, "errSecDecode", "The item can't be decoded."),
    (.missingEntitlement, "errSecMissingEntitlement", "The caller is not in the access group."),
    (.restrictedAPI, "errSecRestrictedAPI", "The caller may not use this function."),
    (.invalidRecord, "errSecInvalidRecord", "The record is not valid."),
    (.invalidEncoding, "errSecInvalidEncoding", "The encoding is not valid."),
  ]

  /// Apple's name, for example `errSecItemNotFound`; nil for a code that is not among these.
  public var name: String? { Self.all.first { $0.status == self }?.name }

  /// What the code says, in English; nil for a code that is not among these.
  public var message: String? { Self.all.first { $0.status == self }?.message }
}

extension KeychainStatus: CustomStringConvertible {
  public var description: String { "\(name ?? "OSStatus") (\(rawValue))" }
}

/// Why a keychain did not do what was asked of it. Holds no secret. Equality looks at the status only.
public struct KeychainError: Error, Equatable, Sendable, CustomStringConvertible {
  public let status: KeychainStatus
  /// One clause in English, without any value.
  public let reason: String

  public init(_ status: KeychainStatus, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  public static func == (left: KeychainError, right: KeychainError) -> Bool {
    left.status == right.status
  }

  public var description: String { "\(status): \(reason)" }
}
