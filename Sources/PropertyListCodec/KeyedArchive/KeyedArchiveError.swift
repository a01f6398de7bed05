// What is wrong with a keyed archive, and where: the byte, the object, and the way that led there. Reasons name
// the rule and never quote the archive, for a value in it may be a secret.

/// Why a keyed archive cannot be read or written, or what is irregular about one that was read.
public struct KeyedArchiveError: Error, Hashable, Sendable {
  /// Which rule was broken. More can come; treat an unknown one as malformed input.
  public struct Code: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The list has no `$objects` array or no `$top` dictionary.
    public static let notAnArchive = Code(rawValue: "notAnArchive")
    /// `$version` or `$archiver` is missing, or the version is not 100000.
    public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
    /// The first object is not the string `$null`.
    public static let missingNull = Code(rawValue: "missingNull")
    /// A reference to an object that the archive does not have.
    public static let danglingReference = Code(rawValue: "danglingReference")
    /// A `$class` that leads to no class, or a class without a name.
    public static let invalidClass = Code(rawValue: "invalidClass")
    /// An object of a known class whose fields are not those of the class.
    public static let malformedObject = Code(rawValue: "malformedObject")
    /// A class that the caller does not allow.
    public static let classNotAllowed = Code(rawValue: "classNotAllowed")
    /// A class, or a value, that has no plain value.
    public static let noPlainValue = Code(rawValue: "noPlainValue")
    /// An object that contains itself.
    public static let cycle = Code(rawValue: "cycle")
    /// Objects nested deeper than the limit.
    public static let nestingTooDeep = Code(rawValue: "nestingTooDeep")
    /// More values than the limit once shared objects are written out at each place.
    public static let tooManyVisits = Code(rawValue: "tooManyVisits")
    /// A value that archives cannot hold.
    public static let notRepresentable = Code(rawValue: "notRepresentable")
  }

  public let code: Code
  /// Where, in bytes from the start of the list. Zero when writing.
  public let offset: Int
  /// The number of the object in `$objects`. Nil when it is about none.
  public let object: Int?
  /// The way from the top, as in `root.owner[3].name`. Empty where no way was gone.
  public internal(set) var path: String
  public let reason: String

  public init(
    _ code: Code, offset: Int, object: Int? = nil, path: String = "", reason: String
  ) {
    self.code = code
    self.offset = offset
    self.object = object
    self.path = path
    self.reason = reason
  }

  /// The error as seen from the owner of the thing where it happened.
  func inside(_ step: PathStep) -> KeyedArchiveError {
    var error = self
    switch step {
    case .name(let name):
      let separator = path.isEmpty || path.utf8.first == UInt8(ascii: "[") ? "" : "."
      error.path = name + separator + path
    case .index(let index):
      let separator = path.isEmpty || path.utf8.first == UInt8(ascii: "[") ? "" : "."
      error.path = "[\(index)]" + separator + path
    }
    return error
  }

  enum PathStep {
    case name(String)
    case index(Int)
  }
}
