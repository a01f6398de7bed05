// Memory of many megabytes in few pages. The tables of a large file are touched once, from front to back, and with
// pages of 4 KiB the system's work for each first touch takes longer than ours.

#if canImport(Glibc)
  internal import Glibc
#endif

/// Asks the system for large pages where memory that will be filled is large enough for that (madvise(2),
/// MADV_HUGEPAGE): nothing else changes, and what is never touched takes no memory.
package func adviseLargePages(_ memory: UnsafeMutableRawBufferPointer) {
  #if canImport(Glibc)
    let page = 4096
    guard memory.count >= 4 << 20, let start = memory.baseAddress else { return }
    let skipped = (page - Int(bitPattern: start) % page) % page
    // A hint: that it fails means small pages. All of the range is the caller's.
    _ = unsafe madvise(start + skipped, (memory.count - skipped) / page * page, MADV_HUGEPAGE)
  #endif
}

extension Array {
  /// An array without elements, but with room for `count`.
  package init(roomFor count: Int) {
    self = unsafe Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe adviseLargePages(UnsafeMutableRawBufferPointer(buffer))
      initialized = 0
    }
  }

  /// An array of one element so many times.
  package init(inLargePages element: Element, count: Int) {
    self = unsafe Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe adviseLargePages(UnsafeMutableRawBufferPointer(buffer))
      unsafe buffer.initialize(repeating: element)
      initialized = count
    }
  }
}

extension OutputSpan {
  /// As `adviseLargePages`, for the elements that are to come.
  package mutating func expectLargePages() {
    unsafe withUnsafeMutableBufferPointer { buffer, _ in
      unsafe adviseLargePages(UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
