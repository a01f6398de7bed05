// Which keys look as if their values were secret (Spec/item-model.md, "Keys that look secret"): whole words, so
// that `pin` is found in `userPIN` and not in `mapping`.

/// The words of keys.
enum SecretWords {
  /// Words that make a key look secret, without a plural's `s`.
  private static let words: Set<[UInt8]> = Set(
    [
      "password", "passphrase", "passcode", "passwd", "pwd", "token", "secret", "credential", "pin",
      "session", "cookie", "otp", "totp", "seed", "refresh", "bearer", "auth", "oauth", "login",
      "udid",
      // Two words in one.
      "apikey", "licensekey", "privatekey", "accesstoken", "authtoken", "refreshtoken",
      "sessiontoken", "clientsecret", "deviceuuid", "deviceidentifier", "deviceid",
    ].map { Array($0.utf8) })

  /// Words that do with `key` behind them.
  private static let kindsOfKeys: Set<[UInt8]> = Set(
    ["api", "license", "private"].map { Array($0.utf8) })
  private static let key = Array("key".utf8)

  /// Words that do beside `device`.
  private static let identifiers: Set<[UInt8]> = Set(
    ["uuid", "identifier", "id"].map { Array($0.utf8) })
  private static let device = Array("device".utf8)

  /// Whether the key, in UTF-8, looks as if its value were secret.
  static func isSecret(_ key: [UInt8]) -> Bool {
    let found = split(key).map(singular)
    for (index, word) in found.enumerated() {
      if words.contains(word) { return true }
      if word == self.key, index > 0, kindsOfKeys.contains(found[index - 1]) { return true }
    }
    return found.contains(device) && found.contains(where: identifiers.contains)
  }

  /// The word without a plural's `s`.
  private static func singular(_ word: [UInt8]) -> [UInt8] {
    word.count > 2 && word.last == UInt8(ascii: "s") ? word.dropLast() : word
  }

  private enum Kind { case upper, lower, digit, other }

  private static func kind(_ byte: UInt8) -> Kind {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
    // Letters beyond ASCII belong to the word that they stand in.
    case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...: .lower
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
    default: .other
    }
  }

  /// The words of a key in lower case, without digits and punctuation: `OAuth2Token` has `o`, `auth`, `token`.
  static func split(_ key: [UInt8]) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    var previous = Kind.other
    func kind(at index: Int) -> Kind { index < key.count ? Self.kind(key[index]) : .other }
    for (index, byte) in key.enumerated() {
      let current = Self.kind(byte)
      // In a run of capitals the last one begins a word if small letters follow; but not if that is a plural's `s`.
      let endsCapitals =
        current == .upper && previous == .upper && kind(at: index + 1) == .lower
        && !(key[index + 1] == UInt8(ascii: "s") && kind(at: index + 2) != .lower)
      let isJoined =
        current == previous && !endsCapitals || current == .lower && previous == .upper
      if !isJoined, !word.isEmpty {
        words.append(word)
        word = []
      }
      if current == .upper || current == .lower {
        word.append(current == .upper ? byte | 0x20 : byte)
      }
      previous = current
    }
    if !word.isEmpty { words.append(word) }
    return words
  }
}
