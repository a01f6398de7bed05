// From an item and its value to JSON, as compact as the Spec's example and in its order: what tells items apart
// first, dates and value last.

package import ArchiveCrypto
internal import ByteCoding
package import KeychainModel
package import PropertyListCodec

/// Writes items. It keeps its buffer from one item to the next.
package struct ItemJSONWriter: Sendable {
  private var writer = JSONWriter()

  package init() {}

  /// Appends the item to `output`, which is replaced by larger memory when it is too small: the value's
  /// text is written once, to memory that is wiped.
  ///
  /// - Parameter value: the item's value; nil where there is none, or where it is not to be shown:
  ///   then there is no `"value"`.
  package mutating func append(
    _ item: KeychainItem, value: RawSpan?, to output: inout SecretBytes
  ) {
    writer.removeAll()
    writer.beginObject()
    Self.writeMembers(of: item, to: &writer)
    guard let value else {
      writer.endObject()
      return Self.append(writer.bytes, to: &output)
    }
    writer.key("value")
    writer.beginObject()
    let isText = ItemJSON.isText(value)
    writer.key(isText ? "utf8" : "base64")
    writer.bytes.append(UInt8(ascii: "\""))
    Self.append(writer.bytes, to: &output)
    if isText {
      // `isText` has validated it.
      let text = unsafe UTF8Span(unchecked: Span(_bytes: value))
      let start = output.appendRoom(JSONEscaping.escapedCount(text))
      var target = output.mutableBytes
      _ = JSONEscaping.write(text, into: &target, at: start)
    } else {
      // Four characters for three bytes in memory: no overflow.
      let start = output.appendRoom(Base64.encodedCount(value.byteCount)!)
      var target = output.mutableBytes
      _ = Base64.encode(value, into: &target, at: start)
    }
    Self.append(Array("\"}}".utf8), to: &output)
  }

  /// For a value too large for memory: the item's JSON up to where Base64 text has to follow, piece by
  /// piece (`Base64.encode` of multiples of three bytes), and then `base64Closing`.
  package mutating func base64Opening(_ item: KeychainItem) -> [UInt8] {
    writer.removeAll()
    writer.beginObject()
    Self.writeMembers(of: item, to: &writer)
    writer.key("value")
    return writer.bytes + Array("{\"base64\":\"".utf8)
  }

  /// What ends the JSON that `base64Opening` began.
  package static let base64Closing = Array("\"}}".utf8)

  private static func append(_ bytes: [UInt8], to output: inout SecretBytes) {
    let start = output.appendRoom(bytes.count)
    var target = output.mutableBytes
    target.store(bytes, at: start)
  }

  // MARK: Members

  /// Writes the class and all attributes as members of an object that the caller has begun and ends, so
  /// that it can add members of its own.
  package static func writeMembers(of item: KeychainItem, to writer: inout JSONWriter) {
    let names = AttributeNames.shared
    let isKey = item.itemClass == .key || item.itemClass == .identity
    func write(_ value: AttributeValue, _ known: AttributeNames.Known) {
      writer.key(isKey ? known.nameInKeys : known.name)
      Self.write(value, isDate: known.isDate, to: &writer)
    }
    func write(_ keys: [AttributeKey]) {
      for key in keys {
        if let value = item[key], let known = names.known(key) { write(value, known) }
      }
    }
    writer.key("class")
    writer.string(item.itemClass.rawValue)
    write(AttributeNames.leading)
    var columns: [Attribute] = []
    for attribute in item.attributes {
      if let known = names.known(attribute.key) {
        if known.part == .middle { write(attribute.value, known) }
      } else if names.member(named: attribute.key.column) == nil {
        writer.key(attribute.key.column)
        Self.write(attribute.value, isDate: false, to: &writer)
      } else {
        // As a member, its column would be taken for something else.
        columns.append(attribute)
      }
    }
    if !columns.isEmpty {
      writer.key("attributes")
      writer.beginObject()
      for attribute in columns {
        // Columns of the table never get here, so none of these holds dates.
        writer.key(attribute.key.column)
        Self.write(attribute.value, isDate: false, to: &writer)
      }
      writer.endObject()
    }
    write(AttributeNames.trailing)
  }

  /// Writes an attribute's value; `isDate` says that a plain string or number would be read as a date.
  private static func write(
    _ value: AttributeValue, isDate: Bool, to writer: inout JSONWriter
  ) {
    switch value {
    case .text(let text):
      tagged(isDate ? "text" : nil, &writer) { $0.string(text) }
    case .integer(let integer):
      tagged(isDate ? "integer" : nil, &writer) { $0.integer(integer) }
    case .real(let real):
      if real.isFinite {
        tagged(isDate ? "real" : nil, &writer) { _ = $0.real(real) }
      } else {
        tagged("realBits", &writer) { $0.string(bits(real)) }
      }
    case .date(let seconds):
      if let text = Timestamp.text(seconds) {
        tagged(isDate ? nil : "date", &writer) {
          $0.string(String(decoding: text, as: UTF8.self))
        }
      } else if seconds.isFinite {
        tagged(isDate ? nil : "date", &writer) { _ = $0.real(seconds) }
      } else {
        tagged("dateBits", &writer) { $0.string(bits(seconds)) }
      }
    case .boolean(let boolean): writer.boolean(boolean)
    case .bytes(let bytes):
      tagged("base64", &writer) { $0.string(base64(bytes)) }
    case .propertyList(let bytes):
      tagged("plist", &writer) {
        tagged("base64", &$0) { $0.string(base64(bytes)) }
      }
    case .unknown(let type, let bytes):
      tagged("unknown", &writer) {
        $0.beginObject()
        $0.key("type")
        $0.integer(Int64(type))
        $0.key("base64")
        $0.string(base64(bytes))
        $0.endObject()
      }
    }
  }

  /// Writes `{"tag":…}`, or the bare value without a tag.
  private static func tagged(
    _ tag: StaticString?, _ writer: inout JSONWriter, _ write: (inout JSONWriter) -> Void
  ) {
    guard let tag else { return write(&writer) }
    writer.beginObject()
    writer.key(tag)
    write(&writer)
    writer.endObject()
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    String(decoding: Base64.encode(bytes.bytes), as: UTF8.self)
  }

  /// The bits of a Float64 as 16 hexadecimal digits, the most significant first.
  private static func bits(_ value: Float64) -> String {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value.bitPattern.byteSwapped)
    return Hex.string(bytes.bytes)
  }
}
