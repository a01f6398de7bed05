// Swift types from property lists, as Foundation's PropertyListDecoder makes them, without Foundation. The name is not
// Foundation's, so that a program can have both without saying each time which it means.

/// Makes values of Swift types from property lists.
///
/// ```swift
/// struct Account: Decodable { var name: String; var created: PropertyListDate }
/// let accounts = try ListDecoder().decode([Account].self, from: bytes)
/// print(accounts[0].name)
/// ```
///
/// Spec/keyed-archive.md ("Codable") says what types are in lists, which is what they are for Foundation's decoder.
/// Values are made of the document's nodes as types ask for them; nothing else is made of the list.
public struct ListDecoder: Sendable {
  /// What types find in their decoder's `userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// How files are read. `CF$UID` is a key like others, unless this says that it is not.
  public var options = PropertyListDocument.Options()

  public init() { options.readsUIDDictionaries = false }

  /// Reads a file in the format that its beginning shows, and makes a value of it.
  ///
  /// Throws `DecodingError`: `dataCorrupted` with an empty path and the `PropertyListError` behind it for what is
  /// no property list, else what Foundation's decoder throws, with the same path; and whatever the type throws.
  public func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8]
  ) throws -> Value {
    let document: PropertyListDocument
    do throws(PropertyListError) {
      document = try PropertyListDocument(bytes, options: options)
    } catch {
      throw Self.unreadable(error)
    }
    return try decode(type, from: document)
  }

  /// Makes a value of a list. Throws as for a file.
  public func decode<Value: Decodable>(
    _ type: Value.Type, from document: PropertyListDocument
  ) throws -> Value {
    try decode(type, from: document.root, of: document)
  }

  /// Makes a value of a part of a list. Paths in errors begin there.
  public func decode<Value: Decodable>(
    _ type: Value.Type, from node: PropertyListNode, of document: PropertyListDocument
  ) throws -> Value {
    let source = NodeSource(document, userInfo: userInfo)
    return try NodeDecoder(source, root: node.index).decode(type)
  }

  /// Makes a value of a plain one. Throws as for a file, `dataCorrupted` also for a value that lists do not have.
  public func decode<Value: Decodable>(
    _ type: Value.Type, from value: PropertyListValue
  ) throws -> Value {
    let document: PropertyListDocument
    do throws(PropertyListError) {
      document = try PropertyListDocument(value.binary(), as: .binary, options: options)
    } catch {
      throw Self.unreadable(error)
    }
    return try decode(type, from: document)
  }

  private static func unreadable(_ error: PropertyListError) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: [], debugDescription: "no property list can be read", underlyingError: error))
  }
}
