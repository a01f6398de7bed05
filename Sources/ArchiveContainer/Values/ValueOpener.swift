// Opens the chunks of a value and hands them out in order, on all cores where there are many.

internal import ArchiveCrypto
internal import ByteCoding

/// Takes the bytes of a value in order. Called by one thread at a time, not always the same.
package protocol ValueSink: AnyObject {
  func write(_ bytes: RawSpan) throws(ContainerError)
}

/// One value on its way from a seekable device to its sink.
///
/// Unchecked, because what it shares is guarded by `OrderedWork`: the place is touched only while a
/// ticket is taken, the rules and the sink only in turn.
package final class ValueOpener: @unchecked Sendable {
  private let device: any Device
  private let keys: ArchiveKeys
  private let item: ItemRecord
  private let sink: any ValueSink
  private let end: UInt64
  private let work = OrderedWork()
  private var place: UInt64
  private var rules: ChunkRules

  private static let mostWorkers = 8

  /// - Parameter end: where the item's session ends: a value never reaches over it.
  package init(
    _ item: ItemRecord, of archive: OpenedArchive, into sink: any ValueSink
  ) {
    device = archive.device
    keys = archive.keys
    end = archive.commit.place
    self.item = item
    self.sink = sink
    place = item.valuePlace
    rules = ChunkRules(item)
  }

  /// Opens all chunks; the sink has got everything when this returns.
  ///
  /// - Throws: the family of the first chunk that is not as it should be; the sink has got what
  ///   stands before it.
  package func run() throws(ContainerError) {
    guard item.hasValue else { return }
    let isSmall = item.valueByteCount.map { $0 <= UInt64(4 * Format.chunkByteCount) } ?? false
    try work.run(limit: isSmall ? 1 : Self.mostWorkers) { [self] in
      do throws(ContainerError) {
        try open()
      } catch {
        work.fail(error)
      }
    }
    guard rules.isComplete else {
      // What follows is no chunk of it: damage there is told as what it is.
      var frame = [UInt8](repeating: 0, count: Format.frameHeaderByteCount)
      _ = try readFrame(number: rules.nextSequence &- item.sequence &- 1, &frame)
      throw ContainerError(.tampered, "value: it ends early", at: place)
    }
  }

  /// One worker: chunk after chunk until the last.
  private func open() throws(ContainerError) {
    let cipher = try SegmentCipher(keys: keys, segment: item.segment)
    let inflater = try Inflater()
    let frameCapacity =
      Format.frameHeaderByteCount + Format.largestPlaintext + Format.tagByteCount
    let capacity =
      item.valueByteCount.map { Int(min($0, UInt64(frameCapacity))) + 4096 } ?? frameCapacity
    var frame = [UInt8](repeating: 0, count: min(capacity, frameCapacity))
    var plaintext = SecretBytes(count: 0, capacity: min(capacity, Format.largestPlaintext))
    var inflated = SecretBytes(count: 0)

    while true {
      var header: FrameHeader?
      var framePlace: UInt64 = 0
      var failure: ContainerError?
      let ticket = work.takeTicket { ticket throws(ContainerError) in
        framePlace = place
        do throws(ContainerError) {
          let (next, isLast) = try readFrame(number: UInt32(truncatingIfNeeded: ticket), &frame)
          header = next
          place += UInt64(next.frameByteCount)
          return isLast ? .last : .more
        } catch {
          failure = error
          return .last
        }
      }
      guard let ticket else { return }
      // What is wrong with a chunk is told in turn: the chunks before it are given out first, and
      // what only looks like a chunk behind the last costs nothing.
      guard let header else {
        work.inTurn(ticket) { () throws(ContainerError) in try fail(failure) }
        return
      }
      do throws(ContainerError) {
        try openChunk(
          ticket, header, at: framePlace, frame, cipher, inflater, &plaintext, &inflated)
      } catch {
        work.inTurn(ticket) { () throws(ContainerError) in try fail(error) }
      }
    }
  }

  /// Fails with `error`, unless the value is complete without the chunk that it is about.
  private func fail(_ error: ContainerError?) throws(ContainerError) {
    if let error, !rules.isComplete { throw error }
  }

  /// Opens the chunk in `frame` and delivers it in turn.
  private func openChunk(
    _ ticket: Int, _ header: FrameHeader, at framePlace: UInt64, _ frame: [UInt8],
    _ cipher: SegmentCipher, _ inflater: Inflater, _ plaintext: inout SecretBytes,
    _ inflated: inout SecretBytes
  ) throws(ContainerError) {
    plaintext.prepare(count: header.sealedByteCount - Format.tagByteCount)
    let (code, contentByteCount) = try Self.decrypt(
      cipher, frame.bytes.extracting(0..<header.frameByteCount), header, at: framePlace,
      into: &plaintext)
    let content = plaintext.bytes.extracting(8..<(8 + contentByteCount))
    guard code & 2 != 0 else {
      work.inTurn(ticket) { () throws(ContainerError) in
        try deliver(content, code: code, at: framePlace)
      }
      return
    }
    let count = try inflater.inflate(content, into: &inflated, at: framePlace)
    let raw = inflated.bytes.extracting(0..<count)
    work.inTurn(ticket) { () throws(ContainerError) in
      try deliver(raw, code: code, at: framePlace)
    }
  }

  private func deliver(_ raw: RawSpan, code: UInt8, at place: UInt64) throws(ContainerError) {
    // The first chunk with the last mark ends the value; one that claims to follow it is not its own.
    guard !rules.isComplete else { return }
    try rules.take(code: code, rawByteCount: raw.byteCount, at: place)
    try sink.write(raw)
  }

  /// Reads the frame at `place`; every check but the tag. Whether it is the last is known from the code, under the seal; the
  /// next frame's header tells as much: it is no VALUE, or another session's end.
  private func readFrame(
    number: UInt32, _ frame: inout [UInt8]
  ) throws(ContainerError) -> (header: FrameHeader, isLast: Bool) {
    let headerByteCount = Format.frameHeaderByteCount
    let limit = end > place ? end - place : 0
    var wanted = Int(min(UInt64(frame.count), limit))
    var count = try device.fetch(into: &frame, 0..<wanted, at: place)
    guard count >= headerByteCount else {
      throw ContainerError(.truncated, "the archive ends within a value", at: place)
    }
    guard let header = FrameHeader(frame.bytes, at: 0) else {
      throw ContainerError(.damaged, "a frame header is damaged", at: place)
    }
    guard header.hasLegalLength else {
      throw ContainerError(.tampered, "a frame of illegal length", at: place)
    }
    guard header.type == FrameType.value, header.segment == item.segment,
      header.sequence == item.sequence &+ 1 &+ number
    else {
      throw ContainerError(.tampered, "no value chunk where one should be", at: place)
    }
    guard UInt64(header.frameByteCount) <= limit else {
      throw ContainerError(.tampered, "a frame that reaches over the commit", at: place)
    }
    if count < header.frameByteCount {
      if frame.count < header.frameByteCount {
        frame.append(contentsOf: repeatElement(0, count: header.frameByteCount - frame.count))
      }
      wanted = header.frameByteCount
      count += try device.fetch(into: &frame, count..<wanted, at: place + UInt64(count))
      guard count == wanted else {
        throw ContainerError(.truncated, "the archive ends within a value", at: place)
      }
    }
    return (header, try isLast(header))
  }

  /// Whether the value ends with the frame at `place`.
  private func isLast(_ header: FrameHeader) throws(ContainerError) -> Bool {
    let next = place + UInt64(header.frameByteCount)
    var bytes = [UInt8](repeating: 0, count: Format.frameHeaderByteCount)
    guard next < end,
      try device.fetch(into: &bytes, 0..<bytes.count, at: next) == bytes.count,
      let following = FrameHeader(bytes.bytes, at: 0)
    else { return true }
    return
      !(following.type == FrameType.value && following.segment == header.segment
      && following.sequence == header.sequence &+ 1)
  }

  private static func decrypt(
    _ cipher: SegmentCipher, _ frame: RawSpan, _ header: FrameHeader, at place: UInt64,
    into plaintext: inout SecretBytes
  ) throws(ContainerError) -> (code: UInt8, contentByteCount: Int) {
    var target = plaintext.mutableBytes
    try cipher.open(frame, header, at: place, into: &target)
    return try FramePlaintext.parse(target.bytes, at: place)
  }
}
