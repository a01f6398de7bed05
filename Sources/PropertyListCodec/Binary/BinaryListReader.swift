// Reads a binary property list into a table of nodes: the trailer, each object once, then the keys. All that
// comes from the file is compared with the bytes that are there before it is used, and the work is bounded by
// the file's length even where objects overlap.

internal import ByteCoding

struct BinaryListReader: ~Escapable {
  let input: RawSpan
  private var irregularities: IrregularityList<PropertyListError>

  // From the trailer.
  let offsetSize: Int
  let referenceSize: Int
  let objectCount: Int
  let top: Int
  /// Where the objects end and the table of their offsets begins.
  let objectsEnd: Int

  /// Which records are dictionaries.
  private var dictionaries: [Int] = []
  /// The offsets in ascending order, for objects whose length only the next object tells.
  private var sortedOffsets: [Int] = []

  static func read(
    _ input: RawSpan, options: PropertyListDocument.Options
  ) throws(PropertyListError) -> NodeTable {
    var reader = try BinaryListReader(input, options: options)
    var table = NodeTable()
    table.root = reader.top
    // As many references as fit in the file. What is not used of it costs addresses, not memory.
    let mostLinks = reader.objectsEnd / reader.referenceSize
    table.records = try [NodeRecord](capacity: reader.objectCount) {
      (records: inout OutputSpan<NodeRecord>) throws(PropertyListError) in
      table.links = try [UInt32](capacity: mostLinks) {
        (links: inout OutputSpan<UInt32>) throws(PropertyListError) in
        records.expectLargePages()
        links.expectLargePages()
        try reader.readObjects(&records, &links)
      }
    }
    try reader.checkKeys(table)
    table.irregularities = reader.irregularities
    return table
  }

  // MARK: Trailer

  @_lifetime(copy input)
  private init(
    _ input: RawSpan, options: PropertyListDocument.Options
  ) throws(PropertyListError) {
    self.input = input
    let count = input.byteCount
    var irregularities = IrregularityList<PropertyListError>(isStrict: options.isStrict)
    guard count >= BinaryFormat.magic.count + BinaryFormat.trailerCount else {
      throw PropertyListError(
        .unexpectedEnd, offset: count, reason: "the file is too short for a binary property list")
    }
    try Self.checkVersion(input, &irregularities)
    let trailer = count - BinaryFormat.trailerCount
    func invalid(_ field: Int, _ reason: String) -> PropertyListError {
      PropertyListError(.invalidTrailer, offset: trailer + field, reason: reason)
    }
    offsetSize = Int(input.u8(at: trailer + 6))
    guard 1...8 ~= offsetSize else { throw invalid(6, "offsets have 1 to 8 bytes") }
    referenceSize = Int(input.u8(at: trailer + 7))
    guard 1...8 ~= referenceSize else { throw invalid(7, "references have 1 to 8 bytes") }
    let objects = input.bigEndian(at: trailer + 8, width: 8)
    let top = input.bigEndian(at: trailer + 16, width: 8)
    let offsetTable = input.bigEndian(at: trailer + 24, width: 8)
    guard offsetTable > UInt64(BinaryFormat.magic.count), offsetTable < UInt64(trailer) else {
      throw invalid(24, "the table of offsets is not between the header and the trailer")
    }
    objectsEnd = Int(offsetTable)
    let room = trailer - objectsEnd
    guard objects >= 1, objects <= UInt64(room / offsetSize) else {
      throw invalid(8, "the number of objects does not fit in the table of offsets")
    }
    objectCount = Int(objects)
    guard top < objects else { throw invalid(16, "the top object is not one of the list") }
    guard objectCount <= options.maximumObjectCount else {
      throw PropertyListError(
        .tooManyObjects, offset: trailer + 8, reason: "more objects than the limit")
    }
    let references = referenceSize < 8 ? UInt64(1) << (8 * referenceSize) : .max
    let offsets = offsetSize < 8 ? UInt64(1) << (8 * offsetSize) : .max
    guard objects <= references else {
      throw invalid(7, "references are too short for the number of objects")
    }
    guard offsetTable <= offsets else {
      throw invalid(6, "offsets are too short for the place of the table of offsets")
    }
    let unused = room - objectCount * offsetSize
    if unused > 0 {
      try irregularities.add(
        .trailingContent, at: trailer - unused, "bytes between the table of offsets and the trailer"
      )
    }
    self.top = Int(top)
    self.irregularities = irregularities
  }

