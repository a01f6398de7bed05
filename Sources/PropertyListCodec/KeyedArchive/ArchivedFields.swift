// The fields of one object, taken by name. What a decoder has not taken is still there at its end, so that
// nothing an archive says gets lost.

internal import ByteCoding

struct ArchivedFields {
  let archive: KeyedArchive
  private let keys: PropertyListDocument.Children
  private let values: PropertyListDocument.Children
  /// By position, of the first 64: whether the field has been taken.
  private var taken: UInt64 = 0
  private(set) var takenCount = 0

  init(_ archive: KeyedArchive, _ object: KeyedArchive.Object) {
    self.archive = archive
    let node = archive.node(of: object)
    keys = archive.document.keys(of: node)
    values = archive.document.values(of: node)
    _ = take("$class")
  }

  private var document: PropertyListDocument { archive.document }

  /// The field's node; of a name that is there twice, the last. Nil when there is none, and of objects with
  /// more fields than any known class has.
  mutating func take(_ name: String) -> PropertyListNode? {
    guard keys.count <= 64 else { return nil }
    for position in keys.indices.reversed() where document.text(of: keys[position], equals: name) {
      if taken & 1 << UInt64(position) == 0 { takenCount += 1 }
      taken |= 1 << UInt64(position)
      return values[position]
    }
    return nil
  }

  /// Whether all fields have been taken, or the others do not matter.
  var isComplete: Bool { takenCount == keys.count || archive.ignoresOtherFields }

  /// The fields that have not been taken, in the order of the archive.
  var rest: [KeyedArchive.Field] {
    keys.indices.compactMap { position in
      if position < 64, taken & 1 << UInt64(position) != 0 { return nil }
      return KeyedArchive.Field(
        name: KeyedArchive.fieldName(keys[position], document), key: keys[position],
        value: archive.reference(values[position]))
    }
  }

  // MARK: Typed

  mutating func reference(_ name: String) -> KeyedArchive.Reference? {
    take(name).map { archive.reference($0) }
  }

  /// A field that is a string, in place or as an object.
  mutating func string(_ name: String) -> String? {
    guard case .string(let text)? = scalar(name) else { return nil }
    return text
  }

  mutating func integer(_ name: String) -> Int128? {
    guard case .integer(let value)? = scalar(name) else { return nil }
    return value
  }

  mutating func data(_ name: String) -> [UInt8]? {
    guard case .data(let bytes)? = scalar(name) else { return nil }
    return bytes
  }

  mutating func boolean(_ name: String) -> Bool? {
    switch scalar(name) {
    case .boolean(let value): value
    case .integer(let value) where value == 0 || value == 1: value == 1
    default: nil
    }
  }

  /// A value without objects in it, written in place or as an object, also of a class as `NSMutableString`.
  mutating func scalar(_ name: String) -> PropertyListValue? {
    take(name).flatMap { archive.scalar($0) }
  }

  /// A value without objects in it, in place or as an object without a class.
  mutating func leaf(_ name: String) -> PropertyListValue? {
    take(name).flatMap { archive.leaf($0) }
  }
}

extension PropertyListValue {
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .real32(let value): Double(value)
    default: nil
    }
  }
}

extension KeyedArchive {
  /// A value without objects in it that stands at `node`, or as the object that the node refers to.
  func leaf(_ node: PropertyListNode) -> PropertyListValue? {
    switch reference(node) {
    case .null: return nil
    case .inline(let node): return plainLeaf(node)
    case .object(let object): return plainLeaf(self.node(of: object))
    }
  }

  private func plainLeaf(_ node: PropertyListNode) -> PropertyListValue? {
    switch document.kind(of: node) {
    case .array, .set, .orderedSet, .dictionary, .unknown, .uid: nil
    default: document.scalar(node)
    }
  }

  /// A `leaf`, or an object of a class that stands for one.
  func scalar(_ node: PropertyListNode) -> PropertyListValue? {
    guard case .object(let object) = reference(node), let entry = classEntry(of: object) else {
      return leaf(node)
    }
    guard let known = entry.known, entry.isAllowed else { return nil }
    return scalar(object, known)
  }

  /// The value of an object of a class that stands for a value without objects in it. Nil for other classes,
  /// and where its fields are not those of the class.
  func scalar(_ object: Object, _ known: KnownClass) -> PropertyListValue? {
    var fields = ArchivedFields(self, object)
    let value = fields.scalar(known)
    return fields.isComplete ? value : nil
  }
}

extension ArchivedFields {
  fileprivate mutating func scalar(_ known: KnownClass) -> PropertyListValue? {
    switch known {
    case .string:
      switch leaf("NS.string") {
      case .string(let text): return .string(text)
      case .unpairedString(let units): return .unpairedString(units)
      default: break
      }
      guard case .data(let bytes)? = leaf("NS.bytes"), bytes.bytes.isUTF8(0..<bytes.count) else {
        return nil
      }
      return .string(String(decoding: bytes, as: UTF8.self))
    case .data:
      guard case .data(let bytes)? = leaf("NS.data") ?? leaf("NS.bytes") else { return nil }
      return .data(bytes)
    case .date:
      return leaf("NS.time")?.number.map { .date($0) }
    case .number:
      for name in ["NS.number", "NS.boolval", "NS.intval", "NS.dblval"] {
        switch leaf(name) {
        case .boolean(let value): return .boolean(value)
        case .integer(let value):
          return name == "NS.boolval" ? .boolean(value != 0) : .integer(value)
        case .real(let value): return .real(value)
        case .real32(let value): return .real32(value)
        default: continue
        }
      }
      return nil
    case .uuid:
      guard case .data(let bytes)? = leaf("NS.uuidbytes"), bytes.count == 16 else { return nil }
      return .uuid(bytes)
    case .null:
      return .null
    default:
      return nil
    }
  }
}
