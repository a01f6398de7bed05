// AES-256-GCM: published vectors, every bit of what is authenticated, and the edges of its buffers.

import ArchiveCrypto
import ByteCoding
import Testing

struct AES256GCMTests {
  typealias Vector = AES256GCMVector

  static func seal(
    _ cipher: AES256GCM, _ plaintext: [UInt8], nonce: [UInt8], header: [UInt8]
  ) throws -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: plaintext.count + AES256GCM.tagByteCount)
    var target = sealed.mutableBytes
    try cipher.seal(
      plaintext.bytes, nonce: nonce.bytes, authenticating: header.bytes, into: &target)
    return sealed
  }

  static func open(
    _ cipher: AES256GCM, _ sealed: [UInt8], nonce: [UInt8], header: [UInt8]
  ) throws -> [UInt8] {
    var plaintext = [UInt8](
      repeating: 0, count: max(0, sealed.count - AES256GCM.tagByteCount))
    var target = plaintext.mutableBytes
    try cipher.open(sealed.bytes, nonce: nonce.bytes, authenticating: header.bytes, into: &target)
    return plaintext
  }

  /// Whether opening fails as it should, and with no other error.
  static func fails(
    _ cipher: AES256GCM, _ sealed: [UInt8], nonce: [UInt8], header: [UInt8]
  ) -> Bool {
    failure { _ = try open(cipher, sealed, nonce: nonce, header: header) } == .authenticationFailed
  }

  @Test("the published vectors seal and open", arguments: Vector.specification + Vector.validation)
  func published(_ vector: Vector) throws {
    let cipher = try AES256GCM(key: vector.key.bytes)
    let sealed = try Self.seal(
      cipher, vector.plaintext, nonce: vector.nonce, header: vector.header)
    #expect(sealed == vector.ciphertext + vector.tag)
    let plaintext = try Self.open(cipher, sealed, nonce: vector.nonce, header: vector.header)
    #expect(plaintext == vector.plaintext)
  }

  @Test("what NIST says fails to open does", arguments: Vector.failing)
  func failing(_ vector: Vector) throws {
    let cipher = try AES256GCM(key: vector.key.bytes)
    #expect(
      Self.fails(cipher, vector.ciphertext + vector.tag, nonce: vector.nonce, header: vector.header)
    )
  }

  /// Two of no plaintext, one of one block, one unfinished; with and without a header.
  static let authenticated =
    [Vector.specification[0], Vector.specification[1], Vector.specification[3]]
    + [Vector.validation[0], Vector.validation[1]]

  @Test("one bit of ciphertext, tag, nonce, header or key fails", arguments: authenticated)
  func everyBit(_ vector: Vector) throws {
    let cipher = try AES256GCM(key: vector.key.bytes)
    let sealed = vector.ciphertext + vector.tag
    for bit in 0..<(8 * sealed.count) {
      #expect(
        Self.fails(cipher, flipping(bit, of: sealed), nonce: vector.nonce, header: vector.header),
        "bit \(bit) of ciphertext and tag")
    }
    for bit in 0..<(8 * vector.nonce.count) {
      #expect(
        Self.fails(cipher, sealed, nonce: flipping(bit, of: vector.nonce), header: vector.header),
        "bit \(bit) of the nonce")
    }
    for bit in 0..<(8 * vector.header.count) {
      #expect(
        Self.fails(cipher, sealed, nonce: vector.nonce, header: flipping(bit, of: vector.header)),
        "bit \(bit) of the header")
    }
    for bit in 0..<(8 * vector.key.count) {
      let other = try AES256GCM(key: flipping(bit, of: vector.key).bytes)
      #expect(
        Self.fails(other, sealed, nonce: vector.nonce, header: vector.header),
        "bit \(bit) of the key")
    }
    // A failure leaves the key usable.
    let plaintext = try Self.open(cipher, sealed, nonce: vector.nonce, header: vector.header)
    #expect(plaintext == vector.plaintext)
  }

  @Test("a shorter or longer ciphertext or header fails", arguments: authenticated)
  func lengths(_ vector: Vector) throws {
    let cipher = try AES256GCM(key: vector.key.bytes)
    let sealed = vector.ciphertext + vector.tag
    for count in 0..<sealed.count {
      #expect(
        Self.fails(cipher, Array(sealed.prefix(count)), nonce: vector.nonce, header: vector.header),
        "the first \(count) bytes")
    }
    #expect(Self.fails(cipher, sealed + [0], nonce: vector.nonce, header: vector.header))
    #expect(Self.fails(cipher, sealed, nonce: vector.nonce, header: vector.header + [0]))
    for count in 0..<vector.header.count {
      #expect(
        Self.fails(cipher, sealed, nonce: vector.nonce, header: Array(vector.header.prefix(count))),
        "the first \(count) bytes of the header")
    }
  }

  @Test(
    "every length comes back under another object of the same key",
    arguments: [0, 1, 15, 16, 17, 63, 64, 65, 255, 4096, 65_535, 1 << 20])
  func roundTrip(count: Int) throws {
    let key = (0..<32).map { UInt8($0) }
    let nonce = [UInt8](repeating: 3, count: 12)
    let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for header in [[], ascii("twenty-four bytes of it.")] {
      let sealed = try Self.seal(
        AES256GCM(key: key.bytes), plaintext, nonce: nonce, header: header)
      let opened = try Self.open(AES256GCM(key: key.bytes), sealed, nonce: nonce, header: header)
      #expect(opened == plaintext)
    }
  }

  @Test("one object seals and opens many messages, each under its own nonce")
  func reuse() throws {
    let cipher = try AES256GCM(key: [UInt8](repeating: 7, count: 32).bytes)
    let message = ascii("the same message")
    var messages: [[UInt8]] = []
    for index in UInt8(0)..<20 {
      let nonce = [UInt8](repeating: index, count: 12)
      messages.append(try Self.seal(cipher, message, nonce: nonce, header: [index]))
      // Opening between two seals disturbs neither.
      let first = try Self.open(
        cipher, messages[0], nonce: [UInt8](repeating: 0, count: 12), header: [0])
      #expect(first == message)
    }
    #expect(Set(messages).count == messages.count)
    for (index, sealed) in messages.enumerated() {
      let nonce = [UInt8](repeating: UInt8(index), count: 12)
      #expect(try Self.open(cipher, sealed, nonce: nonce, header: [UInt8(index)]) == message)
    }
  }

  @Test("no byte before or behind the result is written")
  func surroundings() throws {
    let vector = Vector.specification[3]
    let cipher = try AES256GCM(key: vector.key.bytes)
    let rest = [UInt8](repeating: 0x5a, count: 40)

    var room = [UInt8](repeating: 0x5a, count: vector.plaintext.count + 16 + rest.count)
    var target = room.mutableBytes
    try cipher.seal(
      vector.plaintext.bytes, nonce: vector.nonce.bytes, authenticating: vector.header.bytes,
      into: &target)
    #expect(room == vector.ciphertext + vector.tag + rest)

    room = [UInt8](repeating: 0x5a, count: room.count)
    target = room.mutableBytes
    try cipher.seal(
      vector.plaintext.bytes, nonce: vector.nonce.bytes, authenticating: vector.header.bytes,
      into: &target, at: rest.count)
    #expect(room == rest + vector.ciphertext + vector.tag)

    var opened = [UInt8](repeating: 0x5a, count: vector.plaintext.count + rest.count)
    var plainTarget = opened.mutableBytes
    try cipher.open(
      (vector.ciphertext + vector.tag).bytes, nonce: vector.nonce.bytes,
      authenticating: vector.header.bytes, into: &plainTarget)
    #expect(opened == vector.plaintext + rest)
  }
}
