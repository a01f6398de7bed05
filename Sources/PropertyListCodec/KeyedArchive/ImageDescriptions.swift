// Images and cursors: how large they are; their bytes stay data.

extension DescriptionBuilder {
  mutating func image() -> Result? {
    guard numbers("NSSize", "size", ["width", "height"]) != nil,
      case .real(let width)? = part("width"), case .real(let height)? = part("height")
    else { return nil }
    add("representations", field: "NSReps")
    add("flags", field: "NSImageFlags")
    add("colour", field: "NSColor")
    return ("image", "\(Self.text(width)) × \(Self.text(height))")
  }

  mutating func bitmapImage() -> Result? {
    guard case .data(let bytes)? = add("TIFF", field: "NSTIFFRepresentation") else { return nil }
    return ("bitmap image", "TIFF, \(bytes.count) bytes")
  }

  mutating func cursor() -> Result? {
    guard let spot = numbers("NSHotSpot", "point", ["x", "y"]) else { return nil }
    guard let type = addInteger("cursor type", field: "NSCursorType") else { return nil }
    add("image", field: "NSImage")
    return ("cursor", "type \(type), hot spot \(spot.text)")
  }

  /// The value of a part that has been added.
  private func part(_ name: String) -> PropertyListValue? {
    for part in parts where part.name == name {
      if case .value(let value) = part.value { return value }
    }
    return nil
  }
}
