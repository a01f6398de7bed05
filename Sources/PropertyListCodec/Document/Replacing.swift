// Edits: a few values of a list are others, and everything else stays as the file says it.

internal import ByteCoding

extension PropertyListDocument {
  /// The file with other values for some nodes. With none it is the file as it is.
  ///
  /// A binary list is laid out anew as Apple's writer does; every object that is not replaced keeps its own
  /// bytes, and what is shared stays shared: a replaced node is replaced wherever it is referred to. In an XML
  /// list only the elements' text changes. Nodes inside of replaced ones are gone with them. A node that is a
  /// dictionary's key is not for replacing in XML.
  ///
  /// Throws what the writers throw, and `unsupportedEncoding` for XML that is not UTF-8.
  public func bytes(
    replacing replacements: [PropertyListNode: PropertyListValue]
  ) throws(PropertyListError) -> [UInt8] {
    guard !replacements.isEmpty else { return bytes }
    switch format {
    case .binary: return try binary(replacing: replacements)
    case .xml: return try text(replacing: replacements)
    }
  }

  private func text(
    replacing replacements: [PropertyListNode: PropertyListValue]
  ) throws(PropertyListError) -> [UInt8] {
    guard content == bytes else {
      throw PropertyListError(
        .unsupportedEncoding, offset: 0, reason: "values are replaced in lists of UTF-8 only")
    }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var reached = 0
    let nodes = replacements.keys.sorted { range(of: $0).lowerBound < range(of: $1).lowerBound }
    for node in nodes {
      let range = range(of: node)
      // What lies inside of an element that was replaced is gone.
      guard range.lowerBound >= reached, let value = replacements[node] else { continue }
      text.append(copying: bytes.bytes.extracting(reached..<range.lowerBound))
      var depth = 0
      while depth < options.maximumDepth, text.count > depth,
        text[text.count - 1 - depth] == UInt8(ascii: "\t")
      {
        depth += 1
      }
      text.append(contentsOf: try value.xmlElement(depth: depth))
      reached = range.upperBound
    }
    text.append(copying: bytes.bytes.extracting(reached..<bytes.count))
    return text
  }
}
