// Types whose values are not encoded in the way that their own `Codable` conformance says. Foundation's are known by
// name, for this module does without Foundation; values are taken from them and made of what their conformances to
// protocols of the standard library have.

/// What a type's values are in a list.
enum NativeType {
  /// Foundation's `Date`.
  case date
  /// Foundation's `Data`, which is made of bytes as any collection of them is.
  case data(any RangeReplaceableCollection<UInt8>.Type)
  /// A Swift dictionary, whose order changes from run to run.
  case dictionary
  /// What its conformance says.
  case other
}

/// The native types among those that a coder has met.
struct NativeTypes {
  private var known: [ObjectIdentifier: NativeType] = [:]

  mutating func kind(of type: Any.Type) -> NativeType {
    let identifier = ObjectIdentifier(type)
    if let kind = known[identifier] { return kind }
    let kind = Self.find(type)
    known[identifier] = kind
    return kind
  }

  private static func find(_ type: Any.Type) -> NativeType {
    if type is any UnorderedEntries.Type { return .dictionary }
    // On Linux the types are FoundationEssentials' own.
    switch String(reflecting: type) {
    case "Foundation.Date", "FoundationEssentials.Date": return .date
    case "Foundation.Data", "FoundationEssentials.Data":
      guard let collection = type as? any RangeReplaceableCollection<UInt8>.Type else {
        return .other
      }
      return .data(collection)
    default: return .other
    }
  }
}

/// Marks the type `Dictionary`, whatever its keys and values are.
private protocol UnorderedEntries {}
extension Dictionary: UnorderedEntries {}
