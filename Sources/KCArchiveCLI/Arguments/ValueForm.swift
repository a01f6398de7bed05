// The forms that an option's value can have, and how the text of an argument becomes that value.

/// What an option takes, checked while the command line is read.
package enum ValueForm: Sendable {
  /// Any UTF-8.
  case text
  /// A file's name: any bytes, not empty.
  case path
  /// A number from `least` up, in decimal digits.
  case count(least: UInt64)
  /// A number of bytes above 0: `64MiB`, `1GiB`, `512KiB` or plain digits.
  case size
  /// One of these words.
  case choice([String])
  /// `NAME=VALUE`.
  case attribute
  /// `N` or `N:HASH`.
  case commit
}

/// A value as the verbs get it.
package enum OptionValue: Sendable, Equatable {
  case flag
  case text(String)
  case path(FilePath)
  /// A count, or a size in bytes.
  case number(UInt64)
  case attribute(AttributeMatch)
  case commit(CommitPin)
}

/// An attribute and the value that an item must have there, as it was typed.
package struct AttributeMatch: Sendable, Equatable {
  package let name: String
  package let value: String
}

/// The commit that an archive must have reached: `--require-commit N[:HASH]`.
package struct CommitPin: Sendable, Equatable {
  package let number: UInt64
  /// The first 16 to 64 hexadecimal digits of the commit's hash, in lower case.
  package let hash: String?
}

extension ValueForm {
  /// Why an argument is no value of a form: a clause that follows the option's name.
  struct Problem: Error {
    let reason: String
    var hint: String?
  }

  /// The value that `argument` stands for.
  func value(of argument: [UInt8]) throws(Problem) -> OptionValue {
    if case .path = self {
      guard !argument.isEmpty else { throw Problem(reason: "needs a file's name") }
      return .path(FilePath(bytes: argument))
    }
    guard let text = String(validating: argument, as: UTF8.self) else {
      throw Problem(reason: "has a value that is not UTF-8: '\(escaped(argument))'")
    }
    switch self {
    case .text, .path: return .text(text)
    case .count(let least): return .number(try Self.count(text, least: least))
    case .size: return .number(try Self.size(text))
    case .choice(let words): return .text(try Self.choice(text, of: words))
    case .attribute: return .attribute(try Self.attribute(text))
    case .commit: return .commit(try Self.commit(text))
    }
  }

  private static func count(_ text: String, least: UInt64) throws(Problem) -> UInt64 {
    guard let number = decimal(text.utf8[...]) else {
      throw Problem(reason: "takes a number, not \(quoted(text))")
    }
    guard number >= least else { throw Problem(reason: "must be \(least) or more") }
    return number
  }

  private static func size(_ text: String) throws(Problem) -> UInt64 {
    let digits = text.utf8.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    let unit = String(text.utf8.dropFirst(digits.count)) ?? ""
    let shifts = ["": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40]
    guard let number = decimal(digits), let shift = shifts[unit] else {
      throw Problem(
        reason: "takes a size, not \(quoted(text))",
        hint: "sizes are written 512KiB, 64MiB, 1GiB or in bytes")
    }
    guard number > 0 else { throw Problem(reason: "must be above 0") }
    // Sizes are compared with what the system counts in signed numbers.
    guard number <= UInt64(Int64.max) >> UInt64(shift) else {
      throw Problem(reason: "is too large: \(quoted(text))")
    }
    return number << UInt64(shift)
  }

  private static func choice(_ text: String, of words: [String]) throws(Problem) -> String {
    if words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return text }
    throw Problem(
      reason: "takes \(alternatives(words)), not \(quoted(text))",
      hint: nearest(to: text, in: words).map { "did you mean '\($0)'?" })
  }

  private static func attribute(_ text: String) throws(Problem) -> AttributeMatch {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex else {
      throw Problem(reason: "takes NAME=VALUE, not \(quoted(text))")
    }
    return AttributeMatch(
      name: String(text[..<equals]), value: String(text[text.utf8.index(after: equals)...]))
  }

  private static func commit(_ text: String) throws(Problem) -> CommitPin {
    let parts = text.utf8.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let number = decimal(parts[0]), number > 0 else {
      throw Problem(reason: "takes a commit's number, not \(quoted(text))")
    }
    guard parts.count == 2 else { return CommitPin(number: number, hash: nil) }
    let hash = parts[1].compactMap(lowerHexadecimalDigit)
    guard hash.count == parts[1].count, (16...64).contains(hash.count) else {
      throw Problem(reason: "takes 16 to 64 hexadecimal digits behind the colon")
    }
    return CommitPin(number: number, hash: String(decoding: hash, as: UTF8.self))
  }

  /// A number of nothing but decimal digits; `UInt64(_: String)` would take a sign too.
  private static func decimal(_ digits: Substring.UTF8View) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      let (shifted, tooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, tooLargeAgain) = shifted.addingReportingOverflow(UInt64(digit & 0x0F))
      guard !tooLarge, !tooLargeAgain else { return nil }
      number = sum
    }
    return number
  }

  private static func lowerHexadecimalDigit(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): digit
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit | 0x20
    default: nil
    }
  }
}

/// `["a", "b", "c"]` as `'a', 'b' or 'c'`.
func alternatives(_ words: [String]) -> String {
  let quotedWords = words.map { "'\($0)'" }
  guard let last = quotedWords.last, quotedWords.count > 1 else { return quotedWords.first ?? "" }
  return quotedWords.dropLast().joined(separator: ", ") + " or " + last
}
