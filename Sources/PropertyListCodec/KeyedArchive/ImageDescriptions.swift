// Images and cursors: how large they are; their bytes stay data.

extension DescriptionBuilder {
  mutating func image() -> Result? {
    guard let size = addNumbers(["width", "height"], field: "NSSize")?.numbers else { return nil }
    add("representations", field: "NSReps")
    add("flags", field: "NSImageFlags")
    add("colour", field: "NSColor")
    return ("image", size.map { Self.text($0) }.joined(separator: " × "))
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
}
