// What stands against describing a property list or a keyed archive, whichever of them it is about.

/// Why a list cannot be described, or what is irregular about one that was.
public struct DescriptionError: Error, Hashable, Sendable {
  /// What to do about it. More can come; treat an unknown one as malformed input.
  public struct Family: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing that begins as a property list does.
    public static let notAList = Family(rawValue: "notAList")
    /// Malformed input.
    public static let damaged = Family(rawValue: "damaged")
    /// A version or an encoding that is not known.
    public static let unsupported = Family(rawValue: "unsupported")
    /// A limit; `reason` names it.
    public static let limit = Family(rawValue: "limit")
    /// Nothing is at the path; `path` says how far it leads.
    public static let notThere = Family(rawValue: "notThere")
  }

  public let family: Family
  public let reason: String
  /// In bytes from the start of the file. Nil where it is about no place.
  public let offset: Int?
  /// From 1, in text.
  public let line: Int?
  public let column: Int?
  /// The way to the object, as paths are written. Nil where it is not known.
  public let path: String?

  init(_ family: Family, _ reason: String, path: String? = nil) {
    self.family = family
    self.reason = reason
    offset = nil
    line = nil
    column = nil
    self.path = path
  }

  public init(_ error: PropertyListError) {
    family =
      switch error.code {
      case .unrecognizedFormat: .notAList
      case .unsupportedVersion, .unsupportedEncoding, .unsupportedFormat: .unsupported
      case .nestingTooDeep, .tooManyObjects, .tooManyVisits: .limit
      default: .damaged
      }
    reason = error.reason
    // Lines say it better; an expansion that gets too large, and what is not read at all, have no place.
    let isAboutPlace = error.code != .tooManyVisits && error.code != .unsupportedFormat
    offset = error.line == nil && isAboutPlace ? error.offset : nil
    line = error.line
    column = error.column
    path = nil
  }

  public init(_ error: KeyedArchiveError) {
    family =
      switch error.code {
      case .nestingTooDeep, .tooManyVisits: .limit
      default: .damaged
      }
    reason = error.object.map { "\(error.reason) (object \($0))" } ?? error.reason
    offset = error.offset
    line = nil
    column = nil
    path = error.path.isEmpty ? nil : error.path
  }

  /// The error in a list within data that is at `path`: its places mean nothing in the file.
  func inside(_ path: String) -> DescriptionError {
    self.path == nil || family != .notThere
      ? DescriptionError(family, reason, path: path) : self
  }
}
