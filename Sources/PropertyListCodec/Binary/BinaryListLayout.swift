// The objects of a binary list that is being written, in the order of the file, and the file that they make.
//
// The width of references depends on how many objects there are, so the objects are laid out first.

internal import ByteCoding

struct BinaryListLayout {
  /// In 16 bytes: lists have millions.
  private struct Object {
    private let start: Int
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
  private var slots = Array(repeating: Slot.empty, count: 64)
  private var usedSlots = 0

  private struct Slot {
    static let empty = Slot(object: .max, hash: 0)

    let object: UInt32
    let hash: UInt32
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
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot].object != Slot.empty.object {
      let other = slots[slot]
      let range = objects[Int(other.object)].range
      if other.hash == hash, range.count == bytes.count,
        scalars.bytes.hasSameBytes(range.lowerBound, start, count: range.count)
      {
        scalars.removeLast(bytes.count)
        return other.object
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    let object = UInt32(truncatingIfNeeded: objects.count)
    objects.append(Object(family: 0, range: bytes))
    slots[slot] = Slot(object: object, hash: hash)
    usedSlots += 1
    return object
  }

  private mutating func growSlots() {
    let old = slots
    slots = Array(repeating: Slot.empty, count: old.count * 2)
    for entry in old where entry.object != Slot.empty.object {
      var slot = Int(entry.hash) & (slots.count - 1)
      while slots[slot].object != Slot.empty.object { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = entry
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

  /// The file. The top object is the first.
  func file() -> [UInt8] {
    let referenceSize = BinaryObject.byteWidth(of: UInt64(objects.count))
    // A container's marker has its length in up to 9 bytes behind it. What is not used costs addresses, not memory.
    let containers = objects.count { $0.family != 0 }
    var file = [UInt8](
      roomFor: BinaryFormat.magic.count + scalars.count + links.count * referenceSize
        + containers * 10 + objects.count * 8 + BinaryFormat.trailerCount)
    file.append(contentsOf: BinaryFormat.magic)
    var offsets = [Int](roomFor: objects.count)
    for object in objects {
      offsets.append(file.count)
      guard object.family != 0 else {
        file.append(copying: scalars.bytes.extracting(object.range))
        continue
      }
      let isDictionary = object.family == BinaryFormat.Family.dictionary
      let count = isDictionary ? object.range.count / 2 : object.range.count
      BinaryObject.append(object.family, count: count, to: &file)
      append(object.range.lazy.map { UInt64(links[$0]) }, width: referenceSize, to: &file)
    }
    let table = file.count
    let offsetSize = BinaryObject.byteWidth(of: UInt64(table))
    append(offsets.lazy.map { UInt64($0) }, width: offsetSize, to: &file)
    file.append(contentsOf: repeatElement(0, count: 6))
    file.append(UInt8(truncatingIfNeeded: offsetSize))
    file.append(UInt8(truncatingIfNeeded: referenceSize))
    append([objects.count, 0, table].map { UInt64($0) }, width: 8, to: &file)
    return file
  }

  /// Appends the lower `width` bytes of each number, the highest first.
  private func append(
    _ numbers: some Collection<UInt64>, width: Int, to file: inout [UInt8]
  ) {
    file.append(addingCapacity: numbers.count * width) { (output: inout OutputSpan<UInt8>) in
      for number in numbers {
        for index in stride(from: width - 1, through: 0, by: -1) {
          output.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
        }
      }
    }
  }
}
