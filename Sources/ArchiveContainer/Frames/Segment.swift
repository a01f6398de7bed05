// A session's 12 random bytes, which name it in every frame and make its keys its own.

internal import ByteCoding

package struct Segment: Hashable, Sendable {
  static let byteCount = 12

  private let high: UInt64
  private let low: UInt32

  init(_ bytes: RawSpan, at offset: Int) {
    high = bytes.u64(at: offset)
    low = bytes.u32(at: offset + 8)
  }

  func store(in target: inout MutableRawSpan, at offset: Int) {
    target.store(high, at: offset)
    target.store(low, at: offset + 8)
  }

  /// A few bits of it for sums; see `Verifier`.
  var fingerprint: UInt64 { high ^ UInt64(low) << 16 }

  var isZero: Bool { high == 0 && low == 0 }

  var bytes: [UInt8] {
    var result: [UInt8] = []
    result.append(littleEndian: high)
    result.append(littleEndian: low)
    return result
  }
}
