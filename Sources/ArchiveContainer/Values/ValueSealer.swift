// Seals the chunks of a value into VALUE frames, on all cores when there are many.

internal import ArchiveCrypto
internal import ByteCoding

/// One value on its way from its source to the device.
///
/// Unchecked, because what it shares is guarded by `OrderedWork`: the source and the probe are touched
/// only while a ticket is taken, the device and the totals only in turn.
final class ValueSealer: @unchecked Sendable {
  private let source: any ValueSource
  private let device: any Device
  private let keys: ArchiveKeys
  private let segment: Segment
  private let firstSequence: UInt32
  private let frameLimit: UInt32
  private let compresses: Bool
  private let work = OrderedWork()

  private var probe = DeflateProbe()
  /// A byte read ahead, to know whether a full chunk is the last.
  private var carried: SecretBytes
  private var readByteCount: UInt64 = 0

  /// Where the next frame goes.
  private(set) var position: UInt64
  private(set) var chunkCount: UInt32 = 0

  /// More than this many workers only cost memory: 3 MiB each.
  private static let mostWorkers = 8

  init(
    _ source: any ValueSource, device: any Device, keys: ArchiveKeys, segment: Segment,
    sequence: UInt32, frameLimit: UInt32, position: UInt64, compresses: Bool
  ) {
    self.source = source
    self.device = device
    self.keys = keys
    self.segment = segment
    firstSequence = sequence
    self.frameLimit = frameLimit
    self.position = position
    self.compresses = compresses
    carried = SecretBytes(count: 0, capacity: 1)
  }

  /// Reads, seals and writes all of the value.
  func run() throws(ContainerError) {
    let isSmall = source.byteCount.map { $0 <= UInt64(4 * Format.chunkByteCount) } ?? false
    try work.run(limit: isSmall ? 1 : Self.mostWorkers) { [self] in
      do throws(ContainerError) {
        try seal()
      } catch {
        work.fail(error)
      }
    }
    if let expected = source.byteCount, readByteCount != expected {
      throw ContainerError(
        .sourceFailed,
        "it has \(readByteCount) bytes and had \(expected) a moment ago: it changed while it was read"
      )
    }
  }

  /// One worker: chunk after chunk until the source ends.
  private func seal() throws(ContainerError) {
    let cipher = try SegmentCipher(keys: keys, segment: segment)
    let deflater = compresses ? try Deflater() : nil
    var raw = SecretBytes(count: Format.largestPlaintext)
    var deflated = SecretBytes(count: compresses ? Format.largestPlaintext : 0)
    var frame = [UInt8](
      repeating: 0,
      count: Format.frameHeaderByteCount + Format.largestPlaintext + Format.tagByteCount)

    while true {
      var contentByteCount = 0
      var isLast = false
      var deflates = false
      let ticket = work.takeTicket { ticket throws(ContainerError) in
        guard ticket < frameLimit - firstSequence else {
          throw ContainerError(.refusedByLimit, "more frames than a session can have")
        }
        raw.resize(to: Format.largestPlaintext)
        (contentByteCount, isLast) = try readChunk(into: &raw)
        if let deflater {
          let chunk = raw.bytes.extracting(8..<(8 + contentByteCount))
          var scratch = deflated.mutableBytes
          deflates = probe.wants(chunk, deflater: deflater, scratch: &scratch)
        }
        return isLast ? .last : .more
      }
      guard let ticket else { return }

      var frameByteCount = 0
      var target = frame.mutableBytes
      let sequence = firstSequence + UInt32(ticket)
      if deflates, let deflater,
        let count = Self.deflate(&deflated, raw.bytes, contentByteCount, deflater)
      {
        let padded = FramePlaintext.finish(
          &deflated, code: (isLast ? 1 : 0) | 2, contentByteCount: count)
        frameByteCount = try cipher.seal(
          deflated.bytes.extracting(0..<padded), type: FrameType.value, sequence: sequence,
          into: &target)
        deflated.resize(to: deflated.capacity)
      } else {
        let padded = FramePlaintext.finish(
          &raw, code: isLast ? 1 : 0, contentByteCount: contentByteCount)
        frameByteCount = try cipher.seal(
          raw.bytes.extracting(0..<padded), type: FrameType.value, sequence: sequence,
          into: &target)
      }
      let sealed = frame.bytes.extracting(0..<frameByteCount)
      work.inTurn(ticket) { () throws(ContainerError) in
        try device.put(sealed, at: position)
        position += UInt64(frameByteCount)
        chunkCount += 1
        device.startSync(below: position)
      }
    }
  }

  /// Fills a plaintext's content from the source. Known lengths tell which chunk is the last; of
  /// others a byte is read ahead, for a full chunk may be the last one too.
  private func readChunk(
    into raw: inout SecretBytes
  ) throws(ContainerError) -> (count: Int, isLast: Bool) {
    var target = raw.mutableBytes
    let start = Format.plaintextHeaderByteCount
    var count = 0
    if carried.count == 1 {
      carried.withBytes { target.store($0, at: start) }
      carried.wipe()
      count = 1
    }
    var rest = target._mutatingExtracting((start + count)..<(start + Format.chunkByteCount))
    count += try source.read(into: &rest)
    readByteCount += UInt64(count)
    guard readByteCount <= Format.mostValueBytes else {
      throw ContainerError(.refusedByLimit, "a value of more than 8 TiB")
    }
    guard count == Format.chunkByteCount else { return (count, true) }
    if let expected = source.byteCount, readByteCount < expected { return (count, false) }

    var ahead = SecretBytes(count: 1)
    var aheadTarget = ahead.mutableBytes
    guard try source.read(into: &aheadTarget) == 1 else { return (count, true) }
    carried.append(ahead.bytes)
    return (count, false)
  }

  private static func deflate(
    _ deflated: inout SecretBytes, _ raw: RawSpan, _ contentByteCount: Int, _ deflater: Deflater
  ) -> Int? {
    let chunk = raw.extracting(8..<(8 + contentByteCount))
    var target = deflated.mutableBytes
    return deflater.deflate(
      chunk, into: &target, at: Format.plaintextHeaderByteCount,
      limit: DeflateProbe.limit(for: contentByteCount))
  }
}
