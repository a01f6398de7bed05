// Attributes that rules give to items: fixed values, and texts with parts that the list fills in.
//
//   {domain}  {key} the last key of the path  {path}  {value-of:PATH} another value of the list, or, with a dot in
//   front, of the dictionary that the key is in  {field:PATH} a value in the value itself  {{ and }} braces

internal import KeychainModel
internal import PropertyListCodec

/// The value of an attribute in a rule.
struct RuleText: Sendable {
  private enum Part: Sendable {
    case text(String)
    case domain, key, path
    case value(KeyPath, isRelative: Bool)
    case field(PropertyListPath)
  }

  private enum Form: Sendable {
    case fixed(AttributeValue)
    case parts([Part])
  }

  private let form: Form

  /// Nil for what is no attribute's value, and for texts with braces that mean nothing.
  init?(_ value: PropertyListValue) {
    switch value {
    case .string(let text):
      guard let parts = Self.parts(of: text) else { return nil }
      form = .parts(parts)
    case .integer(let number):
      guard let number = Int64(exactly: number) else { return nil }
      form = .fixed(.integer(number))
    case .boolean(let flag): form = .fixed(.boolean(flag))
    case .real(let number): form = .fixed(.real(number))
    case .date(let seconds): form = .fixed(.date(seconds))
    case .data(let bytes): form = .fixed(.bytes(bytes))
    default: return nil
    }
  }

  private static func parts(of text: String) -> [Part]? {
    var parts: [Part] = []
    var plain: [UInt8] = []
    func flush() {
      if !plain.isEmpty { parts.append(.text(String(decoding: plain, as: UTF8.self))) }
      plain = []
    }
    let bytes = Array(text.utf8)
    let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      guard byte == open || byte == close else {
        plain.append(byte)
        continue
      }
      if index < bytes.count, bytes[index] == byte {
        plain.append(byte)
        index += 1
        continue
      }
      guard byte == open, let end = bytes[index...].firstIndex(of: close),
        let part = part(String(decoding: bytes[index..<end], as: UTF8.self))
      else { return nil }
      flush()
      parts.append(part)
      index = end + 1
    }
    flush()
    return parts
  }

  private static func part(_ name: String) -> Part? {
    switch name {
    case "domain": return .domain
    case "key": return .key
    case "path": return .path
    default: break
    }
    let fieldPrefix = "field:"
    if name.utf8.starts(with: fieldPrefix.utf8) {
      let text = String(decoding: name.utf8.dropFirst(fieldPrefix.utf8.count), as: UTF8.self)
      guard let path = PropertyListPath(parsing: text), !path.steps.isEmpty else { return nil }
      return .field(path)
    }
    let prefix = "value-of:"
    guard name.utf8.starts(with: prefix.utf8) else { return nil }
    let path = Array(name.utf8.dropFirst(prefix.utf8.count))
    let isRelative = path.first == UInt8(ascii: ".")
    let text = String(decoding: isRelative ? Array(path.dropFirst()) : path, as: UTF8.self)
    guard let path = KeyPath(text), !path.components.isEmpty else { return nil }
    return .value(path, isRelative: isRelative)
  }

  /// The attribute's value for a key of `list`. Nil where it asks for another value that is not
  /// there, or is neither text nor an integer.
  func value(for key: PlannedKey, in list: SourceList) -> AttributeValue? {
    switch form {
    case .fixed(let value): return value
    case .parts(let parts):
      var text = ""
      for part in parts {
        guard let next = Self.text(of: part, key, list) else { return nil }
        text += next
      }
      return .text(text)
    }
  }

  private static func text(
    of part: Part, _ planned: PlannedKey, _ list: SourceList
  ) -> String? {
    let path = planned.path
    switch part {
    case .text(let text): return text
    case .domain: return list.domain
    case .path: return path.text
    case .key:
      for case .key(let key) in path.components.reversed() {
        return String(decoding: key, as: UTF8.self)
      }
      return ""
    case .value(let other, let isRelative):
      let base = isRelative ? Array(path.components.dropLast()) : []
      return list.document.scalar(at: KeyPath(base + other.components)).flatMap(text)
    case .field(let field):
      return list.document.scalar(at: field, inContentOf: planned.node).flatMap(text)
    }
  }

  private static func text(_ value: PropertyListValue) -> String? {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    default: nil
    }
  }
}

extension PropertyListDocument {
  /// The value at a path that may lead on into lists and archives in data and texts. Nil where there is none, or a
  /// container.
  fileprivate func scalar(at path: KeyPath) -> PropertyListValue? {
    if let node = node(at: path) { return kind(of: node).isContainer ? nil : try? value(of: node) }
    // Only the last value on the way that is no container can have more in it.
    for count in (0..<path.components.count).reversed() {
      guard let node = node(at: KeyPath(Array(path.components[..<count]))) else { continue }
      let rest = path.components[count...].map { component -> PropertyListPath.Step in
        switch component {
        case .key(let key): .key(String(decoding: key, as: UTF8.self))
        case .position(let position): .position(position)
        }
      }
      return scalar(at: PropertyListPath(rest), inContentOf: node)
    }
    return nil
  }

  /// The value at a path in the list or archive that data or a text holds.
  fileprivate func scalar(
    at path: PropertyListPath, inContentOf node: PropertyListNode
  ) -> PropertyListValue? {
    let content: [UInt8]?
    switch kind(of: node) {
    case .data: content = data(of: node)
    case .string: content = string(of: node).map { Array($0.utf8) }
    default: content = nil
    }
    guard let content, let bytes = SecretContent.listBytes(content),
      let description = try? PropertyListDescription(bytes)
    else { return nil }
    return description.scalar(at: path)
  }
}

extension PropertyListDocument {
  /// The value at a path. Nil where there is none.
  func node(at path: KeyPath) -> PropertyListNode? {
    guard let place = place(at: path) else { return path.components.isEmpty ? root : nil }
    return node(at: place)
  }

  /// Where in its container the value at a path stands. Nil for the root, and where there is none.
  func place(at path: KeyPath) -> Place? {
    var node = root
    var place: Place?
    for component in path.components {
      let next: Place
      switch (component, kind(of: node)) {
      case (.key(let key), .dictionary):
        let text = String(decoding: key, as: UTF8.self)
        guard let position = keys(of: node).lastIndex(where: { self.text(of: $0, equals: text) })
        else { return nil }
        next = Place(container: node, position: position)
      case (.position(let position), .array): next = Place(container: node, position: position)
      default: return nil
      }
      guard let child = self.node(at: next) else { return nil }
      node = child
      place = next
    }
    return place
  }
}
