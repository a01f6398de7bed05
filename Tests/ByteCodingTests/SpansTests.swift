// Arrays as spans, and what is done with ranges of them.

import ByteCoding
import Testing

// A span can't go through `#expect`; these take the array instead.

private func isZero(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
  bytes.bytes.isZero(range)
}

private func equal(_ bytes: [UInt8], _ expected: [UInt8], at offset: Int) -> Bool {
  bytes.bytes.equals(expected, at: offset)
}

struct SpansTests {
  static let bytes = (1...40).map { UInt8($0) }

  @Test("a span of an array has its bytes", arguments: [0, 1, 40])
  func arrays(count: Int) {
    let array = Array(Self.bytes.prefix(count))
    #expect(array.bytes.byteCount == count)
    #expect(array.bytes.array(at: 0, count: count) == array)
  }

  @Test("what is stored through a span is in the array, and in no copy of it")
  func mutation() {
    var array = Self.bytes
    let copy = array
    var span = array.mutableBytes
    #expect(span.byteCount == 40)
    span.store(UInt8(0xff), at: 39)
    span.store(UInt8(0xee), at: 0)
    #expect(array == [0xee] + Self.bytes[1..<39] + [0xff])
    #expect(copy == Self.bytes)
  }

  @Test("an empty array has an empty span, also to be changed")
  func empty() {
    var array: [UInt8] = []
    var span = array.mutableBytes
    #expect(span.byteCount == 0)
    span.zero(0..<0)
    span.store([UInt8](), at: 0)
    #expect(array.isEmpty)
    #expect(isZero(array, 0..<0))
    #expect(equal(array, [], at: 0))
    #expect(array.bytes.array(at: 0, count: 0).isEmpty)
  }

  @Test("a part is copied from any offset, also an empty one at the end")
  func parts() {
    #expect(Self.bytes.bytes.array(at: 3, count: 5) == [4, 5, 6, 7, 8])
    #expect(Self.bytes.bytes.array(at: 39, count: 1) == [40])
    #expect(Self.bytes.bytes.array(at: 40, count: 0) == [])
  }

  @Test("a part of a part counts from its own start")
  func extracted() {
    let part = Self.bytes.bytes.extracting(8..<24)
    let read = (part.u8(at: 0), part.u16(at: 1), part.array(at: 14, count: 2))
    #expect(read.0 == 9)
    #expect(read.1 == 0x0b0a)
    #expect(read.2 == [23, 24])
  }

  // 40 bytes are five words of eight; every start and end, so every remainder.
  @Test("a range is zero when each of its bytes is, and only then")
  func zeros() {
    let clear = [UInt8](repeating: 0, count: 40)
    for start in 0...40 {
      for end in start...40 {
        let range = start..<end
        #expect(isZero(clear, range))
        var framed = [UInt8](repeating: 0xff, count: 40)
        var span = framed.mutableBytes
        span.zero(range)
        #expect(isZero(framed, range))
        #expect(framed.filter { $0 == 0 }.count == range.count)
      }
    }
    for position in 0..<40 {
      var spoilt = clear
      spoilt[position] = 0x80
      #expect(!isZero(spoilt, 0..<40))
      #expect(!isZero(spoilt, position..<40))
      #expect(!isZero(spoilt, 0..<(position + 1)))
      #expect(isZero(spoilt, 0..<position))
      #expect(isZero(spoilt, (position + 1)..<40))
    }
  }

  @Test("bytes equal the ones expected at their offset only, and in every byte")
  func equality() {
    let expected: [UInt8] = [11, 12, 13]
    for offset in 0...37 {
      #expect(equal(Self.bytes, expected, at: offset) == (offset == 10))
    }
    for position in 0..<3 {
      var other = expected
      other[position] ^= 1
      #expect(!equal(Self.bytes, other, at: 10))
    }
  }

  @Test("a copy goes to its place and changes nothing beside")
  func copies() {
    var room = [UInt8](repeating: 0x5a, count: 8)
    var span = room.mutableBytes
    span.store([1, 2, 3], at: 5)
    span.store([UInt8](), at: 8)
    #expect(room == [0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 1, 2, 3])
  }

  @Test("what does not fit stops the program")
  func outside() async {
    await #expect(processExitsWith: .failure) {
      var room = [UInt8](repeating: 0, count: 8)
      var span = room.mutableBytes
      span.store([1, 2, 3], at: 6)
    }
    await #expect(processExitsWith: .failure) {
      var room = [UInt8](repeating: 0, count: 8)
      var span = room.mutableBytes
      span.store([1], at: -1)
    }
    await #expect(processExitsWith: .failure) {
      var room = [UInt8](repeating: 0, count: 8)
      var span = room.mutableBytes
      span.zero(4..<9)
    }
    await #expect(processExitsWith: .failure) {
      _ = [UInt8](repeating: 0, count: 8).bytes.array(at: 4, count: 5)
    }
    await #expect(processExitsWith: .failure) {
      _ = [UInt8](repeating: 0, count: 8).bytes.isZero(0..<9)
    }
    await #expect(processExitsWith: .failure) {
      _ = [UInt8](repeating: 0, count: 2).bytes.equals([0, 0, 0], at: 0)
    }
  }
}
