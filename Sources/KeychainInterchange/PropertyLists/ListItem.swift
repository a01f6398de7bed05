// Values of property lists as keychain items (Spec/item-model.md, "Items of lists"): texts and data as they are,
// anything else as a list of that one value, and attributes that lead back.

internal import ByteCoding
package import KeychainModel
package import PropertyListCodec

extension AttributeKey {
  /// What kind of value it was: `string`, `data`, `integer` …
  package static let listType = AttributeKey(column: "plistType")
  /// The list's path, relative to the folder that was migrated.
  package static let listFile = AttributeKey(column: "plistFile")
  /// `binary`, `xml` or `openStep`.
  package static let listFormat = AttributeKey(column: "plistFormat")
  /// The key path, where the account is another.
  package static let listKey = AttributeKey(column: "plistKey")
  /// How the item's value came from the list's, where it is another.
  package static let listEncoding = AttributeKey(column: "plistEncoding")
  /// The names of classes that the value has in place of the list's.
  package static let listClasses = AttributeKey(column: "plistClasses")
}

/// A value of a list on its way into an archive.
package struct ListItem: Sendable {
  package var item: KeychainItem
  package var value: [UInt8]
  /// What could not be done as a rule has it. The value itself is whole.
  package var loss: String?
}

/// How an item's value comes from the list's.
package enum ListEncoding: String, Sendable, CaseIterable {
  /// A string that is no Unicode text, as a list of that one value.
  case list
  case utf8, base64
  /// In small letters, and in capitals.
  case hex, hexCapitals
  case archive
  /// An archive in which classes have other names.
  case classes
}

/// The value of a list, as an item keeps it.
struct ListValue: Equatable {
  let type: String
  var bytes: [UInt8]
  var encoding: ListEncoding?
  /// With the encoding `classes`: the names that classes have here, by those of the list.
  var classNames = ArchivedClassNames()
}

extension PropertyListNode.Kind {
  /// The kind's name in `plistType`.
  package var listTypeName: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "integer"
    case .real: "real"
    case .date: "date"
    case .data: "data"
    case .string: "string"
    case .uid: "uid"
    case .array: "array"
    case .set: "set"
    case .orderedSet: "orderedSet"
    case .dictionary: "dictionary"
    case .url: "url"
    case .uuid: "uuid"
    case .unknown: "unknown"
    }
  }
}

extension PropertyListDocument {
  /// What an item keeps of a node.
  func listValue(_ node: PropertyListNode) throws(PropertyListError) -> ListValue {
    let kind = kind(of: node)
    switch kind {
    case .string:
      if let text = string(of: node) {
        return ListValue(type: kind.listTypeName, bytes: Array(text.utf8))
      }
      return ListValue(type: kind.listTypeName, bytes: try binary(of: node), encoding: .list)
    case .data: return ListValue(type: kind.listTypeName, bytes: data(of: node) ?? [])
    default: return ListValue(type: kind.listTypeName, bytes: try binary(of: node))
    }
  }
}

extension ListValue {
  /// The value as it was in the list.
  ///
  /// - Throws: what is wrong with it, in a few words.
  func propertyListValue() throws(ListValueError) -> PropertyListValue {
    switch (type, try original()) {
    case ("string", let text) where encoding != .list:
      guard let text = String(validating: text, as: UTF8.self) else {
        throw ListValueError("its value is no UTF-8, and a string in the list")
      }
      return .string(text)
    case ("data", let data): return .data(data)
    case (_, let list):
      do throws(PropertyListError) {
        return try PropertyListDocument(list).value()
      } catch {
        throw ListValueError("its value is no property list: \(error.reason)")
      }
    }
  }

  /// The bytes that the list had: what the encoding did, undone.
  func original() throws(ListValueError) -> [UInt8] {
    switch encoding {
    case nil, .list, .utf8: return bytes
    case .base64: return Base64.encode(bytes.bytes)
    case .hex: return Hex.encode(bytes.bytes)
    case .hexCapitals: return Hex.encode(bytes.bytes).map { 97...102 ~= $0 ? $0 & 0xdf : $0 }
    case .archive:
      guard let archive = ArchivedPlainValue.archive(ofPlain: bytes) else {
        throw ListValueError("its value is no property list that can be archived")
      }
      return archive
    case .classes:
      guard let archive = classNames.inverted?.renamed(bytes) else {
        throw ListValueError("its classes can't get the names of the list")
      }
      return archive
    }
  }
}

/// Why an item does not go back into a list.
struct ListValueError: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
