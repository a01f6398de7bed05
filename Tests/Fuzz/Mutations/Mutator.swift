// Makes damaged lists of sound ones: bits, bytes, blocks, two files in one, the numbers that a binary list is found by,
// and the words of text.

struct Mutator {
  private let corpus: SeedFiles
  private var random: Randomness
  private var bytes: [UInt8]

  /// The mutant with this number.
  static func mutant(_ number: Int, seed: UInt64, of corpus: SeedFiles) -> [UInt8] {
    var random = Randomness(seed: seed, mutant: number)
    let file = corpus.file(&random)
    var mutator = Mutator(corpus: corpus, random: random, bytes: file)
    let count = 1 + mutator.random.below(1 + mutator.random.below(4))
    for _ in 0..<count { mutator.change() }
    return mutator.bytes
  }

  private init(corpus: SeedFiles, random: Randomness, bytes: [UInt8]) {
    self.corpus = corpus
    self.random = random
    self.bytes = bytes
  }

  private mutating func change() {
    guard bytes.count > 1 else { return bytes.append(random.byte()) }
    // What moves the bytes behind it leaves few lists that are read at all.
    switch random.below(24) {
    case 0...4: flip()
    case 5...6: bytes[random.below(bytes.count)] = random.byte()
    case 7...9: bytes[random.below(bytes.count)] = random.element(of: Self.telling)
    case 10: bytes.removeLast(random.below(bytes.count))
    case 11: bytes.removeSubrange(block())
    case 12:
      let copied = Array(bytes[block()])
      bytes.insert(contentsOf: copied, at: random.below(bytes.count + 1))
    case 13: swapBlocks()
    case 14: splice()
    case 15...16:
      if isBinary { changeNumber() } else { replaceWord() }
    case 17...20:
      if isBinary { changeReference() } else { changeCharacter() }
    default:
      if isBinary { changeMarker() } else { nest() }
    }
  }

  private mutating func flip() { bytes[random.below(bytes.count)] ^= 1 << random.below(8) }

  /// A part of the file, mostly a short one.
  private mutating func block() -> Range<Int> {
    let start = random.below(bytes.count)
    let longest = min(bytes.count - start, random.below(4) == 0 ? bytes.count : 64)
    return start..<start + 1 + random.below(longest)
  }

  private mutating func swapBlocks() {
    let (left, right) = (block(), block())
    guard !left.overlaps(right) else { return flip() }
    let (first, second) = left.lowerBound < right.lowerBound ? (left, right) : (right, left)
    let between = first.upperBound..<second.lowerBound
    let swapped = [second, between, first].flatMap { bytes[$0] }
    bytes.replaceSubrange(first.lowerBound..<second.upperBound, with: swapped)
  }

  /// The beginning of this file and the end of another one.
  private mutating func splice() {
    let other = corpus.file(&random)
    bytes.removeLast(random.below(bytes.count))
    bytes += other.suffix(random.below(other.count + 1))
  }

  // MARK: Binary lists

  /// Bytes that mean much: the ends of ranges, markers with all lengths.
  private static let telling: [UInt8] = [
    0x00, 0x01, 0x7f, 0x80, 0xff, 0x0f, 0x10, 0x13, 0x14, 0x1f, 0x22, 0x23, 0x33, 0x4f, 0x5f, 0x6f,
    0x7f,
    0x8f, 0xa1, 0xaf, 0xb1, 0xc1, 0xd1, 0xdf,
  ]

  private var isBinary: Bool { bytes.count >= 40 && bytes.starts(with: Array("bplist".utf8)) }

