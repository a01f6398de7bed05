// The one seam through which randomness enters: file keys, ids, salts and segments.
//
// Release builds always ask the kernel. Debug builds can be given a fixed stream, so that the
// tests make the same archive twice; that code does not exist in a release build.

internal import ByteCoding
internal import Glibc

package enum Randomness {
  /// Fills `target` from getrandom(2).
  package static func fill(_ target: inout MutableRawSpan) throws(CryptoError) {
    #if DEBUG
      if let fixed = fixedStream {
        fixed.fill(&target)
        return
      }
    #endif
    let failed = unsafe target.withUnsafeMutableBytes { bytes in
      // getentropy(3) is getrandom(2) for 256 bytes at most, all or nothing.
      var done = 0
      while done < bytes.count {
        let count = min(256, bytes.count - done)
        guard unsafe getentropy(bytes.baseAddress!.advanced(by: done), count) == 0 else {
          return true
        }
        done += count
      }
      return false
    }
    if failed {
      throw CryptoError(code: .library, reason: "the kernel gave no random bytes")
    }
  }

  /// `count` random bytes that are no secret: ids, salts.
  package static func bytes(count: Int) throws(CryptoError) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    var span = result.mutableBytes
    try fill(&span)
    return result
  }

  /// `count` random bytes that are a secret: a file key.
  package static func secret(count: Int) throws(CryptoError) -> SecretBytes {
    var result = SecretBytes(count: count)
    var span = result.mutableBytes
    try fill(&span)
    return result
  }

  #if DEBUG
    /// A reproducible stream for tests: SHA-256 over a seed and a counter.
    package final class FixedStream: Sendable {
      private let seed: [UInt8]

      package init(seed: [UInt8]) {
        self.seed = seed
      }

      // The counter is the task's own; see `withFixedStream`.
      fileprivate func fill(_ target: inout MutableRawSpan) {
        var offset = 0
        while offset < target.byteCount {
          var input = seed
          input.append(littleEndian: Randomness.counter.next())
          let block = SHA256.hash(input.bytes)
          let count = min(block.count, target.byteCount - offset)
          target.store(block.bytes.extracting(0..<count), at: offset)
          offset += count
        }
      }
    }

    package final class Counter: @unchecked Sendable {
      private var value: UInt64 = 0

      fileprivate func next() -> UInt64 {
        value += 1
        return value
      }
    }

    @TaskLocal static var fixedStream: FixedStream?
    @TaskLocal static var counter = Counter()

    /// Runs `body` with randomness taken from `seed`, in this task only.
    package static func withFixedStream<R>(
      seed: [UInt8], _ body: () throws -> R
    ) rethrows -> R {
      try $fixedStream.withValue(FixedStream(seed: seed)) {
        try $counter.withValue(Counter()) { try body() }
      }
    }
  #endif
}