  /// The version has two digits. Core Foundation reads all that begin with 0.
  private static func checkVersion(
    _ input: RawSpan, _ irregularities: inout IrregularityList<PropertyListError>
  ) throws(PropertyListError) {
    guard input.u8(at: 6) == UInt8(ascii: "0") else {
      throw PropertyListError(
        .unsupportedVersion, offset: 6, reason: "a version of binary property lists other than 00")
    }
    if input.u8(at: 7) != UInt8(ascii: "0") {
      try irregularities.add(
        .unsupportedVersion, at: 7, "a version of binary property lists other than 00")
    }
  }

  // MARK: Objects

  /// Reads each object to `records` and its references to `links`, in the order of the table of offsets.
  private mutating func readObjects(
    _ records: inout OutputSpan<NodeRecord>, _ links: inout OutputSpan<UInt32>
  ) throws(PropertyListError) {
    let area = objectsEnd - BinaryFormat.magic.count
    // Objects of sound lists share no bytes. Some that do are read all the same, but not so many that the
    // work is out of proportion to the file.
    let (product, overflow) = area.multipliedReportingOverflow(by: 4)
    let budget = overflow ? .max : max(product, 65_536)
    // The bytes of all objects so far, those of overlapping ones counted again.
    var extent = 0
    for index in 0..<objectCount {
      let place = objectsEnd + index * offsetSize
      let offset = input.bigEndian(at: place, width: offsetSize)
      guard offset >= 8, offset < UInt64(objectsEnd) else {
        throw PropertyListError(
          .invalidOffset, offset: place, reason: "an object's offset is outside of the objects")
      }
      let record = try readObject(at: Int(offset), &links)
      extent += Int(record.end - record.start)
      guard extent <= budget else {
        throw PropertyListError(
          .overlappingObjects, offset: Int(offset), reason: "too many objects share bytes")
      }
      if record.kind == .dictionary { dictionaries.append(index) }
      records.append(record)
    }
    if extent > area {
      try irregularities.add(
        .overlappingObjects, at: BinaryFormat.magic.count, "objects share bytes")
    }
  }

  @inline(__always)
  private mutating func readObject(
    at start: Int, _ links: inout OutputSpan<UInt32>
  ) throws(PropertyListError) -> NodeRecord {
    let marker = input.u8(at: start)
    typealias Family = BinaryFormat.Family
    switch marker >> 4 {
    case Family.ascii:
      let text = try extent(at: start, marker, unit: 1)
      if input.firstNonASCII(in: text) != nil {
        try irregularities.add(
          .invalidText, at: start, "a string of ASCII with bytes that are not")
      }
      return record(.string, .ascii, start, text)
    case Family.utf16:
      let text = try extent(at: start, marker, unit: 2)
      if !UTF16Text.isPaired(input, text) {
        try irregularities.add(.invalidText, at: start, "half a surrogate pair in a string")
      }
      return record(.string, .utf16, start, text)
    case Family.utf8:
      let text = try extent(at: start, marker, unit: 1)
      guard input.isUTF8(text) else {
        throw PropertyListError(
          .invalidText, offset: start, reason: "a string of UTF-8 that is not UTF-8")
      }
      return record(.string, .utf8, start, text)
    case Family.dictionary: return try readContainer(.dictionary, at: start, marker, &links)
    case Family.array: return try readContainer(.array, at: start, marker, &links)
    case Family.set: return try readContainer(.set, at: start, marker, &links)
    case Family.orderedSet: return try readContainer(.orderedSet, at: start, marker, &links)
    case Family.data: return record(.data, .binary, start, try extent(at: start, marker, unit: 1))
    case Family.integer where marker & 15 <= 4:
      return record(.integer, .binary, start, try fixed(at: start, 1 << Int(marker & 15)))
    case Family.real where marker & 15 == 2 || marker & 15 == 3:
      return record(.real, .binary, start, try fixed(at: start, 1 << Int(marker & 15)))
    case Family.uid:
      return record(.uid, .binary, start, try fixed(at: start, Int(marker & 15) + 1))
    default: return try readSingular(at: start, marker)
    }
  }

