import ByteCoding
import Testing

struct Base32Tests {
  @Test(
    "The vectors of RFC 4648, section 10, without their padding",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
      ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
    ])
  func vectors(_ text: String, _ expected: String) {
    #expect(String(decoding: Base32.encode(Array(text.utf8).bytes), as: UTF8.self) == expected)
  }

  @Test("Bytes of ones and zeros are the last and the first digit")
  func extremes() {
    #expect(Base32.encode([UInt8](repeating: 0xff, count: 5).bytes) == Array("77777777".utf8))
    #expect(Base32.encode([UInt8](repeating: 0, count: 10).bytes) == Array("AAAAAAAAAAAAAAAA".utf8))
  }
}
