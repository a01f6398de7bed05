// The graph of an archive in the lines that Fixtures/keyed_graphs.py prints: the same form from another reader.

import PropertyListCodec

struct ArchivedGraph {
  let archive: KeyedArchive

  private var document: PropertyListDocument { archive.document }

  var lines: [String] {
    let top = archive.top.map { array(["top", $0.name].map(string) + [reference($0.value)]) }
    let objects = (0..<archive.objectCount).map { number in
      let object = KeyedArchive.Object(number: number)
      guard let archived = archive.archivedClass(of: object) else {
        return array([
          string("value"), string("\(number)"),
          reference(archive.reference(archive.node(of: object))),
        ])
      }
      let fields = archive.fields(of: object).map {
        array([string($0.name), reference($0.value)])
      }
      return array([
        string("object"), string("\(number)"), string(archived.name),
        array(archived.chain.map(string)), array(fields),
      ])
    }
    return top + objects
  }

  private func reference(_ reference: KeyedArchive.Reference) -> String {
    switch reference {
    case .null: array([string("nil")])
    case .object(let object): array(["ref", "\(object.number)"].map(string))
    case .inline(let node): value(node)
    }
  }

  private func value(_ node: PropertyListNode) -> String {
    func scalar(_ kind: String, _ text: String?) -> String {
      array([kind, text ?? "?"].map(string))
    }
    switch document.kind(of: node) {
    case .string:
      // Python's XML parser makes line feeds of all line ends (XML 1.0, section 2.11), Core Foundation does not.
      let text = document.string(of: node)
      return scalar(
        "string", document.format == .xml ? text.map(Self.lineFeeds) : text)
    case .integer: return scalar("integer", document.integer(of: node)?.description)
    case .boolean: return scalar("boolean", document.boolean(of: node)?.description)
    case .real: return scalar("real", document.real(of: node).map { hex($0.bitPattern) })
    case .date:
      return scalar("date", document.date(of: node).map { "\(Int(($0 * 1e6).rounded()))" })
    case .data:
      return scalar("data", document.data(of: node).map { $0.map { hex($0) }.joined() })
    case .uid: return scalar("ref", document.uid(of: node)?.description)
    case .array:
      return array([
        string("array"),
        array(document.children(of: node).map { reference(archive.reference($0)) }),
      ])
    case .dictionary:
      let entries = zip(document.keys(of: node), document.values(of: node)).map {
        array([string(document.string(of: $0) ?? "?"), reference(archive.reference($1))])
      }
      return array([string("dictionary"), array(entries)])
    case let kind: return string("\(kind)")
    }
  }

  private static func lineFeeds(_ text: String) -> String {
    String(text.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 })
  }

  private func array(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ",") + "]"
  }

  private func hex(_ value: some FixedWidthInteger & UnsignedInteger) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: value.bitWidth / 4 - digits.count) + digits
  }

  /// As Python's `json.dumps` has it with `ensure_ascii=False`.
  private func string(_ text: String) -> String {
    var line = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": line += "\\\""
      case "\\": line += "\\\\"
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      case "\t": line += "\\t"
      case "\u{8}": line += "\\b"
      case "\u{c}": line += "\\f"
      case "\u{0}"..<"\u{20}":
        line += "\\u00" + hex(UInt8(scalar.value))
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line + "\""
  }
}
