// Runs the table of Keychain Services' behaviour through SecItem…, with dictionaries as programs write them.

import Foundation
import KeychainArchive
import KeychainModel
import QueryCases
import Testing

@testable import Security

/// One after the other: there is one default keychain.
@Suite("SecItem… behaves as Keychain Services do", .serialized)
struct QueryCaseTests {
  @Test("Each case of the table", arguments: QueryCase.table.filter { !$0.isTypedOnly })
  func dictionaries(_ queryCase: QueryCase) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      SecDefaultKeychain.useEnvironment()
      try? FileManager.default.removeItem(at: folder)
    }
    let path = folder.appending(path: "keychain.kcarchive").path
    let credentials = [try ArchiveCredential.keyFile([UInt8](repeating: 7, count: 32))]
    var last = Data()
    for (number, step) in queryCase.steps.enumerated() {
      // Closed and opened again between steps.
      let keychain = try Keychain.openOrCreate(
        path: path, credentials: credentials,
        accessGroups: step.groups.map { AccessGroups($0) } ?? .all)
      keychain.lockState =
        switch step.lockState {
        case "locked": .locked
        case "beforeFirstUnlock": .beforeFirstUnlock
        default: .unlocked
        }
      SecDefaultKeychain.use(keychain)
      check(step, &last, "step \(number + 1)")
    }
  }

  private func check(_ step: Step, _ last: inout Data, _ place: Comment) {
    let query = dictionary(step.query, last)
    let untouched = "untouched" as NSString
    var result: AnyObject? = untouched
    let status: OSStatus =
      switch step.operation {
      case .add: unsafe SecItemAdd(query as CFDictionary, &result)
      case .copy: unsafe SecItemCopyMatching(query as CFDictionary, &result)
      case .update(let changes):
        SecItemUpdate(query as CFDictionary, dictionary(changes, last) as CFDictionary)
      case .delete: SecItemDelete(query as CFDictionary)
      }
    if case .status(let expected) = step.expectation {
      #expect(status == expected, place)
      return
    }
    #expect(status == errSecSuccess, place)
    switch step.expectation {
    case .status: break
    case .nothing:
      #expect(result === untouched || result == nil, place)
    case .data(let bytes):
      #expect(result as? Data == Data(bytes), place)
    case .reference(let itemClass):
      last = result as? Data ?? Data()
      #expect(last.count == 20 && last.prefix(4) == Data(itemClass.utf8), place)
    case .attributes(let expected):
      guard let found = result as? [String: Any] else {
        Issue.record("\(place): no dictionary")
        return
      }
      for (key, expected) in expected { check(key, found, expected, place) }
    case .count(let count):
      #expect((result as? [Any])?.count == count, place)
    }
  }

  private func check(
    _ key: String, _ found: [String: Any], _ expected: ExpectedValue, _ place: Comment
  ) {
    switch expected {
    case .value(.text(let text)): #expect(found[key] as? String == text, "\(place): \(key)")
    case .value(.bytes(let bytes)): #expect(found[key] as? Data == Data(bytes), "\(place): \(key)")
    case .value(.number(let number)):
      #expect(found[key] as? Int == Int(number), "\(place): \(key)")
    case .value(.boolean(let value)): #expect(found[key] as? Bool == value, "\(place): \(key)")
    case .value(.date(let seconds)):
      #expect(
        found[key] as? Date == Date(timeIntervalSinceReferenceDate: seconds), "\(place): \(key)")
    case .value(.list): Issue.record("\(place): no list comes back")
    case .absent: #expect(found[key] == nil, "\(place): \(key)")
    case .sameAs(let other):
      #expect(found[key] as? Date == found[other] as? Date, "\(place): \(key)")
      #expect(found[key] is Date, "\(place): \(key)")
    case .bytes(let count): #expect((found[key] as? Data)?.count == count, "\(place): \(key)")
    }
  }

  private func dictionary(_ query: QueryDictionary, _ last: Data) -> [String: Any] {
    var dictionary: [String: Any] = [:]
    for (key, value) in query {
      dictionary[key] =
        switch (key, value) {
        case ("v_PersistentRef", .text): last
        // An access control is an object for programs.
        case ("accc", .bytes(let bytes)):
          AccessControl(bytes).map { SecAccessControl($0) } ?? Data()
        case (_, .text(let text)): text
        case (_, .bytes(let bytes)): Data(bytes)
        case (_, .number(let number)): Int(number)
        case (_, .boolean(let value)): value
        case (_, .date(let seconds)): Date(timeIntervalSinceReferenceDate: seconds)
        case (_, .list(let list)): list.map { Data($0) }
        }
    }
    return dictionary
  }
}
