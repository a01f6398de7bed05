// Arrays as raw spans, so that one set of readers serves arrays, secrets and file buffers.

extension [UInt8] {
  /// The array's bytes, borrowed.
  @inlinable package var bytes: RawSpan {
    @_lifetime(borrow self) get { unsafe span.bytes }
  }
}
