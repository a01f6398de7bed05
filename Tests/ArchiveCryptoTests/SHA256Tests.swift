// SHA-256 against the examples that NIST publishes for FIPS 180-4, at once and in parts.

import ArchiveCrypto
import ByteCoding
import Testing

struct SHA256Tests {
  struct Vector: Sendable {
    let message: String
    let digest: String
  }

  @Test(
    "the published examples hold",
    arguments: [
      // CAVP SHA256ShortMsg.rsp, Len = 0.
      Vector(
        message: "", digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      // NIST, Examples with Intermediate Values, SHA256.pdf: one block.
      Vector(
        message: "abc", digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      // The same: two blocks.
      Vector(
        message: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        digest: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ])
  func published(_ vector: Vector) {
    let digest = SHA256.hash(ascii(vector.message).bytes)
    #expect(digest == hex(vector.digest))
  }

  // FIPS 180-2, appendix B.3: a million times "a". Neither part length divides a block.
  @Test("a long message fed in parts has the published digest", arguments: [1000, 997, 64])
  func millionLetters(partCount: Int) {
    let part = [UInt8](repeating: UInt8(ascii: "a"), count: partCount)
    var hash = SHA256()
    var rest = 1_000_000
    while rest > 0 {
      let count = min(rest, partCount)
      hash.update(part.bytes.extracting(0..<count))
      rest -= count
    }
    let digest = hash.finish()
    #expect(digest == hex("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"))
  }

  @Test("where a message is cut, and empty parts, make no difference")
  func everyCut() {
    let message = (0..<200).map { UInt8($0) }
    let whole = SHA256.hash(message.bytes)
    for cut in 0...message.count {
      var hash = SHA256()
      hash.update(message.bytes.extracting(0..<cut))
      hash.update([UInt8]().bytes)
      hash.update(message.bytes.extracting(cut..<message.count))
      let digest = hash.finish()
      #expect(digest == whole, "cut at \(cut)")
    }
  }

  @Test("two streams at a time do not touch each other")
  func interleaved() {
    var first = SHA256()
    var second = SHA256()
    first.update(ascii("a").bytes)
    second.update(ascii("x").bytes)
    first.update(ascii("bc").bytes)
    let digest = first.finish()
    let other = second.finish()
    #expect(digest == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(other != digest)
  }
}
