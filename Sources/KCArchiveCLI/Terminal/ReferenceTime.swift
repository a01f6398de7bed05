// The clock as the keychain counts it.

internal import Glibc

enum ReferenceTime {
  /// Seconds since 2001-01-01 00:00:00 UTC.
  static func now() -> Float64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Float64(now.tv_sec - 978_307_200) + Float64(now.tv_nsec) / 1e9
  }
}
