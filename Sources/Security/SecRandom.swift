// Random bytes, as the kernel gives them.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import ArchiveCrypto

/// A source of random bytes: there is but one.
public final class SecRandomRef: Sendable {
  private init() {}
}

public let kSecRandomDefault: SecRandomRef? = nil

/// Fills `bytes` with `count` random bytes.
///
/// - Returns: `errSecSuccess`, or `errSecParam` for a negative count, or `errSecIO` where the kernel has none.
public func SecRandomCopyBytes(
  _ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer
) -> Int32 {
  guard count >= 0 else { return errSecParam }
  var target = unsafe MutableRawSpan(_unsafeStart: bytes, byteCount: count)
  do {
    try Randomness.fill(&target)
    return errSecSuccess
  } catch {
    return errSecIO
  }
}
