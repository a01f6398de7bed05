// HMAC-SHA-256 against RFC 4231 and NIST's example for a key of one block, and as a reused object.

import ArchiveCrypto
import ByteCoding
import Testing

struct HMACSHA256Tests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let key: [UInt8]
    let message: [UInt8]
    /// As much of the code as the document prints.
    let code: [UInt8]

    var testDescription: String { name }
  }

  static let vectors = [
    Vector(
      name: "RFC 4231, 4.2", key: [UInt8](repeating: 0x0b, count: 20), message: ascii("Hi There"),
      code: hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")),
    Vector(
      name: "RFC 4231, 4.3", key: ascii("Jefe"), message: ascii("what do ya want for nothing?"),
      code: hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")),
    Vector(
      name: "RFC 4231, 4.4", key: [UInt8](repeating: 0xaa, count: 20),
      message: [UInt8](repeating: 0xdd, count: 50),
      code: hex("773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")),
    Vector(
      name: "RFC 4231, 4.5", key: (1...25).map { UInt8($0) },
      message: [UInt8](repeating: 0xcd, count: 50),
      code: hex("82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")),
    Vector(
      name: "RFC 4231, 4.6, of which 128 bits are printed",
      key: [UInt8](repeating: 0x0c, count: 20), message: ascii("Test With Truncation"),
      code: hex("a3b6167473100ee06e0c796c2955552b")),
    Vector(
      name: "RFC 4231, 4.7, a key longer than a block", key: [UInt8](repeating: 0xaa, count: 131),
      message: ascii("Test Using Larger Than Block-Size Key - Hash Key First"),
      code: hex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")),
    Vector(
      name: "RFC 4231, 4.8, key and data longer than a block",
      key: [UInt8](repeating: 0xaa, count: 131),
      message: ascii(
        "This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm."),
      code: hex("9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")),
    // NIST, Examples with Intermediate Values, HMAC_SHA256.pdf.
    Vector(
      name: "NIST, a key of one block", key: (0..<64).map { UInt8($0) },
      message: ascii("Sample message for keylen=blocklen"),
      code: hex("8bb9a1db9806f20df7f77b82138c7914d174d59e13dc4d0169c9057b133e1d62")),
    // Computed with Python's hmac module.
    Vector(
      name: "neither key nor message", key: [], message: [],
      code: hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")),
  ]

  @Test("the published vectors hold", arguments: vectors)
  func published(_ vector: Vector) throws {
    let mac = try HMACSHA256(key: vector.key.bytes)
    let code = mac.code(vector.message.bytes)
    #expect(code.count == HMACSHA256.byteCount)
    #expect(code.prefix(vector.code.count).elementsEqual(vector.code))
    let secret = try HMACSHA256.secret(key: vector.key.bytes, message: vector.message.bytes)
    #expect(content(of: secret) == code)
  }

  @Test("where a message is cut makes no difference", arguments: vectors)
  func everyCut(_ vector: Vector) throws {
    let mac = try HMACSHA256(key: vector.key.bytes)
    let message = vector.message
    for cut in 0...message.count {
      mac.begin()
      mac.update(message.bytes.extracting(0..<cut))
      mac.update(message.bytes.extracting(cut..<message.count))
      var code = [UInt8](repeating: 0, count: 32)
      var target = code.mutableBytes
      mac.finish(into: &target)
      #expect(code.prefix(vector.code.count).elementsEqual(vector.code), "cut at \(cut)")
    }
  }

  @Test("a keyed object serves many messages, also after one that was given up")
  func reuse() throws {
    let vector = Self.vectors[1]
    let mac = try HMACSHA256(key: vector.key.bytes)
    for _ in 0..<3 {
      mac.begin()
      mac.update(ascii("given up").bytes)
      #expect(mac.code(ascii("another message").bytes) != vector.code)
      #expect(mac.code(vector.message.bytes) == vector.code)
    }
  }

  @Test("the code goes to the front of a longer target and nowhere else")
  func longerTarget() throws {
    let vector = Self.vectors[0]
    let mac = try HMACSHA256(key: vector.key.bytes)
    mac.begin()
    mac.update(vector.message.bytes)
    var room = [UInt8](repeating: 0x5a, count: 40)
    var target = room.mutableBytes
    mac.finish(into: &target)
    #expect(room == vector.code + [UInt8](repeating: 0x5a, count: 8))
  }
}
