// The objects of a binary list that is being written, in the order of the file, and the file that they make.
//
// The width of references depends on how many objects there are, so the objects are laid out first.

internal import ByteCoding

struct BinaryListLayout {
  /// In 16 bytes: lists have millions.
  private struct Object {
    /// In the file, once it is written there.
    var start: Int
    /// The family in the highest byte.
    private let countAndFamily: UInt64

    init(family: UInt8, range: Range<Int>) {
      start = range.lowerBound
      countAndFamily = UInt64(family) << 56 | UInt64(range.count)
    }

    /// Of containers the marker's upper half; 0 for other objects.
    var family: UInt8 { UInt8(truncatingIfNeeded: countAndFamily >> 56) }

    /// Of containers a range of `links`, else of `scalars`.
    var range: Range<Int> { start..<start + Int(countAndFamily & ((1 << 56) - 1)) }
  }

  private var objects: [Object]
  /// The bytes of all objects that are no containers.
  private var scalars: [UInt8]
  private var links: [UInt32]

  /// Objects that are written once, by the hash of their bytes: open addressing. The size is a power of two.
  private var slots = Array(repeating: Slot(object: 0, hash: 0), count: 64)
  /// Of each slot, 0 where it is free, else a byte of the hash with its highest bit set. Most values of large lists are
  /// new, and these bytes, which stay in the processor's cache, are all that is read to find that out.
  private var tags: [UInt8] = Array(repeating: 0, count: 64)
  private var usedSlots = 0

  private struct Slot {
    let object: UInt32
    let hash: UInt32

    /// From other bits than those that choose the slot, in all but very large tables.
    var tag: UInt8 { UInt8(truncatingIfNeeded: hash >> 24) | 0x80 }
  }

  /// A layout of about so many objects, bytes of those that are no containers, and references. Room that is not
  /// used costs addresses, not memory.
  init(objects objectCount: Int = 0, bytes byteCount: Int = 0, links linkCount: Int = 0) {
    objects = Array(roomFor: objectCount)
    scalars = Array(roomFor: byteCount)
    links = Array(roomFor: linkCount)
  }

  var count: Int { objects.count }

  /// Adds an object that is no container, whose bytes `write` appends. Returns its number.
  mutating func add<Failure: Error>(
    _ write: (inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) -> UInt32 {
    let start = scalars.count
    try write(&scalars)
    objects.append(Object(family: 0, range: start..<scalars.count))
    return UInt32(truncatingIfNeeded: objects.count - 1)
  }

  /// Adds an object as `add` does, unless there is one of the same bytes that was added so. Returns the number
  /// of the one or the other.
  mutating func addOnce<Failure: Error>(
    _ write: (inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) -> UInt32 {
    let start = scalars.count
    try write(&scalars)
    let bytes = start..<scalars.count
    var hasher = Hasher()
    unsafe scalars.withUnsafeBytes { unsafe hasher.combine(bytes: .init(rebasing: $0[bytes])) }
    let hash = UInt32(truncatingIfNeeded: hasher.finalize())
    if usedSlots * 2 >= slots.count { growSlots() }
    let object = UInt32(truncatingIfNeeded: objects.count)
    let new = Slot(object: object, hash: hash)
    var slot = Int(hash) & (tags.count - 1)
    while tags[slot] != 0 {
      if tags[slot] == new.tag {
        let other = slots[slot]
        if other.hash == hash, isEqual(Int(other.object), bytes) {
          scalars.removeLast(bytes.count)
          return other.object
        }
      }
      slot = (slot + 1) & (tags.count - 1)
    }
    objects.append(Object(family: 0, range: bytes))
    put(new, in: slot)
    usedSlots += 1
    return object
  }

  private mutating func put(_ new: Slot, in slot: Int) {
    slots[slot] = new
    tags[slot] = new.tag
  }

  /// Whether an object that is no container has the same bytes as a range of `scalars`.
  private func isEqual(_ object: Int, _ bytes: Range<Int>) -> Bool {
    let range = objects[object].range
    return range.count == bytes.count
      && scalars.bytes.hasSameBytes(range.lowerBound, bytes.lowerBound, count: range.count)
  }

  private mutating func growSlots() {
    let old = (slots: slots, tags: tags)
    slots = Array(inLargePages: Slot(object: 0, hash: 0), count: old.slots.count * 2)
    tags = Array(repeating: 0, count: slots.count)
    for (entry, tag) in zip(old.slots, old.tags) where tag != 0 {
      var slot = Int(entry.hash) & (tags.count - 1)
      while tags[slot] != 0 { slot = (slot + 1) & (tags.count - 1) }
      put(entry, in: slot)
    }
  }

  /// Adds a container whose children come after it. Returns its number.
  mutating func addContainer(_ family: UInt8) -> UInt32 {
    objects.append(Object(family: family, range: 0..<0))
    return UInt32(truncatingIfNeeded: objects.count - 1)
  }

  /// Gives the container its children: an array's elements; a dictionary's keys, then its values.
  mutating func setChildren(_ children: some Collection<UInt32>, of container: UInt32) {
    let start = links.count
    links.append(contentsOf: children)
    objects[Int(container)] = Object(
      family: objects[Int(container)].family, range: start..<links.count)
  }

  /// The file, which ends the layout. The top object is the first.
  mutating func file() -> [UInt8] {
    let referenceSize = BinaryObject.byteWidth(of: UInt64(objects.count))
    // A container's marker has its length in up to 9 bytes behind it. What is not used costs addresses, not memory.
    let containers = objects.count { $0.family != 0 }
    var file = [UInt8](
      roomFor: BinaryFormat.magic.count + scalars.count + links.count * referenceSize
        + containers * 10 + objects.count * 8 + BinaryFormat.trailerCount + 8)
    file.append(contentsOf: BinaryFormat.magic)
    for index in objects.indices {
      let object = objects[index]
      objects[index].start = file.count
      guard object.family != 0 else {
        file.append(copying: scalars.bytes.extracting(object.range))
        continue
      }
      let isDictionary = object.family == BinaryFormat.Family.dictionary
      let count = isDictionary ? object.range.count / 2 : object.range.count
      BinaryObject.append(object.family, count: count, to: &file)
      Self.append(links[object.range].lazy.map { UInt64($0) }, width: referenceSize, to: &file)
    }
    let table = file.count
    let offsetSize = BinaryObject.byteWidth(of: UInt64(table))
    Self.append(objects.lazy.map { UInt64($0.start) }, width: offsetSize, to: &file)
    file.append(contentsOf: repeatElement(0, count: 6))
    file.append(UInt8(truncatingIfNeeded: offsetSize))
    file.append(UInt8(truncatingIfNeeded: referenceSize))
    Self.append([objects.count, 0, table].map { UInt64($0) }, width: 8, to: &file)
    return file
  }

  /// Appends the lower `width` bytes of each number, the highest first.
  private static func append(
    _ numbers: some Collection<UInt64>, width: Int, to file: inout [UInt8]
  ) {
    // Whole words are stored, of which the next number takes the place of what is too much.
    var offset = file.count
    file.append(contentsOf: repeatElement(0, count: numbers.count * width + 8))
    do {
      var target = file.mutableBytes
      for number in numbers {
        target.store((number << UInt64(64 - 8 * width)).byteSwapped, at: offset)
        offset += width
      }
    }
    file.removeLast(8)
  }
}
