// Numbers in spans: the order of their bytes, at every alignment, and where a range ends.

import ByteCoding
import Testing

struct LittleEndianTests {
  /// Every byte differs, none has a sign that another shows.
  static let bytes: [UInt8] = [0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8, 0x09, 0x1a, 0x2b]

  @Test("the lowest byte comes first")
  func reading() {
    #expect(Self.bytes.bytes.u8(at: 0) == 0x81)
    #expect(Self.bytes.bytes.u16(at: 0) == 0x9281)
    #expect(Self.bytes.bytes.u24(at: 0) == 0xa3_9281)
    #expect(Self.bytes.bytes.u32(at: 0) == 0xb4a3_9281)
    #expect(Self.bytes.bytes.u64(at: 0) == 0xf8e7_d6c5_b4a3_9281)
  }

  @Test("numbers are read at any offset, up to the last byte")
  func readingAnywhere() {
    func expected(_ offset: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(Self.bytes[offset + $1]) << UInt64(8 * $1) }
    }
    let count = Self.bytes.count
    for offset in 0..<count {
      #expect(UInt64(Self.bytes.bytes.u8(at: offset)) == expected(offset, 1))
      if offset + 2 <= count {
        #expect(UInt64(Self.bytes.bytes.u16(at: offset)) == expected(offset, 2))
      }
      if offset + 3 <= count {
        #expect(UInt64(Self.bytes.bytes.u24(at: offset)) == expected(offset, 3))
      }
      if offset + 4 <= count {
        #expect(UInt64(Self.bytes.bytes.u32(at: offset)) == expected(offset, 4))
      }
      if offset + 8 <= count {
        #expect(Self.bytes.bytes.u64(at: offset) == expected(offset, 8))
      }
    }
  }

  @Test("numbers are stored at any offset, lowest byte first, and nothing beside")
  func storing() {
    func stored(
      _ offset: Int, _ count: Int, _ store: (inout MutableRawSpan, Int) -> Void
    ) -> Bool {
      var room = [UInt8](repeating: 0x5a, count: 16)
      var span = room.mutableBytes
      store(&span, offset)
      var expected = [UInt8](repeating: 0x5a, count: 16)
      expected.replaceSubrange(offset..<(offset + count), with: Self.bytes.prefix(count))
      return room == expected
    }
    for offset in 0...8 {
      #expect(stored(offset, 1) { $0.store(UInt8(0x81), at: $1) })
      #expect(stored(offset, 2) { $0.store(UInt16(0x9281), at: $1) })
      #expect(stored(offset, 3) { $0.store24(0xff_a39281, at: $1) })
      #expect(stored(offset, 4) { $0.store(UInt32(0xb4a3_9281), at: $1) })
      #expect(stored(offset, 8) { $0.store(UInt64(0xf8e7_d6c5_b4a3_9281), at: $1) })
      #expect(stored(offset, 5) { $0.store(Array(Self.bytes.prefix(5)), at: $1) })
      #expect(stored(offset, 5) { $0.store(Self.bytes.bytes.extracting(0..<5), at: $1) })
    }
  }

  @Test("a number appended to an array has all its bytes, lowest first")
  func appending() {
    var bytes: [UInt8] = [0xff]
    bytes.append(littleEndian: UInt8(0x81))
    bytes.append(littleEndian: UInt16(0x0201))
    bytes.append(littleEndian: UInt32(7))
    bytes.append(littleEndian: UInt64.max - 1)
    bytes.append(littleEndian: Int16(-2))
    bytes.append(littleEndian: Int8.min)
    #expect(
      bytes == [0xff, 0x81, 1, 2, 7, 0, 0, 0, 0xfe] + [UInt8](repeating: 0xff, count: 7)
        + [0xfe, 0xff, 0x80])
  }

  @Test("what is stored is read back", arguments: [0, 1, UInt64.max, 0x0102_0304_0506_0708])
  func roundTrip(value: UInt64) {
    var room = [UInt8](repeating: 0, count: 24)
    var span = room.mutableBytes
    span.store(value, at: 1)
    span.store(UInt32(truncatingIfNeeded: value), at: 9)
    span.store24(UInt32(truncatingIfNeeded: value), at: 13)
    span.store(UInt16(truncatingIfNeeded: value), at: 17)
    #expect(room.bytes.u64(at: 1) == value)
    #expect(room.bytes.u32(at: 9) == UInt32(truncatingIfNeeded: value))
    #expect(room.bytes.u24(at: 13) == UInt32(truncatingIfNeeded: value) & 0xff_ffff)
    #expect(room.bytes.u16(at: 17) == UInt16(truncatingIfNeeded: value))
  }

  @Test("a number that ends behind the span stops the program")
  func readingPastTheEnd() async {
    await #expect(processExitsWith: .failure) {
      _ = [UInt8](repeating: 0, count: 7).bytes.u64(at: 0)
    }
    await #expect(processExitsWith: .failure) {
      _ = [UInt8](repeating: 0, count: 7).bytes.u32(at: 4)
    }
    await #expect(processExitsWith: .failure) {
      _ = [UInt8](repeating: 0, count: 7).bytes.u24(at: 5)
    }
    await #expect(processExitsWith: .failure) {
      _ = [UInt8](repeating: 0, count: 7).bytes.u16(at: 6)
    }
    await #expect(processExitsWith: .failure) {
      _ = [UInt8](repeating: 0, count: 7).bytes.u8(at: 7)
    }
    await #expect(processExitsWith: .failure) {
      _ = [UInt8](repeating: 0, count: 7).bytes.u8(at: -1)
    }
  }
}
