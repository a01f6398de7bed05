// What an application's tests on a device would be.

import Foundation
import Security
import TokenStore
import XCTest

final class TokenStoreTests: XCTestCase {
  private let store = TokenStore(service: "org.example.garden.tokens")
  private let token = Token(
    access: "a-1", refresh: "größe", expires: Date(timeIntervalSinceReferenceDate: 700_000_000))

  override func setUp() {
    store.removeAll()
  }

  func testATokenIsAddedReplacedAndRemoved() throws {
    XCTAssertNil(try store.token(for: "rosa"))
    try store.save(token, for: "rosa")
    XCTAssertEqual(try store.token(for: "rosa"), token)
    var renewed = token
    renewed.access = "a-2"
    try store.save(renewed, for: "rosa")
    XCTAssertEqual(try store.token(for: "rosa"), renewed)
    try store.remove("rosa")
    try store.remove("rosa")
    XCTAssertNil(try store.token(for: "rosa"))
  }

  func testAllAccountsAreListed() throws {
    XCTAssertEqual(try store.accounts(), [])
    for account in ["iris", "rosa", "fern"] { try store.save(token, for: account) }
    XCTAssertEqual(try store.accounts(), ["fern", "iris", "rosa"])
  }

  func testWhatIsNoTokenIsReported() throws {
    let item: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "org.example.garden.tokens",
      kSecAttrAccount as String: "broken",
      kSecValueData as String: Data("no token".utf8),
    ]
    XCTAssertEqual(SecItemAdd(item as CFDictionary, nil), errSecSuccess)
    XCTAssertEqual(SecItemAdd(item as CFDictionary, nil), errSecDuplicateItem)
    XCTAssertThrowsError(try store.token(for: "broken")) {
      XCTAssertEqual($0 as? StoreError, .unexpectedData)
    }
  }

  func testAForeignAccessGroupIsRefused() {
    let shared = TokenStore(service: "shared", accessGroup: "TEAM.org.example.other")
    XCTAssertThrowsError(try shared.save(token, for: "rosa")) {
      XCTAssertEqual($0 as? StoreError, .unhandled(errSecMissingEntitlement))
      XCTAssertEqual($0.localizedDescription, SecCopyErrorMessageString(-34018, nil)! as String)
    }
  }

  func testManyThreadsUseOneStore() {
    let store = self.store
    let token = self.token
    DispatchQueue.concurrentPerform(iterations: 20) { number in
      try! store.save(token, for: "thread \(number)")
      XCTAssertEqual(try! store.token(for: "thread \(number)"), token)
    }
    XCTAssertEqual(try store.accounts().count, 20)
  }
}

final class ServerLoginTests: XCTestCase {
  override func setUp() {
    SecItemDelete(
      [
        kSecClass: kSecClassInternetPassword,
        kSecAttrSynchronizable: kSecAttrSynchronizableAny,
      ] as CFDictionary)
  }

  func testAttributesComeBack() throws {
    var login = ServerLogin(URL(string: "https://mail.example.org:993")!)
    login.accessibility = .afterFirstUnlock
    login.isSynchronizable = true
    try login.set("s3cret", for: "rosa")
    let found = try XCTUnwrap(login.attributes(of: "rosa"))
    XCTAssertEqual(found[kSecAttrServer as String] as? String, "mail.example.org")
    XCTAssertEqual(found[kSecAttrPort as String] as? Int, 993)
    XCTAssertEqual(found[kSecAttrPort as String] as? NSNumber, 993)
    XCTAssertEqual(found[kSecAttrProtocol as String] as? String, kSecAttrProtocolHTTPS as String)
    XCTAssertEqual(found[kSecAttrSynchronizable as String] as? Bool, true)
    XCTAssertEqual(found[kSecAttrSynchronizable as String] as? Int, 1)
    XCTAssertEqual(found[kSecAttrAccessible as String] as? String, "ck")
    XCTAssertEqual(found[kSecValueData as String] as? Data, Data("s3cret".utf8))
    XCTAssertNotNil(found[kSecAttrAccessControl as String] as! SecAccessControl?)
    let made = try XCTUnwrap(found[kSecAttrCreationDate as String] as? Date)
    XCTAssertLessThan(abs(made.timeIntervalSinceNow), 60)
    XCTAssertEqual(made, found[kSecAttrModificationDate as String] as? Date)
    XCTAssertEqual(
      found[kSecAttrAccessGroup as String] as? String, "TEAM.org.example.garden")
    let reference = try XCTUnwrap(found[kSecValuePersistentRef as String] as? Data)
    XCTAssertEqual(ServerLogin.password(of: reference), "s3cret")
  }

  func testADuplicateIsAnErrorWithAMessage() throws {
    let login = ServerLogin(URL(string: "http://plain.example.org")!)
    try login.set("one", for: "rosa")
    XCTAssertThrowsError(try login.set("two", for: "rosa")) { error in
      let error = error as NSError
      XCTAssertEqual(error.domain, NSOSStatusErrorDomain)
      XCTAssertEqual(error.code, Int(errSecDuplicateItem))
      XCTAssertFalse(error.localizedDescription.isEmpty)
    }
  }

