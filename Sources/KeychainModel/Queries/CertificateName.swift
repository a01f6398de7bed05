// Names of certificates as Apple's keychain compares them (`issr`, `subj`).
//
// Source: createNormalizedX501Name of SecCertificate.c in Apple's published Security project, after RFC 2459, 4.1.2.4.

package enum CertificateName {
  /// The content of a distinguished name, normalized: PrintableStrings in capitals, their blanks at both ends
  /// gone and those within one space each; all else as it is.
  ///
  /// - Parameter name: the name in DER, a SEQUENCE.
  /// - Returns: the content of that SEQUENCE; nil where it is no name.
  package static func normalized(_ name: [UInt8]) -> [UInt8]? {
    guard let outer = DER.Element(name[...]), outer.tag == DER.sequence, outer.rest.isEmpty else {
      return nil
    }
    return parts(of: outer.content) { set in
      guard set.tag == DER.set, !set.content.isEmpty,
        let pairs = parts(
          of: set.content,
          { pair in
            guard pair.tag == DER.sequence,
              let content = parts(of: pair.content, normalized(value:))
            else { return nil }
            return DER.element(DER.sequence, content)
          })
      else { return nil }
      return DER.element(DER.set, pairs)
    }
  }

  private static let printableString: UInt8 = 0x13

  /// What `change` makes of each element of `content`; nil where one can't be read or changed.
  private static func parts(
    of content: ArraySlice<UInt8>, _ change: (DER.Element) -> [UInt8]?
  ) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = content
    while !rest.isEmpty {
      guard let element = DER.Element(rest), let changed = change(element) else { return nil }
      result += changed
      rest = element.rest
    }
    return result
  }

  private static func normalized(value element: DER.Element) -> [UInt8]? {
    guard element.tag == printableString else {
      return DER.element(element.tag, Array(element.content))
    }
    let words = element.content.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let text = words.joined(separator: [UInt8(ascii: " ")]).map { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
    }
    return DER.element(printableString, text)
  }
}
