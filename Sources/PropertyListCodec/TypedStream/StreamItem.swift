// A value of a typed stream as it was read, before it is known what it is for: a count, the type of a number, or a
// field of its own.

internal import ByteCoding

struct StreamItem {
  enum Content {
    /// Nil, of whatever type.
    case null
    case boolean(Bool)
    case integer(Int128)
    case real(Double)
    case real32(Float)
    /// Bytes of the stream: a text without a number, an array of `c` or `C`.
    case bytes(Range<Int>)
    /// Strings by their number: a C string, a selector, an atom.
    case string(Int)
    /// A class by its index in the reader.
    case classReference(Int)
    /// An object by its number in the archive.
    case object(UInt32)
    /// An array or a structure: a node.
    case list(UInt32)
  }

  /// The first letter of its type.
  let letter: UInt8
  let content: Content
  /// The bytes that it has in the stream; of a new object, only the first.
  let place: Range<Int>
}

/// Takes the values of an object one after the other, as a class has written them.
struct StreamItems {
  private let items: [StreamItem]
  private(set) var position: Int

  init(_ items: [StreamItem]) {
    self.items = items
    position = 0
  }

  /// What has not been taken.
  var rest: ArraySlice<StreamItem> { items[position...] }

  /// The next value, if it has this type.
  mutating func take(_ letter: Character) -> StreamItem? {
    guard let item = items[position...].first, item.letter == letter.asciiValue else { return nil }
    position += 1
    return item
  }

  /// The next value, of whatever type.
  mutating func takeAny() -> StreamItem? {
    guard let item = items[position...].first else { return nil }
    position += 1
    return item
  }

  mutating func integer(_ letter: Character) -> Int? {
    guard case .integer(let value)? = take(letter)?.content else { return nil }
    return Int(exactly: value)
  }

  /// Bytes, of a text or an array.
  mutating func bytes(_ letter: Character) -> Range<Int>? {
    guard case .bytes(let range)? = take(letter)?.content else { return nil }
    return range
  }

  /// So many objects, some of which can be nil. Nil when there are not as many.
  mutating func objects(_ count: Int) -> ArraySlice<StreamItem>? {
    guard count >= 0, count <= items.count - position else { return nil }
    let taken = items[position..<position + count]
    guard taken.allSatisfy({ $0.letter == UInt8(ascii: "@") }) else { return nil }
    position += count
    return taken
  }

  mutating func real() -> Float? {
    switch take("f")?.content {
    case .real32(let value): value
    default: nil
    }
  }
}

/// A class of a stream.
struct StreamClass {
  /// With itself, as many as a reader of archives looks at.
  static let maximumDepth = 64
  /// So long can the names of these be together. Each object has them.
  static let maximumByteCount = 4096

  /// Of its description in the archive.
  let number: UInt32
  /// The number of its string.
  let name: Int
  let nameNode: UInt32
  let versionNode: UInt32
  let start: Int
  var superclass: Int?
  /// How many classes it and those above it are.
  var depth = 0
  /// How long their names are.
  var byteCount = 0
  /// How it, or the nearest class above it that is known, writes its objects.
  var form: StreamForm?
  /// Whether the form is that of the class itself.
  var isFormsOwn = false
  /// Whether the classes above it are known.
  var isWhole = false
}
