// Key paths, patterns of them, and the words that look secret.

import Testing

@testable import KeychainInterchange

@Suite("Key paths")
struct KeyPathTests {
  static let paths: [(text: String, components: [KeyPath.Component])] = [
    ("", []),
    ("a", [.key(Array("a".utf8))]),
    ("a.b", [.key(Array("a".utf8)), .key(Array("b".utf8))]),
    (#"a\.b"#, [.key(Array("a.b".utf8))]),
    (#"a\[0]"#, [.key(Array("a[0]".utf8))]),
    (#"\\"#, [.key(Array(#"\"#.utf8))]),
    (#"\e"#, [.key([])]),
    (#"\e.a.\e"#, [.key([]), .key(Array("a".utf8)), .key([])]),
    (
      "a[0].b[12][3]",
      [
        .key(Array("a".utf8)), .position(0), .key(Array("b".utf8)), .position(12), .position(3),
      ]
    ),
    ("[0].a", [.position(0), .key(Array("a".utf8))]),
    ("größe *", [.key(Array("größe *".utf8))]),
    ("NSWindow Frame Main", [.key(Array("NSWindow Frame Main".utf8))]),
    ("a]", [.key(Array("a]".utf8))]),
  ]

  @Test("A path is written and read as the same", arguments: paths.indices)
  func roundTrip(_ index: Int) {
    let (text, components) = Self.paths[index]
    #expect(KeyPath(components).text == text)
    #expect(KeyPath(text) == KeyPath(components))
  }

  @Test(
    "What is no path is refused",
    arguments: [
      ".", "a.", ".a", "a..b", #"\"#, #"a\"#, #"\x"#, "a[", "a[]", "a[x]", "a[-1]", "a[01]",
      "a[0]b",
      "a[99999999999999999999]", #"a\e"#, #"\ea"#, "a[*]",
    ])
  func malformed(_ text: String) {
    #expect(KeyPath(text) == nil)
  }

  @Test("Keys that look alike and have other bytes are other keys")
  func canonicalEquivalence() {
    #expect(KeyPath("\u{e9}") != KeyPath("e\u{301}"))
  }

  static let patterns: [(pattern: String, path: String, matches: Bool)] = [
    ("a", "a", true), ("a", "b", false), ("a", "a.a", false), ("*", "a", true),
    ("*", "a.b", false), ("*", "[0]", false), ("[*]", "[7]", true), ("[*]", "a", false),
    ("[1]", "[1]", true), ("[1]", "[2]", false), ("a.*.c", "a.b.c", true),
    ("a.*.c", "a.c", false), ("**", "a.b[3].c", true), ("**", "", true), ("**.c", "c", true),
    ("**.c", "a[1].b.c", true), ("**.c", "a.c.b", false), ("a.**", "a", true),
    ("a.**", "a[0]", true), ("a.**", "b", false), ("a[*].c", "a[5].c", true),
    ("a[*].c", "a.b.c", false), ("**.b.**.d", "a.b.c.d", true), ("**.b.**.d", "b.d", true),
    ("**.**", "a", true), (#"\*"#, "*", true), (#"\*"#, "a", false), (#"a\.b"#, #"a\.b"#, true),
  ]

  @Test("A pattern matches what it says", arguments: patterns.indices)
  func pattern(_ index: Int) throws {
    let (text, path, matches) = Self.patterns[index]
    let pattern = try #require(KeyPattern(text))
    var state = pattern.start
    for component in try #require(KeyPath(path)).components {
      state = pattern.advance(state, over: component)
    }
    #expect(pattern.accepts(state) == matches, "\(text) \(path)")
  }

  @Test(
    "What is no pattern is refused",
    arguments: [
      "", "a*", "*a", "a.b*c", ".", "[x]", "***", String(repeating: "a.", count: 63) + "a",
    ])
  func malformedPattern(_ text: String) {
    #expect(KeyPattern(text) == nil)
  }

  @Test("A pattern of as many parts as there can be works to its end")
  func longestPattern() throws {
    let text = String(repeating: "**.", count: 62) + "a"
    let pattern = try #require(KeyPattern(text))
    var state = pattern.start
    for _ in 0..<200 { state = pattern.advance(state, over: .key(Array("a".utf8))) }
    #expect(pattern.accepts(state))
    #expect(!pattern.accepts(pattern.advance(state, over: .key(Array("b".utf8)))))
  }

  @Test(
    "Keys whose values are secrets are found by whole words",
    arguments: [
      "password", "Password", "userPassword", "user_password", "USER-PASSWORD", "smtp.passwd",
      "pwd", "OAuthToken", "OAuth2Token", "accessToken", "tokens", "APIKey", "apiKey", "api_key",
      "APIKeys", "apikey", "licenseKey", "License Key", "privateKey", "PrivateKeyPEM", "PINCode",
      "userPIN", "PINs", "pin", "otp", "TOTPSeed", "sessionID", "Cookies", "refresh", "bearer",
      "authData", "login", "oauth", "deviceUUID", "uuidOfDevice", "device_identifier", "udid",
      "DeviceID", "credentials", "clientSecret", "passphrase", "passcode2", "x:secret/y",
    ])
  func secretWords(_ key: String) {
    #expect(SecretWords.isSecret(Array(key.utf8)))
  }

  @Test(
    "Words that only contain one are left",
    arguments: [
      "mapping", "spinner", "pinned", "NSWindow Frame Main", "author", "authors", "compass",
      "passing", "tokenize", "secretary", "opinion", "keyboard", "key", "keys", "uuid", "device",
      "monkeyApi", "keyApi", "publicKey", "shipping", "seedling", "blogindex", "", "…", "PINK",
    ])
  func innocentWords(_ key: String) {
    #expect(!SecretWords.isSecret(Array(key.utf8)))
  }

  @Test("Keys are split where a reader would")
  func split() {
    func words(_ key: String) -> [String] {
      SecretWords.split(Array(key.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(words("OAuthToken") == ["o", "auth", "token"])
    #expect(words("APIKey2x_y-Z.ÄB") == ["api", "key", "x", "y", "z", "Ä", "b"])
    #expect(words("PINsOf") == ["pins", "of"])
    #expect(words("userIDString") == ["user", "id", "string"])
    #expect(words("HTTPSProxy") == ["https", "proxy"])
    #expect(words("12.34") == [])
  }
}
