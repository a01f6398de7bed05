// Numbers as people read them: grouped counts, sizes in binary units, durations.

/// `1204` as `1,204`.
package func grouped(_ number: UInt64) -> String {
  let digits = Array(String(number).utf8)
  var text: [UInt8] = []
  for (index, digit) in digits.enumerated() {
    if index > 0 && (digits.count - index) % 3 == 0 { text.append(UInt8(ascii: ",")) }
    text.append(digit)
  }
  return String(decoding: text, as: UTF8.self)
}

/// `(1204, "item")` as `1,204 items`, `(1, "item")` as `1 item`. `plural` for nouns that take no `s`.
package func counted(_ number: UInt64, _ noun: String, plural: String? = nil) -> String {
  grouped(number) + " " + (number == 1 ? noun : plural ?? noun + "s")
}

/// A size for people: `612 bytes`, `2.0 KiB`, `48.2 MiB`; one digit behind the point, rounded half up.
package func sizeText(_ byteCount: UInt64) -> String {
  guard byteCount >= 1024 else { return counted(byteCount, "byte") }
  let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
  var unit = 0
  var shift: UInt64 = 10
  // The next unit also where rounding would give 1024.0 of this one.
  while unit < units.count - 1 && tenths(byteCount, shift: shift) >= 10240 {
    unit += 1
    shift += 10
  }
  let value = tenths(byteCount, shift: shift)
  return "\(grouped(value / 10)).\(value % 10) \(units[unit])"
}

/// `byteCount` in tenths of 2^`shift`, rounded half up. The parts are taken one by one, as ten times
/// a large count would not fit.
private func tenths(_ byteCount: UInt64, shift: UInt64) -> UInt64 {
  let rest = byteCount & ((1 << shift) - 1)
  // The rest has at most 60 bits, ten times that fits 64.
  return (byteCount >> shift) * 10 + ((rest * 10 + (1 << (shift - 1))) >> shift)
}

/// Seconds as `0:07`, `12:34` or `3:25:00`.
package func durationText(seconds: UInt64) -> String {
  let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
  let tail = (rest < 10 ? "0" : "") + String(rest)
  guard hours > 0 else { return "\(minutes):\(tail)" }
  return "\(hours):" + (minutes < 10 ? "0" : "") + "\(minutes):\(tail)"
}
