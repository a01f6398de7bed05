// Writing into a buffer whose room was reserved once: what encoding and canonical keys write with.

internal import ByteCoding

/// A place in bytes that are being filled. Every write is checked against the end, so a length that
/// was computed wrongly stops the program instead of overwriting something.
struct OutputBytes: ~Copyable, ~Escapable {
  private var target: MutableRawSpan
  private var offset = 0

  /// How many bytes have been written.
  @inline(__always)
  var count: Int { offset }

  @_lifetime(copy target)
  init(_ target: consuming MutableRawSpan) {
    self.target = target
  }

  @inline(__always)
  mutating func append(_ value: UInt8) {
    target.store(value, at: offset)
    offset += 1
  }

  /// Appends a type and a length, as attributes and canonical values begin.
  @inline(__always)
  mutating func append(type: UInt8, byteCount: Int) {
    target.store(type, at: offset)
    target.store(UInt32(truncatingIfNeeded: byteCount), at: offset + 1)
    offset += 5
  }

  @inline(__always)
  mutating func append(_ bits: UInt64) {
    target.store(bits, at: offset)
    offset += 8
  }

  /// Appends the low `byteCount` bytes of `bits`, the lowest first.
  @inline(__always)
  mutating func append(_ bits: UInt64, byteCount: Int) {
    if byteCount == 8 { return append(bits) }
    if byteCount == 4 {
      target.store(UInt32(truncatingIfNeeded: bits), at: offset)
      offset += 4
      return
    }
    for index in 0..<byteCount {
      append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * index)))
    }
  }

  @inline(__always)
  mutating func append(_ source: RawSpan) {
    target.store(source, at: offset)
    offset += source.byteCount
  }

  @inline(__always)
  mutating func append(_ name: ByteName) {
    if name.whole == nil {
      append(name.head.byteSwapped, byteCount: name.byteCount)
    } else if let whole = name.whole {
      append(whole.bytes)
    }
  }

  /// Appends the bytes of a value in its own type.
  @inline(__always)
  mutating func append(_ value: borrowing AttributeValue) {
    switch value {
    case .text(let text): append(text.bytes)
    case .bytes(let bytes), .propertyList(let bytes), .unknown(_, let bytes): append(bytes.bytes)
    case .integer(let number): append(UInt64(bitPattern: number))
    case .date(let number), .real(let number): append(number.bitPattern)
    case .boolean(let isTrue): append(isTrue ? UInt8(1) : 0)
    }
  }
}

extension [UInt8] {
  /// Appends what `fill` writes, `byteCount` bytes at most.
  @inline(__always)
  mutating func append(atMost byteCount: Int, _ fill: (inout OutputBytes) -> Void) {
    append(addingCapacity: byteCount) { output in
      output.append(repeating: 0, count: byteCount)
      var span = output.mutableSpan
      var bytes = OutputBytes(unsafe span.mutableBytes)
      fill(&bytes)
      output.removeLast(byteCount - bytes.count)
    }
  }
}
