// Type encodings of Objective-C, as far as typed streams have them: which values follow, one by one. Each is taken
// apart once; a stream refers to it again by number.

internal import ByteCoding

/// The types of a group of values, in the order in which they are read.
struct TypeEncoding {
  enum Step {
    /// A value of the type with this letter.
    case value(UInt8)
    /// So many bytes: an array of `c` or `C`.
    case bytes(Int)
    /// An array, or a structure as an array of one round. The steps up to `end` are those of a round.
    case list(count: Int, end: Int)
  }

  private(set) var steps: [Step] = []

  /// Structures and arrays that have begun.
  private struct Open {
    let step: Int
    let bracket: UInt8
    let count: Int
    /// How many types are in it so far.
    var typeCount = 0
  }

  /// Takes the encoding at `range` apart.
  ///
  /// Throws `invalidType`, and `nestingTooDeep` for more than `maximumDepth` brackets in each other.
  init(_ input: RawSpan, _ range: Range<Int>, maximumDepth: Int) throws(PropertyListError) {
    var open: [Open] = []
    var offset = range.lowerBound
    var isEmpty = true
    while offset < range.upperBound {
      let letter = input.u8(at: offset)
      let start = offset
      offset += 1
      switch letter {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard open.count < maximumDepth else {
          throw PropertyListError(
            .nestingTooDeep, offset: start,
            reason: "arrays and structures of a type are nested deeper than the limit")
        }
        var count = 1
        if letter == UInt8(ascii: "[") {
          count = try Self.count(input, &offset, range.upperBound)
        } else {
          Self.skipName(input, &offset, range.upperBound)
        }
        open.append(Open(step: steps.count, bracket: letter, count: count))
        steps.append(.list(count: count, end: 0))
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard let list = open.popLast(), list.bracket == letter - 2 else {
          throw Self.error(start, "brackets of a type that do not match")
        }
        if list.bracket == UInt8(ascii: "["), list.typeCount != 1 {
          throw Self.error(start, "an array is of one type")
        }
        close(list)
      case UInt8(ascii: "\"") where open.last?.bracket == UInt8(ascii: "{"):
        // The name of a field.
        while offset < range.upperBound, input.u8(at: offset) != letter { offset += 1 }
        guard offset < range.upperBound else {
          throw Self.error(start, "a name in a type that does not end")
        }
        offset += 1
        continue
      case UInt8(ascii: "!"): break
      default:
        guard Self.letters.contains(letter) else {
          throw Self.error(start, "a type that typed streams do not have")
        }
        steps.append(.value(letter))
      }
      isEmpty = false
      let isBeginning = letter == UInt8(ascii: "{") || letter == UInt8(ascii: "[")
      if !isBeginning, !open.isEmpty { open[open.count - 1].typeCount += 1 }
    }
    guard open.isEmpty else { throw Self.error(range.upperBound, "a type that does not end") }
    guard !isEmpty else { throw Self.error(range.lowerBound, "a type without a letter") }
  }

  private static let letters = Array("cCsSiIlLqQfdB*%:@#+".utf8)

  /// Ends a list, which has its steps behind its own.
  private mutating func close(_ list: Open) {
    if list.bracket == UInt8(ascii: "["), steps.count == list.step + 2,
      case .value(let letter) = steps[list.step + 1],
      letter == UInt8(ascii: "c") || letter == UInt8(ascii: "C")
    {
      steps.removeLast()
      steps[list.step] = .bytes(list.count)
    } else {
      steps[list.step] = .list(count: list.count, end: steps.count)
    }
  }

  /// The number behind `[`.
  private static func count(
    _ input: RawSpan, _ offset: inout Int, _ end: Int
  ) throws(PropertyListError) -> Int {
    let start = offset
    var count = 0
    while offset < end, 0x30...0x39 ~= input.u8(at: offset) {
      count = 10 * count + Int(input.u8(at: offset) - 0x30)
      guard count <= Int(Int32.max) else {
        throw error(start, "an array of more elements than can be")
      }
      offset += 1
    }
    guard offset > start else { throw error(start, "an array without a number of elements") }
    return count
  }

  /// Skips the name of a structure with the `=` behind it, where there is one.
  private static func skipName(_ input: RawSpan, _ offset: inout Int, _ end: Int) {
    var index = offset
    while index < end {
      switch input.u8(at: index) {
      case UInt8(ascii: "="):
        offset = index + 1
        return
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"): return
      default: index += 1
      }
    }
  }

  private static func error(_ offset: Int, _ reason: String) -> PropertyListError {
    PropertyListError(.invalidType, offset: offset, reason: reason)
  }
}
