// Key slots: made, opened, refused.

import ArchiveCrypto
import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Slots")
struct SlotTests {
  private let keys: ArchiveKeys

  init() throws {
    keys = try ArchiveKeys.fresh()
  }

  /// Costs far below what writers may choose: what they are is in the slot, and costs time.
  private static let cheap = KDFCost.argon2id(memory: 8, passes: 1, lanes: 1)

  private func make(
    _ credential: Credential, cost: KDFCost = cheap, label: String = ""
  ) throws -> Slot {
    try Slot.make(for: credential, id: 3, cost: cost, label: label, keys: keys)
  }

  private func opens(_ slot: Slot, _ credential: Credential) throws -> Bool {
    guard slot.fits(credential),
      let key = try slot.open(with: credential, archiveID: keys.archiveID, at: 0)
    else { return false }
    let own = keys.fileKey.withBytes { $0.array(at: 0, count: 32) }
    return key.bytes.array(at: 0, count: 32) == own
  }

  @Test(
    "a passphrase opens the slot that was made for it, and no other does",
    arguments: [
      KDFCost.argon2id(memory: 19 << 10, passes: 2, lanes: 1), .scrypt(logN: 17, r: 8, p: 1),
      .pbkdf2(iterations: 600_000),
    ])
  func passphrase(cost: KDFCost) throws {
    #expect(cost.floorViolation == nil)
    let slot = try make(.samplePassphrase(Array("correct horse".utf8)), cost: cost)
    #expect(slot.kdf == .known(cost) && slot.kind == .passphrase && slot.id == 3)
    #expect(try opens(slot, .samplePassphrase(Array("correct horse".utf8))))
    #expect(try !opens(slot, .samplePassphrase(Array("correct horsf".utf8))))
  }

  @Test("a key file opens its slot by all of its bytes")
  func keyFile() throws {
    let slot = try make(.sampleKeyFile(1))
    #expect(slot.kind == .keyFile && slot.kdf == nil)
    #expect(try opens(slot, .sampleKeyFile(1)))
    #expect(try !opens(slot, .sampleKeyFile(2)))
    #expect(try !opens(slot, .samplePassphrase([UInt8](repeating: 1, count: 32))))
    let longer = [UInt8](repeating: 1, count: 33)
    let other = Credential.keyFile(
      digest: try Credential.keyFileDigest(of: longer.bytes), origin: "")
    #expect(try !opens(slot, other))
  }

  @Test("a mixed slot takes the passphrase and the key file, together only")
  func mixed() throws {
    let text = Array("both".utf8)
    let slot = try make(.samplePassphrase(text, mixedWith: 5))
    #expect(slot.isMixed)
    #expect(try opens(slot, .samplePassphrase(text, mixedWith: 5)))
    #expect(try !opens(slot, .samplePassphrase(text, mixedWith: 6)))
    #expect(try !opens(slot, .samplePassphrase(text)))
    #expect(try !opens(slot, .sampleKeyFile(5)))
    // Whoever gives a key file for mixing can still open a slot without.
    let plain = try make(.samplePassphrase(text))
    #expect(!plain.isMixed)
    #expect(try opens(plain, .samplePassphrase(text, mixedWith: 5)))
  }

  @Test("é composed and decomposed is one passphrase")
  func normalisation() throws {
    let composed = Array("caf\u{E9} \u{1E9B}\u{323}".utf8)
    let decomposed = Array("cafe\u{301} \u{17F}\u{323}\u{307}".utf8)
    #expect(composed != decomposed)
    for (maker, opener) in [(composed, decomposed), (decomposed, composed)] {
      let slot = try make(.samplePassphrase(maker))
      #expect(slot.isNormalized)
      #expect(try opens(slot, .samplePassphrase(opener)))
    }
  }

  @Test(
    "what is no UTF-8 or has unassigned code points stays as it is",
    arguments: [
      [0xFF, 0xFE, 0x20], [0x65, 0xCC], [0xED, 0xA0, 0x80], [0xC0, 0x80],
      // U+0378 is unassigned, U+E000 is private use, which is assigned.
      [0xCD, 0xB8, 0x65, 0xCC, 0x81],
    ] as [[UInt8]])
  func raw(bytes: [UInt8]) throws {
    let credential = try Credential.samplePassphrase(bytes)
    #expect(!credential.isNormalized)
    let slot = try make(credential)
    #expect(!slot.isNormalized)
    #expect(try opens(slot, .samplePassphrase(bytes)))
    #expect(try !opens(slot, .samplePassphrase(bytes + [0x20])))
  }

  @Test("private use and emoji are normalised like other text")
  func assigned() throws {
    #expect(try Credential.samplePassphrase(Array("\u{E000}\u{1F600}".utf8)).isNormalized)
  }

