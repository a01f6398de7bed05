import ByteCoding
import Testing

struct Base64Tests {
  /// RFC 4648 section 10, and every character of the alphabet.
  @Test(
    "bytes encode to the RFC's text and back",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
      ("\u{0}\u{10}<w>>?", "ABA8dz4+Pw=="),
    ])
  func vectors(bytes: String, text: String) throws {
    let bytes = Array(bytes.utf8)
    let text = Array(text.utf8)
    #expect(Base64.encode(bytes.bytes) == text)
    #expect(Base64.encodedCount(bytes.count) == text.count)
    #expect(try Base64.decode(text.bytes) == bytes)
  }

  @Test("all sextets have the alphabet's character and no other byte has a value")
  func alphabet() {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for (value, character) in alphabet.enumerated() {
      #expect(Base64.encode([UInt8(value << 2), 0, 0].bytes)[0] == character)
    }
    for byte in UInt8.min...UInt8.max {
      for position in 0..<4 {
        var text = Array("AAAA".utf8)
        text[position] = byte
        if let value = alphabet.firstIndex(of: byte) {
          let group = value << (18 - 6 * position)
          let expected = [UInt8(group >> 16), UInt8(group >> 8 & 255), UInt8(group & 255)]
          #expect((try? Base64.decode(text.bytes)) == expected)
        } else if byte != UInt8(ascii: "=") || position < 3 {
          let error = #expect(throws: TextCodingError.self) { try Base64.decode(text.bytes) }
          #expect(error?.code == .invalidCharacter && error?.offset == position)
        }
      }
    }
  }

  @Test("a byte that is not of the alphabet is found at every place of a long text")
  func placesOfInvalidCharacters() {
    for length in [8, 24, 44] {
      let content = (0..<length / 4 * 3).map { UInt8($0) }
      let text = Base64.encode(content.bytes)
      for position in text.indices {
        for byte in UInt8.min...UInt8.max {
          var changed = text
          changed[position] = byte
          do throws(TextCodingError) {
            let bytes = try Base64.decode(changed.bytes)
            #expect(Base64.encode(bytes.bytes) == changed)
          } catch {
            let isBits = error.code == .nonzeroTrailingBits
            #expect(isBits || error.code == .invalidCharacter && error.offset == position)
          }
        }
      }
    }
  }

  @Test("random bytes of every length survive, also in place and in pieces")
  func roundTrips() throws {
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
      let text = Base64.encode(bytes.bytes)
      #expect(try Base64.decode(text.bytes) == bytes)
      var buffer = text
      var span = buffer.mutableSpan
      var raw = unsafe span.mutableBytes
      let written = try Base64.decodeInPlace(&raw)
      #expect(Array(buffer[..<written]) == bytes)
      let cut = count / 2 / 3 * 3
      var pieces: [UInt8] = []
      Base64.encode(bytes.bytes.extracting(0..<cut), appendingTo: &pieces)
      Base64.encode(bytes.bytes.extracting(cut..<count), appendingTo: &pieces)
      #expect(pieces == text)
    }
  }

  @Test(
    "text that is not strict Base64 is refused with its place",
    arguments: [
      ("Z", TextCodingError.Code.invalidLength, 1), ("Zm9vZ", .invalidLength, 5),
      ("Zg=", .invalidLength, 3), ("Zm9v\n", .invalidLength, 5), ("Zg", .invalidLength, 2),
      ("Zh==", .nonzeroTrailingBits, 1), ("Zm9=", .nonzeroTrailingBits, 2),
      ("Zg==Zg==", .invalidCharacter, 2), ("Z===", .invalidCharacter, 1),
      ("====", .invalidCharacter, 0), ("=Zg=", .invalidCharacter, 0),
      ("Zm9vZ-8=", .invalidCharacter, 5), ("Zm9v Zg=", .invalidCharacter, 4),
    ])
  func refusals(text: String, code: TextCodingError.Code, offset: Int) {
    let text = Array(text.utf8)
    let error = #expect(throws: TextCodingError.self) { try Base64.decode(text.bytes) }
    #expect(error?.code == code)
    #expect(error?.offset == offset)
  }

  @Test("decoding never writes past the room given")
  func room() {
    var room: [UInt8] = [7, 7, 7, 7]
    let text = Array("AAAAAAA=".utf8)
    var span = room.mutableSpan
    var target = unsafe span.mutableBytes
    let error = #expect(throws: TextCodingError.self) {
      try Base64.decode(text.bytes, into: &target)
    }
    #expect(error?.code == .insufficientRoom)
    #expect(room == [7, 7, 7, 7])
  }

  @Test("a length whose text exceeds an Int has no count")
  func hugeCount() {
    #expect(Base64.encodedCount(Int.max) == nil)
    #expect(Base64.encodedCount(Int.max / 4 * 3) == Int.max / 4 * 4)
  }
}
