// Fixed-width little-endian integers in spans: the one place that turns bytes into numbers and back.
//
// The container's layout is fixed offsets in areas whose length was checked once, so these read at an
// offset and stop the program on a range that is not there. Text whose lengths come from the input
// itself is read with `ByteReader`, which throws.

extension RawSpan {
  @inlinable package func u8(at offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  @inlinable package func u16(at offset: Int) -> UInt16 {
    unsafe UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// Three bytes, as the frame header's sealed length has them.
  @inlinable package func u24(at offset: Int) -> UInt32 {
    UInt32(u16(at: offset)) | UInt32(u8(at: offset + 2)) << 16
  }

  @inlinable package func u32(at offset: Int) -> UInt32 {
    unsafe UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inlinable package func u64(at offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// A copy of `count` bytes from `offset`.
  @inlinable package func array(at offset: Int, count: Int) -> [UInt8] {
    let part = extracting(offset..<(offset + count))
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
      unsafe part.withUnsafeBytes { source in
        if let base = source.baseAddress, count > 0 {
          unsafe UnsafeMutableRawPointer(target.baseAddress!).copyMemory(
            from: base, byteCount: count)
        }
      }
      initialized = count
    }
  }

  /// Whether all bytes of `range` are zero.
  @inlinable package func isZero(_ range: Range<Int>) -> Bool {
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound {
      if u64(at: offset) != 0 { return false }
      offset += 8
    }
    while offset < range.upperBound {
      if u8(at: offset) != 0 { return false }
      offset += 1
    }
    return true
  }

  /// Whether the bytes of `range` are exactly `expected`. Not for secrets: it stops at the first
  /// difference.
  @inlinable package func equals(_ expected: [UInt8], at offset: Int) -> Bool {
    equals(expected.bytes, at: offset)
  }

  /// Whether the bytes from `offset` on are exactly `expected`. Not for secrets, either.
  @inlinable package func equals(_ expected: RawSpan, at offset: Int) -> Bool {
    for index in 0..<expected.byteCount where u8(at: offset + index) != expected.u8(at: index) {
      return false
    }
    return true
  }
}

extension MutableRawSpan {
  @inlinable package mutating func store(_ value: UInt8, at offset: Int) {
    storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
  }

  @inlinable package mutating func store(_ value: UInt16, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt16.self)
  }

  /// The low three bytes of `value`.
  @inlinable package mutating func store24(_ value: UInt32, at offset: Int) {
    store(UInt16(truncatingIfNeeded: value), at: offset)
    store(UInt8(truncatingIfNeeded: value >> 16), at: offset + 2)
  }

  @inlinable package mutating func store(_ value: UInt32, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
  }

  @inlinable package mutating func store(_ value: UInt64, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Copies all of `source` to `offset`.
  @inlinable package mutating func store(_ source: RawSpan, at offset: Int) {
    precondition(offset >= 0 && source.byteCount <= byteCount - offset)
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress, bytes.count > 0 {
          unsafe target.baseAddress!.advanced(by: offset).copyMemory(
            from: base, byteCount: bytes.count)
        }
      }
    }
  }

  @inlinable package mutating func store(_ source: [UInt8], at offset: Int) {
    store(source.bytes, at: offset)
  }

  @inlinable package mutating func zero(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    unsafe withUnsafeMutableBytes { target in
      if range.count > 0 {
        _ = unsafe UnsafeMutableRawBufferPointer(rebasing: target[range]).initializeMemory(
          as: UInt8.self, repeating: 0)
      }
    }
  }
}

extension [UInt8] {
  /// Appends the little-endian bytes of `value`.
  @inlinable package mutating func append(littleEndian value: some FixedWidthInteger) {
    var rest = value
    for _ in 0..<(type(of: value).bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}
