// The buffer that holds secrets: what it shows, what it keeps, and that it leaves nothing behind.

import ByteCoding
import Testing

@testable import ArchiveCrypto

struct SecretBytesTests {
  @Test("a new buffer holds zeros, and room for one byte at least")
  func new() {
    let secret = SecretBytes(count: 5, capacity: 9)
    #expect(content(of: secret) == [0, 0, 0, 0, 0])
    #expect(secret.count == 5)
    #expect(secret.capacity == 9)
    let bare = SecretBytes(count: 32)
    #expect(bare.capacity == 32)
    let tight = SecretBytes(count: 8, capacity: 3)
    #expect(tight.capacity == 8)
    let empty = SecretBytes(count: 0)
    #expect(empty.count == 0)
    #expect(empty.capacity >= 1)
    #expect(content(of: empty).isEmpty)
  }

  @Test("a copy of bytes has their content", arguments: [0, 1, 63, 64, 65, 1000])
  func copying(count: Int) {
    let source = (0..<count).map { UInt8(truncatingIfNeeded: 7 &* $0 &+ 1) }
    let secret = SecretBytes(copying: source.bytes)
    #expect(content(of: secret) == source)
  }

  @Test("a change of the bytes is a change of the buffer")
  func mutation() {
    var secret = SecretBytes(count: 4)
    var bytes = secret.mutableBytes
    bytes.store(UInt16(0x0201), at: 1)
    #expect(content(of: secret) == [0, 1, 2, 0])
  }

  @Test("appending goes on behind the bytes in use, up to the capacity")
  func appending() {
    let nothing: [UInt8] = []
    var secret = SecretBytes(count: 0, capacity: 5)
    secret.append([1, 2].bytes)
    secret.append(nothing.bytes)
    secret.append([3, 4, 5].bytes)
    secret.append(nothing.bytes)
    #expect(content(of: secret) == [1, 2, 3, 4, 5])
    #expect(secret.capacity == 5)
  }