  /// Objects whose whole marker says what they are, and unknown ones.
  private mutating func readSingular(
    at start: Int, _ marker: UInt8
  ) throws(PropertyListError) -> NodeRecord {
    typealias Marker = BinaryFormat.Marker
    switch marker {
    case Marker.null: return record(.null, .binary, start, start + 1..<start + 1)
    case Marker.true, Marker.false:
      // Booleans have no content; the count is the value.
      var record = record(.boolean, .binary, start, start + 1..<start + 1)
      record.count = UInt32(marker & 1)
      return record
    case Marker.date: return record(.date, .binary, start, try fixed(at: start, 8))
    case Marker.uuid: return record(.uuid, .binary, start, try fixed(at: start, 16))
    case Marker.url, Marker.urlWithBase:
      return record(.url, .binary, start, start..<(try urlEnd(at: start)))
    default:
      try irregularities.add(
        .unknownMarker, at: start, "a marker that the format does not define")
      return record(.unknown, .binary, start, start..<nextObject(after: start))
    }
  }

  private func readContainer(
    _ kind: PropertyListNode.Kind, at start: Int, _ marker: UInt8,
    _ links: inout OutputSpan<UInt32>
  ) throws(PropertyListError) -> NodeRecord {
    let isDictionary = kind == .dictionary
    let references = try extent(
      at: start, marker, unit: isDictionary ? 2 * referenceSize : referenceSize)
    let first = links.count
    guard references.count / referenceSize <= links.freeCapacity else {
      // More references than fit in the file: objects share bytes.
      throw PropertyListError(
        .overlappingObjects, offset: start, reason: "too many objects share bytes")
    }
    let limit = UInt64(objectCount)
    var offset = references.lowerBound
    while offset < references.upperBound {
      let reference = input.bigEndian(at: offset, width: referenceSize)
      guard reference < limit else {
        throw PropertyListError(
          .invalidReference, offset: offset, reason: "a reference to an object that is not there")
      }
      links.append(UInt32(truncatingIfNeeded: reference))
      offset += referenceSize
    }
    return NodeRecord(
      start: UInt32(start), end: UInt32(references.upperBound), first: UInt32(first),
      count: UInt32(links.count - first), kind: kind, encoding: .binary)
  }

  // MARK: Extents

  /// A record of an object without children. All offsets are below 2^32, as the file's length is.
  @inline(__always)
  private func record(
    _ kind: PropertyListNode.Kind, _ encoding: NodeRecord.Encoding, _ start: Int,
    _ content: Range<Int>
  ) -> NodeRecord {
    NodeRecord(
      start: UInt32(start), end: UInt32(content.upperBound), first: UInt32(content.lowerBound),
      count: UInt32(content.count), kind: kind, encoding: encoding)
  }

  /// The content of `width` bytes behind the marker at `start`.
  @inline(__always)
  private func fixed(at start: Int, _ width: Int) throws(PropertyListError) -> Range<Int> {
    guard width <= objectsEnd - start - 1 else { throw tooLong(start) }
    return start + 1..<start + 1 + width
  }

  /// The content of the object at `start`, whose length counts units of `unit` bytes: the lower half of the
  /// marker, or, where that is 15, an integer that follows.
  @inline(__always)
  private func extent(
    at start: Int, _ marker: UInt8, unit: Int
  ) throws(PropertyListError) -> Range<Int> {
    let content = start + 1
    let length = Int(marker & 15) * unit
    guard marker & 15 < 15 else { return try longExtent(at: start, unit: unit) }
    guard length <= objectsEnd - content else { throw tooLong(start) }
    return content..<content + length
  }

