// Preferences lists and where they come from: their names say which program they belong to.

internal import ByteCoding
package import KeychainModel
package import PropertyListCodec

/// A property list that is to be migrated.
package struct SourceList: Sendable {
  /// The file, as it can be opened.
  package let file: [UInt8]
  /// The list's path relative to the folder that was given, of names and `/` only.
  package let path: [UInt8]
  package let document: PropertyListDocument
  /// The signed message (CMS) that the list is in; nil for other lists.
  package let signedMessage: [UInt8]?
  /// The item that `pack` would make of the file.
  package let fileItem: KeychainItem

  package init(
    file: [UInt8], path: [UInt8], document: PropertyListDocument, signedMessage: [UInt8]? = nil,
    fileItem: KeychainItem
  ) {
    self.file = file
    self.path = path
    self.document = document
    self.signedMessage = signedMessage
    self.fileItem = fileItem
  }

  /// What the file holds.
  package var fileBytes: [UInt8] { signedMessage ?? document.bytes }

  /// Whose preferences these are: the file's name without `.plist`, and without the host's identifier that
  /// lists of one host have at the end.
  package var domain: String {
    let parts = path.split(separator: UInt8(ascii: "/"))
    let isOfHost = parts.dropLast().last?.elementsEqual("ByHost".utf8) ?? false
    let name = Self.domain(ofFile: parts.last.map(Array.init) ?? [], isOfHost: isOfHost)
    return String(decoding: name, as: UTF8.self)
  }

  /// `binary`, `xml` or `openStep`; `typed-stream` for what no list of the finder is.
  var formatName: String {
    switch document.format {
    case .binary: "binary"
    case .xml: "xml"
    case .openStep: "openStep"
    case .typedStream: "typed-stream"
    }
  }

  /// The folder of `path`; empty for a list that is in none.
  var folder: [UInt8] {
    path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[..<$0]) } ?? []
  }

  private static func domain(ofFile name: [UInt8], isOfHost: Bool) -> [UInt8] {
    var name = name
    let suffix = Array(".plist".utf8)
    if name.count > suffix.count, name.suffix(suffix.count).map({ $0 | 0x20 }) == suffix {
      name.removeLast(suffix.count)
    }
    // com.example.app.F9168C5E-CEB2-4FAA-B6BF-329BF39FA1E4
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return name }
    let rest = name[(dot + 1)...]
    // Old systems had the address of the network interface there.
    let isHost = isUUID(rest) || isOfHost && rest.count == 12 && rest.allSatisfy(isHexDigit)
    return isHost ? Array(name[..<dot]) : name
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    48...57 ~= byte || 97...102 ~= byte | 0x20
  }

  private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.joined().allSatisfy(isHexDigit)
  }
}
