// The lines of an XML property list in Apple's formatting (Core Foundation, CFPropertyList.c, `_CFAppendXML0`): tabs
// in front, only `<`, `>` and `&` escaped, data in lines that get shorter with the indentation.
//
// Lines go into a buffer whose room is made sure of once a line; lists have millions of them.

internal import ByteCoding

struct XMLOutput {
  /// What was written, then room.
  private var buffer: [UInt8]
  private(set) var count = 0

  /// More than the tags of a line have, and the stores of whole words behind it.
  private static let slack = 64

  init(capacity: Int) { buffer = Array(repeating: 0, count: capacity) }

  /// What was written since the last `removeAll`.
  var text: RawSpan {
    @_lifetime(borrow self) get { buffer.bytes.extracting(0..<count) }
  }

  consuming func array() -> [UInt8] {
    buffer.removeLast(buffer.count - count)
    return buffer
  }

  mutating func removeAll() { count = 0 }

  // MARK: Lines

  mutating func head() {
    append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">

      """)
  }

  mutating func foot() { append("</plist>\n") }

  private mutating func append(_ text: StaticString) {
    reserve(text.utf8CodeUnitCount)
    for index in 0..<text.utf8CodeUnitCount {
      buffer[count] = unsafe text.utf8Start[index]
      count += 1
    }
  }

  /// A line with a tag, or with an element that has no text.
  mutating func line(_ tag: XMLTag, _ depth: Int) {
    reserve(depth)
    let start = count
    var target = buffer.mutableBytes
    let end = target.storeTabs(depth, at: start)
    count = target.store(tag, at: end)
  }

  /// A line with a string or a key.
  ///
  /// `isLatin1`: bytes over 0x7f are not UTF-8 but ISO 8859-1.
  mutating func string(
    _ text: RawSpan, isLatin1: Bool = false, isKey: Bool = false, _ depth: Int
  ) {
    let end = isKey ? XMLTag.keyEnd : XMLTag.stringEnd
    begin(isKey ? XMLTag.key : XMLTag.string, text.byteCount, depth)
    let plainCount = copyPlain(text, isLatin1: isLatin1)
    if plainCount < text.byteCount { escape(text, from: plainCount, isLatin1: isLatin1) }
    let start = count
    var target = buffer.mutableBytes
    count = target.store(end, at: start)
  }

  /// Lines of 76 characters, the tabs in front counted as 8 each, of which there are at most 8.
  mutating func data(_ bytes: RawSpan, _ depth: Int) {
    line(.data, depth)
    let lineBytes = (76 - 8 * min(depth, 8)) / 4 * 3
    var offset = 0
    while offset < bytes.byteCount {
      let part = bytes.extracting(offset..<min(offset + lineBytes, bytes.byteCount))
      reserve(depth + 80)
      let start = count
      var target = buffer.mutableBytes
      let textStart = target.storeTabs(depth, at: start)
      let end = Base64.encode(part, into: &target, at: textStart)
      target.store(UInt8(ascii: "\n"), at: end)
      count = end + 1
      offset += lineBytes
    }
    line(.dataEnd, depth)
  }

  /// The lines of a value that is no container. Throws `notRepresentable`.
  mutating func scalar(_ value: PropertyListValue, _ depth: Int) throws(PropertyListError) {
    switch value {
    case .string(let string):
      self.string(unsafe string.utf8Span.span.bytes, depth)
    case .data(let bytes): data(bytes.bytes, depth)
    case .boolean(let value): line(value ? .true : .false, depth)
    case .integer(let value):
      guard value >= Int128(Int64.min), value <= Int128(UInt64.max) else {
        throw PropertyListValue.integer(value).notRepresentable("an integer of over 64 bits")
      }
      integer(magnitude: UInt64(value.magnitude), isNegative: value < 0, depth)
    case .real(let value): real(value, depth)
    case .real32(let value): real(Double(value), depth)
    case .date(let seconds):
      guard let date = XMLDate.fields(seconds) else {
        throw value.notRepresentable("a date that no calendar has")
      }
      if 0...9999 ~= date.year { return self.date(date, depth) }
      let text = XMLDate.text(date)
      element(.date, text.bytes, .dateEnd, depth)
    case .uid(let uid):
      guard let uid = UInt64(exactly: uid) else {
        throw value.notRepresentable("a UID of more than 64 bits")
      }
      line(.dict, depth)
      string(unsafe "CF$UID".utf8Span.span.bytes, isKey: true, depth + 1)
      integer(magnitude: uid, isNegative: false, depth + 1)
      line(.dictEnd, depth)
    case .null: throw value.notRepresentable("a null in an XML list")
    case .set, .orderedSet: throw value.notRepresentable("a set in an XML list")
    case .url, .uuid: throw value.notRepresentable("a URL or UUID in an XML list")
    case .unknown: throw value.notRepresentable("an unknown object in an XML list")
    case .unpairedString:
      throw value.notRepresentable("half a surrogate pair in an XML list")
    case .array, .dictionary: throw value.notRepresentable("a container")
    }
  }

  private mutating func integer(magnitude: UInt64, isNegative: Bool, _ depth: Int) {
    begin(.integer, 0, depth)
    let start = count
    var target = buffer.mutableBytes
    if isNegative { target.store(UInt8(ascii: "-"), at: start) }
    let end = target.storeDigits(magnitude, at: start + (isNegative ? 1 : 0))
    count = target.store(.integerEnd, at: end)
  }

  private mutating func real(_ value: Double, _ depth: Int) {
    let description = value.description
    let bytes = unsafe description.utf8Span.span.bytes
    if let count = XMLReal.plainCount(value, bytes) {
      element(.real, bytes.extracting(0..<count), .realEnd, depth)
    } else {
      element(.real, unsafe XMLReal.text(value).utf8Span.span.bytes, .realEnd, depth)
    }
  }

  /// A date whose year has four digits.
  private mutating func date(_ date: XMLDate.Fields, _ depth: Int) {
    begin(.date, 0, depth)
    let start = count
    var target = buffer.mutableBytes
    target.storeTwoDigits(date.year / 100, "0", at: start)
    target.storeTwoDigits(date.year % 100, "-", at: start + 2)
    target.storeTwoDigits(date.month, "-", at: start + 5)
    target.storeTwoDigits(date.day, "T", at: start + 8)
    target.storeTwoDigits(date.hour, ":", at: start + 11)
    target.storeTwoDigits(date.minute, ":", at: start + 14)
    target.storeTwoDigits(date.second, "Z", at: start + 17)
    count = target.store(.dateEnd, at: start + 20)
  }

  // MARK: Pieces

  /// Lines that were made before.
  mutating func lines(_ lines: RawSpan) {
    reserve(lines.byteCount)
    let start = count
    var target = buffer.mutableBytes
    target.store(lines, at: start)
    count = start + lines.byteCount
  }

  /// A line with an element of a text that needs no escaping.
  private mutating func element(
    _ startTag: XMLTag, _ text: RawSpan, _ endTag: XMLTag, _ depth: Int
  ) {
    begin(startTag, text.byteCount, depth)
    let start = count
    var target = buffer.mutableBytes
    target.store(text, at: start)
    count = target.store(endTag, at: start + text.byteCount)
  }

  /// The start of a line whose text has `textCount` bytes.
  private mutating func begin(_ tag: XMLTag, _ textCount: Int, _ depth: Int) {
    reserve(depth + textCount)
    let start = count
    var target = buffer.mutableBytes
    let end = target.storeTabs(depth, at: start)
    count = target.store(tag, at: end)
  }

  /// Makes sure of room for so many bytes and the tags of a line.
  @inline(__always) private mutating func reserve(_ byteCount: Int) {
    if buffer.count - count < byteCount + Self.slack { grow(byteCount) }
  }

  private mutating func grow(_ byteCount: Int) {
    let added = max(byteCount + Self.slack, buffer.count)
    buffer.append(contentsOf: repeatElement(0, count: added))
  }

  /// Copies text up to the first character that is written in another way, and returns how much that is. There is
  /// room for it.
  private mutating func copyPlain(_ text: RawSpan, isLatin1: Bool) -> Int {
    let others: UInt64 = isLatin1 ? 0x8080_8080_8080_8080 : 0
    let start = count
    var target = buffer.mutableBytes
    var read = 0
    while text.byteCount - read >= 8 {
      let word = text.u64(at: read)
      guard ByteWord.escaped(word) | word & others == 0 else { break }
      target.store(word, at: start + read)
      read += 8
    }
    while read < text.byteCount {
      let byte = text.u8(at: read)
      guard byte & 0xfd != UInt8(ascii: "<"), byte != UInt8(ascii: "&"),
        byte & UInt8(truncatingIfNeeded: others) == 0
      else { break }
      target.store(byte, at: start + read)
      read += 1
    }
    count = start + read
    return read
  }

  private mutating func escape(_ text: RawSpan, from start: Int, isLatin1: Bool) {
    reserve(5 * (text.byteCount - start))
    var end = count
    var target = buffer.mutableBytes
    for offset in start..<text.byteCount {
      let byte = text.u8(at: offset)
      switch byte {
      case UInt8(ascii: "<"): end = target.store(.less, at: end)
      case UInt8(ascii: ">"): end = target.store(.greater, at: end)
      case UInt8(ascii: "&"): end = target.store(.ampersand, at: end)
      case 0x80... where isLatin1:
        target.store(0xc0 | byte >> 6, at: end)
        target.store(0x80 | byte & 0x3f, at: end + 1)
        end += 2
      default:
        target.store(byte, at: end)
        end += 1
      }
    }
    count = end
  }
}

/// A tag, with the end of its line where it ends one, or an entity: at most 16 bytes, stored as two words.
struct XMLTag {
  fileprivate let first: UInt64
  fileprivate let second: UInt64
  fileprivate let count: Int

  // Inlined with its literal, this is two constants.
  @inline(__always) private init(_ text: StaticString) {
    var words: (UInt64, UInt64) = (0, 0)
    for index in (0..<text.utf8CodeUnitCount).reversed() {
      let byte = unsafe UInt64(text.utf8Start[index])
      if index < 8 { words.0 = words.0 << 8 | byte } else { words.1 = words.1 << 8 | byte }
    }
    (first, second) = words
    count = text.utf8CodeUnitCount
  }

  @inline(__always) static var array: XMLTag { XMLTag("<array>\n") }
  @inline(__always) static var arrayEnd: XMLTag { XMLTag("</array>\n") }
  @inline(__always) static var emptyArray: XMLTag { XMLTag("<array/>\n") }
  @inline(__always) static var dict: XMLTag { XMLTag("<dict>\n") }
  @inline(__always) static var dictEnd: XMLTag { XMLTag("</dict>\n") }
  @inline(__always) static var emptyDict: XMLTag { XMLTag("<dict/>\n") }
  @inline(__always) static var key: XMLTag { XMLTag("<key>") }
  @inline(__always) static var keyEnd: XMLTag { XMLTag("</key>\n") }
  @inline(__always) static var string: XMLTag { XMLTag("<string>") }
  @inline(__always) static var stringEnd: XMLTag { XMLTag("</string>\n") }
  @inline(__always) static var integer: XMLTag { XMLTag("<integer>") }
  @inline(__always) static var integerEnd: XMLTag { XMLTag("</integer>\n") }
  @inline(__always) static var real: XMLTag { XMLTag("<real>") }
  @inline(__always) static var realEnd: XMLTag { XMLTag("</real>\n") }
  @inline(__always) static var date: XMLTag { XMLTag("<date>") }
  @inline(__always) static var dateEnd: XMLTag { XMLTag("</date>\n") }
  @inline(__always) static var data: XMLTag { XMLTag("<data>\n") }
  @inline(__always) static var dataEnd: XMLTag { XMLTag("</data>\n") }
  @inline(__always) static var `true`: XMLTag { XMLTag("<true/>\n") }
  @inline(__always) static var `false`: XMLTag { XMLTag("<false/>\n") }
  @inline(__always) static var less: XMLTag { XMLTag("&lt;") }
  @inline(__always) static var greater: XMLTag { XMLTag("&gt;") }
  @inline(__always) static var ampersand: XMLTag { XMLTag("&amp;") }
}

extension MutableRawSpan {
  /// Returns the offset behind the tag. Bytes behind it, of which there are 16, are room.
  fileprivate mutating func store(_ tag: XMLTag, at offset: Int) -> Int {
    store(tag.first, at: offset)
    store(tag.second, at: offset + 8)
    return offset + tag.count
  }

  /// Stores a number below 100 and a character: a word of which three bytes count.
  fileprivate mutating func storeTwoDigits(_ number: Int, _ end: Unicode.Scalar, at offset: Int) {
    store(UInt32(Self.twoDigits(number)) | end.value << 16, at: offset)
  }

  /// The digits of a number below 100, the first in the lower byte.
  @inline(__always) private static func twoDigits(_ number: Int) -> UInt16 {
    UInt16(truncatingIfNeeded: number / 10 | (number % 10) << 8) | 0x3030
  }

  /// Returns the offset behind the digits.
  fileprivate mutating func storeDigits(_ number: UInt64, at offset: Int) -> Int {
    var digitCount = 1
    var power: UInt64 = 10
    // 2^64 has 20 digits.
    while digitCount < 20, number >= power {
      digitCount += 1
      power = power &* 10
    }
    var rest = number
    var end = offset + digitCount
    while rest >= 10 {
      end -= 2
      store(Self.twoDigits(Int(truncatingIfNeeded: rest % 100)), at: end)
      rest /= 100
    }
    if end > offset { store(UInt8(ascii: "0") | UInt8(truncatingIfNeeded: rest), at: offset) }
    return offset + digitCount
  }

  /// Returns the offset behind the tabs.
  fileprivate mutating func storeTabs(_ tabCount: Int, at offset: Int) -> Int {
    var done = 0
    while done < tabCount {
      store(0x0909_0909_0909_0909 as UInt64, at: offset + done)
      done += 8
    }
    return offset + tabCount
  }
}

extension ByteWord {
  /// Nonzero where a byte of `word` is `<`, `>` (which differ in one bit) or `&`.
  fileprivate static func escaped(_ word: UInt64) -> UInt64 {
    matches(word & 0xfdfd_fdfd_fdfd_fdfd, UInt8(ascii: "<")) | matches(word, UInt8(ascii: "&"))
  }
}
