// Errors, notifications, regular expressions, colours and fonts; what typed streams have besides objects.

extension DescriptionBuilder {
  mutating func error() -> Result? {
    guard let domain = addString("domain", field: "NSDomain"),
      let code = addInteger("code", field: "NSCode")
    else { return nil }
    add("user info", field: "NSUserInfo")
    return ("error", "\(domain) \(code)")
  }

  mutating func notification() -> Result? {
    guard let name = addString("name", field: "NS.name") else { return nil }
    add("object", field: "NS.object")
    add("user info", field: "NS.userinfo")
    return ("notification", name)
  }

  mutating func regularExpression() -> Result? {
    guard let pattern = addString("pattern", field: "NSPattern") else { return nil }
    guard let options = addInteger("options", field: "NSOptions") else { return nil }
    return ("regular expression", options == 0 ? pattern : "\(pattern) (options \(options))")
  }

  // MARK: Colours

  /// `NSColor`, by the number of its space (`NSColorSpace`).
  mutating func color() -> Result? {
    guard let space = fields.integer("NSColorSpace") else { return nil }
    let name: String
    let field: String
    let components: [String]
    switch space {
    case 1: (name, field, components) = ("calibrated RGB", "NSRGB", ["red", "green", "blue"])
    case 2: (name, field, components) = ("device RGB", "NSRGB", ["red", "green", "blue"])
    case 3: (name, field, components) = ("calibrated white", "NSWhite", ["white"])
    case 4: (name, field, components) = ("device white", "NSWhite", ["white"])
    case 5:
      (name, field, components) = ("device CMYK", "NSCMYK", ["cyan", "magenta", "yellow", "black"])
    case 6: return catalogColor()
    default: return nil
    }
    add("space", .string(name))
    guard let bytes = fields.data(field) else { return nil }
    // Numbers as text, with a zero byte at the end.
    let words = bytes.split { $0 == 0 || $0 == 0x20 }
    let numbers = words.compactMap { Double(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == words.count,
      components.count...components.count + 1 ~= numbers.count
    else { return nil }
    for (component, number) in zip(components + ["alpha"], numbers) {
      add(component, .real(number))
    }
    return ("colour", name + " " + numbers.map(Self.text).joined(separator: " "))
  }

  private mutating func catalogColor() -> Result? {
    add("space", .string("catalog"))
    guard let catalog = addString("catalog", field: "NSCatalogName"),
      let name = addString("name", field: "NSColorName")
    else { return nil }
    add("colour", field: "NSColor")
    return ("colour", "\(catalog) \(name)")
  }

  mutating func colorSpace() -> Result? {
    let number = addInteger("identifier", field: "NSID")
    add("ICC profile", field: "NSICC")
    add("model", field: "NSModel")
    guard !parts.isEmpty else { return nil }
    return ("colour space", number.map { "number \($0)" } ?? "with a profile of its own")
  }

  // MARK: Fonts

  mutating func font() -> Result? {
    guard let name = addString("name", field: "NSName"),
      let size = addNumber("size", field: "NSSize")
    else { return nil }
    add("flags", field: "NSfFlags")
    return ("font", "\(name) \(Self.text(size))")
  }

  mutating func fontDescriptor() -> Result? {
    guard case .object(let object)? = fields.reference("NSFontDescriptorAttributes") else {
      return nil
    }
    parts.append(ArchivedDescription.Part("attributes", .reference(.object(object))))
    add("options", field: "NSFontDescriptorOptions")
    return ("font descriptor", "its attributes")
  }

  // MARK: Values of typed streams

  mutating func streamText(_ type: String) -> Result? {
    guard case .string(let text)? = fields.leaf("$0") else { return nil }
    add("text", .string(text))
    return (type, text)
  }

  /// A class by its description among the objects.
  mutating func classReference() -> Result? {
    guard case .object(let object)? = fields.reference("$0") else { return nil }
    let document = fields.archive.document
    guard
      let name = document.value(for: "$classname", in: fields.archive.node(of: object))
        .flatMap({ document.string(of: $0) })
    else { return nil }
    add("name", .string(name))
    return ("class", name)
  }
}
