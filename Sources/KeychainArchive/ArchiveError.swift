// What can go wrong with an archive, as the library reports it.

package import ArchiveContainer
internal import ArchiveCrypto

/// Why an archive can't be opened, read or written. Holds no secret material.
public struct ArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure; later versions may add codes. Equality of errors looks at the code only.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
      self.description = description
    }

    /// Malformed input: an unkeyed check fails.
    public static let damaged = Code("damaged")
    /// The archive ends early, or was never finished.
    public static let truncated = Code("truncated")
    /// The unkeyed checks hold and a MAC or a tag does not.
    public static let tampered = Code("tampered")
    /// A version or feature of another writer.
    public static let unsupported = Code("unsupported")
    /// The archive is sound and no credential opens it.
    public static let wrongCredential = Code("wrong credential")
    /// No archive at all.
    public static let notAnArchive = Code("not an archive")
    /// A cost, length or count is over a limit; nothing was computed.
    public static let refusedByLimit = Code("refused by a limit")
    /// The archive is older than it has to be.
    public static let rollback = Code("rollback")
    /// Two items have the same primary key (Apple's `errSecDuplicateItem`).
    public static let duplicateItem = Code("duplicate item")
    /// No item matches (Apple's `errSecItemNotFound`).
    public static let itemNotFound = Code("item not found")
    /// A file is there already.
    public static let wouldOverwrite = Code("would overwrite")
    /// Another writer is at work.
    public static let locked = Code("locked")
    /// A system call failed.
    public static let ioFailed = Code("input or output failed")
    /// What was to be packed changed or failed while it was read.
    public static let sourceFailed = Code("source failed")
    /// An item that the format can't hold.
    public static let invalidItem = Code("invalid item")
  }

  public let code: Code
  /// One clause in English, without any value.
  public let reason: String
  /// Where in the archive, in bytes from its start.
  public let offset: UInt64?
  /// The item that it concerns, by its display name.
  public let item: String?
  /// What to do about it.
  public let hint: String?
  /// For `duplicateItem`: the origins that the caller gave to the two.
  package let origins: [UInt32]

  package init(
    _ code: Code, _ reason: String, at offset: UInt64? = nil, item: String? = nil,
    hint: String? = nil, origins: [UInt32] = []
  ) {
    self.code = code
    self.reason = reason
    self.offset = offset
    self.item = item
    self.hint = hint
    self.origins = origins
  }

  public static func == (left: ArchiveError, right: ArchiveError) -> Bool {
    left.code == right.code
  }

  public var description: String {
    var text = "\(code): \(reason)"
    if let offset { text += " at \(offset)" }
    if let item { text += " (\(item))" }
    return text
  }
}

extension ArchiveError {
  /// The container's error as this module's.
  package init(_ error: ContainerError, item: String? = nil) {
    let code: Code =
      switch error.code {
      case .damaged: .damaged
      case .truncated: .truncated
      case .tampered: .tampered
      case .unsupported: .unsupported
      case .wrongCredential: .wrongCredential
      case .notAnArchive: .notAnArchive
      case .refusedByLimit: .refusedByLimit
      case .rollback: .rollback
      case .duplicateItem: .duplicateItem
      case .sourceFailed: .sourceFailed
      default: .ioFailed
      }
    self.init(
      code, error.reason, at: error.offset, item: item, hint: error.hint, origins: error.origins)
  }

  /// A system call that failed.
  package init(_ error: DeviceError) {
    if error == DeviceError.locked {
      self.init(
        .locked, "another writer is at work", hint: "--wait waits for it to end")
    } else if error.number == DeviceError.fileExists {
      self.init(
        .wouldOverwrite, "a file is there already", hint: "--force replaces it")
    } else {
      self.init(ContainerError(error))
    }
  }
}