  private func longExtent(
    at start: Int, unit: Int
  ) throws(PropertyListError) -> Range<Int> {
    var content = start + 1
    guard content < objectsEnd else { throw tooLong(start) }
    let marker = input.u8(at: content)
    guard marker >> 4 == BinaryFormat.Family.integer, marker & 15 <= 4 else {
      throw PropertyListError(
        .invalidLength, offset: content, reason: "a length that is no integer")
    }
    let width = 1 << Int(marker & 15)
    content += 1
    guard width <= objectsEnd - content else { throw tooLong(start) }
    let upper = width == 16 ? input.bigEndian(at: content, width: 8) : 0
    guard upper == 0 else { throw tooLong(start) }
    let length = input.bigEndian(at: content + max(0, width - 8), width: min(width, 8))
    content += width
    guard length <= UInt64((objectsEnd - content) / unit) else { throw tooLong(start) }
    return content..<content + Int(length) * unit
  }

  private func tooLong(_ start: Int) -> PropertyListError {
    PropertyListError(
      .invalidLength, offset: start, reason: "an object is longer than the bytes that remain")
  }

  /// The end of a URL: its marker, the URL that is its base where it has one, and a string; the latter two
  /// are whole objects, inside this one.
  private func urlEnd(at start: Int) throws(PropertyListError) -> Int {
    var offset = start
    var strings = 1
    while offset < objectsEnd, input.u8(at: offset) == BinaryFormat.Marker.urlWithBase {
      strings += 1
      offset += 1
    }
    guard offset < objectsEnd, input.u8(at: offset) == BinaryFormat.Marker.url else {
      throw PropertyListError(
        .unknownMarker, offset: offset, reason: "the base of a URL is not a URL")
    }
    offset += 1
    for _ in 0..<strings {
      guard offset < objectsEnd else { throw tooLong(start) }
      let marker = input.u8(at: offset)
      let string: Range<Int>
      switch marker >> 4 {
      case BinaryFormat.Family.ascii, BinaryFormat.Family.utf8:
        string = try extent(at: offset, marker, unit: 1)
      case BinaryFormat.Family.utf16: string = try extent(at: offset, marker, unit: 2)
      default:
        throw PropertyListError(
          .unknownMarker, offset: offset, reason: "the text of a URL is not a string")
      }
      offset = string.upperBound
    }
    return offset
  }

  /// Where the next object begins, or the objects end: nothing else tells how long an unknown object is.
  private mutating func nextObject(after start: Int) -> Int {
    if sortedOffsets.isEmpty {
      sortedOffsets = (0..<objectCount).map { index in
        // Objects that come later may have an offset that is not valid; it is refused when they are read.
        Int(
          clamping: input.bigEndian(at: objectsEnd + index * offsetSize, width: offsetSize))
      }
      sortedOffsets.sort()
    }
    var low = 0
    var high = sortedOffsets.count
    while low < high {
      let middle = (low + high) / 2
      if sortedOffsets[middle] > start { high = middle } else { low = middle + 1 }
    }
    return low < sortedOffsets.count ? min(sortedOffsets[low], objectsEnd) : objectsEnd
  }

  // MARK: Keys

  /// Lists keys that are no strings, and keys that a dictionary has twice.
  private mutating func checkKeys(_ table: NodeTable) throws(PropertyListError) {
    let records = table.records
    let links = table.links
    var keys = KeyTable(records: records, content: input)
    // The keys of the last dictionary that had nothing wrong: often the next one has the same.
    var sound = 0..<0
    for index in dictionaries {
      let start = Int(records[index].start)
      let first = Int(records[index].first)
      let own = first..<first + Int(records[index].count) / 2
      if links.areEqual(in: own, and: sound) { continue }
      var isSound = true
      for link in own {
        let key = Int(links[link])
        if records[key].kind != .string {
          isSound = false
          try irregularities.add(
            .nonStringKey, at: start, "a dictionary with a key that is not a string")
        } else if !keys.insert(key, into: index) {
          isSound = false
          try irregularities.add(.duplicateKey, at: start, "a dictionary has a key twice")
        }
      }
      if isSound { sound = own }
    }
  }
}
