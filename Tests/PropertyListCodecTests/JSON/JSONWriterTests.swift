import ByteCoding
import PropertyListCodec
import Testing

struct JSONWriterTests {
  private func write(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("structure has its commas and no white space")
  func structure() {
    let text = write {
      $0.beginObject()
      $0.key("a")
      $0.beginArray()
      $0.integer(-1 as Int64)
      $0.integer(UInt64.max)
      $0.beginArray()
      $0.endArray()
      $0.beginObject()
      $0.endObject()
      $0.null()
      $0.endArray()
      $0.key("k\u{e9}" as String)
      $0.boolean(true)
      $0.key("r")
      let isWritten = $0.real(1)
      #expect(isWritten)
      $0.key("v")
      $0.value(Array("[1]".utf8).bytes)
      $0.endObject()
      $0.endLine()
      $0.boolean(false)
      $0.endLine()
    }
    #expect(
      text == "{\"a\":[-1,18446744073709551615,[],{},null],\"k\u{e9}\":true,\"r\":1.0,\"v\":[1]}\n"
        + "false\n")
  }

  @Test(
    "reals are not taken for integers",
    arguments: [
      (1, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e16, "1e+16"), (Double(bitPattern: 1), "5e-324"),
      (-1.5e300, "-1.5e+300"),
    ] as [(Double, String)])
  func reals(value: Double, text: String) {
    var writer = JSONWriter()
    let isWritten = writer.real(value)
    #expect(isWritten)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
  }

  @Test("what JSON has no number for is left to the caller", arguments: [Double.nan, .infinity])
  func notReals(value: Double) {
    var writer = JSONWriter()
    let isWritten = writer.real(value) || writer.real(-value)
    #expect(!isWritten)
    #expect(writer.bytes.isEmpty)
  }

  /// Quotation mark, backslash, controls, DEL, the two separators: nothing else.
  @Test("only what has to be escaped is")
  func escapes() {
    let short: [UInt32: String] = [
      0x22: "\\\"", 0x5c: "\\\\", 0x08: "\\b", 0x09: "\\t", 0x0a: "\\n", 0x0c: "\\f", 0x0d: "\\r",
      0x7f: "\\u007f", 0x2028: "\\u2028", 0x2029: "\\u2029",
    ]
    for value in UInt32(0)...0x2fff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let character = String(Character(scalar))
      let digits = String(value, radix: 16)
      let control = "\\u" + String(repeating: "0", count: 4 - min(4, digits.utf8.count)) + digits
      let expected = short[value] ?? (value < 0x20 ? control : character)
      for padding in ["", "abcdefg", "abcdefghijkl"] {
        let text = write { $0.string(padding + character + padding) }
        if !text.utf8.elementsEqual(("\"" + padding + expected + padding + "\"").utf8) {
          Issue.record("U+\(digits) became \(text)")
        }
      }
    }
  }

  @Test("memory of the caller's gets exactly the counted bytes, the same as an array")
  func secretMemory() {
    let pieces = ["", "a", "\"", "\u{0}", "\u{2028}", "é", "😀", "plain text", "\u{e2}", "\n"]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0...8)).map { _ in pieces.randomElement()! }.joined()
      var expected: [UInt8] = []
      JSONEscaping.append(text.utf8Span, to: &expected)
      #expect(JSONEscaping.escapedCount(text.utf8Span) == expected.count)
      var target = [UInt8](repeating: 0xaa, count: expected.count + 2)
      var span = target.mutableSpan
      var raw = unsafe span.mutableBytes
      #expect(JSONEscaping.write(text.utf8Span, into: &raw, at: 1) == expected.count + 1)
      #expect(target == [0xaa] + expected + [0xaa])
    }
  }

  @Test("what the reader reads, the writer writes, and it reads the same")
  func roundTrip() throws {
    let tree = try JSONTree(sampleJSON)
    var writer = JSONWriter(appendingTo: [])
    tree.write(&writer)
    #expect(try JSONTree(writer.bytes) == tree)
  }
}
