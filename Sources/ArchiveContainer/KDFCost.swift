// What a slot's KDF costs, what the format allows, and what one run is ready to pay.
//
// All three are judged before the first KDF starts: costs come from the file, and a hostile one could
// ask for hours or for all memory (Spec/container.md, "Costs").

/// The KDF of a passphrase slot and its cost, as the slot's bytes 8 ..< 24 hold it.
package enum KDFCost: Hashable, Sendable {
  /// - memory: KiB; passes: t; lanes: p.
  case argon2id(memory: UInt32, passes: UInt32, lanes: UInt32)
  case scrypt(logN: UInt32, r: UInt32, p: UInt32)
  case pbkdf2(iterations: UInt32)

  /// 256 MiB, 3 passes, 4 lanes.
  package static let standard = KDFCost.argon2id(memory: 256 << 10, passes: 3, lanes: 4)

  package var identifier: UInt8 {
    switch self {
    case .argon2id: 1
    case .scrypt: 2
    case .pbkdf2: 3
    }
  }

  /// The slot's a, b, c.
  package var parameters: (UInt32, UInt32, UInt32) {
    switch self {
    case .argon2id(let memory, let passes, let lanes): (memory, passes, lanes)
    case .scrypt(let logN, let r, let p): (logN, r, p)
    case .pbkdf2(let iterations): (iterations, 0, 0)
    }
  }

  /// Why no reader may run it, or nil: the format's bounds.
  package var boundViolation: String? {
    switch self {
    case .argon2id(let memory, let passes, let lanes):
      guard (1...16).contains(lanes) else { return "\(lanes) Argon2id lanes (1 to 16)" }
      guard (1...64).contains(passes) else { return "\(passes) Argon2id passes (1 to 64)" }
      guard memory >= 8 * lanes, memory <= 4 << 20 else {
        return "\(memory) KiB of Argon2id memory (8 for each lane to 4 GiB)"
      }
    case .scrypt(let logN, let r, let p):
      guard (1...24).contains(logN) else { return "scrypt N of 2^\(logN) (2^1 to 2^24)" }
      guard (1...32).contains(r) else { return "scrypt r of \(r) (1 to 32)" }
      guard (1...16).contains(p) else { return "scrypt p of \(p) (1 to 16)" }
      // RFC 7914, section 2: N is below 2^(128 * r / 8).
      guard logN < 16 * r else { return "scrypt N of 2^\(logN) with r of \(r)" }
      guard memoryByteCount <= 4 << 30 else { return "scrypt memory over 4 GiB" }
    case .pbkdf2(let iterations):
      guard (1...100_000_000).contains(iterations) else {
        return "\(iterations) PBKDF2 iterations (1 to 100,000,000)"
      }
    }
    return nil
  }

  /// Why no writer may choose it, or nil: the floors, value by value.
  package var floorViolation: String? {
    switch self {
    case .argon2id(let memory, let passes, _):
      if memory < 19 << 10 { return "Argon2id memory below 19 MiB" }
      if passes < 2 { return "fewer than 2 Argon2id passes" }
    case .scrypt(let logN, let r, _):
      if UInt64(r) << UInt64(min(logN, 32)) < 1 << 20 { return "scrypt N·r below 2^20" }
    case .pbkdf2(let iterations):
      if iterations < 600_000 { return "fewer than 600,000 PBKDF2 iterations" }
    }
    return nil
  }

  /// The memory it takes. Only for costs within bounds.
  package var memoryByteCount: UInt64 {
    switch self {
    case .argon2id(let memory, _, _): UInt64(memory) << 10
    case .scrypt(let logN, let r, _): 128 * UInt64(r) << UInt64(min(logN, 32))
    case .pbkdf2: 0
    }
  }

  /// The work it takes, in 2^-20 units: MiB·passes of Argon2id and what takes about as long. Sums are
  /// exact so. Only for costs within bounds, whose sum over all pairs stays far below 2^64.
  package var fractionalUnits: UInt64 {
    switch self {
    case .argon2id(let memory, let passes, _):
      (UInt64(memory) * UInt64(passes)) << 10
    case .scrypt(let logN, let r, let p):
      (256 * UInt64(r) * UInt64(p)) << UInt64(min(logN, 32))
    case .pbkdf2(let iterations):
      UInt64(iterations) << 9
    }
  }

  /// `fractionalUnits` in whole units, rounded up.
  package static func wholeUnits(_ fractional: UInt64) -> UInt64 {
    fractional >> 20 + (fractional & (1 << 20 - 1) == 0 ? 0 : 1)
  }

  /// For people: "Argon2id 256 MiB, 3 passes, 4 lanes".
  package var summary: String {
    switch self {
    case .argon2id(let memory, let passes, let lanes):
      let size = memory % 1024 == 0 ? "\(memory / 1024) MiB" : "\(memory) KiB"
      return "Argon2id \(size), \(passes) \(passes == 1 ? "pass" : "passes")"
        + ", \(lanes) \(lanes == 1 ? "lane" : "lanes")"
    case .scrypt(let logN, let r, let p):
      return "scrypt N 2^\(logN), r \(r), p \(p)"
    case .pbkdf2(let iterations):
      return "PBKDF2 \(iterations) iterations"
    }
  }
}

/// What one run is ready to pay for KDFs, the same on every machine.
package struct KDFLimits: Sendable {
  /// The sum over all pairs of slot and credential to be tried.
  package var units: UInt64
  /// The largest single KDF.
  package var memoryByteCount: UInt64

  package static let standard = KDFLimits(units: 16_384, memoryByteCount: 1 << 30)

  package init(units: UInt64, memoryByteCount: UInt64) {
    self.units = units
    self.memoryByteCount = memoryByteCount
  }
}
