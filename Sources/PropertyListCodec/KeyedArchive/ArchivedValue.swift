// What an archived object stands for, one level deep: what it contains are references again, so that whoever
// looks at it sees which objects are shared and which contain themselves.

/// One level of a decoded archive.
public enum ArchivedValue: Sendable {
  /// Nil: UID 0, or the string `$null`.
  case null
  /// A value without objects in it: a string, number, boolean, date, data, UUID, `NSNull` (as `.null`), or a
  /// URL by a marker of its own.
  case scalar(PropertyListValue)
  case array([KeyedArchive.Reference])
  case set([KeyedArchive.Reference])
  case orderedSet([KeyedArchive.Reference])
  /// Each element with how often it is in the set.
  case countedSet([(element: KeyedArchive.Reference, count: Int)])
  case dictionary([(key: KeyedArchive.Reference, value: KeyedArchive.Reference)])
  /// `base` is nil for an absolute URL.
  case url(base: KeyedArchive.Reference, relative: String)
  /// A text with the attributes of its parts.
  case attributedString(String, runs: [AttributeRun])
  /// An object of another class whose encoding is known.
  case described(ArchivedDescription)
  /// An object of any other class, or one whose fields are not those of its class.
  case record(ArchivedClass, [KeyedArchive.Field])

  /// A part of an attributed string.
  public struct AttributeRun: Hashable, Sendable {
    /// In UTF-16 code units, as `NSString` counts.
    public let range: Range<Int>
    /// A dictionary.
    public let attributes: KeyedArchive.Reference

    public init(range: Range<Int>, attributes: KeyedArchive.Reference) {
      self.range = range
      self.attributes = attributes
    }
  }
}

/// A value of a known class that is neither a scalar nor a collection: a decimal number, a rectangle, a colour.
public struct ArchivedDescription: Sendable {
  /// What it is, in one word or two: `decimal number`, `point`, `colour`, `error`.
  public let type: String
  /// A line for people. It shows what is in the parts that are no references, and can be a secret as these.
  public let text: String
  /// What it is made of. All that the archive says is here, fields that the class is not known to have included.
  public let parts: [Part]

  public struct Part: Sendable {
    public let name: String
    public let value: PartValue

    public init(_ name: String, _ value: PartValue) {
      self.name = name
      self.value = value
    }

    init(_ name: String, _ value: PropertyListValue) { self.init(name, .value(value)) }
  }

  public enum PartValue: Sendable {
    case value(PropertyListValue)
    case reference(KeyedArchive.Reference)
  }

  /// The value of the part with this name. Nil when there is none, or when it is a reference.
  public func value(of name: String) -> PropertyListValue? {
    for part in parts where part.name.utf8.elementsEqual(name.utf8) {
      if case .value(let value) = part.value { return value }
    }
    return nil
  }
}
