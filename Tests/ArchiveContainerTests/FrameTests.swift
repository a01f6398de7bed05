// Padding, checks and headers of frames, against the Spec's words written once more.

import ByteCoding
import TestSupport
import Testing

@testable import ArchiveContainer

@Suite("Frames")
struct FrameTests {
  @Test(
    "the padded length is the Spec's",
    arguments: [
      (8, 64), (63, 64), (64, 64), (65, 128), (128, 128), (129, 192), (140, 192), (192, 192),
      (1000, 1024), (16_368, 16_384), (16_384, 16_384), (70_000, 71_680), (1_048_575, 1_048_576),
      (1_048_576, 1_048_576),
    ])
  func padding(count: Int, padded: Int) {
    #expect(Padding.paddedByteCount(count) == padded)
  }

  @Test("padding is Padmé rounded up to 64, and never more than an eighth beyond that")
  func padmé() {
    for count in Array(8..<3000) + stride(from: 5000, to: 1 << 20, by: 3237) {
      var e = 0
      while count >> (e + 1) > 0 { e += 1 }
      var s = 1
      while e >> s > 0 { s += 1 }
      let unit = 1 << max(0, e - s)
      let padmé = (count + unit - 1) / unit * unit
      let expected = max(64, (padmé + 63) / 64 * 64)
      let padded = Padding.paddedByteCount(count)
      #expect(padded == expected)
      #expect(padded <= max(64, count + count / 8 + 64))
    }
  }

  @Test("the body check is the sum of its words with odd factors, at every length")
  func bodyCheck() {
    var state: UInt64 = 1
    let bytes = (0..<4096).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    for count in stride(from: 0, through: 1024, by: 16) + [1600, 2048, 2064, 4080, 4096] {
      let part = bytes[..<count]
      #expect(Checksum.body(Array(part).bytes) == PlainCheck.body(part), "\(count) bytes")
    }
    let ones = [UInt8](repeating: 0xFF, count: 1 << 16)
    #expect(Checksum.body(ones.bytes) == PlainCheck.body(ones[...]))
  }

  @Test("every bit of a body changes its check")
  func bodyCheckBits() {
    let bytes = (0..<160).map { UInt8($0) }
    let check = Checksum.body(bytes.bytes)
    for bit in 0..<(8 * bytes.count) {
      #expect(Checksum.body(bytes.flipping(bit).bytes) != check)
    }
  }

  @Test("CRC-32 is zlib's: the check value of nine digits, and every length")
  func crc() {
    #expect(Checksum.crc32(Array("123456789".utf8).bytes) == 0xCBF4_3926)
    for count in 0..<64 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      #expect(Checksum.crc32(bytes.bytes) == PlainCheck.crc32(bytes[...]))
    }
  }

  private func header(sealed: Int = 80) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 48)
    let segment = Segment(Array(1...12).bytes, at: 0)
    var span = bytes.mutableBytes
    FrameHeader.storeAuthenticated(
      type: 3, sealedByteCount: sealed, sequence: 0x0102_0304, segment: segment, in: &span, at: 16)
    FrameHeader.storeChecks(0xAABB_CCDD, in: &span, at: 16)
    return bytes
  }

  @Test("a frame header stands where the Spec's table has its fields")
  func headerLayout() throws {
    let bytes = header(sealed: 0x0F_FF10)
    #expect(
      Array(bytes[16..<44]) == [
        0x4B, 0x43, 0x46, 0x31, 3, 0x10, 0xFF, 0x0F, 4, 3, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
        12, 0xDD, 0xCC, 0xBB, 0xAA,
      ])
    let found = FrameHeader(bytes.bytes, at: 16)
    let read = try #require(found)
    #expect(read.type == 3 && read.sealedByteCount == 0x0F_FF10 && read.sequence == 0x0102_0304)
    #expect(read.check == 0xAABB_CCDD && read.segment.bytes == Array(1...12))
  }

  @Test("a frame header with any bit flipped is none")
  func headerBits() {
    let bytes = header()
    for bit in (16 * 8)..<(48 * 8) {
      let changed = bytes.flipping(bit)
      let found = FrameHeader(changed.bytes, at: 16)
      #expect(found == nil, "bit \(bit)")
    }
  }

  @Test(
    "sealed lengths are multiples of 16 from 80 to 1,048,592",
    arguments: [
      (0, false), (64, false), (79, false), (80, true), (88, false), (96, true),
      (1_048_592, true), (1_048_608, false), (0xFF_FFFF, false),
    ])
  func lengths(sealed: Int, isLegal: Bool) throws {
    let bytes = header(sealed: sealed)
    let found = FrameHeader(bytes.bytes, at: 16)
    #expect(found?.hasLegalLength == isLegal)
  }
}
