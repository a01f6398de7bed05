// Arrays as raw spans, so that one set of readers serves arrays, secrets and file buffers.

extension [UInt8] {
  /// The array's bytes, borrowed.
  @inlinable package var bytes: RawSpan {
    @_lifetime(borrow self) get { unsafe span.bytes }
  }
}

extension [UInt8] {
  /// The array's bytes, to be changed.
  @inlinable package var mutableBytes: MutableRawSpan {
    @_lifetime(&self) mutating get {
      let bytes = unsafe withUnsafeMutableBytes { unsafe $0 }
      let span = unsafe MutableRawSpan(_unsafeBytes: bytes)
      // The storage is unique and stays in place while `self` is held by the span.
      return unsafe _overrideLifetime(span, mutating: &self)
    }
  }
}

extension [UInt8] {
  /// Appends all of `source`.
  @inlinable package mutating func append(copying source: RawSpan) {
    unsafe source.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}
