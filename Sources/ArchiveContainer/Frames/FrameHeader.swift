// The 32 bytes in front of every frame, and the two unkeyed checks that tell damage from tampering.

internal import ByteCoding
internal import CZlib

/// A frame header whose CRC-32 holds.
package struct FrameHeader: Equatable, Sendable {
  package let type: UInt8
  /// Ciphertext and tag.
  package let sealedByteCount: Int
  package let sequence: UInt32
  package let segment: Segment
  /// `FrameHeader.check` of the sealed bytes.
  package let check: UInt32

  /// Header and sealed bytes.
  package var frameByteCount: Int { Format.frameHeaderByteCount + sealedByteCount }

  /// Whether `bytes` start with a frame's magic at `offset`.
  static func hasMagic(_ bytes: RawSpan, at offset: Int) -> Bool {
    bytes.equals(Format.frameMagic, at: offset)
  }

  /// The header at `offset`, or nil where its magic or its CRC-32 is wrong. Lengths out of bounds
  /// under a good CRC are the caller's to judge.
  init?(_ bytes: RawSpan, at offset: Int) {
    guard Self.hasMagic(bytes, at: offset),
      Checksum.crc32(bytes.extracting(offset..<(offset + 28))) == bytes.u32(at: offset + 28)
    else { return nil }
    type = bytes.u8(at: offset + 4)
    sealedByteCount = Int(bytes.u24(at: offset + 5))
    sequence = bytes.u32(at: offset + 8)
    segment = Segment(bytes, at: offset + 12)
    check = bytes.u32(at: offset + 24)
  }

  /// The header of a VOID of `frameByteCount`, itself included.
  init(voidOf frameByteCount: Int, sequence: UInt32, segment: Segment) {
    type = FrameType.void
    sealedByteCount = frameByteCount - Format.frameHeaderByteCount
    self.sequence = sequence
    self.segment = segment
    check = 0
  }

  /// Whether the claimed length is one that frames can have.
  var hasLegalLength: Bool {
    (Format.smallestSealed...Format.largestSealed).contains(sealedByteCount)
      && sealedByteCount.isMultiple(of: Int(Format.alignment))
  }

  /// Whether this is the header of a COMMIT, whose frames all have one length.
  var isCommit: Bool {
    type == FrameType.commit && frameByteCount == Format.commitFrameByteCount
  }

  /// Writes the first 24 bytes: those that the tag covers.
  static func storeAuthenticated(
    type: UInt8, sealedByteCount: Int, sequence: UInt32, segment: Segment,
    in target: inout MutableRawSpan, at offset: Int
  ) {
    target.store(Format.frameMagic, at: offset)
    target.store(type, at: offset + 4)
    target.store24(UInt32(sealedByteCount), at: offset + 5)
    target.store(sequence, at: offset + 8)
    segment.store(in: &target, at: offset + 12)
  }

  /// Writes check and CRC-32 behind the first 24 bytes.
  static func storeChecks(_ check: UInt32, in target: inout MutableRawSpan, at offset: Int) {
    target.store(check, at: offset + 24)
    let crc = Checksum.crc32(target.bytes.extracting(offset..<(offset + 28)))
    target.store(crc, at: offset + 28)
  }
}

package enum Checksum {
  /// CRC-32 as zlib has it (ISO 3309).
  package static func crc32(_ bytes: RawSpan) -> UInt32 {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe UInt32(
        truncatingIfNeeded: CZlib.crc32_z(
          0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
    }
  }

  /// The body check: Σ (2i+1)·w[i] mod 2^32 over the words of `bytes`, a multiple of 16 bytes.
  ///
  /// Odd factors keep every bit of every word; position counts. It needs no multiplication: with
  /// S the sum of all words of a lane and T the sum of the running sums, Σ k·w[k] = (n-1)·S - T.
  package static func body(_ bytes: RawSpan) -> UInt32 {
    precondition(bytes.byteCount.isMultiple(of: 16))
    let blockCount = bytes.byteCount / 64
    var sum = SIMD16<UInt32>(repeating: 0)
    var running = SIMD16<UInt32>(repeating: 0)
    for block in 0..<blockCount {
      running &+= sum
      let words = unsafe bytes.unsafeLoadUnaligned(
        fromByteOffset: block * 64, as: SIMD16<UInt32>.self)
      sum &+= words
    }
    var result: UInt32 = 0
    for lane in 0..<16 {
      let weighted = UInt32(truncatingIfNeeded: blockCount - 1) &* sum[lane] &- running[lane]
      result &+= 32 &* weighted &+ UInt32(2 * lane + 1) &* sum[lane]
    }
    var index = blockCount * 16
    while index * 4 < bytes.byteCount {
      result &+= UInt32(truncatingIfNeeded: 2 * index + 1) &* bytes.u32(at: index * 4)
      index += 1
    }
    return result
  }
}