  @Test("a passphrase that is no UTF-8 is not tried on an NFC slot; unassigned code points are")
  func fitting() throws {
    let slot = try make(.samplePassphrase(Array("text".utf8)))
    #expect(!slot.fits(try .samplePassphrase([0xFF, 0xFE])))
    let unassigned = try Credential.samplePassphrase([0xCD, 0xB8, 0x65, 0xCC, 0x81])
    #expect(slot.fits(unassigned))
    let key = try unassigned.passphraseKey(normalized: true, mixed: false)
    let normalised = try Credential.samplePassphrase([0xCD, 0xB8, 0xC3, 0xA9])
    let other = try normalised.passphraseKey(normalized: false, mixed: false)
    guard let key, let other else {
      Issue.record("no key")
      return
    }
    #expect(key.bytes.array(at: 0, count: 32) == other.bytes.array(at: 0, count: 32))
  }

  @Test("the length of a passphrase is hashed: bytes can't move between it and the key file")
  func framing() throws {
    let one = try Credential.samplePassphrase(Array("ab".utf8)).passphraseKey(
      normalized: true, mixed: false)
    let mac = try HMACSHA256(key: Array("kcarchive/1 passphrase\0".utf8).bytes)
    let expected = mac.code([2, 0, 0, 0, 0x61, 0x62].bytes)
    guard let one else {
      Issue.record("no key")
      return
    }
    #expect(one.bytes.array(at: 0, count: 32) == expected)
  }

  @Test("a label of up to 32 bytes comes back", arguments: ["", "a", "été", "12345678901234567890123456789012"])
  func label(text: String) throws {
    let slot = try make(.sampleKeyFile(1), label: text)
    #expect(slot.label(keys: keys) == text)
    #expect(slot.label(keys: try ArchiveKeys.fresh()) == nil)
  }

  @Test("a longer label is refused")
  func longLabel() {
    #expect(
      family { _ = try make(.sampleKeyFile(1), label: String(repeating: "x", count: 33)) }
        == .refusedByLimit)
  }

  @Test("each flipped bit keeps a slot from opening or is refused; the label's costs the label only")
  func bits() throws {
    let slot = try make(.samplePassphrase(Array("x".utf8)), label: "mine")
    for bit in 0..<(184 * 8) {
      let bytes = slot.bytes.flipping(bit)
      guard let changed = try? Slot(bytes.bytes, at: 0) else { continue }
      if case .known(let cost) = changed.kdf, cost.boundViolation != nil || cost.memoryByteCount > 1 << 20 {
        continue
      }
      let byte = bit / 8
      let opened = family {
        if try !opens(changed, .samplePassphrase(Array("x".utf8))) {
          throw ContainerError(.wrongCredential, "")
        }
      }
      switch byte {
      case 88..<136: #expect(opened == .tampered, "bit \(bit)")
      case 136...:
        #expect(opened == nil)
        #expect(changed.label(keys: keys) == nil)
      // Kind, salt and commitment decide whose slot it is; the rest is authenticated by the wrap.
      default: #expect(opened != nil, "bit \(bit)")
      }
    }
  }

  static let malformed: [(String, Int, [UInt8])] = [
    ("kind 0", 0, [0]), ("an unknown flag", 1, [4]), ("another length", 2, [192]),
    ("no length", 2, [0]), ("id 0", 4, [0, 0, 0, 0]), ("a reserved byte", 9, [1]),
    ("another one", 11, [1]),
  ]

  @Test("what breaks a slot's structure is tampering", arguments: malformed)
  func structure(what: String, offset: Int, replacement: [UInt8]) throws {
    var bytes = try make(.samplePassphrase(Array("x".utf8))).bytes
    bytes.replaceSubrange(offset..<(offset + replacement.count), with: replacement)
    bytes += [UInt8](repeating: 0, count: 16)
    #expect(family { _ = try Slot(bytes.bytes, at: 0) } == .tampered, "\(what)")
  }

  @Test("flags and KDF fields of a key file's slot are zero", arguments: [1, 8, 9, 12, 16, 20])
  func keyFileStructure(offset: Int) throws {
    var bytes = try make(.sampleKeyFile(1)).bytes
    bytes[offset] = 1
    #expect(family { _ = try Slot(bytes.bytes, at: 0) } == .tampered)
  }

  @Test("PBKDF2 has one parameter", arguments: [16, 20])
  func pbkdf2Structure(offset: Int) throws {
    var bytes = try make(.samplePassphrase([0x61]), cost: .pbkdf2(iterations: 1)).bytes
    bytes[offset] = 1
    #expect(family { _ = try Slot(bytes.bytes, at: 0) } == .tampered)
  }

  @Test(
    "slots of unknown kinds are kept whole", arguments: [(8, true), (1024, true), (12, false), (1032, false), (0, false)])
  func unknownKind(length: Int, isLegal: Bool) throws {
    var bytes = [UInt8](repeating: 0xEE, count: 2048)
    bytes.replaceSubrange(
      0..<8, with: [77, 0xFF, UInt8(length & 0xFF), UInt8(length >> 8), 1, 0, 0, 0])
    let slot = try? Slot(bytes.bytes, at: 0)
    #expect((slot != nil) == isLegal)
    if let slot {
      #expect(slot.bytes == Array(bytes[..<length]) && slot.kind == .unknown(77))
      #expect(slot.label(keys: keys) == nil)
      #expect(!slot.fits(try .sampleKeyFile(1)))
    }
  }
}
