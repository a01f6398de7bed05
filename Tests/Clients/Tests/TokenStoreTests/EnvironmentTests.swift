// What an application sees of a keychain that can't be used; run.sh sees to it that it can't be.

import Foundation
import Security
import XCTest

private let anything = [kSecClass: kSecClassGenericPassword] as CFDictionary

final class NoKeychainTests: XCTestCase {
  func testWithoutAKeychainNothingIsAvailable() throws {
    try XCTSkipIf(ProcessInfo.processInfo.environment["KCARCHIVE_KEYCHAIN"] != nil)
    XCTAssertEqual(SecItemCopyMatching(anything, nil), errSecNotAvailable)
    XCTAssertEqual(SecItemAdd(anything, nil), errSecNotAvailable)
    XCTAssertEqual(SecItemUpdate(anything, anything), errSecNoSuchAttr)
    XCTAssertEqual(SecItemDelete(anything), errSecNotAvailable)
  }
}

final class WrongPassphraseTests: XCTestCase {
  func testAWrongPassphraseFailsEachTime() throws {
    try XCTSkipIf(ProcessInfo.processInfo.environment["KCARCHIVE_PASSPHRASE"] != "another one")
    XCTAssertEqual(SecItemCopyMatching(anything, nil), errSecAuthFailed)
    XCTAssertEqual(SecItemDelete(anything), errSecAuthFailed)
  }
}
