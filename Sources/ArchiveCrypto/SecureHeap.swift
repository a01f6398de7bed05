// Where short secrets are kept: OpenSSL's secure heap (OPENSSL_secure_malloc(3)), whose pages are locked, so that
// they are never swapped, stand between pages that nobody can touch, and are left out of core dumps. It is small:
// 64 KiB is what every system lets a process lock.

internal import COpenSSL

enum SecureHeap {
  /// The longest secret that is kept there. Keys, passphrases, codes and most values are shorter.
  static let largest = 512

  private static let byteCount = 64 << 10
  private static let smallest: Int = 64

  /// What cannot be locked, where the system allows less, is kept there all the same; where there is no secure
  /// heap at all, OpenSSL gives ordinary memory.
  private static let isReady: Bool =
    Library.isReady && CRYPTO_secure_malloc_init(byteCount, smallest) != 0

  /// Memory for a secret of `count` bytes, at most `largest`; ordinary memory when the heap is full.
  static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    _ = isReady
    if let memory = unsafe CRYPTO_secure_malloc(count, nil, 0) { return unsafe memory }
    ERR_clear_error()
    // No input leads here: at most `largest` bytes are asked for. Without them nothing can go on, as where Swift's
    // own allocation fails.
    guard let memory = unsafe CRYPTO_malloc(count, nil, 0) else { fatalError("out of memory") }
    return unsafe memory
  }

  /// Wipes what `allocate` gave, and gives it back.
  static func release(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    unsafe CRYPTO_secure_clear_free(memory, count, nil, 0)
  }
}
