// The paths of `file` items: `/`-separated, relative, without `.` and `..` (Spec/container.md, "Items").

package import KeychainModel

/// A path as an archive holds it. Bytes, because file names need not be text.
package struct PathName: Hashable, Sendable {
  package let bytes: [UInt8]

  /// The path that a file named `given` on a command line gets, as tar has it: without a leading `/`,
  /// without `.`, and without what leads up.
  ///
  /// - Returns: nil where nothing is left (`/`, `..`, `.`).
  package init?(archiving given: [UInt8]) {
    var parts: [ArraySlice<UInt8>] = []
    for part in given.split(separator: UInt8(ascii: "/")) {
      if part.elementsEqual(".".utf8) { continue }
      if part.elementsEqual("..".utf8) {
        // What leads up beyond the start is dropped, as the start itself is.
        if !parts.isEmpty { parts.removeLast() }
        continue
      }
      parts.append(part)
    }
    guard !parts.isEmpty else { return nil }
    bytes = Array(parts.joined(separator: [UInt8(ascii: "/")]))
  }

  private init(checked bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The path of a `file` item, or nil where restoring it could lead out of its folder.
  package init?(restoring item: KeychainItem) {
    let bytes: [UInt8]
    switch item[.path] {
    case .text(let text): bytes = Array(text.utf8)
    case .bytes(let raw): bytes = raw
    default: return nil
    }
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard !bytes.isEmpty, !bytes.contains(0),
      parts.allSatisfy({
        !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
      })
    else { return nil }
    self.init(checked: bytes)
  }

  /// The path of an entry in this directory.
  package func appending(_ name: [UInt8]) -> PathName {
    PathName(checked: bytes + [UInt8(ascii: "/")] + name)
  }

  /// Its parts, from the outermost directory to the name.
  package var parts: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "/")) }

  /// As an attribute: text where it is UTF-8.
  package var attributeValue: AttributeValue { .bytesOrText(bytes) }

  /// Whether a link at this path to `target` stays within the folder that all paths start from.
  ///
  /// `..` is taken at the start only: behind a name that is a link itself, it leads who knows where.
  package func linkStaysInside(_ target: [UInt8]) -> Bool {
    guard target.first != UInt8(ascii: "/") else { return false }
    var depth = parts.count - 1
    var hasName = false
    for part in target.split(separator: UInt8(ascii: "/")) {
      if part.elementsEqual(".".utf8) { continue }
      if part.elementsEqual("..".utf8) {
        depth -= 1
        if depth < 0 || hasName { return false }
      } else {
        hasName = true
      }
    }
    return true
  }
}

extension AttributeValue {
  /// Text where `bytes` are UTF-8, else the bytes.
  static func bytesOrText(_ bytes: [UInt8]) -> AttributeValue {
    if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
    return .bytes(bytes)
  }
}

/// The `fkin` of a file item.
package enum FileKind: String, Sendable {
  case file, directory, link
}
