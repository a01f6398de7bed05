// Paths to values: keys joined by dots, positions in brackets, `profile.owners[2].name`.

/// The way from the root of a list, or from the top of a keyed archive, to a value in it.
///
/// Keys are joined by `.`; in a key, `.`, `[` and `\` have a backslash before them (`*` can), and an empty key is
/// `\e`. The empty path is the root.
/// `[2]` is the third element of an array or set. Lists and archives within data are walked through, and so are
/// the fields of archived objects.
public struct PropertyListPath: Hashable, Sendable {
  public enum Step: Hashable, Sendable {
    case key(String)
    case position(Int)
  }

  public let steps: [Step]

  public init(_ steps: [Step]) { self.steps = steps }

  /// Nil when `text` is no path.
  public init?(parsing text: String) {
    var steps: [Step] = []
    var bytes = text.utf8[...]
    var needsKey = true
    while let byte = bytes.first {
      if byte == UInt8(ascii: "["), !needsKey || steps.isEmpty {
        guard let position = Self.position(&bytes) else { return nil }
        steps.append(.position(position))
        needsKey = false
        continue
      }
      if !needsKey {
        guard byte == UInt8(ascii: ".") else { return nil }
        bytes.removeFirst()
        needsKey = true
        continue
      }
      guard let key = Self.key(&bytes) else { return nil }
      steps.append(.key(key))
      needsKey = false
    }
    guard !needsKey || text.isEmpty else { return nil }
    self.steps = steps
  }

  private static func position(_ bytes: inout Substring.UTF8View) -> Int? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let digits = bytes[..<end].dropFirst()
    guard 1...9 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }),
      digits.count == 1 || digits.first != 0x30
    else { return nil }
    bytes = bytes[end...].dropFirst()
    return digits.reduce(0) { 10 * $0 + Int($1 - 0x30) }
  }

  private static func key(_ bytes: inout Substring.UTF8View) -> String? {
    var key: [UInt8] = []
    while let byte = bytes.first, byte != UInt8(ascii: "."), byte != UInt8(ascii: "[") {
      bytes.removeFirst()
      guard byte == UInt8(ascii: "\\") else {
        key.append(byte)
        continue
      }
      switch bytes.popFirst() {
      case UInt8(ascii: "e"):
        // The whole key, or no escape at all.
        guard key.isEmpty, bytes.first == nil || [0x2e, 0x5b].contains(bytes.first) else {
          return nil
        }
        return ""
      case let escaped? where [0x2a, 0x2e, 0x5b, 0x5c].contains(escaped): key.append(escaped)
      default: return nil
      }
    }
    return key.isEmpty ? nil : String(decoding: key, as: UTF8.self)
  }
}

extension PropertyListPath: CustomStringConvertible {
  /// The path as it is parsed.
  public var description: String {
    var text = ""
    for step in steps {
      switch step {
      case .position(let position): text += "[\(position)]"
      case .key(let key):
        if !text.isEmpty { text += "." }
        if key.isEmpty { text += "\\e" }
        for scalar in key.unicodeScalars {
          if scalar == "." || scalar == "[" || scalar == "\\" { text += "\\" }
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }
}
