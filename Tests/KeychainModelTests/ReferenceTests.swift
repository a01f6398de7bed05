// Persistent references, access controls and the DER beneath: bytes that come from elsewhere.

import Testing

@testable import KeychainModel

@Suite("References and access controls")
struct ReferenceTests {
  @Test("Both forms of a persistent reference are made and read")
  func forms() {
    let row = PersistentReference(.genericPassword, .row(0x0102))
    #expect(row.bytes == Array("genp".utf8) + [0, 0, 0, 0, 0, 0, 1, 2])
    let uuid = PersistentReference(.internetPassword, .uuid(Array(1...16)))
    #expect(uuid.bytes == Array("inet".utf8) + Array(1...16))
    for reference in [row, uuid] { #expect(PersistentReference(reference.bytes!) == reference) }
  }

  @Test("What is no persistent reference is none")
  func none() {
    let code = Array("genp".utf8)
    let zeros = [UInt8](repeating: 0, count: 8)
    for bytes in [
      [], code, code + zeros, code + zeros + [1], Array("nope".utf8) + zeros.dropLast() + [1],
      Array("file".utf8) + zeros.dropLast() + [1], code + [0x80] + zeros.dropLast(),
      [0xFF, 0xFF, 0xFF, 0xFF] + zeros.dropLast() + [1],
    ] { #expect(PersistentReference(bytes) == nil, "\(bytes)") }
    #expect(PersistentReference(.genericPassword, .uuid([1])).bytes == nil)
    #expect(PersistentReference(ItemClass(rawValue: "long name"), .row(1)).bytes == nil)
  }

  @Test("An access control says its class and its conditions")
  func accessControl() {
    let plain = AccessControl(.whenUnlocked)
    #expect(plain.bytes == [0x31, 12, 0x30, 10, 12, 4, 0x70, 0x72, 0x6F, 0x74, 12, 2, 0x61, 0x6B])
    #expect(AccessControl(plain.bytes) == plain && !plain.hasConditions)
    for flags: UInt64 in [1, 1 << 30, 0x8000, .max] {
      let control = AccessControl(.whenPasscodeSetThisDeviceOnly, flags: flags)
      #expect(AccessControl(control.bytes) == control && control.flags == flags)
      #expect(control.hasConditions)
    }
  }

  @Test("Cut and changed access controls are none, or say what they say")
  func damaged() {
    let bytes = AccessControl(.afterFirstUnlock, flags: 1 << 30).bytes
    for end in bytes.indices { #expect(AccessControl(Array(bytes[..<end])) == nil) }
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        if let control = AccessControl(changed) { #expect(control.bytes == changed) }
      }
    }
  }

  @Test(
    "Integers in DER are as short as they can be",
    arguments: [
      (0, [0x02, 1, 0]), (127, [0x02, 1, 0x7F]), (128, [0x02, 2, 0, 0x80]), (-1, [0x02, 1, 0xFF]),
      (-128, [0x02, 1, 0x80]), (-129, [0x02, 2, 0xFF, 0x7F]), (256, [0x02, 2, 1, 0]),
      (Int64.max, [0x02, 8, 0x7F] + [UInt8](repeating: 0xFF, count: 7)),
      (Int64.min, [0x02, 8, 0x80] + [UInt8](repeating: 0, count: 7)),
    ] as [(Int64, [UInt8])])
  func integers(_ value: Int64, _ bytes: [UInt8]) {
    #expect(DER.integer(value) == bytes)
    #expect(DER.Element(bytes[...])?.integer == value)
  }

  @Test("Long lengths are written and read, and lengths in longer forms refused")
  func lengths() {
    for count in [127, 128, 255, 256, 65_535, 65_536] {
      let element = DER.bytes([UInt8](repeating: 7, count: count))
      #expect(DER.Element(element[...])?.content.count == count)
      #expect(DER.Element(element.dropLast()) == nil)
    }
    #expect(DER.Element([4, 0x81, 5, 1, 2, 3, 4, 5][...]) == nil)
    #expect(DER.Element([4, 0x82, 0, 0x80][...]) == nil)
    #expect(DER.Element([4, 0x85, 1, 0, 0, 0, 0][...]) == nil)
    #expect(DER.Element([4][...]) == nil && DER.Element([][...]) == nil)
  }

  @Test("Dates in DER have as many digits as they need")
  func dates() {
    #expect(DER.date(0).map { String(decoding: $0[2...], as: UTF8.self) } == "20010101000000Z")
    #expect(
      DER.date(574_787_624.25).map { String(decoding: $0[2...], as: UTF8.self) }
        == "20190320151344.25Z")
    #expect(DER.date(.nan) == nil && DER.date(1e30) == nil)
  }

  @Test("Names are normalized: PrintableStrings in capitals and without blanks, others as they are")
  func names() {
    func name(_ tag: UInt8, _ text: String) -> [UInt8] {
      let pair = DER.element(DER.sequence, [6, 3, 0x55, 4, 3] + DER.element(tag, Array(text.utf8)))
      return DER.element(DER.sequence, DER.element(DER.set, pair))
    }
    let content: ([UInt8]) -> [UInt8]? = { DER.Element($0[...]).map { Array($0.content) } }
    #expect(CertificateName.normalized(name(0x13, "  a  Bc\t d ")) == content(name(0x13, "A BC D")))
    #expect(CertificateName.normalized(name(0x0C, " a  b")) == content(name(0x0C, " a  b")))
    #expect(CertificateName.normalized([0x30, 0]) == [])
    for wrong: [UInt8] in [[], [0x31, 0], [0x30, 2, 0x30, 0], [0x30, 2, 0x31, 0], [0x30, 0, 0]] {
      #expect(CertificateName.normalized(wrong) == nil, "\(wrong)")
    }
  }
}
