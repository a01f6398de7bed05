// Seals and opens the frames of one session (Spec/container.md, "Frames").

internal import ArchiveCrypto
internal import ByteCoding

/// The keys of one segment. Not for several threads at once: give each its own.
package final class SegmentCipher {
  package let segment: Segment
  private let meta: Half
  private let value: Half

  /// Key and nonce base under K_meta or K_value.
  private struct Half {
    let aead: AES256GCM
    let base: [UInt8]

    init(_ key: borrowing SecretBytes, _ keys: ArchiveKeys, _ segment: Segment) throws(CryptoError) {
      let info = Format.label("segment") + keys.archiveID + segment.bytes
      let derived = try HKDFSHA256.expand(key: key.bytes, info: info.bytes, count: 44)
      aead = try AES256GCM(key: derived.bytes.extracting(0..<32))
      base = derived.bytes.array(at: 32, count: 12)
    }
  }

  init(keys: ArchiveKeys, segment: Segment) throws(ContainerError) {
    self.segment = segment
    do {
      meta = try Half(keys.metaKey, keys, segment)
      value = try Half(keys.valueKey, keys, segment)
    } catch {
      throw ContainerError(error)
    }
  }

  private func half(for type: UInt8) -> Half {
    type == FrameType.value ? value : meta
  }

  /// base[0 ..< 8] ‖ (base[8 ..< 12] XOR the sequence).
  private func nonce(_ base: [UInt8], _ sequence: UInt32) -> InlineArray<12, UInt8> {
    var result = InlineArray<12, UInt8>(repeating: 0)
    var elements = result.mutableSpan
    var bytes = unsafe elements.mutableBytes
    bytes.store(base, at: 0)
    bytes.store(base.bytes.u32(at: 8) ^ sequence, at: 8)
    return result
  }

  /// Seals one frame to `target` at `offset`.
  ///
  /// - Parameter plaintext: n, code, content and zeros: `Padding.paddedByteCount` bytes.
  /// - Returns: the frame's length.
  func seal(
    _ plaintext: RawSpan, type: UInt8, sequence: UInt32, into target: inout MutableRawSpan,
    at offset: Int = 0
  ) throws(ContainerError) -> Int {
    let sealedByteCount = plaintext.byteCount + Format.tagByteCount
    FrameHeader.storeAuthenticated(
      type: type, sealedByteCount: sealedByteCount, sequence: sequence, segment: segment,
      in: &target, at: offset)
    // The tag covers bytes of the buffer that it is written to: they are copied, for Swift allows no
    // second look into a buffer that is being written.
    var header = InlineArray<24, UInt8>(repeating: 0)
    var headerElements = header.mutableSpan
    var headerBytes = unsafe headerElements.mutableBytes
    headerBytes.store(
      target.bytes.extracting(offset..<(offset + Format.authenticatedByteCount)), at: 0)
    let half = half(for: type)
    let nonce = nonce(half.base, sequence)

    let body = offset + Format.frameHeaderByteCount
    do {
      unsafe try half.aead.seal(
        plaintext, nonce: nonce.span.bytes, authenticating: header.span.bytes, into: &target,
        at: body)
    } catch {
      throw ContainerError(error)
    }
    let check = Checksum.body(target.bytes.extracting(body..<(body + sealedByteCount)))
    FrameHeader.storeChecks(check, in: &target, at: offset)
    return Format.frameHeaderByteCount + sealedByteCount
  }

  /// Opens the frame in `frame` (header and sealed bytes, lengths already judged) to the front of
  /// `target`.
  ///
  /// - Throws: `.damaged` where the body check does not hold either, else `.tampered`.
  func open(
    _ frame: RawSpan, _ frameHeader: FrameHeader, at place: UInt64,
    into target: inout MutableRawSpan
  ) throws(ContainerError) {
    let half = half(for: frameHeader.type)
    let nonce = nonce(half.base, frameHeader.sequence)
    let sealed = frame.extracting(Format.frameHeaderByteCount..<frameHeader.frameByteCount)
    do {
      unsafe try half.aead.open(
        sealed, nonce: nonce.span.bytes,
        authenticating: frame.extracting(0..<Format.authenticatedByteCount), into: &target)
    } catch where error.code == .authenticationFailed {
      guard Checksum.body(sealed) == frameHeader.check else {
        throw ContainerError(
          .damaged, "\(FrameType.name(frameHeader.type)) frame: sealed bytes changed", at: place)
      }
      throw ContainerError(
        .tampered, "\(FrameType.name(frameHeader.type)) frame: the tag does not hold", at: place)
    } catch {
      throw ContainerError(error, at: place)
    }
  }
}

extension FrameType {
  static func name(_ type: UInt8) -> String {
    switch type {
    case item: "item"
    case value: "value"
    case index: "index"
    case commit: "commit"
    case void: "void"
    default: "type \(type)"
    }
  }
}
