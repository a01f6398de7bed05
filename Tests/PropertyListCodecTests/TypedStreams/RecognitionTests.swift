// Formats of which the list or just the name is found: signed messages, lists between processes, bookmark data.

import PropertyListCodec
import Testing

private typealias Value = PropertyListValue

@Suite struct RecognitionTests {
  private static let list = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>name</key><string>value</string></dict></plist>
    """

  /// An element of DER.
  private static func element(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
    let bytes = content.flatMap { $0 }
    switch bytes.count {
    case 0..<0x80: return [tag, UInt8(bytes.count)] + bytes
    case 0x80..<0x100: return [tag, 0x81, UInt8(bytes.count)] + bytes
    default:
      return [tag, 0x82, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }
  }

  /// An element of indefinite length.
  private static func open(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
    [tag, 0x80] + content.flatMap { $0 } + [0, 0]
  }

  private static let signedType = element(
    0x06, [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02])
  private static let dataType = element(
    0x06, [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01])

  /// A message with this in place of the octet string that is signed; nothing for one without it.
  private static func message(_ octets: [UInt8]) -> [UInt8] {
    element(
      0x30, signedType,
      element(
        0xa0,
        element(
          0x30, element(0x02, [1]), element(0x31, element(0x30, element(0x06, [0x2a]))),
          element(0x30, dataType, octets.isEmpty ? [] : element(0xa0, octets)),
          element(0x31, []))))
  }

  private static let text = Array(list.utf8)

  static let messages: [(String, [UInt8])] = [
    ("definite", message(element(0x04, text))),
    (
      "indefinite, in pieces",
      open(
        0x30, signedType,
        open(
          0xa0,
          open(
            0x30, element(0x02, [1]), open(0x31, element(0x30, element(0x06, [0x2a]))),
            open(
              0x30, dataType,
              open(
                0xa0,
                open(
                  0x24, element(0x04, Array(text[..<10])), element(0x04, []),
                  element(0x04, Array(text[10...]))))))))
    ),
    (
      "pieces within pieces",
      message(
        element(
          0x24, element(0x04, Array(text[..<5])),
          element(
            0x24, element(0x04, Array(text[5..<6])), open(0x24, element(0x04, Array(text[6...]))))))
    ),
    (
      "a length with zeros in front",
      [0x30, 0x84, 0, 0, 0] + message(element(0x04, text)).dropFirst(2)
    ),
  ]

  @Test("The list in a signed message is found", arguments: messages)
  func signed(_ name: String, _ message: [UInt8]) throws {
    #expect(SignedList.isOne(message))
    #expect(ContentKind(message) == .signedList)
    #expect(try SignedList.content(of: message) == Self.text)
    let description = try PropertyListDescription(message)
    #expect(description.title == "XML property list, 3 objects, signed (CMS)")
    #expect(description.notes == ["signed (CMS); the signature is not checked"])
    #expect(try description.lines == ["dictionary, 1 key", #"└─ name   "value""#])
    // What is cut before the end of what is signed has none.
    let end = try #require(Self.end(of: Self.text.suffix(6), in: message))
    for count in 0..<end {
      #expect(throws: (any Error).self, "\(count)") {
        try PropertyListDescription(Array(message[..<count]))
      }
    }
  }

  private static func end(of part: ArraySlice<UInt8>, in bytes: [UInt8]) -> Int? {
    (part.count...bytes.count).first { bytes[..<$0].suffix(part.count).elementsEqual(part) }
  }

  @Test(
    "Signed messages without a list are refused",
    arguments: [
      (message([]), PropertyListError.Code.missingValue),
      (message(element(0x0c, text)), .unknownMarker),
      (message(element(0x24, element(0x0c, text))), .unknownMarker),
      (message([0x04, 0x80] + text), .invalidLength),
      (message([0x1f, 0x04] + text), .unknownMarker),
      (message([0x04, 0x89] + [UInt8](repeating: 1, count: 9) + text), .invalidLength),
      (message([0x04, 0x88] + [UInt8](repeating: 0x7f, count: 8) + text), .unexpectedEnd),
      (
        message((0..<65).reduce(element(0x04, text)) { inner, _ in element(0x24, inner) }),
        .nestingTooDeep
      ),
    ])
  func unsigned(_ message: [UInt8], _ code: PropertyListError.Code) throws {
    do {
      _ = try SignedList.content(of: message)
      Issue.record("read")
    } catch {
      #expect(error.code == code, "\(error)")
    }
  }

  @Test("A signed message of something else is unsupported")
  func otherContent() {
    do throws(DescriptionError) {
      _ = try PropertyListDescription(Self.message(Self.element(0x04, Array("hello".utf8))))
      Issue.record("read")
    } catch {
      #expect(error.family == .unsupported)
    }
  }

  @Test("Signed messages with bytes changed end")
  func mutated() {
    var generator = Xorshift(state: 7)
    for (_, message) in Self.messages {
      for _ in 0..<5000 {
        var bytes = message
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let place = Int.random(in: 0..<min(bytes.count, 120), using: &generator)
          bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
        }
        if let content = try? SignedList.content(of: bytes) {
          #expect(content.count < bytes.count)
        }
      }
    }
  }

  /// Head and length of real bookmark data.
  private static let bookmark: [UInt8] =
    Array("book".utf8) + [48, 0, 0, 0, 0, 0, 4, 16, 48, 0, 0, 0] + Array(repeating: 0, count: 32)

  static let refusals: [([UInt8], String)] = [
    (Array("bplist15".utf8) + [UInt8](repeating: 0, count: 40), "bplist15, XPC"),
    (Array("bplist16".utf8) + [0xd0], "bplist16, XPC"), (Array("bplist17".utf8), "bplist17, XPC"),
    (bookmark, "bookmark data"), (Array("alis".utf8) + bookmark.dropFirst(4), "bookmark data"),
  ]

  @Test("What is only recognised is refused by name", arguments: refusals)
  func refused(_ bytes: [UInt8], _ name: String) throws {
    let kind = try #require(ContentKind(bytes))
    let refusal = try #require(kind.refusal)
    #expect(refusal.code == (kind == .bookmark ? .unsupportedFormat : .unsupportedVersion))
    #expect(refusal.reason.contains(name))
    do throws(PropertyListError) {
      _ = try PropertyListDocument(bytes)
      Issue.record("read")
    } catch {
      #expect(error == refusal)
    }
    do throws(DescriptionError) {
      _ = try PropertyListDescription(bytes)
      Issue.record("read")
    } catch {
      #expect(error.family == .unsupported)
    }
    // In a list, the line of the data says what it is.
    let lines = try PropertyListDescription(try Value.array([.data(bytes)]).binary()).lines
    #expect(lines[1] == "└─ [0]   data, \(bytes.count) bytes   \(kind.title)")
    let table = try PropertyListDescription(try Value.data(bytes).binary()).table()
    #expect(bytes.count <= 8 || String(decoding: table, as: UTF8.self).contains(kind.title))
  }

  @Test(
    "What only begins alike is nothing known",
    arguments: [
      Array("book".utf8), Array("bookkeeping for the year".utf8),
      [0x30, 0x03, 0x02, 0x01, 0x05], [0x30, 0x80], [0x30], [4, 11] + Array("streamtype".utf8),
    ])
  func unknown(_ bytes: [UInt8]) { #expect(ContentKind(bytes) == nil) }

  @Test("Lists are known as such")
  func lists() throws {
    #expect(ContentKind(Self.text) == .list(.xml))
    #expect(ContentKind(try Value.null.binary()) == .list(.binary))
    #expect(ContentKind(StreamWriter().bytes) == .list(.typedStream))
    #expect(ContentKind(Array("bookmarks = (1);\n".utf8)) == .list(.openStep))
    #expect(ContentKind(Array("bookmarks = (1);\n".utf8), isNested: true) == nil)
    #expect(ContentKind([]) == nil)
  }
}

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct RecognitionCorpusTests {
  @Test("Bookmark data is recognised", arguments: Corpus.files(ofKinds: ["bookmark"]))
  func bookmarks(file: Corpus.File) throws {
    #expect(ContentKind(try file.bytes) == .bookmark)
  }

  @Test("The profile in a signed message is shown", arguments: Corpus.files(ofKinds: ["cms-xml"]))
  func profile(file: Corpus.File) throws {
    let bytes = try file.bytes
    #expect(try SignedList.content(of: bytes).count == 1071)
    let description = try PropertyListDescription(bytes)
    #expect(description.title.hasSuffix(", signed (CMS)"))
    #expect(try description.lines.contains { $0.contains("Profile Service") })
  }

  @Test("No other file is taken for one of them")
  func others() throws {
    let special: Set<String> = ["bookmark", "cms-xml", "typedstream"]
    for file in Corpus.files where !special.contains(file.kind) {
      guard let bytes = try? file.bytes, let kind = ContentKind(bytes) else { continue }
      if case .list(let format) = kind, format != .typedStream { continue }
      Issue.record("\(file.name) as \(kind)")
    }
  }
}
