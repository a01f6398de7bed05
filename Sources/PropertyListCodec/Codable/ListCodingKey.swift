// Keys that containers make themselves, for elements of arrays and for superclasses, in the form that Foundation's have,
// so that paths read the same.

enum ListCodingKey: CodingKey {
  case name(String)
  case index(Int)

  /// Where a class puts what its superclass encodes.
  static var `super`: ListCodingKey { .name("super") }

  init(stringValue: String) { self = .name(stringValue) }
  init(intValue: Int) { self = .index(intValue) }

  var stringValue: String {
    switch self {
    case .name(let name): name
    case .index(let index): "Index \(index)"
    }
  }

  var intValue: Int? {
    switch self {
    case .name: nil
    case .index(let index): index
    }
  }
}

/// A dictionary's key, equal only to one with the same UTF-8: `String` takes canonically equivalent ones for equal.
struct KeyText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: KeyText, right: KeyText) -> Bool { left.text.hasSameUTF8(as: right.text) }

  func hash(into hasher: inout Hasher) {
    unsafe text.utf8Span.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}

extension String {
  func hasSameUTF8(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}
