// Decimal numbers, value structs (points, sizes, rectangles, ranges, insets), index sets and paths, transforms.

internal import ByteCoding

extension DescriptionBuilder {
  /// `NSDecimalNumber`: an integer of at most 128 bits, in `NS.length` units of 16 bits, by a power of ten.
  mutating func decimalNumber() -> Result? {
    guard let exponent = fields.integer("NS.exponent"), -128...127 ~= exponent,
      let length = fields.integer("NS.length"), 0...8 ~= length,
      let isNegative = fields.boolean("NS.negative"), let bytes = fields.data("NS.mantissa"),
      bytes.count >= Int(length) * 2
    else { return nil }
    let isLittleEndian = fields.integer("NS.mantissa.bo") != 2
    _ = fields.take("NS.compact")
    var mantissa: UInt128 = 0
    for unit in (0..<Int(length)).reversed() {
      let (first, second) = (UInt128(bytes[2 * unit]), UInt128(bytes[2 * unit + 1]))
      mantissa = mantissa << 16 | (isLittleEndian ? second << 8 | first : first << 8 | second)
    }
    let text =
      length == 0 && isNegative
      ? "NaN" : Self.decimal(mantissa, exponent: Int(exponent), isNegative: isNegative)
    add("digits", .string(text))
    return ("decimal number", text)
  }

  /// `mantissa` by ten to the power of `exponent`, without an exponent.
  private static func decimal(_ mantissa: UInt128, exponent: Int, isNegative: Bool) -> String {
    var digits = mantissa.description
    if mantissa != 0, exponent > 0 { digits += String(repeating: "0", count: exponent) }
    if exponent < 0 {
      let missing = 1 - exponent - digits.utf8.count
      if missing > 0 { digits = String(repeating: "0", count: missing) + digits }
      let point = digits.index(digits.endIndex, offsetBy: exponent)
      var fraction = digits[point...]
      while fraction.last == "0" { fraction.removeLast() }
      digits = String(digits[..<point]) + (fraction.isEmpty ? "" : "." + fraction)
    }
    return (isNegative ? "-" : "") + digits
  }

  /// `NSValue`, of the kind that `NS.special` tells.
  mutating func value() -> Result? {
    guard let special = fields.integer("NS.special") else { return oldStyleValue() }
    switch special {
    case 1: return numbers("NS.pointval", "point", ["x", "y"])
    case 2: return numbers("NS.sizeval", "size", ["width", "height"])
    case 3: return numbers("NS.rectval", "rectangle", ["x", "y", "width", "height"])
    case 4:
      guard let location = addInteger("location", field: "NS.rangeval.location"),
        let length = addInteger("length", field: "NS.rangeval.length")
      else { return nil }
      return ("range", "{\(location), \(length)}")
    case 12:
      var insets: [Double] = []
      for name in ["top", "left", "bottom", "right"] {
        guard let inset = addNumber(name, field: "NS.edgeval." + name) else { return nil }
        insets.append(inset)
      }
      return ("edge insets", "{\(Self.text(insets))}")
    default: return nil
    }
  }

  /// Any other value: an Objective-C type, and what it holds as that type's coder wrote it.
  private mutating func oldStyleValue() -> Result? {
    guard let type = addString("type encoding", field: "$0") else { return nil }
    add("value", field: "$1")
    return ("value", "of type \(type)")
  }

  mutating func numbers(_ field: String, _ type: String, _ names: [String]) -> Result? {
    addNumbers(names, field: field).map { (type, $0.text) }
  }

  /// Takes a field of numbers in braces, and makes a part of each. Gives its text, too.
  mutating func addNumbers(
    _ names: [String], field: String
  ) -> (text: String, numbers: [Double])? {
    guard let text = fields.string(field) else { return nil }
    let words = text.utf8.split { "{}, ".utf8.contains($0) }
    let numbers = words.compactMap { Double(Substring($0)) }
    guard numbers.count == words.count, numbers.count == names.count else { return nil }
    for (name, number) in zip(names, numbers) { add(name, .real(number)) }
    return (text, numbers)
  }

  /// `NSIndexSet`: none, one or many ranges.
  mutating func indexSet() -> Result? {
    guard let count = fields.integer("NSRangeCount") else { return nil }
    var ranges: [(location: UInt64, length: UInt64)] = []
    switch count {
    case 0: break
    case 1:
      guard let location = fields.integer("NSLocation").flatMap({ UInt64(exactly: $0) }),
        let length = fields.integer("NSLength").flatMap({ UInt64(exactly: $0) })
      else { return nil }
      ranges = [(location, length)]
    default:
      guard let numbers = fields.data("NSRangeData").flatMap({ VariableLengthNumbers.decode($0) }),
        numbers.count % 2 == 0, Int128(numbers.count / 2) == count
      else { return nil }
      for index in stride(from: 0, to: numbers.count, by: 2) {
        ranges.append((numbers[index], numbers[index + 1]))
      }
    }
    add(
      "ranges",
      .array(
        ranges.map {
          .dictionary([
            .init("location", .integer(Int128($0.location))),
            .init("length", .integer(Int128($0.length))),
          ])
        }))
    let text = ranges.map { range in
      // The sum of a hostile range can be more than 64 bits.
      let last = UInt128(range.location) + UInt128(range.length)
      return range.length == 1 ? "\(range.location)" : "\(range.location)..<\(last)"
    }
    return ("index set", text.isEmpty ? "empty" : text.joined(separator: ", "))
  }

  /// `NSIndexPath`: none, one or many numbers.
  mutating func indexPath() -> Result? {
    guard let count = fields.integer("NSIndexPathLength") else { return nil }
    var indexes: [Int128] = []
    switch count {
    case 0: break
    case 1:
      guard let index = fields.integer("NSIndexPathValue") else { return nil }
      indexes = [index]
    default:
      guard
        let numbers = fields.data("NSIndexPathData").flatMap({ VariableLengthNumbers.decode($0) }),
        Int128(numbers.count) == count
      else { return nil }
      indexes = numbers.map { Int128($0) }
    }
    add("indexes", .array(indexes.map { .integer($0) }))
    return (
      "index path", indexes.isEmpty ? "empty" : indexes.map(\.description).joined(separator: ".")
    )
  }

  /// `NSAffineTransform`: six reals of 32 bits, big-endian.
  mutating func affineTransform() -> Result? {
    guard let bytes = fields.data("NSTransformStruct"), bytes.count == 24 else { return nil }
    let numbers = stride(from: 0, to: 24, by: 4).map { offset in
      Double(Float(bitPattern: bytes.bytes.u32(at: offset).byteSwapped))
    }
    for (name, number) in zip(["m11", "m12", "m21", "m22", "tX", "tY"], numbers) {
      add(name, .real(number))
    }
    return ("affine transform", "[\(Self.text(numbers))]")
  }
}
