// Which keys and values a dictionary may have, in the types that programs use (Spec/security.md, "Dictionaries").

import Foundation
import Security
import Testing

@Suite("Dictionaries")
struct GrammarTests {
  /// A dictionary for `SecItemCopyMatching` and its status in an empty keychain.
  struct Example: CustomTestStringConvertible, @unchecked Sendable {
    let testDescription: String
    let extra: [String: Any]
    let status: OSStatus

    init(_ name: String, _ extra: [String: Any], _ status: OSStatus) {
      testDescription = name
      self.extra = extra
      self.status = status
    }
  }

  static let examples: [Example] = [
    Example("a plain query", [:], errSecItemNotFound),
    Example("a key of no kind", ["zz": true], errSecParam),
    Example("an empty key", ["": true], errSecParam),
    Example("a key that begins like the class", ["classes": "genp"], errSecParam),
    Example("a long key that is no kind's", [kSecAttrPersistentReference: Data()], errSecParam),
    Example("four characters that are no attribute", ["xxxx": "a"], errSecNoSuchAttr),
    Example("the class's column", ["clas": "genp"], errSecNoSuchAttr),
    Example("an attribute of another class", [kSecAttrServer: "a"], errSecNoSuchAttr),
    Example("a class that is no text", [kSecClass: 5], errSecParam),
    Example("a class that is none", [kSecClass: "nope"], errSecNoSuchClass),
    Example(
      "the data protection keychain", [kSecUseDataProtectionKeychain: true], errSecItemNotFound),
    Example("a number in the place of a boolean", [kSecReturnData: 1], errSecParam),
    Example("a text in the place of a boolean", [kSecReturnRef: "true"], errSecParam),
    Example(
      "an object that is a boolean", [kSecReturnData: NSNumber(value: true)], errSecItemNotFound),
    Example(
      "an optional boolean", [kSecReturnData: Bool?.some(true) as Any], errSecItemNotFound),
    Example("nil", [kSecReturnData: Bool?.none as Any], errSecParam),
    Example("another return key", ["r_Other": true], errSecParam),
    Example("a limit that is a boolean", [kSecMatchLimit: true], errSecParam),
    Example("a limit that is another text", [kSecMatchLimit: "m_LimitSome"], errSecParam),
    Example("a limit that is a real number", [kSecMatchLimit: 1.5], errSecParam),
    Example("a limit of 32 bits", [kSecMatchLimit: UInt32(5)], errSecItemNotFound),
    Example("a limit of all", [kSecMatchLimit: kSecMatchLimitAll], errSecItemNotFound),
    Example("trust that is no boolean", [kSecMatchTrustedOnly: "yes"], errSecParam),
    Example("a host that is no text", [kSecMatchHostOrSubdomainOfHost: 1], errSecParam),
    Example("a date that is none", [kSecMatchValidOnDate: "now"], errSecParam),
    Example("issuers that are no list", [kSecMatchIssuers: Data()], errSecParam),
    Example("issuers that are no data", [kSecMatchIssuers: ["a"]], errSecParam),
    Example("case, which is passed over", [kSecMatchCaseInsensitive: true], errSecItemNotFound),
    Example("a way of asking", [kSecUseAuthenticationUI: "u_AuthUIX"], errSecParam),
    Example("skipping", [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip], errSecItemNotFound),
    Example("no asking", [kSecUseNoAuthenticationUI: true], errSecItemNotFound),
    Example("a prompt", [kSecUseOperationPrompt: "Please"], errSecItemNotFound),
    Example("a list of items", [kSecUseItemList: [Data()]], errSecParam),
    Example("a value that is a text", [kSecValueData: "s3cret"], errSecParam),
    Example("a reference that is a text", [kSecValuePersistentRef: "genp"], errSecParam),
    Example("an object that is no reference", [kSecValueRef: Data()], errSecParam),
    Example("another value key", ["v_Other": Data()], errSecParam),
    Example("an account that is a list", [kSecAttrAccount: ["a"]], errSecParam),
    Example("an account that is a date", [kSecAttrAccount: Date()], errSecParam),
    Example("an account that is an object", [kSecAttrAccount: NSString("a")], errSecItemNotFound),
    Example("an account that is a number", [kSecAttrAccount: 5], errSecItemNotFound),
    Example("an account that is a UUID", [kSecAttrAccount: UUID()], errSecItemNotFound),
    Example("a date", [kSecAttrCreationDate: NSDate()], errSecItemNotFound),
    Example("an access control that is data", [kSecAttrAccessControl: Data([1])], errSecParam),
  ]

  @Test("each key and each value has its status", arguments: examples)
  func keysAndValues(_ example: Example) throws {
    try withOwnKeychain {
      let query = [kSecClass: kSecClassGenericPassword].merging(example.extra) { $1 }
      #expect(copy(query).status == example.status)
    }
  }

  @Test("what is asked for needs a place; nothing needs none")
  func places() throws {
    try withOwnKeychain {
      let item: [String: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecValueData: Data([1]),
      ]
      #expect(
        SecItemAdd(item.merging([kSecReturnData: true]) { $1 } as CFDictionary, nil) == errSecParam)
      #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
      #expect(SecItemCopyMatching(item as CFDictionary, nil) == errSecSuccess)
      var result: AnyObject? = "untouched" as NSString
      #expect(unsafe SecItemCopyMatching(item as CFDictionary, &result) == errSecSuccess)
      #expect(result as? String == "untouched")
      let asked = item.merging([kSecReturnData: kCFBooleanTrue as Any]) { $1 }
      #expect(SecItemCopyMatching(asked as CFDictionary, nil) == errSecParam)
      let refused = item.merging([kSecReturnData: kCFBooleanFalse!]) { $1 }
      #expect(SecItemCopyMatching(refused as CFDictionary, nil) == errSecSuccess)
    }
  }

  @Test("a reference to a password is nothing; with more it is a dictionary with the class")
  func passwordReferences() throws {
    try withOwnKeychain {
      let item: [String: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecValueData: Data([1]),
      ]
      #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
      let query: [String: Any] = [kSecClass: kSecClassGenericPassword, kSecReturnRef: true]
      let (status, result) = copy(query)
      #expect(status == errSecSuccess && result == nil)
      let all = copy(query.merging([kSecMatchLimit: kSecMatchLimitAll]) { $1 })
      #expect((all.result as? [Any])?.isEmpty == true)
      let both = copy(query.merging([kSecReturnData: true]) { $1 }).result as? [String: Any]
      #expect(both?[kSecValueData] as? Data == Data([1]))
      #expect(both?[kSecClass] as? String == kSecClassGenericPassword)
      #expect(both?[kSecValueRef] == nil)
    }
  }

  @Test("every status has a message, also those that nobody knows")
  func messages() {
    for status in [errSecSuccess, errSecParam, errSecItemNotFound, errSecMissingEntitlement] {
      #expect(SecCopyErrorMessageString(status, nil)?.isEmpty == false)
    }
    #expect(SecCopyErrorMessageString(-12_345, nil) == "OSStatus -12345")
  }
}
