// What `get --decode` and `get --plist` make of a value: a tree of a list or an archive as `inspect` shows it, or
// the list as XML. The reader of lists needs the bytes in an array, and shows their texts: neither is wiped, for
// whoever asks for this has the value written out anyway.

internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

struct DecodedValue {
  private let item: KeychainItem
  private let bytes: [UInt8]
  /// Who wrote the item, and what only that tells of the value.
  private let origin: ItemOrigin?
  private let meant: WriterValue?
  private let place: CommandError.Place

  init(of item: KeychainItem, _ value: borrowing SecretBytes, place: CommandError.Place) {
    self.item = item
    self.place = place
    let bytes = value.withBytes { $0.array(at: 0, count: $0.byteCount) }
    self.bytes = bytes
    let origin = ItemOrigin(item, value: bytes)
    self.origin = origin
    meant = origin.flatMap { WriterValue(item, value: bytes, from: $0) }
  }

  /// The output of `--decode`, or else of `--plist`.
  func text(isDecoded: Bool, isJSON: Bool) throws(CommandError) -> [UInt8] {
    do throws(DescriptionError) {
      if isDecoded {
        if let meant {
          return isJSON ? json(kind: meant.kindName, content: meant.json) : meant.text
        }
        let description = try description()
        return isJSON ? try json(description) : try text(description)
      }
      guard let description = try description() else {
        throw DescriptionError(
          PropertyListError(.unrecognizedFormat, offset: 0, reason: "the value is not a list"))
      }
      return isJSON ? try json(plist: description) : try xml(description)
    } catch {
      throw located(error)
    }
  }

  /// The value as a list; nil where it does not begin as one.
  private func description() throws(DescriptionError) -> PropertyListDescription? {
    guard PropertyListDocument.format(of: bytes) != nil else { return nil }
    var options = DescriptionOptions()
    // Nobody has to ask twice for what is in a value.
    options.nesting = 8
    return try PropertyListDescription(bytes, options: options)
  }

  private func located(_ error: DescriptionError) -> CommandError {
    if error.family == .notAList {
      return CommandError(
        .failed, "the value is not a property list",
        hint: "'--decode' shows values of every kind", place: place)
    }
    var located = CommandError(error, file: FilePath(bytes: []))
    located.message = "the value, as a property list: " + located.message
    // Bytes and lines are those of the value.
    if let line = error.line {
      located.message += ", at \(line):\(error.column ?? 1) of it"
    } else if let offset = error.offset {
      located.message += ", at byte \(grouped(UInt64(offset))) of it"
    }
    located.hint = nil
    located.place = place
    return located
  }

  // MARK: Text

  private func text(
    _ description: PropertyListDescription?
  ) throws(DescriptionError) -> [UInt8] {
    if let description { return try description.text() }
    if ItemJSON.isText(bytes.bytes) { return bytes.last == 0x0a ? bytes : bytes + [0x0a] }
    return PropertyListDescription.text(ofData: bytes)
  }

  private func xml(_ description: PropertyListDescription) throws(DescriptionError) -> [UInt8] {
    do {
      return try description.document.xml()
    } catch {
      throw DescriptionError(error)
    }
  }

  // MARK: JSON

  private func json(
    _ description: PropertyListDescription?
  ) throws(DescriptionError) -> [UInt8] {
    let kind = ItemJSON.isText(bytes.bytes) ? "text" : "data"
    return json(kind: description?.kindName ?? kind, content: try content(description))
  }

  /// `{"version":1,"item":ITEM,"writer":W,"decoded":{"kind":K,"content":…}}`.
  private func json(kind: String, content: [UInt8]) -> [UInt8] {
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key("item")
    json.beginObject()
    ItemJSONWriter.writeMembers(of: item, to: &json)
    json.endObject()
    if let origin {
      json.key("writer")
      json.writer(origin)
    }
    json.key("decoded")
    json.beginObject()
    json.key("kind")
    json.string(kind)
    json.key("content")
    json.value(content.bytes)
    json.endObject()
    json.endObject()
    json.endLine()
    return json.bytes
  }

  private func content(
    _ description: PropertyListDescription?
  ) throws(DescriptionError) -> [UInt8] {
    if let description { return try description.json() }
    let value: PropertyListValue =
      ItemJSON.isText(bytes.bytes)
      ? .string(String(decoding: bytes, as: UTF8.self)) : .data(bytes)
    do {
      return try value.json()
    } catch {
      throw DescriptionError(error)
    }
  }

  /// `{"version":1,"item":ITEM}`, its value `{"plist":…}`.
  private func json(plist description: PropertyListDescription) throws(DescriptionError) -> [UInt8]
  {
    let list: [UInt8]
    do {
      list = try description.document.json()
    } catch {
      throw DescriptionError(error)
    }
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key("item")
    json.beginObject()
    ItemJSONWriter.writeMembers(of: item, to: &json)
    json.key("value")
    json.beginObject()
    json.key("plist")
    json.value(list.bytes)
    json.endObject()
    json.endObject()
    json.endObject()
    json.endLine()
    return json.bytes
  }
}

extension WriterValue {
  /// What `decoded` calls it.
  fileprivate var kindName: String {
    switch self {
    case .oneTimePassword: "otpauth"
    case .databaseKey: "database-key"
    case .boolean: "boolean"
    }
  }

  /// With a line feed.
  fileprivate var text: [UInt8] {
    switch self {
    case .oneTimePassword(let url): Array((url + "\n").utf8)
    case .databaseKey(let key, let salt):
      Array("key   ".utf8) + Hex.encode(key.bytes) + Array("\nsalt  ".utf8)
        + Hex.encode(salt.bytes) + [0x0a]
    case .boolean(let flag): Array((flag ? "true\n" : "false\n").utf8)
    }
  }

  fileprivate var json: [UInt8] {
    var json = JSONWriter()
    switch self {
    case .oneTimePassword(let url): json.string(url)
    case .databaseKey(let key, let salt):
      json.beginObject()
      json.key("key")
      json.string(Hex.string(key.bytes))
      json.key("salt")
      json.string(Hex.string(salt.bytes))
      json.endObject()
    case .boolean(let flag): json.boolean(flag)
    }
    return json.bytes
  }
}
