// Raw deflate (RFC 1951) of value chunks, and the probe that saves trying it on what does not shrink.

internal import ByteCoding
internal import CZlib

/// A deflating stream that serves many chunks. Not for several threads at once.
@safe final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws(ContainerError) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let status = unsafe deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      unsafe stream.deallocate()
      throw ContainerError(.ioFailed, "zlib could not start (\(status))")
    }
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Deflates `source` to `target` at `offset`; nil where it takes more than `limit` bytes.
  func deflate(
    _ source: RawSpan, into target: inout MutableRawSpan, at offset: Int, limit: Int
  ) -> Int? {
    precondition(offset >= 0 && limit >= 0 && limit <= target.byteCount - offset)
    return unsafe source.withUnsafeBytes { input in
      unsafe target.withUnsafeMutableBytes { output -> Int? in
        unsafe deflateReset(stream)
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
          mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        unsafe stream.pointee.avail_in = UInt32(input.count)
        unsafe stream.pointee.next_out =
          output.baseAddress!.assumingMemoryBound(to: UInt8.self) + offset
        unsafe stream.pointee.avail_out = UInt32(limit)
        guard unsafe CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END else { return nil }
        return unsafe limit - Int(stream.pointee.avail_out)
      }
    }
  }
}

/// An inflating stream that serves many chunks. Not for several threads at once.
@safe final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws(ContainerError) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let status = unsafe inflateInit2_(
      stream, -MAX_WBITS, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      unsafe stream.deallocate()
      throw ContainerError(.ioFailed, "zlib could not start (\(status))")
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Inflates `source` to the front of `target`; nil where it is malformed, goes on behind its end
  /// or does not fit.
  func inflate(_ source: RawSpan, into target: inout MutableRawSpan) -> Int? {
    unsafe source.withUnsafeBytes { input in
      unsafe target.withUnsafeMutableBytes { output -> Int? in
        unsafe inflateReset(stream)
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
          mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        unsafe stream.pointee.avail_in = UInt32(input.count)
        unsafe stream.pointee.next_out = output.baseAddress!.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_out = UInt32(output.count)
        guard unsafe CZlib.inflate(stream, Z_FINISH) == Z_STREAM_END,
          unsafe stream.pointee.avail_in == 0
        else { return nil }
        return unsafe output.count - Int(stream.pointee.avail_out)
      }
    }
  }
}

/// Decides chunk by chunk, in their order, whether deflating is worth trying.
struct DeflateProbe {
  private static let probedByteCount = 16 << 10
  private static let skippedAfterMiss = 15
  private var toSkip = 0

  /// The most that a deflated chunk of `count` bytes may take: it has to save a sixteenth.
  static func limit(for count: Int) -> Int {
    count - (count + 15) / 16
  }

  /// Whether `chunk` should be deflated. After a miss the next 15 chunks are not looked at.
  mutating func wants(
    _ chunk: RawSpan, deflater: Deflater, scratch: inout MutableRawSpan
  ) -> Bool {
    guard chunk.byteCount >= Format.smallestDeflated else { return false }
    // A chunk of the probe's own size is its own probe.
    guard chunk.byteCount > Self.probedByteCount else { return true }
    guard toSkip == 0 else {
      toSkip -= 1
      return false
    }
    let probe = chunk.extracting(0..<Self.probedByteCount)
    let limit = Self.limit(for: probe.byteCount)
    if deflater.deflate(probe, into: &scratch, at: 0, limit: limit) != nil { return true }
    toSkip = Self.skippedAfterMiss
    return false
  }
}
