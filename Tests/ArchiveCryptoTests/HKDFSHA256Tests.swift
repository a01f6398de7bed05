// HKDF-SHA-256 against RFC 5869, appendix A, its two steps apart.

import ArchiveCrypto
import ByteCoding
import Testing

struct HKDFSHA256Tests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let inputKey: [UInt8]
    let salt: [UInt8]
    let info: [UInt8]
    let key: [UInt8]
    let output: [UInt8]

    var testDescription: String { name }
  }

  static let vectors = [
    Vector(
      name: "A.1", inputKey: [UInt8](repeating: 0x0b, count: 22), salt: (0...0x0c).map { $0 },
      info: (0xf0...0xf9).map { $0 },
      key: hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"),
      output: hex(
        """
        3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf
        34007208d5b887185865
        """)),
    Vector(
      name: "A.2", inputKey: (0...0x4f).map { $0 }, salt: (0x60...0xaf).map { $0 },
      info: (0xb0...0xff).map { $0 },
      key: hex("06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244"),
      output: hex(
        """
        b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c
        59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71
        cc30c58179ec3e87c14c01d5c1f3434f1d87
        """)),
    Vector(
      name: "A.3, without salt and info", inputKey: [UInt8](repeating: 0x0b, count: 22), salt: [],
      info: [], key: hex("19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04"),
      output: hex(
        """
        8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d
        9d201395faa4b61a96c8
        """)),
  ]

  @Test("extracting gives the published key", arguments: vectors)
  func extract(_ vector: Vector) throws {
    let key = try HKDFSHA256.extract(salt: vector.salt.bytes, inputKey: vector.inputKey.bytes)
    #expect(content(of: key) == vector.key)
  }

  @Test("expanding gives the published output", arguments: vectors)
  func expand(_ vector: Vector) throws {
    let output = try HKDFSHA256.expand(
      key: vector.key.bytes, info: vector.info.bytes, count: vector.output.count)
    #expect(content(of: output) == vector.output)
  }

  // RFC 5869, 2.2, defines extraction as HMAC(salt, input key), whatever their lengths.
  @Test("extracting is HMAC under the salt", arguments: [0, 1, 32, 64, 65], [0, 1, 16, 32, 100])
  func extractIsHMAC(saltCount: Int, keyCount: Int) throws {
    let salt = [UInt8](repeating: 0x21, count: saltCount)
    let inputKey = [UInt8](repeating: 0x42, count: keyCount)
    let key = try HKDFSHA256.extract(salt: salt.bytes, inputKey: inputKey.bytes)
    let code = try HMACSHA256(key: salt.bytes).code(inputKey.bytes)
    #expect(content(of: key) == code)
  }

  @Test("a shorter output is the front of a longer one", arguments: [1, 31, 32, 33, 44, 64, 8159])
  func prefixes(count: Int) throws {
    let key = Self.vectors[0].key
    let longest = try HKDFSHA256.expand(key: key.bytes, info: ascii("x").bytes, count: 8160)
    let output = try HKDFSHA256.expand(key: key.bytes, info: ascii("x").bytes, count: count)
    #expect(content(of: output) == Array(content(of: longest).prefix(count)))
  }

  @Test("more than 255 blocks are refused")
  func tooLong() {
    let key = Self.vectors[0].key
    let code = failure {
      _ = try HKDFSHA256.expand(
        key: key.bytes, info: [UInt8]().bytes, count: 8161)
    }
    #expect(code == .refusedInput)
  }

  @Test("another info, and another key, give another output")
  func separation() throws {
    let key = Self.vectors[0].key
    let first = try HKDFSHA256.expand(key: key.bytes, info: ascii("a").bytes, count: 32)
    let second = try HKDFSHA256.expand(key: key.bytes, info: ascii("b").bytes, count: 32)
    let third = try HKDFSHA256.expand(
      key: flipping(0, of: key).bytes, info: ascii("a").bytes, count: 32)
    #expect(content(of: first) != content(of: second))
    #expect(content(of: first) != content(of: third))
  }
}
