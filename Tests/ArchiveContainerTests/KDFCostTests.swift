// What a KDF may cost: the format's bounds, a writer's floors, a run's units.

import ArchiveContainer
import Testing

@Suite("KDF costs")
struct KDFCostTests {
  static let bounds: [(KDFCost, Bool)] = [
    (.standard, true),
    (.argon2id(memory: 8, passes: 1, lanes: 1), true),
    (.argon2id(memory: 7, passes: 1, lanes: 1), false),
    (.argon2id(memory: 128, passes: 1, lanes: 16), true),
    (.argon2id(memory: 127, passes: 1, lanes: 16), false),
    (.argon2id(memory: 4 << 20, passes: 64, lanes: 16), true),
    (.argon2id(memory: 4 << 20 + 1, passes: 1, lanes: 1), false),
    (.argon2id(memory: 1024, passes: 0, lanes: 1), false),
    (.argon2id(memory: 1024, passes: 65, lanes: 1), false),
    (.argon2id(memory: 1024, passes: 1, lanes: 0), false),
    (.argon2id(memory: 1024, passes: 1, lanes: 17), false),
    (.argon2id(memory: .max, passes: .max, lanes: .max), false),
    (.scrypt(logN: 1, r: 1, p: 1), true),
    (.scrypt(logN: 0, r: 8, p: 1), false),
    (.scrypt(logN: 24, r: 2, p: 16), true),
    (.scrypt(logN: 24, r: 3, p: 1), false),
    (.scrypt(logN: 25, r: 1, p: 1), false),
    (.scrypt(logN: 20, r: 32, p: 16), true),
    (.scrypt(logN: 21, r: 32, p: 1), false),
    (.scrypt(logN: 20, r: 33, p: 1), false),
    (.scrypt(logN: 20, r: 0, p: 1), false),
    (.scrypt(logN: 20, r: 8, p: 0), false),
    (.scrypt(logN: 20, r: 8, p: 17), false),
    (.scrypt(logN: .max, r: .max, p: .max), false),
    (.pbkdf2(iterations: 1), true),
    (.pbkdf2(iterations: 0), false),
    (.pbkdf2(iterations: 100_000_000), true),
    (.pbkdf2(iterations: 100_000_001), false),
  ]

  @Test("costs outside the format's bounds are refused", arguments: bounds)
  func bound(cost: KDFCost, isWithin: Bool) {
    #expect((cost.boundViolation == nil) == isWithin)
  }

  @Test(
    "writers refuse each value below its floor",
    arguments: [
      (KDFCost.standard, true),
      (.argon2id(memory: 19 << 10, passes: 2, lanes: 1), true),
      (.argon2id(memory: 19 << 10 - 1, passes: 64, lanes: 1), false),
      (.argon2id(memory: 4 << 20, passes: 1, lanes: 1), false),
      (.scrypt(logN: 17, r: 8, p: 1), true),
      (.scrypt(logN: 20, r: 1, p: 1), true),
      (.scrypt(logN: 16, r: 15, p: 16), false),
      (.pbkdf2(iterations: 600_000), true),
      (.pbkdf2(iterations: 599_999), false),
    ])
  func floor(cost: KDFCost, isAbove: Bool) {
    #expect((cost.floorViolation == nil) == isAbove)
  }

  @Test(
    "units and memory are the Spec's table, exactly",
    arguments: [
      (KDFCost.argon2id(memory: 256 << 10, passes: 3, lanes: 4), 768 << 20, 256 << 20),
      (.argon2id(memory: 1025, passes: 1, lanes: 1), 1025 << 10, 1025 << 10),
      (.scrypt(logN: 17, r: 8, p: 2), 512 << 20, 128 << 20),
      (.scrypt(logN: 1, r: 1, p: 1), 512, 256),
      (.pbkdf2(iterations: 600_000), 600_000 << 9, 0),
      (.argon2id(memory: 4 << 20, passes: 64, lanes: 16), 262_144 << 20, 4 << 30),
    ] as [(KDFCost, UInt64, UInt64)])
  func units(cost: KDFCost, fractional: UInt64, memory: UInt64) {
    #expect(cost.fractionalUnits == fractional)
    #expect(cost.memoryByteCount == memory)
  }

  @Test("whole units are rounded up once, at the end")
  func rounding() {
    #expect(KDFCost.wholeUnits(0) == 0)
    #expect(KDFCost.wholeUnits(1) == 1)
    #expect(KDFCost.wholeUnits(1 << 20) == 1)
    #expect(KDFCost.wholeUnits(1 << 20 + 1) == 2)
    #expect(KDFCost.wholeUnits(3 * (1 << 19)) == 2)
  }
}
