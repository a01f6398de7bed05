// How a place in a property list is written, as account of an item and in rules (Spec/item-model.md, "Key paths"):
// keys joined by dots, positions in brackets.
//
//   account.tokens[2].refresh      a key with a dot: a\.b      an empty key: \e      the root: nothing

/// The place of a value in a property list, from its root. Keys are UTF-8, compared byte by byte.
package struct KeyPath: Hashable, Sendable {
  package enum Component: Hashable, Sendable {
    case key([UInt8])
    case position(Int)
  }

  package var components: [Component]

  package init(_ components: [Component] = []) { self.components = components }

  /// The path that `text` says. Nil where it is malformed: a key that is empty without `\e`, a `\` in front of
  /// something that needs none, brackets around what is no position.
  package init?(_ text: String) {
    var parser = KeyPathParser(text)
    components = []
    guard !text.isEmpty else { return }
    while true {
      guard let component = parser.component(isFirst: components.isEmpty) else { return nil }
      switch component {
      case .key(let key, isLiteral: _): components.append(.key(key))
      case .position(let position?): components.append(.position(position))
      case .position(nil): return nil
      }
      if parser.isAtEnd { return }
    }
  }

  /// The path as text; `KeyPath(_:)` of it is the same path.
  package var text: String {
    var bytes: [UInt8] = []
    for (index, component) in components.enumerated() {
      switch component {
      case .key(let key):
        if index > 0 { bytes.append(UInt8(ascii: ".")) }
        if key.isEmpty { bytes.append(contentsOf: "\\e".utf8) }
        for byte in key {
          if KeyPathParser.isSpecial(byte) { bytes.append(UInt8(ascii: "\\")) }
          bytes.append(byte)
        }
      case .position(let position): bytes.append(contentsOf: "[\(position)]".utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Takes the text of paths and patterns apart.
struct KeyPathParser {
  enum Component {
    /// `isLiteral` where a `\` stood in front of one of its bytes.
    case key([UInt8], isLiteral: Bool)
    /// Nil for `[*]`.
    case position(Int?)
  }

  private let bytes: [UInt8]
  private var offset = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { offset == bytes.count }

  /// What has a meaning of its own between keys.
  static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\\")
  }

  /// The next component. Nil where there is none.
  mutating func component(isFirst: Bool) -> Component? {
    guard offset < bytes.count else { return nil }
    if bytes[offset] == UInt8(ascii: "[") { return position() }
    if !isFirst {
      guard bytes[offset] == UInt8(ascii: ".") else { return nil }
      offset += 1
    }
    return key()
  }

  private mutating func position() -> Component? {
    guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let digits = bytes[offset + 1..<end]
    offset = end + 1
    if digits.elementsEqual("*".utf8) { return .position(nil) }
    guard !digits.isEmpty, digits.allSatisfy({ 48...57 ~= $0 }),
      digits.count == 1 || digits.first != UInt8(ascii: "0"),
      let position = Int(String(decoding: digits, as: UTF8.self))
    else { return nil }
    return .position(position)
  }

  private mutating func key() -> Component? {
    var key: [UInt8] = []
    var isLiteral = false
    var isEmptyKey = false
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "."),
      bytes[offset] != UInt8(ascii: "[")
    {
      if bytes[offset] == UInt8(ascii: "\\") {
        offset += 1
        guard offset < bytes.count else { return nil }
        isLiteral = true
        switch bytes[offset] {
        case UInt8(ascii: "e") where key.isEmpty && !isEmptyKey: isEmptyKey = true
        // A star is special in patterns only, where `\*` is a key of that name.
        case UInt8(ascii: "*"): key.append(bytes[offset])
        case let byte where Self.isSpecial(byte): key.append(byte)
        default: return nil
        }
      } else {
        key.append(bytes[offset])
      }
      offset += 1
    }
    guard key.isEmpty == isEmptyKey else { return nil }
    return .key(key, isLiteral: isLiteral)
  }
}
