// Values of Swift types in keyed archives. Apple's archiver has no classes for them: it archives the dictionaries and
// arrays that its property list encoder makes, so a type and its archive know nothing of each other.

extension KeyedArchive {
  /// Archives a value as Apple's `NSKeyedArchiver.encodeEncodable(_:forKey:)` does, alone in its archive: the tree that
  /// `ListEncoder` makes of it, as an object under `key` in `$top`.
  ///
  /// ```swift
  /// struct Account: Codable { var name: String }
  /// let bytes = try KeyedArchive.encode(Account(name: "a"), forKey: "root")
  /// let archive = try KeyedArchive(PropertyListDocument(bytes))
  /// let account = try archive.decode(Account.self, forKey: "root")
  /// ```
  ///
  /// Dictionaries and arrays are of the mutable classes, as Apple's encoder has them, unless `options` says otherwise.
  /// Throws `EncodingError` as `ListEncoder.plainValue` does, what the type throws, and `KeyedArchiveError` for what
  /// archives cannot hold.
  public static func encode<Value: Encodable>(
    _ value: Value, forKey key: String, options: WritingOptions = .mutable,
    encoder: ListEncoder = ListEncoder()
  ) throws -> [UInt8] {
    try encoder.plainValue(of: value).keyedArchive(key: key, options: options)
  }

  /// Makes a value of the object under `key` in `$top`, as Apple's `decodeDecodable(_:forKey:)` does. Nil when the
  /// archive does not have the key, or has nil for it.
  ///
  /// Throws `KeyedArchiveError` for an object that has no plain value, as `plainValue(of:)` does, and `DecodingError`
  /// as `ListDecoder` does.
  public func decode<Value: Decodable>(
    _ type: Value.Type, forKey key: String, decoder: ListDecoder = ListDecoder()
  ) throws -> Value? {
    guard let field = top.last(where: { $0.name.hasSameUTF8(as: key) }) else { return nil }
    let value = try plainValue(of: field.value)
    return value == .null ? nil : try decoder.decode(type, from: value)
  }
}

extension KeyedArchive.WritingOptions {
  /// Mutable classes for collections.
  public static var mutable: Self {
    var options = Self()
    options.usesMutableClasses = true
    return options
  }
}
