import ByteCoding
import Testing

struct HexTests {
  @Test("every byte has two lower-case digits, and both cases read back")
  func everyByte() throws {
    let bytes = Array(UInt8.min...UInt8.max)
    let text = Hex.encode(bytes.bytes)
    let expected = bytes.flatMap { byte in
      Array((byte < 16 ? "0" : "").utf8) + Array(String(byte, radix: 16).utf8)
    }
    #expect(text == expected)
    #expect(try Hex.decode(text.bytes) == bytes)
    let upper = Array(String(decoding: text, as: UTF8.self).uppercased().utf8)
    #expect(try Hex.decode(upper.bytes) == bytes)
    #expect(Hex.string([0xde, 0xad].bytes) == "dead")
  }

  @Test("no other character is a digit")
  func otherCharacters() {
    let digits = Set("0123456789abcdefABCDEF".utf8)
    for byte in UInt8.min...UInt8.max where !digits.contains(byte) {
      for position in 0..<2 {
        var text = Array("0000".utf8)
        text[2 + position] = byte
        let error = #expect(throws: TextCodingError.self) { try Hex.decode(text.bytes) }
        #expect(error?.code == .invalidCharacter)
        #expect(error?.offset == 2 + position)
      }
    }
  }

  @Test("an odd number of digits is refused")
  func oddLength() {
    let error = #expect(throws: TextCodingError.self) { try Hex.decode(Array("abc".utf8).bytes) }
    #expect(error?.code == .invalidLength)
    #expect(error?.offset == 3)
  }

  @Test("decoding never writes past the room given")
  func room() {
    var room: [UInt8] = [7]
    let text = Array("0000".utf8)
    var span = room.mutableSpan
    var target = unsafe span.mutableBytes
    let error = #expect(throws: TextCodingError.self) { try Hex.decode(text.bytes, into: &target) }
    #expect(error?.code == .insufficientRoom)
    #expect(room == [7])
  }
}
