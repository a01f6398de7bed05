// How messages call an item, without its secret.

internal import ByteCoding

extension KeychainItem {
  /// A short name for messages: the class and what tells the item from others, for example
  /// `genp com.example.app / alice`. Parts over 80 characters are cut. Control characters are still
  /// in it; who writes to a terminal escapes them.
  public var displayName: String {
    let name: String? =
      switch itemClass {
      case .genericPassword: pair(.service, .account) ?? shownText(.label)
      case .internetPassword: pair(.server, .account) ?? shownText(.label)
      case .certificate, .identity:
        shownText(.label) ?? shownHex(.serialNumber).map { "serial number " + $0 }
      case .key: shownText(.label) ?? shownText(.applicationTag) ?? shownHex(.applicationLabel)
      case .file: shownPath
      default: shownText(.label) ?? shownText(.account)
      }
    return [itemClass.rawValue.cut, name].compactMap { $0 }.joined(separator: " ")
  }

  /// `place / account`, or the one of them that is there; nil without both.
  private func pair(_ place: AttributeKey, _ account: AttributeKey) -> String? {
    switch (shownText(place), shownText(account)) {
    case (let place?, let account?): place + " / " + account
    case (let place?, nil): place
    case (nil, let account?): "/ " + account
    case (nil, nil): nil
    }
  }

  /// The attribute's text; its bytes as text, or as hexadecimal where they are none; nil when it is
  /// missing, empty or of another type.
  private func shownText(_ key: AttributeKey) -> String? {
    switch self[key] {
    case .text(let text) where !text.isEmpty: text.cut
    case .bytes(let bytes) where !bytes.isEmpty:
      String(utf8: bytes.bytes)?.cut ?? shownHex(key)
    default: nil
    }
  }

  /// The path; bytes in it that are no UTF-8 are written `\xff`, as listings and messages do.
  private var shownPath: String? {
    guard case .bytes(let bytes) = self[.path], String(utf8: bytes.bytes) == nil else {
      return shownText(.path)
    }
    var shown = ""
    var index = 0
    // More than is shown need not be looked at.
    while index < bytes.count, shown.unicodeScalars.count <= 80 {
      // The shortest part that is UTF-8 is the next scalar, which has four bytes at most.
      let next = (1...min(4, bytes.count - index)).lazy.compactMap { count in
        String(utf8: Array(bytes[index..<index + count]).bytes)
      }.first
      shown += next ?? "\\x" + String(UInt16(bytes[index]) | 0x100, radix: 16).dropFirst()
      index += next?.utf8.count ?? 1
    }
    return shown.cut
  }

  /// The attribute's bytes in hexadecimal, the first 20 of them; nil when there are none.
  private func shownHex(_ key: AttributeKey) -> String? {
    guard case .bytes(let bytes) = self[key], !bytes.isEmpty else { return nil }
    let digits = Array("0123456789abcdef".utf8)
    var shown: [UInt8] = []
    for byte in bytes.prefix(20) {
      shown.append(digits[Int(byte >> 4)])
      shown.append(digits[Int(byte & 15)])
    }
    return String(decoding: shown, as: UTF8.self) + (bytes.count > 20 ? "…" : "")
  }
}

extension String {
  /// The first 80 characters (Unicode scalars), and a mark when there were more.
  fileprivate var cut: String {
    let scalars = unicodeScalars
    guard let end = scalars.index(startIndex, offsetBy: 80, limitedBy: endIndex), end < endIndex
    else { return self }
    return String(scalars[..<end]) + "…"
  }
}