  @Test("appending more than fits stops the program")
  func appendingTooMuch() async {
    await #expect(processExitsWith: .failure) {
      var secret = SecretBytes(count: 4, capacity: 5)
      secret.append([1, 2].bytes)
    }
  }

  @Test("a size beyond the capacity, or below zero, stops the program")
  func resizingTooFar() async {
    await #expect(processExitsWith: .failure) {
      var secret = SecretBytes(count: 4, capacity: 5)
      secret.resize(to: 6)
    }
    await #expect(processExitsWith: .failure) {
      var secret = SecretBytes(count: 4, capacity: 5)
      secret.resize(to: -1)
    }
  }

  @Test("a shorter buffer keeps what it no longer shows")
  func resizing() {
    var secret = SecretBytes(copying: [1, 2, 3, 4].bytes)
    secret.resize(to: 2)
    #expect(content(of: secret) == [1, 2])
    secret.resize(to: 4)
    #expect(content(of: secret) == [1, 2, 3, 4])
    secret.resize(to: 0)
    secret.append([9].bytes)
    secret.resize(to: 4)
    #expect(content(of: secret) == [9, 2, 3, 4])
  }

  @Test("preparing keeps a buffer that is large enough, and replaces a smaller one")
  func preparing() async {
    var secret = SecretBytes(copying: [1, 2, 3, 4].bytes)
    secret.prepare(count: 2)
    #expect(secret.count == 2)
    #expect(secret.capacity == 4)
    secret.prepare(count: 4)
    #expect(secret.capacity == 4)
    secret.prepare(count: 5)
    #expect(content(of: secret) == [0, 0, 0, 0, 0])
    secret.prepare(count: 0)
    #expect(secret.count == 0)
    #expect(secret.capacity == 5)
    await #expect(processExitsWith: .failure) {
      var secret = SecretBytes(count: 1)
      secret.prepare(count: -1)
    }
  }

  @Test("a closure is lent the bytes in use")
  func lending() {
    var secret = SecretBytes(copying: [1, 2, 3, 4].bytes)
    secret.resize(to: 3)
    let lent = secret.withBytes { $0.array(at: 0, count: $0.byteCount) }
    #expect(lent == [1, 2, 3])
  }

  @Test("a copy is a second buffer")
  func copies() {
    var secret = SecretBytes(copying: [1, 2, 3].bytes)
    secret.resize(to: 2)
    let copy = secret.copy()
    secret.wipe()
    #expect(secret.count == 0)
    #expect(content(of: copy) == [1, 2])
  }

  @Test("wiping clears the whole capacity, also what was not in use")
  func wiping() {
    var secret = SecretBytes(count: 0, capacity: 300)
    secret.append([UInt8](repeating: 0xa5, count: 200).bytes)
    secret.resize(to: 3)
    secret.wipe()
    #expect(secret.count == 0)
    secret.resize(to: 300)
    #expect(content(of: secret) == [UInt8](repeating: 0, count: 300))
    secret.wipe()
    secret.append([7].bytes)
    #expect(content(of: secret) == [7])
  }

  // Memory that was given back may not be looked at. But glibc keeps freed blocks for the same
  // thread's next requests of their size, the last one first, so the test asks again and looks at
  // blocks that are its own. An aligned block may be 16 bytes longer than was asked for, and of a
  // free block the first 16 bytes are the allocator's. Shorter secrets are in OpenSSL's heap, which nobody else
  // gets memory from.
  @Test("the memory is clear when the buffer is gone, also the part that was not in use")
  func wipedAtTheEnd() {
    let capacity = SecureHeap.largest + 256
    let rounds = 16
    var blocks: [UnsafeMutableRawPointer] = unsafe []
    // Blocks stay until the end, so that the list of free ones gets shorter; room for all of them,
    // so that this array takes none in between.
    unsafe blocks.reserveCapacity(2 * rounds)
    defer { for index in unsafe blocks.indices { unsafe blocks[index].deallocate() } }
    var seenAgain = 0

    for _ in 0..<rounds {
      var address = 0
      do {
        var secret = SecretBytes(count: 0, capacity: capacity)
        secret.append([UInt8](repeating: 0xa5, count: capacity).bytes)
        secret.resize(to: 40)
        unsafe secret.bytes.withUnsafeBytes { address = Int(bitPattern: $0.baseAddress) }
      }
      for byteCount in [capacity, capacity + 16] {
        let block = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        unsafe blocks.append(block)
        guard Int(bitPattern: block) == address else { continue }
        seenAgain += 1
        let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(block), byteCount: capacity)
        let left = (16..<capacity).filter { bytes.u8(at: $0) == 0xa5 }
        #expect(left.isEmpty)
      }
    }
    #expect(seenAgain > 0, "the allocator handed no block out again")
  }
}

struct ConstantTimeEqualTests {
  /// Takes arrays, because a span can't go through `#expect`.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    constantTimeEqual(left.bytes, right.bytes)
  }

  @Test("equal bytes are equal", arguments: [0, 1, 15, 16, 17, 32, 100])
  func equal(count: Int) {
    let left = (0..<count).map { UInt8($0) }
    let right = (0..<count).map { UInt8($0) }
    #expect(Self.areEqual(left, right))
  }

  @Test("one bit anywhere makes a difference")
  func everyBit() {
    let left = (0..<33).map { UInt8($0) }
    for bit in 0..<(8 * left.count) {
      #expect(!Self.areEqual(left, flipping(bit, of: left)), "bit \(bit)")
    }
  }

  @Test("bytes of different lengths are not equal, even if one begins with the other")
  func lengths() {
    let long = [UInt8](repeating: 0, count: 33)
    for count in 0..<33 {
      let short = [UInt8](repeating: 0, count: count)
      #expect(!Self.areEqual(long, short))
      #expect(!Self.areEqual(short, long))
    }
  }
}
