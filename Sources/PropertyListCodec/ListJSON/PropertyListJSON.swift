// Property lists as JSON (Spec/keyed-archive.md, "Property lists as JSON"): plain where JSON has a word for it, and
// for all else an object with one member, whose key begins with `$`.

internal import ByteCoding

/// The forms in which a property list is written as JSON.
public enum PropertyListJSONForm: Hashable, Sendable {
  /// Everything that a list can say, for reading back.
  case tagged
  /// For other programs, and with losses: data as Base64 strings, dates as strings of RFC 3339, UIDs as their
  /// numbers, sets as arrays, URLs and UUIDs as strings, numbers that JSON lacks as null. Of keys that a
  /// dictionary has twice, the last one stays; keys that are no strings become their JSON, containers `[]`.
  case plain
}

extension PropertyListValue {
  /// The value as JSON (RFC 8259) in one line, without a line feed.
  ///
  /// Throws `nestingTooDeep` beyond 512 containers in each other, and `tooManyVisits` where values that share
  /// their storage would take more than 4 GiB.
  public func json(
    _ form: PropertyListJSONForm = .tagged
  ) throws(PropertyListError) -> [UInt8] {
    var writer = PropertyListJSONWriter(form, byteLimit: 4 << 30)
    try writer.write(self)
    return writer.json.bytes
  }

  /// The value that a JSON text says in the tagged form.
  ///
  /// Throws `JSONError` with line and column: what `JSONReader` throws, `duplicateKey`, `unknownForm` for an
  /// object whose only key begins with `$` and is no tag, `invalidForm` for a tag's content.
  public init(json: [UInt8]) throws(JSONError) {
    var reader = JSONReader(json.bytes)
    self = try reader.readPropertyList()
    try reader.finish()
  }
}

extension PropertyListDocument {
  /// The list as JSON in one line, without a line feed.
  ///
  /// Throws as `checkTree` does, and `tooManyVisits` where shared objects would take far more bytes than the
  /// list has (64 MiB, or 64 times as many).
  public func json(
    _ form: PropertyListJSONForm = .tagged
  ) throws(PropertyListError) -> [UInt8] {
    try json(of: root, form)
  }

  /// The value of a node as JSON. Throws as `json` does.
  public func json(
    of node: PropertyListNode, _ form: PropertyListJSONForm = .tagged
  ) throws(PropertyListError) -> [UInt8] {
    try checkTree(node)
    var writer = PropertyListJSONWriter(form, byteLimit: expansionLimit)
    try writer.write(node, of: self)
    return writer.json.bytes
  }

  /// How many bytes a form of the list may have in which shared objects are written at each place.
  var expansionLimit: Int { byteLimit(atLeast: 64 << 20) }
}

extension JSONError.Code {
  /// An object whose only key begins with `$` and is not a tag of property lists.
  public static let unknownForm = Self(rawValue: "unknownForm")
  /// A tag with a content that it cannot have.
  public static let invalidForm = Self(rawValue: "invalidForm")
  /// A number beyond what property lists have.
  public static let numberOutOfRange = Self(rawValue: "numberOutOfRange")
}

/// The tags, `$` included.
enum PropertyListTag: String, CaseIterable {
  case data = "$data"
  case date = "$date"
  case dateBits = "$dateBits"
  case uid = "$uid"
  case real32 = "$real32"
  case realBits = "$realBits"
  case real32Bits = "$real32Bits"
  case integer = "$integer"
  case set = "$set"
  case orderedSet = "$orderedSet"
  case url = "$url"
  case uuid = "$uuid"
  case utf16 = "$utf16"
  case unknown = "$unknown"
  case dictionary = "$dictionary"

  init?(_ key: String) {
    guard let tag = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(key.utf8) }) else {
      return nil
    }
    self = tag
  }
}
