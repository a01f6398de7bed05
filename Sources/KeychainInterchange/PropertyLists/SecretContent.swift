// Values that hold secrets whatever their key is called: property lists, keyed archives and JSON objects in data and
// strings, also in Base64, which have secret-looking keys of their own.

internal import ByteCoding
internal import PropertyListCodec

/// Looks into values. Nothing is instantiated, and malformed content is no content.
struct SecretContent {
  /// How deep lists within lists are looked into.
  private static let maximumDepth = 4

  private let document: PropertyListDocument
  private let depth: Int
  /// The objects of a keyed archive, which UIDs refer to; nothing for other lists.
  private let objects: PropertyListDocument.Children?
  /// By node: whether it is a key that looks secret; nil where nobody asked.
  private var isSecretKey: [Bool?]

  private init(_ document: PropertyListDocument, depth: Int) {
    self.document = document
    self.depth = depth
    objects = document.value(for: "$objects", in: document.root).map { document.children(of: $0) }
    isSecretKey = Array(repeating: nil, count: document.nodeCount)
  }

  /// What the content of data, or of a string, is.
  enum Kind: Sendable {
    case keyedArchive, propertyList, json
    /// What `NSArchiver` writes.
    case typedStream
  }

  /// What `bytes` are, if they are one of the kinds and hold secret-looking keys; else nil.
  static func kind(ofSecret bytes: [UInt8], depth: Int = 0) -> Kind? {
    guard depth < maximumDepth, bytes.count > 2 else { return nil }
    if let document = list(bytes) {
      var content = SecretContent(document, depth: depth)
      guard content.holdsSecret() else { return nil }
      if document.format == .typedStream { return .typedStream }
      return content.objects == nil ? .propertyList : .keyedArchive
    }
    if isObject(bytes) { return holdsSecret(json: bytes) ? .json : nil }
    guard let decoded = base64(bytes) else { return nil }
    return kind(ofSecret: decoded, depth: depth + 1)
  }

  /// The list that `bytes` are.
  static func list(_ bytes: [UInt8]) -> PropertyListDocument? {
    guard PropertyListDocument.format(of: bytes) != nil else { return nil }
    return try? PropertyListDocument(bytes)
  }

  /// The bytes of the list that `content` is, or the Base64 of.
  static func listBytes(_ content: [UInt8]) -> [UInt8]? {
    if PropertyListDocument.format(of: content) != nil { return content }
    guard let decoded = base64(content), PropertyListDocument.format(of: decoded) != nil else {
      return nil
    }
    return decoded
  }

  // MARK: Lists

  private mutating func holdsSecret() -> Bool {
    for index in 0..<document.nodeCount {
      let node = PropertyListNode(index: index)
      switch document.kind(of: node) {
      case .dictionary:
        if holdsSecret(document.keys(of: node), document.values(of: node)) { return true }
        if let pairs = archivedPairs(node), holdsSecret(pairs.keys, pairs.values) { return true }
      case .data:
        if let data = document.data(of: node), Self.kind(ofSecret: data, depth: depth + 1) != nil {
          return true
        }
      default: break
      }
    }
    return false
  }

  private mutating func holdsSecret(
    _ keys: PropertyListDocument.Children, _ values: PropertyListDocument.Children
  ) -> Bool {
    for (key, value) in zip(keys, values) where isSecret(resolved(key)) {
      if canBeSecret(resolved(value)) { return true }
    }
    return false
  }

  /// Keys and values of a dictionary in a keyed archive.
  private func archivedPairs(
    _ node: PropertyListNode
  ) -> (keys: PropertyListDocument.Children, values: PropertyListDocument.Children)? {
    guard objects != nil, let keys = document.value(for: "NS.keys", in: node),
      let values = document.value(for: "NS.objects", in: node)
    else { return nil }
    return (document.children(of: keys), document.children(of: values))
  }

  /// The object that a UID of a keyed archive refers to; any other node itself.
  private func resolved(_ node: PropertyListNode) -> PropertyListNode {
    guard let objects, let uid = document.uid(of: node), uid < UInt128(objects.count) else {
      return node
    }
    return objects[Int(uid)]
  }

  private mutating func isSecret(_ key: PropertyListNode) -> Bool {
    if let known = isSecretKey[key.index] { return known }
    let isSecret =
      document.string(of: key).map { text in
        !text.utf8.starts(with: "$".utf8) && SecretWords.isSecret(Array(text.utf8))
      } ?? false
    isSecretKey[key.index] = isSecret
    return isSecret
  }

  /// Flags, dates and nothing are no secrets; in archives also not as objects.
  private func canBeSecret(_ node: PropertyListNode) -> Bool {
    switch document.kind(of: node) {
    case .boolean, .date, .null: false
    case .string: objects == nil || !document.text(of: node, equals: "$null")
    case .dictionary: objects == nil || document.value(for: "NS.time", in: node) == nil
    default: true
    }
  }

  // MARK: JSON

  /// Whether the first character that is no white space begins an object.
  private static func isObject(_ bytes: [UInt8]) -> Bool {
    bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d } == UInt8(ascii: "{")
  }

  private static func holdsSecret(json: [UInt8]) -> Bool {
    var reader = JSONReader(json.bytes)
    var found = false
    do throws(JSONError) {
      try look(&reader, depth: 0, &found)
      try reader.finish()
      return found
    } catch {
      return false
    }
  }

  private static func look(
    _ reader: inout JSONReader, depth: Int, _ found: inout Bool
  ) throws(JSONError) {
    switch try reader.peek() {
    case .object where depth < 64:
      try reader.beginObject()
      while let key = try reader.nextKey() {
        if !found {
          let kind = try reader.peek()
          found =
            kind != .boolean && kind != .null
            && SecretWords.isSecret(Array(reader.string(key).utf8))
        }
        try look(&reader, depth: depth + 1, &found)
      }
    case .array where depth < 64:
      try reader.beginArray()
      while try reader.nextElement() { try look(&reader, depth: depth + 1, &found) }
    default: try reader.skipValue()
    }
  }

  // MARK: Base64

  /// How Base64 of a binary list, of XML and of a JSON object can begin.
  private static let beginnings = [
    "YnBsaXN0", "PD94", "PCFET0NUWVBF", "PHBsaXN0", "ey", "ew",
  ].map { Array($0.utf8) }

  /// What `text` says in Base64, if it begins as one of the kinds; line feeds are passed over.
  private static func base64(_ text: [UInt8]) -> [UInt8]? {
    guard beginnings.contains(where: { text.starts(with: $0) }) else { return nil }
    let digits = text.filter { $0 != 0x0a && $0 != 0x0d && $0 != 0x20 && $0 != 0x09 }
    return try? Base64.decode(digits.bytes)
  }
}
