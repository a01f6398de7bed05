// The frame's plaintext: 8 bytes of length and code, content, zeros up to the padded length.

internal import ArchiveCrypto
internal import ByteCoding

enum FramePlaintext {
  /// Puts length and code in front of the `contentByteCount` bytes that stand at 8, and zeros behind.
  ///
  /// - Returns: the padded length.
  static func finish(
    _ plaintext: inout SecretBytes, code: UInt8, contentByteCount: Int
  ) -> Int {
    let used = Format.plaintextHeaderByteCount + contentByteCount
    let padded = Padding.paddedByteCount(used)
    plaintext.resize(to: padded)
    var span = plaintext.mutableBytes
    span.store(UInt32(contentByteCount), at: 0)
    span.store(UInt32(code), at: 4)
    span.zero(used..<padded)
    return padded
  }

  /// Code and content length of an opened plaintext, every rule checked.
  ///
  /// - Throws: `.tampered`: the tag held, so its maker wrote it so.
  static func parse(
    _ plaintext: RawSpan, at place: UInt64
  ) throws(ContainerError) -> (code: UInt8, contentByteCount: Int) {
    let count = Int(plaintext.u32(at: 0))
    let room = plaintext.byteCount - Format.plaintextHeaderByteCount
    guard count <= room,
      Padding.paddedByteCount(Format.plaintextHeaderByteCount + count) == plaintext.byteCount,
      plaintext.isZero(5..<8),
      plaintext.isZero((Format.plaintextHeaderByteCount + count)..<plaintext.byteCount)
    else {
      throw ContainerError(.tampered, "authentic frame with malformed padding", at: place)
    }
    return (plaintext.u8(at: 4), count)
  }
}
