// Appending to a buffer whose room was reserved once: what encoding and canonical keys write with.

internal import ByteCoding

// Appending beyond the reserved room stops the program, as `OutputSpan` does itself; the callers
// reserve what they have computed from the same values.
extension OutputSpan<UInt8> {
  /// Appends the `count` (at most 8) low bytes of `bits`, the lowest first.
  @inline(__always)
  mutating func append(littleEndian bits: UInt64, count: Int) {
    var rest = bits
    for _ in 0..<count {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  @inline(__always)
  mutating func append(_ source: RawSpan) {
    let count = source.byteCount
    precondition(count <= freeCapacity)
    guard count > 0 else { return }
    unsafe withUnsafeMutableBufferPointer { target, initializedCount in
      unsafe source.withUnsafeBytes { bytes in
        unsafe UnsafeMutableRawPointer(target.baseAddress! + initializedCount)
          .copyMemory(from: bytes.baseAddress!, byteCount: count)
      }
      initializedCount += count
    }
  }

  @inline(__always)
  mutating func append(_ name: ByteName) {
    if let whole = name.whole {
      append(whole.bytes)
    } else {
      append(littleEndian: name.head.byteSwapped, count: name.byteCount)
    }
  }

  /// Appends the bytes of a text, or of a value that is bytes; nothing for a number.
  @inline(__always)
  mutating func appendOwnBytes(of value: AttributeValue) {
    switch value {
    case .text(let text): append(text.bytes)
    case .bytes(let bytes), .propertyList(let bytes), .unknown(_, let bytes): append(bytes.bytes)
    case .integer, .date, .boolean, .real: break
    }
  }
}
