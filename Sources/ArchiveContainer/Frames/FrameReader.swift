// Reads frames one at a time, at random or in their order, with the Spec's order of checks: CRC-32,
// legal length, length against what remains, expected type and place in its segment, tag, padding.

internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc

/// An opened frame; its content stands in `FrameReader.content` until the next one is opened.
struct OpenedFrame {
  let header: FrameHeader
  let place: UInt64
  let code: UInt8
}

/// A reader with its own buffers, for one thread. It never reads a byte of the device twice while it
/// goes forward, so that it serves pipes too.
struct FrameReader: ~Copyable {
  let device: any Device
  private let keys: ArchiveKeys?
  /// Where frames have to end: nothing behind it is looked at.
  var end: UInt64
  /// Whether a commit is known to stand or to end at `end`: a frame that reaches over it was made so,
  /// nothing was cut.
  var endIsKnown = false
  /// How much is read at a time.
  var readAhead: Int

  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0
  private var windowCount = 0
  private var hasRead = false
  private var plaintext: SecretBytes
  private var contentByteCount = 0
  /// The cipher used last: sessions are read one after the other.
  private var cipher: SegmentCipher?

  /// - Parameters:
  ///   - keys: nil for who looks at headers and unkeyed checks only.
  ///   - end: where frames have to end, `UInt64.max` where that is not known.
  ///   - readAhead: 4 KiB for a lookup, more for a scan.
  init(device: any Device, keys: ArchiveKeys?, end: UInt64, readAhead: Int) {
    self.device = device
    self.keys = keys
    self.end = end
    self.readAhead = readAhead
    plaintext = SecretBytes(count: 0, capacity: 4096)
  }

  /// The content of the frame that was opened last.
  var content: RawSpan {
    @_lifetime(borrow self) borrowing get {
      plaintext.bytes.extracting(
        Format.plaintextHeaderByteCount..<(Format.plaintextHeaderByteCount + contentByteCount))
    }
  }

  /// All of its plaintext, every rule on padding held: sealed again as it is, it is the same frame.
  var framePlaintext: RawSpan {
    @_lifetime(borrow self) borrowing get { plaintext.bytes }
  }

  /// The header at `place`.
  ///
  /// - Throws: `.truncated`, `.damaged` (CRC-32), `.tampered` (length out of bounds, or over the commit).
  mutating func header(at place: UInt64) throws(ContainerError) -> FrameHeader {
    guard place <= end, end - place >= UInt64(Format.frameHeaderByteCount) else {
      throw over("the archive ends here", at: place)
    }
    guard let offset = try load(place, Format.frameHeaderByteCount)
    else {
      throw ContainerError(.truncated, "the archive ends here", at: place)
    }
    guard let header = FrameHeader(window.bytes, at: offset) else {
      throw ContainerError(.damaged, "a frame header is damaged", at: place)
    }
    guard header.hasLegalLength else {
      throw ContainerError(.tampered, "a frame of illegal length", at: place)
    }
    guard UInt64(header.frameByteCount) <= end - place else {
      throw over("the archive ends within a frame", at: place)
    }
    return header
  }

  /// The finding for a frame that reaches over `end`.
  private func over(_ reason: String, at place: UInt64) -> ContainerError {
    endIsKnown && place < end
      ? ContainerError(.tampered, "a frame that reaches over its session's end", at: place)
      : ContainerError(.truncated, reason, at: place)
  }

