// The one type that holds secrets: file keys, derived keys, passphrases, values in the clear.
//
// It has a fixed capacity, is never copied implicitly and wipes the whole capacity when it goes
// (`OPENSSL_cleanse`, which the optimiser may not remove), also where only a part was ever used. Short ones are in
// locked memory (SecureHeap.swift).

internal import ByteCoding
internal import COpenSSL

/// A buffer of fixed capacity whose memory is wiped before it is given back.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {
  @usableFromInline let base: UnsafeMutableRawPointer

  /// How many bytes the buffer can hold.
  package let capacity: Int

  /// How many bytes are in use; those behind are never shown by `bytes`.
  package private(set) var count: Int

  /// A buffer of `count` zero bytes, able to hold `capacity`.
  package init(count: Int, capacity: Int? = nil) {
    let capacity = max(count, capacity ?? count, 1)
    unsafe base =
      capacity <= SecureHeap.largest
      ? SecureHeap.allocate(capacity) : .allocate(byteCount: capacity, alignment: 64)
    unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
    self.capacity = capacity
    self.count = count
  }

  /// A copy of `source`. Whoever holds `source` still has to wipe it.
  package init(copying source: RawSpan) {
    self.init(count: source.byteCount)
    var target = mutableBytes
    target.store(source, at: 0)
  }

  deinit {
    guard capacity > SecureHeap.largest else {
      unsafe SecureHeap.release(base, capacity)
      return
    }
    unsafe OPENSSL_cleanse(base, capacity)
    unsafe base.deallocate()
  }

  /// The bytes in use.
  package var bytes: RawSpan {
    @_lifetime(borrow self) borrowing get {
      let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The bytes in use, to be changed.
  package var mutableBytes: MutableRawSpan {
    @_lifetime(&self) mutating get {
      let span = unsafe MutableRawSpan(_unsafeStart: base, byteCount: count)
      return unsafe _overrideLifetime(span, mutating: &self)
    }
  }

  /// The bytes in use, for a secret that is held by a class: `bytes` can't be borrowed from there.
  package borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try body(bytes)
  }

  /// Sets how many bytes are in use. What lies beyond keeps its content until the buffer goes.
  package mutating func resize(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= capacity)
    count = newCount
  }

  /// Makes room for `newCount` bytes, which the caller writes next: their content is any. A buffer
  /// that is too small is wiped and replaced.
  package mutating func prepare(count newCount: Int) {
    precondition(newCount >= 0)
    if newCount > capacity {
      self = SecretBytes(count: newCount)
    } else {
      count = newCount
    }
  }

  /// Moves the content into a buffer of `newCapacity` bytes, at least as many as are in use.
  package mutating func grow(to newCapacity: Int) {
    var larger = SecretBytes(count: 0, capacity: max(count, newCapacity))
    larger.append(bytes)
    self = larger
  }

  /// Drops the first `removed` bytes; the others move to the front.
  package mutating func removeFirst(_ removed: Int) {
    precondition(removed >= 0 && removed <= count)
    // The ranges may overlap: this is memmove.
    unsafe base.copyMemory(from: base + removed, byteCount: count - removed)
    count -= removed
  }

  /// Wipes everything and leaves no byte in use.
  package mutating func wipe() {
    unsafe OPENSSL_cleanse(base, capacity)
    count = 0
  }

  /// Appends `source`; the caller has made sure that it fits.
  package mutating func append(_ source: RawSpan) {
    let start = count
    resize(to: count + source.byteCount)
    var target = mutableBytes
    target.store(source, at: start)
  }

  /// A second buffer with the same content.
  package borrowing func copy() -> SecretBytes {
    SecretBytes(copying: bytes)
  }
}

/// Whether two secrets are equal, in a time that depends on their lengths only.
package func constantTimeEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
  guard left.byteCount == right.byteCount else { return false }
  guard left.byteCount > 0 else { return true }
  return unsafe left.withUnsafeBytes { a in
    unsafe right.withUnsafeBytes { b in
      unsafe CRYPTO_memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0
    }
  }
}
