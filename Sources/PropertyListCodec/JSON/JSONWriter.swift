// Writes JSON (RFC 8259) without white space, as pure UTF-8. Escaped is what has to be, and what some reader
// trips over: U+2028 and U+2029, which end a line in older JavaScript, and DEL.

internal import ByteCoding

/// Appends JSON values to a buffer and puts the commas between them.
///
/// The calls make the structure: `beginObject`, `key`, a value, `endObject`.
/// A caller that streams takes `bytes` out from time to time (`removeAll(keepingCapacity: true)`).
public struct JSONWriter: Sendable {
  /// What was written so far.
  public var bytes: [UInt8]
  /// Whether a value has ended, so that the next one in the same array or object needs a comma.
  private var needsComma = false

  /// A writer that appends to `bytes`.
  public init(appendingTo bytes: [UInt8] = []) { self.bytes = bytes }

  /// Begins a new text in the same memory.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  public mutating func beginObject() { begin("{") }
  public mutating func endObject() { end("}") }
  public mutating func beginArray() { begin("[") }
  public mutating func endArray() { end("]") }

  /// A key; its value comes next.
  public mutating func key(_ key: StaticString) {
    separate()
    key.withUTF8Buffer { key in
      appendQuoted(unsafe UTF8Span(unchecked: Span(_unsafeElements: key)))
    }
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// A key; its value comes next.
  public mutating func key(_ key: String) {
    separate()
    appendQuoted(key.utf8Span)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func string(_ text: String) { string(text.utf8Span) }

  public mutating func string(_ text: UTF8Span) {
    separate()
    appendQuoted(text)
    needsComma = true
  }

  public mutating func integer(_ value: Int64) { literal(value.description.utf8Span) }
  public mutating func integer(_ value: UInt64) { literal(value.description.utf8Span) }

  /// The shortest digits that read back as the same Float64, with a point or an exponent, so that it
  /// is not taken for an integer. False, and nothing written, for NaN and infinities, which JSON lacks.
  public mutating func real(_ value: Double) -> Bool {
    guard value.isFinite else { return false }
    literal(value.description.utf8Span)
    return true
  }

  public mutating func boolean(_ value: Bool) {
    let text = value ? "true" : "false"
    literal(text.utf8Span)
  }

  public mutating func null() { literal("null".utf8Span) }

  /// A value that is JSON already.
  public mutating func value(_ json: RawSpan) {
    separate()
    bytes.append(copying: json)
    needsComma = true
  }

  /// Ends a line: what follows is a text of its own, as in JSON lines.
  public mutating func endLine() {
    bytes.append(0x0a)
    needsComma = false
  }

  private mutating func begin(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  private mutating func end(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  /// A number, in its JSON.
  mutating func literal(_ text: String) { literal(text.utf8Span) }

  private mutating func literal(_ text: UTF8Span) {
    separate()
    bytes.append(copying: unsafe text.span.bytes)
    needsComma = true
  }

  private mutating func appendQuoted(_ text: UTF8Span) {
    bytes.append(UInt8(ascii: "\""))
    JSONEscaping.append(text, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}