  /// Opens the frame at `place`, whose header was read; its content is then in `content`.
  mutating func open(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> OpenedFrame {
    guard let offset = try load(place, header.frameByteCount) else {
      throw ContainerError(.truncated, "the archive ends within a frame", at: place)
    }
    guard let keys else { preconditionFailure("a reader without keys opens nothing") }
    let cipher =
      if let last = self.cipher, last.segment == header.segment {
        last
      } else {
        try SegmentCipher(keys: keys, segment: header.segment)
      }
    self.cipher = cipher
    let plaintextByteCount = header.sealedByteCount - Format.tagByteCount
    plaintext.prepare(count: plaintextByteCount)
    contentByteCount = 0
    let parsed = try Self.open(
      cipher, window, at: offset, header, place: place, into: &plaintext)
    contentByteCount = parsed.contentByteCount
    return OpenedFrame(header: header, place: place, code: parsed.code)
  }

  /// Apart from `self`, whose buffers can't both be looked into at once.
  private static func open(
    _ cipher: SegmentCipher, _ window: [UInt8], at offset: Int, _ header: FrameHeader,
    place: UInt64, into plaintext: inout SecretBytes
  ) throws(ContainerError) -> (code: UInt8, contentByteCount: Int) {
    let frame = window.bytes.extracting(offset..<(offset + header.frameByteCount))
    var target = plaintext.mutableBytes
    try cipher.open(frame, header, at: place, into: &target)
    return try FramePlaintext.parse(target.bytes, at: place)
  }

  /// Whether the body check of the frame at `place` holds; for who has no key.
  mutating func bodyCheckHolds(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> Bool {
    guard let offset = try load(place, header.frameByteCount) else {
      throw ContainerError(.truncated, "the archive ends within a frame", at: place)
    }
    let start = offset + Format.frameHeaderByteCount
    return Checksum.body(
      window.bytes.extracting(start..<(start + header.sealedByteCount))) == header.check
  }

  /// What is wrong with the VOID at `place`, or nil.
  mutating func voidFinding(
    _ header: FrameHeader, at place: UInt64
  ) throws(ContainerError) -> ContainerError? {
    guard let offset = try load(place, header.frameByteCount) else {
      throw ContainerError(.truncated, "the archive ends within a frame", at: place)
    }
    let start = offset + Format.frameHeaderByteCount
    let sealed = window.bytes.extracting(start..<(start + header.sealedByteCount))
    if header.check == 0, sealed.isZero(0..<sealed.byteCount) { return nil }
    return ContainerError(
      header.check == 0 && Checksum.body(sealed) != 0 ? .damaged : .tampered,
      "a void frame that is not void", at: place)
  }

  /// A copy of `count` bytes at `place`, or nil where they are not all there.
  mutating func bytes(at place: UInt64, count: Int) throws(ContainerError) -> [UInt8]? {
    guard place <= end, UInt64(count) <= end - place, let offset = try load(place, count) else {
      return nil
    }
    return window.bytes.array(at: offset, count: count)
  }

  /// The first place from `start` on, a multiple of 16, where a frame's magic or another stands.
  mutating func nextMagic(
    _ magic: [UInt8] = Format.frameMagic, from start: UInt64
  ) throws(ContainerError) -> UInt64? {
    var place = (start + Format.alignment - 1) & ~(Format.alignment - 1)
    while place < end, end - place >= UInt64(magic.count),
      let offset = try load(place, magic.count)
    {
      if window.bytes.equals(magic, at: offset) { return place }
      place += Format.alignment
    }
    return nil
  }

  /// The first place from `start` on, a multiple of 16 or not, where a frame's magic stands.
  mutating func nextFrame(from start: UInt64) throws(ContainerError) -> UInt64? {
    let byteCount = Format.frameMagic.count
    var place = start
    while place < end, end - place >= UInt64(byteCount),
      let offset = try load(place, byteCount)
    {
      if let found = firstMagic(from: offset) { return windowStart + UInt64(found) }
      // A magic may begin at the very end of the window.
      place = windowStart + UInt64(windowCount - byteCount + 1)
    }
    return nil
  }

  /// Where in the window the first frame magic from `offset` on stands.
  private func firstMagic(from offset: Int) -> Int? {
    let bytes = window.bytes
    let wanted = Format.frameMagic
    let magic = wanted.bytes.u32(at: 0)
    // One load and one comparison a byte: what is searched may be all of a large file.
    for place in offset...(windowCount - 4) where bytes.u32(at: place) == magic { return place }
    return nil
  }

  /// Makes `count` bytes at `place` stand in the window.
  ///
  /// - Returns: their offset in the window, or nil where the device ends before.
  private mutating func load(_ place: UInt64, _ count: Int) throws(ContainerError) -> Int? {
    if place >= windowStart, place - windowStart <= UInt64(windowCount),
      count <= windowCount - Int(place - windowStart)
    {
      return Int(place - windowStart)
    }
    // What is there already is kept: a pipe does not give it again.
    var kept = 0
    if place >= windowStart, place - windowStart < UInt64(windowCount) {
      let offset = Int(place - windowStart)
      kept = windowCount - offset
      if offset > 0 {
        unsafe window.withUnsafeMutableBytes { bytes in
          _ = unsafe memmove(bytes.baseAddress!, bytes.baseAddress! + offset, kept)
        }
      }
    } else if !device.isSeekable, hasRead {
      // Before the first read, a pipe stands where its reader begins: behind the header.
      guard try skip(to: place) else { return nil }
    }
    hasRead = true
    windowStart = place
    windowCount = kept
    var wanted = max(count, readAhead)
    if end - place < UInt64(wanted) { wanted = Int(end - place) }
    guard wanted >= count else { return nil }
    if window.count < wanted { growWindow(to: wanted) }
    windowCount += try device.fetch(into: &window, kept..<wanted, at: place + UInt64(kept))
    return windowCount >= count ? 0 : nil
  }

  /// Makes room for `count` bytes; those that are there stay. In one stroke: debug builds append
  /// byte by byte.
  private mutating func growWindow(to count: Int) {
    let old = window
    window = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
      unsafe memset(target.baseAddress!, 0, count)
      unsafe old.withUnsafeBytes { source in
        if old.count > 0 { unsafe memcpy(target.baseAddress!, source.baseAddress!, old.count) }
      }
      initialized = count
    }
  }

  /// Reads and forgets what a pipe gives up to `place`.
  ///
  /// - Returns: whether there is so much.
  private mutating func skip(to place: UInt64) throws(ContainerError) -> Bool {
    windowStart += UInt64(windowCount)
    windowCount = 0
    var scratch = [UInt8](repeating: 0, count: 64 << 10)
    while windowStart < place {
      let count = Int(min(UInt64(scratch.count), place - windowStart))
      let done = try device.fetch(into: &scratch, 0..<count, at: windowStart)
      if done == 0 { return false }
      windowStart += UInt64(done)
    }
    return true
  }
}
