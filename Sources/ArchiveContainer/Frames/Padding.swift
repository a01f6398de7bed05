// How long a frame's plaintext is made, so that its length tells little about its content.

package enum Padding {
  /// P(x) = max(64, Padmé(x) rounded up to a multiple of 64), for the 8 + n bytes of a plaintext.
  ///
  /// Padmé (Nikitin et al., PETS 2019) keeps the top bits of a length: at most 12 % more.
  package static func paddedByteCount(_ count: Int) -> Int {
    guard count > 64 else { return 64 }
    let e = Int.bitWidth - 1 - count.leadingZeroBitCount
    let s = Int.bitWidth - 1 - e.leadingZeroBitCount + 1
    let mask = 1 << max(0, e - s) - 1
    let padme = (count + mask) & ~mask
    return (padme + 63) & ~63
  }
}
