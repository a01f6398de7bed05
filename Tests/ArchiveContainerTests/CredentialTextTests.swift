// Recipients, identities and recovery codes as people write them; examples of Spec/container.md, "Slots of the
// other kinds", and of age's own documentation.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Credentials as text")
struct CredentialTextTests {
  private static let identity =
    "AGE-SECRET-KEY-15ZS69GAY5KN2029F4246ETDW47CTRV4NKJ6MDDACHXATH09AH6LSSSLT45"
  private static let recipient = "age1vpd8yhf2ft07avdznct7m43pcxm4j0hgek7yftrvf2mw97q96g7qz68n63"
  private static let code = "R30W5-GY4RQ-3CFJ6-9SB5W-SKEES-WKFQV"

  private func text(_ secret: borrowing SecretBytes) -> String {
    String(decoding: secret.bytes.array(at: 0, count: secret.count), as: UTF8.self)
  }

  private func identity(_ text: String) throws(RecipientError) -> Identity {
    let bytes = Array(text.utf8)
    return try Identity.read(bytes.bytes)
  }

  @Test("the Spec's identity has the Spec's recipient, and both are written as they are read")
  func identityOfTheSpec() throws {
    let identity = try identity(Self.identity)
    #expect(identity.key.withBytes { $0.array(at: 0, count: 32) } == Array(0xA0...0xBF))
    #expect(identity.recipient.text == Self.recipient)
    #expect(text(identity.text) == Self.identity)
    #expect(try Recipient(Array(Self.recipient.utf8)) == identity.recipient)
  }

  @Test("every mistyped symbol of a recipient is found")
  func mistyped() {
    let right = Array(Self.recipient.utf8)
    for index in right.indices {
      for symbol in Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l1bio".utf8) where symbol != right[index]
      {
        var wrong = right
        wrong[index] = symbol
        #expect(throws: RecipientError.self) { try Recipient(wrong) }
      }
    }
    for count in 0..<right.count {
      #expect(throws: RecipientError.self) { try Recipient(Array(right[..<count])) }
    }
    #expect(throws: RecipientError.self) { try Recipient(Array(Self.recipient.uppercased().utf8)) }
    #expect(throws: RecipientError.self) { _ = try identity(Self.identity.lowercased()) }
  }

  @Test(
    "what age has and archives do not is refused by name",
    arguments: [
      "age1pq1qqqq", "ssh-ed25519 AAAA", "age1yubikey1" + String(repeating: "q", count: 60),
    ])
  func unsupported(text: String) {
    do {
      _ = try Recipient(Array(text.utf8))
      Issue.record("taken")
    } catch {
      if case .malformed(let reason) = error { Issue.record("\(reason)") }
    }
  }

  @Test("the Spec's recovery code is read and written, in any way that people type it")
  func recoveryCode() throws {
    for typed in [
      Self.code, Self.code.lowercased(), Self.code.filter { $0 != "-" },
      " r3Ow5 gy4rq" + Self.code.dropFirst(11),
      Self.code.replacing("0", with: "o"),
    ] {
      let bytes = Array(typed.utf8)
      let read = RecoveryCode.read(bytes.bytes)
      let code = try #require(read, "\(typed)")
      #expect(code.code.withBytes { $0.array(at: 0, count: 16) } == Array(0xC0...0xCF))
      #expect(text(code.text) == Self.code)
    }
  }

  @Test("one wrong symbol of a recovery code in a thousand is not found at most")
  func mistypedCode() {
    let right = Array(Self.code.utf8)
    var missed = 0
    var tried = 0
    for index in right.indices where right[index] != UInt8(ascii: "-") {
      for symbol in Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8) where symbol != right[index] {
        var wrong = right
        wrong[index] = symbol
        tried += 1
        if RecoveryCode.read(wrong.bytes) != nil { missed += 1 }
      }
    }
    #expect(missed * 1000 <= tried)
    for wrong in [Array(right.dropLast()), right + [UInt8(ascii: "0")], Array("U".utf8) + right] {
      #expect(RecoveryCode.read(wrong.bytes) == nil)
    }
  }

  @Test("new codes and identities read back as themselves", arguments: 0..<20)
  func fresh(_: Int) throws {
    let code = try RecoveryCode.fresh()
    let typed = code.text
    let read = RecoveryCode.read(typed.bytes)
    let again = try #require(read)
    #expect(again.code.withBytes { a in code.code.withBytes { constantTimeEqual(a, $0) } })
    let identity = try Identity.fresh()
    let text = identity.text
    let second = try Identity.read(text.bytes)
    #expect(second.recipient == identity.recipient)
    #expect(try Recipient(Array(identity.recipient.text.utf8)) == identity.recipient)
  }
}
