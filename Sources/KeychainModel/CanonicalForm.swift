// What a value becomes when items are compared: `acct` as text and as bytes is one account.
//
// Apple's database converts values to the type of their column, so two items with the same primary
// key may have come with different types. Canonical keys and queries compare after that conversion.

internal import ByteCoding

/// How the values of a column are converted before they are compared.
enum Coercion: Sendable {
  /// Text and bytes are text.
  case text
  /// As `text`; a four-character code may also have come as a number, and 0 as "none".
  case fourCharacterCode
  /// Text and bytes are bytes.
  case data
  /// Booleans are numbers, and so is text that is exactly a number in decimal: SecItem's constants
  /// for key classes and types are such text (`copyNumber` in Apple's SecDbItem.c).
  case number
  /// Dates from any number; -0.0 is 0.0.
  case date
  /// None: every value keeps its type.
  case own
  /// For matching attributes the table does not know: text equals bytes, a boolean its number.
  case loose
}

/// A value after conversion, without a copy of its bytes.
struct CanonicalForm: Equatable {
  let type: UInt8
  let byteCount: Int

  /// The bytes, lowest first, when they are a number's; nil when they are the value's own.
  let bits: UInt64?

  static func number(_ value: Int64) -> Self {
    CanonicalForm(type: 3, byteCount: 8, bits: UInt64(bitPattern: value))
  }

  static func date(_ value: Float64) -> Self {
    CanonicalForm(type: 4, byteCount: 8, bits: value.bitPattern)
  }

  /// What a missing attribute of a column stands for: Apple's default.
  static func missing(_ coercion: Coercion) -> Self {
    switch coercion {
    case .text, .fourCharacterCode, .own, .loose: CanonicalForm(type: 1, byteCount: 0, bits: 0)
    case .data: CanonicalForm(type: 2, byteCount: 0, bits: 0)
    case .number: .number(0)
    case .date: .date(0)
    }
  }
}

extension AttributeValue {
  /// The value's form in a column with `coercion`; a value that can't be converted keeps its own.
  func form(_ coercion: Coercion) -> CanonicalForm {
    switch self {
    case .text(let text):
      if coercion == .number, let value = text.canonicalDecimal { return .number(value) }
      return CanonicalForm(
        type: coercion == .data ? 2 : 1, byteCount: text.utf8.count, bits: nil)
    case .bytes(let bytes):
      let isText = coercion == .text || coercion == .fourCharacterCode || coercion == .loose
      return CanonicalForm(type: isText ? 1 : 2, byteCount: bytes.count, bits: nil)
    case .integer(let value):
      if coercion == .date { return .date(Float64(value)) }
      if coercion == .fourCharacterCode, let code = CanonicalForm(fourCharacterCode: value) {
        return code
      }
      return .number(value)
    case .date(let value):
      return .date(coercion == .date && value == 0 ? 0 : value)
    case .boolean(let value):
      if coercion == .number || coercion == .loose { return .number(value ? 1 : 0) }
      return CanonicalForm(type: 5, byteCount: 1, bits: value ? 1 : 0)
    case .real(let value):
      if coercion == .date { return .date(value == 0 ? 0 : value) }
      return CanonicalForm(type: 6, byteCount: 8, bits: value.bitPattern)
    case .propertyList(let bytes):
      return CanonicalForm(type: 7, byteCount: bytes.count, bits: nil)
    case .unknown(let type, let bytes):
      return CanonicalForm(type: type, byteCount: bytes.count, bits: nil)
    }
  }

  /// Whether both are the same in a column with `coercion`; nil stands for a missing attribute.
  static func areEqual(
    _ left: AttributeValue?, _ right: AttributeValue?, _ coercion: Coercion
  ) -> Bool {
    let leftForm = left?.form(coercion) ?? .missing(coercion)
    let rightForm = right?.form(coercion) ?? .missing(coercion)
    guard leftForm.type == rightForm.type, leftForm.byteCount == rightForm.byteCount else {
      return false
    }
    if leftForm.byteCount == 0 { return true }
    switch (leftForm.bits, rightForm.bits) {
    case (let a?, let b?): return a == b
    case (let bits?, nil): return right?.hasOwnBytes(bits) ?? false
    case (nil, let bits?): return left?.hasOwnBytes(bits) ?? false
    case (nil, nil): return left?.hasSameOwnBytes(as: right) ?? false
    }
  }

  /// Whether the bytes of a text or of bytes are those of `bits`, lowest first.
  private func hasOwnBytes(_ bits: UInt64) -> Bool {
    func equals(_ bytes: RawSpan) -> Bool {
      guard bytes.byteCount <= 8 else { return false }
      for index in 0..<bytes.byteCount
      where bytes.u8(at: index) != UInt8(truncatingIfNeeded: bits >> UInt64(8 * index)) {
        return false
      }
      return true
    }
    switch self {
    case .text(let text): return equals(text.bytes)
    case .bytes(let bytes): return equals(bytes.bytes)
    default: return false
    }
  }

  private func hasSameOwnBytes(as other: AttributeValue?) -> Bool {
    func equals(_ bytes: RawSpan) -> Bool {
      switch other {
      case .text(let text): bytes.hasSameBytes(as: text.bytes)
      case .bytes(let other), .propertyList(let other), .unknown(_, let other):
        bytes.hasSameBytes(as: other.bytes)
      default: false
      }
    }
    switch self {
    case .text(let text): return equals(text.bytes)
    case .bytes(let bytes), .propertyList(let bytes), .unknown(_, let bytes):
      return equals(bytes.bytes)
    default: return false
    }
  }
}

extension CanonicalForm {
  /// The text that a four-character code is as a number, first character highest: `htps` is
  /// 0x68747073. Zero, Apple's default in these columns, is no code: the empty text. Nil when not
  /// all four are printable ASCII.
  fileprivate init?(fourCharacterCode value: Int64) {
    guard let code = UInt32(exactly: value) else { return nil }
    func isPrintable(_ shift: UInt32) -> Bool { (0x20...0x7E).contains((code >> shift) & 0xFF) }
    let isText = isPrintable(24) && isPrintable(16) && isPrintable(8) && isPrintable(0)
    guard isText || code == 0 else { return nil }
    self.init(type: 1, byteCount: isText ? 4 : 0, bits: UInt64(code.byteSwapped))
  }
}

extension String {
  /// The number that this text is the one decimal form of ("42", "-1", not "042", "+1" or "-0").
  fileprivate var canonicalDecimal: Int64? {
    guard let first = utf8.first, utf8.count <= 20, first != UInt8(ascii: "+") else { return nil }
    let firstDigit = first == UInt8(ascii: "-") ? utf8.dropFirst().first : first
    guard firstDigit != UInt8(ascii: "0") || utf8.count == 1 else { return nil }
    return Int64(self)
  }
}
