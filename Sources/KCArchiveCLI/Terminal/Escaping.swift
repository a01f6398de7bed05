// Text from outside (file names, attributes, arguments) in messages and listings. A terminal obeys
// control characters, and bidirectional controls make a line read as something it does not say.

/// `bytes` for a line of a terminal: controls and what is not UTF-8 are written out.
///
/// C0, DEL, C1, line and paragraph separators and the bidirectional controls become `\n`, `\t`, `\r`
/// or `\u{202e}`; each byte that is not UTF-8 becomes `\xff`.
package func escaped(_ bytes: [UInt8]) -> String {
  if bytes.allSatisfy(isPrintableASCII) { return String(decoding: bytes, as: UTF8.self) }
  var text = ""
  var index = 0
  while index < bytes.count {
    guard let (scalar, length) = scalar(in: bytes, at: index) else {
      text += "\\x" + hexadecimal(UInt32(bytes[index]), digits: 2)
      index += 1
      continue
    }
    index += length
    switch scalar {
    case "\n": text += "\\n"
    case "\t": text += "\\t"
    case "\r": text += "\\r"
    case _ where steersTerminal(scalar):
      text += "\\u{" + hexadecimal(scalar.value, digits: 1) + "}"
    default: text.unicodeScalars.append(scalar)
    }
  }
  return text
}

/// `escaped` for text that is a String already.
package func escaped(_ text: String) -> String {
  text.utf8.allSatisfy(isPrintableASCII) ? text : escaped(Array(text.utf8))
}

/// Whether a byte stands for itself. Nearly all names have no others, and lists have many names.
private func isPrintableASCII(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

/// `text` between `'…'`, escaped: the form in which messages show what came from outside.
package func quoted(_ text: String) -> String {
  "'" + escaped(text) + "'"
}

/// `path` between `'…'`, escaped.
package func quoted(_ path: FilePath) -> String {
  "'" + escaped(path.bytes) + "'"
}

/// Whether a terminal would do something else with `scalar` than show it in its place.
package func steersTerminal(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x00...0x1F, 0x7F...0x9F: true
  case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // bidirectional controls
  case 0x2028, 0x2029: true  // some terminals break the line here
  default: false
  }
}

/// `value` in lower-case hexadecimal, at least `digits` long.
package func hexadecimal(_ value: some BinaryInteger, digits: Int) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}

/// The scalar that starts at `index` and its length in bytes; nil where the bytes are no UTF-8
/// (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF).
private func scalar(in bytes: [UInt8], at index: Int) -> (Unicode.Scalar, Int)? {
  let first = bytes[index]
  let (length, smallest, start): (Int, UInt32, UInt32)
  switch first {
  case 0x00...0x7F: return (Unicode.Scalar(first), 1)
  case 0xC2...0xDF: (length, smallest, start) = (2, 0x80, UInt32(first & 0x1F))
  case 0xE0...0xEF: (length, smallest, start) = (3, 0x800, UInt32(first & 0x0F))
  case 0xF0...0xF4: (length, smallest, start) = (4, 0x10000, UInt32(first & 0x07))
  default: return nil
  }
  guard bytes.count - index >= length else { return nil }
  var value = start
  for byte in bytes[(index + 1)..<(index + length)] {
    guard byte & 0xC0 == 0x80 else { return nil }
    value = value << 6 | UInt32(byte & 0x3F)
  }
  guard value >= smallest, let scalar = Unicode.Scalar(value) else { return nil }
  return (scalar, length)
}
