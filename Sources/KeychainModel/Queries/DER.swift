// The few types of DER (ITU-T X.690) that Apple's keychain writes: dictionaries as sets of pairs, texts, bytes,
// integers, dates. Source: der_plist.c and its neighbours in Apple's published Security project.

internal import ByteCoding

package enum DER {
  package static let integer: UInt8 = 0x02
  package static let octetString: UInt8 = 0x04
  package static let utf8String: UInt8 = 0x0C
  package static let generalizedTime: UInt8 = 0x18
  package static let sequence: UInt8 = 0x30
  package static let set: UInt8 = 0x31

  /// Tag, length, content.
  package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    if count < 0x80 { return [tag, UInt8(count)] + content }
    var length: [UInt8] = []
    var rest = count
    while rest > 0 {
      length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }

  package static func text(_ text: String) -> [UInt8] { element(utf8String, Array(text.utf8)) }

  package static func bytes(_ bytes: [UInt8]) -> [UInt8] { element(octetString, bytes) }

  /// Two's complement in as few bytes as it needs.
  package static func integer(_ value: Int64) -> [UInt8] {
    var content = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * Int64($0))) }
    while content.count > 1, content[0] == (content[1] < 0x80 ? 0 : 0xFF) { content.removeFirst() }
    return element(integer, content)
  }

  /// A date as `YYYYMMDDhhmmss[.fraction]Z`, the fraction as short as the Float64 allows; nil outside the years
  /// 1 to 9999.
  package static func date(_ seconds: Float64) -> [UInt8]? {
    guard let text = Timestamp.text(seconds == 0 ? 0 : seconds) else { return nil }
    let marks: [UInt8] = [UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "T")]
    return element(generalizedTime, text.filter { !marks.contains($0) })
  }

  /// A dictionary: a set of pairs of key and value, in the order of the pairs' bytes.
  package static func set(_ entries: [(key: String, value: [UInt8])]) -> [UInt8] {
    let pairs = entries.map { element(sequence, text($0.key) + $0.value) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    return element(set, pairs.flatMap { $0 })
  }

  /// An element and what stands behind it.
  package struct Element {
    package let tag: UInt8
    package let content: ArraySlice<UInt8>
    package let rest: ArraySlice<UInt8>

    /// The first element of `bytes`; nil where its length is not in its shortest form or beyond them.
    package init?(_ bytes: ArraySlice<UInt8>) {
      var bytes = bytes
      guard let tag = bytes.popFirst(), let first = bytes.popFirst() else { return nil }
      var count = Int(first)
      if first >= 0x80 {
        let width = Int(first & 0x7F)
        guard (1...4).contains(width), bytes.count >= width else { return nil }
        count = bytes.prefix(width).reduce(0) { $0 << 8 | Int($1) }
        bytes.removeFirst(width)
        guard count >= 0x80, width == 1 || count >> (8 * (width - 1)) != 0 else { return nil }
      }
      guard count <= bytes.count else { return nil }
      self.tag = tag
      content = bytes.prefix(count)
      rest = bytes.dropFirst(count)
    }

    /// The number of an INTEGER of at most eight bytes.
    package var integer: Int64? {
      guard tag == DER.integer, (1...8).contains(content.count) else { return nil }
      let start: Int64 = content.first! >= 0x80 ? -1 : 0
      return content.reduce(start) { $0 << 8 | Int64($1) }
    }
  }

  /// The pairs of a dictionary, values as elements; nil where `bytes` are not exactly one.
  package static func entries(of bytes: ArraySlice<UInt8>) -> [(
    key: String, value: ArraySlice<UInt8>
  )]? {
    guard let outer = Element(bytes), outer.tag == set, outer.rest.isEmpty else { return nil }
    var entries: [(key: String, value: ArraySlice<UInt8>)] = []
    var rest = outer.content
    while !rest.isEmpty {
      guard let pair = Element(rest), pair.tag == sequence,
        let key = Element(pair.content), key.tag == utf8String,
        let name = String(utf8: Array(key.content).bytes)
      else { return nil }
      entries.append((name, key.rest))
      rest = pair.rest
    }
    return entries
  }
}
