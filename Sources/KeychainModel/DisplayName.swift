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
      case .file: shownText(.path)
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