  /// Where the table of offsets begins and how large an offset is, where the trailer says something possible.
  private var table: (start: Int, width: Int)? {
    let trailer = bytes.count - 32
    let start = bytes[(trailer + 24)...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let width = Int(bytes[trailer + 6])
    guard start < UInt64(trailer), 1...8 ~= width else { return nil }
    return (Int(start), width)
  }

  /// Changes a byte of the trailer or of the table.
  private mutating func changeNumber() {
    let trailer = bytes.count - 32
    if random.below(2) == 0 || table == nil {
      let place = trailer + 6 + random.below(26)
      switch random.below(3) {
      case 0: bytes[place] = random.element(of: Self.telling)
      case 1: bytes[place] &+= random.below(2) == 0 ? 1 : 0xff
      default: bytes[place] = UInt8(random.below(9))
      }
      return
    }
    guard let (start, width) = table, trailer - start >= width else { return flip() }
    let entry = start + width * random.below((trailer - start) / width)
    switch random.below(3) {
    case 0: bytes[entry + width - 1] = random.byte()
    case 1: bytes[entry + width - 1] &+= random.below(2) == 0 ? 1 : 0xff
    default:
      // Two objects at one place.
      let other = start + width * random.below((trailer - start) / width)
      for index in 0..<width { bytes[entry + index] = bytes[other + index] }
    }
  }

  /// Makes a byte of the objects the number of another object: mostly a reference becomes another one.
  private mutating func changeReference() {
    guard let (start, _) = table, start > 8 else { return flip() }
    bytes[8 + random.below(start - 8)] = UInt8(random.below(min(256, start - 8)))
  }

  private mutating func changeMarker() {
    guard let (start, width) = table, bytes.count - 32 - start >= width else { return flip() }
    let entry = start + width * random.below((bytes.count - 32 - start) / width)
    let place = bytes[entry..<entry + width].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    guard place < UInt64(start) else { return flip() }
    bytes[Int(place)] =
      random.below(2) == 0
      ? random.element(of: Self.telling) : bytes[Int(place)] ^ 1 << random.below(8)
  }

  // MARK: Text

  private static let words: [[UInt8]] = [
    "<dict>", "</dict>", "<array>", "</array>", "<dict/>", "<key>", "</key>", "<string>",
    "</string>",
    "<integer>", "</integer>", "<data>", "</data>", "<true/>", "<date>", "<real>", "</plist>",
    "<plist>",
    "<array ID=\"1\">", "<array IDREF=\"1\"/>", "<dict ID=\"2\">", "<ref IDREF=\"1\"/>",
    "<string IDREF=\"2\"/>",
    "<key>CF$UID</key>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<!DOCTYPE", "[", "]",
    "&amp;", "&#0;",
    "&#x1f600;", "&#99999999;", "&", "0x", "-", "+", "18446744073709551616", "-9223372036854775808",
    "1e400",
    "nan", "-inf", "2147483647-12-31T23:59:59Z", "0000-00-00T00:00:00Z", "$objects", "$null",
    "NS.objects",
    "{", "}", "(", ")", ";", "=", ",", "\"", "'", "\\", "\\U", "\\Ud83d", "\\400", "<*", "<*I",
    "<*D", "<*BY>",
    "<[", "]>", "<", ">", "/*", "*/", "//", "\u{0}", "\u{feff}", "\u{2028}", "\u{1f600}",
    "e\u{301}",
  ].map { Array($0.utf8) }

  /// Puts a word at some place, or in place of what is there.
  private mutating func replaceWord() {
    let word = random.element(of: Self.words)
    let start = random.below(bytes.count)
    let end = random.below(2) == 0 ? start : min(bytes.count, start + word.count)
    bytes.replaceSubrange(start..<end, with: word)
  }

  /// Puts another character of the same sort in place of a letter or digit.
  private mutating func changeCharacter() {
    let place = random.below(bytes.count)
    switch bytes[place] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      bytes[place] = UInt8(ascii: "0") + UInt8(random.below(10))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      bytes[place] = bytes[place] & 0xe0 + UInt8(1 + random.below(26))
    default: flip()
    }
  }

  /// Puts many opening brackets of a kind at some place.
  private mutating func nest() {
    guard random.below(8) == 0 else { return replaceWord() }
    let bracket = Array(
      random.element(of: ["<array>", "<dict><key>a</key>", "(", "{a=", "["]).utf8)
    let many = Array(repeatElement(bracket, count: 1 << random.below(11)).joined())
    bytes.insert(contentsOf: many, at: random.below(bytes.count))
  }
}
