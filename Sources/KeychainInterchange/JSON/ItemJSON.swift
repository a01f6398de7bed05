// Items as JSON, the exchange format of `pack`, `get` and `restore` (Spec/cli.md "Items as JSON"):
//
//   {"class":"genp","service":"com.example.app","account":"alice","accessible":"ck",
//    "synchronizable":false,"created":"2024-05-01T12:00:00Z","value":{"utf8":"s3cret"}}
//
// Everything comes back as it went: types are kept, so each has a form of its own.
//
//   text           "alice"                             {"text":…} where a date is expected
//   integer        443                                 {"integer":…} where a date is expected
//   real           1.5, 1e+16                          {"real":…} where a date is expected;
//                  {"realBits":"7ff8000000000000"} for what is no number of JSON (NaN, infinities)
//   boolean        true
//   bytes          {"base64":"AAE="}
//   date           {"date":"2024-05-01T12:00:00Z"} or {"date":-1.5}, seconds since 2001; without the
//                  braces where the attribute table expects a date (created, modified, startDate …);
//                  {"dateBits":…} as for reals
//   property list  {"plist":{"base64":"YnBsaXN0MDA…"}}, the bytes of a binary property list; read is also a
//                  list as JSON, {"plist":{"name":"x","when":{"$date":"2024-05-01T12:00:00Z"}}}
//   other types    {"unknown":{"type":9,"base64":"…"}}
//
// Keys are SecItem's names or column names. A column whose name means something else here (an unknown
// column "account", "class", "value", "attributes") stands under "attributes", whose keys are columns and
// nothing else:
//
//   {"class":"genp","attributes":{"value":"x"},"value":{"utf8":"s3cret"}}

package import ArchiveCrypto
internal import ByteCoding
package import KeychainModel
package import PropertyListCodec

/// Items as JSON: reading one, and what both directions have in common. `ItemJSONWriter` writes.
package enum ItemJSON {
  /// Where an item's value is.
  package enum Value: Hashable, Sendable {
    /// The item has none: `"value"` is missing or null.
    case absent
    /// In the memory that the caller gave.
    case inMemory
    /// In the file of this path, relative to the folder of the JSON. It is not empty, not absolute and
    /// has no component `..`; whether a symbolic link leads out is for the caller to find.
    case file(path: String)
  }

  /// The item that `element` says, and where its value is.
  ///
  /// - Parameters:
  ///   - element: one whole JSON text, as `JSONSplitter` finds it in a stream.
  ///   - place: where it starts, for errors.
  ///   - value: memory for the value, replaced by larger when it is too small. Its content is the
  ///     value where the result says `inMemory`, and of no meaning otherwise.
  /// - Throws: `ItemJSONError` with line, column and attribute.
  package static func read(
    _ element: RawSpan, at place: JSONPlace = JSONPlace(), value: inout SecretBytes
  ) throws(ItemJSONError) -> (item: KeychainItem, value: Value) {
    var cursor = ItemJSONCursor(JSONReader(element, at: place))
    do throws(JSONError) {
      return try cursor.item(value: &value)
    } catch {
      throw ItemJSONError(error, attribute: cursor.currentKey.map { cursor.reader.string($0) })
    }
  }

  /// Whether a value is written as `utf8`: well-formed UTF-8 without control characters other than
  /// tab, line feed and carriage return.
  package static func isText(_ value: RawSpan) -> Bool {
    for offset in 0..<value.byteCount {
      let byte = value.u8(at: offset)
      if byte < 0x20, byte != 0x09, byte != 0x0a, byte != 0x0d { return false }
      if byte == 0x7f { return false }
      // U+0080 to U+009F are control characters too: C2 80 to C2 9F.
      if byte == 0xc2, offset + 1 < value.byteCount, value.u8(at: offset + 1) < 0xa0 {
        return false
      }
    }
    return (try? UTF8Span(validating: Span(_bytes: value))) != nil
  }
}

extension SecretBytes {
  /// Makes `newCount` bytes the ones in use, in larger memory if need be. Their content is of no
  /// meaning.
  mutating func makeRoom(_ newCount: Int) {
    if newCount > capacity {
      self = SecretBytes(count: newCount)
    } else {
      resize(to: newCount)
    }
  }

  /// Appends room for `additional` bytes; returns where it starts. What was in use is kept.
  mutating func appendRoom(_ additional: Int) -> Int {
    let start = count
    if additional > capacity - start {
      // Twice as much at least, so that a buffer that grows by pieces is not copied for each.
      var larger = SecretBytes(count: 0, capacity: start + max(additional, start))
      larger.append(bytes)
      self = larger
    }
    resize(to: start + additional)
    return start
  }
}

/// Why an item cannot be read from JSON.
package struct ItemJSONError: Error, Hashable, Sendable {
  /// The rule that was broken: the reader's own and those below.
  package let code: JSONError.Code
  /// From 1, in the whole stream.
  package let line: Int
  /// From 1, in characters.
  package let column: Int
  /// The attribute it is about, as it stands in the text; "value" for the item's value.
  package let attribute: String?
  package let reason: String

  init(_ error: JSONError, attribute: String?) {
    code = error.code
    line = error.line
    column = error.column
    self.attribute = attribute
    reason = error.reason
  }
}

extension JSONError.Code {
  /// A "class" that is none of genp, inet, cert, keys, idnt, file.
  package static let unknownClass = Self(rawValue: "unknownClass")
  /// The same attribute twice, by the same name or by two.
  package static let duplicateAttribute = Self(rawValue: "duplicateAttribute")
  /// More attributes than an archive's item can have. The family of limits.
  package static let tooManyAttributes = Self(rawValue: "tooManyAttributes")
  /// A name that no archive can hold: empty, or longer than 255 bytes.
  package static let invalidName = Self(rawValue: "invalidName")
  package static let invalidBase64 = Self(rawValue: "invalidBase64")
  /// Not sixteen hexadecimal digits.
  package static let invalidBits = Self(rawValue: "invalidBits")
  package static let invalidDate = Self(rawValue: "invalidDate")
  /// A path of a value's file that could lead out of the JSON's folder.
  package static let unsafePath = Self(rawValue: "unsafePath")
}
