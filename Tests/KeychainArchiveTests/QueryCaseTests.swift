// Runs the table of Keychain Services' behaviour through the typed API, on archives that are opened anew for
// every step of every other case.

import Foundation
import KeychainArchive
import KeychainModel
import QueryCases
import Testing

@Suite("A keychain behaves as Keychain Services do")
struct QueryCaseTests {
  @Test("Each case of the table", arguments: QueryCase.table.filter { !$0.isUntyped })
  func typed(_ queryCase: QueryCase) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "keychain.kcarchive").path
    let credentials = [try ArchiveCredential.keyFile([UInt8](repeating: 7, count: 32))]
    let keychain = try Keychain.openOrCreate(path: path, credentials: credentials)
    var last: [UInt8] = []
    for (number, step) in queryCase.steps.enumerated() {
      let seen = keychain.seen(by: step.groups.map { AccessGroups($0) } ?? .all)
      seen.lockState =
        switch step.lockState {
        case "locked": .locked
        case "beforeFirstUnlock": .beforeFirstUnlock
        default: .unlocked
        }
      check(step, seen, &last, "step \(number + 1)")
    }
  }

  private func check(_ step: Step, _ keychain: Keychain, _ last: inout [UInt8], _ place: Comment) {
    let query = ItemQuery(step.query, last: last)
    var found: [FoundItem] = []
    var status: Int32 = 0
    do {
      switch step.operation {
      case .add: found = try [keychain.add(query)].compactMap { $0 }
      case .copy: found = try keychain.copyMatching(query)
      case .update(let changes): try keychain.update(query, with: ItemChanges(changes))
      case .delete: try keychain.delete(query)
      }
    } catch {
      status = error.status.rawValue
    }
    if case .status(let expected) = step.expectation {
      #expect(status == expected, place)
      return
    }
    #expect(status == 0, place)
    guard status == 0 else { return }
    switch step.expectation {
    case .status: break
    case .nothing:
      #expect(query.returns.isEmpty, place)
    case .data(let bytes):
      #expect(found.first?.value ?? [] == bytes, place)
    case .reference(let itemClass):
      last = found.first?.persistentReference ?? []
      #expect(PersistentReference(last)?.itemClass == ItemClass(rawValue: itemClass), place)
      #expect(last.count == 20, place)
    case .attributes(let expected):
      check(found.first, expected, place)
    case .count(let count):
      #expect(found.count == count, place)
    }
  }

  private func check(
    _ found: FoundItem?, _ expected: [String: ExpectedValue], _ place: Comment
  ) {
    func value(_ key: String) -> AttributeValue? {
      switch key {
      case "v_Data": found?.value.map { .bytes($0) }
      case "certdata": found?.certificate.map { .bytes($0) }
      default: found?.item?[AttributeKey(column: key)]
      }
    }
    #expect(found != nil, place)
    for (key, expected) in expected {
      switch expected {
      case .value(let wanted): #expect(value(key) == wanted.attribute, "\(place): \(key)")
      case .absent: #expect(value(key) == nil, "\(place): \(key)")
      case .sameAs(let other):
        #expect(value(key) == value(other) && value(key) != nil, "\(place): \(key)")
      case .bytes(let count):
        guard case .bytes(let bytes) = value(key) else {
          Issue.record("\(place): no \(key)")
          continue
        }
        #expect(bytes.count == count, "\(place): \(key)")
      }
    }
  }
}

extension QueryValue {
  fileprivate var attribute: AttributeValue? {
    switch self {
    case .text(let text): .text(text)
    case .bytes(let bytes): .bytes(bytes)
    case .number(let number): .integer(number)
    case .boolean(let value): .boolean(value)
    case .date(let seconds): .date(seconds)
    case .list: nil
    }
  }
}

extension ItemQuery {
  /// The typed form of a dictionary of the table.
  fileprivate init(_ dictionary: QueryDictionary, last: [UInt8]) {
    self.init()
    for (key, value) in dictionary {
      switch (key, value) {
      case ("class", .text(let code)): itemClass = ItemClass(rawValue: code)
      case ("v_Data", .bytes(let bytes)): self.value = bytes
      case ("v_PersistentRef", .text): persistentReference = last
      case ("v_PersistentRef", .bytes(let bytes)): persistentReference = bytes
      case ("m_Limit", .text("m_LimitAll")): limit = .all
      case ("m_Limit", .text): limit = .one
      case ("m_Limit", .number(let count)): limit = .count(Int(count))
      case ("m_Issuers", .list(let names)): match.issuers = names
      case ("m_HostOrSubdomainOfHost", .text(let host)): match.hostOrSubdomain = host
      case ("m_ValidOnDate", .date(let date)): match.validOnDate = date
      case ("m_TrustedOnly", .boolean(let value)): match.trustedOnly = value
      case ("r_Data", .boolean(true)): returns.insert(.data)
      case ("r_Attributes", .boolean(true)): returns.insert(.attributes)
      case ("r_PersistentRef", .boolean(true)): returns.insert(.persistentReference)
      case ("u_AuthUI", .text("u_AuthUIF")): authenticationUI = .fail
      case ("u_AuthUI", .text("u_AuthUIS")): authenticationUI = .skip
      default:
        if key.hasPrefix("m_") {
          match.ignoredKeys.append(key)
        } else if !key.hasPrefix("r_") {
          self[AttributeKey(column: key)] = value.attribute
        }
      }
    }
  }
}

extension ItemChanges {
  fileprivate init(_ dictionary: QueryDictionary) {
    var value: [UInt8]?
    if case .bytes(let bytes) = dictionary["v_Data"] { value = bytes }
    self.init(
      attributes: dictionary.compactMap { key, value in
        key == "v_Data" ? nil : value.attribute.map { Attribute(AttributeKey(column: key), $0) }
      }, value: value)
  }
}
