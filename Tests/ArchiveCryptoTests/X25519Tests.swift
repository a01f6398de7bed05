// X25519 against RFC 7748, and the public keys of low order that have to be refused.

import ArchiveCrypto
import ByteCoding
import Testing

struct X25519Tests {
  struct Vector: Sendable {
    let scalar: String
    let coordinate: String
    let result: String
  }

  // The second coordinate has its highest bit set, which section 5 has us ignore.
  @Test(
    "the vectors of RFC 7748, 5.2, hold",
    arguments: [
      Vector(
        scalar: "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        coordinate: "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        result: "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"),
      Vector(
        scalar: "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        coordinate: "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        result: "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"),
    ])
  func published(_ vector: Vector) throws {
    let secret = try X25519.sharedSecret(
      privateKey: hex(vector.scalar).bytes, publicKey: hex(vector.coordinate).bytes)
    #expect(content(of: secret) == hex(vector.result))
  }

  @Test("the iterated vectors of RFC 7748, 5.2, hold after 1 and after 1,000 rounds")
  func iterated() throws {
    var scalar = hex("0900000000000000000000000000000000000000000000000000000000000000")
    var coordinate = scalar
    for round in 1...1000 {
      let secret = try X25519.sharedSecret(privateKey: scalar.bytes, publicKey: coordinate.bytes)
      coordinate = scalar
      scalar = content(of: secret)
      if round == 1 {
        #expect(scalar == hex("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"))
      }
    }
    #expect(scalar == hex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"))
  }

  static let alice = hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")

  @Test("both sides of the exchange of RFC 7748, 6.1, come to the published secret")
  func exchange() throws {
    let bob = hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    let alicePublic = try X25519.publicKey(of: Self.alice.bytes)
    let bobPublic = try X25519.publicKey(of: bob.bytes)
    #expect(
      alicePublic == hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
    #expect(bobPublic == hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))

    let shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    let ours = try X25519.sharedSecret(privateKey: Self.alice.bytes, publicKey: bobPublic.bytes)
    let theirs = try X25519.sharedSecret(privateKey: bob.bytes, publicKey: alicePublic.bytes)
    #expect(content(of: ours) == shared)
    #expect(content(of: theirs) == shared)
  }

  // D. J. Bernstein, "Elliptic-curve Diffie-Hellman", the list under "How do I validate Curve25519
  // public keys?": the points of order 1, 2, 4 and 8, in all their encodings below 2^255, and two
  // with the ignored bit set.
  @Test(
    "a public key of low order gives an all-zero result and is refused",
    arguments: [
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
      "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "0000000000000000000000000000000000000000000000000000000000000080",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ])
  func lowOrder(_ digits: String) {
    let code = failure {
      _ = try X25519.sharedSecret(privateKey: Self.alice.bytes, publicKey: hex(digits).bytes)
    }
    #expect(code == .refusedInput)
  }

  @Test("keys of another length are refused", arguments: [0, 1, 31, 33, 64])
  func lengths(count: Int) {
    let key = [UInt8](repeating: 9, count: count)
    let ofPrivate = failure { _ = try X25519.publicKey(of: key.bytes) }
    let own = failure {
      _ = try X25519.sharedSecret(privateKey: key.bytes, publicKey: Self.alice.bytes)
    }
    let other = failure {
      _ = try X25519.sharedSecret(privateKey: Self.alice.bytes, publicKey: key.bytes)
    }
    #expect(ofPrivate == .refusedInput)
    #expect(own == .refusedInput)
    #expect(other == .refusedInput)
  }
}
