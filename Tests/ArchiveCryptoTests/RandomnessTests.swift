// The seam of randomness: the kernel's bytes reach every place, and the fixed stream is fixed.

import ArchiveCrypto
import ByteCoding
import Testing

struct RandomnessTests {
  /// Around the 256 bytes that one call to the kernel may ask for.
  static let counts = [0, 1, 12, 32, 255, 256, 257, 511, 512, 513, 1000, 4096]

  @Test("every byte asked for is filled, and none beside", arguments: counts)
  func everyByte(count: Int) throws {
    // A byte that stays zero through sixteen draws was not filled: chance does that once in 2^128.
    var seen = [UInt8](repeating: 0, count: count)
    for _ in 0..<16 {
      let frame = [UInt8](repeating: 0x5a, count: 8)
      var room = frame + [UInt8](repeating: 0, count: count) + frame
      var span = room.mutableBytes
      var middle = span._mutatingExtracting(8..<(8 + count))
      try Randomness.fill(&middle)
      #expect(room.prefix(8).elementsEqual(frame))
      #expect(room.suffix(8).elementsEqual(frame))
      for index in 0..<count { seen[index] |= room[8 + index] }
    }
    #expect(!seen.contains(0))
  }

  @Test("two draws differ, also in the part behind the first 256 bytes")
  func twoDraws() throws {
    let first = try Randomness.bytes(count: 600)
    let second = try Randomness.bytes(count: 600)
    #expect(first.count == 600)
    #expect(first.prefix(32) != second.prefix(32))
    #expect(first.suffix(32) != second.suffix(32))
    // Nor does a block repeat the one before.
    #expect(first[0..<256] != first[256..<512])
  }

  @Test("secrets are drawn as bytes are")
  func secrets() throws {
    let first = try Randomness.secret(count: 32)
    let second = try Randomness.secret(count: 32)
    #expect(first.count == 32)
    #expect(content(of: first) != content(of: second))
  }

  #if DEBUG
    // SHA-256("seed" ‖ 1) ‖ SHA-256("seed" ‖ 2), the counter as eight little-endian bytes; computed
    // with Python's hashlib.
    static let stream = hex(
      """
      03bd701eac26e5a31cf3628b577635373c6121ed42d39c253d6c418e01a3c1c4
      c5ab7d89ef12b64c70d1cd3b864bdc1c7247901f91f650bb44e7f3337dfb8c50
      """)

    @Test("a fixed stream is the same for the same seed, whoever computes it")
    func fixedStream() throws {
      for _ in 0..<2 {
        let drawn = try Randomness.withFixedStream(seed: ascii("seed")) {
          try Randomness.bytes(count: 64)
        }
        #expect(drawn == Self.stream)
      }
    }

    @Test("draws from a fixed stream go on where the last block ended")
    func fixedStreamGoesOn() throws {
      try Randomness.withFixedStream(seed: ascii("seed")) {
        let first = try Randomness.bytes(count: 16)
        let nothing = try Randomness.bytes(count: 0)
        let second = try Randomness.secret(count: 32)
        #expect(first == Array(Self.stream[0..<16]))
        #expect(nothing.isEmpty)
        #expect(content(of: second) == Array(Self.stream[32..<64]))
      }
    }

    @Test("a fixed stream has every length", arguments: counts)
    func fixedStreamLengths(count: Int) throws {
      let (first, second) = try Randomness.withFixedStream(seed: [1, 2, 3]) {
        (try Randomness.bytes(count: count), try Randomness.bytes(count: 32))
      }
      let longer = try Randomness.withFixedStream(seed: [1, 2, 3]) {
        try Randomness.bytes(count: count + 32)
      }
      #expect(first == Array(longer.prefix(count)))
      #expect(!first.suffix(32).elementsEqual(second))
    }

    @Test("another seed is another stream, a stream within another is its own, and both end")
    func nestedStreams() throws {
      try Randomness.withFixedStream(seed: ascii("seed")) {
        let inner = try Randomness.withFixedStream(seed: ascii("sead")) {
          try Randomness.bytes(count: 32)
        }
        #expect(inner != Array(Self.stream[0..<32]))
        #expect(try Randomness.bytes(count: 32) == Array(Self.stream[0..<32]))
      }
      #expect(try Randomness.bytes(count: 32) != Array(Self.stream[0..<32]))
      #expect(try Randomness.bytes(count: 32) != Array(Self.stream[32..<64]))
    }
  #endif
}
