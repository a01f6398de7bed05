// Names that are compared, sorted and found by their UTF-8 bytes: column names and item classes.
//
// Nearly all of them have four bytes, and every attribute of every item has one, so a short name is
// a number and comparing two of them is one instruction. `==` on String would also be wrong here: it
// takes canonically equivalent names for equal, and the format compares bytes.

internal import ByteCoding

/// A name in UTF-8, ordered as its bytes are (a prefix before what it begins).
struct ByteName: Sendable {
  /// The first eight bytes, the first one most significant, zeros where the name is shorter.
  let head: UInt64

  /// The name where `head` alone does not say it: over eight bytes, or with a zero byte in it.
  let whole: [UInt8]?

  init(_ text: String) {
    var head: UInt64 = 0
    var count = 0
    var isShort = true
    for byte in text.utf8 {
      guard count < 8 else {
        isShort = false
        break
      }
      head |= UInt64(byte) << UInt64(56 - 8 * count)
      if byte == 0 { isShort = false }
      count += 1
    }
    self.head = head
    whole = isShort ? nil : Array(text.utf8)
  }

  /// The name at `range`, or nil when its bytes are no UTF-8. The caller has checked the range.
  @inline(__always)
  static func decode(_ bytes: RawSpan, _ range: Range<Int>) -> ByteName? {
    if range.count == 4 {
      let code = bytes.u32(at: range.lowerBound).byteSwapped
      // ASCII without a zero byte: with no high bit set, taking one from each byte borrows for
      // zeros alone.
      if (code | (code &- 0x0101_0101)) & 0x8080_8080 == 0 {
        return ByteName(head: UInt64(code) << 32, whole: nil)
      }
    }
    return String(utf8: bytes.extracting(range)).map { ByteName($0) }
  }

  private init(head: UInt64, whole: [UInt8]?) {
    self.head = head
    self.whole = whole
  }

  var byteCount: Int {
    whole?.count ?? (64 - head.trailingZeroBitCount + 7) / 8
  }

  var text: String {
    if let whole { return String(decoding: whole, as: UTF8.self) }
    let count = byteCount
    return unsafe String(unsafeUninitializedCapacity: 8) { target in
      for index in 0..<count {
        unsafe target[index] = UInt8(truncatingIfNeeded: head >> UInt64(56 - 8 * index))
      }
      return count
    }
  }
}

extension ByteName: Comparable {
  @inline(__always)
  static func == (left: ByteName, right: ByteName) -> Bool {
    guard left.head == right.head else { return false }
    guard let leftWhole = left.whole, let rightWhole = right.whole else {
      return left.whole == nil && right.whole == nil
    }
    return leftWhole == rightWhole
  }

  @inline(__always)
  static func < (left: ByteName, right: ByteName) -> Bool {
    guard left.head == right.head else { return left.head < right.head }
    // With equal heads a short name is a proper prefix of the long one.
    guard let rightWhole = right.whole else { return false }
    guard let leftWhole = left.whole else { return true }
    return leftWhole.lexicographicallyPrecedes(rightWhole)
  }
}

extension ByteName: Hashable {
  func hash(into hasher: inout Hasher) {
    hasher.combine(head)
    if let whole { unsafe whole.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
  }
}

extension String {
  /// The UTF-8 bytes, borrowed.
  var bytes: RawSpan {
    @_lifetime(borrow self) get { unsafe utf8Span.span.bytes }
  }

  /// A copy of `bytes` if they are well-formed UTF-8, else nil.
  init?(utf8 bytes: RawSpan) {
    guard let text = try? UTF8Span(validating: Span(_bytes: bytes)) else { return nil }
    self.init(copying: text)
  }

  /// Equality as the format has it: byte for byte, where `==` would take canonically equivalent
  /// texts for equal.
  func hasSameBytes(as other: String) -> Bool {
    bytes.hasSameBytes(as: other.bytes)
  }
}

extension RawSpan {
  /// Whether both spans hold the same bytes. Not for secrets: it stops at the first difference.
  func hasSameBytes(as other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    var offset = 0
    while offset + 8 <= byteCount {
      if u64(at: offset) != other.u64(at: offset) { return false }
      offset += 8
    }
    while offset < byteCount {
      if u8(at: offset) != other.u8(at: offset) { return false }
      offset += 1
    }
    return true
  }
}
