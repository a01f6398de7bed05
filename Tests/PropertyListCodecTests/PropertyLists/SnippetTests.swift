// Small inputs that other libraries test themselves with, and what made them fail: each bundle says of each what is
// expected, and where this library answers otherwise, a table says why.

import PropertyListCodec
import Testing

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct SnippetTests {
  struct Bundle: CustomTestStringConvertible, Sendable {
    let name: String
    let count: Int
    /// Nil where the beginning tells.
    var format: PropertyListDocument.Format?

    var testDescription: String { name }
  }

  static let bundles = [
    Bundle(name: "cpython-invalid-binary", count: 30),
    Bundle(name: "go-plist-invalid-binary", count: 21),
    Bundle(name: "go-plist-invalid-text", count: 28, format: .openStep),
    Bundle(name: "go-plist-invalid-text", count: 28),
    Bundle(name: "go-plist-invalid-xml", count: 16),
    Bundle(name: "go-plist-valid-xml-unusual", count: 8),
    Bundle(name: "libplist-fuzz-bplist", count: 18),
    Bundle(name: "libplist-fuzz-oplist", count: 4, format: .openStep),
    Bundle(name: "libplist-fuzz-xplist", count: 18),
    Bundle(name: "libplist-valid-widths", count: 12),
  ]

  /// Why strict reading takes what is expected to be an error.
  static let sound = [
    "too large datetime (datetime overflow)": "a date beyond Python's calendar is a date"
  ]

  /// Why lenient reading makes a value of what is expected to be an error.
  static let lenient = [
    "too large datetime (datetime overflow)": "a date beyond Python's calendar is a date",
    "invalid ASCII": "Core Foundation takes bytes from 80 on as ISO 8859-1",
    "invalid UTF-16": "an NSString can have half a surrogate pair",
    "non-hashable key": "Core Foundation takes keys of any kind",
    "Invalid integer (8^5)": "the bytes of a marker that is not known are kept",
    "case 7": "Core Foundation skips ASCII characters that are not Base64",
    "Invalid atom": "the bytes of a marker that is not known are kept",
  ]

  /// Why what is expected to be read is refused.
  static let refused = [
    "s05.plist": "`<!test>` is no XML, and Core Foundation refuses it",
    "s06.plist": "`&amp` without its end is no XML, and Core Foundation refuses it",
  ]

  private static func read(
    _ snippet: Snippet, _ bundle: Bundle, isStrict: Bool = false
  ) throws(PropertyListError) -> PropertyListValue {
    var options = PropertyListDocument.Options()
    options.isStrict = isStrict
    if let format = bundle.format {
      return try PropertyListDocument(snippet.bytes, as: format, options: options).value()
    }
    return try PropertyListDocument(snippet.bytes, options: options).value()
  }

  @Test("Each input is answered as its bundle says, or as the tables here say", arguments: bundles)
  func answers(bundle: Bundle) throws {
    let snippets = try Snippet.all(bundle.name)
    #expect(snippets.count == bundle.count)
    for snippet in snippets {
      let strict = try? Self.read(snippet, bundle, isStrict: true)
      let lenient = try? Self.read(snippet, bundle)
      switch snippet.expectation {
      case "error":
        #expect((strict == nil) == (Self.sound[snippet.name] == nil), "\(snippet.name)")
        #expect((lenient == nil) == (Self.lenient[snippet.name] == nil), "\(snippet.name)")
      case "ok":
        #expect((lenient != nil) == (Self.refused[snippet.name] == nil), "\(snippet.name)")
      case "no-crash":
        if let lenient {
          #expect(try PropertyListDocument(lenient.binary()).value() == lenient, "\(snippet.name)")
        }
      case let other: Issue.record("nothing is known of \(other)")
      }
      // Strict reading takes nothing that lenient reading does not.
      if let strict { #expect(lenient == strict, "\(snippet.name)") }
    }
  }

  @Test("What made a reader of JSON fail ends in a value or an error with its place")
  func json() throws {
    let snippets = try Snippet.all("libplist-fuzz-jplist")
    #expect(snippets.count == 8)
    for snippet in snippets {
      let value: PropertyListValue
      do throws(JSONError) {
        value = try PropertyListValue(json: snippet.bytes)
      } catch {
        #expect(error.line >= 1 && error.column >= 1, "\(snippet.name)")
        continue
      }
      #expect(try PropertyListValue(json: value.json()) == value, "\(snippet.name)")
    }
  }
}
