import ByteCoding
import PropertyListCodec
import Testing

struct JSONStringTests {
  /// Reads one string all three ways and checks that they agree.
  private func read(_ text: [UInt8]) throws(JSONError) -> [UInt8] {
    var reader = JSONReader(text.bytes)
    let string = try reader.readString()
    try reader.finish()
    let content = Array(reader.string(string).utf8)
    #expect(content.count == string.decodedCount)
    #expect(string.decodedCount <= string.count)
    #expect(string.hasEscapes == text.contains(UInt8(ascii: "\\")))
    var target = [UInt8](repeating: 0xaa, count: string.decodedCount + 3)
    var span = target.mutableSpan
    var raw = unsafe span.mutableBytes
    #expect(reader.decode(string, into: &raw) == content.count)
    #expect(target == content + [0xaa, 0xaa, 0xaa])
    return content
  }

  @Test("every UTF-16 code unit as an escape is its character or a lone surrogate")
  func codeUnits() throws {
    for unit in UInt16.min...UInt16.max {
      let digits = String(unit, radix: 16, uppercase: unit & 1 == 1)
      let escape = "\"\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits + "\""
      do {
        let content = try read(Array(escape.utf8))
        let scalar = try #require(Unicode.Scalar(unit))
        if content != Array(String(Character(scalar)).utf8) {
          Issue.record("\(escape) was read as \(content)")
        }
      } catch let error as JSONError {
        #expect(Unicode.Scalar(unit) == nil && error.code == .loneSurrogate)
      }
    }
  }

  @Test("surrogate pairs are their characters")
  func pairs() throws {
    for value in stride(from: 0x10000 as UInt32, through: 0x10ffff, by: 0x3f7) {
      let character = String(Character(try #require(Unicode.Scalar(value))))
      let escape = character.utf16.map { "\\u" + String($0, radix: 16) }.joined()
      #expect(try read(Array("\"x\(escape)y\"".utf8)) == Array("x\(character)y".utf8))
    }
  }

  /// The standard library's validation is the measure.
  @Test("UTF-8 is accepted exactly where it is well formed")
  func utf8() {
    var generator = SystemRandomNumberGenerator()
    func check(_ bytes: [UInt8], padding: Int) {
      let filler = [UInt8](repeating: 0x78, count: padding)
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      let content = filler + bytes + filler
      let result = try? read([0x22] + content + [0x22])
      if (result == content) != isValid { Issue.record("\(bytes) valid: \(isValid)") }
    }
    for first in UInt8(0x80)...0xff {
      check([first], padding: 1)
      for second in UInt8(0x80)...0xff {
        check([first, second], padding: 0)
        guard first >= 0xe0 else { continue }
        let third = UInt8.random(in: 0x80...0xff, using: &generator)
        for third in [0x7f, 0x80, 0xbf, 0xc0, third] where third != 0x7f || second > 0x7f {
          check([first, second, third], padding: 3)
          check([first, second, third, 0x80], padding: 9)
          check([first, second, third, 0xc0], padding: 1)
        }
      }
    }
  }

  @Test("every single byte in a string is content, an error, or the string's end")
  func singleBytes() {
    for byte in UInt8.min...UInt8.max {
      for padding in [0, 1, 8, 15] {
        let content = [UInt8](repeating: 0x61, count: padding) + [byte]
        let result = try? read([0x22] + content + [0x22])
        let isPlain = byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5c
        #expect((result == content) == isPlain)
        #expect(isPlain || result == nil)
      }
    }
  }

  @Test("strings are compared by bytes, escapes resolved, without normalisation")
  func comparison() throws {
    func equals(_ json: String, _ text: StaticString) throws(JSONError) -> Bool {
      let bytes = Array(json.utf8)
      var reader = JSONReader(bytes.bytes)
      return reader.equals(try reader.readString(), text)
    }
    #expect(try equals(#""account""#, "account"))
    #expect(try equals(#""a\u0063count""#, "account"))
    #expect(try equals(#""""#, ""))
    #expect(try !equals(#""accounts""#, "account"))
    #expect(try !equals(#""accoun""#, "account"))
    #expect(try !equals(#""Account""#, "account"))
    #expect(try !equals(#""a\u0064count""#, "account"))
    #expect(try !equals("\"e\u{301}\"", "\u{e9}"))
    #expect(try !equals(#""e\u0301""#, "\u{e9}"))
    #expect(try equals(#""\u00e9""#, "\u{e9}"))
  }
}