  func testAnItemThatAsksForAPersonIsSkippedOrRefusedWhereNobodyMayBeAsked() throws {
    var login = ServerLogin(URL(string: "https://guarded.example.org")!)
    login.accessibility = .whenPasscodeSetThisDeviceOnly
    login.flags = [.biometryCurrentSet, .or, .devicePasscode]
    try login.set("guarded", for: "rosa")
    var query: [String: Any] = [
      kSecClass as String: kSecClassInternetPassword,
      kSecAttrServer as String: "guarded.example.org",
      kSecReturnData as String: true,
      kSecUseOperationPrompt as String: "Please",
    ]
    XCTAssertEqual(SecItemCopyMatching(query as CFDictionary, nil), errSecParam)
    var result: CFTypeRef?
    XCTAssertEqual(SecItemCopyMatching(query as CFDictionary, &result), errSecSuccess)
    XCTAssertEqual(result as! CFData as Data, Data("guarded".utf8))
    query[kSecUseAuthenticationUI as String] = kSecUseAuthenticationUIFail
    XCTAssertEqual(
      SecItemCopyMatching(query as CFDictionary, &result), errSecInteractionNotAllowed)
    query[kSecUseAuthenticationUI as String] = kSecUseAuthenticationUISkip
    XCTAssertEqual(SecItemCopyMatching(query as CFDictionary, &result), errSecItemNotFound)
  }

  func testAnAccessControlOfNoKnownProtectionIsAnError() {
    var error: Unmanaged<CFError>?
    XCTAssertNil(
      SecAccessControlCreateWithFlags(nil, "never" as CFString, .userPresence, &error))
    let found = error!.takeRetainedValue() as Error
    XCTAssertEqual((found as NSError).code, Int(errSecParam))
    XCTAssertNotNil(
      SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, .userPresence, nil))
  }
}

final class DeviceIdentityTests: XCTestCase {
  override func setUp() {
    SecItemDelete([kSecClass: kSecClassCertificate] as CFDictionary)
    SecItemDelete([kSecClass: kSecClassKey] as CFDictionary)
  }

  func testACertificateAndItsKeyAreAnIdentity() throws {
    XCTAssertNil(DeviceIdentity.identity(label: "device"))
    XCTAssertEqual(
      DeviceIdentity.store(
        certificate: Samples.certificate, key: Samples.privateKey, label: "device"),
      errSecSuccess)
    XCTAssertEqual(
      DeviceIdentity.store(
        certificate: Samples.certificate, key: Samples.privateKey, label: "device"),
      errSecDuplicateItem)
    let identity = try XCTUnwrap(DeviceIdentity.identity(label: "device"))
    var certificate: SecCertificate?
    XCTAssertEqual(SecIdentityCopyCertificate(identity, &certificate), errSecSuccess)
    XCTAssertEqual(SecCertificateCopyData(certificate!) as Data, Samples.certificate)
    XCTAssertEqual(
      SecCertificateCopySubjectSummary(certificate!) as String?, "device.example.org")
    var key: SecKey?
    XCTAssertEqual(SecIdentityCopyPrivateKey(identity, &key), errSecSuccess)
    XCTAssertEqual(SecKeyCopyExternalRepresentation(key!, nil) as Data?, Samples.privateKey)
    let tagged = try XCTUnwrap(DeviceIdentity.key(tag: "device"))
    let attributes = try XCTUnwrap(SecKeyCopyAttributes(tagged))
    XCTAssertEqual(attributes[kSecAttrKeySizeInBits as String] as? Int, 256)
    XCTAssertEqual(attributes[kSecAttrCanSign as String] as? Bool, true)
  }

  func testRandomBytesDiffer() throws {
    let first = try XCTUnwrap(DeviceIdentity.nonce(byteCount: 32))
    XCTAssertEqual(first.count, 32)
    XCTAssertNotEqual(first, DeviceIdentity.nonce(byteCount: 32))
  }
}

final class OldSettingsTests: XCTestCase {
  override func setUp() {
    SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary)
  }

  func testMutableDictionariesAreQueries() {
    XCTAssertNil(OldSettings.value(for: "color"))
    XCTAssertTrue(OldSettings.set(NSData(data: Data([1, 2])), for: "color"))
    XCTAssertEqual(OldSettings.value(for: "color"), NSData(data: Data([1, 2])))
    XCTAssertEqual(OldSettings.update(NSData(data: Data([3])), for: "color"), errSecSuccess)
    XCTAssertEqual(OldSettings.value(for: "color"), NSData(data: Data([3])))
    XCTAssertEqual(OldSettings.update(NSData(), for: "size"), errSecItemNotFound)
  }

  func testObjectsAreValues() throws {
    XCTAssertEqual(OldSettings.addObjects("shape", Data([7])), errSecSuccess)
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "old objects",
      kSecReturnAttributes as String: true,
      kSecReturnData as String: true,
    ]
    var result: AnyObject?
    XCTAssertEqual(SecItemCopyMatching(query as CFDictionary, &result), errSecSuccess)
    let found = try XCTUnwrap(result as? NSDictionary)
    XCTAssertEqual(found[kSecAttrAccount as String] as? String, "shape")
    XCTAssertEqual(found[kSecAttrCreator as String] as? UInt32, 0x6B63_6172)
    XCTAssertEqual(found[kSecAttrIsInvisible as String] as? Bool, true)
    XCTAssertEqual(found[kSecValueData as String] as? NSData, NSData(data: Data([7])))
  }
}
